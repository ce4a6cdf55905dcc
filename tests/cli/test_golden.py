"""`godseed golden`: approve, check, and name the argument that was changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from godseed.sim.trace import load


@pytest.fixture
def case(log: Path) -> Path:
    """A folder `golden` with one small case of the log's world, never approved."""
    folder = Path("golden/place/tower")
    folder.mkdir(parents=True)
    write(folder, [feature.to_dict() for feature in load(log).world.features])
    return folder


def write(folder: Path, features: list[dict[str, Any]]) -> None:
    value = {
        "world": {"features": features},
        "frames": [{"shot": "town", "t_s": 4.0}],
        "size": [64, 48],
        "samples": 0,
    }
    (folder / "case.json").write_text(json.dumps(value))


def change(folder: Path) -> dict[str, Any]:
    """Turn the hue of the last thing that has one."""
    features = json.loads((folder / "case.json").read_text())["world"]["features"]
    row: dict[str, Any] = [feature for feature in features if "hue" in feature["args"]][-1]
    row["args"]["hue"] = (row["args"]["hue"] + 90.0) % 360.0
    write(folder, features)
    return row


def test_what_was_approved_passes_and_what_was_not_does_not(godseed: Any, case: Path) -> None:
    godseed("golden", "check", code=1)
    godseed("golden", "check", "--allow-missing", code=None)
    godseed("golden", "update", "--missing")
    passed = godseed("golden", "check", "--json").json
    assert passed["passed"] is True
    assert godseed("golden", "check", "golden").code == 0


def test_changed_argument_is_named_with_its_feature(godseed: Any, case: Path) -> None:
    godseed("golden", "update", "--all")
    row = change(case)
    ran = godseed("golden", "check", code=1)
    for word in (row["id"], row["tool"], "hue"):
        assert word in ran.out
    document = godseed("golden", "check", "--json", code=1).json
    assert document["passed"] is False
    assert row["id"] in json.dumps(document)
    godseed("golden", "update", "--missing", code=1)
    godseed("golden", "update")
    godseed("golden", "check")


def test_check_writes_nothing(godseed: Any, case: Path) -> None:
    godseed("golden", "update", "--all", "--quiet")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    change(case)
    changed = (case / "case.json").read_bytes()
    godseed("golden", "check", code=1)
    (case / "case.json").write_bytes(before[case / "case.json"])
    assert changed != before[case / "case.json"]
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_pattern_chooses_cases(godseed: Any, case: Path) -> None:
    shutil.copytree(case, "golden/water/lake")
    document = godseed("golden", "update", "-k", "place", "--all", "--json").json
    assert [row["case"] for row in document["cases"]] == ["place/tower"]
    godseed("golden", "check", "-k", "place")
    godseed("golden", "check", "-k", "water", code=1)
    ran = godseed("golden", "check", "-k", "moon", code=2)
    assert "no case matches 'moon'; expected a part of one of place/tower, water/lake" in ran.err


@pytest.mark.parametrize("command", ["check", "update"])
def test_folder_without_cases_is_refused(godseed: Any, log: Path, command: str) -> None:
    Path("empty").mkdir()
    assert "empty: no case in it" in godseed("golden", command, "empty", code=2).err
    assert "nowhere: no such folder" in godseed("golden", command, "nowhere", code=2).err
    assert "town.jsonl: no such folder" in godseed("golden", command, log, code=2).err


def test_broken_case_file_fails_and_is_named(godseed: Any, case: Path) -> None:
    (case / "case.json").write_text("{")
    ran = godseed("golden", "check", code=1)
    assert "place/tower" in ran.out
    assert "case.json" in ran.out
    assert godseed("golden", "update", code=1).out.startswith("left place/tower")
