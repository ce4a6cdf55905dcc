"""The shipped golden cases hold: geometry on every machine, pixels where they were approved.

`pytest tests/check/test_shipped_golden.py --golden-update=failing` approves what is drawn now, and
`--golden-report=golden.html` shows it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from godseed.check.case_file import read_case
from godseed.check.cases import find_cases, images_of, unused_images
from godseed.check.pytest_plugin import Golden
from godseed.spec import load

ROOT = Path(__file__).resolve().parents[2] / "golden"
CASES = find_cases(ROOT)


@pytest.mark.parametrize("name", [name for name, _ in CASES])
def test_shipped_case_is_as_approved(golden: Golden, name: str) -> None:
    """On another rasteriser the pictures are held to the perceptual gates only."""
    golden.check_case(ROOT / name, allow_missing=True)


@pytest.mark.parametrize(("name", "folder"), CASES)
def test_shipped_case_has_every_picture_for_some_rasteriser(name: str, folder: Path) -> None:
    case = read_case(name, folder)
    drawn = {
        picture.name
        for picture in case.pictures
        for place in folder.iterdir()
        if images_of(place, picture)
    }
    assert drawn == {picture.name for picture in case.pictures}


def test_no_shipped_image_is_without_use() -> None:
    assert unused_images(ROOT, [read_case(*found) for found in CASES], everywhere=True) == []


def test_every_tool_has_two_shipped_cases() -> None:
    for row in load("tools.json")["tools"]:
        tool = row["name"]
        cases = [read_case(*found) for found in CASES]
        using = [c.name for c in cases if any(f.tool == tool for f in c.features[4:])]
        assert len(using) >= 2, tool
