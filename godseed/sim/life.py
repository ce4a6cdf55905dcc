"""Carts, birds and fireflies: where each of them is at any time, in closed form.

A feature of `spawn_life` has one row in the table `life`; `poses` turns all rows into instances
for one moment. Nothing is integrated, so frames can be asked for in any order.

Life row (88 columns): anchor xyz, radius (rad) | kind, count, 1 if the way is a loop, length of
the way (rad) | rgb linear, seed / 65536 | seed % 65536, feature, 0, 0 | way: 24 unit vectors, the
line that carts follow, evenly spaced; zero for the others.

Twin: web/sim/life.js
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from godseed.sim.columns import Paths, items
from godseed.sim.kits import instance_rows, seed24_of
from godseed.sim.maths import F64, I64, TAU, U32, cos, fract, sin, smoothstep
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import DEGREES_PER_RADIAN, cap_points, cross, dot, east_north, normalize

WAY_POINTS = 24
WAY_START = 16
LIFE_WIDTH = WAY_START + 3 * WAY_POINTS
CARTS, BIRDS, FIREFLIES = 0, 1, 2
DRAWS = 12
HALF = 65536
FLOCK_PURPOSE = 0x464C

CART_SPEED = 0.011
"""Radians per second, the same for every cart at every moment."""
CART_LANE = 0.0017
"""Distance of a cart's lane from the middle of its way, planet radii."""
CART_SCALE = (0.9, 1.15)
LANTERN_LIFT, LANTERN_SIZE, LANTERN_AHEAD = 0.0048, 0.0062, 0.0031

BIRD_SPEED = 0.045
BIRD_TURN = 0.9
"""Radians per second along the way, and at most round the loop."""
BIRD_LIFT, BIRD_SPREAD, BIRD_BOB = 0.052, 0.016, 0.004
BIRD_SCALE = (0.95, 1.35)
FLOCK_SPREAD = 0.09
"""How far a flock reaches along its loop, in turns."""

FLIES_PER_COUNT = 5
FLY_DRIFT, FLY_LIFT = 0.010, (0.003, 0.014)
FLY_SIZE = (0.0018, 0.0030)


def poses(rows: F64, paths: Paths, time_s: float) -> Mapping[str, F64]:
    """Everything alive at a moment.

    Args:
        rows: (n, 88) life rows.
        paths: not read; every row carries the way that it found when it was made.
        time_s: seconds, any.
    Returns:
        Buffer name (`kit:cart`, `kit:bird`, `sprite`) -> instance rows, without empty ones.
    """
    sprites = [np.zeros((0, 12))]
    found: dict[str, F64] = {}
    kind = rows[:, 4]
    carts = rows[kind == CARTS]
    if len(carts):
        found["kit:cart"], lanterns = _carts(carts, time_s)
        sprites.append(lanterns)
    birds = rows[kind == BIRDS]
    if len(birds):
        found["kit:bird"] = _birds(birds, time_s)
    flies = rows[kind == FIREFLIES]
    if len(flies):
        sprites.append(_fireflies(flies, time_s))
    glowing = np.concatenate(sprites)
    if len(glowing):
        found["sprite"] = glowing
    return found


def _carts(rows: F64, time_s: float) -> tuple[F64, F64]:
    """Carts on their lanes, and the glow of their lanterns.

    An open way is driven like a stadium: along one lane, round its end, back along the other lane
    and round the start, at one speed throughout. A loop is driven on the right, by every other cart
    backwards.
    """
    owner, item, seed = _individuals(rows, 1)
    length, closed = rows[owner, 7], rows[owner, 6] > 0.5
    round_end = 0.5 * TAU * CART_LANE
    lap = np.where(closed, length, 2.0 * (length + round_end))
    backwards = closed & (item % 2 == 1)
    pace = np.where(backwards, -CART_SPEED, CART_SPEED) / lap
    start = (item + 0.7 * _draw(seed, item, 0)) / rows[owner, 5]
    s = fract(start + time_s * pace) * lap
    turned = _within(s - length, round_end) + _within(s - (2.0 * length + round_end), round_end)
    along = _within(s, length) - _within(s - (length + round_end), length)
    angle = np.where(closed, np.where(backwards, 0.5 * TAU, 0.0), turned / CART_LANE)
    at, tangent = _on_way(rows, owner, np.where(closed, s, along) / length)
    right = cross(tangent, at)
    aside, ahead = CART_LANE * cos(angle), np.where(closed, 0.0, CART_LANE * sin(angle))
    here = normalize(at + right * aside[:, None] + tangent * ahead[:, None])
    heading = tangent * cos(angle)[:, None] - right * sin(angle)[:, None]
    front = normalize(heading - here * dot(heading, here)[:, None])
    scale = _between(CART_SCALE, _draw(seed, item, 1))
    tint, phase = rows[owner, 8:11], _draw(seed, item, 3)
    delay_s = 0.1 * item.astype(np.float64)
    carts = instance_rows(
        here,
        front,
        scale,
        rows[owner, 13].astype(np.int64),
        tint=tint,
        seed24=seed24_of(_draw(seed, item, 2)),
        delay_s=delay_s,
        phase=phase,
    )
    lamp = normalize(here + front * (LANTERN_AHEAD * scale)[:, None])
    lanterns = _sprites(
        lamp, LANTERN_LIFT * scale, tint * 0.5, LANTERN_SIZE * scale, rows[owner, 13], phase
    )
    lanterns[:, 8] = delay_s + 1.0
    return carts, lanterns


def _birds(rows: F64, time_s: float) -> F64:
    """A flock that goes round its place, each bird a little behind, beside and above the next."""
    owner, item, seed = _individuals(rows, 1)
    flock = mix(seed, FLOCK_PURPOSE)
    radius = rows[owner, 3]
    loop = radius * (0.45 + 0.2 * uniform(flock, 0))
    spread = np.minimum(BIRD_SPREAD, 0.2 * radius)
    # Small loops are flown slower, so that nothing spins.
    pace = np.minimum(BIRD_SPEED, BIRD_TURN * loop) / loop
    way_round = np.where(uniform(flock, 1) < 0.5, -1.0, 1.0)
    behind = FLOCK_SPREAD * (item + 0.6 * _draw(seed, item, 0)) / rows[owner, 5]
    turn = TAU * (uniform(flock, 2) - behind) + pace * time_s
    wave = uniform(flock, 3) * TAU
    beside = spread * (2.0 * _draw(seed, item, 1) - 1.0)
    here = _on_loop(rows[owner, 0:3], loop, beside, turn, way_round, wave)
    soon = _on_loop(rows[owner, 0:3], loop, beside, turn + 0.01, way_round, wave)
    step = soon - here
    phase = _draw(seed, item, 2)
    bob = BIRD_BOB * sin(TAU * phase + 0.9 * time_s)
    return instance_rows(
        here,
        normalize(step - here * dot(step, here)[:, None]),
        _between(BIRD_SCALE, _draw(seed, item, 3)),
        rows[owner, 13].astype(np.int64),
        tint=rows[owner, 8:11],
        seed24=seed24_of(_draw(seed, item, 4)),
        delay_s=0.08 * item.astype(np.float64),
        lift=BIRD_LIFT + 0.012 * _draw(seed, item, 5) + bob,
        phase=phase,
    )


def _fireflies(rows: F64, time_s: float) -> F64:
    """Glowing points that wander about their own places and breathe."""
    owner, item, seed = _individuals(rows, FLIES_PER_COUNT)
    radius = rows[owner, 3]
    drift = np.minimum(FLY_DRIFT, 0.3 * radius)
    inner_deg = (radius - 1.5 * drift) * DEGREES_PER_RADIAN
    home = cap_points(rows[owner, 0:3], inner_deg, _draw(seed, item, 0), _draw(seed, item, 1))
    east, north = east_north(home)
    slow = 0.16 + 0.2 * _draw(seed, item, 2)
    first, second = TAU * _draw(seed, item, 3), TAU * _draw(seed, item, 4)
    t = slow * time_s
    x = drift * (0.7 * sin(t + first) + 0.3 * sin(2.3 * t + second))
    y = drift * (0.7 * sin(0.8 * t + second) + 0.3 * cos(1.9 * t + first))
    lift = _between(FLY_LIFT, 0.5 + 0.35 * sin(0.7 * t + first) + 0.15 * sin(3.1 * t + second))
    breath = 0.5 + 0.5 * sin(time_s * (0.9 + 0.8 * _draw(seed, item, 5)) + first)
    shine = 0.12 + 0.88 * smoothstep(0.25, 0.95, breath)
    flies = _sprites(
        normalize(home + east * x[:, None] + north * y[:, None]),
        lift,
        rows[owner, 8:11] * shine[:, None],
        _between(FLY_SIZE, _draw(seed, item, 6)),
        rows[owner, 13],
        _draw(seed, item, 7),
    )
    flies[:, 8] = 1.2 * _draw(seed, item, 8)
    return flies


def _individuals(rows: F64, per_count: int) -> tuple[I64, I64, U32]:
    """Row, number and seed of every one that lives."""
    owner, item = items(rows[:, 5].astype(np.int64) * per_count)
    seed = (rows[:, 11] * HALF + rows[:, 12]).astype(np.uint32)
    return owner, item, seed[owner]


def _draw(seed: U32, item: I64, k: int) -> F64:
    return uniform(seed, item * DRAWS + k)


def _between(ends: tuple[float, float], share: F64) -> F64:
    mixed: F64 = ends[0] + (ends[1] - ends[0]) * share
    return mixed


def _within(x: F64, high: F64 | float) -> F64:
    """x, but not below 0 and not above `high`."""
    return np.minimum(np.maximum(x, 0.0), high)


def _on_way(rows: F64, owner: I64, share: F64) -> tuple[F64, F64]:
    """Places (m, 3) at shares 0..1 of their ways, and unit tangents, both continuous."""
    way = rows[:, WAY_START:].reshape(len(rows), WAY_POINTS, 3)
    last = WAY_POINTS - 1
    place = share * last
    k = np.minimum(np.floor(place), last - 1.0).astype(np.int64)
    f = (place - k)[:, None]
    closed = rows[owner, 6] > 0.5
    before = np.where(k > 0, k - 1, np.where(closed, last - 1, 0))
    after = np.where(k + 2 <= last, k + 2, np.where(closed, 1, last))
    a, b = way[owner, k], way[owner, k + 1]
    at = normalize(a * (1.0 - f) + b * f)
    slope = normalize(b - way[owner, before]) * (1.0 - f) + normalize(way[owner, after] - a) * f
    return at, normalize(slope - at * dot(slope, at)[:, None])


def _on_loop(center: F64, loop: F64, beside: F64, turn: F64, way_round: F64, wave: F64) -> F64:
    """Places (m, 3) on wavy loops round centres."""
    east, north = east_north(center)
    angle = loop * (1.0 + 0.16 * sin(2.0 * turn + wave)) + beside
    level = north * cos(turn)[:, None] + east * (way_round * sin(turn))[:, None]
    return normalize(center * cos(angle)[:, None] + level * sin(angle)[:, None])


def _sprites(at: F64, lift: F64, rgb: F64, size: F64, feature: F64, phase: F64) -> F64:
    """Rows (m, 12) of the `sprite` buffer."""
    rows = np.zeros((len(at), 12))
    rows[:, 0:3] = at
    rows[:, 3] = lift
    rows[:, 4:7] = rgb
    rows[:, 7] = size
    rows[:, 9] = seed24_of(phase)
    rows[:, 10] = phase
    rows[:, 11] = feature
    return rows
