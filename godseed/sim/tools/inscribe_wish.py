"""Words in the world: a ring of letters round it, or a stone near the town.

Twin: web/sim/tools/inscribe_wish.js
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from godseed.sim import text
from godseed.sim.columns import Built, Columns, Part, Paths, items
from godseed.sim.feature import Feature
from godseed.sim.kits import instance_rows, kit, light_rows
from godseed.sim.maths import DEG, F64, TAU, U32, cos, sin
from godseed.sim.plots import Discs, mark_crowded, near_places
from godseed.sim.rng import mix, uniform
from godseed.sim.shaping import pages_of
from godseed.sim.sphere import cross, east_north, normalize, rotate
from godseed.spec import constants, load

RING_RADIUS, RING_STEP, RING_LEVELS = 1.30, 0.07, 4
RING_TURNS_DEG = (0.0, 42.0, -42.0, 22.0, -22.0)
"""How rings that follow each other are turned about the town, so that they cross and do not
cover."""
RING_EM = 0.078
RING_TILT_DEG, RING_ROLL_DEG = (15.0, 24.0), (-15.0, 15.0)
"""How far a ring leans away from the town, so that its near side passes above it, and to a side."""
RING_SPEED = 0.03
"""Radians per second."""
RING_GOLD, RING_INTENSITY = (1.0, 0.78, 0.45), 0.80
RING_FADE_S = 2.4
"""Seconds from the first letter to the last one."""

STONE_AWAY_DEG = (3.5, 6.0)
STONE_BEARING_DEG = 80.0
"""A stone stands on the near side of the town, at most so far from the camera's azimuth."""
STONE_TURN_DEG = 9.0
STONE_TRIES = 16
STONE_SIZE, STONE_MARGIN = 0.030, 0.07
"""Radius that a stone wants free, and how far around it is looked for what stands there."""
FACE_WIDTH, FACE_HEIGHT = 0.0455, 0.0285
FACE_MIDDLE, FACE_FRONT = 0.0236, 0.0034
"""Text box on the front of the `plaque` kit: size, height of its middle, distance from its axis."""
STONE_GOLD, STONE_INTENSITY = (1.0, 0.74, 0.40), 0.62
STONE_FADE_S = 1.8
RING_PURPOSE, STONE_PURPOSE = 0x5247, 0x5354
RING, PLAQUE = 0.0, 1.0
"""Kinds in column 23 of a glyph, to which twice the page of the atlas is added (0: the base)."""
GLYPH_WIDTH = 28


def build(columns: Columns, paths: Paths) -> Built:
    """Inscribe texts.

    Args:
        columns: n features with `text style`, and `town`.
        paths: of all features; stones keep clear of those before theirs.
    Returns:
        Parts `glyph_ring`, `glyph_plaque`, `kit:plaque` and `light`.
    """
    style = columns.enums["style"]
    names = _style_names()
    parts: dict[str, Part] = {}
    rings = np.nonzero(style == names.index("orbit"))[0]
    if len(rings):
        parts["glyph_ring"] = _rings(columns, rings)
    stones = np.nonzero(style == names.index("stone"))[0]
    if len(stones):
        at, front = _places(columns, paths, stones)
        index = columns.index[stones]
        parts["kit:plaque"] = Part(instance_rows(at, front, 1.0, index), index)
        lights = light_rows(normalize(at + front * 0.012), 0.06, STONE_GOLD, 0.5, index)
        parts["light"] = Part(lights, index)
        letters = [_plaque(columns, int(i), at[k], front[k]) for k, i in enumerate(stones)]
        parts["glyph_plaque"] = _part(letters, columns, stones)
    return Built({name: part for name, part in parts.items() if len(part.rows)})


def pages(features: Iterable[Feature]) -> list[int]:
    """Pages of the glyph atlas that features' texts are drawn from, ascending."""
    texts = [f.args["text"] for f in features if f.tool == "inscribe_wish"]
    return sorted({page for words in texts for page in pages_of(str(words))})


def _style_names() -> tuple[str, ...]:
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    styles = next(arg for arg in rows["inscribe_wish"]["args"] if arg["name"] == "style")
    return tuple(styles["values"])


def _part(blocks: list[F64], columns: Columns, picked: np.ndarray) -> Part:
    counts = [len(block) for block in blocks]
    return Part(np.concatenate(blocks), np.repeat(columns.index[picked], counts))


def _rings(columns: Columns, rings: np.ndarray) -> Part:
    """Letters of some rings, ring after ring."""
    ordinal = columns.ordinal[rings]
    radius = RING_RADIUS + RING_STEP * (ordinal % RING_LEVELS).astype(np.float64)
    laid = [text.ring(columns.texts["text"][i], radius[k], RING_EM) for k, i in enumerate(rings)]
    turn_deg = np.array(RING_TURNS_DEG)[ordinal % len(RING_TURNS_DEG)]
    seed = mix(columns.seed[rings], RING_PURPOSE)
    axis, right, front = _ring_frames(columns.town[rings], seed, turn_deg)
    counts = np.array([len(ring.angle) for ring in laid], dtype=np.int64)
    ring, letter = items(counts)
    angle = np.concatenate([ring.angle for ring in laid])[:, None]
    out = right[ring] * sin(angle) + front[ring] * cos(angle)
    along = right[ring] * cos(angle) - front[ring] * sin(angle)
    axis, index = axis[ring], columns.index[rings[ring]]
    rows = np.zeros((len(ring), GLYPH_WIDTH))
    rows[:, 3] = RING_SPEED
    height = np.concatenate([ring.height for ring in laid])
    rows[:, 4:7] = out * radius[ring][:, None] + axis * height[:, None]
    rows[:, 7] = letter * (RING_FADE_S / np.maximum(counts - 1, 1))[ring]
    rows[:, 8:11] = along * np.concatenate([ring.half_width for ring in laid])[:, None]
    rows[:, 11] = index
    rows[:, 12:15] = axis * np.concatenate([ring.half_height for ring in laid])[:, None]
    rows[:, 15] = letter
    rows[:, 16:20] = np.concatenate([ring.uv for ring in laid])
    rows[:, 20:23] = axis
    rows[:, 23] = RING + 2.0 * np.concatenate([ring.page for ring in laid])
    rows[:, 24:27] = RING_GOLD
    rows[:, 27] = RING_INTENSITY
    return Part(rows, index)


def _ring_frames(town: F64, seed: U32, turn_deg: F64) -> tuple[F64, F64, F64]:
    """Axes (n, 3) of rings, and two unit vectors in their planes; the text starts at the last,
    turned."""
    north = east_north(town)[1]
    tilt = (_between(RING_TILT_DEG, uniform(seed, 1)) * DEG)[:, None]
    roll = (_between(RING_ROLL_DEG, uniform(seed, 2)) + turn_deg) * DEG
    leaning = north * cos(tilt) - town * sin(tilt)
    axis = normalize(rotate(leaning, town, roll))
    right = normalize(cross(axis, town))
    front = cross(right, axis)
    start = (TAU * uniform(seed, 3))[:, None]
    return axis, right * cos(start) - front * sin(start), front * cos(start) + right * sin(start)


def _places(columns: Columns, paths: Paths, stones: np.ndarray) -> tuple[F64, F64]:
    """Where stones stand and look: near the town, towards whoever looks at it.

    The first of a few seeded places that nothing stands on; the very first if all are taken.
    """
    azimuth = float(constants()["camera"]["town"]["azimuth_deg"])
    number = np.arange(STONE_TRIES)
    index, town = columns.index[stones], columns.town[stones]
    seed = mix(columns.seed[stones], STONE_PURPOSE)
    bearing = azimuth + STONE_BEARING_DEG * (2.0 * uniform(seed[:, None], 2 * number) - 1.0)
    away = (_between(STONE_AWAY_DEG, uniform(seed[:, None], 2 * number + 1)) * DEG)[..., None]
    around = np.broadcast_to(town[:, None, :], (len(stones), STONE_TRIES, 3))
    tried = normalize(around * cos(away) + _level(around, bearing) * sin(away))
    size = np.full(tried.shape[:2], max(STONE_SIZE, kit("plaque").half_width)).reshape(-1)
    reach = np.full(len(stones), STONE_AWAY_DEG[1] * DEG + STONE_MARGIN)
    who = np.repeat(np.arange(len(stones)), STONE_TRIES)
    discs = Discs(tried.reshape(-1, 3), size, index[who], town[who], reach[who])
    taken = np.zeros(len(who), dtype=bool)
    mark_crowded(discs, near_places(paths, town, reach), taken)
    # argmax gives the first one if none is free.
    free = np.argmax(~taken.reshape(-1, STONE_TRIES), axis=1)
    at = tried[np.arange(len(stones)), free]
    turn = azimuth + STONE_TURN_DEG * (2.0 * uniform(seed, 2 * STONE_TRIES) - 1.0)
    return at, _level(at, turn)


def _level(at: F64, bearing_deg: F64) -> F64:
    """Unit tangents (..., 3) at compass bearings (...)."""
    east, north = east_north(at)
    return north * cos(bearing_deg * DEG)[..., None] + east * sin(bearing_deg * DEG)[..., None]


def _plaque(columns: Columns, i: int, at: F64, front: F64) -> F64:
    """Letters on one stone, (m, 28)."""
    laid = text.plaque(columns.texts["text"][i], FACE_WIDTH, FACE_HEIGHT)
    right = cross(at, front)
    x = (laid.quads[:, 0] + laid.quads[:, 2]) * 0.5
    y = (laid.quads[:, 1] + laid.quads[:, 3]) * 0.5
    rows = np.zeros((len(laid.quads), GLYPH_WIDTH))
    rows[:, 0:3] = at
    rows[:, 4:7] = right * x[:, None] + at * (y + FACE_MIDDLE)[:, None] + front * FACE_FRONT
    rows[:, 7] = 1.2 + _delays(len(rows), STONE_FADE_S)
    rows[:, 8:11] = right * ((laid.quads[:, 2] - laid.quads[:, 0]) * 0.5)[:, None]
    rows[:, 11] = columns.index[i]
    rows[:, 12:15] = at * ((laid.quads[:, 3] - laid.quads[:, 1]) * 0.5)[:, None]
    rows[:, 15] = np.arange(len(rows))
    rows[:, 16:20] = laid.uv
    rows[:, 20:23] = at
    rows[:, 23] = PLAQUE + 2.0 * laid.page
    rows[:, 24:27] = STONE_GOLD
    rows[:, 27] = STONE_INTENSITY
    return rows


def _delays(count: int, seconds: float) -> F64:
    """When each letter appears, in reading order."""
    return np.arange(count, dtype=np.float64) * (seconds / max(count - 1, 1))


def _between(ends: tuple[float, float], share: F64 | float) -> F64:
    mixed: F64 = np.asarray(ends[0] + (ends[1] - ends[0]) * share)
    return mixed
