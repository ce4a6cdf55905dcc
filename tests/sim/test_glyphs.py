"""Faces of the atlas and single lines: kerning, marks, characters without a glyph."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.glyphs import LETTER, MARK, NOTHING, SPACE, face
from godseed.sim.shaping import shape, width

FACES = ("serif", "mono")


@pytest.mark.parametrize("name", FACES)
def test_face_has_glyphs_for_the_scripts_of_the_base_atlas(name: str) -> None:
    alphabets = (
        "".join(map(chr, range(0x21, 0x7F))) + "ÀÉÎÕÜßæøþÿŁłŐőŒœŠšŽžİıŞşĞğȘșȚțẞ"
        "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ"
        "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюяЁёЄєІіЇїҐґЎў"
        "„“”‘’–—…·•×°←↑→↓↔↕№€£¥₽«»‹›†§¶©®™±÷"
    )
    missing = [c for c in alphabets if ord(c) not in face(name).glyphs]
    assert not missing


def test_serif_has_polytonic_greek() -> None:
    assert all(ord(c) in face("serif").glyphs for c in "ἐν ἀρχῇ ἦν ὁ λόγος".replace(" ", ""))


def test_unknown_face_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'gothic'; expected one of serif, mono"):
        face("gothic")


def test_mono_letters_have_one_advance_and_no_kerning() -> None:
    advances = {g.advance for c, g in face("mono").glyphs.items() if 0x21 <= c < 0x7F}
    assert len(advances) == 1
    assert not face("mono").kerning


def test_kerning_pulls_a_and_v_together() -> None:
    font = face("serif")
    loose = font.glyphs[ord("A")].advance + font.glyphs[ord("V")].advance
    assert shape("AV").ends[-1] < loose - 0.1


def test_accented_pairs_kern_like_their_plain_letters() -> None:
    assert shape("Tē").starts[1] == shape("Te").starts[1]


def test_a_composed_and_a_decomposed_letter_are_the_same_line() -> None:
    assert shape("caf\u00e9") == shape("cafe\u0301")


def test_a_mark_moves_no_pen_and_sits_over_its_letter() -> None:
    plain, marked = shape("x"), shape("x\u0301")
    assert marked.ends[-1] == plain.ends[-1]
    letter, mark = marked.placed
    assert letter.glyph.plane is not None
    assert mark.glyph.plane is not None
    centre = (letter.glyph.plane[0] + letter.glyph.plane[2]) * 0.5 + letter.x
    assert (mark.glyph.plane[0] + mark.glyph.plane[2]) * 0.5 + mark.x == pytest.approx(centre)


def test_marks_stack_clear_of_capitals_and_of_each_other() -> None:
    margin = face("serif").margin_em
    tops = []
    for placed in shape("X\u0301\u0302").placed:
        assert placed.glyph.plane is not None
        bottom, top = (placed.glyph.plane[i] + placed.y for i in (1, 3))
        if tops:
            assert bottom + margin > tops[-1] - 1e-9
        tops.append(top - margin)


def test_a_letter_outside_the_atlas_is_drawn_from_its_parts() -> None:
    assert ord("ẋ") not in face("serif").glyphs
    assert [p.glyph for p in shape("ẋ").placed] == [
        face("serif").glyphs[ord("x")],
        face("serif").glyphs[0x307],
    ]


@pytest.mark.parametrize("character", ["🌋", "\U0001f3f0", "\ud800", "\ue123", "\u0378"])
def test_a_character_outside_the_atlas_is_one_lozenge(character: str) -> None:
    line = shape(character)
    assert [p.glyph for p in line.placed] == [face("serif").glyphs[0xFFFD]]
    assert line.kinds == (LETTER,)


@pytest.mark.parametrize("code", [0x0, 0x1B, 0x7F, 0xAD, 0x200B, 0x200D, 0x202E, 0x2066, 0xFE0F])
def test_characters_without_a_look_draw_nothing_and_take_no_room(code: int) -> None:
    line = shape(f"a{chr(code)}b")
    assert line.kinds[1] == NOTHING
    assert line.ends[-1] == shape("ab").ends[-1]


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\u00a0", "\u2003", "\u3000"])
def test_every_space_is_as_wide_as_the_face_s_space(space: str) -> None:
    line = shape(f"a{space}b", "mono")
    assert line.kinds[1] == SPACE
    assert line.ends == shape("a b", "mono").ends


@given(st.text(max_size=40), st.sampled_from(FACES), st.sampled_from([0.0, 0.06]))
def test_any_text_gives_pens_that_match_its_code_points(
    text: str, name: str, spacing: float
) -> None:
    line = shape(text, name, spacing)
    count = len(unicodedata.normalize("NFC", text))
    assert len(line.codes) == len(line.kinds) == len(line.starts) == len(line.ends) == count
    for kind, start, end in zip(line.kinds, line.starts, line.ends, strict=True):
        assert (end > start) if kind in (SPACE, LETTER) else (end == start)
    assert all(0 <= p.position < count for p in line.placed)
    assert all(p.glyph.plane is not None and p.glyph.uv is not None for p in line.placed)
    assert all(line.kinds[p.position] in (LETTER, MARK) for p in line.placed)


@given(st.text("AVTo fé.—", min_size=1, max_size=20))
def test_letterspacing_adds_between_letters_and_not_after_the_last(text: str) -> None:
    tight, loose = shape(text), shape(text, "serif", 0.125)
    count = len(tight.codes)
    extra = width(loose, 0, count) - width(tight, 0, count)
    assert extra == pytest.approx(0.125 * (count - 1))
