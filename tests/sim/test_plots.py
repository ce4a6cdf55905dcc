"""Plots: what is near, and what touches."""

from __future__ import annotations

import numpy as np

from godseed.sim.columns import Paths
from godseed.sim.plots import PLOT, nearby, plot_paths, touches, within
from godseed.sim.sphere import cap_points, direction


def test_nearby_finds_what_brute_force_finds() -> None:
    draws = np.random.default_rng(1).uniform(size=(2, 4000))
    center = direction(14.0, 38.0)
    points = cap_points(np.tile(center, (4000, 1)), 40.0, draws[0], draws[1])
    chord = np.sqrt(((points - center) ** 2).sum(axis=1))
    assert np.array_equal(nearby(points, center, 0.2), np.nonzero(chord < 0.2)[0])


def test_within_looks_only_at_earlier_features() -> None:
    at = direction(np.array([14.0, 14.1, 14.2]), np.array([38.0, 38.0, 38.0]))
    plots = plot_paths(at, np.full(3, 0.01), np.array([1, 2, 3]), np.arange(3))
    assert within(plots, at[0], 0.1, 3).feature.tolist() == [1, 2]
    assert set(plots.kind) == {PLOT}


def test_discs_touch_when_their_distance_is_less_than_their_radii() -> None:
    at = direction(np.array([0.0, 0.0]), np.array([0.0, 10.0]))
    other = direction(np.array([0.0]), np.array([1.0]))
    gap = float(np.sqrt(((at[0] - other[0]) ** 2).sum()))
    radius = np.array([gap * 0.6, gap * 0.6])
    assert touches(at, radius, other, np.array([gap * 0.41])).tolist() == [True, False]
    assert touches(at, radius, other, np.array([gap * 0.39])).tolist() == [False, False]


def test_nothing_touches_no_points() -> None:
    at = direction(np.array([0.0]), np.array([0.0]))
    assert touches(at, np.ones(1), Paths.empty().points, np.zeros(0)).tolist() == [False]
