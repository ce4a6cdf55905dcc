"""Hues against the standard library's HSV and the exact sRGB curve."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.color import hue_rgb, linear

UNIT = st.floats(0.0, 1.0)


def srgb_to_linear(x: float) -> float:
    return x / 12.92 if x <= 0.04045 else float(((x + 0.055) / 1.055) ** 2.4)


@given(st.floats(0.0, 360.0), UNIT, UNIT)
def test_hue_is_the_standard_wheel_seen_as_light(hue: float, chroma: float, value: float) -> None:
    expected = [srgb_to_linear(x) for x in colorsys.hsv_to_rgb(hue / 360.0, chroma, value)]
    assert hue_rgb(hue, chroma, value) == pytest.approx(expected, abs=4e-3)


@given(st.lists(st.floats(-720.0, 720.0), min_size=1, max_size=20), UNIT)
def test_many_hues_are_the_same_bytes_as_one_by_one(hues: list[float], chroma: float) -> None:
    together = hue_rgb(np.array(hues), chroma, 0.9)
    alone = np.stack([hue_rgb(hue, chroma, 0.9) for hue in hues])
    assert together.tobytes() == alone.tobytes()


def test_hues_wrap_around_the_circle() -> None:
    assert hue_rgb(-90.0, 0.5, 1.0) == pytest.approx(hue_rgb(270.0, 0.5, 1.0))


def test_light_keeps_black_and_white_and_rises_between() -> None:
    light = linear(np.linspace(0.0, 1.0, 257))
    assert light[0] == 0.0
    assert light[-1] == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.diff(light) > 0)


def test_hue_is_pinned_to_the_bit() -> None:
    assert [x.hex() for x in hue_rgb(42.0, 0.5, 0.9)] == PINNED


PINNED = [
    "0x1.92a2a9caea537p-1",
    "0x1.174a3b2a74ce0p-1",
    "0x1.5f6db342243abp-3",
]
