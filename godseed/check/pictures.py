"""Pictures of differences, for reports: where two images are apart, loud enough to be seen."""

from __future__ import annotations

import io
from typing import Final

import numpy as np
from PIL import Image as Pillow

from godseed.check.compare import U8, difference
from godseed.sim.maths import F32, F64

RAMP: Final = np.array(
    [[8, 7, 12], [74, 42, 140], [176, 108, 255], [240, 180, 60], [255, 246, 220]], np.float64
)
"""Black, violet, gold, white: nothing, little, much, all."""
AMPLIFIED: Final = 0.25
"""Exponent that lifts a difference of 1/255 to a quarter of the ramp."""


def difference_picture(before: U8, after: U8) -> U8:
    """The largest channel difference per pixel, amplified, as colours (h, w, 4) uint8."""
    apart = difference(before, after).astype(np.float64) / 255.0
    return ramp(apart**AMPLIFIED)


def flip_picture(values: F32) -> U8:
    """A FLIP map (h, w) as colours (h, w, 4) uint8."""
    return ramp(values.astype(np.float64))


def ramp(values: F64) -> U8:
    """Numbers 0..1 as colours between black and white by way of violet and gold."""
    place = np.clip(values, 0.0, 1.0) * (len(RAMP) - 1)
    low = np.minimum(place.astype(np.int64), len(RAMP) - 2)
    part = (place - low)[:, :, None]
    colors = RAMP[low] * (1.0 - part) + RAMP[low + 1] * part
    pixels = np.full((*values.shape, 4), 255, np.uint8)
    pixels[:, :, :3] = np.floor(colors + 0.5).astype(np.uint8)
    return pixels


def png_of(pixels: U8) -> bytes:
    """A plain PNG file of (h, w, 4) uint8; opaque pictures are stored without alpha."""
    opaque = bool((pixels[:, :, 3] == 255).all())
    stream = io.BytesIO()
    Pillow.fromarray(np.ascontiguousarray(pixels[:, :, :3] if opaque else pixels)).save(
        stream, "PNG", compress_level=6
    )
    return stream.getvalue()
