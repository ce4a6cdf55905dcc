"""Pages of the glyph atlas: characters beyond the base atlas, read when text first needs them.

A page holds the 256 characters that share the upper bits of their code points, as a picture of
signed distances and a table of quads. Private code points of the tables are not characters but
joined forms, see `scripts`. Lengths are in em, as in `glyphs`.

Twin: web/sim/glyph_pages.js
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from godseed import spec

Quad = tuple[float, float, float, float]


@dataclass(frozen=True)
class Glyph:
    """One drawing of the atlas.

    Attributes:
        advance: pen movement, em.
        plane: left, bottom, right, top of the quad from the pen, em; None for a space.
        uv: x0, y0, x1, y1 of the quad in its picture, 0..1, y0 at the glyph's top; None for a
            space.
        page: 0 in the base atlas, else 1 + the page's number.
        margin: how far the quad reaches beyond the ink, em.
    """

    advance: float
    plane: Quad | None
    uv: Quad | None
    page: int
    margin: float


def tables() -> Mapping[str, Any]:
    """What is known of all pages: sizes, which there are, and the tables of `scripts`."""
    found: Mapping[str, Any] = spec.load("glyph_pages.json")
    return found


def page_of(code: int) -> int:
    """Number of the page that may hold a code point, -1 if there is none."""
    number = code >> 8
    return number if number in _numbers() else -1


def page_glyph(code: int) -> Glyph | None:
    """The drawing of a code point on its page, None if no page has it."""
    number = page_of(code)
    return None if number < 0 else _page(number).get(code)


@cache
def _numbers() -> frozenset[int]:
    return frozenset(tables()["pages"])


@cache
def _page(number: int) -> Mapping[int, Glyph]:
    """Drawings of one page by code point."""
    head = tables()
    em, size = float(head["em_px"]), float(head["size_px"])
    margin = float(head["spread_px"]) / em
    found: dict[int, Glyph] = {}
    for key, row in spec.load(f"glyphs/{number:02x}.json").items():
        plane: Quad | None = None
        uv: Quad | None = None
        if len(row) > 1:
            left, bottom, right, top, x, y = row[1:]
            plane = (left / em, bottom / em, right / em, top / em)
            uv = (x / size, y / size, (x + right - left) / size, (y + top - bottom) / size)
        found[int(key, 16)] = Glyph(row[0] / 1000.0, plane, uv, 1 + number, margin)
    return found
