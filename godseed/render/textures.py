"""Textures that are not targets: feature ages, the glyph atlas and its pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import moderngl
import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow

from godseed.spec import load, path

AGES_WIDTH = 256
LAYERS_WIDTH = 257
"""Pages that a glyph may name: 0 for none, else 1 + the page's number."""
SETTLED_S = 60.0
"""Age of what is in no feature's list, seconds."""


def age_texture(ctx: moderngl.Context, ages: npt.NDArray[np.float32]) -> moderngl.Texture:
    """Feature ages as a 256 wide R32F texture, feature i at (i & 255, i >> 8).

    Args:
        ctx: the context.
        ages: (n,) seconds; the rest of the last row is filled with settled ages.
    """
    height = max(1, -(-len(ages) // AGES_WIDTH))
    rows = np.full(height * AGES_WIDTH, SETTLED_S, np.float32)
    rows[: len(ages)] = ages
    texture = ctx.texture((AGES_WIDTH, height), 1, rows.tobytes(), dtype="f4")
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    texture.repeat_x = texture.repeat_y = False
    return texture


@cache
def glyph_texture(ctx: moderngl.Context) -> moderngl.Texture:
    """The glyph atlas as R8, filtered linearly, without mips.

    Rows are uploaded as they lie in the file, so v = 0 is its top, as in `godseed.sim.glyphs`.
    """
    rows = _grey("glyphs.png")
    texture = ctx.texture(rows.shape[::-1], 1, rows.tobytes(), alignment=1, dtype="f1")
    texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
    texture.repeat_x = texture.repeat_y = False
    return texture


class GlyphPages:
    """Pages of the glyph atlas in one context.

    They are the layers of an R8 array texture, filtered linearly; a 257 wide R32F texture gives the
    layer of page p at p.

    Pages are read when something is first drawn from them, and stay.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._pages: list[int] = []
        self._pictures: list[npt.NDArray[np.uint8]] = []
        self.pictures, self.layers = self._upload()

    def need(self, pages: Sequence[int]) -> None:
        """Load what is not there yet.

        Args:
            pages: as in rows of glyphs, 1 + the page's number; 0 is passed over.
        """
        missing = [page for page in pages if page > 0 and page not in self._pages]
        if not missing:
            return
        self._pages += missing
        self._pictures += [_grey(f"glyphs/{page - 1:02x}.png") for page in missing]
        self.pictures.release()
        self.layers.release()
        self.pictures, self.layers = self._upload()

    def _upload(self) -> tuple[moderngl.TextureArray, moderngl.Texture]:
        side = int(load("glyph_pages.json")["size_px"]) if self._pages else 1
        stack = np.zeros((max(1, len(self._pages)), side, side), np.uint8)
        table = np.zeros(LAYERS_WIDTH, np.float32)
        for layer, (page, picture) in enumerate(zip(self._pages, self._pictures, strict=True)):
            stack[layer], table[page] = picture, layer
        size = (side, side, len(stack))
        pictures = self._ctx.texture_array(size, 1, stack.tobytes(), alignment=1, dtype="f1")
        pictures.filter = (moderngl.LINEAR, moderngl.LINEAR)
        layers = self._ctx.texture((LAYERS_WIDTH, 1), 1, table.tobytes(), dtype="f4")
        layers.filter = (moderngl.NEAREST, moderngl.NEAREST)
        for texture in (pictures, layers):
            texture.repeat_x = texture.repeat_y = False
        return pictures, layers


@cache
def glyph_pages(ctx: moderngl.Context) -> GlyphPages:
    """The pages of a context."""
    return GlyphPages(ctx)


def _grey(name: str) -> npt.NDArray[np.uint8]:
    """A picture of the specification, 8-bit grey, rows as they lie in the file."""
    with Pillow.open(path(name)) as picture:
        return np.asarray(picture.convert("L"))
