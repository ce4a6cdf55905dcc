"""Plants: even, inside their area, clear of what was there, the same bytes alone or in a batch."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from godseed.sim.columns import ROAD, Built, Columns, Paths
from godseed.sim.kits import kit, kit_names
from godseed.sim.maths import F64
from godseed.sim.plots import DISTRICT
from godseed.sim.sphere import angle_deg, angle_rad, direction
from godseed.sim.spline import sample
from godseed.sim.tools.spawn_flora import MOST, SPECIES, build
from godseed.spec import load

Row = tuple[float, float, float, str, float, float]
KINDS = tuple(SPECIES)
PLANTS: list[Row] = [
    (10.0, 20.0, 6.0, "trees", 0.7, 120.0),
    (-40.0, 170.0, 1.0, "glowgrass", 1.0, 160.0),
    (80.0, -30.0, 30.0, "mushrooms", 0.4, 280.0),
    (0.0, 0.0, 9.0, "vines", 0.0, 80.0),
    (14.0, 38.0, 4.0, "flowers", 1.0, 330.0),
    (-85.0, 0.0, 12.0, "reeds", 0.6, 90.0),
]


def columns(rows: list[Row], first: int = 0) -> Columns:
    lat, lon, radius, kind, density, hue = zip(*rows, strict=True)
    index = np.arange(first, first + len(rows), dtype=np.int64)
    return Columns(
        index,
        (index * 2654435761 % 2**31).astype(np.uint32),
        numbers={
            "lat": np.array(lat),
            "lon": np.array(lon),
            "radius_deg": np.array(radius),
            "density": np.array(density),
            "hue": np.array(hue),
        },
        enums={"kind": np.array([KINDS.index(k) for k in kind], dtype=np.int64)},
    )


def plants(built: Built) -> F64:
    kits = [part.rows for name, part in built.parts.items() if name.startswith("kit:")]
    return np.concatenate([np.zeros((0, 16)), *kits])


def road(feature: int) -> Paths:
    ends = np.stack([direction(10.0, 12.0), direction(10.0, 28.0)])
    points, _ = sample(ends, 0.0078, 400)
    n = len(points)
    whole = np.full(n, feature, dtype=np.int64)
    none = np.zeros(n, np.int64)
    return Paths(points, points, whole, none, np.full(n, ROAD), np.full(n, 0.0045))


def test_species_cover_the_kinds_of_the_tool_and_have_kits() -> None:
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    kinds = next(arg for arg in rows["spawn_flora"]["args"] if arg["name"] == "kind")
    assert tuple(kinds["values"]) == KINDS
    names = [name for species in SPECIES.values() for name in species.kits]
    assert set(names) <= set(kit_names())
    assert {kit(name).family for name in names} == {"flora"}


def test_batch_is_the_same_bytes_as_one_by_one() -> None:
    together = build(columns(PLANTS), road(0)).parts
    alone = [build(columns([row], i), road(0)).parts for i, row in enumerate(PLANTS)]
    assert set(together) == {name for parts in alone for name in parts}
    for name, part in together.items():
        found = [parts[name].rows for parts in alone if name in parts]
        assert part.rows.tobytes() == np.concatenate(found).tobytes(), name
        owners = [parts[name].feature for parts in alone if name in parts]
        assert part.feature.tobytes() == np.concatenate(owners).tobytes(), name


@pytest.mark.parametrize("kind", KINDS)
def test_more_density_only_adds_plants(kind: str) -> None:
    before: set[bytes] = set()
    for density in (0.1, 0.4, 0.7, 1.0):
        row: Row = (10.0, 20.0, 8.0, kind, density, 100.0)
        now = {plant.tobytes() for plant in plants(build(columns([row]), Paths.empty()))}
        assert before <= now
        assert len(now) <= MOST
        before = now
    assert len(before) > 20


@settings(max_examples=25, deadline=None)
@given(
    lat=st.floats(-85, 85),
    lon=st.floats(-180, 180),
    radius=st.floats(1, 30),
    kind=st.sampled_from(KINDS),
    density=st.floats(0, 1),
)
def test_every_plant_grows_inside_the_radius(
    lat: float, lon: float, radius: float, kind: str, density: float
) -> None:
    rows = plants(build(columns([(lat, lon, radius, kind, density, 0.0)]), Paths.empty()))
    away = angle_deg(rows[:, 0:3], np.broadcast_to(direction(lat, lon), (len(rows), 3)))
    assert np.all(away <= radius * (1.0 + 1e-9))
    assert np.all(np.abs((rows[:, 0:3] * rows[:, 4:7]).sum(axis=1)) < 1e-12)
    assert np.all((rows[:, 12] >= 0.0) & (rows[:, 12] <= 1.2))
    assert np.all((rows[:, 11] >= 0.0) & (rows[:, 11] < 2.0**24))


def test_plants_are_spread_evenly_over_the_area() -> None:
    many: list[Row] = [(20.0, 30.0, 12.0, "flowers", 1.0, 0.0)] * 60
    rows = plants(build(columns(many), Paths.empty()))
    center = direction(20.0, 30.0)
    along = (rows[:, 0:3] * center).sum(axis=1)
    share = (1.0 - along) / (1.0 - np.cos(np.radians(12.0)))
    assert len(rows) > 8000
    assert np.all(np.abs(np.histogram(share, 10, (0.0, 1.0))[0] / len(rows) - 0.1) < 0.02)
    east = (rows[:, 0:3] * np.array([np.cos(np.radians(30)), 0.0, -np.sin(np.radians(30))])).sum(1)
    assert abs((east > 0.0).mean() - 0.5) < 0.03


def test_plants_keep_off_an_earlier_road_and_ignore_a_later_one() -> None:
    row: Row = (10.0, 20.0, 6.0, "flowers", 1.0, 0.0)
    free = plants(build(columns([row], 5), Paths.empty()))
    assert plants(build(columns([row], 5), road(7))).tobytes() == free.tobytes()
    beside = plants(build(columns([row], 5), road(3)))
    assert 0 < len(beside) < len(free)
    assert {plant.tobytes() for plant in beside} < {plant.tobytes() for plant in free}
    points = road(3).points
    nearest = [angle_rad(points, np.broadcast_to(p[0:3], points.shape)).min() for p in beside]
    assert min(nearest) > 0.0045


def test_a_district_as_a_whole_does_not_keep_plants_out() -> None:
    row: Row = (10.0, 20.0, 6.0, "flowers", 1.0, 0.0)
    at = direction(np.array([10.0]), np.array([20.0]))
    one = np.zeros(1, np.int64)
    district = Paths(at, at, one + 3, one, one + DISTRICT, np.array([0.2]))
    free = plants(build(columns([row], 5), Paths.empty()))
    assert plants(build(columns([row], 5), district)).tobytes() == free.tobytes()


def test_many_features_sharing_one_look_keep_off_the_same_roads() -> None:
    rows: list[Row] = [(10.0, 11.0 + 2.0 * k, 5.0, KINDS[k % 6], 0.9, 0.0) for k in range(9)]
    together = build(columns(rows, 4), road(3)).parts
    alone = [build(columns([row], 4 + i), road(3)).parts for i, row in enumerate(rows)]
    for name, part in together.items():
        found = [parts[name].rows for parts in alone if name in parts]
        assert part.rows.tobytes() == np.concatenate(found).tobytes(), name


def test_hue_colours_plants_and_ground() -> None:
    green: Row = (10.0, 20.0, 6.0, "trees", 0.8, 120.0)
    parts = build(columns([green]), Paths.empty())
    tint = plants(parts)[:, 8:11]
    assert np.all(tint[:, 1] > tint[:, 0])
    assert np.all(tint[:, 1] > tint[:, 2])
    ground = parts.parts["light"].rows
    assert len(ground) == 1
    assert ground[0, 8] == 1.0
    assert ground[0, 5] > max(ground[0, 4], ground[0, 6])


def test_luminous_kinds_throw_one_light_each() -> None:
    for kind, species in SPECIES.items():
        row: Row = (10.0, 20.0, 6.0, kind, 0.8, 200.0)
        lights = build(columns([row]), Paths.empty()).parts["light"].rows
        assert list(lights[:, 8]) == ([1.0, 0.0] if species.glow else [1.0])


def test_geometry_is_pinned() -> None:
    built = build(columns(PLANTS), road(0))
    found = hashlib.sha256()
    for name in sorted(built.parts):
        found.update(built.parts[name].rows.astype("<f4").tobytes())
    assert found.hexdigest()[:16] == "b115aa8f34d72746"
