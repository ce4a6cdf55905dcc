"""Prompt files: what they hold, how they are filled in, and what changes their hash."""

from __future__ import annotations

from pathlib import Path

import pytest

from godseed.mind.prompts import SECTIONS, PromptError, load_prompt, parse_prompt, tool_table
from godseed.sim.arguments import TOOLS

SMALL = "---\nname: small\n---\n" + "".join(f"## {name}\n{name} text\n" for name in SECTIONS)


def test_default_prompt_names_every_tool_and_every_enum_value() -> None:
    system = load_prompt().sections["system"]
    for tool in TOOLS.values():
        assert f"- {tool.name}(" in system
        for arg in tool.args:
            assert all(value in system for value in arg.values)


def test_tool_table_states_ranges() -> None:
    assert "lat -85..85" in tool_table()
    assert "height 0.01..0.12" in tool_table()
    assert "at most 90 characters" in tool_table()


def test_filling_in_leaves_json_braces_alone() -> None:
    text = load_prompt().fill("system", max_turns=7)
    assert '{"thought":' in text
    assert "{max_turns}" not in text


def test_a_wish_with_braces_is_not_filled_in_again() -> None:
    text = load_prompt().fill("reading", wish="a {summary} of {x}", summary="calm")
    assert "Wish: a {summary} of {x}" in text


def test_prompt_hash_changes_with_one_letter_and_not_with_line_ends() -> None:
    first = parse_prompt(SMALL, "small.md")
    assert parse_prompt(SMALL.replace("\n", "\r\n"), "small.md").sha256 == first.sha256
    assert parse_prompt(SMALL.replace("turn text", "turn Text"), "small.md").sha256 != first.sha256


def test_prompt_loads_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(SMALL, encoding="utf-8")
    assert load_prompt(path).name == "small"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("## system\nx\n", "no front matter"),
        (SMALL.replace("name: small", "title: x"), "`name:` missing"),
        (SMALL.replace("## retry\nretry text\n", ""), "`## retry` missing"),
    ],
)
def test_prompt_file_is_refused(text: str, reason: str) -> None:
    with pytest.raises(PromptError, match=reason):
        parse_prompt(text, "x.md")


@pytest.mark.parametrize("name", ["planner-v9", "nowhere.md", "../planner-v1"])
def test_unknown_prompt_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(PromptError, match=r"planner-v1"):
        load_prompt(name)


def test_prompt_never_says_the_word_that_the_copy_rules_forbid() -> None:
    assert "remember" not in " ".join(load_prompt().sections.values()).lower()
