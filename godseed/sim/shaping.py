"""One line of text as glyphs with pens: kerning, marks, joined letters, direction.

Lengths are in em. Text is taken in Unicode NFC; see `glyphs` for what a character is drawn as.

Twin: web/sim/shaping.js
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from godseed.sim.glyph_pages import Glyph, page_of
from godseed.sim.glyphs import (
    JOINED,
    LETTER,
    MARK,
    NOTHING,
    SPACE,
    Face,
    decomposed,
    face,
    kern,
    parts_of,
)
from godseed.sim.scripts import (
    FIRST_COMPLEX,
    HALF,
    LEFT,
    OVER_NEXT,
    UNDER,
    Unit,
    forms_of,
    levels,
    mirrored,
    units,
    visual_order,
    within,
)

MARK_GAP_EM = 0.05
"""Clearance between a letter and the mark put above it."""

PAGE_MARK_ABOVE_EM = 0.4
"""A mark of a page whose ink begins higher is stacked above its letter."""
HANGING = ((0x900, 0xDFF), (0xE00, 0xFFF), (0x1000, 0x1CFF), (0xA800, 0xABFF), (0xE000, 0xF8FF))
"""Marks drawn where the pen stands after their letter; others are centred on it."""
STACKED = ((0xE00, 0xEFF),)
"""Hanging marks of which one stands above another."""
SIDES = {0x5B9: -1.0, 0x5C1: 1.0, 0x5C2: -1.0}
"""Marks at the left (-1) or right end of their letter."""
TIGHT = ((0x600, 0xA7F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFE))
"""Scripts whose letters touch: no letterspacing between them."""


@dataclass(frozen=True)
class Placed:
    """A glyph with its pen: add (x, y) to the glyph's plane. `position` is its code point's,
    `start` and `end` the pens between which that one is seen."""

    glyph: Glyph
    x: float
    y: float
    position: int
    start: float
    end: float


@dataclass(frozen=True)
class Shape:
    """One line of n code points, baseline at y = 0, in em.

    Attributes:
        codes: n code points, NFC.
        kinds: n kinds, such as LETTER.
        starts: n pens before each code point, after the kerning with what precedes it, as if all
            ran from left to right.
        ends: n pens after each code point and its letterspacing, before the next kerning.
        placed: glyphs with ink, in text order, each where it is seen.
        letter_spacing_em: what was added after each letter and space.
    """

    codes: tuple[int, ...]
    kinds: tuple[int, ...]
    starts: tuple[float, ...]
    ends: tuple[float, ...]
    placed: tuple[Placed, ...]
    letter_spacing_em: float


@lru_cache(maxsize=1024)
def shape(
    text: str, face_name: str = "serif", letter_spacing_em: float = 0.0, level: int = -1
) -> Shape:
    """Place every glyph of one line, with kerning; marks are stacked above their letter.

    Args:
        text: any string.
        face_name: `serif` or `mono`.
        letter_spacing_em: added after every letter and space whose script allows it.
        level: of the paragraph, see `scripts.levels`.
    Raises:
        ValueError: there is no such face.
    """
    font = face(face_name)
    codes = tuple(ord(c) for c in unicodedata.normalize("NFC", text))
    simple = level < 1 and max(codes, default=0) < FIRST_COMPLEX
    embedding = [0] * len(codes) if simple else levels(codes, level)
    line = _Line(font, letter_spacing_em)
    for unit in units(codes):
        following = unit.position + unit.count
        tight = _tight(codes, following)
        code = mirrored(unit.code) if embedding[unit.position] % 2 else unit.code
        line.add(unit, code, 0.0 if tight else letter_spacing_em)
    line.end_syllable()
    if any(embedding):
        line.reorder(embedding)
    return Shape(
        codes, tuple(line.kinds), tuple(line.starts), tuple(line.ends), line.seen(),
        letter_spacing_em,
    )  # fmt: skip


def pages_of(text: str, face_name: str = "serif") -> list[int]:
    """Pages that a text is drawn from, however it is broken into lines, ascending; the base atlas
    is not one of them."""
    font = face(face_name)
    codes = [ord(c) for c in unicodedata.normalize("NFC", text)]
    drawn = {*codes, *(mirrored(code) for code in codes)}
    for unit in units(codes):
        drawn |= {unit.code, unit.after or unit.code}
    for code in codes:
        drawn |= {form for form in forms_of(code) if form}
    missing = [code for code in sorted(drawn) if code not in font.glyphs]
    wanted = {page_of(part) for code in missing for part in (code, *decomposed(code))}
    return sorted(wanted - {-1})


def width(line: Shape, first: int, end: int) -> float:
    """Advance of the code points first..end-1, em, without the spacing after the last one."""
    while end > first and line.kinds[end - 1] in (NOTHING, MARK):
        end -= 1
    if end == first:
        return 0.0
    return line.ends[end - 1] - line.letter_spacing_em - line.starts[first]


class _Line:
    """The pen that places the units of a line, in text order."""

    def __init__(self, font: Face, letter_spacing_em: float) -> None:
        self.font, self.spacing = font, letter_spacing_em
        self.kinds: list[int] = []
        self.starts: list[float] = []
        self.ends: list[float] = []
        self.placed: list[tuple[Glyph, float, float, int]] = []
        self.pen, self.tip, self.previous = 0.0, 0.0, -1
        self.left, self.middle, self.right = 0.0, 0.0, 0.0
        self.top, self.bottom = font.x_height, 0.0
        self.first, self.first_pen = 0, 0.0
        self.leaning, self.stacking = False, False
        self.waiting: tuple[Glyph, int] | None = None
        self.shifts: list[float] | None = None

    def add(self, unit: Unit, code: int, spacing: float) -> None:
        """Place one unit; `spacing` goes behind it."""
        kind, glyphs = parts_of(code, self.font.name)
        position = unit.position
        if unit.role == OVER_NEXT:
            self.end_syllable()
            self._begin(self.pen)
            self.waiting = (glyphs[0][1], position)
            self._step(unit, LETTER, self.pen, self.pen)
            self.leaning = True
            return
        if unit.role == LEFT:
            self._before(unit, glyphs[0][1], spacing)
            return
        if unit.role == UNDER:
            kind = MARK if glyphs[0][1].advance == 0.0 else JOINED
        if kind == LETTER and self.leaning:
            kind = JOINED
        if kind in (SPACE, LETTER, JOINED):
            self._letter(unit, kind, glyphs, spacing)
        else:
            self._step(unit, kind, self.pen, self.pen)
        marks = glyphs if kind == MARK else glyphs[1:]
        for mark_code, mark in marks:
            self._mark(mark_code, mark, position)
        self.leaning = unit.role == HALF or (self.leaning and kind == NOTHING)

    def end_syllable(self) -> None:
        """Place the mark that waited for the end of the syllable."""
        if self.waiting is not None:
            glyph, position = self.waiting
            self.placed.append((glyph, self.tip, 0.0, position))
            self.waiting = None

    def reorder(self, embedding: Sequence[int]) -> None:
        """Move every cluster to where it is seen."""
        heads = [i for i in range(len(self.kinds)) if i == 0 or self.ends[i] != self.starts[i]]
        owner = [0] * len(self.kinds)
        for number, head in enumerate(heads):
            following = heads[number + 1] if number + 1 < len(heads) else len(self.kinds)
            owner[head:following] = [number] * (following - head)
        order = visual_order([embedding[head] for head in heads])
        shift, pen = [0.0] * len(heads), 0.0
        for number in order:
            head = heads[number]
            shift[number] = pen - self.starts[head]
            pen = pen + (self.ends[head] - self.starts[head])
        self.placed = [(g, x + shift[owner[at]], y, at) for g, x, y, at in self.placed]
        self.shifts = [shift[number] for number in owner]

    def seen(self) -> tuple[Placed, ...]:
        """Glyphs with ink."""
        shifts = self.shifts or [0.0] * len(self.kinds)
        return tuple(
            Placed(g, x, y, at, self.starts[at] + shifts[at], self.ends[at] + shifts[at])
            for g, x, y, at in self.placed
        )

    def _letter(
        self, unit: Unit, kind: int, glyphs: Sequence[tuple[int, Glyph]], spacing: float
    ) -> None:
        """Move the pen over a letter, a space or what is joined to the letter before."""
        code, glyph = glyphs[0]
        if kind != JOINED:
            self.end_syllable()
        self.pen = self.pen + kern(self.previous, code, self.font)
        if kind != JOINED:
            self._begin(self.pen)
        pen = self.pen
        self.left, self.middle = pen, pen + glyph.advance * 0.5
        self.right = pen + glyph.advance
        self.top, self.bottom = self.font.x_height, 0.0
        if glyph.plane is not None:
            self.placed.append((glyph, pen, 0.0, unit.position))
            self.left, self.right = pen + glyph.plane[0], pen + glyph.plane[2]
            self.middle = pen + (glyph.plane[0] + glyph.plane[2]) * 0.5
            self.top = glyph.plane[3] - glyph.margin
            self.bottom = glyph.plane[1] + glyph.margin
        self._step(unit, kind, pen, pen + glyph.advance + spacing)
        self.tip = pen + glyph.advance
        self.previous = code
        self.stacking = False

    def _before(self, unit: Unit, glyph: Glyph, spacing: float) -> None:
        """Put a vowel sign before the letters of its syllable, which make room."""
        wide = glyph.advance + spacing
        moved = [(g, x + wide, y, at) for g, x, y, at in self.placed[self.first :]]
        head = [] if glyph.plane is None else [(glyph, self.first_pen, 0.0, unit.position)]
        self.placed[self.first :] = [*head, *moved]
        self.middle, self.tip = self.middle + wide, self.tip + wide
        self.left, self.right = self.left + wide, self.right + wide
        start = self.pen
        after = parts_of(unit.after, self.font.name)[1][0][1] if unit.after else None
        if after is not None and after.plane is not None:
            self.placed.append((after, self.pen + wide, 0.0, unit.position))
            self.tip = self.pen + wide + after.advance
            wide = wide + after.advance + (spacing if after.advance > 0.0 else 0.0)
        self.previous = -1
        self._step(unit, JOINED, start, start + wide)
        self.leaning = False

    def _mark(self, code: int, glyph: Glyph, position: int) -> None:
        """Put a mark above, under or in the letter that the pen has passed."""
        left, bottom, right, high = glyph.plane or (0.0, 0.0, 0.0, 0.0)
        low = bottom + glyph.margin
        if glyph.page and within(code, HANGING):
            lift = 0.0
            if within(code, STACKED) and low > PAGE_MARK_ABOVE_EM:
                lift = max(0.0, self.top + MARK_GAP_EM - low) if self.stacking else 0.0
                self.top, self.stacking = high - glyph.margin + lift, True
            self.placed.append((glyph, self.tip, lift, position))
            return
        lift = 0.0
        if low > (PAGE_MARK_ABOVE_EM if glyph.page else self.font.x_height * 0.5):
            lift = max(0.0, self.top + MARK_GAP_EM - low)
            self.top = high - glyph.margin + lift
        elif glyph.page and high - glyph.margin <= 0.0:
            lift = min(0.0, self.bottom - MARK_GAP_EM - (high - glyph.margin))
            self.bottom = low + lift
        x = self.middle - (left + right) * 0.5
        if code in SIDES:
            x = self.left - left if SIDES[code] < 0.0 else self.right - right
        self.placed.append((glyph, x, lift, position))

    def _begin(self, pen: float) -> None:
        self.first, self.first_pen = len(self.placed), pen

    def _step(self, unit: Unit, kind: int, start: float, end: float) -> None:
        """Record the pens of a unit's code points: the first one has its width."""
        self.pen = end
        self.kinds += [kind] + [NOTHING] * (unit.count - 1)
        self.starts += [start] + [self.pen] * (unit.count - 1)
        self.ends += [self.pen] * unit.count


def _tight(codes: Sequence[int], position: int) -> bool:
    """Whether no letterspacing goes before a position."""
    if position >= len(codes) or codes[position] < FIRST_COMPLEX:
        return False
    return within(codes[position], TIGHT) and within(codes[position - 1], TIGHT)
