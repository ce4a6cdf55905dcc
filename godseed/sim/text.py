"""Lay out text: straight lines, wrapped lines, rings and plaques.

Lengths are in em (one em = the letter size) until a ring or a plaque gives the em a size. Faces,
code points and the texture's orientation: see `glyphs`.

Twin: web/sim/text.js
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from godseed.sim.glyph_pages import Quad
from godseed.sim.glyphs import LETTER, SPACE, SPACES, Face, face
from godseed.sim.line_breaks import balanced, broken, string
from godseed.sim.maths import F64, I64, TAU, round_half_up
from godseed.sim.scripts import paragraph_level
from godseed.sim.shaping import Placed, Shape, shape, width

RING_SEPARATOR = " \u2022 "
RING_SPACING_EM = 0.06
"""Letterspacing of a ring whose repeats fill it exactly."""
RING_LARGEST_SCALE = 1.2
"""A ring's letters grow at most this much to fill the circle; beyond that they are spaced out."""
PLAQUE_SIZES = (0.3, 0.25, 0.21, 0.18, 0.155, 0.13, 0.11, 0.095, 0.08, 0.07)
"""Letter sizes of a plaque, largest first, in heights of its box."""
PLAQUE_LEADING_EM = 1.2
PLAQUE_CLEAR_EM = 0.12
"""Room between the ink of two lines in scripts whose letters are taller."""
BLANKS = "".join(chr(code) for code in sorted(SPACES))
"""Dropped at the ends of a ring's text; listed, as the languages differ on what a blank is."""


@dataclass(frozen=True)
class TextLayout:
    """One line, baseline at y = 0, starting at x = 0. Rows are glyphs with ink, in text order.

    Attributes:
        quads: (n, 4) float64, left, bottom, right, top, em.
        uv: (n, 4) float64, x0, y0, x1, y1 in the glyph's picture, 0..1, y0 at the top.
        page: (n,) int64, 0 for the base atlas, else 1 + the page's number.
        margin: (n,) float64, how far quads reach beyond the ink, em.
        char: (n,) int64, position of the glyph's code point in the NFC text.
        width: advance of the whole line, em, without letterspacing after its last letter.
    """

    quads: F64
    uv: F64
    page: I64
    margin: F64
    char: I64
    width: float


@dataclass(frozen=True)
class RingFit:
    """How often a text goes round a circle so that the repeats close without a seam.

    Attributes:
        repeats: how many times, at least 1.
        spacing_em: letterspacing, em of the scaled letters, never under RING_SPACING_EM.
        em_scale: factor on the wanted letter size, at most RING_LARGEST_SCALE.
    """

    repeats: int
    spacing_em: float
    em_scale: float


@dataclass(frozen=True)
class RingLayout:
    """Glyphs on a circle. Rows are glyphs with ink, in reading order.

    Attributes:
        angle: (n,) float64, of the quad's centre, radians in [0, tau), growing as one reads. For
            letters that face outward, position = radius * (sin angle, 0, cos angle), y up.
        height: (n,) float64, of the quad's centre above the circle, which runs through the middle
            of the capitals; same unit as the radius.
        half_width, half_height: (n,) float64, of the quad, same unit.
        uv, page: as in `TextLayout`.
        char: (n,) int64, position in one repeat (NFC text and separator).
        em: letter size after fitting, same unit as the radius.
        fit: the repeats and spacing used.
    """

    angle: F64
    height: F64
    half_width: F64
    half_height: F64
    uv: F64
    page: I64
    char: I64
    em: float
    fit: RingFit


@dataclass(frozen=True)
class PlaqueLayout:
    """Centred lines in a box whose middle is (0, 0), y up; lengths in the unit of the box.

    Attributes:
        quads: (n, 4) float64, left, bottom, right, top.
        uv, page: as in `TextLayout`.
        char: (n,) int64, count of code points in earlier lines plus the position in its own.
        em: letter size.
        lines: the text of each line.
    """

    quads: F64
    uv: F64
    page: I64
    char: I64
    em: float
    lines: tuple[str, ...]


def layout(
    text: str, face_name: str = "serif", letter_spacing_em: float = 0.0, level: int = -1
) -> TextLayout:
    """Set one line with kerning. Line ends count as spaces; use `wrap` first to break lines.

    Args:
        text: any string; taken in NFC.
        face_name: `serif` or `mono`.
        letter_spacing_em: added after every letter and space but the last.
        level: of the paragraph that the line belongs to, see `paragraph`; -1 takes the line's own.
    Raises:
        ValueError: there is no such face.
    """
    line = shape(text, face_name, letter_spacing_em, level)
    return TextLayout(
        quads=_quads(line.placed),
        uv=_uv(line.placed),
        page=_pages(line.placed),
        margin=np.asarray([p.glyph.margin for p in line.placed], np.float64),
        char=_positions(line.placed),
        width=width(line, 0, len(line.codes)),
    )


def paragraph(text: str) -> int:
    """Level of a paragraph: 1 if it runs from right to left, else 0."""
    return paragraph_level([ord(c) for c in text])


def measure(text: str, face_name: str = "serif", letter_spacing_em: float = 0.0) -> float:
    """Width of one line in em, as `layout` gives it."""
    line = shape(text, face_name, letter_spacing_em)
    return width(line, 0, len(line.codes))


def wrap(
    text: str, face_name: str, max_width_em: float, letter_spacing_em: float = 0.0
) -> tuple[str, ...]:
    """Break text into lines no wider than `max_width_em`.

    Lines break at spaces (which vanish), after hyphens and dashes, at line ends, and between
    letters of scripts without spaces, unless one of them may not end or start a line; a word wider
    than a line is cut between letters, never before a mark. No line is empty; no text, no lines.
    """
    line = shape(text, face_name, letter_spacing_em)
    return tuple(string(line, i, j) for i, j in broken(line, max_width_em)[0])


def fit_ring(text: str, circumference_em: float, face_name: str = "serif") -> RingFit:
    """Choose repeats, letterspacing and letter size so that the text fills a circle evenly.

    The letters take the size that closes the circle with the nearest whole number of repeats.

    Args:
        text: one repeat, without separator.
        circumference_em: length of the circle in em of the wanted letter size.
        face_name: `serif` or `mono`.
    Raises:
        ValueError: the circumference is not positive.
    """
    if not circumference_em > 0.0:
        raise ValueError(
            f"text.fit_ring: {circumference_em!r} em; expected more than 0; give a positive length"
        )
    unit, length = _ring_unit(text, face_name, RING_SPACING_EM)
    ratio = circumference_em / length
    repeats = max(1, int(round_half_up(np.float64(ratio))))
    scale = min(RING_LARGEST_SCALE, ratio / repeats)
    slack = circumference_em / scale / repeats - length
    steps = len([kind for kind in unit.kinds if kind in (SPACE, LETTER)])
    return RingFit(repeats, RING_SPACING_EM + max(0.0, slack) / steps, scale)


def ring(text: str, radius: float, em: float, face_name: str = "serif") -> RingLayout:
    """Set a text round a circle, repeated and spaced by `fit_ring`, RING_SEPARATOR between repeats.

    Args:
        text: any string; spaces at its ends are dropped; an empty one gives no glyphs.
        radius: of the circle, any unit.
        em: wanted letter size, same unit.
        face_name: `serif` or `mono`.
    Raises:
        ValueError: radius or em is not positive.
    """
    if not (radius > 0.0 and em > 0.0):
        raise ValueError(
            f"text.ring: radius {radius!r}, em {em!r}; expected both above 0; give positive sizes"
        )
    fit = fit_ring(text, TAU * radius / em, face_name)
    size = em * fit.em_scale
    unit, length = _ring_unit(text, face_name, fit.spacing_em)
    placed = unit.placed if text.strip(BLANKS) else ()
    start = np.repeat(np.arange(fit.repeats, dtype=np.float64), len(placed)) * length
    tile = np.tile(_quads(placed), (fit.repeats, 1))
    turn = ((tile[:, 0] + tile[:, 2]) * 0.5 + start) / (length * fit.repeats)
    middle = face(face_name).cap_height * 0.5
    return RingLayout(
        angle=(turn - np.floor(turn)) * TAU,
        height=((tile[:, 1] + tile[:, 3]) * 0.5 - middle) * size,
        half_width=(tile[:, 2] - tile[:, 0]) * 0.5 * size,
        half_height=(tile[:, 3] - tile[:, 1]) * 0.5 * size,
        uv=np.tile(_uv(placed), (fit.repeats, 1)),
        page=np.tile(_pages(placed), fit.repeats),
        char=np.tile(_positions(placed), fit.repeats),
        em=size,
        fit=fit,
    )


def plaque(
    text: str,
    box_width: float,
    box_height: float,
    face_name: str = "serif",
    sizes: Sequence[float] = PLAQUE_SIZES,
    letter_spacing_em: float = 0.02,
) -> PlaqueLayout:
    """Set a text in centred, balanced lines, as large as the box allows.

    The largest size that needs no word cut wins; then the largest that fits at all; when even the
    smallest does not fit, lines that find no room are left out and the last one ends in `…`.

    Args:
        text: any string.
        box_width, box_height: of the box that the ink keeps within, any unit.
        face_name: `serif` or `mono`.
        sizes: letter sizes to choose from, descending, in box heights.
        letter_spacing_em: as in `layout`.
    Raises:
        ValueError: the box is not positive or `sizes` is empty.
    """
    if not (box_width > 0.0 and box_height > 0.0 and len(sizes) > 0):
        raise ValueError(
            f"text.plaque: box {box_width!r} x {box_height!r}, {len(sizes)} sizes; expected a box "
            "above 0 and at least one size; correct the arguments"
        )
    font, line = face(face_name), shape(text, face_name, letter_spacing_em)
    reach = _reach(line, font)
    leading = _leading(line, reach)
    inside = [
        _inside(reach, box_width / (size * box_height), 1.0 / size, font, leading) for size in sizes
    ]
    em, limit, room = _chosen(line, [size * box_height for size in sizes], inside)
    rows = [string(line, i, j) for i, j in balanced(line, limit)]
    if len(rows) > room:
        rows[room - 1 :] = [_ended(rows[room - 1], limit, face_name, letter_spacing_em)]
    return _centred(rows, em, font, letter_spacing_em, paragraph(text), leading)


def _quads(placed: Sequence[Placed]) -> F64:
    rows = [_moved(p.glyph.plane, p.x, p.y) for p in placed]
    return np.asarray(rows, np.float64).reshape(-1, 4)


def _moved(plane: Quad | None, x: float, y: float) -> Quad:
    left, bottom, right, top = plane or (0.0, 0.0, 0.0, 0.0)
    return (left + x, bottom + y, right + x, top + y)


def _uv(placed: Sequence[Placed]) -> F64:
    return np.asarray([p.glyph.uv for p in placed], np.float64).reshape(-1, 4)


def _pages(placed: Sequence[Placed]) -> I64:
    return np.asarray([p.glyph.page for p in placed], np.int64)


def _positions(placed: Sequence[Placed]) -> I64:
    return np.asarray([p.position for p in placed], np.int64)


def _ring_unit(text: str, face_name: str, spacing: float) -> tuple[Shape, float]:
    """One repeat with RING_SEPARATOR, and the distance from one repeat to the next, em."""
    unit = text.strip(BLANKS) + RING_SEPARATOR
    one = shape(unit, face_name, spacing)
    more = shape(RING_SEPARATOR + unit[0], face_name, spacing)
    last = len(RING_SEPARATOR)
    return one, one.ends[-1] + (more.starts[last] - more.ends[last - 1])


def _reach(line: Shape, font: Face) -> tuple[float, float, float]:
    """Ink above the baseline (a capital's at least), below it, and beside the advance; em."""
    above, below, side = font.cap_height, 0.0, 0.0
    for p in line.placed:
        left, bottom, right, top = _moved(p.glyph.plane, p.x, p.y)
        above = max(above, top - p.glyph.margin)
        below = max(below, -(bottom + p.glyph.margin))
        end = p.end - line.letter_spacing_em
        side = max(side, p.start - (left + p.glyph.margin), right - p.glyph.margin - end)
    return above, below, side


def _leading(line: Shape, reach: tuple[float, float, float]) -> float:
    """From one baseline to the next, em: more where a page of the atlas has taller letters."""
    if all(p.glyph.page == 0 for p in line.placed):
        return PLAQUE_LEADING_EM
    return max(PLAQUE_LEADING_EM, reach[0] + reach[1] + PLAQUE_CLEAR_EM)


def _inside(
    reach: tuple[float, float, float], across: float, down: float, font: Face, leading: float
) -> tuple[float, int]:
    """Line width and line count that keep ink of such reach within a box; all in em."""
    above, below, side = reach
    spare = down - font.cap_height - 2.0 * max(above - font.cap_height, below)
    room = int(np.floor(spare / leading)) + 1 if spare >= 0.0 else 0
    return across - 2.0 * side, room


def _chosen(
    line: Shape, ems: Sequence[float], inside: Sequence[tuple[float, int]]
) -> tuple[float, float, int]:
    """Largest letter size that cuts no word, else that fits, else the last: em, width, lines."""
    cutting: tuple[float, float, int] | None = None
    for em, (limit, room) in zip(ems, inside, strict=True):
        lines, cuts = broken(line, limit)
        if len(lines) <= room and cuts == 0:
            return em, limit, room
        if len(lines) <= room and cutting is None:
            cutting = (em, limit, room)
    return cutting or (ems[-1], inside[-1][0], max(1, inside[-1][1]))


def _ended(row: str, limit: float, face_name: str, spacing: float) -> str:
    """The row shortened until it and an ellipsis fit."""
    row = row.rstrip(BLANKS)
    while row and measure(row + "\u2026", face_name, spacing) > limit:
        row = row[:-1].rstrip(BLANKS)
    return row + "\u2026"


def _centred(
    rows: Sequence[str], em: float, font: Face, spacing: float, level: int, leading: float
) -> PlaqueLayout:
    """Rows centred on (0, 0) between the top of the first capitals and the last baseline."""
    middle = ((len(rows) - 1) * leading + font.cap_height) * 0.5
    quads, uvs = [np.zeros((0, 4))], [np.zeros((0, 4))]
    pages, chars = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    earlier = 0
    for i, row in enumerate(rows):
        line = shape(row, font.name, spacing, level)
        x = width(line, 0, len(line.codes)) * -0.5
        y = middle - font.cap_height - i * leading
        quads.append((_quads(line.placed) + np.asarray([x, y, x, y])) * em)
        uvs.append(_uv(line.placed))
        pages.append(_pages(line.placed))
        chars.append(_positions(line.placed) + earlier)
        earlier += len(line.codes)
    return PlaqueLayout(
        np.concatenate(quads),
        np.concatenate(uvs),
        np.concatenate(pages),
        np.concatenate(chars),
        em,
        tuple(rows),
    )
