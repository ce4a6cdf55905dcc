"""Column batches: n features of one tool as arrays, and what the tools give back.

Every tool builds a whole batch at once, so that a world of 10,000 features costs a few hundred
array operations instead of millions of small ones; appending one feature is a batch of one. All
operations are elementwise or run in row order, so a batch of n gives the same bytes as n batches of
one. The JavaScript twin loops over features.

Twin: web/sim/columns.js
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from godseed.sim.maths import F64, I64, U32, BoolArray

ROAD, STREET, STREAM = 0, 1, 2
"""Kinds of path in `Paths.kind`."""
FEW_PLACES = 8
"""So few places look for the nearest point among all as they are; more sort them once."""
SLABS = (0.01, 0.05, 0.2, 2.1)
"""How far off in x the nearest point is looked for: at first near, at last everywhere."""


@dataclass(frozen=True)
class Ragged:
    """Lists of different length, end to end: item i is `values[starts[i]:starts[i + 1]]`.

    Attributes:
        values: (m, k) float64.
        starts: (n + 1,) int64, ascending, from 0 to m.
    """

    values: F64
    starts: I64


@dataclass(frozen=True)
class Columns:
    """n accepted features of one tool, in feature order.

    Attributes:
        index: (n,) int64, position of each feature in the world, ascending.
        seed: (n,) uint32, each feature's seed.
        numbers: argument name -> (n,) float64, clamped, default filled in.
        enums: argument name -> (n,) int64, position in the spec's `values`.
        texts: argument name -> n strings.
        paths: argument name -> lat/lon degrees, k = 2.
        town: (n, 3) float64, town centre of the world before each feature.
        ordinal: (n,) int64, how many features of this tool came before each one.
    """

    index: I64
    seed: U32
    numbers: Mapping[str, F64] = field(default_factory=dict)
    enums: Mapping[str, I64] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    paths: Mapping[str, Ragged] = field(default_factory=dict)
    town: F64 = field(default_factory=lambda: np.zeros((0, 3)))
    ordinal: I64 = field(default_factory=lambda: np.zeros(0, np.int64))


@dataclass(frozen=True)
class Part:
    """Rows that a batch adds to one buffer, ordered by feature.

    Attributes:
        rows: (r, width) float64; rounded to float32 once, when the scene stores them.
        feature: (r,) int64, world index of the feature that owns each row, ascending.
    """

    rows: F64
    feature: I64


@dataclass(frozen=True)
class Paths:
    """Roads, streets and streams on the ground as sampled points, ordered by feature.

    Attributes:
        points: (p, 3) float64 unit vectors, in order along each path.
        tangents: (p, 3) float64 unit vectors along the path.
        feature: (p,) int64 world index of the owner, ascending.
        line: (p,) int64, number of the line inside its feature (a district has several).
        kind: (p,) int64, ROAD, STREET or STREAM.
        half_width: (p,) float64, planet radii.
    """

    points: F64
    tangents: F64
    feature: I64
    line: I64
    kind: I64
    half_width: F64

    @staticmethod
    def empty() -> Paths:
        """No paths at all."""
        none = np.zeros(0, np.int64)
        return Paths(np.zeros((0, 3)), np.zeros((0, 3)), none, none, none, np.zeros(0))


@dataclass(frozen=True)
class Built:
    """What one batch of one tool adds to the scene.

    Attributes:
        parts: buffer name -> rows.
        paths: lines that later features may follow or face.
    """

    parts: Mapping[str, Part]
    paths: Paths = field(default_factory=Paths.empty)


def items(counts: I64) -> tuple[I64, I64]:
    """Number the items of n owners that have `counts` items each.

    Args:
        counts: (n,) int64, none negative.
    Returns:
        owner (m,) int64 and item (m,) int64, m the total: owner 0's items 0, 1, ... first.
    """
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    ends = np.cumsum(counts)
    item = np.arange(len(owner), dtype=np.int64) - (ends - counts)[owner]
    return owner, item


def nearest_path(paths: Paths, at: F64, before: I64, kinds: tuple[int, ...]) -> tuple[I64, F64]:
    """Find the path point nearest to each place among those of earlier features.

    Args:
        paths: sampled lines, ordered by feature.
        at: (m, 3) unit vectors.
        before: (m,) world index; only points of features below it are looked at.
        kinds: which of ROAD, STREET, STREAM count.
    Returns:
        index (m,) int64 into paths, -1 where there is none, and cosine (m,) float64 of the angle to
        it (-1 where there is none). Ties go to the earliest point.
    """
    index = np.full(len(at), -1, np.int64)
    cosine = np.full(len(at), -1.0)
    ends = np.searchsorted(paths.feature, before, side="left")
    many = len(at) > FEW_PLACES
    if many:
        wanted = np.nonzero(_of_kinds(paths.kind, kinds))[0]
        wanted = wanted[np.argsort(paths.points[wanted, 0], kind="stable")]
        sorted_points = paths.points[wanted].T.copy()
    for i, end in enumerate(ends):
        # Only if nobody is nearer than the slab is wide, somebody outside of it may be nearest.
        for width in SLABS:
            if many:
                low, high = at[i, 0] - width, at[i, 0] + width
                start, stop = np.searchsorted(sorted_points[0], (low, high))
                near, points = wanted[start:stop], sorted_points[:, start:stop]
            else:
                off = paths.points[:end, 0] - at[i, 0]
                near = np.nonzero(np.abs(off, out=off) <= width)[0]
                near = near[_of_kinds(paths.kind[near], kinds)]
                points = paths.points[near].T
            along = points[0] * at[i, 0] + points[1] * at[i, 1] + points[2] * at[i, 2]
            along[near >= end] = -2.0
            best = float(np.max(along, initial=-2.0))
            if best > 1.0 - 0.5 * width * width + 1e-9:
                break
        if best > -2.0:
            index[i], cosine[i] = np.min(near[along == best]), best
    return index, cosine


def _of_kinds(kind: I64, kinds: tuple[int, ...]) -> BoolArray:
    found: BoolArray = kind == kinds[0]
    for other in kinds[1:]:
        found = found | (kind == other)
    return found
