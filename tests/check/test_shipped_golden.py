"""The shipped golden cases hold: geometry on every machine, pixels where they were approved."""

from __future__ import annotations

from pathlib import Path

from godseed.check.golden import check
from godseed.spec import load


def test_every_shipped_case_passes(repo_root: Path) -> None:
    """On another rasteriser the pictures are held to the perceptual gates only."""
    report = check(repo_root / "golden", allow_missing=True)
    assert report.passed, "\n".join(report.lines)
    assert len(report.cases) >= 15
    assert not report.unused, report.unused


def test_every_tool_has_a_shipped_case(repo_root: Path) -> None:
    folders = {path.name for path in (repo_root / "golden").iterdir()}
    tools = [row["name"] for row in load("tools.json")["tools"]]
    assert [tool for tool in tools if tool not in folders] == []
