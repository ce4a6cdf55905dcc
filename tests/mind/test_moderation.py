"""Moderation: what is refused, what passes, and that it never raises."""

from __future__ import annotations

import codecs
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.moderation import WISH_MAX, moderate, screen

CASES = tomllib.loads((Path(__file__).parent / "moderation_cases.toml").read_text(encoding="utf-8"))


def decoded(text: str) -> str:
    plain = codecs.decode(text, "rot13")
    escape = r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})"
    return re.sub(escape, lambda found: chr(int(found[1] or found[2], 16)), plain)


@pytest.mark.parametrize(("category", "text"), CASES["block"])
def test_moderation_refuses(category: str, text: str) -> None:
    verdict = moderate(decoded(text))
    assert not verdict.allowed
    assert verdict.category == category
    assert verdict.reason.startswith("The god declines this wish.")


@pytest.mark.parametrize("text", CASES["allow"])
def test_moderation_lets_pass(text: str) -> None:
    verdict = moderate(text)
    assert verdict.allowed, verdict
    assert verdict.layer == "passed"
    assert verdict.reason == ""


@pytest.mark.parametrize("name", ["wishes.txt", "wishes-more.txt"])
def test_every_shipped_wish_passes(repo_root: Path, name: str) -> None:
    text = (repo_root / "godseed" / "mind" / "examples" / name).read_text(encoding="utf-8")
    for wish in text.splitlines():
        assert moderate(wish).allowed, wish


def test_there_are_enough_cases() -> None:
    assert len(CASES["block"]) >= 60
    assert len(CASES["allow"]) >= 60


def test_the_length_limit_is_exact() -> None:
    assert moderate("a" * WISH_MAX).allowed
    assert moderate(f"  {'a' * WISH_MAX}  ").allowed
    refused = moderate("a" * (WISH_MAX + 1))
    assert (refused.layer, refused.category) == ("length", "form")
    assert "140" in refused.reason
    assert "141" in refused.reason


def test_a_ligature_is_counted_as_what_it_stands_for() -> None:
    assert not moderate("\ufb03" * 50).allowed  # three letters each


@pytest.mark.parametrize(
    "text", ["**a lake** by the sea", "* a hill", "a *very* old oak", "** ***"]
)
def test_emphasis_is_no_hidden_word(text: str) -> None:
    assert screen(text).allowed


@pytest.mark.parametrize("text", ["می‌خواهم کنار دریا باشم", "क्‍ष और श्र", "👩‍🌾 in a field"])
def test_joiners_pass_where_a_script_is_spelled_with_them(text: str) -> None:
    assert moderate(text).allowed


@pytest.mark.parametrize("text", ["a la\u200cke", "\u200cدریا", "a lake\u200b"])
def test_joiners_anywhere_else_are_refused(text: str) -> None:
    assert moderate(text).layer == "characters"


def test_refusal_does_not_repeat_the_word() -> None:
    for category, text in CASES["block"]:
        if category != "form":
            assert decoded(text) not in moderate(decoded(text)).reason


def test_record_says_that_no_model_judged() -> None:
    record = moderate("a lake").record()
    assert record == {
        "allowed": True,
        "category": None,
        "layer": "passed",
        "judge": "absent",
        "policy": "lexical",
    }


@given(st.text(max_size=200))
def test_moderation_never_raises(text: str) -> None:
    verdict = moderate(text)
    assert verdict.allowed == (verdict.layer == "passed")


@pytest.mark.parametrize("template", ["please {}", "{} by the sea", "a lake and {}, please", "{}!"])
def test_refused_words_stay_refused_inside_a_sentence(template: str) -> None:
    passed = [
        decoded(text)
        for category, text in CASES["block"]
        if category in ("slur", "sexual", "hate")
        and moderate(template.format(decoded(text))).allowed
    ]
    # Alone it is a slogan; in a German sentence it means well-being.
    assert passed in ([], [codecs.decode("urvy", "rot13")])


def test_word_lists_do_not_shout(repo_root: Path) -> None:
    shouted = re.compile(codecs.decode(r"\o(avttre|shpx|anmv|fjnfgvxn|cbea)\o", "rot13"))
    for folder in ("godseed/mind", "tests/mind"):
        for path in sorted((repo_root / folder).rglob("*")):
            if path.suffix in (".py", ".toml", ".md", ".txt", ".tsv"):
                found = shouted.search(path.read_text(encoding="utf-8").lower())
                assert found is None, path
