"""Noise stays in range, is smooth, has independent channels, and gives the pinned bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim import noise
from godseed.sim.maths import F64
from godseed.sim.noise import fbm4, value_noise4
from godseed.sim.rng import Mulberry32, mix, uniform
from godseed.sim.sphere import icosphere

SPREAD = uniform(1, np.arange(60_000)).reshape(-1, 3) * 400.0 - 200.0


def scalar_noise(point: list[float], seed: int) -> list[float]:
    """The definition, one corner and one channel at a time, in Python's integers."""
    salt = mix(seed, 0)
    cell = [int(np.floor(x)) for x in point]
    t = [x - c for x, c in zip(point, cell, strict=True)]
    fade = [v * v * v * (v * (v * 6.0 - 15.0) + 10.0) for v in t]
    channels = []
    for channel in range(4):
        corners = []
        for corner in range(8):
            steps = (corner & 1, corner >> 1 & 1, corner >> 2)
            h = salt
            for axis in range(3):
                h += (cell[axis] + steps[axis]) * noise.AXIS_MULTIPLIERS[axis]
            h &= 0xFFFFFFFF
            h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
            h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
            h ^= h >> 16
            corners.append(float(h >> (8 * channel) & 255))
        for axis in range(3):
            pairs = zip(corners[0::2], corners[1::2], strict=True)
            corners = [low + (high - low) * fade[axis] for low, high in pairs]
        channels.append((corners[0] - 127.5) / 127.5)
    return channels


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.integers(0, 2**32 - 1))
def test_noise_equals_its_definition_bit_for_bit(point: list[float], seed: int) -> None:
    assert value_noise4(np.array([point]), seed)[0].tolist() == scalar_noise(point, seed)


# Bits that the JavaScript twin must give as well: (point, seed) -> four channels.
PINNED_POINTS = [(0.25, 0.5, 0.75), (-1.3, 2.6, -3.9), (1234.5, -987.25, 0.125)]


def test_value_noise_gives_these_bits() -> None:
    values = value_noise4(np.array(PINNED_POINTS), 7)
    assert [[x.hex() for x in row] for row in values.tolist()] == [
        [
            "-0x1.86235d5d5d5d6p-3",
            "-0x1.93d7353535353p-3",
            "-0x1.f6c2c4c4c4c4cp-3",
            "0x1.16ce0c0c0c0c1p-2",
        ],
        [
            "-0x1.0a6ec6b52974ep-1",
            "-0x1.025d7a5457909p-2",
            "-0x1.9c4d360b7faa3p-2",
            "0x1.ed6d3cdc40363p-5",
        ],
        [
            "-0x1.0c495c1c1c1c2p-1",
            "0x1.89253a3a3a3a4p-2",
            "0x1.9df79bebebebfp-3",
            "0x1.e5ba121212121p-7",
        ],
    ]


def test_fbm_gives_these_bits() -> None:
    values = fbm4(np.array(PINNED_POINTS), 5, 7)
    assert [[x.hex() for x in row] for row in values.tolist()] == [
        [
            "0x1.a67412f649af7p-3",
            "0x1.2aa439babb3f4p-4",
            "-0x1.1d5219892b3f2p-3",
            "0x1.c6716ac4e5961p-3",
        ],
        [
            "0x1.87be841154a69p-4",
            "-0x1.d3d1f52aa00c3p-3",
            "-0x1.588ee107e1a93p-2",
            "-0x1.015fa19d760cdp-1",
        ],
        [
            "0x1.07a7b9fdda38ep-2",
            "-0x1.9e7248eacf388p-2",
            "-0x1.1c1da3d598832p-2",
            "-0x1.9e33346c6006dp-3",
        ],
    ]


def test_noise_stays_in_range() -> None:
    for values in (value_noise4(SPREAD, 3), fbm4(SPREAD, 4, 3), fbm4(SPREAD, 1, 3, gain=0.9)):
        assert values.shape == (len(SPREAD), 4)
        assert values.min() >= -1.0
        assert values.max() <= 1.0
        assert (values.max(axis=0) - values.min(axis=0) > 1.0).all()


def test_noise_at_lattice_points_is_the_corner_value() -> None:
    points = np.floor(SPREAD[:500])
    steps = value_noise4(points, 11) * 127.5 + 127.5
    assert abs(steps - np.floor(steps + 0.5)).max() < 1e-12


def test_channels_are_independent() -> None:
    correlation = np.corrcoef(value_noise4(SPREAD, 5).T) - np.eye(4)
    assert abs(correlation).max() < 0.03


def test_seeds_give_independent_fields() -> None:
    fields = np.stack([value_noise4(SPREAD, seed)[:, 0] for seed in range(5)])
    assert abs(np.corrcoef(fields) - np.eye(5)).max() < 0.03


@pytest.mark.parametrize("axis", range(3))
def test_noise_is_continuous_across_cells(axis: int) -> None:
    on_border = SPREAD[:2000].copy()
    on_border[:, axis] = np.floor(on_border[:, axis])
    just_before = on_border.copy()
    just_before[:, axis] -= 1e-7
    assert abs(value_noise4(on_border, 9) - value_noise4(just_before, 9)).max() < 1e-12


def test_fbm_changes_little_over_a_little_way() -> None:
    step = np.array([1e-6, -1e-6, 1e-6])
    assert abs(fbm4(SPREAD, 5, 2) - fbm4(SPREAD + step, 5, 2)).max() < 1e-3


def test_octaves_have_no_common_lattice_plane() -> None:
    """Value noise is flat across lattice planes; octaves that share one would show it as a seam."""
    north = np.array([0.0, 1.0, 0.0])
    equator = icosphere(4).vertices * 2.0
    equator[:, 1] = 0.0
    elsewhere = equator + 0.37 * north
    slope, usual = (
        abs(fbm4(points + 1e-4 * north, 4, 1) - fbm4(points, 4, 1))[:, 0].mean()
        for points in (equator, elsewhere)
    )
    assert slope > 0.3 * usual


def test_ridged_channels_are_ridges_of_the_same_noise() -> None:
    shift = uniform(mix(4, 0), np.arange(3))
    plain = value_noise4(SPREAD[:100] + shift, mix(4, 0))
    octave = fbm4(SPREAD[:100], 1, 4)
    assert octave[:, :2].tolist() == plain[:, :2].tolist()
    rest = 1.0 - abs(plain[:, 2:])
    assert octave[:, 2:].tolist() == (rest * rest * 2.0 - 1.0).tolist()


def test_result_does_not_depend_on_the_company_of_a_point() -> None:
    points: F64 = SPREAD[:9000]
    together = fbm4(points, 3, 6)
    assert together[4090:4100].tolist() == fbm4(points[4090:4100], 3, 6).tolist()
    assert together[-1].tolist() == fbm4(points[-1:], 3, 6)[0].tolist()
    assert fbm4(points[:0], 3, 6).shape == (0, 4)


def test_noise_leaves_its_points_as_they_were() -> None:
    points = np.array([[Mulberry32(k).next() for k in range(3)]])
    before = points.copy()
    fbm4(points, 2, 1)
    value_noise4(points, 1)
    assert points.tolist() == before.tolist()


def test_fbm_rejects_no_octaves() -> None:
    with pytest.raises(ValueError, match=r"fbm4\.octaves: 0; expected 1 or more"):
        fbm4(SPREAD[:1], 0, 1)
