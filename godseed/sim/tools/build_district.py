"""Neighbourhoods: houses along streets, a green, lamps, sometimes a hall or a market.

A house stays inside its lot, so houses of one district never meet each other or a street; lots
where an earlier road or building is in the way stay empty. The plan is in `godseed.sim.district`.

Twin: web/sim/tools/build_district.js
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from godseed.sim.color import hue_rgb
from godseed.sim.columns import ROAD, Built, Columns, Part, Paths
from godseed.sim.district import (
    LOT_DEPTH,
    LOT_WIDTH,
    PUBLIC_RADIUS,
    SETBACK,
    Lots,
    Plan,
    at_street,
    frame_of,
    house_size,
    lots_of,
    plan_of,
    public_u,
    streets_of,
)
from godseed.sim.kits import instance_rows, kit, light_rows, seed24_of
from godseed.sim.maths import F64, I64, BoolArray
from godseed.sim.plots import (
    DISTRICT,
    PLOT,
    Discs,
    mark_crowded,
    near_places,
    nearby,
    plot_paths,
    subset,
    touches,
    touching,
)
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import dot, normalize

HOUSES = ("house_a", "house_b", "house_c", "house_d")
KITS = (*HOUSES, "hall", "market", "yard_tree", "lamp", "green")
HALL, MARKET, TREE, LAMP, GREEN = range(len(HOUSES), len(KITS))
DRAWS = 12
LOT_PURPOSE, LAMP_PURPOSE, TREE_PURPOSE = 0x4C4F, 0x4C50, 0x5452
WARM = (1.0, 0.6, 0.28)
COOL = (0.3, 0.42, 0.62)
"""Houses lie between the tint of their district and this; roofs show it most."""
PATCH_REACH = 0.0012
"""Radius that a patch of footpath needs free, planet radii."""
MAIN_REACH = 0.005
"""Radius that a patch of the main street needs free of buildings."""


@dataclass(frozen=True)
class Things:
    """What m instances and patches of n districts need.

    Attributes:
        at: (m, 3) where they are.
        reach: (m,) radius that each needs free of what others built.
        slack: (m,) how much farther than others it may be from the house that it serves.
        owner: (m,) district.
        solid: (m,) whether it is a house or public, and takes its ground.
    """

    at: F64
    reach: F64
    slack: F64
    owner: I64
    solid: BoolArray


def build(columns: Columns, paths: Paths) -> Built:
    """Build districts.

    Args:
        columns: n features with `lat lon radius_deg density hue`.
        paths: of all features; what earlier ones built and laid stays clear of houses.
    Returns:
        Parts `road` (footpaths), `kit:*` and `light`; STREET lines, and a PLOT for every house.
    """
    plan = plan_of(columns)
    lots = lots_of(plan)
    streets, patches = streets_of(columns, plan, lots)
    tint = 0.4 * hue_rgb(columns.numbers["hue"], 0.5, 1.0) + 0.6 * np.array(WARM)
    houses, house_lot = _houses(columns, plan, lots, tint)
    public, public_name = _public(columns, plan, lots, tint)
    lamps = _lamps(columns, plan, lots, tint)
    trees = _trees(columns, plan, lots)
    everything = np.concatenate([public, houses, trees, lamps])
    group = np.repeat(np.arange(4), [len(public), len(houses), len(trees), len(lamps)])
    name = np.concatenate(
        [
            public_name,
            _house_names(plan, lots, house_lot),
            np.full(len(trees), TREE),
            np.full(len(lamps), LAMP),
        ]
    )
    order = np.argsort(everything[:, 15], kind="stable")
    everything, group, name = everything[order], group[order], name[order]
    keep, keep_patch = _free(columns, plan, paths, streets, everything, group, patches)
    everything, group, name = everything[keep], group[keep], name[keep]
    patches = patches[keep_patch]
    feature = everything[:, 15].astype(np.int64)
    parts = {"road": Part(patches, patches[:, 23].astype(np.int64))}
    for code, kit_name in enumerate(KITS):
        chosen = name == code
        parts[f"kit:{kit_name}"] = Part(everything[chosen], feature[chosen])
    lit = (group == 1) | (group == 3)
    parts["light"] = _lights(everything[lit], group[lit], feature[lit])
    built = {key: part for key, part in parts.items() if len(part.rows)}
    taken = group < 2
    return Built(built, _with_plots(streets, everything[taken], group[taken], feature[taken]))


def districts(columns: Columns) -> Paths:
    """What roads of later features must know of districts before these are built.

    Args:
        columns: n features with `lat lon radius_deg`, and `town`.
    Returns:
        One DISTRICT point per feature.
    """
    center, way, radius = frame_of(columns)
    line = np.zeros(len(center), np.int64)
    kind = np.full(len(center), DISTRICT, dtype=np.int64)
    return Paths(center, way, columns.index, line, kind, radius)


def _draw(plan: Plan, purpose: int, owner: I64, number: I64, k: int) -> F64:
    return uniform(mix(plan.seed, purpose)[owner], number * DRAWS + k)


def _houses(columns: Columns, plan: Plan, lots: Lots, tint: F64) -> tuple[F64, I64]:
    """Instance rows of the houses that density asks for, and the lot of each."""
    chance = (0.42 + 0.62 * columns.numbers["density"])[lots.owner]
    chance = chance * (1.12 - 0.34 * lots.share * lots.share)
    first = (lots.row == 0) & (lots.side > 0) & (np.abs(lots.u) < LOT_WIDTH * plan.size[lots.owner])
    wanted = _draw(plan, LOT_PURPOSE, lots.owner, lots.number, 0) < np.where(first, 2.0, chance)
    civic = _civic(plan)[lots.owner] > 0
    reserved = lots.public & ((lots.side < 0) | civic)
    lot = np.nonzero(lots.inside & wanted & ~reserved)[0]
    owner, number = lots.owner[lot], lots.number[lot]

    def draw(k: int) -> F64:
        return _draw(plan, LOT_PURPOSE, owner, number, k)

    scale = house_size(plan)[owner] * (0.88 + 0.2 * draw(2))
    u = lots.u[lot] + (draw(3) - 0.5) * 0.0014
    verge = plan.verge(lots.row[lot])
    depth = verge + SETBACK + 0.0064 * scale + 0.0012 * draw(4)
    turn = (draw(5) - 0.5) * 0.0012
    at, front = at_street(plan, owner, u, lots.row[lot], lots.side[lot] * depth, turn)
    cool = 0.85 * draw(10)[:, None]
    rows = instance_rows(
        at,
        front,
        scale,
        columns.index[owner],
        stretch=0.9 + 0.16 * draw(6) + 0.14 * (1.0 - lots.share[lot]),
        tint=tint[owner] * (1.0 - cool) + np.array(COOL) * cool,
        seed24=seed24_of(draw(7)),
        delay_s=0.75 * lots.share[lot] + 0.4 * draw(8),
        phase=draw(9),
    )
    return rows, lot


def _house_names(plan: Plan, lots: Lots, lot: I64) -> I64:
    """Which house kit stands on each lot: tall ones are likelier near the middle."""
    pick = _draw(plan, LOT_PURPOSE, lots.owner[lot], lots.number[lot], 1)
    tall = 0.10 + 0.5 * (1.0 - lots.share[lot])
    rest = (pick - tall) / (1.0 - tall)
    low = np.where(rest < 0.36, 0, np.where(rest < 0.7, 1, 3))
    return np.where(pick < tall, 2, low).astype(np.int64)


def _civic(plan: Plan) -> I64:
    """(n,) 0 nothing, 1 hall, 2 market."""
    pick = uniform(plan.seed, 3)
    large = plan.radius >= PUBLIC_RADIUS
    return np.where(large & (pick < 0.45), 1, np.where(large & (pick < 0.7), 2, 0)).astype(np.int64)


def _public(columns: Columns, plan: Plan, lots: Lots, tint: F64) -> tuple[F64, I64]:
    """The green of each district and its hall or market, and which of `KITS` each one is."""
    civic = _civic(plan)
    green = np.nonzero(plan.radius >= PUBLIC_RADIUS)[0]
    built = np.nonzero(civic > 0)[0]
    owner = np.concatenate([green, built])
    depth = np.array([kit(KITS[code]).half_depth for code in (GREEN, HALL, MARKET)])
    which = np.concatenate([np.zeros(len(green), np.int64), civic[built]])
    scale = np.where(which == 2, 0.86, 1.0)
    side = np.where(which == 0, -1.0, 1.0)
    zero, middle = np.zeros(len(owner)), np.zeros(len(owner), np.int64)
    u = public_u(plan)[owner]
    off = plan.verge(middle) + SETBACK + depth[which] * scale
    at, front = at_street(plan, owner, u, middle, side * off, zero)
    rows = instance_rows(
        at,
        front,
        scale,
        columns.index[owner],
        tint=tint[owner],
        seed24=seed24_of(uniform(plan.seed[owner], 4 + which)),
        delay_s=0.2,
        phase=uniform(plan.seed[owner], 7 + which),
    )
    return rows, np.array([GREEN, HALL, MARKET])[which]


def _lamps(columns: Columns, plan: Plan, lots: Lots, tint: F64) -> F64:
    """Lamp posts: one for every two lots along a street, on alternating sides."""
    turn = (lots.column // 2 + lots.row) % 2 == 0
    lot = np.nonzero(lots.inside & (lots.column % 2 == 0) & (turn == (lots.side > 0)))[0]
    owner = lots.owner[lot]
    u = lots.u[lot] + 0.5 * LOT_WIDTH * plan.size[owner]
    off = lots.side[lot] * (plan.verge(lots.row[lot]) + 0.0004)
    at, front = at_street(plan, owner, u, lots.row[lot], off, np.zeros(len(lot)))
    rows = instance_rows(
        at,
        front,
        0.86 + 0.1 * _draw(plan, LAMP_PURPOSE, owner, lots.number[lot], 0),
        columns.index[owner],
        tint=0.5 * tint[owner] + 0.5 * np.array(WARM),
        delay_s=0.3 + 0.8 * lots.share[lot],
        phase=_draw(plan, LAMP_PURPOSE, owner, lots.number[lot], 1),
    )
    return rows[_inside(plan, owner, at, 0.001)]


def _trees(columns: Columns, plan: Plan, lots: Lots) -> F64:
    """A tree at the back of some gardens."""
    chance = _draw(plan, TREE_PURPOSE, lots.owner, lots.number, 0)
    lot = np.nonzero(lots.inside & (chance < 0.42) & ~lots.public)[0]
    owner, number = lots.owner[lot], lots.number[lot]
    width = LOT_WIDTH * plan.size[owner]
    u = lots.u[lot] + (_draw(plan, TREE_PURPOSE, owner, number, 1) - 0.5) * (width - 0.006)
    verge = plan.verge(lots.row[lot])
    off = lots.side[lot] * (verge + LOT_DEPTH * plan.size[owner] - 0.0026)
    at, front = at_street(plan, owner, u, lots.row[lot], off, np.zeros(len(lot)))
    rows = instance_rows(
        at,
        front,
        0.55 + 0.4 * _draw(plan, TREE_PURPOSE, owner, number, 2),
        columns.index[owner],
        stretch=0.85 + 0.3 * _draw(plan, TREE_PURPOSE, owner, number, 3),
        delay_s=0.8 * lots.share[lot] + 0.4,
        phase=_draw(plan, TREE_PURPOSE, owner, number, 4),
    )
    return rows[_inside(plan, owner, at, 0.003)]


def _inside(plan: Plan, owner: I64, at: F64, reach: float) -> BoolArray:
    """Whether discs at places (m, 3) lie within their districts."""
    gap = at - plan.center[owner]
    # A chord is a little shorter than its arc.
    inside: BoolArray = np.sqrt(dot(gap, gap)) * 1.004 + reach < plan.radius[owner]
    return inside


def _lights(rows: F64, group: I64, feature: I64) -> Part:
    """One small light in front of every house and under every lamp."""
    lamp = group == 3
    at = normalize(rows[:, 0:3] + rows[:, 4:7] * np.where(lamp, 0.0, 0.008)[:, None])
    rgb = rows[:, 8:11] * np.array(WARM)
    lights = light_rows(at, np.where(lamp, 0.034, 0.03), rgb, np.where(lamp, 0.34, 0.24), feature)
    return Part(lights, feature)


def _reach(rows: F64, group: I64) -> F64:
    """Radius (m,) that each instance needs free of what others built."""
    return np.where(group == 0, 0.0152, np.where(group == 1, 0.0095, 0.0018)) * rows[:, 3]


def _free(
    columns: Columns, plan: Plan, paths: Paths, streets: Paths, rows: F64, group: I64, patches: F64
) -> tuple[BoolArray, BoolArray]:
    """Which instances and patches have nothing of an earlier feature in their way."""
    n, extra = len(rows), np.zeros(len(patches))
    main = patches[:, 22] < 0.5
    feature = np.concatenate([rows[:, 15], patches[:, 23]]).astype(np.int64)
    things = Things(
        np.concatenate([rows[:, 0:3], normalize(patches[:, 0:3] + patches[:, 9:12])]),
        np.concatenate([_reach(rows, group), extra + PATCH_REACH]),
        np.concatenate([np.zeros(n), np.where(main, 1.0, PATCH_REACH)]),
        np.searchsorted(columns.index, feature),
        np.concatenate([group < 2, extra > 0.0]),
    )
    away = plan.radius + 0.02
    owner = things.owner
    discs = Discs(things.at, things.reach, feature, plan.center[owner], away[owner])
    old = near_places(paths, plan.center, away)
    old = subset(old, np.nonzero(old.kind != DISTRICT)[0])
    paved = (old.kind == ROAD) | (old.kind == PLOT)
    solid, soft = subset(old, np.nonzero(paved)[0]), subset(old, np.nonzero(~paved)[0])
    # Houses first: most of the rest goes with them and need not be looked at.
    house = np.nonzero(things.solid)[0]
    keep = np.ones(len(feature), bool)
    _drop(keep, house, discs, (solid, soft, streets))
    house = house[keep[house]]
    plots = plot_paths(things.at[house], things.reach[house], feature[house], house)
    nothing = np.zeros(len(house), bool)
    pairs = [np.stack(pair) for pair in touching(discs.some(house), plots, nothing)]
    met = house[np.concatenate([np.zeros((2, 0), np.int64), *pairs], axis=1)]
    _settle(keep, things, met, columns, plan, (old, streets))
    plots = subset(plots, np.nonzero(keep[house])[0])
    rest = np.nonzero(keep & ~things.solid)[0]
    _drop(keep, rest, discs, (solid, plots))
    wide = rest[rest >= n][main[rest[rest >= n] - n]]
    built = subset(old, np.nonzero(old.kind == PLOT)[0])
    reach = things.reach.copy()
    reach[wide] = MAIN_REACH
    broad = Discs(discs.at, reach, discs.before, discs.center, discs.away)
    _drop(keep, wide, broad, (built, plots))
    # Footpaths may cross footpaths and streams, but nothing stands on them.
    _drop(keep, rest[rest < n], discs, (soft, streets))
    return keep[:n], keep[n:]


def _drop(keep: BoolArray, some: I64, discs: Discs, lines: tuple[Paths, ...]) -> None:
    """Give up those of some things that touch a point of an earlier feature."""
    hit = ~keep[some]
    for paths in lines:
        mark_crowded(discs.some(some), paths, hit)
    keep[some] = ~hit


def _settle(
    keep: BoolArray,
    things: Things,
    met: I64,
    columns: Columns,
    plan: Plan,
    lines: tuple[Paths, Paths],
) -> None:
    """Houses that keep clear of the houses before them, and what has a house of its own near.

    District after district, because each one looks at what those before it were left with.

    Args:
        keep: (m,) houses with no line or plot of another feature in their way, and all the rest;
            gets what stays.
        things: m things.
        met: (2, k) houses, and houses of earlier districts that they would touch.
        columns, plan: n districts.
        lines: points of earlier features, and the districts' own streets.
    """
    order = np.argsort(things.owner, kind="stable")
    met = met[:, np.argsort(things.owner[met[0]], kind="stable")]
    districts = np.arange(len(columns.index) + 1)
    starts = np.searchsorted(things.owner[order], districts)
    meetings = np.searchsorted(things.owner[met[0]], districts)
    for i in range(len(columns.index)):
        house, other = met[:, meetings[i] : meetings[i + 1]]
        keep[house[keep[other]]] = False
        own = order[starts[i] : starts[i + 1]]
        solid = things.solid[own]
        houses, rest = own[solid], own[~solid]
        if keep[houses].all():
            before = np.nonzero(things.solid & keep & (things.owner < i))[0]
            if _alone(columns, plan, i, lines, things.at[before]):
                continue
        # Lamps, trees and paths that no house is left for would only clutter what others built.
        houses = houses[keep[houses]]
        around = np.full(len(houses), 1.6 * LOT_WIDTH * plan.size[i])
        keep[rest] = touches(things.at[rest], things.slack[rest], things.at[houses], around)


def _alone(columns: Columns, plan: Plan, i: int, lines: tuple[Paths, Paths], houses: F64) -> bool:
    """Whether no line, plot or house (h, 3) of an earlier feature lies round district i."""
    center, away = plan.center[i], float(plan.radius[i]) + 0.02
    index = int(columns.index[i])
    earlier = [paths.points[: np.searchsorted(paths.feature, index)] for paths in lines]
    # A few points of each line are mostly enough to tell.
    return not any(
        len(nearby(points[::every], center, away))
        for every in (32, 1)
        for points in (*earlier, houses)
    )


def _with_plots(streets: Paths, rows: F64, group: I64, feature: I64) -> Paths:
    """Street lines and the plots of what stands, in feature order."""
    line = np.arange(len(rows), dtype=np.int64) - np.searchsorted(feature, feature) + (1 << 20)
    plots = plot_paths(rows[:, 0:3], _reach(rows, group), feature, line)
    owner = np.concatenate([streets.feature, plots.feature])
    order = np.argsort(owner, kind="stable")

    def joined(name: str) -> F64:
        both: F64 = np.concatenate([getattr(streets, name), getattr(plots, name)])[order]
        return both

    return Paths(
        joined("points"),
        joined("tangents"),
        owner[order],
        np.concatenate([streets.line, plots.line])[order],
        np.concatenate([streets.kind, plots.kind])[order],
        joined("half_width"),
    )
