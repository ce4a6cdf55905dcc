"""Progress says where a run is, to people and to log files."""

from __future__ import annotations

import sys

import pytest

from godseed.batch.progress import progress


def test_piped_progress_is_a_line_at_each_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("items", 100) as step:
        for _ in range(99):
            step("whatever", 3)
        step.many(1)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"items {10 * i}/100" for i in range(1, 11)]


def test_piped_progress_tells_what_was_finished_before() -> None:
    said: list[str] = []
    with progress("frames", 40, done=30, say=said.append) as step:
        step.many(10)
    assert said == ["frames 30/40 were finished before", "frames 40/40"]


def test_quiet_progress_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("items", 3, quiet=True) as step:
        step()
        step.many(2)
    assert capsys.readouterr() == ("", "")


def test_terminal_gets_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress("items", 4, done=1) as step:
        step()
        step.many(2)
    assert "4/4" in capsys.readouterr().err
