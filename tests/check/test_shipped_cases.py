"""The cases that the repository ships: valid, and one at least for every tool."""

from __future__ import annotations

from pathlib import Path

import pytest

from godseed.check.case_file import read_case
from godseed.check.cases import find_cases
from godseed.sim.frame import Stage
from godseed.spec import load

TOOLS = tuple(row["name"] for row in load("tools.json")["tools"])


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_a_case_that_uses_it(repo_root: Path, tool: str) -> None:
    cases = [read_case(*found) for found in find_cases(repo_root / "golden", f"{tool}/*")]
    assert all(any(feature.tool == tool for feature in case.features) for case in cases)


def test_every_shot_of_every_case_can_be_composed(repo_root: Path) -> None:
    for name, folder in find_cases(repo_root / "golden"):
        case = read_case(name, folder)
        stage = Stage(case.features)
        for picture in case.pictures:
            stage.frame(picture.time_ms, picture.shot)


def test_shipped_cases_are_small_and_agree_in_size(repo_root: Path) -> None:
    cases = [read_case(*found) for found in find_cases(repo_root / "golden")]
    assert {(case.size, case.samples) for case in cases} == {((320, 180), 4)}
