"""How a district lies on the ground: its plane, its lots, and its streets.

Everything is laid out in a plane around the centre, in radians: `u` along the streets, `v` across
them. Streets are rows of constant v, bent by a slow sine that is 0 in the middle and at the edge;
lots lie on both sides of them, in blocks between cross streets. Row 0 is the main street: paved
like a road, it leads towards the town and ends in a gate on both sides of the district, where later
roads join it. One cross street runs through the middle, so no street is cut off from the others.

Twin: web/sim/district.js
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from godseed.sim.columns import STREET, Columns, Paths, items
from godseed.sim.kits import seed24_of
from godseed.sim.maths import DEG, F64, I64, PI, TAU, U32, BoolArray, clamp, cos, sin
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import cross, direction, dot, east_north, normalize
from godseed.sim.strip import SHOULDER, line_tangents, strip_rows

LOT_WIDTH, LOT_DEPTH = 0.0196, 0.0215
CORRIDOR = 0.0064
"""Width that a street keeps free of lots; the footpath in it is narrower."""
LOTS_PER_BLOCK = 4
PATH_HALF_WIDTH = 0.002
PATH_STEP = 0.005
PATH_STONE = (0.104, 0.088, 0.074)
SETBACK = 0.0024
BEND = 0.16
"""Steepest slope of a bent street against its row."""
SHARPEST = 8.0
"""Sharpest curvature of a street, one over planet radii: houses on the inside have room."""
EDGE = 0.003
"""Streets keep this far inside the district, shoulders included."""
GATE_INSET = 0.0075
"""The main street ends this far inside the district's radius."""
PUBLIC_RADIUS = 0.05
"""Districts smaller than this have houses only."""
MAIN_HALF_WIDTH = 0.0043
MAIN_STONE = (0.088, 0.073, 0.06)
MAIN_ROOM = 0.0038
"""What the main street takes more than a footpath from the front of the lots along it."""
TOWN_NEAR, TOWN_FAR = 0.0001, 1.9
"""1 - cosine of the angle to the town's centre within which a main street leads towards it."""
HOUSE_REACH = 0.0088
"""Radius around a house at scale 1 that stays inside the district."""
FRAME_PURPOSE = 0x4652


@dataclass(frozen=True)
class Plan:
    """The planes of n districts.

    Attributes:
        center, u_axis, v_axis: (n, 3).
        radius: (n,) radians.
        size: (n,) how much wider than usual lots are.
        wave, steep: (n,) of the bend: radians, and its steepest slope.
        rows, blocks: (n,) int64; rows run -rows..rows, blocks -blocks..blocks - 1.
        seed: (n,) uint32.
    """

    center: F64
    u_axis: F64
    v_axis: F64
    radius: F64
    size: F64
    wave: F64
    steep: F64
    rows: I64
    blocks: I64
    seed: U32

    def bend(self, i: I64, u: F64) -> F64:
        """How far the streets of districts i (m,) are off their rows at u (m,)."""
        amplitude = self.steep[i] / self.wave[i]
        bent: F64 = amplitude * sin(self.wave[i] * u)
        return bent

    def slope(self, i: I64, u: F64) -> F64:
        """Derivative of `bend`."""
        slope: F64 = self.steep[i] * cos(self.wave[i] * u)
        return slope

    def street_v(self, i: I64, row: I64, u: F64) -> F64:
        """v of the middle of a street at u (m,)."""
        middle: F64 = row * self.period()[i] + self.bend(i, u)
        return middle

    def verge(self, row: I64) -> F64:
        """(m,) distance from the middle of a street to the lots along it."""
        verge: F64 = CORRIDOR / 2.0 + np.where(row == 0, MAIN_ROOM, 0.0)
        return verge

    def at(self, i: I64, u: F64, v: F64) -> F64:
        """Directions (m, 3) of plane points (m,): along great circles from the centre."""
        length = np.sqrt(u * u + v * v)
        safe = np.where(length == 0.0, 1.0, length)
        way = self.u_axis[i] * (u / safe)[:, None] + self.v_axis[i] * (v / safe)[:, None]
        return normalize(self.center[i] * cos(length)[:, None] + way * sin(length)[:, None])

    def period(self) -> F64:
        """(n,) distance from row to row."""
        return row_period(self.size)

    def block(self) -> F64:
        """(n,) distance from cross street to cross street."""
        return block_length(self.size)


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


def row_period(size: F64) -> F64:
    """Distance from row to row for lots of a size (n,)."""
    return 2.0 * LOT_DEPTH * size + CORRIDOR


def block_length(size: F64) -> F64:
    """Distance from cross street to cross street for lots of a size (n,)."""
    return LOTS_PER_BLOCK * LOT_WIDTH * size + CORRIDOR


def frame_of(columns: Columns) -> tuple[F64, F64, F64]:
    """Centres (n, 3) of districts, the ways (n, 3) of their main streets, and radii (n,)."""
    center = direction(columns.numbers["lat"], columns.numbers["lon"])
    radius = columns.numbers["radius_deg"] * DEG
    heading = uniform(mix(columns.seed, FRAME_PURPOSE), 0) * TAU
    east, north = east_north(center)
    seeded = east * sin(heading)[:, None] + north * cos(heading)[:, None]
    apart = 1.0 - dot(center, columns.town)
    leads = (apart > TOWN_NEAR) & (apart < TOWN_FAR)
    to_town = normalize(columns.town - center * dot(columns.town, center)[:, None])
    return center, np.where(leads[:, None], to_town, seeded), radius


def plan_of(columns: Columns) -> Plan:
    """Where each district lies, which way its streets run, and how large its lots are."""
    center, u_axis, radius = frame_of(columns)
    seed = mix(columns.seed, FRAME_PURPOSE)
    # Small districts are tight, large ones spread: a dozen houses to seven score.
    size = 0.84 + 0.16 * clamp((radius - 0.036) / 0.05, 0.0, 1.0)
    size = size + 5.2 * np.maximum(radius - 0.14, 0.0)
    wave = np.where(uniform(seed, 1) < 0.5, 1.0, 2.0) * PI / (radius - GATE_INSET)
    steep = np.minimum(BEND, SHARPEST / wave)
    return Plan(
        center,
        u_axis,
        cross(center, u_axis),
        radius,
        size,
        wave,
        np.where(uniform(seed, 2) < 0.5, -steep, steep),
        np.floor(radius / row_period(size)).astype(np.int64),
        np.floor(radius / block_length(size)).astype(np.int64) + 1,
        seed,
    )


def lots_of(plan: Plan) -> Lots:
    """Every lot of the rectangle around each district."""
    across = 2 * plan.blocks * LOTS_PER_BLOCK
    owner, number = items((2 * plan.rows + 1) * 2 * across)
    column = number % across[owner]
    row = number // (2 * across[owner]) - plan.rows[owner]
    side = np.where((number // across[owner]) % 2 == 0, 1.0, -1.0)
    block = column // LOTS_PER_BLOCK - plan.blocks[owner]
    slot = column % LOTS_PER_BLOCK
    width = LOT_WIDTH * plan.size[owner]
    u = (block + 0.5) * plan.block()[owner] + (slot - (LOTS_PER_BLOCK - 1) / 2.0) * width
    street_v = plan.street_v(owner, row, u)
    v = street_v + side * (plan.verge(row) + SETBACK + 0.0055 * plan.size[owner])
    distance = np.sqrt(u * u + v * v)
    inside = distance + HOUSE_REACH * house_size(plan)[owner] + 0.0008 < plan.radius[owner]
    inside = inside & (np.sqrt(u * u + street_v * street_v) + EDGE < plan.radius[owner])
    public = (row == 0) & (block == 0) & (slot < 2)
    public = public & (plan.radius[owner] >= PUBLIC_RADIUS)
    share = distance / plan.radius[owner]
    return Lots(owner, number, row, column, side, u, street_v, inside, public, share)


def public_u(plan: Plan) -> F64:
    """(n,) u of the middle of the green, beside the crossing in the middle."""
    middle: F64 = CORRIDOR / 2.0 + LOT_WIDTH * plan.size
    return middle


def house_size(plan: Plan) -> F64:
    """(n,) scale of an average house: a little larger where lots are."""
    return 0.93 * np.minimum(plan.size, 1.1)


def at_street(plan: Plan, i: I64, u: F64, row: I64, off: F64, turn: F64) -> tuple[F64, F64]:
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
    foot_v = plan.street_v(i, row, u)
    at = plan.at(i, u - off * slope / length, foot_v + off / length)
    aim = plan.at(i, u + turn / length, foot_v + turn * slope / length)
    return at, normalize(aim - at * dot(aim, at)[:, None])


def streets_of(columns: Columns, plan: Plan, lots: Lots) -> tuple[Paths, F64]:
    """Street lines and their patches: rows first, then cross streets, for each district."""
    lo, hi, first_row = _extents(plan, lots)
    row_owner, number = items(2 * plan.rows + 1)
    row = number - plan.rows[row_owner]
    exists = (hi >= lo) | (row == 0)
    gate = plan.radius[row_owner] - GATE_INSET
    u0 = np.minimum(_street_end(plan, row_owner, row, lo, -1), 0.0)
    u1 = np.maximum(_street_end(plan, row_owner, row, hi, 1), 0.0)
    u0, u1 = np.where(row == 0, -gate, u0), np.where(row == 0, gate, u1)
    # Cross street x between rows j and j + 1, where both reach it.
    lanes = 2 * plan.blocks + 1
    cross_owner, nth = items(2 * plan.rows * lanes)
    below = first_row[cross_owner] + nth // lanes[cross_owner]
    lane = nth % lanes[cross_owner] - plan.blocks[cross_owner]
    lane_u = lane * plan.block()[cross_owner]
    met = exists[below] & exists[below + 1]
    met = met & (u0[below] <= lane_u) & (lane_u <= u1[below])
    met = met & (u0[below + 1] <= lane_u) & (lane_u <= u1[below + 1])
    along, over = np.nonzero(exists)[0], np.nonzero(met)[0]
    owner = np.concatenate([row_owner[along], cross_owner[over]])
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    low, period = row[below[over]], plan.period()[cross_owner[over]]
    low_v = plan.street_v(cross_owner[over], low, lane_u[over])
    # A footpath begins at the kerb of the main street.
    kerb = 0.9 * MAIN_HALF_WIDTH
    high_v = low_v + period - np.where(low == -1, kerb, 0.0)
    low_v = low_v + np.where(low == 0, kerb, 0.0)
    start_u = np.concatenate([u0[along], lane_u[over]])[order]
    end_u = np.concatenate([u1[along], lane_u[over]])[order]
    row_v = row[along] * plan.period()[row_owner[along]]
    start_v = np.concatenate([row_v, low_v])[order]
    end_v = np.concatenate([row_v, high_v])[order]
    bent = np.concatenate([np.ones(len(along)), np.zeros(len(over))])[order]
    main = np.concatenate([row[along] == 0, np.zeros(len(over), bool)])[order]
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
    half_width = np.where(main[line], MAIN_HALF_WIDTH, PATH_HALF_WIDTH)
    kind = np.full(len(points), STREET, dtype=np.int64)
    laid = Paths(points, tangents, index, nth, kind, half_width)
    rows = strip_rows(points, tangents, line, length[line] * t, half_width * SHOULDER)
    first = np.nonzero(line[:-1] == line[1:])[0]
    rows[:, 14:16] = (-SHOULDER, SHOULDER)
    paved = main[line[first]]
    rows[:, 16:19] = np.where(paved[:, None], MAIN_STONE, PATH_STONE)
    rows[:, 19] = length[line[first]]
    rows[:, 20] = half_width[first]
    rows[:, 21] = seed24_of(uniform(plan.seed[who[first]], 11))
    rows[:, 22] = np.where(paved, 0.0, 1.0)
    rows[:, 23] = index[first]
    return laid, rows


def _extents(plan: Plan, lots: Lots) -> tuple[I64, I64, I64]:
    """First and last column that each row of lots reaches, and each district's first row.

    A row that reaches nothing has its last column below its first.
    """
    counts = 2 * plan.rows + 1
    first_row = np.cumsum(counts) - counts
    total = int(first_row[-1] + counts[-1]) if len(counts) else 0
    lo, hi = np.full(total, 1 << 30, dtype=np.int64), np.full(total, -1, dtype=np.int64)
    inside = np.nonzero(lots.inside)[0]
    key = first_row[lots.owner[inside]] + lots.row[inside] + plan.rows[lots.owner[inside]]
    np.minimum.at(lo, key, lots.column[inside])
    np.maximum.at(hi, key, lots.column[inside])
    return np.where(hi < 0, 0, lo), hi, first_row


def _street_end(plan: Plan, owner: I64, row: I64, column: I64, way: int) -> F64:
    """u where a street ends: behind its last lot, or at its middle where that would be outside.

    Args:
        plan: the districts.
        owner, row, column: (m,) of the last lots.
        way: -1 for the start of the street, 1 for its end.
    """
    width = LOT_WIDTH * plan.size[owner]
    block = column // LOTS_PER_BLOCK - plan.blocks[owner]
    slot = column % LOTS_PER_BLOCK
    middle = (block + 0.5) * plan.block()[owner] + (slot - (LOTS_PER_BLOCK - 1) / 2.0) * width
    at_crossing = slot == (LOTS_PER_BLOCK - 1 if way > 0 else 0)
    crossing = np.where(at_crossing, CORRIDOR / 2.0 + PATH_HALF_WIDTH, 0.0)
    end = middle + way * (0.5 * width + crossing)
    v = plan.street_v(owner, row, end)
    fits = np.sqrt(end * end + v * v) + EDGE < plan.radius[owner]
    return np.where(fits, end, middle)
