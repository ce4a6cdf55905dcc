"""Moving inhabitants: each feature finds its way once; `godseed.sim.life` moves them along it.

Twin: web/sim/tools/spawn_life.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.color import hue_rgb
from godseed.sim.columns import ROAD, STREAM, STREET, Built, Columns, Part, Paths, nearest_path
from godseed.sim.life import CARTS, HALF, LIFE_WIDTH, WAY_POINTS, WAY_START
from godseed.sim.maths import DEG, F64, I64, TAU, cos, sin
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import angle_rad, direction, dot, east_north, normalize
from godseed.sim.spline import resample
from godseed.spec import load

SHORTEST_WAY = 0.03
"""Carts do not take to a line of which less than this lies within their radius, radians."""
LOOP_PURPOSE = 0x4C4F
WARM = (1.0, 0.66, 0.34)
WARMTH = {"carts": 0.55, "birds": 0.15, "fireflies": 0.25}
"""How much of the lamp's own colour is mixed into the hue."""


def build(columns: Columns, paths: Paths) -> Built:
    """Release carts, birds and fireflies.

    Args:
        columns: n features with `lat lon radius_deg kind count hue`.
        paths: of all features; carts take to the nearest earlier road or stream, else street.
    Returns:
        Part `life`, one row per feature.
    """
    n = len(columns.index)
    if n == 0:
        return Built({})
    names = _kind_names()
    kind = columns.enums["kind"]
    anchor = direction(columns.numbers["lat"], columns.numbers["lon"])
    radius = columns.numbers["radius_deg"] * DEG
    warmth = np.array([WARMTH[name] for name in names])[kind][:, None]
    rows = np.zeros((n, LIFE_WIDTH))
    rows[:, 0:3] = anchor
    rows[:, 3] = radius
    rows[:, 4] = kind
    rows[:, 5] = columns.numbers["count"]
    rows[:, 8:11] = (
        hue_rgb(columns.numbers["hue"], 0.6, 1.0) * (1.0 - warmth) + np.array(WARM) * warmth
    )
    rows[:, 11] = np.floor(columns.seed / float(HALF))
    rows[:, 12] = columns.seed - rows[:, 11] * HALF
    rows[:, 13] = columns.index
    carts = np.nonzero(kind == CARTS)[0]
    if len(carts):
        closed, length, way = _ways(columns, paths, carts, anchor[carts], radius[carts])
        rows[carts, 6], rows[carts, 7] = closed, length
        rows[carts, WAY_START:] = way.reshape(len(carts), -1)
    return Built({"life": Part(rows, columns.index)})


def _kind_names() -> tuple[str, ...]:
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    kinds = next(arg for arg in rows["spawn_life"]["args"] if arg["name"] == "kind")
    return tuple(kinds["values"])


def _ways(
    columns: Columns, paths: Paths, carts: I64, anchor: F64, radius: F64
) -> tuple[F64, F64, F64]:
    """Whether each way is a loop, its length, and its points (n, 24, 3)."""
    seed, before = columns.seed[carts], columns.index[carts]
    way = _loops(anchor, radius, mix(seed, LOOP_PURPOSE))
    closed, length = np.ones(len(carts)), np.zeros(len(carts))
    taken = np.zeros(len(carts), dtype=bool)
    for kinds in ((ROAD, STREAM), (STREET,)):
        index, cosine = nearest_path(paths, anchor, before, kinds)
        for i in np.nonzero(~taken & (index >= 0) & (cosine > cos(radius)))[0]:
            line = _stretch(paths, int(index[i]), anchor[i], float(radius[i]))
            arc = np.concatenate([np.zeros(1), np.cumsum(angle_rad(line[:-1], line[1:]))])
            if arc[-1] >= SHORTEST_WAY:
                evenly = np.arange(WAY_POINTS, dtype=np.float64) * (arc[-1] / (WAY_POINTS - 1))
                way[i] = resample(line, arc, evenly)
                closed[i] = 0.0
                taken[i] = True
    for k in range(WAY_POINTS - 1):
        length = length + angle_rad(way[:, k], way[:, k + 1])
    return closed, length, way


def _stretch(paths: Paths, index: int, anchor: F64, radius: float) -> F64:
    """The piece of a line that holds its point `index` and stays within the radius, (m, 3)."""
    owner = paths.feature[index]
    start, end = np.searchsorted(paths.feature, (owner, owner + 1), side="left")
    points = paths.points[start:end]
    same = (
        (paths.line[start:end] == paths.line[index])
        & (paths.kind[start:end] == paths.kind[index])
        & (dot(points, anchor) >= float(cos(radius)))
    )
    first = last = index - int(start)
    while first > 0 and same[first - 1]:
        first -= 1
    while last + 1 < len(same) and same[last + 1]:
        last += 1
    return points[first : last + 1]


def _loops(anchor: F64, radius: F64, seed: np.ndarray) -> F64:
    """Wavy rings round places, the last point on the first, (n, 24, 3)."""
    turn = np.arange(WAY_POINTS, dtype=np.float64) * (TAU / (WAY_POINTS - 1))
    turn[-1] = 0.0
    reach = 0.55 + 0.2 * uniform(seed, 0)
    angle = (radius * reach)[:, None] * (
        1.0
        + 0.14 * sin(2.0 * turn + TAU * uniform(seed, 1)[:, None])
        + 0.07 * sin(3.0 * turn + TAU * uniform(seed, 2)[:, None])
    )
    east, north = east_north(anchor)
    level = north[:, None, :] * cos(turn)[:, None] + east[:, None, :] * sin(turn)[:, None]
    return normalize(anchor[:, None, :] * cos(angle)[..., None] + level * sin(angle)[..., None])
