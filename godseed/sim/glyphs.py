"""Faces of the glyph atlas, and one line of text as glyphs with pens.

Lengths are in em (one em = the letter size). Text is taken in Unicode NFC. A character that the
base atlas lacks is drawn as its base letter with marks when it decomposes to those, else from a
page of the atlas (`glyph_pages`), joined to its neighbours and ordered by `scripts`; what no page
has is drawn as U+FFFD, a hollow lozenge.

The atlas is a signed distance field: texel value 127.5 lies on the outline, one texel is
1 / `em_px` em, and each quad reaches `margin_em` beyond the ink so that glow and smoothing have
room. `uv` counts from the first row of the picture down, (0, 0) top left; upload the rows as they
are in the file and v needs no flip.

Twin: web/sim/glyphs.js
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from godseed import spec
from godseed.sim.glyph_pages import Glyph, Quad, page_glyph, tables
from godseed.sim.scripts import (
    REPLACEMENT,
    within,
)

NOTHING, SPACE, MARK, LETTER, JOINED = 0, 1, 2, 3, 4
"""Kinds of code point in `Shape.kinds`. Spaces, letters and what is joined to the letter before
move the pen, the others do not."""

SPACES = frozenset((0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029)) | {
    *range(0x2000, 0x200B),
    0x202F,
    0x205F,
    0x3000,
}
"""Drawn as the face's space."""
MARKS = ((0x300, 0x36F), (0x483, 0x489), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF))
"""Combining marks: no advance; one that the atlas lacks is not drawn."""
IGNORED = (
    (0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F),
    (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Controls and other characters without a look of their own: nothing drawn, no advance."""


@dataclass(frozen=True)
class Face:
    """One face of the atlas; lengths in em.

    Attributes:
        em_px: atlas texels per em.
        margin_em: how far a quad reaches beyond the ink.
        ascent, descent, line_gap: line metrics, descent negative.
        cap_height, x_height: heights of `H` and `x`.
        glyphs: by code point.
        kerning: (left, right) code points -> extra advance.
    """

    name: str
    em_px: int
    margin_em: float
    ascent: float
    descent: float
    line_gap: float
    cap_height: float
    x_height: float
    glyphs: Mapping[int, Glyph]
    kerning: Mapping[tuple[int, int], float]


@cache
def face(name: str = "serif") -> Face:
    """The face `serif` or `mono` of the atlas.

    Raises:
        ValueError: there is no such face.
    """
    table = spec.load("glyphs.json")
    if name not in table["faces"]:
        known = ", ".join(table["faces"])
        raise ValueError(f"glyphs.face: {name!r}; expected one of {known}; use one of these")
    row, atlas = table["faces"][name], table["atlas"]
    width, height = float(atlas["width"]), float(atlas["height"])
    margin = float(atlas["spread_px"]) / float(row["em_px"])
    glyphs = {
        int(code): Glyph(
            float(g["advance"]),
            _quad(g["plane"], 1.0, 1.0) if "plane" in g else None,
            _quad(g["uv"], width, height) if "uv" in g else None,
            0,
            margin,
        )
        for code, g in row["glyphs"].items()
    }
    kerning = {_pair(pair): float(value) for pair, value in row["kerning"].items()}
    return Face(
        name=name,
        em_px=int(row["em_px"]),
        margin_em=margin,
        ascent=float(row["ascent"]),
        descent=float(row["descent"]),
        line_gap=float(row["line_gap"]),
        cap_height=float(row["cap_height"]),
        x_height=float(row["x_height"]),
        glyphs=glyphs,
        kerning=kerning,
    )


@cache
def parts_of(code: int, face_name: str) -> tuple[int, tuple[tuple[int, Glyph], ...]]:
    """Kind of a code point, and what draws it, with the glyphs' code points: a base, then marks."""
    font = face(face_name)
    if code in SPACES:
        return SPACE, ((0x20, font.glyphs[0x20]),)
    if within(code, IGNORED):
        return NOTHING, ()
    own = _drawing(code, font)
    if within(code, MARKS) or within(code, tables()["marks"]):
        return MARK, (() if own is None else ((code, own),))
    kind = JOINED if within(code, tables()["joined"]) else LETTER
    if code in font.glyphs:
        return kind, ((code, font.glyphs[code]),)
    base, *marks = decomposed(code)
    known = tuple((m, font.glyphs[m]) for m in marks if m in font.glyphs)
    if base in font.glyphs and (len(known) == len(marks) or own is None):
        return kind, ((base, font.glyphs[base]), *known)
    if own is None:
        return LETTER, ((REPLACEMENT, font.glyphs[REPLACEMENT]),)
    return kind, ((code, own),)


@cache
def decomposed(code: int) -> tuple[int, ...]:
    """A code point's canonical parts."""
    return tuple(ord(c) for c in unicodedata.normalize("NFD", chr(code)))


def kern(left: int, right: int, font: Face) -> float:
    """Kerning of a pair, else of its letters without accents, else 0."""
    if left < 0 or not font.kerning:
        return 0.0
    found = font.kerning.get((left, right))
    if found is None:
        found = font.kerning.get((_plain(left), _plain(right)), 0.0)
    return found


def _quad(row: Sequence[float], across: float, down: float) -> Quad:
    return (row[0] / across, row[1] / down, row[2] / across, row[3] / down)


def _pair(key: str) -> tuple[int, int]:
    left, right = key.split(",")
    return int(left), int(right)


def _drawing(code: int, font: Face) -> Glyph | None:
    """The glyph of a code point in the base atlas, else on its page."""
    return font.glyphs.get(code) or page_glyph(code)


@cache
def _plain(code: int) -> int:
    return ord(unicodedata.normalize("NFD", chr(code))[0])
