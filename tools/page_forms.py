"""Joined forms of the scripts of South and Southeast Asia: half letters, conjuncts, letters set
under others.

HarfBuzz (the package uharfbuzz) is asked what each font makes of a letter, a joiner and a letter.
What comes out as one glyph gets a private code point, at which the pages draw it, and a row in a
table: text is then set by looking up the longest row, in both twins, without a shaping engine.
"""

from __future__ import annotations

import itertools
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from glyph_outlines import FontsMissing, Outline
from page_fonts import font_of, opened, outline_of

FIRST_CODE, LAST_CODE = 0xE000, 0xF8FF
SCRIPTS = (
    ((0x0915, 0x0939), 0x094D, 0x0930), ((0x0995, 0x09B9), 0x09CD, 0x09B0),
    ((0x0A15, 0x0A39), 0x0A4D, 0), ((0x0A95, 0x0AB9), 0x0ACD, 0x0AB0),
    ((0x0B15, 0x0B39), 0x0B4D, 0x0B30), ((0x0B95, 0x0BB9), 0x0BCD, 0),
    ((0x0C15, 0x0C39), 0x0C4D, 0), ((0x0C95, 0x0CB9), 0x0CCD, 0x0CB0),
    ((0x0D15, 0x0D39), 0x0D4D, 0), ((0x0D9A, 0x0DC6), 0x0DCA, 0),
    ((0x1780, 0x17A2), 0x17D2, 0), ((0x1000, 0x1021), 0x1039, 0),
)  # fmt: skip
"""Letters, the sign that joins them, and the letter that becomes a mark over the next one."""
ZWJ = 0x200D
LEFT = {
    0x093F: (0x093F, 0), 0x094E: (0x094E, 0), 0x09BF: (0x09BF, 0), 0x09C7: (0x09C7, 0),
    0x09C8: (0x09C8, 0), 0x09CB: (0x09C7, 0x09BE), 0x09CC: (0x09C7, 0x09D7), 0x0A3F: (0x0A3F, 0),
    0x0ABF: (0x0ABF, 0), 0x0B47: (0x0B47, 0), 0x0B4B: (0x0B47, 0x0B3E), 0x0BC6: (0x0BC6, 0),
    0x0BC7: (0x0BC7, 0), 0x0BC8: (0x0BC8, 0), 0x0BCA: (0x0BC6, 0x0BBE), 0x0BCB: (0x0BC7, 0x0BBE),
    0x0BCC: (0x0BC6, 0x0BD7), 0x0D46: (0x0D46, 0), 0x0D47: (0x0D47, 0), 0x0D48: (0x0D48, 0),
    0x0D4A: (0x0D46, 0x0D3E), 0x0D4B: (0x0D47, 0x0D3E), 0x0D4C: (0x0D46, 0x0D57),
    0x0DD9: (0x0DD9, 0), 0x0DDB: (0x0DDB, 0), 0x0DDC: (0x0DD9, 0x0DCF), 0x0DDE: (0x0DD9, 0x0DDF),
    0x17C1: (0x17C1, 0), 0x17C2: (0x17C2, 0), 0x17C3: (0x17C3, 0), 0x17C4: (0x17C1, 0x17B6),
    0x1031: (0x1031, 0), 0x103C: (0x103C, 0), 0x1084: (0x1084, 0),
}  # fmt: skip
"""Vowel signs drawn before the letters that they follow -> what is drawn before, and after (0:
nothing)."""
AROUND = (0x17BE, 0x17BF, 0x17C0, 0x17C5)
"""Khmer vowel signs on both sides of their letters whose second half is no character."""
KHMER_KA, KHMER_E = 0x1780, 0x17C1


@dataclass(frozen=True)
class Form:
    """A glyph without a character of its own, at a private code point."""

    code: int
    outline: Outline


@dataclass
class Drawn:
    """All forms: glyphs, the sequences that make them, marks that go over the next letter."""

    glyphs: list[Form] = field(default_factory=list)
    sequences: dict[str, int] = field(default_factory=dict)
    over_next: dict[str, int] = field(default_factory=dict)
    left: dict[int, tuple[int, int]] = field(default_factory=lambda: dict(LEFT))

    def tables(self) -> dict[str, Any]:
        """The tables of glyph_pages.json that fonts decide."""
        return {
            "left": {str(code): list(parts) for code, parts in self.left.items()},
            "joiners": [joiner for _, joiner, _ in SCRIPTS],
            "forms": self.sequences,
            "over_next": self.over_next,
        }


@cache
def drawn_forms(fonts: Path) -> Drawn:
    """Forms of all scripts.

    Raises:
        FontsMissing: fonts or HarfBuzz are not there.
    """
    drawn, codes = Drawn(), itertools.count(FIRST_CODE)
    for (first, last), joiner, over in SCRIPTS:
        path = font_of(first, fonts)
        if path is None:
            continue
        shaper = Shaper(path)
        letters = [c for c in range(first, last + 1) if c in shaper.names]
        known: dict[str, int] = {}

        def keep(glyph: Glyph, shaper: Shaper = shaper, known: dict[str, int] = known) -> int:
            if glyph.key not in known:
                known[glyph.key] = next(codes)
                drawn.glyphs.append(Form(known[glyph.key], shaper.outline(glyph)))
            return known[glyph.key]

        if over:
            marks = [shaper.glyphs(over, joiner, c) for c in letters if c != over]
            found = [g[1] for g in marks if len(g) == 2 and g[1].advance == 0]
            if found:
                drawn.over_next[f"{over} {joiner}"] = keep(found[0])
        for a, b in itertools.product(letters, letters):
            glyphs = shaper.glyphs(a, joiner, b)
            if len(glyphs) == 1:
                drawn.sequences[f"{a} {joiner} {b}"] = keep(glyphs[0])
                half = shaper.glyphs(a, joiner, b, joiner, ZWJ)
                if len(half) == 1:
                    drawn.sequences[f"{a} {joiner} {b} {joiner}"] = keep(half[0])
            elif len(glyphs) == 2 and glyphs[0].name == shaper.names[a]:
                under = glyphs[1]
                if under.name != shaper.names[b] and f"{joiner} {b}" not in drawn.sequences:
                    drawn.sequences[f"{joiner} {b}"] = keep(under)
            joined = shaper.glyphs(a, joiner, ZWJ, b)
            if len(joined) == 1 and len(glyphs) > 1:
                drawn.sequences[f"{a} {joiner} {ZWJ} {b}"] = keep(joined[0])
            elif len(joined) == 2 and joined[0].name == shaper.names[a]:
                mark = joined[1]
                if mark.name != shaper.names[b] and mark.advance == 0:
                    drawn.sequences.setdefault(f"{joiner} {ZWJ} {b}", keep(mark))
        for a in letters:
            half = shaper.glyphs(a, joiner, ZWJ)
            if len(half) == 1 and half[0].name != shaper.names[a]:
                drawn.sequences[f"{a} {joiner}"] = keep(half[0])
        signs = [c for c in shaper.names if first & ~0x7F <= c <= first | 0x7F and is_sign(c)]
        for a, sign in itertools.product(letters, signs):
            if sign in LEFT or sign == joiner:
                continue
            glyphs = shaper.glyphs(a, sign)
            if len(glyphs) == 1:
                drawn.sequences[f"{a} {sign}"] = keep(glyphs[0])
            elif sign in AROUND and a == KHMER_KA and len(glyphs) == 3:
                drawn.left[sign] = (KHMER_E, keep(glyphs[2]))
    if drawn.glyphs and drawn.glyphs[-1].code > LAST_CODE:
        raise ValueError(
            f"page_forms: {len(drawn.glyphs)} forms; expected at most {LAST_CODE - FIRST_CODE}; "
            "leave a script out"
        )
    return drawn


def is_sign(code: int) -> bool:
    """Whether a character is written on or beside the letter before it."""
    return unicodedata.category(chr(code)) in ("Mn", "Mc")


@dataclass(frozen=True)
class Glyph:
    """A shaped glyph: name in its font, advance and shift from where the pen stands, font units."""

    name: str
    advance: int
    x: int
    y: int

    @property
    def key(self) -> str:
        """Names the drawing: marks are kept where they were put."""
        return f"{self.name} {self.x if self.advance == 0 else 0}"


class Shaper:
    """One font in HarfBuzz."""

    def __init__(self, path: Path) -> None:
        try:
            import uharfbuzz  # type: ignore[import-not-found]
        except ImportError:
            raise FontsMissing(
                "make_glyph_pages: no uharfbuzz; needed for joined letters; run "
                "python -m pip install uharfbuzz"
            ) from None
        self.path, self.hb = path, uharfbuzz
        self.font = uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path))))
        self.names: dict[int, str] = opened(path)[2]
        self.order: list[str] = opened(path)[0].getGlyphOrder()

    def glyphs(self, *codes: int) -> list[Glyph]:
        """What the font makes of some characters, blanks left out."""
        buffer = self.hb.Buffer()
        buffer.add_str("".join(map(chr, codes)))
        buffer.guess_segment_properties()
        self.hb.shape(self.font, buffer)
        shaped = zip(buffer.glyph_infos, buffer.glyph_positions, strict=True)
        found = [
            Glyph(self.order[i.codepoint], p.x_advance, p.x_offset, p.y_offset) for i, p in shaped
        ]
        blank = self.names.get(0x20)
        return [g for g in found if g.name != blank and not (g.advance == 0 and self.empty(g.name))]

    def empty(self, name: str) -> bool:
        """Whether a glyph has no ink."""
        return len(outline_of(name, self.path, False).pieces) == 0

    def outline(self, glyph: Glyph) -> Outline:
        """Its outline; a mark's where it was put."""
        outline = outline_of(glyph.name, self.path, glyph.advance == 0)
        if glyph.advance:
            return outline
        em = opened(self.path)[3]
        return Outline(outline.pieces + np.asarray([glyph.x, glyph.y, glyph.x, glyph.y]) / em, 0.0)
