"""Ground that buildings take, kept in `Paths` so that whoever builds later builds beside them.

A plot is one point of kind PLOT whose `half_width` is the radius that it keeps free.

Twin: web/sim/plots.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.columns import Paths
from godseed.sim.maths import F64, I64, BoolArray

PLOT = 3
"""Kind in `Paths.kind`, beside ROAD, STREET and STREAM; nobody walks along a plot."""


def plot_paths(at: F64, radius: F64, feature: I64, line: I64) -> Paths:
    """Plots as rows of `Paths`.

    Args:
        at: (p, 3) unit vectors.
        radius: (p,) planet radii.
        feature: (p,) world index of the owner, ascending.
        line: (p,) numbers that no other line of the feature has.
    """
    kind = np.full(len(at), PLOT, dtype=np.int64)
    return Paths(at, np.zeros_like(at), feature, line, kind, radius)


def within(paths: Paths, center: F64, radius: float, before: int) -> Paths:
    """The points of earlier features that lie within a chord of a place, in order.

    Args:
        paths: ordered by feature.
        center: (3,) unit vector.
        radius: chord length, planet radii.
        before: world index; only points of features below it are looked at.
    """
    end = int(np.searchsorted(paths.feature, before, side="left"))
    near = nearby(paths.points[:end], center, radius)
    return Paths(
        paths.points[near],
        paths.tangents[near],
        paths.feature[near],
        paths.line[near],
        paths.kind[near],
        paths.half_width[near],
    )


def nearby(points: F64, center: F64, radius: float) -> I64:
    """Indices of the points (p, 3) within a chord of a unit vector (3,), ascending."""
    slab = np.nonzero(np.abs(points[:, 0] - center[0]) < radius + 1e-9)[0]
    x, y, z = (points[slab, k] for k in range(3))
    along = x * center[0] + y * center[1] + z * center[2]
    near: I64 = slab[2.0 - 2.0 * along < radius * radius]
    return near


def touches(at: F64, radius: F64, points: F64, half_width: F64) -> BoolArray:
    """Whether discs at some places touch any of the points' discs.

    Args:
        at: (m, 3) unit vectors.
        radius: (m,) chords, planet radii.
        points: (p, 3) unit vectors.
        half_width: (p,) chords, planet radii.
    Returns:
        (m,) bool.
    """
    along = at[:, 0, None] * points[None, :, 0]
    along = along + at[:, 1, None] * points[None, :, 1]
    along = along + at[:, 2, None] * points[None, :, 2]
    reach = radius[:, None] + half_width[None, :]
    hit: BoolArray = np.any(2.0 - 2.0 * along < reach * reach, axis=1)
    return hit
