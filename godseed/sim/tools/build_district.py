"""Neighbourhoods: houses along curved streets on a rough grid, a green, lamps, sometimes a hall or a market.

Everything is laid out in a plane around the centre, in radians: `u` along the streets, `v` across them. Streets are the rows
v = j * period, bent by a slow sine; lots lie on both sides, in blocks between cross streets. A house stays inside its lot, so
houses of one district never meet each other or a street; lots where an earlier road or building is in the way stay empty.

Twin: web/sim/tools/build_district.js
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from godseed.sim.color import hue_rgb
from godseed.sim.columns import ROAD, STREET, Built, Columns, Part, Paths, items, nearest_path
from godseed.sim.kits import instance_rows, kit, light_rows
from godseed.sim.maths import DEG, F64, I64, TAU, BoolArray, cos, sin
from godseed.sim.plots import PLOT, plot_paths, touches, within
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import cross, direction, dot, east_north, normalize
from godseed.sim.tools.place_road import line_tangents, strip_rows

LOT_WIDTH, LOT_DEPTH = 0.0196, 0.0215
CORRIDOR = 0.0064
"""Width that a street keeps free of lots; the footpath in it is narrower."""
LOTS_PER_BLOCK = 4
PATH_HALF_WIDTH = 0.002
PATH_STEP = 0.0075
SHOULDER = 1.32
SETBACK = 0.0024
BEND = 0.2
"""Steepest slope of a bent street against its row."""
PUBLIC_RADIUS = 0.06
"""Districts smaller than this have houses only."""
HOUSES = ("house_a", "house_b", "house_c", "house_d")
HALL, MARKET, GREEN, LAMP, TREE = "hall", "market", "green", "lamp", "yard_tree"
HOUSE_REACH = 0.0088
"""Radius around a house at scale 1 that stays inside the district."""
DRAWS = 12
FRAME_PURPOSE, LOT_PURPOSE, LAMP_PURPOSE, TREE_PURPOSE = 0x4652, 0x4C4F, 0x4C50, 0x5452
WARM = (1.0, 0.6, 0.28)
PATH_STONE = (0.104, 0.088, 0.074)
TWO_POW_24 = 16777216.0


@dataclass(frozen=True)
class Plan:
    """The planes of n districts.

    Attributes:
        center, u_axis, v_axis: (n, 3).
        radius: (n,) radians.
        size: (n,) how much wider than usual lots are.
        wave, phase: (n,) of the bend, radians.
        rows, blocks: (n,) int64; rows run -rows..rows, blocks -blocks..blocks.
        seed: (n,) uint32.
    """

    center: F64
    u_axis: F64
    v_axis: F64
    radius: F64
    size: F64
    wave: F64
    phase: F64
    rows: I64
    blocks: I64
    seed: F64

    def bend(self, i: I64, u: F64) -> F64:
        """How far the streets of districts i (m,) are off their rows at u (m,)."""
        amplitude = BEND / self.wave[i]
        bent: F64 = amplitude * (sin(self.wave[i] * u + self.phase[i]) - sin(self.phase[i]))
        return bent

    def slope(self, i: I64, u: F64) -> F64:
        """Derivative of `bend`."""
        slope: F64 = BEND * cos(self.wave[i] * u + self.phase[i])
        return slope

    def at(self, i: I64, u: F64, v: F64) -> F64:
        """Directions (m, 3) of plane points (m,), before any bend: great circles from the centre."""
        length = np.sqrt(u * u + v * v)
        safe = np.where(length == 0.0, 1.0, length)
        way = self.u_axis[i] * (u / safe)[:, None] + self.v_axis[i] * (v / safe)[:, None]
        return normalize(self.center[i] * cos(length)[:, None] + way * sin(length)[:, None])

    def period(self) -> F64:
        """(n,) distance from row to row."""
        return 2.0 * LOT_DEPTH * self.size + CORRIDOR

    def block(self) -> F64:
        """(n,) distance from cross street to cross street."""
        return LOTS_PER_BLOCK * LOT_WIDTH * self.size + CORRIDOR


@dataclass(frozen=True)
class Lots:
    """m lots of n districts, district after district.

    Attributes:
        owner: (m,) district.
        number: (m,) of the lot in its district.
        row, column: (m,) int64.
        side: (m,) +1 or -1, which side of its street.
        u, street_v: (m,) its middle, and its street there.
        inside: (m,) whether a house there stays in the district.
        public: (m,) whether it belongs to the green or the hall.
        share: (m,) distance from the centre, 1 at the edge.
    """

    owner: I64
    number: I64
    row: I64
    column: I64
    side: F64
    u: F64
    street_v: F64
    inside: BoolArray
    public: BoolArray
    share: F64


def build(columns: Columns, paths: Paths) -> Built:
    """Build districts.

    Args:
        columns: n features with `lat lon radius_deg density hue`.
        paths: of all features; the nearest earlier road gives each district its direction.
    Returns:
        Parts `road` (footpaths), `kit:*` and `light`; STREET lines, and a PLOT for every house.
    """
    plan = _plan(columns, paths)
    lots = _lots(plan)
    streets, patches = _streets(columns, plan, lots)
    tint = 0.4 * hue_rgb(columns.numbers["hue"], 0.5, 1.0) + 0.6 * np.array(WARM)
    houses, house_lot = _houses(columns, plan, lots, tint)
    public, public_name = _public(columns, plan, lots, tint)
    lamps = _lamps(columns, plan, lots, tint)
    trees = _trees(columns, plan, lots)
    everything = np.concatenate([public, houses, trees, lamps])
    group = np.repeat(np.arange(4), [len(public), len(houses), len(trees), len(lamps)])
    name = np.concatenate(
        [public_name, _house_names(plan, lots, house_lot), np.full(len(trees), 6), np.full(len(lamps), 7)]
    ).astype(np.int64)
    order = np.argsort(everything[:, 15], kind="stable")
    everything, group, name = everything[order], group[order], name[order]
    keep, keep_patch = _free(columns, plan, paths, streets, everything, group, patches)
    everything, group, name = everything[keep], group[keep], name[keep]
    patches = patches[keep_patch]
    feature = everything[:, 15].astype(np.int64)
    names = (*HOUSES, HALL, MARKET, TREE, LAMP, GREEN)
    parts = {"road": Part(patches, patches[:, 23].astype(np.int64))}
    for code, kit_name in enumerate(names):
        chosen = name == code
        parts[f"kit:{kit_name}"] = Part(everything[chosen], feature[chosen])
    lit = (group == 1) | (group == 3)
    parts["light"] = _lights(everything[lit], group[lit], feature[lit])
    built = {key: part for key, part in parts.items() if len(part.rows)}
    taken = group < 2
    return Built(built, _with_plots(streets, everything[taken], feature[taken]))


def _plan(columns: Columns, paths: Paths) -> Plan:
    """Where each district lies, which way its streets run, and how large its lots are."""
    center = direction(columns.numbers["lat"], columns.numbers["lon"])
    radius = columns.numbers["radius_deg"] * DEG
    seed = mix(columns.seed, FRAME_PURPOSE)
    east, north = east_north(center)
    heading = uniform(seed, 0) * TAU
    u_axis = east * sin(heading)[:, None] + north * cos(heading)[:, None]
    index, cosine = nearest_path(paths, center, columns.index, (ROAD,))
    near = np.nonzero(cosine > cos(radius + 0.06))[0]
    if len(near):
        tangent = paths.tangents[index[near]]
        u_axis[near] = normalize(tangent - center[near] * dot(tangent, center[near])[:, None])
    # Small districts are tight, large ones spread: a dozen houses to seven score.
    size = 0.84 + 0.16 * np.minimum(radius / 0.07, 1.0) + 3.9 * np.maximum(radius - 0.14, 0.0)
    unit = np.zeros(0)
    shape = Plan(
        center, u_axis, cross(center, u_axis), radius, size, unit, unit, columns.index, columns.index, seed
    )
    return Plan(
        center,
        u_axis,
        shape.v_axis,
        radius,
        size,
        TAU / (radius * (2.2 + 1.2 * uniform(seed, 1)) + 0.06),
        uniform(seed, 2) * TAU,
        np.floor(radius / shape.period()).astype(np.int64),
        np.floor(radius / shape.block() + 0.5).astype(np.int64),
        seed,
    )


def _lots(plan: Plan) -> Lots:
    """Every lot of the rectangle around each district."""
    across = (2 * plan.blocks + 1) * LOTS_PER_BLOCK
    owner, number = items((2 * plan.rows + 1) * 2 * across)
    column = number % across[owner]
    row = number // (2 * across[owner]) - plan.rows[owner]
    side = np.where((number // across[owner]) % 2 == 0, 1.0, -1.0)
    block = column // LOTS_PER_BLOCK - plan.blocks[owner]
    slot = column % LOTS_PER_BLOCK
    width = LOT_WIDTH * plan.size[owner]
    u = block * plan.block()[owner] + (slot - (LOTS_PER_BLOCK - 1) / 2.0) * width
    street_v = row * plan.period()[owner] + plan.bend(owner, u)
    v = street_v + side * (CORRIDOR / 2.0 + SETBACK + 0.0055 * plan.size[owner])
    distance = np.sqrt(u * u + v * v)
    inside = distance + HOUSE_REACH * _house_size(plan)[owner] + 0.0008 < plan.radius[owner]
    public = (row == 0) & (block == 0) & (slot > 0) & (slot < LOTS_PER_BLOCK - 1)
    public = public & (plan.radius[owner] >= PUBLIC_RADIUS)
    share = distance / plan.radius[owner]
    return Lots(owner, number, row, column, side, u, street_v, inside, public, share)


def _house_size(plan: Plan) -> F64:
    """(n,) scale of an average house: a little larger where lots are."""
    return 0.93 * np.minimum(plan.size, 1.1)


def _draw(plan: Plan, purpose: int, owner: I64, number: I64, k: int) -> F64:
    return uniform(mix(plan.seed, purpose)[owner], number * DRAWS + k)


def _houses(columns: Columns, plan: Plan, lots: Lots, tint: F64) -> tuple[F64, I64]:
    """Instance rows of the houses that density asks for, and the lot of each."""
    chance = (0.34 + 0.66 * columns.numbers["density"])[lots.owner]
    chance = chance * (1.12 - 0.42 * lots.share * lots.share)
    first = (lots.row == 0) & (lots.side > 0) & (np.abs(lots.u) < LOT_WIDTH * plan.size[lots.owner])
    wanted = _draw(plan, LOT_PURPOSE, lots.owner, lots.number, 0) < np.where(first, 2.0, chance)
    civic = _civic(plan)[lots.owner] > 0
    reserved = lots.public & ((lots.side < 0) | civic)
    lot = np.nonzero(lots.inside & wanted & ~reserved)[0]
    owner, number = lots.owner[lot], lots.number[lot]

    def draw(k: int) -> F64:
        return _draw(plan, LOT_PURPOSE, owner, number, k)

    scale = _house_size(plan)[owner] * (0.88 + 0.2 * draw(2))
    u = lots.u[lot] + (draw(3) - 0.5) * 0.0014
    depth = CORRIDOR / 2.0 + SETBACK + 0.0064 * scale + 0.0012 * draw(4)
    at, front = _at_street(plan, owner, u, lots.row[lot], lots.side[lot] * depth, (draw(5) - 0.5) * 0.0012)
    rows = instance_rows(
        at,
        front,
        scale,
        columns.index[owner],
        stretch=0.9 + 0.16 * draw(6) + 0.14 * (1.0 - lots.share[lot]),
        tint=tint[owner],
        seed24=np.floor(draw(7) * TWO_POW_24),
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


def _at_street(plan: Plan, i: I64, u: F64, row: I64, off: F64, turn: F64) -> tuple[F64, F64]:
    """Places at a distance square to the street (m,), and unit tangents back to it.

    Args:
        plan: the districts.
        i: (m,) district.
        u: (m,) where along the row.
        row: (m,) which street.
        off: (m,) signed distance from the middle of the street.
        turn: (m,) how far along the street the front looks past the square.
    """
    slope = plan.slope(i, u)
    length = np.sqrt(1.0 + slope * slope)
    foot_v = row * plan.period()[i] + plan.bend(i, u)
    at = plan.at(i, u - off * slope / length, foot_v + off / length)
    aim = plan.at(i, u + turn / length, foot_v + turn * slope / length)
    return at, normalize(aim - at * dot(aim, at)[:, None])


def _civic(plan: Plan) -> I64:
    """(n,) 0 nothing, 1 hall, 2 market."""
    pick = uniform(plan.seed, 3)
    large = plan.radius >= PUBLIC_RADIUS
    return np.where(large & (pick < 0.45), 1, np.where(large & (pick < 0.7), 2, 0)).astype(np.int64)


def _public(columns: Columns, plan: Plan, lots: Lots, tint: F64) -> tuple[F64, I64]:
    """The green of each district and its hall or market, with their positions in the list of kits."""
    civic = _civic(plan)
    green = np.nonzero(plan.radius >= PUBLIC_RADIUS)[0]
    built = np.nonzero(civic > 0)[0]
    owner = np.concatenate([green, built])
    depth = np.array([kit(name).half_depth for name in (GREEN, HALL, MARKET)])
    which = np.concatenate([np.zeros(len(green), np.int64), civic[built]])
    scale = np.where(which == 2, 0.86, 1.0)
    off = CORRIDOR / 2.0 + SETBACK + depth[which] * scale
    side = np.where(which == 0, -1.0, 1.0)
    zero = np.zeros(len(owner))
    at, front = _at_street(plan, owner, zero, zero.astype(np.int64), side * off, zero)
    rows = instance_rows(
        at,
        front,
        scale,
        columns.index[owner],
        tint=tint[owner],
        seed24=np.floor(uniform(plan.seed[owner], 4 + which) * TWO_POW_24),
        delay_s=0.2,
        phase=uniform(plan.seed[owner], 7 + which),
    )
    return rows, np.where(which == 0, 8, 3 + which)


def _lamps(columns: Columns, plan: Plan, lots: Lots, tint: F64) -> F64:
    """Lamp posts: one for every two lots along a street, on alternating sides."""
    turn = (lots.column // 2 + lots.row) % 2 == 0
    lot = np.nonzero(lots.inside & (lots.column % 2 == 0) & (turn == (lots.side > 0)))[0]
    owner = lots.owner[lot]
    u = lots.u[lot] + 0.5 * LOT_WIDTH * plan.size[owner]
    off = lots.side[lot] * (CORRIDOR / 2.0 + 0.0004)
    at, front = _at_street(plan, owner, u, lots.row[lot], off, np.zeros(len(lot)))
    return instance_rows(
        at,
        front,
        0.86 + 0.1 * _draw(plan, LAMP_PURPOSE, owner, lots.number[lot], 0),
        columns.index[owner],
        tint=0.5 * tint[owner] + 0.5 * np.array(WARM),
        delay_s=0.3 + 0.8 * lots.share[lot],
        phase=_draw(plan, LAMP_PURPOSE, owner, lots.number[lot], 1),
    )


def _trees(columns: Columns, plan: Plan, lots: Lots) -> F64:
    """A tree at the back of some gardens."""
    chance = _draw(plan, TREE_PURPOSE, lots.owner, lots.number, 0)
    lot = np.nonzero(lots.inside & (chance < 0.42) & ~lots.public)[0]
    owner, number = lots.owner[lot], lots.number[lot]
    width = LOT_WIDTH * plan.size[owner]
    u = lots.u[lot] + (_draw(plan, TREE_PURPOSE, owner, number, 1) - 0.5) * (width - 0.006)
    off = lots.side[lot] * (CORRIDOR / 2.0 + LOT_DEPTH * plan.size[owner] - 0.0026)
    at, front = _at_street(plan, owner, u, lots.row[lot], off, np.zeros(len(lot)))
    reach = np.sqrt(dot(at - plan.center[owner], at - plan.center[owner]))
    rows = instance_rows(
        at,
        front,
        0.55 + 0.4 * _draw(plan, TREE_PURPOSE, owner, number, 2),
        columns.index[owner],
        stretch=0.85 + 0.3 * _draw(plan, TREE_PURPOSE, owner, number, 3),
        delay_s=0.8 * lots.share[lot] + 0.4,
        phase=_draw(plan, TREE_PURPOSE, owner, number, 4),
    )
    return rows[reach + 0.003 < plan.radius[owner]]


def _lights(rows: F64, group: I64, feature: I64) -> Part:
    """One small light in front of every house and under every lamp."""
    lamp = group == 3
    at = normalize(rows[:, 0:3] + rows[:, 4:7] * np.where(lamp, 0.0, 0.008)[:, None])
    rgb = rows[:, 8:11] * np.array(WARM)
    lights = light_rows(at, np.where(lamp, 0.034, 0.03), rgb, np.where(lamp, 0.34, 0.24), feature)
    return Part(lights, feature)


def _streets(columns: Columns, plan: Plan, lots: Lots) -> tuple[Paths, F64]:
    """Street lines and their patches: rows first, then cross streets, for each district."""
    lo, hi, first_row = _extents(plan, lots)
    row_owner, number = items(2 * plan.rows + 1)
    row = number - plan.rows[row_owner]
    edge = CORRIDOR / 2.0 + PATH_HALF_WIDTH
    u0 = _column_edge(plan, row_owner, lo, 0) - np.where(lo % LOTS_PER_BLOCK == 0, edge, 0.0)
    u1 = _column_edge(plan, row_owner, hi, 1) + np.where(hi % LOTS_PER_BLOCK == 3, edge, 0.0)
    swing = 2.0 * BEND / plan.wave[row_owner] + PATH_HALF_WIDTH * SHOULDER
    reach = np.abs(row) * plan.period()[row_owner] + swing
    room = plan.radius[row_owner] * plan.radius[row_owner] - reach * reach
    limit = np.sqrt(np.maximum(room, 0.0))
    limit = np.maximum(limit, np.where(np.abs(row) == 0, plan.radius[row_owner] * 0.8, 0.0))
    u0, u1 = np.maximum(u0, -limit), np.minimum(u1, limit)
    exists = (hi >= lo) & (u1 > u0 + PATH_STEP)
    # Cross street x between rows j and j + 1, where both reach it.
    cross_owner, cross = items(2 * plan.rows * 2 * plan.blocks)
    lanes = 2 * plan.blocks[cross_owner]
    below = first_row[cross_owner] + cross // np.maximum(lanes, 1)
    lane = (cross % np.maximum(lanes, 1)) - plan.blocks[cross_owner]
    lane_u = (lane + 0.5) * plan.block()[cross_owner]
    met = exists[below] & exists[below + 1]
    met = met & (u0[below] < lane_u) & (lane_u < u1[below])
    met = met & (u0[below + 1] < lane_u) & (lane_u < u1[below + 1])
    along = np.nonzero(exists)[0]
    over = np.nonzero(met)[0]
    owner = np.concatenate([row_owner[along], cross_owner[over]])
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    bend = plan.bend(cross_owner[over], lane_u[over])
    low_v = row[below[over]] * plan.period()[cross_owner[over]] + bend
    start_u = np.concatenate([u0[along], lane_u[over]])[order]
    end_u = np.concatenate([u1[along], lane_u[over]])[order]
    row_v = row[along] * plan.period()[row_owner[along]]
    start_v = np.concatenate([row_v, low_v])[order]
    end_v = np.concatenate([row_v, low_v + plan.period()[cross_owner[over]]])[order]
    bent = np.concatenate([np.ones(len(along)), np.zeros(len(over))])[order]
    length = (end_u - start_u) + (end_v - start_v)
    pieces = np.floor(length / PATH_STEP).astype(np.int64) + 1
    line, k = items(pieces + 1)
    t = k / pieces[line]
    u = start_u[line] + (end_u - start_u)[line] * t
    v = start_v[line] + (end_v - start_v)[line] * t
    who = owner[line]
    points = plan.at(who, u, v + bent[line] * plan.bend(who, u))
    tangents = line_tangents(points, line)
    index = columns.index[who]
    nth = line - np.searchsorted(owner, who, side="left")
    half_width = np.full(len(points), PATH_HALF_WIDTH)
    laid = Paths(points, tangents, index, nth, np.full(len(points), STREET, dtype=np.int64), half_width)
    rows = strip_rows(points, tangents, line, length[line] * t, half_width * SHOULDER)
    first = np.nonzero(line[:-1] == line[1:])[0]
    rows[:, 14:16] = (-SHOULDER, SHOULDER)
    rows[:, 16:19] = PATH_STONE
    rows[:, 19] = length[line[first]]
    rows[:, 20] = PATH_HALF_WIDTH
    rows[:, 21] = np.floor(uniform(plan.seed[who[first]], 11) * TWO_POW_24)
    rows[:, 22] = 1.0
    rows[:, 23] = index[first]
    return laid, rows


def _extents(plan: Plan, lots: Lots) -> tuple[I64, I64, I64]:
    """First and last column that each row of lots reaches (last below first: none), and each district's first row."""
    counts = 2 * plan.rows + 1
    first_row = np.cumsum(counts) - counts
    total = int(first_row[-1] + counts[-1]) if len(counts) else 0
    lo, hi = np.full(total, 1 << 30, dtype=np.int64), np.full(total, -1, dtype=np.int64)
    inside = np.nonzero(lots.inside)[0]
    key = first_row[lots.owner[inside]] + lots.row[inside] + plan.rows[lots.owner[inside]]
    np.minimum.at(lo, key, lots.column[inside])
    np.maximum.at(hi, key, lots.column[inside])
    return np.where(hi < 0, 0, lo), hi, first_row


def _column_edge(plan: Plan, owner: I64, column: I64, far: int) -> F64:
    """u of the near (0) or far (1) edge of a column of lots."""
    block = column // LOTS_PER_BLOCK - plan.blocks[owner]
    slot = column % LOTS_PER_BLOCK + far - LOTS_PER_BLOCK / 2.0
    edge: F64 = block * plan.block()[owner] + slot * LOT_WIDTH * plan.size[owner]
    return edge


def _reach(rows: F64, group: I64) -> F64:
    """Radius (m,) that each instance needs free of what others built."""
    return np.where(group == 0, 0.0135, np.where(group == 1, 0.0086, 0.0018)) * rows[:, 3]


def _free(
    columns: Columns, plan: Plan, paths: Paths, streets: Paths, rows: F64, group: I64, patches: F64
) -> tuple[BoolArray, BoolArray]:
    """Which instances and patches have nothing of an earlier feature in their way.

    District after district, because each one looks at the houses that the ones before it were left with.
    """
    reach = _reach(rows, group)
    middle = normalize(patches[:, 0:3] + patches[:, 9:12])
    keep, keep_patch = np.ones(len(rows), bool), np.ones(len(patches), bool)
    plots = group < 2
    for i, index in enumerate(columns.index):
        start, stop = np.searchsorted(rows[:, 15], (index, index + 1), side="left")
        begin, end = np.searchsorted(patches[:, 23], (index, index + 1), side="left")
        away = float(plan.radius[i]) + 0.02
        old = within(paths, plan.center[i], away, int(index))
        street_end = int(np.searchsorted(streets.feature, index, side="left"))
        street = np.nonzero(_near(streets.points[:street_end], plan.center[i], away))[0]
        house = np.nonzero(plots[:start] & keep[:start])[0]
        house = house[_near(rows[house, 0:3], plan.center[i], away)]
        points = np.concatenate([old.points, streets.points[street], rows[house, 0:3]])
        if not len(points):
            continue
        width = np.concatenate([old.half_width, streets.half_width[street], reach[house]])
        solid = np.concatenate(
            [(old.kind == ROAD) | (old.kind == PLOT), np.zeros(len(street), bool), np.ones(len(house), bool)]
        )
        keep[start:stop] = ~touches(rows[start:stop, 0:3], reach[start:stop], points, width)
        thin = np.zeros(end - begin)
        keep_patch[begin:end] = ~touches(middle[begin:end], thin, points[solid], width[solid])
    return keep, keep_patch


def _near(points: F64, center: F64, chord: float) -> BoolArray:
    along = points[:, 0] * center[0] + points[:, 1] * center[1] + points[:, 2] * center[2]
    near: BoolArray = 2.0 - 2.0 * along < chord * chord
    return near


def _with_plots(streets: Paths, rows: F64, feature: I64) -> Paths:
    """Street lines and the plots of what stands, in feature order."""
    group = np.where(rows[:, 3] > 0.0, 1, 1)
    line = np.arange(len(rows), dtype=np.int64) + (1 << 20)
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
