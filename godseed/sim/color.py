"""Hues to linear light, with operations that every machine rounds alike.

Twin: web/sim/color.js
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from godseed.sim.maths import F64


def hue_rgb(hue: npt.ArrayLike, saturation: npt.ArrayLike, value: npt.ArrayLike) -> F64:
    """Colour of a hue on the HSV wheel, as linear light.

    Args:
        hue: (n,) or scalar, degrees, any finite number; 0 red, 120 green, 240 blue.
        saturation: (n,) or scalar in 0..1.
        value: (n,) or scalar in 0..1, brightness of the display value before it becomes light.
    Returns:
        (n, 3) float64 linear rgb in 0..1; (3,) for scalars.
    Source: HSV in the closed form f(k) = v - v s max(0, min(k, 4 - k, 1)).
    """
    sector = np.asarray(hue, dtype=np.float64) / 60.0
    chroma = np.asarray(saturation, dtype=np.float64)
    bright = np.asarray(value, dtype=np.float64)
    channels = []
    for shift in (5.0, 3.0, 1.0):
        k = sector + shift
        k = k - 6.0 * np.floor(k / 6.0)
        drop = np.maximum(0.0, np.minimum(np.minimum(k, 4.0 - k), 1.0))
        channels.append(linear(bright - bright * chroma * drop))
    return np.stack(np.broadcast_arrays(*channels), axis=-1)


def linear(display: npt.ArrayLike) -> F64:
    """Light of a display value: a cubic through 0 and 1 that follows the sRGB curve within 0.004.

    Args:
        display: any shape, 0..1.
    Returns:
        float64 of the same shape, 0..1.
    """
    x = np.asarray(display, dtype=np.float64)
    light: F64 = x * (x * (x * 0.305306011 + 0.682171111) + 0.012522878)
    return light
