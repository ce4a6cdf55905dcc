"""Contact sheets: labelled pictures in rows, with headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from godseed.render.image import U8
from godseed.render.overlay import GLYPH, GOLD, HALO, IVORY, NIGHT, RULE, VEIL, Color, Overlay
from godseed.render.renderer import Renderer
from godseed.sim.camera import Pose
from godseed.sim.frame import Stage
from godseed.sim.text import layout, wrap

GAP = 8
PAPER = (9, 8, 13, 255)
LETTER, NAME_ROOM = 0.052, 5.0
"""Height of the label's letters in picture heights, and least room for its name in letter
heights."""
HEADING_PX, HEADING_EM = 56, 27.0


class Pictured(Protocol):
    """What can be a picture of a sheet."""

    @property
    def stage(self) -> Stage:
        """What stands there."""

    @property
    def shot(self) -> str | Pose:
        """The camera."""

    @property
    def time_ms(self) -> int:
        """When."""

    @property
    def name(self) -> str:
        """Written in gold under it."""

    @property
    def text(self) -> str:
        """Written behind the name."""


@dataclass(frozen=True)
class Picture:
    """One picture of a sheet."""

    stage: Stage
    shot: str | Pose
    time_ms: int
    name: str
    text: str


def sheet(
    pictures: Sequence[Pictured],
    size: tuple[int, int],
    samples: int,
    columns: int,
    step: Callable[..., None] = lambda: None,
) -> U8:
    """Draw pictures and lay them out in rows.

    Args:
        pictures: one or more.
        size: of each, pixels.
        samples: per pixel.
        columns: pictures in a row, at most.
        step: called after each.
    Returns:
        (h, w, 4) uint8.
    Raises:
        RenderError, MissingGLError: this machine cannot draw them.
    """
    renderer = Renderer(size, samples)
    width, height = size
    across = min(columns, len(pictures))
    down = -(-len(pictures) // across)
    paper = np.empty((down * (height + GAP) + GAP, across * (width + GAP) + GAP, 4), np.uint8)
    paper[:, :] = PAPER
    for i, picture in enumerate(pictures):
        frame = picture.stage.frame(picture.time_ms, picture.shot, width / height)
        x, y = GAP + i % across * (width + GAP), GAP + i // across * (height + GAP)
        drawn = renderer.draw(frame, label(picture.name, picture.text, size))
        paper[y : y + height, x : x + width] = drawn.pixels
        step()
    renderer.release()
    return paper


def stacked(sheets: Sequence[tuple[str, U8]]) -> U8:
    """Sheets under one another, each under its heading; narrow ones keep to the left.

    Returns:
        (h, w, 4) uint8.
    """
    width = max(rows.shape[1] for _, rows in sheets)
    parts = []
    for title, rows in sheets:
        page = np.empty((rows.shape[0], width, 4), np.uint8)
        page[:, :] = PAPER
        page[:, : rows.shape[1]] = rows
        parts += [heading(title, width), page]
    return np.concatenate(parts)


def heading(text: str, width: int) -> U8:
    """A line of letters on paper, (HEADING_PX, width, 4) uint8."""
    size = (width, HEADING_PX)
    color = tuple(channel / 255.0 for channel in PAPER[:3])
    whole = (0.0, 0.0, float(width), float(HEADING_PX), 0.0, 1.0, 0.0, 0.0)
    rows: list[tuple[float, ...]] = [(*whole, *color, 1.0, RULE, 0.0, 0.0, 0.0)]
    rows += _line(text, "serif", HEADING_EM, GAP + 6.0, HEADING_PX - 15.0, GOLD)
    renderer = Renderer(size, 0)
    frame = Stage(()).frame(0, "world", width / HEADING_PX)
    pixels = renderer.draw(frame, Overlay(size, np.array(rows, np.float32))).pixels
    renderer.release()
    return pixels


def label(name: str, text: str, size: tuple[int, int]) -> Overlay:
    """A name in gold and a text in ivory, one line over a veil at the lower edge."""
    width, height = size
    em = max(8.0, LETTER * height)
    margin, baseline = em * 0.8, float(np.floor(height - em * 0.75))
    veil = (0.0, height - em * 3.2, float(width), float(height), 0.0, 1.0, 0.0, 0.0)
    rows: list[tuple[float, ...]] = [(*veil, *NIGHT, 0.8, VEIL, 1.0, 0.0, 0.0)]
    named = _line(name, "mono", em * 0.8, margin, baseline, GOLD)
    rows += named
    ends = max((row[2] for row in named), default=margin) + em * 0.7
    start = max(margin + NAME_ROOM * em, ends)
    lines = wrap(text, "serif", max((width - margin - start) / em, 1.0))
    if lines:
        shown = lines[0] + (" …" if len(lines) > 1 else "")
        rows += _line(shown, "serif", em, start, baseline, IVORY)
    return Overlay(size, np.array(rows, np.float32))


def _line(
    text: str, name: str, em: float, x: float, baseline: float, color: Color
) -> list[tuple[float, ...]]:
    """Overlay rows of one line of letters."""
    found = layout(text, name)
    columns = (found.quads, found.uv, found.margin, found.page)
    return [
        (
            *(x + left * em, baseline - top * em, x + right * em, baseline - bottom * em),
            *(*uv, *color, 0.96, GLYPH, 0.5 / margin / em, HALO, float(page)),
        )
        for (left, bottom, right, top), uv, margin, page in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
