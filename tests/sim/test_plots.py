"""Plots: what is near, and what touches."""

from __future__ import annotations

import numpy as np

from godseed.sim.columns import Paths
from godseed.sim.plots import (
    PLOT,
    Discs,
    mark_crowded,
    nearby,
    plot_paths,
    touches,
    touching,
    within,
)
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


def test_discs_find_in_their_cells_what_they_touch_among_all_points() -> None:
    draws = np.random.default_rng(3).uniform(size=(6, 3000))
    center = np.tile(direction(-30.0, 100.0), (3000, 1))
    points = cap_points(center, 12.0, draws[0], draws[1])
    paths = plot_paths(points, 0.0005 + 0.03 * draws[2] ** 4, np.arange(3000), np.zeros(3000, int))
    at = cap_points(center[:500], 12.0, draws[3, :500], draws[4, :500])
    radius, before = 0.008 * draws[5, :500], np.arange(500) * 6
    discs = Discs(at, radius, before, center[:500], np.full(500, 0.15))
    chord = np.sqrt(((at[:, None] - points[None]) ** 2).sum(axis=2))
    expected = chord < radius[:, None] + paths.half_width[None]
    expected &= np.arange(3000)[None] < before[:, None]
    expected &= np.sqrt(((points - center) ** 2).sum(axis=1))[None] < 0.15
    found = np.zeros_like(expected)
    for disc, point in touching(discs, paths, np.zeros(500, bool)):
        assert not found[disc, point].any()
        found[disc, point] = True
    assert np.array_equal(found, expected)
    hit = np.zeros(500, bool)
    mark_crowded(discs, paths, hit)
    assert np.array_equal(hit, expected.any(axis=1))
