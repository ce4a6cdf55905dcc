"""The overlay of clips and stills: wordmark, counter, wish, ticker, observation, epitaph card.

Everything is quads in pixels over the tone-mapped picture, letters from the glyph atlas. Sizes are
those of a 1280x720 picture and scale with the picture.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import moderngl
import numpy as np
import numpy.typing as npt

from godseed.render.buffers import Binding, buffers, quad
from godseed.render.errors import RenderError
from godseed.render.materials import apply, state
from godseed.render.programs import program
from godseed.render.textures import glyph_pages, glyph_texture
from godseed.sim.text import layout, measure, paragraph, wrap

COLUMNS = (("a_rect", 4), ("a_uv", 4), ("a_color", 4), ("a_kind", 4))
GLYPH, RULE, VEIL, LOZENGE = 0.0, 1.0, 2.0, 3.0
IVORY = (0.945, 0.918, 0.855)
GOLD = (0.851, 0.722, 0.471)
VIOLET = (0.690, 0.588, 0.949)
ROSE = (0.925, 0.604, 0.580)
NIGHT = (0.016, 0.012, 0.031)

DESIGN = (1280.0, 720.0)
NARROW = 720.0
"""Below this width, in pixels of the design, everything shrinks with the width."""
MARGIN = 44.0
WORDMARK, WORDMARK_SPACING = 22.0, 0.46
COUNTER, COUNTER_SPACING = 15.5, 0.10
WISH, WISH_LEADING = 19.0, 1.32
TICKER, TICKER_LEADING, TICKER_LINES = 15.0, 1.62, 3
TICKER_DIM = 0.80
OBSERVATION = 13.0
EPITAPH, EPITAPH_LEADING, EPITAPH_LINES = 33.0, 1.34, 3
EPITAPH_MIDDLE = 0.665
"""Where the card's middle lies, in heights from the top."""
HALO = 0.55


@dataclass(frozen=True)
class OverlayState:
    """What the overlay says at one moment; empty texts are not drawn.

    Attributes:
        size: width, height of the picture in pixels.
        wish: the wish being granted.
        ticker_text: the whole thought.
        ticker_shown: how many of its code points have been typed, None for all.
        epoch: number of the epoch, None for no counter.
        granted: number of wishes granted.
        observation: what the world answered to the last call.
        epitaph: text of the card.
        epitaph_fade: 0 (absent) .. 1 (there).
    """

    size: tuple[int, int]
    wish: str = ""
    ticker_text: str = ""
    ticker_shown: int | None = None
    epoch: int | None = None
    granted: int = 0
    observation: str = ""
    epitaph: str = ""
    epitaph_fade: float = 1.0


@dataclass(frozen=True)
class Overlay:
    """Quads in drawing order, for a picture of one size.

    Attributes:
        size: width, height of the picture in pixels.
        rows: (n, 16) float32: left, top, right, bottom in px from the top left | the same of uv |
            sRGB, opacity | kind and its parameters, see overlay.frag.
    """

    size: tuple[int, int]
    rows: npt.NDArray[np.float32]


Row = tuple[float, ...]
Color = tuple[float, float, float]


def build_overlay(now: OverlayState) -> Overlay:
    """Lay out what is said at one moment."""
    page = _Page(now.size)
    page.veils(now)
    page.wordmark()
    if now.wish:
        page.wish(now.wish)
    if now.epoch is not None:
        page.counter(now.epoch, now.granted)
    page.ticker(now.ticker_text, now.ticker_shown, now.observation)
    if now.epitaph and now.epitaph_fade > 0.0:
        page.card(now.epitaph, min(1.0, now.epitaph_fade))
    return Overlay(now.size, np.array(page.rows, np.float32).reshape(-1, 16))


def draw_overlay(ctx: moderngl.Context, target: moderngl.Framebuffer, overlay: Overlay) -> None:
    """Draw an overlay over an RGBA8 picture of its size.

    Raises:
        RenderError: the picture has another size.
    """
    if overlay.size != target.size:
        raise RenderError(
            f"render.overlay: laid out for {overlay.size[0]}x{overlay.size[1]}; expected "
            f"{target.size[0]}x{target.size[1]}; build it for the picture's size"
        )
    if len(overlay.rows) == 0:
        return
    found, store = program(ctx, "overlay"), buffers(ctx)
    apply(ctx, target, state("screen_blend"), blend=True)
    found.set({"u_viewport": (float(target.width), float(target.height))})
    pages = glyph_pages(ctx)
    glyphs = overlay.rows[overlay.rows[:, 12] == GLYPH]
    pages.need(sorted({int(page) for page in glyphs[:, 15]}))
    textures: dict[str, moderngl.Texture | moderngl.TextureArray] = {
        "u_glyphs": glyph_texture(ctx),
        "u_glyph_pages": pages.pictures,
        "u_glyph_layers": pages.layers,
    }
    for unit, sampler in enumerate(found.samplers):
        textures[sampler].use(unit)
    rows = Binding(store.rows("overlay", overlay.rows), COLUMNS, instanced=True)
    drawn = store.vertex_array(found, quad(ctx), (rows,))
    drawn.render(moderngl.TRIANGLES, instances=len(overlay.rows))


class _Page:
    """Rows of one overlay, and the pen that adds them. Positions in pixels, sizes in design px."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.width, self.height = float(size[0]), float(size[1])
        self.unit = min(self.height / DESIGN[1], self.width / NARROW)
        self.margin = MARGIN * self.unit
        self.rows: list[Row] = []

    def veils(self, now: OverlayState) -> None:
        """Darken the edges that carry text, so that it reads over bright ground too."""
        top = (190.0 if now.wish else 140.0) * self.unit
        self._veil((0.0, 0.0, self.width, top), (0.0, 0.0, 0.0, 1.0), 0.72, (1.0, 0.40))
        if now.ticker_text or now.observation:
            high = self.height - 235.0 * self.unit
            self._veil(
                (0.0, high, self.width, self.height), (0.0, 1.0, 0.0, 0.0), 0.80, (1.0, 0.40)
            )

    def wordmark(self) -> None:
        """GODSEED, letterspaced, top left."""
        baseline = self.margin + WORDMARK * self.unit * 0.65
        self._line(
            "GODSEED", "serif", WORDMARK, self.margin, baseline, IVORY, 0.96, WORDMARK_SPACING
        )

    def wish(self, wish: str) -> None:
        """The wish in quotes, under the wordmark."""
        size = WISH * self.unit
        room = min(self.width - 2.0 * self.margin, 520.0 * self.unit)
        baseline = self.margin + 59.0 * self.unit
        self._rule(
            self.margin,
            self.margin + 31.0 * self.unit,
            96.0 * self.unit,
            GOLD,
            0.85,
            from_left=True,
        )
        level = paragraph(wish)
        for line in _cut(wrap(f"“{wish.strip()}”", "serif", room / size, 0.015), 2):
            self._line(line, "serif", WISH, self.margin, baseline, IVORY, 0.90, 0.015, level)
            baseline += size * WISH_LEADING

    def counter(self, epoch: int, granted: int) -> None:
        """Epoch and number of wishes granted, top right."""
        count = "1 wish granted" if granted == 1 else f"{granted:,} wishes granted"
        parts = ((f"Epoch {epoch:,}", GOLD, 1.0), ("  ·  ", IVORY, 0.6), (count, IVORY, 0.84))
        size = COUNTER * self.unit
        lengths = [measure(text, "serif", COUNTER_SPACING) * size for text, _, _ in parts]
        gap = COUNTER_SPACING * size
        x = self.width - self.margin - sum(lengths) - gap * (len(parts) - 1)
        y = self.margin + WORDMARK * self.unit * 0.65
        if x < self.margin + 200.0 * self.unit:
            y += 24.0 * self.unit
        for (text, color, opacity), length in zip(parts, lengths, strict=True):
            self._line(text, "serif", COUNTER, x, y, color, opacity, COUNTER_SPACING)
            x += length + gap

    def ticker(self, text: str, shown: int | None, observation: str) -> None:
        """The thought as it is typed, bottom left, and what the world answered under it."""
        y = self.height - self.margin
        left = self.margin + 18.0 * self.unit
        top = y
        if observation:
            refused = observation.startswith("rejected")
            room = (self.width - self.margin - left) / (OBSERVATION * self.unit)
            line = _cut(wrap(observation, "mono", room), 1)[0]
            self._line(line, "mono", OBSERVATION, left, y, ROSE if refused else GOLD, 0.92, 0.0)
            top = y - OBSERVATION * self.unit
            y -= 29.0 * self.unit
        size = TICKER * self.unit
        room = min(self.width - self.margin - left, 700.0 * self.unit)
        lines = _typed(unicodedata.normalize("NFC", text), room / size, shown)[-TICKER_LINES:]
        level = paragraph(text)
        y -= (len(lines) - 1) * size * TICKER_LEADING
        for i, (line, whole) in enumerate(lines):
            last = i == len(lines) - 1
            opacity = 0.94 if last else TICKER_DIM
            typed = measure(line, "mono") if level else 0.0
            x = left + (measure(whole, "mono") - typed) * size if level else left
            end = self._line(line, "mono", TICKER, x, y, IVORY, opacity, 0.0, level)
            if last:
                near = x - 0.24 * size if level else end + 0.14 * size
                cursor = (near, y - 0.78 * size, near + 0.10 * size, y + 0.14 * size)
                self._box(cursor, VIOLET, 0.95)
            top = min(top, y - size)
            y += size * TICKER_LEADING
        if lines or observation:
            bar = max(1.0, 1.5 * self.unit)
            bottom = self.height - self.margin + 4.0 * self.unit
            self._box((self.margin, top, self.margin + bar, bottom), VIOLET, 0.8)

    def card(self, text: str, fade: float) -> None:
        """The epitaph between two gold rules, over a dark veil."""
        size = EPITAPH * self.unit
        room = min(self.width - 2.0 * self.margin, 760.0 * self.unit)
        lines = _cut(_balanced(text, room / size), EPITAPH_LINES)
        high = (len(lines) - 1) * size * EPITAPH_LEADING + size * 0.65
        middle = self.height * EPITAPH_MIDDLE + (1.0 - fade) * 10.0 * self.unit
        top, bottom = middle - high * 0.5, middle + high * 0.5
        wide = max(measure(line, "serif", 0.02) for line in lines) * size
        center, reach = self.width * 0.5, max(wide, 260.0 * self.unit)
        veil = (
            center - reach * 0.5 - 210.0 * self.unit,
            top - 92.0 * self.unit,
            center + reach * 0.5 + 210.0 * self.unit,
            bottom + 92.0 * self.unit,
        )
        self._veil(veil, (-1.0, -1.0, 1.0, 1.0), 0.80 * fade, (0.30, 0.30))
        gap, length = 34.0 * self.unit, min(reach, 420.0 * self.unit)
        for y in (top - gap, bottom + gap):
            self._rule(center - length * 0.5, y, length, GOLD, 0.9 * fade)
        self._lozenge(center, top - gap, 4.2 * self.unit, fade)
        baseline = top + size * 0.65
        for line in lines:
            x = center - measure(line, "serif", 0.02) * size * 0.5
            level = paragraph(text)
            self._line(line, "serif", EPITAPH, x, baseline, IVORY, 0.98 * fade, 0.02, level)
            baseline += size * EPITAPH_LEADING

    def _line(
        self,
        text: str,
        name: str,
        size: float,
        x: float,
        baseline: float,
        color: Color,
        opacity: float,
        spacing: float,
        level: int = -1,
    ) -> float:
        """Set one line from x on; gives where it ends. Baselines of small letters lie on pixels."""
        em = size * self.unit
        baseline = float(np.floor(baseline + 0.5))
        found = layout(text, name, spacing, level)
        columns = (found.quads, found.uv, found.margin, found.page)
        for (left, bottom, right, top), uv, margin, page in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            rect = (x + left * em, baseline - top * em, x + right * em, baseline - bottom * em)
            slope = 0.5 / margin / em
            self.rows.append((*rect, *uv, *color, opacity, GLYPH, slope, HALO, float(page)))
        return x + found.width * em

    def _rule(
        self,
        x: float,
        y: float,
        length: float,
        color: Color,
        opacity: float,
        from_left: bool = False,
    ) -> None:
        """A thin rule that fades at both ends, or only at its right one."""
        thick = max(1.0, float(np.floor(1.2 * self.unit + 0.5)))
        top = float(np.floor(y - thick * 0.5 + 0.5))
        start = 0.5 if from_left else 0.0
        rect = (x, top, x + length, top + thick)
        self.rows.append((*rect, start, 0.0, 1.0, 1.0, *color, opacity, RULE, 0.5, 0.0, 0.0))

    def _box(self, rect: Row, color: Color, opacity: float) -> None:
        self.rows.append((*rect, 0.0, 0.0, 1.0, 1.0, *color, opacity, RULE, 0.0, 0.0, 0.0))

    def _lozenge(self, x: float, y: float, reach: float, opacity: float) -> None:
        """A small gold lozenge on its own patch of night, so that the rule stops before it."""
        for radius, color in ((reach * 2.3, NIGHT), (reach, GOLD)):
            wide = radius + 1.0
            rect = (x - wide, y - wide, x + wide, y + wide)
            uv = wide / radius
            self.rows.append(
                (*rect, -uv, -uv, uv, uv, *color, opacity, LOZENGE, 1.0 / radius, 0.0, 0.0)
            )

    def _veil(self, rect: Row, uv: Row, opacity: float, clear: tuple[float, float]) -> None:
        self.rows.append((*rect, *uv, *NIGHT, opacity, VEIL, *clear, 0.0))


def _cut(lines: Sequence[str], room: int) -> list[str]:
    """At most `room` lines, the last one ending in an ellipsis if some are left out."""
    kept = list(lines[:room]) or [""]
    if len(lines) > room:
        kept[-1] = kept[-1].rstrip(" .,;:”") + "…" + ("”" if lines[-1].endswith("”") else "")
    return kept


def _typed(text: str, room_em: float, shown: int | None) -> list[tuple[str, str]]:
    """Lines of the whole text, as far as they are typed, and whole; words do not jump as they
    grow."""
    lines: list[tuple[str, str]] = []
    start = 0
    for line in wrap(text, "mono", room_em):
        start = text.find(line, start)
        if shown is not None and start >= shown:
            break
        lines.append((line if shown is None else line[: shown - start], line))
        start += len(line)
    return lines


def _balanced(text: str, room_em: float) -> Sequence[str]:
    """Lines of nearly equal length: the narrowest room that needs no more lines."""
    best = wrap(text, "serif", room_em, 0.02)
    narrow, wide = room_em * 0.4, room_em
    for _ in range(7 if len(best) > 1 else 0):
        middle = (narrow + wide) * 0.5
        lines = wrap(text, "serif", middle, 0.02)
        if len(lines) <= len(best):
            best, wide = lines, middle
        else:
            narrow = middle
    return best
