"""Textures that are not targets: feature ages and the glyph atlas."""

from __future__ import annotations

from functools import cache

import moderngl
import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow

from godseed.spec import path

AGES_WIDTH = 256
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
    with Pillow.open(path("glyphs.png")) as picture:
        atlas = picture.convert("L")
    texture = ctx.texture(atlas.size, 1, atlas.tobytes(), alignment=1, dtype="f1")
    texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
    texture.repeat_x = texture.repeat_y = False
    return texture
