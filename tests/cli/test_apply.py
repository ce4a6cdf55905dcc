"""`godseed apply`: every line is checked before the first is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from godseed.sim.feature import feature_seed
from godseed.sim.trace import load

HILL = {"lat": 20, "lon": 30, "radius_deg": 12, "height": 0.06, "roughness": 0.6}
LAMP = {"lat": 20, "lon": 30, "kind": "lighthouse", "scale": 1.2, "hue": 40}
GOOD = [
    {"wish_id": "w_000001", "call_index": 0, "tool": "raise_terrain", "args": HILL},
    {"wish_id": "w_000001", "call_index": 1, "tool": "place_structure", "args": LAMP},
    {"wish_id": "w_000002", "call_index": 0, "tool": "place_structure", "args": LAMP},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def text(calls: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(call) + "\n" for call in calls)


def test_apply_writes_features_with_the_seeds_of_their_calls(godseed: Any) -> None:
    Path("calls.jsonl").write_text(text(GOOD))
    ran = godseed("apply", "calls.jsonl", "-o", "w.jsonl")
    assert [line.split(" ", 1)[0] for line in ran.out.splitlines()] == [
        "w_000001:0",
        "w_000001:1",
        "w_000002:0",
    ]
    loaded = load("w.jsonl")
    features = [feature for trace in loaded.traces for feature in trace.features]
    assert [feature.seed for feature in features] == [
        feature_seed(str(call["wish_id"]), int(str(call["call_index"]))) for call in GOOD
    ]
    assert loaded.world.epoch == 2


def test_apply_reads_standard_input_and_prints_json(godseed: Any) -> None:
    document = godseed("apply", "-", "-o", "w.jsonl", "--json", stdin=text(GOOD)).json
    assert [row["observation"][:2] for row in document["calls"]] == ["ok"] * 3


def test_rejected_call_is_answered_and_exit_code_1(godseed: Any) -> None:
    calls = [GOOD[0], {**GOOD[1], "tool": "dance"}, {**GOOD[2], "args": {**LAMP, "lat": "north"}}]
    ran = godseed("apply", "-", "-o", "w.jsonl", stdin=text(calls), code=1)
    assert ran.out.count(" rejected: ") == 2
    assert len(load("w.jsonl").traces) == 2


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("garbage", "calls.jsonl:4: "),
        ("[]", "calls.jsonl:4: "),
        ("3", "calls.jsonl:4: "),
        ("[" * 100_000, "calls.jsonl:4: "),
        ("\xff", "calls.jsonl:4: "),
        ('{"call_index": 0, "tool": "x", "args": {}}', "wish_id"),
        ('{"wish_id": 3, "call_index": 0}', "wish_id"),
        ('{"wish_id": "foo", "call_index": 0}', "wish_id"),
        ('{"wish_id": "genesis", "call_index": 0}', "wish_id"),
        ('{"wish_id": "w_000003"}', "call_index"),
        ('{"wish_id": "w_000003", "call_index": true}', "call_index"),
        ('{"wish_id": "w_000003", "call_index": 1.0}', "call_index"),
        ('{"wish_id": "w_000003", "call_index": -1}', "call_index"),
        ('{"wish_id": "w_000001", "call_index": 2}', "w_000001"),
        ('{"wish_id": "w_000003", "call_index": 0, "tool": "\\ud800"}', "calls.jsonl:4: "),
        (
            '{"wish_id": "w_000003", "call_index": 0, "tool": "x", "args": {"a": '
            + "[" * 500
            + "]" * 500
            + "}}",
            "calls.jsonl:4: ",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_line_is_named_and_nothing_is_written(godseed: Any, line: str, field: str) -> None:
    Path("calls.jsonl").write_bytes(text(GOOD).encode() + line.encode("latin-1") + b"\n")
    ran = godseed("apply", "calls.jsonl", "-o", "w.jsonl", code=2)
    assert "calls.jsonl:4" in ran.err
    assert field in ran.err
    assert not Path("w.jsonl").exists() or Path("w.jsonl").read_bytes() == b""


def test_no_calls_and_no_file_are_errors(godseed: Any) -> None:
    Path("empty.jsonl").write_bytes(b"\n\n")
    assert "no calls" in godseed("apply", "empty.jsonl", "-o", "w.jsonl", code=2).err
    assert "nowhere" in godseed("apply", "nowhere.jsonl", "-o", "w.jsonl", code=2).err
    assert "a folder" in godseed("apply", "-", "-o", ".", stdin=text(GOOD), code=2).err


def test_wish_that_is_in_the_log_is_refused_before_anything_is_written(godseed: Any) -> None:
    godseed("apply", "-", "-o", "w.jsonl", stdin=text(GOOD[2:]))
    before = Path("w.jsonl").read_bytes()
    ran = godseed("apply", "-", "-o", "w.jsonl", stdin=text(GOOD), code=2)
    assert "w_000002" in ran.err
    assert Path("w.jsonl").read_bytes() == before


def test_numbers_that_are_none_are_rejected_by_the_world(godseed: Any) -> None:
    line = text([{**GOOD[0], "args": {**HILL, "lat": float("nan")}}])
    ran = godseed("apply", "-", "-o", "w.jsonl", "--json", stdin=line, code=1)
    assert ran.json["calls"][0]["observation"].startswith("rejected: ")
    huge = text([{**GOOD[0], "call_index": 10**30}])
    assert godseed("apply", "-", "-o", "v.jsonl", stdin=huge, code=None).code in (0, 2)
