"""The log of wishes alone rebuilds the world, whatever happened to its end."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from godseed.sim.feature import wish_id
from godseed.sim.genesis import genesis_features
from godseed.sim.line_file import LineFile
from godseed.sim.trace import (
    LogLockedError,
    TraceError,
    TraceLog,
    Turn,
    WishTrace,
    append,
    load,
    load_features,
    read_world,
)
from godseed.sim.world import World

CALLS: list[dict[str, Any]] = [
    {"tool": "set_sky", "args": {"palette": "dusk", "star_density": 0.5, "moons": 2}},
    {"tool": "spawn_flora", "args": {"kind": "cactus"}},
    {"tool": "place_road", "args": {"path": [[14, 38], [15.5, 39]]}},
]


def granted(world: World, number: int, calls: list[dict[str, Any]] = CALLS) -> WishTrace:
    """The trace of a wish that makes some calls."""
    wish, start, turns = wish_id(number), len(world), []
    for i, call in enumerate(calls):
        result = world.apply(call, wish, i, 1718200000.0)
        world = result.world
        turns.append(Turn(thought="a line of light", call=call, observation=result.observation))
    turns.append(Turn(thought="it is made"))
    return WishTrace(
        wish_id=wish,
        text="a road at dusk – „dämmernd“",
        submitted_at=1718200000.0,
        reading="It wants an evening.",
        turns=tuple(turns),
        epitaph="The road went home.",
        features=tuple(world.features[start:]),
        model="scripts",
        backend="mock",
        ms_total=1200,
        prompt_sha256="0" * 64,
        seed=7,
    )


def log_of(path: Path, wishes: int) -> World:
    """A log of so many wishes; the world at its end."""
    with TraceLog(path) as log:
        for number in range(1, wishes + 1):
            log.append(granted(log.world, number))
        return log.world


def first_design(trace: WishTrace) -> dict[str, Any]:
    """A trace as the first design wrote it: ids of features only, no fields of later versions."""
    value = json.loads(trace.to_line())
    for name in ("features", "schema", "prompt_sha256", "seed", "ended"):
        del value[name]
    for turn in value["turns"]:
        for name in ("ms", "tokens_in", "tokens_out"):
            del turn[name]
    return dict(value)


def test_log_alone_rebuilds_the_world(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    world = log_of(path, 3)
    loaded = load(path)
    assert loaded.world.digest == world.digest
    assert (loaded.world.epoch, len(loaded.world)) == (3, 10)
    assert [trace.wish_id for trace in loaded.traces] == ["w_000001", "w_000002", "w_000003"]
    assert loaded.traces[0] == granted(World.genesis(), 1)
    assert (loaded.report.torn, loaded.report.notes, loaded.report.skipped) == (None, (), ())


def test_trace_is_one_json_line_with_the_fields_of_the_contract() -> None:
    trace = granted(World.genesis(), 1)
    value = json.loads(trace.to_line())
    assert b"\n" not in trace.to_line()
    assert list(value) == [
        "wish_id",
        "text",
        "submitted_at",
        "moderation",
        "reading",
        "turns",
        "epitaph",
        "feature_ids",
        "features",
        "model",
        "backend",
        "ms_total",
        "schema",
        "prompt_sha256",
        "seed",
        "ended",
    ]
    assert value["schema"] == 1
    assert value["feature_ids"] == ["f_000004", "f_000005"]
    assert value["moderation"] == {"allowed": True, "category": None}
    assert set(value["turns"][0]) == {
        "thought",
        "call",
        "observation",
        "ms",
        "tokens_in",
        "tokens_out",
    }


def test_trace_keeps_fields_that_it_does_not_know() -> None:
    value = json.loads(granted(World.genesis(), 1).to_line())
    value["mood"], value["moderation"]["layer"], value["turns"][0]["draft"] = "blue", "passed", 1
    again = json.loads(WishTrace.model_validate_json(json.dumps(value)).to_line())
    assert again == value


@pytest.mark.parametrize("wishes", [1, 2])
def test_log_cut_at_any_byte_loses_no_complete_line(tmp_path: Path, wishes: int) -> None:
    path = tmp_path / "wishes.jsonl"
    log_of(path, wishes)
    data = path.read_bytes()
    ends = [i for i, byte in enumerate(data) if byte == 10]
    start = 0 if wishes == 1 else ends[0] - 3
    cut = tmp_path / "cut.jsonl"
    for size in range(start, len(data) + 1):
        cut.write_bytes(data[:size])
        loaded = load(cut)
        # A line counts once its last byte is there, with or without the newline behind.
        whole = len([end for end in ends if end <= size])
        assert loaded.world.epoch == whole, size
        left = 0 if whole == 0 else ends[whole - 1]
        if size > left + 1 or (whole == 0 and size > 0):
            assert loaded.report.torn is not None
            assert loaded.report.torn.read_bytes() == data[left + (whole > 0) : size]
            assert "a torn last line of" in loaded.report.notes[0]
            loaded.report.torn.unlink()
            assert cut.read_bytes() == data[: left + 1 if whole else 0]
        else:
            assert loaded.report.torn is None
            assert cut.read_bytes() == data[:size]


def test_granting_goes_on_after_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    log_of(path, 2)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with TraceLog(path) as log:
        assert log.loaded.report.torn == tmp_path / "wishes.jsonl.torn-1"
        log.append(granted(log.world, 2))
    assert path.read_bytes() == whole


def test_a_last_line_without_its_newline_is_kept_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    log_of(path, 2)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with TraceLog(path) as log:
        assert log.world.epoch == 2
        third = granted(log.world, 3)
        log.append(third)
    assert path.read_bytes() == whole + third.to_line() + b"\n"


def test_a_reader_leaves_a_line_alone_that_is_still_being_written(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    log_of(path, 2)
    data = path.read_bytes()[:-40]
    path.write_bytes(data)
    with LineFile(path):
        loaded = load(path)
    assert loaded.world.epoch == 1
    assert loaded.report.torn is None
    assert "stays in place" in loaded.report.notes[0]
    assert path.read_bytes() == data


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    with TraceLog(path), pytest.raises(LogLockedError, match="is writing to it"):
        append(path, granted(World.genesis(), 1))
    append(path, granted(World.genesis(), 1))
    assert load(path).world.epoch == 1


def spoil(path: Path, line: int, change: Any) -> None:
    """Rewrite one line of a log, 1-based."""
    lines = path.read_bytes().splitlines()
    value = json.loads(lines[line - 1])
    found = change(value)
    lines[line - 1] = found if isinstance(found, bytes) else json.dumps(value).encode()
    path.write_bytes(b"\n".join(lines) + b"\n")


BAD_LINES = [
    (lambda value: b"{", "Invalid JSON"),
    (lambda value: b"", "Invalid JSON"),
    (lambda value: b"[" * 100_000, "Invalid JSON"),
    (lambda value: b"\x00" * 20, "Invalid JSON"),
    (lambda value: b"[]", "Input should be an object"),
    (lambda value: value.pop("wish_id"), "wish_id: Field required"),
    (lambda value: value.update(wish_id="w_1"), "wish_id: 'w_1'; expected"),
    (lambda value: value.update(wish_id="w_000001"), "a feature belongs to another wish"),
    (lambda value: value.update(schema=2), "schema: Input should be 1"),
    (lambda value: value.update(ms_total="1"), "ms_total: Input should be a valid integer"),
    (lambda value: value.update(feature_ids=["f_000009"]), "feature_ids are not those"),
    (lambda value: value.update(features=[]), "its turns make"),
    (lambda value: value.update(features=value["features"][1:], feature_ids=[]), "expected 'f_00"),
    (lambda value: value["features"][0].update(tool="x"), "features.0: Value error, feature.tool"),
    (lambda value: value["features"][1]["args"].update(path=[[1, 2]]), "path has 1 waypoint"),
    (lambda value: value["features"][0]["args"].update(moons=9), "set_sky.moons: 9; an integer"),
]


@pytest.mark.parametrize(("change", "reason"), BAD_LINES, ids=[reason for _, reason in BAD_LINES])
def test_a_bad_middle_line_stops_the_load_with_its_number(
    tmp_path: Path, change: Any, reason: str
) -> None:
    path = tmp_path / "wishes.jsonl"
    log_of(path, 3)
    if reason == "its turns make":
        spoil(path, 2, lambda value: value.update(turns=[]))
    spoil(path, 2, change)
    before = path.read_bytes()
    with pytest.raises(TraceError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:2: ")
    assert reason in message
    assert "--salvage" in message
    assert "\n" not in message
    with pytest.raises(TraceError):
        TraceLog(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("change", "reason"), BAD_LINES, ids=[reason for _, reason in BAD_LINES])
def test_salvage_skips_and_lists_a_bad_line(tmp_path: Path, change: Any, reason: str) -> None:
    path = tmp_path / "wishes.jsonl"
    log_of(path, 3)
    if reason == "its turns make":
        spoil(path, 2, lambda value: value.update(turns=[]))
    spoil(path, 2, change)
    loaded = load(path, salvage=True)
    if reason == "expected 'f_00":
        assert loaded.report.skipped == ()
        return
    (skipped,) = loaded.report.skipped
    assert skipped.startswith(f"{path}:2: ")
    assert reason in skipped
    assert loaded.world.wish_ids == ("w_000001", "w_000003")
    assert [f.id for f in loaded.world.features[4:]] == [f"f_00000{i}" for i in range(4, 8)]
    assert loaded.traces[1].feature_ids == ("f_000006", "f_000007")
    third = granted(log_of(tmp_path / "whole.jsonl", 2), 3)
    assert [f.seed for f in loaded.traces[1].features] == [f.seed for f in third.features]


def test_a_wish_is_in_the_log_once(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    world = log_of(path, 1)
    again = granted(world, 2).model_copy(update={"wish_id": "w_000001"})
    with pytest.raises(TraceError, match="cannot append w_000001: wish w_000001 is in the log"):
        append(path, again)
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(TraceError, match=":2: wish w_000001 is in the log already"):
        load(path)


def test_append_refuses_a_trace_of_another_world(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    world = log_of(path, 2)
    before = path.read_bytes()
    with TraceLog(path) as log:
        with pytest.raises(TraceError, match=r"cannot append w_000003: .*expected 'f_000008'"):
            log.append(granted(World.genesis(), 3))
        assert log.world.digest == world.digest
        assert path.read_bytes() == before
        log.append(granted(log.world, 3))


def test_a_wish_that_made_nothing_counts(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    with TraceLog(path) as log:
        log.append(granted(log.world, 1, [{"tool": "x"}]))
        log.append(granted(log.world, 2))
    world = load(path).world
    assert (world.epoch, len(world.at(1)), len(world)) == (2, 4, 6)


def test_logs_of_the_first_design_are_rebuilt_from_their_turns(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    world = log_of(path, 3)
    lines = [json.dumps(first_design(trace)) for trace in load(path).traces]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    loaded = load(path)
    assert loaded.world.digest == world.digest
    assert loaded.traces[2].features == tuple(world.features[8:])
    with TraceLog(path) as log:
        log.append(granted(log.world, 4))
    assert load(path).world.epoch == 4


def test_feature_ids_that_the_turns_do_not_make_stop_the_load(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    value = first_design(granted(World.genesis(), 1))
    value["feature_ids"] = ["f_000004", "f_000005", "f_000006"]
    path.write_text(json.dumps(value) + "\n", encoding="utf-8")
    with pytest.raises(TraceError, match="its turns make 2 features from f_000004 on"):
        load(path)


def test_an_empty_or_absent_log(tmp_path: Path) -> None:
    path = tmp_path / "wishes.jsonl"
    with pytest.raises(TraceError, match="No such file or directory; expected a readable file"):
        load(path)
    path.write_bytes(b"")
    assert load(path).world.digest == World.genesis().digest
    with TraceLog(tmp_path / "new.jsonl") as log:
        assert log.world.epoch == 0


def test_world_is_read_from_wherever_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "wishes.jsonl"
    world = log_of(log, 2)
    features = [feature.to_dict() for feature in world.features]
    shapes = {
        "list.json": json.dumps(features, indent=1),
        "features.json": json.dumps({"features": features}),
        "state.json": json.dumps({"world": {"epoch": 2, "features": features}, "queue": {}}),
        "one-line.json": json.dumps(features),
    }
    assert read_world("genesis").digest == World.genesis().digest
    assert read_world(log).digest == world.digest
    for name, text in shapes.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_world(tmp_path / name).digest == world.digest
        assert load_features(tmp_path / name) == tuple(world.features)
    for data in [log.read_bytes(), *(text.encode() for text in shapes.values())]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_world("-").digest == world.digest


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("3", "3; expected a list of features"),
        ('{"features": 3}', "3; expected a list of features"),
        ("{}", "an object; expected a list of features"),
        ("[3]", "features[0]: feature: 3; expected an object"),
        ('[{"id": "f_000000"}]', "features[0]: feature: has 'id'; expected id, wish_id"),
    ],
)
def test_feature_list_that_is_none_is_named(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "world.json"
    path.write_text(text, encoding="utf-8")
    for read in (load_features, read_world):
        with pytest.raises(TraceError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert reason in str(caught.value)


def test_feature_list_with_a_hole_is_no_world(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    path.write_text(json.dumps([genesis_features()[1].to_dict()]), encoding="utf-8")
    with pytest.raises(TraceError, match=r"features\[0\]: id 'f_000001'; expected 'f_000000'"):
        read_world(path)
    assert len(load_features(path)) == 1


def test_nan_in_a_feature_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    value = json.dumps([genesis_features()[0].to_dict()]).replace("0.9", "NaN")
    path.write_text(value, encoding="utf-8")
    with pytest.raises(TraceError, match="star_density: nan; a number"):
        load_features(path)


def test_a_log_on_a_full_disk_is_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wishes.jsonl"
    log_of(path, 1)
    with TraceLog(path) as log:
        trace, digest = granted(log.world, 2), log.world.digest
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", _full)
            with pytest.raises(OSError, match="full"):
                log.append(trace)
        assert log.world.digest == digest
        log.append(trace)
    assert load(path).world.epoch == 2


def _full(fd: int) -> None:
    raise OSError(28, "full")
