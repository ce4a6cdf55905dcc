"""Roads: a paved strip along a great-circle spline, with lamps beside it.

A road goes round earlier buildings, ends at the gates of earlier districts and joins earlier roads;
see `godseed.sim.junctions`.

Twin: web/sim/tools/place_road.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.columns import ROAD, Built, Columns, Part, Paths, items
from godseed.sim.growing import Growing
from godseed.sim.junctions import Before, Run, arc_of, runs_of
from godseed.sim.kits import instance_rows, light_rows, seed24_of
from godseed.sim.maths import F64, I64, BoolArray
from godseed.sim.plots import DISTRICT, PLOT, STRUCTURE_LINE, nearby
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import cross, direction, dot, normalize
from godseed.sim.spline import sample_lines
from godseed.sim.strip import SHOULDER, line_tangents, strip_rows

HALF_WIDTH = 0.0043
STEP = 0.0062
MAX_POINTS = 2048
STONE = (0.088, 0.073, 0.06)
LAMP_EVERY = 12
"""Samples from lamp to lamp; they change sides."""
LAMP_CLEAR = 0.022
"""No lamp this near to the ends of the road, planet radii."""
LAMP_SIDE = 0.0064
LAMP_TINT = (1.0, 0.6, 0.26)
LIGHT_RADIUS = 0.05
LIGHT_STRENGTH = 0.32
LAMP_PURPOSE = 0x4C41
PAVED, CROSSING = 0.0, 0.4
"""Kinds of patch, see `road.frag`; 1 is a footpath."""
LAMPS_PER_RUN = 64
"""Lamps of the next piece of a road draw their numbers this much farther on."""
SEARCH = 0.12
"""Whatever is farther from all of a road is not looked at."""


def build(columns: Columns, paths: Paths) -> Built:
    """Pave roads.

    Args:
        columns: n features with `path`.
        paths: of all features; roads, buildings and districts before each road are met.
    Returns:
        Parts `road` (patches), `kit:lamp` and `light`; a ROAD line for every piece of a road that
        lies outside of the districts.
    """
    waypoints, starts = columns.paths["path"].values, columns.paths["path"].starts
    dirs = direction(waypoints[:, 0], waypoints[:, 1])
    asked, _, counts = sample_lines(dirs, starts, STEP, MAX_POINTS)
    road, runs = _runs(columns, paths, asked, counts)
    if not runs:
        return Built({})
    length = np.array([len(run.points) for run in runs], dtype=np.int64)
    owner, number = items(length)
    points = np.concatenate([run.points for run in runs])
    arc = np.concatenate([arc_of(run.points) for run in runs])
    shared = np.concatenate([run.shared for run in runs])
    crossing = np.concatenate([run.crossing for run in runs])
    total = arc[np.cumsum(length) - 1]
    tangents = line_tangents(points, owner)
    line = np.arange(len(runs)) - np.searchsorted(road, road, side="left")
    feature = columns.index[road[owner]]
    half_width = np.full(len(points), HALF_WIDTH)
    kind = np.full(len(points), ROAD, dtype=np.int64)
    laid = Paths(points, tangents, feature, line[owner], kind, half_width)
    seed24 = seed24_of(uniform(columns.seed, 0))
    rows = strip_rows(points, tangents, owner, arc, half_width * SHOULDER)
    first = np.nonzero(owner[:-1] == owner[1:])[0]
    rows[:, 14:16] = (-SHOULDER, SHOULDER)
    rows[:, 16:19] = STONE
    rows[:, 19] = total[owner[first]]
    rows[:, 20] = HALF_WIDTH
    rows[:, 21] = seed24[road[owner[first]]]
    rows[:, 22] = np.where(crossing, CROSSING, PAVED)
    rows[:, 23] = feature[first]
    seen = ~(shared[first] & shared[first + 1])
    parts = {"road": Part(rows[seen], feature[first[seen]])}
    joint = np.zeros(len(points), bool)
    joint[first] |= crossing
    joint[first + 1] |= crossing
    clear = ~(shared | joint)
    lamps = _lamps(columns, points, tangents, arc, total, road, owner, line, number, clear)
    return Built({name: part for name, part in (parts | lamps).items() if len(part.rows)}, laid)


def _runs(columns: Columns, paths: Paths, asked: F64, counts: I64) -> tuple[I64, list[Run]]:
    """Pieces of all roads, road after road, and which road each one belongs to.

    Roads of one batch meet each other, so one is laid after the other.
    """
    first = columns.index[0] if len(columns.index) else 0
    old = np.nonzero((paths.kind == ROAD) & (paths.feature < first))[0]
    stands = np.nonzero((paths.kind == PLOT) & (paths.line == STRUCTURE_LINE))[0]
    districts = np.nonzero(paths.kind == DISTRICT)[0]
    laid, tangents = Growing.of(paths.points[old]), Growing.of(paths.tangents[old])
    runs: list[Run] = []
    road: list[int] = []
    ends = np.cumsum(counts)
    for i, index in enumerate(columns.index.tolist()):
        points = asked[ends[i] - counts[i] : ends[i]]
        middle = points[len(points) // 2]
        off = points - middle
        reach = float(np.sqrt(np.max(dot(off, off)))) + SEARCH
        near = _near(paths, stands, index, middle, reach)
        around = _near(paths, districts, index, middle, reach)
        met = nearby(laid.view, middle, reach)
        found = runs_of(
            points,
            STEP,
            Before(
                paths.points[near],
                paths.half_width[near],
                paths.points[around],
                paths.tangents[around],
                paths.half_width[around],
                laid.view[met],
                tangents.view[met],
            ),
        )
        for run in found:
            own = line_tangents(run.points, np.zeros(len(run.points), np.int64))
            laid, tangents = laid.append(run.points), tangents.append(own)
        runs += found
        road += [i] * len(found)
    return np.array(road, dtype=np.int64), runs


def _near(paths: Paths, some: I64, index: int, middle: F64, reach: float) -> I64:
    """Those of some discs that belong to earlier features and touch a ball."""
    earlier = some[: np.searchsorted(paths.feature[some], index)]
    gap = paths.points[earlier] - middle
    limit = reach + paths.half_width[earlier]
    return earlier[dot(gap, gap) < limit * limit]


def _lamps(
    columns: Columns,
    points: F64,
    tangents: F64,
    arc: F64,
    total: F64,
    road: I64,
    owner: I64,
    line: I64,
    number: I64,
    clear: BoolArray,
) -> dict[str, Part]:
    """Lamps on alternating sides; every other one lights the ground."""
    rest = total[owner] - arc
    picked = np.nonzero(
        (number % LAMP_EVERY == LAMP_EVERY // 2) & (arc > LAMP_CLEAR) & (rest > LAMP_CLEAR) & clear
    )[0]
    own = road[owner[picked]]
    nth = number[picked] // LAMP_EVERY + LAMPS_PER_RUN * line[owner[picked]]
    side = np.where(nth % 2 == 0, 1.0, -1.0)
    seed = mix(columns.seed, LAMP_PURPOSE)[own]
    across = cross(points[picked], tangents[picked]) * side[:, None]
    at = normalize(points[picked] + across * LAMP_SIDE)
    front = normalize(-across - at * dot(-across, at)[:, None])
    feature = columns.index[own]
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
