"""Water that glows from within: streams along great-circle splines, and pools.

Twin: web/sim/tools/place_water.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.color import hue_rgb
from godseed.sim.columns import STREAM, Built, Columns, Part, Paths, items
from godseed.sim.kits import light_rows, seed24_of
from godseed.sim.maths import DEG, F64, I64, TAU, cos, sin, smoothstep
from godseed.sim.plots import plot_paths
from godseed.sim.rng import uniform
from godseed.sim.sphere import direction, east_north, normalize
from godseed.sim.spline import sample_lines
from godseed.sim.strip import line_tangents, strip_rows
from godseed.spec import load

HALF_WIDTH = 0.006
SHORE = 1.3
"""Patches reach this far across, in half widths; the shader fades the wet bank beyond the water."""
SOURCE_WIDTH, SOURCE_LENGTH = 0.3, 0.05
"""A stream springs this narrow, in half widths, and has its width after this distance."""
STEP = 0.0078
MAX_POINTS = 2048
RINGS, SECTORS = 4, 24
POOL_MARGIN = 1.04
"""Pool patches reach a little beyond the radius, for the wet bank."""
PLOT_RINGS, PLOT_RADIUS = (0.45, 0.80), 0.29
"""Six and twelve plots round the one in a pool's middle, and their size; both in pool radii."""
SATURATION, VALUE = 0.68, 0.9
WET_EVERY, GLOW_EVERY = 3, 8
"""Samples from one row of wetness, or of light, to the next along a stream."""
WET_RADIUS, WET_STRENGTH = 0.026, 0.55
GLOW_RADIUS, GLOW_STRENGTH = 0.050, 0.15
WATER_STREAM, WATER_POOL = 0.0, 1.0
"""Kinds in column 22 of a patch."""


def build(columns: Columns, paths: Paths) -> Built:
    """Lay streams and pools.

    Args:
        columns: n features with `kind path radius_deg hue`.
        paths: not read.
    Returns:
        Parts `water` (patches) and `light` (wet ground and its glow); a STREAM line for each stream
        and plots in each pool, so that nobody builds in it.
    """
    pool = columns.enums["kind"] == _pool_code()
    starts = columns.paths["path"].starts
    waypoints = columns.paths["path"].values
    dirs = direction(waypoints[:, 0], waypoints[:, 1])
    tint = hue_rgb(columns.numbers["hue"], SATURATION, VALUE)
    seed24 = seed24_of(uniform(columns.seed, 0))
    water: list[Part] = []
    lights: list[Part] = []
    laid: list[Paths] = []
    streams = np.nonzero(~pool)[0]
    if len(streams):
        size = starts[streams + 1] - starts[streams]
        which, item = items(size)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(size)])
        lines = sample_lines(dirs[starts[streams][which] + item], ends, STEP, MAX_POINTS)
        rows, wet, line = _streams(lines, columns.index[streams], tint[streams], seed24[streams])
        water.append(rows)
        lights.append(wet)
        laid.append(line)
    pools = np.nonzero(pool)[0]
    if len(pools):
        center = dirs[starts[pools]]
        radius = columns.numbers["radius_deg"][pools] * DEG
        water.append(_pools(center, radius, columns.index[pools], tint[pools], seed24[pools]))
        lights.append(_pool_lights(center, radius, columns.index[pools], tint[pools]))
        laid.append(_plots(center, radius, columns.index[pools]))
    if not water:
        return Built({})
    return Built({"water": _joined(water), "light": _joined(lights)}, _joined_paths(laid))


def _pool_code() -> int:
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    kinds = next(arg for arg in rows["place_water"]["args"] if arg["name"] == "kind")
    values: list[str] = kinds["values"]
    return values.index("pool")


def _streams(
    lines: tuple[F64, F64, I64], index: I64, tint: F64, seed24: F64
) -> tuple[Part, Part, Paths]:
    """Patches, light rows and lines of streams, from what `sample_lines` gives."""
    points, arc, counts = lines
    total = arc[np.cumsum(counts) - 1]
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    tangents = line_tangents(points, owner)
    # Half of a short stream is source, so that it widens at all.
    source = np.minimum(SOURCE_LENGTH, 0.5 * total)[owner]
    width = SOURCE_WIDTH + (1.0 - SOURCE_WIDTH) * smoothstep(0.0, 1.0, arc / source)
    half_width = HALF_WIDTH * width
    rows = strip_rows(points, tangents, owner, arc, half_width * SHORE)
    first = np.nonzero(owner[:-1] == owner[1:])[0]
    rows[:, 14:16] = (-SHORE, SHORE)
    rows[:, 16:19] = tint[owner[first]]
    rows[:, 19] = total[owner[first]]
    rows[:, 20] = HALF_WIDTH
    rows[:, 21] = seed24[owner[first]]
    rows[:, 22] = WATER_STREAM
    rows[:, 23] = index[owner[first]]
    number = np.arange(len(points)) - (np.cumsum(counts) - counts)[owner]
    wet = np.nonzero(number % WET_EVERY == 1)[0]
    glow = np.nonzero(number % GLOW_EVERY == GLOW_EVERY // 2)[0]
    at = np.concatenate([wet, glow])
    is_wet = np.arange(len(at)) < len(wet)
    lights = light_rows(
        points[at],
        np.where(is_wet, WET_RADIUS, GLOW_RADIUS),
        tint[owner[at]],
        np.where(is_wet, WET_STRENGTH, GLOW_STRENGTH) * width[at],
        index[owner[at]],
    )
    lights[:, 8] = np.where(is_wet, 2.0, 0.0)
    order = np.argsort(owner[at], kind="stable")
    line = Paths(
        points,
        tangents,
        index[owner],
        np.zeros(len(points), np.int64),
        np.full(len(points), STREAM, dtype=np.int64),
        half_width,
    )
    feature = index[owner[first]]
    return Part(rows, feature), Part(lights[order], index[owner[at]][order]), line


def _pools(center: F64, radius: F64, index: I64, tint: F64, seed24: F64) -> Part:
    """Discs as rings of patches; s is the turn in radians, v is 0 in the middle, 1 at the edge."""
    n = len(center)
    east, north = east_north(center)
    turn = np.arange(SECTORS + 1, dtype=np.float64) * (TAU / SECTORS)
    turn[SECTORS] = 0.0
    # Rings get narrower outwards, where the shore needs them.
    v = np.array([0.0, 0.42, 0.72, 0.90, 1.0]) * POOL_MARGIN
    angle = radius[:, None] * v
    level = east[:, None, :] * sin(turn)[:, None] + north[:, None, :] * cos(turn)[:, None]
    grid = normalize(
        center[:, None, None, :] * cos(angle)[:, :, None, None]
        + level[:, None, :, :] * sin(angle)[:, :, None, None]
    )
    rows = np.zeros((n, RINGS, SECTORS, 24))
    rows[..., 0:3] = grid[:, :-1, :-1]
    rows[..., 3:6] = grid[:, :-1, 1:]
    rows[..., 6:9] = grid[:, 1:, :-1]
    rows[..., 9:12] = grid[:, 1:, 1:]
    rows[..., 12] = np.arange(SECTORS) * (TAU / SECTORS)
    rows[..., 13] = np.arange(1, SECTORS + 1) * (TAU / SECTORS)
    rows[..., 14] = v[:-1, None]
    rows[..., 15] = v[1:, None]
    rows[..., 16:19] = tint[:, None, None, :]
    rows[..., 19] = radius[:, None, None]
    rows[..., 20] = radius[:, None, None]
    rows[..., 21] = seed24[:, None, None]
    rows[..., 22] = WATER_POOL
    rows[..., 23] = index[:, None, None]
    return Part(rows.reshape(-1, 24), np.repeat(index, RINGS * SECTORS))


def _pool_lights(center: F64, radius: F64, index: I64, tint: F64) -> Part:
    """One row of wetness and one of light for each pool."""
    rows = np.zeros((len(center), 2, 12))
    rows[:, 0] = light_rows(center, radius * 1.45, tint, 1.6, index)
    rows[:, 0, 8] = 2.0
    rows[:, 1] = light_rows(center, radius * 1.35 + 0.03, tint, 0.30, index)
    return Part(rows.reshape(-1, 12), np.repeat(index, 2))


def _plots(center: F64, radius: F64, index: I64) -> Paths:
    """The ground that pools take, as overlapping plots small enough to be found from nearby."""
    n = len(center)
    out = np.repeat((0.0, *PLOT_RINGS), (1, 6, 12))
    turn = np.concatenate([np.zeros(1), np.arange(6) / 6.0, np.arange(12) / 12.0]) * TAU
    east, north = east_north(center)
    angle = radius[:, None] * out
    level = east[:, None, :] * sin(turn)[:, None] + north[:, None, :] * cos(turn)[:, None]
    at = center[:, None, :] * cos(angle)[..., None] + level * sin(angle)[..., None]
    count = len(out)
    return plot_paths(
        normalize(at).reshape(-1, 3),
        np.repeat(radius * PLOT_RADIUS, count),
        np.repeat(index, count),
        np.tile(np.arange(count, dtype=np.int64), n),
    )


def _joined(parts: list[Part]) -> Part:
    """Several parts as one in feature order."""
    feature = np.concatenate([part.feature for part in parts])
    order = np.argsort(feature, kind="stable")
    return Part(np.concatenate([part.rows for part in parts])[order], feature[order])


def _joined_paths(parts: list[Paths]) -> Paths:
    feature = np.concatenate([part.feature for part in parts])
    order = np.argsort(feature, kind="stable")
    return Paths(
        np.concatenate([part.points for part in parts])[order],
        np.concatenate([part.tangents for part in parts])[order],
        feature[order],
        np.concatenate([part.line for part in parts])[order],
        np.concatenate([part.kind for part in parts])[order],
        np.concatenate([part.half_width for part in parts])[order],
    )
