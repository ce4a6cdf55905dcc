"""Plants scattered evenly over an area, in loose groves, clear of roads, houses and water.

Twin: web/sim/tools/spawn_flora.js
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from godseed.sim.color import hue_rgb
from godseed.sim.columns import Built, Columns, Part, Paths, items
from godseed.sim.kits import instance_rows, kit, seed24_of
from godseed.sim.maths import DEG, F64, I64, TAU, BoolArray, cos, sin, smoothstep
from godseed.sim.noise import value_noise4
from godseed.sim.plots import DISTRICT, Discs, mark_crowded, near_places, subset
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import angle_rad, cap_points, direction, east_north
from godseed.spec import load

MOST = 260
"""Plants of one feature at full density, before the thin places of its groves are left out."""
DRAWS = 8
GROVE_FREQUENCY = 22.0
GROVE_PURPOSE, PLANT_PURPOSE = 0x4752, 0x504C
DELAY_S = 1.2
WIDEST = 0.06
"""Half width of the widest plot, planet radii."""
CLEAR_FOOTPRINTS, CLEAR_MARGIN = 0.3, 0.0025
"""How far a plant's middle stays from roads, houses and water: footprints, and planet radii."""


@dataclass(frozen=True)
class Species:
    """How a kind of plant grows.

    Attributes:
        kits: its shapes; each plant is one of them.
        per_area: plants per steradian at full density.
        size: smallest and largest scale.
        saturation, value: of its colour.
        ground: brightness of the tint that it gives the ground.
        glow: strength of the light that it throws, 0 for none.
    """

    kits: tuple[str, ...]
    per_area: float
    size: tuple[float, float]
    saturation: float
    value: float
    ground: float
    glow: float


SPECIES = {
    "trees": Species(
        ("tree_round", "tree_tall", "tree_bent"), 3000.0, (0.72, 1.3), 0.46, 0.42, 0.48, 0.0
    ),
    "glowgrass": Species(("glowgrass",), 6500.0, (0.75, 1.35), 0.58, 0.92, 0.42, 0.16),
    "mushrooms": Species(
        ("mushroom_group", "mushroom_slim"), 4200.0, (0.6, 1.25), 0.55, 0.95, 0.38, 0.12
    ),
    "vines": Species(("vine_arch", "vine_coil"), 4200.0, (0.7, 1.3), 0.52, 0.92, 0.44, 0.06),
    "flowers": Species(("flower_star", "flower_bell"), 6000.0, (0.7, 1.25), 0.60, 0.92, 0.38, 0.0),
    "reeds": Species(("reeds",), 6000.0, (0.75, 1.3), 0.42, 0.80, 0.42, 0.0),
}


def build(columns: Columns, paths: Paths) -> Built:
    """Let plants grow.

    Args:
        columns: n features with `lat lon radius_deg kind density hue`.
        paths: of all features; plants keep clear of those before theirs.
    Returns:
        Parts `kit:<name>` and `light`: one tint of the ground and, for kinds that shine, one light.
    """
    names = _kind_names()
    kind, radius_deg = columns.enums["kind"], columns.numbers["radius_deg"]
    density = columns.numbers["density"]
    table = [SPECIES[name] for name in names]
    center = direction(columns.numbers["lat"], columns.numbers["lon"])
    owner, item = items(_counts(table, kind, radius_deg, density))
    seed = mix(columns.seed, PLANT_PURPOSE)[owner]

    def draw(k: int) -> F64:
        return uniform(seed, item * DRAWS + k)

    at = cap_points(center[owner], radius_deg[owner], draw(0), draw(1))
    edge = angle_rad(at, center[owner]) / (radius_deg[owner] * DEG)
    grove = _grove(at, columns.seed[owner])
    keep = draw(2) < 0.55 + 0.75 * grove
    smallest = np.array([s.size[0] for s in table])[kind][owner]
    largest = np.array([s.size[1] for s in table])[kind][owner]
    scale = smallest + (largest - smallest) * draw(3) * (0.55 + 0.45 * grove)
    scale = scale * (1.0 - 0.35 * smoothstep(0.72, 1.0, edge))
    shapes = np.array([len(s.kits) for s in table])[kind][owner]
    shape = np.floor(draw(4) * shapes).astype(np.int64)
    turn = TAU * draw(5)
    east, north = east_north(at)
    rows = instance_rows(
        at,
        north * cos(turn)[:, None] + east * sin(turn)[:, None],
        scale,
        columns.index[owner],
        stretch=0.85 + 0.3 * draw(6),
        tint=_tint(columns, table, owner, draw(7)),
        seed24=seed24_of(draw(5)),
        delay_s=DELAY_S * (0.65 * np.minimum(edge, 1.0) + 0.35 * draw(6)),
        phase=draw(7),
    )
    footprints = np.array([[kit(name).footprint for name in _padded(s.kits)] for s in table])
    radius = scale * footprints[kind[owner], shape] * CLEAR_FOOTPRINTS + CLEAR_MARGIN
    keep = keep & _clear(at, radius, owner, columns, paths, center)
    parts: dict[str, Part] = {}
    for code, species in enumerate(table):
        for number, name in enumerate(species.kits):
            chosen = np.nonzero(keep & (kind[owner] == code) & (shape == number))[0]
            if len(chosen):
                parts[f"kit:{name}"] = Part(rows[chosen], columns.index[owner[chosen]])
    if len(columns.index):
        parts["light"] = _lights(columns, table, center)
    return Built(parts)


def _kind_names() -> tuple[str, ...]:
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    kinds = next(arg for arg in rows["spawn_flora"]["args"] if arg["name"] == "kind")
    return tuple(kinds["values"])


def _counts(table: list[Species], kind: I64, radius_deg: F64, density: F64) -> I64:
    """How many plants each feature sets out, 3 at least."""
    half = sin(radius_deg * (0.5 * DEG))
    area = 2.0 * TAU * half * half
    most = np.minimum(np.array([s.per_area for s in table])[kind] * area, float(MOST))
    return np.maximum(np.floor(most * density), 3.0).astype(np.int64)


def _grove(at: F64, seed: np.ndarray) -> F64:
    """How thick it grows at each place, 0..1: smooth noise, shifted by the feature's seed."""
    grove_seed = mix(seed, GROVE_PURPOSE)
    shift = np.stack([uniform(grove_seed, k) for k in range(3)], axis=1) * 64.0
    noise = value_noise4(at * GROVE_FREQUENCY + shift, GROVE_PURPOSE)[:, 0]
    thick: F64 = smoothstep(-0.35, 0.35, noise)
    return thick


def _tint(columns: Columns, table: list[Species], owner: I64, vary: F64) -> F64:
    """Colour of each plant: the feature's hue, a little off in hue and brightness."""
    kind = columns.enums["kind"]
    hue = columns.numbers["hue"][owner] + 26.0 * (vary - 0.5)
    saturation = np.array([s.saturation for s in table])[kind][owner]
    value = np.array([s.value for s in table])[kind][owner] * (0.82 + 0.18 * vary)
    return hue_rgb(hue, saturation, value)


def _padded(kits: tuple[str, ...]) -> tuple[str, ...]:
    """Three names, the last one repeated."""
    return (*kits, *(kits[-1],) * (3 - len(kits)))


def _clear(
    at: F64, radius: F64, owner: I64, columns: Columns, paths: Paths, center: F64
) -> BoolArray:
    """Which plants stand clear of the roads, houses and waters of earlier features."""
    half = sin(columns.numbers["radius_deg"] * (0.5 * DEG))
    old = near_places(paths, center, 2.0 * half + 2.0 * WIDEST)
    # What stands in a district takes its own ground; the district as a whole takes none.
    old = subset(old, np.nonzero(old.kind != DISTRICT)[0])
    taken = np.zeros(len(at), dtype=bool)
    anywhere = np.full(len(at), 4.0)
    mark_crowded(Discs(at, radius, columns.index[owner], at, anywhere), old, taken)
    return ~taken


def _lights(columns: Columns, table: list[Species], center: F64) -> Part:
    """Tint of the ground, and light where the kind shines; rows in feature order."""
    kind, density = columns.enums["kind"], columns.numbers["density"]
    radius = columns.numbers["radius_deg"] * DEG
    ground = np.array([s.ground for s in table])[kind]
    glow = np.array([s.glow for s in table])[kind] * (0.35 + 0.65 * density)
    n = len(columns.index)
    rows = np.zeros((n, 2, 12))
    rows[:, :, 0:3] = center[:, None, :]
    rows[:, 0, 3] = radius * 1.2
    rows[:, 0, 4:7] = hue_rgb(columns.numbers["hue"], 0.42, ground)
    rows[:, 0, 7] = 0.55 + 1.1 * density
    rows[:, 0, 8] = 1.0
    rows[:, 1, 3] = radius
    rows[:, 1, 4:7] = hue_rgb(columns.numbers["hue"], 0.6, 0.9)
    rows[:, 1, 7] = glow
    rows[:, :, 9] = columns.index[:, None]
    kept = np.stack([np.ones(n, dtype=bool), glow > 0.0], axis=1).reshape(-1)
    return Part(rows.reshape(-1, 12)[kept], np.repeat(columns.index, 2)[kept])
