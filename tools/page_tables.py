"""Tables for setting text: directions, mirrors, marks, joining, breaking; from Python's own
Unicode data.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

BMP = range(0x10000)
DIRECTIONS = ("R", "AL", "AN", "EN", "ES", "ET", "CS", "NSM", "BN", "B", "S", "WS", "ON")
"""Bidirectional classes that are listed; whatever is in none of them is L."""
BREAKING = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF),
    (0x2E80, 0x2FDF), (0x3003, 0x4DBF), (0x4E00, 0xA4CF), (0xA9E0, 0xA9FF), (0xAA60, 0xAADF),
    (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFF00, 0xFF60),
)  # fmt: skip
"""Scripts without spaces between words: a line may end before or after their characters."""
NO_START = (
    "、。，．・：；？！‐–—…‥゛゜ヽヾゝゞ々〻ー’”）〕］｝〉》」』】〙〗〟»°%％‰℃!?.,:;)]}"
    "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ｡｣､ๆฯะาำๅຯະາໆ។៕៖ៗ၊။〜～"
)
"""Never the first of a line."""
NO_END = "‘“（〔［｛〈《「『【〘〖〝«£$([{｢＄￥￡เแโใไເແໂໃໄ"
"""Never the last of a line."""
PAIRS = ("()", "<>", "[]", "{}", "«»", "‹›", "≤≥", "≪≫", "⟨⟩", "〈〉", "《》", "「」", "『』",
         "【】", "〔〕", "〖〗", "〘〙", "〚〛", "（）", "＜＞", "［］", "｛｝", "⁅⁆", "⁽⁾", "₍₎",
         "༺༻", "༼༽", "᚛᚜", "∈∋", "⌈⌉", "⌊⌋", "❨❩", "❪❫", "❬❭", "❮❯", "❰❱", "❲❳", "❴❵", "⟦⟧", "⟪⟫",
         "⦃⦄", "⦅⦆")  # fmt: skip
"""Characters that are drawn as each other where text runs from right to left."""


def text_tables() -> dict[str, Any]:
    """The tables of glyph_pages.json that no font decides."""
    return {
        "bidi": {
            name: ranges(lambda c, name=name: unicodedata.bidirectional(chr(c)) == name)
            for name in DIRECTIONS
        },
        "mirror": {str(ord(a)): ord(b) for pair in PAIRS for a, b in (pair, pair[::-1])},
        "marks": ranges(is_mark),
        "joined": ranges(lambda c: unicodedata.category(chr(c)) == "Mc"),
        "breaking": [list(pair) for pair in BREAKING],
        "no_start": sorted(map(ord, NO_START)),
        "no_end": sorted(map(ord, NO_END)),
        "joining": joining(),
    }


def is_mark(code: int) -> bool:
    """Whether a character is drawn over, under or in another one."""
    return unicodedata.category(chr(code)) in ("Mn", "Me")


def ranges(holds: Callable[[int], bool]) -> list[list[int]]:
    """The characters of the BMP for which something holds, as [first, last] pairs."""
    found: list[list[int]] = []
    for code in BMP:
        if not holds(code):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def joining() -> dict[str, list[int]]:
    """Arabic letters -> [alone, final, initial, medial] forms, 0 where there is none; a pair of
    letters "1604 1575" -> [alone, final] of their ligature."""
    places = {"<isolated>": 0, "<final>": 1, "<initial>": 2, "<medial>": 3}
    table: dict[str, list[int]] = {}
    for code in (*range(0xFB50, 0xFDF0), *range(0xFE80, 0xFEFD)):
        kind, *parts = unicodedata.decomposition(chr(code)).split() or [""]
        letters = [int(part, 16) for part in parts]
        lam_alef = len(letters) == 2 and letters[0] == 0x644 and code >= 0xFEF5
        if kind not in places or (len(letters) > 1 and not lam_alef) or 0x20 in letters:
            continue
        row = table.setdefault(" ".join(map(str, letters)), [0, 0] if lam_alef else [0, 0, 0, 0])
        row[places[kind]] = row[places[kind]] or code
    return table
