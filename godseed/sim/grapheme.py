"""Text as readers count it: clean a line, split it into grapheme clusters, cut it between them.

A practical subset of the extended grapheme clusters of Unicode Standard Annex 29: combining and
spacing marks, variation selectors, emoji modifiers and joined emoji, flags, Hangul syllables. The
property tables are those of Python's `unicodedata`, so a script that a later Unicode adds may be
counted differently; what is once stored is never cut again. The JavaScript twin draws stored text
and has no need of this file.

Source: https://www.unicode.org/reports/tr29/
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

ZWNJ, ZWJ = "\u200c", "\u200d"
JOINERS = frozenset((ZWNJ, ZWJ))
LINE_BREAKS = frozenset("\t\n\v\f\r\x85\u2028\u2029")
HANGUL_JOINS = {
    "L": ("L", "V", "LV", "LVT"),
    "V": ("V", "T"),
    "LV": ("V", "T"),
    "T": ("T",),
    "LVT": ("T",),
}
"""Kind of Hangul letter -> kinds that join it from behind."""


def clean_line(text: str) -> str:
    """Make one printable line of a text.

    Line breaks, tabs and spaces become single spaces; control, format (bidirectional overrides,
    say), surrogate, private-use and unassigned characters go, except the joiners that scripts and
    emoji need; what is left is NFC without surrounding spaces or joiners that join nothing.
    """
    if text.isascii() and text.isprintable():
        return _single_spaced(text)
    kept = [" " if _is_space(c) else c for c in text if _is_space(c) or _is_kept(c)]
    line = unicodedata.normalize("NFC", _single_spaced("".join(kept)))
    return line.strip(" " + ZWNJ + ZWJ)


def clusters(text: str) -> Iterator[str]:
    """Split a text into grapheme clusters, in order; joined together they are the text."""
    start = 0
    for i in range(1, len(text)):
        if _breaks(text, i):
            yield text[start:i]
            start = i
    if text:
        yield text[start:]


def cut(text: str, max_graphemes: int, max_code_points: int | None = None) -> str:
    """Keep the longest run of whole leading clusters that fits both limits.

    Args:
        text: any text.
        max_graphemes: most clusters kept.
        max_code_points: most code points kept; a single cluster can hold hundreds of marks.
    """
    limit = len(text) if max_code_points is None else max_code_points
    if len(text) <= min(max_graphemes, limit):
        return text
    end = 0
    for count, cluster in enumerate(clusters(text)):
        if count == max_graphemes or end + len(cluster) > limit:
            break
        end += len(cluster)
    return text[:end].rstrip(" " + ZWNJ + ZWJ)


def _single_spaced(text: str) -> str:
    return " ".join(word for word in text.split(" ") if word)


def _is_space(char: str) -> bool:
    return char in LINE_BREAKS or (char != "\u00a0" and unicodedata.category(char) == "Zs")


def _is_kept(char: str) -> bool:
    return char in JOINERS or unicodedata.category(char)[0] != "C"


def _breaks(text: str, i: int) -> bool:
    """Whether a cluster ends between text[i - 1] and text[i]; 0 < i < len(text)."""
    before, after = text[i - 1], text[i]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if _extends(after):
        return before in LINE_BREAKS
    if before == ZWJ:
        return not (_is_pictograph(after) and _ends_pictograph(text, i - 1))
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, i) % 2 == 0
    return not _joins_hangul(before, after)


def _extends(char: str) -> bool:
    code = ord(char)
    return (
        char in JOINERS
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
        or 0x1F3FB <= code <= 0x1F3FF  # emoji skin tones
        or 0xE0020 <= code <= 0xE007F  # emoji tags
        or code in (0x0E33, 0x0EB3, 0xFF9E, 0xFF9F)  # Thai and Lao AM, halfwidth voicing marks
    )


def _is_pictograph(char: str) -> bool:
    return unicodedata.category(char) == "So" or char in "\u203c\u2049\u2194\u2195\u25b6\u25c0"


def _ends_pictograph(text: str, end: int) -> bool:
    """Whether text[:end] ends in a pictograph and marks that extend it."""
    i = end - 1
    while i >= 0 and _extends(text[i]):
        i -= 1
    return i >= 0 and _is_pictograph(text[i])


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_letters_before(text: str, end: int) -> int:
    count = 0
    while count < end and _is_flag_letter(text[end - 1 - count]):
        count += 1
    return count


def _joins_hangul(before: str, after: str) -> bool:
    return _hangul(after) in HANGUL_JOINS.get(_hangul(before), ())


def _hangul(char: str) -> str:
    """Kind of Hangul letter or syllable, or an empty text for anything else."""
    code = ord(char)
    if 0x1100 <= code <= 0x115F or 0xA960 <= code <= 0xA97C:
        return "L"
    if 0x1160 <= code <= 0x11A7 or 0xD7B0 <= code <= 0xD7C6:
        return "V"
    if 0x11A8 <= code <= 0x11FF or 0xD7CB <= code <= 0xD7FB:
        return "T"
    if 0xAC00 <= code <= 0xD7A3:
        return "LV" if (code - 0xAC00) % 28 == 0 else "LVT"
    return ""
