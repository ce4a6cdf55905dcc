"""Faces of the glyph atlas, and one line of text as glyphs with pens.

Lengths are in em (one em = the letter size). Text is taken in Unicode NFC and read code point by
code point. A character that the atlas lacks is drawn as its base letter with marks when it
decomposes to those, else as U+FFFD, a hollow lozenge.

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
from functools import cache, lru_cache

from godseed import spec

NOTHING, SPACE, MARK, LETTER = 0, 1, 2, 3
"""Kinds of code point in `Shape.kinds`. Spaces and letters move the pen, the others do not."""

MARK_GAP_EM = 0.05
"""Clearance between a letter and the mark put above it."""

REPLACEMENT = 0xFFFD
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

Quad = tuple[float, float, float, float]


@dataclass(frozen=True)
class Glyph:
    """One drawing of the atlas.

    Attributes:
        advance: pen movement, em.
        plane: left, bottom, right, top of the quad from the pen, em; None for a space.
        uv: x0, y0, x1, y1 of the quad in the atlas, 0..1, y0 at the glyph's top; None for a space.
    """

    advance: float
    plane: Quad | None
    uv: Quad | None


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


@dataclass(frozen=True)
class Placed:
    """A glyph with its pen: add (x, y) to the glyph's plane. `position` is its code point's."""

    glyph: Glyph
    x: float
    y: float
    position: int


@dataclass(frozen=True)
class Shape:
    """One line of n code points, baseline at y = 0, in em.

    Attributes:
        codes: n code points, NFC.
        kinds: n kinds, such as LETTER.
        starts: n pens before each code point, after the kerning with what precedes it.
        ends: n pens after each code point and its letterspacing, before the next kerning.
        placed: glyphs with ink, in text order.
        letter_spacing_em: what was added after each letter and space.
    """

    codes: tuple[int, ...]
    kinds: tuple[int, ...]
    starts: tuple[float, ...]
    ends: tuple[float, ...]
    placed: tuple[Placed, ...]
    letter_spacing_em: float


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
    glyphs = {
        int(code): Glyph(
            float(g["advance"]),
            _quad(g["plane"], 1.0, 1.0) if "plane" in g else None,
            _quad(g["uv"], width, height) if "uv" in g else None,
        )
        for code, g in row["glyphs"].items()
    }
    kerning = {_pair(pair): float(value) for pair, value in row["kerning"].items()}
    return Face(
        name=name,
        em_px=int(row["em_px"]),
        margin_em=float(atlas["spread_px"]) / float(row["em_px"]),
        ascent=float(row["ascent"]),
        descent=float(row["descent"]),
        line_gap=float(row["line_gap"]),
        cap_height=float(row["cap_height"]),
        x_height=float(row["x_height"]),
        glyphs=glyphs,
        kerning=kerning,
    )


@lru_cache(maxsize=1024)
def shape(text: str, face_name: str = "serif", letter_spacing_em: float = 0.0) -> Shape:
    """Place every glyph of one line, with kerning; marks are stacked above their letter.

    Raises:
        ValueError: there is no such face.
    """
    font = face(face_name)
    codes = tuple(ord(c) for c in unicodedata.normalize("NFC", text))
    kinds: list[int] = []
    starts: list[float] = []
    ends: list[float] = []
    placed: list[Placed] = []
    pen, previous = 0.0, -1
    middle, top = 0.0, font.x_height
    for position, code in enumerate(codes):
        kind, parts = _parts(code, face_name)
        kinds.append(kind)
        if kind in (SPACE, LETTER):
            glyph = font.glyphs[parts[0]]
            pen = pen + _kern(previous, parts[0], font)
            starts.append(pen)
            middle, top = pen + glyph.advance * 0.5, font.x_height
            if glyph.plane is not None:
                placed.append(Placed(glyph, pen, 0.0, position))
                middle = pen + (glyph.plane[0] + glyph.plane[2]) * 0.5
                top = glyph.plane[3] - font.margin_em
            pen = pen + glyph.advance + letter_spacing_em
            previous = parts[0]
        else:
            starts.append(pen)
        ends.append(pen)
        for mark in parts if kind == MARK else parts[1:]:
            glyph = font.glyphs[mark]
            left, bottom, right, high = glyph.plane or (0.0, 0.0, 0.0, 0.0)
            lift = 0.0
            if bottom + font.margin_em > font.x_height * 0.5:
                lift = max(0.0, top + MARK_GAP_EM - (bottom + font.margin_em))
                top = high - font.margin_em + lift
            placed.append(Placed(glyph, middle - (left + right) * 0.5, lift, position))
    return Shape(codes, tuple(kinds), tuple(starts), tuple(ends), tuple(placed), letter_spacing_em)


def width(line: Shape, first: int, end: int) -> float:
    """Advance of the code points first..end-1, em, without the spacing after the last one."""
    while end > first and line.kinds[end - 1] in (NOTHING, MARK):
        end -= 1
    if end == first:
        return 0.0
    return line.ends[end - 1] - line.letter_spacing_em - line.starts[first]


def _quad(row: Sequence[float], across: float, down: float) -> Quad:
    return (row[0] / across, row[1] / down, row[2] / across, row[3] / down)


def _pair(key: str) -> tuple[int, int]:
    left, right = key.split(",")
    return int(left), int(right)


@cache
def _parts(code: int, face_name: str) -> tuple[int, tuple[int, ...]]:
    """Kind of a code point, and the code points of the glyphs that draw it: a base, then marks."""
    font = face(face_name)
    if code in SPACES:
        return SPACE, (0x20,)
    if _within(code, IGNORED):
        return NOTHING, ()
    if _within(code, MARKS):
        return MARK, ((code,) if code in font.glyphs else ())
    if code in font.glyphs:
        return LETTER, (code,)
    base, *marks = (ord(c) for c in unicodedata.normalize("NFD", chr(code)))
    if base not in font.glyphs:
        return LETTER, (REPLACEMENT,)
    return LETTER, (base, *(m for m in marks if m in font.glyphs))


def _within(code: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _kern(left: int, right: int, font: Face) -> float:
    """Kerning of a pair, else of its letters without accents, else 0."""
    if left < 0 or not font.kerning:
        return 0.0
    found = font.kerning.get((left, right))
    if found is None:
        found = font.kerning.get((_plain(left), _plain(right)), 0.0)
    return found


@cache
def _plain(code: int) -> int:
    return ord(unicodedata.normalize("NFD", chr(code))[0])
