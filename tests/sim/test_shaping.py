"""Lines of any script: glyphs, marks, order, lines that break without spaces."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim import text
from godseed.sim.glyph_pages import page_glyph, tables
from godseed.sim.glyphs import IGNORED, JOINED, MARK, SPACES, face
from godseed.sim.scripts import REPLACEMENT, within
from godseed.sim.shaping import Shape, pages_of, shape

WISHES = {
    "Japanese": "静かな海に灯台を、夜ごと。",
    "Chinese": "给晚归的人一盏灯",
    "Korean": "늦게 돌아오는 이를 위한 등대",
    "Arabic": "منارة لمن يعود متأخرًا",
    "Hebrew": "מִגְדַּלּוֹר לַשָּׁבִים הַבַּיְתָה",
    "Hindi": "देर से लौटने वालों के लिए एक दीपस्तंभ",
    "Bengali": "দেরিতে ফেরা মানুষের জন্য বাতিঘর",
    "Tamil": "தாமதமாக வருபவர்களுக்கு ஒரு கலங்கரை விளக்கம்",
    "Telugu": "ఆలస్యంగా వచ్చేవారికి ఒక దీపస్తంభం",
    "Thai": "ประภาคารสำหรับผู้ที่กลับบ้านดึก",
    "Khmer": "បង្គោលភ្លើងហ្វារ",
    "Burmese": "နောက်ကျပြန်လာသူများအတွက် မီးပြတိုက်",
    "Georgian": "შუქურა მათთვის ვინც გვიან ბრუნდება",
    "Armenian": "փարոս ուշ տուն եկողների համար",
    "Amharic": "ዘግይተው ለሚመለሱ መብራት",
    "Greek": "ένας φάρος για όσους γυρίζουν αργά",
    "Russian": "маяк для тех, кто возвращается поздно",
    "mixed": "灯台 (phare) למאחרים 12, 등대 ☼",
}


def lozenge(line: Shape) -> bool:
    return any(p.glyph == face("serif").glyphs[REPLACEMENT] for p in line.placed)


@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)
@pytest.mark.parametrize("name", ["serif", "mono"])
def test_a_wish_in_any_script_has_all_its_letters(wish: str, name: str) -> None:
    line = shape(wish, name)
    assert not any(p.glyph == face(name).glyphs[REPLACEMENT] for p in line.placed)
    assert len(line.placed) >= len(wish.replace(" ", "")) // 2


@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)
def test_pages_of_a_wish_are_all_that_its_layouts_use(wish: str) -> None:
    used = set(text.plaque(wish, 3.0, 1.0).page) | set(text.ring(wish, 3.0, 0.1).page)
    assert {page - 1 for page in used if page} <= set(pages_of(wish))


def test_texts_of_the_base_atlas_need_no_page() -> None:
    assert pages_of("né à l’aube — №7, тихий свет, λάμψη") == []


def test_every_assigned_character_of_the_bmp_has_a_glyph() -> None:
    unseen = ("Cc", "Cf", "Cn", "Co", "Cs", "Zs", "Zl", "Zp")
    # Too wide for a page, or newer than the fonts.
    missing = [
        code
        for code in range(0x10000)
        if unicodedata.unidata_version
        and unicodedata.category(chr(code)) not in unseen
        and code not in face("serif").glyphs
        and page_glyph(code) is None
    ]
    assert len(missing) < 40, [hex(code) for code in missing]


@pytest.mark.parametrize("code", [0xE000, 0xD800, 0xDFFF, 0x1F331, 0x0378, 0xFFFF])
def test_what_no_page_has_is_a_lozenge(code: int) -> None:
    assert lozenge(shape(f"a{chr(code)}b"))


def test_right_to_left_letters_stand_from_right_to_left() -> None:
    xs = [p.x for p in shape("אבגד").placed]
    assert xs == sorted(xs, reverse=True)
    mixed = shape("ab אב cd")
    assert mixed.placed[2].x > mixed.placed[3].x > mixed.placed[1].x


def test_a_bracket_around_hebrew_turns() -> None:
    first = shape("(אב)").placed[0].glyph
    assert first == face("serif").glyphs[ord(")")]


@given(st.text("abאבגبيتكिक्ร้านข漢字, ", max_size=40), st.sampled_from([0.0, 0.1]))
def test_width_does_not_depend_on_the_order_in_which_it_is_seen(words: str, spacing: float) -> None:
    for level in (0, 1):
        line = shape(words, "serif", spacing, level)
        widths = np.subtract(line.ends, line.starts)
        assert np.all(widths >= 0.0)
        for p in line.placed:
            assert -0.5 <= p.start <= line.ends[-1] + 1e-9


def test_a_vowel_sign_goes_before_its_syllable() -> None:
    line = shape("कि")
    sign = next(p for p in line.placed if p.position == 1)
    letter = next(p for p in line.placed if p.position == 0)
    assert sign.x == 0.0
    assert letter.x == pytest.approx(sign.glyph.advance)


def test_a_tone_stands_above_the_vowel_under_it() -> None:
    alone, over = shape("ก่").placed[-1], shape("กิ่").placed[-1]
    assert alone.y == 0.0
    assert over.y > 0.1


def test_arabic_letters_touch_even_where_text_is_letterspaced() -> None:
    tight, loose = shape("بيت"), shape("بيت", "serif", 0.5)
    assert loose.ends[-1] == pytest.approx(tight.ends[-1] + 0.5)


def test_marks_take_no_room() -> None:
    assert shape("שָׁלוֹם").ends[-1] == pytest.approx(shape("שלום").ends[-1])
    assert MARK in shape("שָׁלוֹם").kinds
    assert JOINED in shape("का").kinds


def test_lines_break_between_ideographs_but_not_before_a_full_stop() -> None:
    assert text.wrap("静かな海。", "serif", 2.0) == ("静か", "な", "海。")
    lines = text.wrap("夜の海に、灯台をひとつ置いてください。「遠い光」", "serif", 5.0)
    forbidden = set(tables()["no_start"])
    assert not any(ord(line[0]) in forbidden for line in lines)
    assert not any(ord(line[-1]) in set(tables()["no_end"]) for line in lines)


def test_lines_break_between_thai_syllables_without_spaces() -> None:
    lines = text.wrap(WISHES["Thai"], "serif", 6.0)
    assert len(lines) > 2
    assert "".join(lines) == unicodedata.normalize("NFC", WISHES["Thai"])
    for line in lines:
        assert not within(ord(line[0]), tables()["marks"])


def test_ignored_characters_and_spaces_need_no_glyph() -> None:
    for code in (*SPACES, *(first for first, _ in IGNORED)):
        assert shape(chr(code)).placed == ()
