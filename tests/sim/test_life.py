"""Life in motion: pure in time, continuous, on its way and inside its radius."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from godseed.sim.columns import ROAD, Columns, Paths
from godseed.sim.life import BIRD_LIFT, CART_LANE, CART_SPEED, FLIES_PER_COUNT, poses
from godseed.sim.maths import F64
from godseed.sim.sphere import angle_deg, angle_rad, direction, dot
from godseed.sim.spline import sample
from godseed.sim.tools import spawn_life

KINDS = ("carts", "birds", "fireflies")
TIMES = (0.0, 1.5, 17.25, 300.0, 8640.5)


def life(kind: str, count: int, radius_deg: float, lat: float, lon: float, paths: Paths) -> F64:
    one = np.array([3], dtype=np.int64)
    columns = Columns(
        one,
        np.array([123456789], dtype=np.uint32),
        numbers={
            "lat": np.array([lat]),
            "lon": np.array([lon]),
            "radius_deg": np.array([radius_deg]),
            "count": np.array([float(count)]),
            "hue": np.array([40.0]),
        },
        enums={"kind": np.array([KINDS.index(kind)], dtype=np.int64)},
    )
    return spawn_life.build(columns, paths).parts["life"].rows


def road() -> Paths:
    points, _ = sample(
        np.stack([direction(8.0, 10.0), direction(12.0, 20.0), direction(8.0, 30.0)]), 0.0078, 400
    )
    n = len(points)
    none = np.zeros(n, np.int64)
    return Paths(points, points, none, none, np.full(n, ROAD), np.full(n, 0.0045))


def everything() -> F64:
    return np.concatenate(
        [
            life("carts", 5, 9.0, 10.0, 20.0, road()),
            life("birds", 8, 9.0, 10.0, 20.0, road()),
            life("fireflies", 3, 9.0, 10.0, 20.0, road()),
            life("carts", 4, 6.0, -50.0, 100.0, Paths.empty()),
        ]
    )


def test_poses_are_a_pure_function_of_time() -> None:
    rows = everything()
    first = {name: value.tobytes() for name, value in poses(rows, road(), 12.5).items()}
    poses(rows, road(), 99.0)
    again = {name: value.tobytes() for name, value in poses(rows, road(), 12.5).items()}
    assert first == again
    assert set(first) == {"kit:cart", "kit:bird", "sprite"}


def test_there_are_as_many_as_were_asked_for() -> None:
    found = poses(everything(), road(), 4.0)
    assert len(found["kit:cart"]) == 9
    assert len(found["kit:bird"]) == 8
    assert len(found["sprite"]) == 9 + 3 * FLIES_PER_COUNT
    assert poses(np.zeros((0, 88)), Paths.empty(), 1.0) == {}


def test_posing_many_rows_is_posing_each_alone() -> None:
    rows = everything()
    together = poses(rows, road(), 33.0)["kit:cart"]
    alone = [poses(row[None, :], road(), 33.0) for row in rows]
    carts = [found["kit:cart"] for found in alone if "kit:cart" in found]
    assert together.tobytes() == np.concatenate(carts).tobytes()


def test_motion_is_continuous_and_slow() -> None:
    rows = everything()
    step_s = 0.02
    for k in range(300):
        first = poses(rows, road(), k * 0.37)
        then = poses(rows, road(), k * 0.37 + step_s)
        for name, before in first.items():
            now = then[name]
            assert np.all(angle_rad(before[:, 0:3], now[:, 0:3]) < 0.08 * step_s)
            assert np.all(np.abs(now[:, 3] - before[:, 3]) < 0.01)
            if name != "sprite":
                assert np.all(dot(before[:, 4:7], now[:, 4:7]) > 0.9)
                assert np.all(np.abs(now[:, 13] - before[:, 13]) < 0.001)


def test_carts_keep_to_their_road_and_to_their_speed() -> None:
    rows = life("carts", 6, 9.0, 10.0, 20.0, road())
    dense, _ = sample(
        np.stack([direction(8.0, 10.0), direction(12.0, 20.0), direction(8.0, 30.0)]), 0.001, 4000
    )
    for k in range(60):
        t = 5.3 * k
        now = poses(rows, road(), t)["kit:cart"][:, 0:3]
        nearest = (now @ dense.T).max(axis=1)
        assert np.all(nearest > np.cos(0.0045))
        soon = poses(rows, road(), t + 0.05)["kit:cart"][:, 0:3]
        speed = angle_rad(now, soon) / 0.05
        assert np.all(speed < 1.45 * CART_SPEED)
        assert np.median(speed) == pytest.approx(CART_SPEED, rel=0.1)


def test_carts_drive_on_the_right_and_look_where_they_go() -> None:
    for rows in (
        life("carts", 12, 9.0, 10.0, 20.0, road()),
        life("carts", 12, 9.0, -50.0, 100.0, Paths.empty()),
    ):
        now = poses(rows, road(), 50.0)["kit:cart"]
        soon = poses(rows, road(), 50.1)["kit:cart"]
        way = soon[:, 0:3] - now[:, 0:3]
        along = dot(way, now[:, 4:7]) / np.sqrt(dot(way, way))
        assert np.median(along) > 0.98
        assert {bool(x > 0) for x in now[:, 4]} == {True, False}


def test_carts_are_never_stacked_on_each_other() -> None:
    rows = life("carts", 6, 9.0, 10.0, 20.0, road())
    at = poses(rows, road(), 77.0)["kit:cart"][:, 0:3]
    for i in range(len(at)):
        others = np.delete(at, i, axis=0)
        assert angle_rad(others, np.broadcast_to(at[i], others.shape)).min() > CART_LANE


@pytest.mark.parametrize("radius_deg", [1.0, 5.0, 20.0])
@pytest.mark.parametrize("kind", KINDS)
def test_everyone_stays_inside_the_radius(kind: str, radius_deg: float) -> None:
    rows = life(kind, 12, radius_deg, 30.0, -70.0, Paths.empty())
    for t in TIMES:
        for found in poses(rows, Paths.empty(), t).values():
            center = np.broadcast_to(direction(30.0, -70.0), (len(found), 3))
            slack = np.degrees(2.0 * CART_LANE + 0.004)
            assert np.all(angle_deg(found[:, 0:3], center) <= radius_deg + slack)


def test_birds_fly_low_above_the_ground_and_carts_stand_on_it() -> None:
    for t in TIMES:
        found = poses(everything(), road(), t)
        assert np.all(found["kit:cart"][:, 13] == 0.0)
        lift = found["kit:bird"][:, 13]
        assert np.all((lift > BIRD_LIFT - 0.005) & (lift < 0.07))
        assert np.all((found["sprite"][:, 3] > 0.0) & (found["sprite"][:, 3] < 0.02))


def test_motion_is_pinned() -> None:
    found = hashlib.sha256()
    for t in TIMES:
        for name, value in sorted(poses(everything(), road(), t).items()):
            found.update(name.encode() + value.astype("<f4").tobytes())
    assert found.hexdigest()[:16] == "1966c2a40b53c356"
