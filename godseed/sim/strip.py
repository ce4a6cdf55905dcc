"""Strips of patches along lines on the ground: what roads, footpaths and streams are drawn from.

Twin: web/sim/strip.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.maths import F64, I64
from godseed.sim.sphere import cross, dot, normalize

PATCH_WIDTH = 24
SHOULDER = 1.32
"""Paved patches reach this far across, in half widths; the shader fades them beyond the kerb."""


def line_tangents(points: F64, owner: I64) -> F64:
    """Unit tangents of sampled lines, from each point's neighbours on the same line.

    Args:
        points: (p, 3) unit vectors, line after line.
        owner: (p,) number of the line, ascending; lines have two points or more.
    Returns:
        (p, 3) unit vectors, perpendicular to the points.
    """
    i = np.arange(len(points))
    same = owner[:-1] == owner[1:]
    after = i + np.concatenate([same, np.zeros(1, bool)])[: len(points)]
    before = i - np.concatenate([np.zeros(1, bool), same])[: len(points)]
    chord = points[after] - points[before]
    return normalize(chord - points * dot(chord, points)[:, None])


def strip_rows(points: F64, tangents: F64, owner: I64, arc: F64, half_width: F64) -> F64:
    """Patches between neighbouring points of each line; neighbours share exact corners.

    Args:
        points: (p, 3) unit vectors, line after line.
        tangents: (p, 3).
        owner: (p,) number of the line, ascending.
        arc: (p,) distance along its line.
        half_width: (p,) planet radii from the middle to the edge.
    Returns:
        (q, 24) float64 with corners and s0, s1 filled in; one row per pair of neighbours.
    """
    side = cross(points, tangents) * half_width[:, None]
    left, right = normalize(points + side), normalize(points - side)
    first = np.nonzero(owner[:-1] == owner[1:])[0]
    rows = np.zeros((len(first), 24))
    rows[:, 0:3] = left[first]
    rows[:, 3:6] = left[first + 1]
    rows[:, 6:9] = right[first]
    rows[:, 9:12] = right[first + 1]
    rows[:, 12] = arc[first]
    rows[:, 13] = arc[first + 1]
    return rows
