"""The benchmarks' table: verdicts and refusals; what they measure is nobody's test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.timing import Row


@pytest.mark.parametrize(
    ("value", "at_least", "verdict"),
    [(3.2, True, "holds"), (2.9, True, "misses"), (2.9, False, "holds"), (3.2, False, "misses")],
)
def test_row_with_a_bar_says_whether_it_holds(value: float, at_least: bool, verdict: str) -> None:
    row = Row("bars", "ours over theirs", value, "x", 3.0, at_least)
    assert row.verdict == verdict
    assert verdict in row.line
    assert f"bar {'>=' if at_least else '<='} 3 x" in row.line


def test_row_without_a_figure_says_so_and_has_no_verdict() -> None:
    row = Row("bars", "ours over theirs", float("nan"), "x", 3.0, at_least=True, note="no browser")
    assert row.verdict == ""
    assert "not measured" in row.line
    assert row.line.endswith("no browser")


def test_unknown_suite_is_refused(repo_root: Path) -> None:
    command = [sys.executable, "-m", "bench", "moons"]
    done = subprocess.run(command, cwd=repo_root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "bench: 'moons'; expected one of bars, frames, scene, log" in done.stderr


def test_json_of_a_row_is_json() -> None:
    row = Row("bars", "a", 1.0, "x")
    assert json.loads(json.dumps(vars(row)))["bar"] is None
