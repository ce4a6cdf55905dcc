"""Landmarks: one kit each, beside and facing the road that was there first.

Twin: web/sim/tools/place_structure.js
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from godseed.sim.color import hue_rgb
from godseed.sim.columns import ROAD, STREET, Built, Columns, Part, Paths, nearest_path
from godseed.sim.kits import instance_rows, kit, light_rows, seed24_of
from godseed.sim.maths import DEG, F64, I64, TAU, U32, BoolArray, cos, sin
from godseed.sim.plots import (
    PLOT,
    STRUCTURE_LINE,
    Discs,
    mark_crowded,
    near_places,
    plot_paths,
    subset,
)
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import cross, direction, dot, east_north, normalize
from godseed.sim.strip import SHOULDER
from godseed.spec import load

ROAD_REACH_RAD = 0.06
TOWN_REACH_DEG = 40.0
GAP = 0.002
"""Between a building and the shoulder of its road, planet radii."""
HOUSES = ("house_a", "house_b", "house_c", "house_d")
VILLAGE_HOUSES = 6
VILLAGE_RADIUS = 0.0235
VILLAGE_DRAWS = 6
HOUSE_PURPOSE, VILLAGE_PURPOSE, MOVE_PURPOSE = 0x4855, 0x5649, 0x4D4F
WARM = (1.0, 0.62, 0.3)
STEPS_ASIDE = 64
ASIDE_REACH = 0.07
"""Places tried for a building whose ground is taken: a sunflower of points this wide, radians."""
GOLDEN_RAD = 2.399963229728653


@dataclass(frozen=True)
class Glow:
    """What a kind of structure adds to the light around it.

    Attributes:
        reach: radius of the lit ground at scale 1, radians.
        strength: of that light.
        halo: size of the soft disc at its lamp, planet radii, 0 for none.
        lamp: height of that lamp, planet radii.
    """

    reach: float
    strength: float
    halo: float = 0.0
    lamp: float = 0.0


GLOWS = {
    "lighthouse": Glow(0.13, 0.7, 0.022, 0.0482),
    "monolith": Glow(0.25, 1.5),
    "shrine": Glow(0.075, 0.7, 0.011, 0.0125),
    "village": Glow(0.06, 0.6),
    "beacon": Glow(0.15, 1.1, 0.026, 0.0365),
    "arch": Glow(0.065, 0.5, 0.007, 0.0355),
    "tower": Glow(0.09, 0.6, 0.010, 0.0672),
    "warehouse": Glow(0.075, 0.55),
    "cafe": Glow(0.065, 0.8),
    "bank": Glow(0.07, 0.6),
    "market": Glow(0.08, 0.8),
    "house": Glow(0.042, 0.45),
}


def build(columns: Columns, paths: Paths) -> Built:
    """Place structures.

    Args:
        columns: n features with `lat lon kind scale hue`, and `town`.
        paths: of all features; those before each feature are faced and kept clear of.
    Returns:
        Parts `kit:<name>`, `sprite` and `light`.
    """
    n = len(columns.index)
    names = _kind_names()
    kind, scale = columns.enums["kind"], columns.numbers["scale"]
    size = np.array([_half_sizes(name) for name in names])[kind] * scale[:, None]
    at, front = _stand(columns, paths, size)
    tint = _tint(columns.numbers["hue"])
    seed = mix(columns.seed, HOUSE_PURPOSE)
    common = {
        "tint": tint,
        "seed24": seed24_of(uniform(seed, 0)),
        "phase": uniform(seed, 1),
    }
    rows = instance_rows(at, front, scale, columns.index, **common)
    rows[:, 7] = np.where(kind == names.index("house"), 0.95 + 0.15 * uniform(seed, 3), 1.0)
    variant = np.floor(uniform(seed, 2) * len(HOUSES)).astype(np.int64)
    parts: dict[str, Part] = {}
    for code, name in enumerate(names):
        if name != "house":
            parts[f"kit:{name}"] = _part(rows, columns.index, kind == code)
    for code, name in enumerate(HOUSES):
        chosen = (kind == names.index("house")) & (variant == code)
        parts[f"kit:{name}"] = _part(rows, columns.index, chosen)
    village = np.nonzero(kind == names.index("village"))[0]
    if len(village):
        _add_village_houses(parts, columns, village, at[village], front[village], tint[village])
    table = [GLOWS[name] for name in names]
    reach = np.array([glow.reach for glow in table])[kind] * scale
    strength = np.array([glow.strength for glow in table])[kind]
    ahead = normalize(at + front * (size[:, 1] * 0.8)[:, None])
    lights = light_rows(ahead, reach, tint * np.array(WARM), strength, columns.index)
    parts["light"] = Part(lights, columns.index)
    parts["sprite"] = _halos(columns, table, at, tint, seed)
    return Built({name: part for name, part in parts.items() if len(part.rows) or n == 0})


def plots(columns: Columns) -> Paths:
    """The ground that structures ask for, before anything makes them step aside.

    Args:
        columns: n features with `lat lon kind scale`.
    Returns:
        One PLOT point per feature.
    """
    sizes = np.array([_half_sizes(name) for name in _kind_names()])[columns.enums["kind"]]
    radius = _radius(sizes * columns.numbers["scale"][:, None])
    line = np.full(len(columns.index), STRUCTURE_LINE, dtype=np.int64)
    return plot_paths(columns_at(columns), radius, columns.index, line)


def columns_at(columns: Columns) -> F64:
    """Directions (n, 3) of features with `lat lon`."""
    return direction(columns.numbers["lat"], columns.numbers["lon"])


def toward(at: F64, target: F64) -> F64:
    """Unit tangents (n, 3) at `at` that point to `target`; zero where they are the same place."""
    return normalize(target - at * dot(target, at)[:, None])


def _kind_names() -> tuple[str, ...]:
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    kinds = next(arg for arg in rows["place_structure"]["args"] if arg["name"] == "kind")
    return tuple(kinds["values"])


def _half_sizes(kind: str) -> tuple[float, float]:
    """Half width and half depth of a kind at scale 1."""
    if kind == "village":
        return VILLAGE_RADIUS + 0.009, VILLAGE_RADIUS + 0.009
    names = HOUSES if kind == "house" else (kind,)
    return max(kit(name).half_width for name in names), max(kit(name).half_depth for name in names)


def _radius(size: F64) -> F64:
    """Radius that a building of half sizes (n, 2) keeps free: its corners may come close."""
    radius: F64 = 0.85 * np.sqrt(size[:, 0] * size[:, 0] + size[:, 1] * size[:, 1])
    return radius


def _tint(hue: F64) -> F64:
    """Colour of lamps and accents: the hue, warmed."""
    warmed: F64 = 0.62 * hue_rgb(hue, 0.55, 1.0) + 0.38 * np.array(WARM)
    return warmed


def _part(rows: F64, feature: I64, chosen: BoolArray) -> Part:
    return Part(rows[chosen], feature[chosen])


def _stand(columns: Columns, paths: Paths, size: F64) -> tuple[F64, F64]:
    """Where each building stands and where it looks: beside the nearest road, clear of the others.

    Args:
        columns: n features.
        paths: of all features.
        size: (n, 2) half width and half depth.
    """
    asked = columns_at(columns)
    everyone = np.arange(len(asked), dtype=np.int64)
    near, front = _facing(columns, paths, everyone, asked, size[:, 1])
    at = _aside(columns, paths, near, 0.9 * _radius(size))
    moved = np.nonzero(np.any(at != near, axis=1))[0]
    if len(moved):
        front[moved] = _facing(columns, paths, moved, at[moved], None)[1]
    return at, front


def _facing(
    columns: Columns, paths: Paths, who: I64, at: F64, half_depth: F64 | None
) -> tuple[F64, F64]:
    """Places (m, 3), pushed off the nearest road where half depths are given, and fronts (m, 3).

    A building looks at the road, else at the town, else anywhere.
    """
    index, cosine = nearest_path(paths, at, columns.index[who], (ROAD, STREET))
    town = columns.town[who]
    town_cosine = dot(town, at)
    heading = uniform(mix(columns.seed[who], MOVE_PURPOSE), 1) * TAU
    east, north = east_north(at)
    front = east * sin(heading)[:, None] + north * cos(heading)[:, None]
    to_town = (town_cosine > cos(TOWN_REACH_DEG * DEG)) & (town_cosine < 1.0 - 1e-9)
    front = np.where(to_town[:, None], toward(at, town), front)
    near = np.nonzero(cosine > cos(ROAD_REACH_RAD))[0]
    if len(near):
        depth = np.full(len(near), -1.0) if half_depth is None else half_depth[near]
        at = at.copy()
        at[near], front[near] = _beside(paths, index[near], at[near], depth)
    return at, front


def _aside(columns: Columns, paths: Paths, at: F64, radius: F64) -> F64:
    """The nearest free place to each one (n, 3) whose ground a road or an earlier building has."""
    wanted = np.full(len(at), ASIDE_REACH + 0.04)
    old = near_places(paths, at, wanted)
    solid = subset(old, np.nonzero((old.kind == PLOT) | (old.kind == ROAD))[0])
    hit = np.zeros(len(at), bool)
    mark_crowded(Discs(at, radius, columns.index, at, wanted), solid, hit)
    taken = np.nonzero(hit)[0]
    turn = uniform(mix(columns.seed[taken], MOVE_PURPOSE), 0) * TAU
    east, north = (axis[:, None, :] for axis in east_north(at[taken]))
    number = np.arange(STEPS_ASIDE, dtype=np.float64)
    angle = number * GOLDEN_RAD + turn[:, None]
    reach = ASIDE_REACH * np.sqrt(number / STEPS_ASIDE)
    step = east * (cos(angle) * reach)[..., None] + north * (sin(angle) * reach)[..., None]
    tried = normalize(at[taken][:, None, :] + step)
    who = np.repeat(taken, STEPS_ASIDE)
    tries = Discs(tried.reshape(-1, 3), radius[who], columns.index[who], at[who], wanted[who])
    blocked = np.zeros(len(who), bool)
    mark_crowded(tries, solid, blocked)
    free = ~blocked.reshape(-1, STEPS_ASIDE)
    found = np.nonzero(np.any(free, axis=1))[0]
    moved = at.copy()
    moved[taken[found]] = tried[found, np.argmax(free[found], axis=1)]
    return moved


def _beside(paths: Paths, index: I64, at: F64, half_depth: F64) -> tuple[F64, F64]:
    """Places and fronts of buildings at a road: square to it, or to its end where it stops.

    A half depth (m,) below 0 leaves the building where it is.
    """
    point, tangent = paths.points[index], paths.tangents[index]
    keep = paths.half_width[index] * SHOULDER + half_depth + GAP
    keep = np.where(half_depth < 0.0, 0.0, keep)
    across = cross(point, tangent)
    lateral = dot(at - point, across)
    along = dot(at - point, tangent)
    outward = _outward(paths, index)
    beyond = outward * along
    at_end = (outward != 0.0) & (beyond > -1e-12) & (np.abs(lateral) < keep + beyond)
    side = np.where(lateral < 0.0, -1.0, 1.0)
    away = np.where(at_end[:, None], tangent * outward[:, None], across * side[:, None])
    away_now = np.where(at_end, beyond, np.abs(lateral))
    moved = normalize(at + away * np.maximum(keep - away_now, 0.0)[:, None])
    front = -away - moved * dot(-away, moved)[:, None]
    return moved, normalize(front)


def _outward(paths: Paths, index: I64) -> F64:
    """+1 where a path's point is the last of its line, -1 where it is the first, else 0."""
    last = len(paths.points) - 1
    before, after = np.maximum(index - 1, 0), np.minimum(index + 1, last)

    def other(k: I64) -> BoolArray:
        different: BoolArray = (
            (paths.feature[k] != paths.feature[index])
            | (paths.line[k] != paths.line[index])
            | (paths.kind[k] != paths.kind[index])
            | (k == index)
        )
        return different

    return np.where(other(after), 1.0, np.where(other(before), -1.0, 0.0))


def _add_village_houses(
    parts: dict[str, Part], columns: Columns, village: I64, at: F64, front: F64, tint: F64
) -> None:
    """Six houses round each well, doors to the middle, in the house kits' buffers."""
    owner = np.repeat(np.arange(len(village)), VILLAGE_HOUSES)
    item = np.tile(np.arange(VILLAGE_HOUSES), len(village))
    seed = mix(columns.seed[village], VILLAGE_PURPOSE)[owner]
    scale = columns.numbers["scale"][village][owner]

    def draw(k: int) -> F64:
        return uniform(seed, item * VILLAGE_DRAWS + k)

    angle = (item + 0.5 + 0.3 * (draw(0) - 0.5)) * (60.0 * DEG)
    reach = VILLAGE_RADIUS * scale * (0.95 + 0.2 * draw(1))
    right = cross(at, front)[owner]
    step = right * (sin(angle) * reach)[:, None] + front[owner] * (cos(angle) * reach)[:, None]
    stands = normalize(at[owner] + step)
    feature = columns.index[village][owner]
    rows = instance_rows(
        stands,
        toward(stands, at[owner]),
        scale * (0.74 + 0.16 * draw(2)),
        feature,
        stretch=0.92 + 0.2 * draw(3),
        tint=tint[owner],
        seed24=seed24_of(draw(4)),
        delay_s=item.astype(np.float64) * 0.15,
        phase=draw(1),
    )
    variant = np.floor(draw(5) * len(HOUSES)).astype(np.int64)
    for code, name in enumerate(HOUSES):
        own = _part(rows, feature, variant == code)
        single = parts[f"kit:{name}"]
        both = np.concatenate([single.feature, own.feature])
        order = np.argsort(both, kind="stable")
        merged = np.concatenate([single.rows, own.rows])[order]
        parts[f"kit:{name}"] = Part(merged, both[order])


def _halos(columns: Columns, table: list[Glow], at: F64, tint: F64, seed: U32) -> Part:
    """Soft discs at the lamps that are seen from afar."""
    kind, scale = columns.enums["kind"], columns.numbers["scale"]
    halo = np.array([glow.halo for glow in table])[kind]
    lamp = np.array([glow.lamp for glow in table])[kind]
    rows = np.zeros((len(at), 12))
    rows[:, 0:3] = at
    rows[:, 3] = lamp * scale
    rows[:, 4:7] = tint * np.array(WARM) * 0.3
    rows[:, 7] = halo * scale
    rows[:, 8] = 1.2
    rows[:, 9] = seed24_of(uniform(seed, 0))
    rows[:, 10] = uniform(seed, 1)
    rows[:, 11] = columns.index
    return _part(rows, columns.index, halo > 0.0)
