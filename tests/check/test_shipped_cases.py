"""The cases that the repository ships: valid, what the script writes, and complete."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from godseed.check.case_file import Case, read_case
from godseed.check.cases import find_cases
from godseed.spec import load

ROOT = Path(__file__).resolve().parents[2]
CASES = tuple(read_case(*found) for found in find_cases(ROOT / "golden"))
TOOLS = tuple(row["name"] for row in load("tools.json")["tools"])


def under(folder: str) -> list[Case]:
    return [case for case in CASES if case.name.startswith(f"{folder}/")]


def test_there_are_sixty_cases_and_more() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_cases_of_its_own_that_use_it(tool: str) -> None:
    own = under(tool)
    assert own
    assert all(any(feature.tool == tool for feature in case.features) for case in own)


def test_every_palette_and_weather_has_a_case() -> None:
    table = load("palettes.json")
    skies = {f.args["palette"] for c in under("palettes") for f in c.features[-1:]}
    assert skies == set(table["palettes"])
    weathers = {f.args["kind"] for c in under("weather") for f in c.features[-1:]}
    assert weathers == set(table["weather"])


def test_every_camera_has_a_case() -> None:
    shots = {picture.shot.partition(":")[0] for case in CASES for picture in case.pictures}
    assert shots == {"town", "world", "gaze", "descend", "free"}


def test_there_is_growth_a_town_wish_by_wish_and_one_of_three_hundred_features() -> None:
    assert all(case.landed_ms and len(case.pictures) >= 4 for case in under("growth"))
    counts = sorted(len(case.features) for case in under("stages"))
    assert len(set(counts)) >= 4
    assert counts[-1] >= 300


def test_cases_are_what_the_script_writes() -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "tools/make_golden_cases.py"), "--check"],
        capture_output=True,
        check=False,
        cwd=ROOT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_shot_of_every_case_can_be_composed() -> None:
    for case in CASES:
        stage = case.stage()
        for picture in case.pictures:
            stage.frame(picture.time_ms, picture.shot)


def test_shipped_cases_are_small() -> None:
    assert all(case.size[0] * case.size[1] <= 480 * 270 for case in CASES)
