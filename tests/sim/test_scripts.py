"""Joined letters, forms, and lines that run from right to left."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.scripts import (
    HALF,
    LEFT,
    OVER_NEXT,
    REPLACEMENT,
    UNDER,
    levels,
    mirrored,
    paragraph_level,
    units,
    visual_order,
)


def codes(text: str) -> list[int]:
    return [ord(c) for c in unicodedata.normalize("NFC", text)]


def drawn(text: str) -> str:
    return "".join(chr(unit.code) for unit in units(codes(text)))


def seen(text: str, level: int = -1) -> str:
    """Characters from left to right."""
    found = levels(codes(text), level)
    return "".join(text[i] for i in visual_order(found))


def test_arabic_letters_take_the_form_of_their_place() -> None:
    assert drawn("بيت") == "\ufe91\ufef4\ufe96"
    assert drawn("ب") == "\ufe8f"
    assert drawn("دار") == "\ufea9\ufe8d\ufead"


def test_marks_between_arabic_letters_do_not_part_them() -> None:
    assert drawn("بَيت") == "\ufe91َ\ufef4\ufe96"


def test_lam_and_alef_are_one_letter() -> None:
    assert drawn("لا") == "\ufefb"
    assert drawn("بلا") == "\ufe91\ufefc"
    assert [unit.count for unit in units(codes("سلام"))] == [1, 2, 1]


def test_a_zero_width_joiner_reaches_out() -> None:
    assert drawn("ه\u200d")[0] == "\ufeeb"


def test_devanagari_letters_lean_and_join() -> None:
    assert [unit.role for unit in units(codes("स्थ"))] == [HALF, 0]
    assert [unit.count for unit in units(codes("क्ष"))] == [3]
    assert units(codes("र्म"))[0].role == OVER_NEXT
    assert units(codes("कि"))[1].role == LEFT


def test_khmer_letters_go_under() -> None:
    assert units(codes("ខ្មែ"))[1].role == UNDER


def test_two_part_vowels_stand_on_both_sides() -> None:
    left = units(codes("கொ"))[1]
    assert (left.role, chr(left.code), chr(left.after)) == (LEFT, "ெ", "ா")


def test_private_use_in_a_text_never_shows_a_form() -> None:
    assert [unit.code for unit in units([0xE000, 0xF8FF])] == [REPLACEMENT, REPLACEMENT]


def test_plain_text_is_its_own_units() -> None:
    found = units(codes("let there be a harbour"))
    assert [unit.code for unit in found] == codes("let there be a harbour")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc אבג def", "abc גבא def"),
        ("אבג abc דהו", "והד abc גבא"),
        ("אבג 123 דהו", "והד 123 גבא"),
        ("a 12 אב 34", "a 12 34 בא"),
        ("منارة 12.5", "12.5 ةرانم"),
        ("אב 10%", "10% בא"),
        ("(אב)", ")בא("),
        ("אב!", "!בא"),
        ("car (אב) x", "car (בא) x"),
    ],
)
def test_lines_are_seen_in_the_order_of_uax_9(text: str, expected: str) -> None:
    assert seen(text) == expected


def test_a_line_may_take_the_direction_of_its_paragraph() -> None:
    assert paragraph_level(codes("… אב")) == 1
    assert seen("abc 12!", 1) == "!abc 12"
    assert seen("abc 12!", 0) == "abc 12!"


def test_brackets_turn_with_the_line() -> None:
    assert chr(mirrored(ord("("))) == ")"
    assert chr(mirrored(ord("「"))) == "」"
    assert mirrored(ord("a")) == ord("a")


@given(st.text("abאבגبيت12.,( )-\u05b8\u064e漢🌱", max_size=30), st.sampled_from([-1, 0, 1]))
def test_every_line_is_ordered_completely(text: str, level: int) -> None:
    found = levels(codes(text), level)
    assert sorted(visual_order(found)) == list(range(len(codes(text))))
    assert all(0 <= one <= 2 for one in found)


@given(st.text(max_size=40))
def test_units_cover_every_code_point_once(text: str) -> None:
    line = codes(text)
    covered = [p for unit in units(line) for p in range(unit.position, unit.position + unit.count)]
    assert covered == list(range(len(line)))
