"""Ground that buildings take, kept in `Paths` so that whoever builds later builds beside them.

A plot is one point of kind PLOT whose `half_width` is the radius that it keeps free. Whether discs
touch any of many points is found cell by cell; which cells there are changes no answer.

Twin: web/sim/plots.js
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from godseed.sim.columns import Paths, items
from godseed.sim.maths import F64, I64, BoolArray

PLOT = 3
"""Kind in `Paths.kind`, beside ROAD, STREET and STREAM; nobody walks along a plot."""
DISTRICT = 4
"""Kind of the one point that stands for a whole district: its centre, the way of its main street as
tangent, and its radius as `half_width`."""
STRUCTURE_LINE = 0
"""Line number of the plots that structures ask for; houses of districts have others."""
FEW_PLACES = 8
"""So few places look for their neighbours among all points; more of them sort all points once."""
THIN, NARROW, BROAD = 0.003, 0.012, 0.06
"""Radii up to these go apart from wider ones, so that small discs look into small cells."""
DISCS_AT_ONCE = 16384


@dataclass(frozen=True)
class Discs:
    """Ground that m things ask for.

    Attributes:
        at: (m, 3) unit vectors.
        radius: (m,) chords, planet radii.
        before: (m,) world index; only points of features below it count.
        center, away: (m, 3) unit vectors and (m,) chords; only points that near to it count.
    """

    at: F64
    radius: F64
    before: I64
    center: F64
    away: F64

    def some(self, chosen: I64) -> Discs:
        """Some of the discs, by index."""
        return Discs(
            self.at[chosen],
            self.radius[chosen],
            self.before[chosen],
            self.center[chosen],
            self.away[chosen],
        )


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
    return subset(paths, near)


def near_places(paths: Paths, center: F64, away: F64) -> Paths:
    """The points near any of some places if these are few, in order; else simply all points.

    Args:
        paths: ordered by feature.
        center: (n, 3) unit vectors.
        away: (n,) chords.
    """
    if len(center) > FEW_PLACES:
        return paths
    wanted = np.zeros(len(paths.points), bool)
    for i in range(len(center)):
        wanted[nearby(paths.points, center[i], float(away[i]))] = True
    return subset(paths, np.nonzero(wanted)[0])


def subset(paths: Paths, chosen: I64) -> Paths:
    """Some of the points, by index."""
    return Paths(
        paths.points[chosen],
        paths.tangents[chosen],
        paths.feature[chosen],
        paths.line[chosen],
        paths.kind[chosen],
        paths.half_width[chosen],
    )


def nearby(points: F64, center: F64, radius: float) -> I64:
    """Indices of the points (p, 3) within a chord of a unit vector (3,), ascending."""
    off = points[:, 0] - center[0]
    slab = np.nonzero(np.abs(off, out=off) < radius + 1e-9)[0]
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


def mark_crowded(discs: Discs, paths: Paths, hit: BoolArray) -> None:
    """Mark, in `hit` (m,), the discs that touch the disc of any point that counts for them."""
    for disc, _ in touching(discs, paths, hit):
        hit[disc] = True


def touching(discs: Discs, paths: Paths, done: BoolArray) -> Iterator[tuple[I64, I64]]:
    """Pairs of a disc and a point that counts for it and whose disc it touches.

    Args:
        discs: m discs.
        paths: p points.
        done: (m,) discs to leave out from here on; the caller may mark more of them meanwhile.
    Yields:
        indices (k,) of discs and (k,) of points, every pair once, in no order.
    """
    thin_disc = discs.radius <= THIN
    size = np.searchsorted(np.array((THIN, NARROW, BROAD)), paths.half_width, side="left")
    for some in (np.nonzero(thin_disc)[0], np.nonzero(~thin_disc)[0]):
        for points in (3, 2, 1, 0):
            chosen = np.nonzero(size == points)[0]
            if len(some) and len(chosen):
                yield from _cell_pairs(discs, some, paths, chosen, done)


def _cell_pairs(
    discs: Discs, some: I64, paths: Paths, chosen: I64, done: BoolArray
) -> Iterator[tuple[I64, I64]]:
    """`touching` for discs and points of some sizes: each disc looks into the 27 cells around."""
    cell = 1e-6 + float(np.max(discs.radius[some])) + float(np.max(paths.half_width[chosen]))
    across = int(np.floor(2.0 / cell)) + 3
    keys = _cell_keys(paths.points[chosen], cell, across)
    order = np.argsort(keys, kind="stable")
    keys, chosen = keys[order], chosen[order]
    x, y, z = (paths.points[chosen, k] for k in range(3))
    feature, width = paths.feature[chosen], paths.half_width[chosen]
    home = _cell_keys(discs.at[some], cell, across)
    order = np.argsort(home, kind="stable")
    some, home = some[order], home[order]
    # The own column of cells first: whoever touches something there is often done.
    steps = [(dx * across + dy) * across for dx in (0, -1, 1) for dy in (0, -1, 1)]
    for first in range(0, len(some), DISCS_AT_ONCE):
        batch, middle = (part[first : first + DISCS_AT_ONCE] for part in (some, home))
        at, radius, before = discs.at[batch].T.copy(), discs.radius[batch], discs.before[batch]
        for step in steps:
            left = np.nonzero(~done[batch])[0]
            cells = middle[left] + step
            new = np.concatenate([np.ones(1, bool), cells[1:] != cells[:-1]])[: len(cells)]
            which = np.cumsum(new) - 1
            start = np.searchsorted(keys, cells[new] - 1, side="left")
            counts = np.searchsorted(keys, cells[new] + 1, side="right") - start
            owner, item = items(counts[which])
            if len(owner) == 0:
                continue
            disc, point = left[owner], start[which[owner]] + item
            earlier = np.nonzero(feature[point] < before[disc])[0]
            disc, point = disc[earlier], point[earlier]
            along = at[0][disc] * x[point]
            along += at[1][disc] * y[point]
            along += at[2][disc] * z[point]
            reach = radius[disc] + width[point]
            near = np.nonzero(2.0 - 2.0 * along < reach * reach)[0]
            disc, point = batch[disc[near]], point[near]
            along = x[point] * discs.center[disc, 0]
            along += y[point] * discs.center[disc, 1]
            along += z[point] * discs.center[disc, 2]
            inside = 2.0 - 2.0 * along < discs.away[disc] * discs.away[disc]
            yield disc[inside], chosen[point[inside]]


def _cell_keys(points: F64, cell: float, across: int) -> I64:
    """Number of the cubic cell of each point (n, 3); cells along z follow each other."""
    index = np.floor((points + 1.0) / cell).astype(np.int64) + 1
    keys: I64 = (index[:, 0] * across + index[:, 1]) * across + index[:, 2]
    return keys
