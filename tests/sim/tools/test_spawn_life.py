"""Life rows: carts find the way that was there before them, else a loop of their own."""

from __future__ import annotations

import hashlib

import numpy as np

from godseed.sim.columns import ROAD, STREAM, STREET, Columns, Paths
from godseed.sim.life import LIFE_WIDTH, WAY_POINTS, WAY_START
from godseed.sim.maths import F64
from godseed.sim.sphere import angle_deg, angle_rad, direction
from godseed.sim.spline import sample
from godseed.sim.tools.spawn_life import SHORTEST_WAY, build
from godseed.spec import load

Row = tuple[float, float, float, str, int, float]
KINDS = ("carts", "birds", "fireflies")
LIVES: list[Row] = [
    (10.0, 20.0, 8.0, "carts", 4, 40.0),
    (-40.0, 170.0, 1.0, "carts", 12, 160.0),
    (80.0, -30.0, 20.0, "birds", 7, 280.0),
    (0.0, 0.0, 5.0, "fireflies", 1, 80.0),
]


def columns(rows: list[Row], first: int = 0) -> Columns:
    lat, lon, radius, kind, count, hue = zip(*rows, strict=True)
    index = np.arange(first, first + len(rows), dtype=np.int64)
    return Columns(
        index,
        (index * 2654435761 % 2**31).astype(np.uint32),
        numbers={
            "lat": np.array(lat),
            "lon": np.array(lon),
            "radius_deg": np.array(radius),
            "count": np.array(count, dtype=np.float64),
            "hue": np.array(hue),
        },
        enums={"kind": np.array([KINDS.index(k) for k in kind], dtype=np.int64)},
    )


def line(feature: int, kind: int, a: tuple[float, float], b: tuple[float, float]) -> Paths:
    points, _ = sample(np.stack([direction(*a), direction(*b)]), 0.0078, 400)
    n = len(points)
    none = np.zeros(n, np.int64)
    owner = np.full(n, feature, dtype=np.int64)
    return Paths(points, points, owner, none, np.full(n, kind), np.full(n, 0.0045))


def way(rows: F64, i: int = 0) -> F64:
    return rows[i, WAY_START:].reshape(WAY_POINTS, 3)


def test_kinds_are_those_of_the_tool() -> None:
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    kinds = next(arg for arg in rows["spawn_life"]["args"] if arg["name"] == "kind")
    assert tuple(kinds["values"]) == KINDS


def test_batch_is_the_same_bytes_as_one_by_one() -> None:
    road = line(0, ROAD, (10.0, 10.0), (10.0, 30.0))
    together = build(columns(LIVES, 1), road).parts["life"]
    alone = [build(columns([row], 1 + i), road).parts["life"].rows for i, row in enumerate(LIVES)]
    assert together.rows.tobytes() == np.concatenate(alone).tobytes()
    assert together.rows.shape == (len(LIVES), LIFE_WIDTH)


def test_rows_survive_float32() -> None:
    rows = build(columns(LIVES), Paths.empty()).parts["life"].rows
    seed = rows[:, 11].astype(np.float32) * np.float32(65536) + rows[:, 12].astype(np.float32)
    assert np.array_equal(rows[:, 11:14], rows[:, 11:14].astype(np.float32))
    assert np.array_equal(rows[:, 11] * 65536 + rows[:, 12], columns(LIVES).seed.astype(np.float64))
    assert np.all(np.isfinite(seed))


def test_carts_take_the_stretch_of_an_earlier_road_within_their_radius() -> None:
    road = line(2, ROAD, (10.0, 0.0), (10.0, 40.0))
    rows = build(columns(LIVES[:1], 3), road).parts["life"].rows
    assert rows[0, 6] == 0.0
    points = way(rows)
    center = np.broadcast_to(direction(10.0, 20.0), points.shape)
    assert np.all(angle_deg(points, center) <= 8.0 + 1e-9)
    steps = angle_rad(points[:-1], points[1:])
    assert np.allclose(steps, steps[0], rtol=1e-3)
    assert np.isclose(rows[0, 7], steps.sum())
    nearest = (points @ road.points.T).max(axis=1)
    assert np.all(nearest > np.cos(0.0045))


def test_carts_ignore_later_roads_far_roads_and_stubs() -> None:
    later = line(5, ROAD, (10.0, 0.0), (10.0, 40.0))
    far = line(2, ROAD, (40.0, 0.0), (40.0, 40.0))
    stub = line(2, ROAD, (10.0, 20.0), (10.0, 20.0 + np.degrees(SHORTEST_WAY) * 0.6))
    for paths in (later, far, stub, Paths.empty()):
        rows = build(columns(LIVES[:1], 3), paths).parts["life"].rows
        assert rows[0, 6] == 1.0
        points = way(rows)
        assert points[0].tobytes() == points[-1].tobytes()
        center = np.broadcast_to(direction(10.0, 20.0), points.shape)
        assert np.all(angle_deg(points, center) < 8.0)


def test_carts_prefer_roads_and_streams_to_nearer_footpaths() -> None:
    street = line(1, STREET, (10.0, 15.0), (10.0, 25.0))
    for kind in (ROAD, STREAM):
        other = line(2, kind, (12.0, 15.0), (12.0, 25.0))
        joined = Paths(
            *(
                np.concatenate([getattr(street, name), getattr(other, name)])
                for name in ("points", "tangents", "feature", "line", "kind", "half_width")
            )
        )
        points = way(build(columns(LIVES[:1], 3), joined).parts["life"].rows)
        assert np.all((points @ other.points.T).max(axis=1) > np.cos(0.0045))
        points = way(build(columns(LIVES[:1], 3), street).parts["life"].rows)
        assert np.all((points @ street.points.T).max(axis=1) > np.cos(0.0045))


def test_geometry_is_pinned() -> None:
    road = line(0, ROAD, (10.0, 10.0), (10.0, 30.0))
    rows = build(columns(LIVES, 1), road).parts["life"].rows
    assert hashlib.sha256(rows.astype("<f4").tobytes()).hexdigest()[:16] == "886d0eb2c27ca50b"
