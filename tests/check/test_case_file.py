"""case.json is read strictly: every fault is named with file, field, what was expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from godseed.check.case_file import Case, Gates, GoldenError, Picture, read_case
from godseed.check.generate import generated_world
from godseed.sim.feature import Feature
from godseed.sim.genesis import genesis_features
from godseed.sim.trace import WishTrace, append

GOOD: dict[str, Any] = {"world": "genesis", "frames": [{"shot": "town", "t_s": 4.0}]}


def read(folder: Path, value: Any) -> Case:
    text = value if isinstance(value, str) else json.dumps(value)
    (folder / "case.json").write_text(text, encoding="utf-8")
    return read_case("some/case", folder)


def test_defaults_are_filled_in(tmp_path: Path) -> None:
    case = read(tmp_path, GOOD)
    assert (case.size, case.samples, case.gates) == ((320, 180), 4, Gates())
    assert case.features == genesis_features()
    assert case.pictures == (Picture("town", 4000),)
    assert case.pictures[0].name == "town.t4000.png"


def test_everything_stated_is_read(tmp_path: Path) -> None:
    gates = {"per_pixel": 3, "max_share": 0.5, "window": 8, "window_share": 1.0}
    case = read(tmp_path, {**GOOD, "size": [64, 36], "samples": 0, "gates": gates})
    assert (case.size, case.samples, case.gates) == ((64, 36), 0, Gates(3, 0.5, 8, 1.0))


def test_shots_are_written_canonically_and_name_distinct_files(tmp_path: Path) -> None:
    shots = ["gaze:2", "descend:f_000002@1.5", "free:-10,20,1,0,-20,50", "free:10,20,1,0,-20,50"]
    case = read(tmp_path, {**GOOD, "frames": [{"shot": shot, "t_s": 0.5} for shot in shots]})
    assert [picture.name for picture in case.pictures] == [
        "gaze-f_000002.t500.png",
        "descend-f_000002@1.5.t500.png",
        "free--10_20_1_0_-20_50.t500.png",
        "free-10_20_1_0_-20_50.t500.png",
    ]


def test_inline_features_and_logs_give_the_same_world(tmp_path: Path) -> None:
    world = generated_world(3, 6)
    made = list(world.features)[4:]
    for wish in dict.fromkeys(feature.wish_id for feature in made):
        own = tuple(feature for feature in made if feature.wish_id == wish)
        append(tmp_path / "log.jsonl", WishTrace(wish_id=wish, text="more", features=own))
    (tmp_path / "case").mkdir()
    inline = [feature.to_dict() for feature in world.features]
    one = read(tmp_path / "case", {**GOOD, "world": {"features": inline}})
    two = read(tmp_path / "case", {**GOOD, "world": {"log": "../log.jsonl"}})
    assert one.features == two.features == tuple(world.features)
    first = read(tmp_path / "case", {**GOOD, "world": {"log": "../log.jsonl", "wishes": 1}})
    assert first.features == tuple(world.features)[:7]


FEATURE = genesis_features()[0].to_dict()
FAULTS = [
    ("{", "not JSON"),
    ("[]", "expected an object"),
    ({"frames": GOOD["frames"]}, "no 'world'; expected world, frames; add it"),
    ({**GOOD, "shots": []}, "unknown 'shots'; expected world, frames, size"),
    ({**GOOD, "world": "eden"}, "world: 'eden'; expected"),
    ({**GOOD, "world": {"features": 3}}, "world.features: 3; expected a list"),
    ({**GOOD, "world": {"features": [{}]}}, r"world.features\[0\]: feature: has"),
    ({**GOOD, "world": {"features": [FEATURE, FEATURE]}}, r"world.features\[1\]: id 'f_000000'"),
    ({**GOOD, "world": {"features": [{**FEATURE, "seed": -1}]}}, r"\[0\]: feature.seed: -1"),
    ({**GOOD, "world": {"log": "none.jsonl"}}, "world.log: .*none.jsonl: No such file"),
    ({**GOOD, "world": {"log": "/etc/hosts"}}, "expected a path relative to the case"),
    ({**GOOD, "world": {"log": "a.jsonl", "wishes": 1.5}}, "world.wishes: 1.5; expected a whole"),
    ({**GOOD, "frames": []}, r"frames: .*; expected \[\{"),
    ({**GOOD, "frames": [{"shot": "town"}]}, r"frames\[0\]: no 't_s'"),
    (
        {**GOOD, "frames": [{"shot": "tower", "t_s": 1}]},
        r"frames\[0\].shot: 'tower'; expected town",
    ),
    ({**GOOD, "frames": [{"shot": 5, "t_s": 1}]}, r"frames\[0\].shot: 5; expected a text"),
    ({**GOOD, "frames": [{"shot": "town", "t_s": -1}]}, r"frames\[0\].t_s: -1; expected a number"),
    ({**GOOD, "frames": [{"shot": "town", "t_s": True}]}, r"frames\[0\].t_s: "),
    ({**GOOD, "frames": GOOD["frames"] * 2}, r"frames\[1\]: town.t4000.png is drawn already"),
    ({**GOOD, "size": [320]}, r"size: .*; expected \[width, height\]"),
    ({**GOOD, "size": [0, 10]}, "each 1 to 4096"),
    ({**GOOD, "size": [10, 10.5]}, "each 1 to 4096"),
    ({**GOOD, "samples": 3}, "samples: 3; expected 0, 2, 4, 8"),
    ({**GOOD, "gates": {"mean": 1}}, "gates: unknown 'mean'"),
    ({**GOOD, "gates": {"per_pixel": 256}}, "gates.per_pixel: 256; expected a whole number 0 to"),
    ({**GOOD, "gates": {"max_share": "1"}}, "gates.max_share: '1'; expected a number 0 to 1"),
    ({**GOOD, "gates": {"window": 0}}, "gates.window: 0"),
    ('{"world": "genesis", "frames": [{"shot": "town", "t_s": NaN}]}', r"frames\[0\].t_s"),
    ('{"world": "genesis", "frames": [{"shot": "town", "t_s": 1' + "0" * 400 + "}]}", "t_s"),
]


@pytest.mark.parametrize(("value", "words"), FAULTS)
def test_fault_in_a_case_is_named_with_file_and_field(
    tmp_path: Path, value: Any, words: str
) -> None:
    with pytest.raises(GoldenError, match=words) as caught:
        read(tmp_path, value)
    assert str(caught.value).startswith(str(tmp_path / "case.json"))
    assert "\n" not in str(caught.value)


def test_wishes_beyond_the_log_are_refused(tmp_path: Path) -> None:
    made = Feature("f_000004", "w_000001", "set_weather", {"kind": "rain", "intensity": 0.5}, 1)
    append(tmp_path / "log.jsonl", WishTrace(wish_id="w_000001", text="rain", features=(made,)))
    with pytest.raises(GoldenError, match=r"world.wishes: 2; the log has 1; expected at most"):
        read(tmp_path, {**GOOD, "world": {"log": "log.jsonl", "wishes": 2}})


def test_missing_case_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GoldenError, match=r"case.json: No such file"):
        read_case("case", tmp_path)
