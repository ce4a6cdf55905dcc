"""The page of the command line says what the commands say."""

from __future__ import annotations

from pathlib import Path

import pytest

from godseed.cli.reference import command_paths, help_text, reference_page


def test_reference_page_is_current(repo_root: Path) -> None:
    page = repo_root / "docs" / "reference" / "cli.md"
    assert page.read_text("utf-8") == reference_page(), (
        "docs/reference/cli.md is not what the commands say; "
        "run: python -m godseed.cli.reference > docs/reference/cli.md"
    )


@pytest.mark.parametrize("path", list(command_paths()), ids=" ".join)
def test_summary_of_each_command_fits_its_line(path: tuple[str, ...]) -> None:
    text = help_text(path)
    summaries = text.partition("\nCommands:\n")[2].splitlines()
    assert not [line for line in summaries if line.endswith("...")]


def test_reference_page_shows_every_command_once() -> None:
    titles = [line for line in reference_page().splitlines() if line.startswith("## ")]
    assert titles == [f"## {' '.join(('godseed', *path))}" for path in command_paths()]
