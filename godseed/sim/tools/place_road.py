"""Roads: a paved strip along a great-circle spline, with lamps beside it.

Twin: web/sim/tools/place_road.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.columns import ROAD, Built, Columns, Part, Paths
from godseed.sim.kits import instance_rows, light_rows, seed24_of
from godseed.sim.maths import F64, I64
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import cross, direction, dot, normalize
from godseed.sim.spline import sample_lines
from godseed.sim.strip import SHOULDER, line_tangents, strip_rows

HALF_WIDTH = 0.0045
STEP = 0.0078
MAX_POINTS = 2048
STONE = (0.088, 0.073, 0.06)
LAMP_EVERY = 10
"""Samples from lamp to lamp; they change sides."""
LAMP_CLEAR = 0.022
"""No lamp this near to the ends of the road, planet radii."""
LAMP_SIDE = 0.0064
LAMP_TINT = (1.0, 0.6, 0.26)
LIGHT_RADIUS = 0.05
LIGHT_STRENGTH = 0.32
LAMP_PURPOSE = 0x4C41


def build(columns: Columns, paths: Paths) -> Built:
    """Pave roads.

    Args:
        columns: n features with `path`.
        paths: not read.
    Returns:
        Parts `road` (patches), `kit:lamp` and `light`; one ROAD line per feature.
    """
    waypoints, starts = columns.paths["path"].values, columns.paths["path"].starts
    dirs = direction(waypoints[:, 0], waypoints[:, 1])
    points, arc, counts = sample_lines(dirs, starts, STEP, MAX_POINTS)
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    total = arc[np.cumsum(counts) - 1]
    tangents = line_tangents(points, owner)
    feature = columns.index[owner]
    half_width = np.full(len(points), HALF_WIDTH)
    laid = Paths(
        points,
        tangents,
        feature,
        np.zeros(len(points), np.int64),
        np.full(len(points), ROAD, dtype=np.int64),
        half_width,
    )
    seed24 = seed24_of(uniform(columns.seed, 0))
    rows = strip_rows(points, tangents, owner, arc, half_width * SHOULDER)
    first = np.nonzero(owner[:-1] == owner[1:])[0]
    rows[:, 14:16] = (-SHOULDER, SHOULDER)
    rows[:, 16:19] = STONE
    rows[:, 19] = total[owner[first]]
    rows[:, 20] = HALF_WIDTH
    rows[:, 21] = seed24[owner[first]]
    rows[:, 23] = feature[first]
    parts = {"road": Part(rows, feature[first])}
    return Built(parts | _lamps(columns, points, tangents, arc, total, owner, counts), laid)


def _lamps(
    columns: Columns, points: F64, tangents: F64, arc: F64, total: F64, owner: I64, counts: I64
) -> dict[str, Part]:
    """Lamps on alternating sides; every other one lights the ground."""
    number = np.arange(len(points)) - (np.cumsum(counts) - counts)[owner]
    rest = total[owner] - arc
    picked = np.nonzero(
        (number % LAMP_EVERY == LAMP_EVERY // 2) & (arc > LAMP_CLEAR) & (rest > LAMP_CLEAR)
    )[0]
    nth = number[picked] // LAMP_EVERY
    side = np.where(nth % 2 == 0, 1.0, -1.0)
    seed = mix(columns.seed, LAMP_PURPOSE)[owner[picked]]
    across = cross(points[picked], tangents[picked]) * side[:, None]
    at = normalize(points[picked] + across * LAMP_SIDE)
    front = normalize(-across - at * dot(-across, at)[:, None])
    feature = columns.index[owner[picked]]
    lamps = instance_rows(
        at,
        front,
        0.92 + 0.16 * uniform(seed, nth * 4),
        feature,
        tint=LAMP_TINT,
        seed24=seed24_of(uniform(seed, nth * 4 + 1)),
        delay_s=1.2 * arc[picked] / total[owner[picked]],
        phase=uniform(seed, nth * 4 + 2),
    )
    lit = np.nonzero(nth % 2 == 0)[0]
    lights = light_rows(at[lit], LIGHT_RADIUS, LAMP_TINT, LIGHT_STRENGTH, feature[lit])
    return {"kit:lamp": Part(lamps, feature), "light": Part(lights, feature[lit])}
