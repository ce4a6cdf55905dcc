"""Directions, rotations and the icosphere agree with their definitions and with trimesh."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from godseed.sim import sphere
from godseed.sim.maths import F64, I64, U32
from godseed.sim.rng import uniform
from godseed.sim.sphere import direction, face_neighbours, icosphere

N = 500
DIRS = sphere.cap_points(
    np.broadcast_to(np.array([0.0, 1.0, 0.0]), (N, 3)),
    180.0,
    uniform(1, np.arange(N)),
    uniform(2, np.arange(N)),
)
OTHERS = np.roll(DIRS, 1, axis=0)
LATITUDES = st.floats(-90, 90)
LONGITUDES = st.floats(-180, 180)


def lengths(v: F64) -> F64:
    return np.sqrt(sphere.dot(v, v))


@pytest.mark.parametrize(
    ("lat", "lon", "expected"),
    [
        (0, 0, (0, 0, 1)),
        (0, 90, (1, 0, 0)),
        (0, -90, (-1, 0, 0)),
        (0, 180, (0, 0, -1)),
        (90, 33, (0, 1, 0)),
        (-90, 0, (0, -1, 0)),
    ],
)
def test_direction_follows_the_convention(
    lat: float, lon: float, expected: tuple[float, ...]
) -> None:
    assert direction(lat, lon) == pytest.approx(np.array(expected), abs=1e-15)


def test_direction_takes_shapes_that_broadcast() -> None:
    grid = direction(np.array([[0.0], [30.0]]), np.array([10.0, 20.0, 30.0]))
    assert grid.shape == (2, 3, 3)
    assert grid[1, 2].tolist() == direction(30.0, 30.0).tolist()
    assert direction(np.array([5.0]), 7).shape == (1, 3)
    assert abs(lengths(grid) - 1.0).max() < 4e-16


@given(LATITUDES, LONGITUDES)
def test_lat_lon_undoes_direction(lat: float, lon: float) -> None:
    got_lat, got_lon = sphere.lat_lon(direction(lat, lon))
    assert got_lat == pytest.approx(lat, abs=1e-13)
    if abs(lat) < 89.0:
        assert math.remainder(got_lon - lon, 360.0) == pytest.approx(0.0, abs=1e-12)
    assert sphere.angle_rad(direction(lat, lon), direction(got_lat, got_lon)) < 1e-9


def test_longitude_at_a_pole_is_zero() -> None:
    poles = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [1e-16, 1.0, -1e-16]])
    lat, lon = sphere.lat_lon(poles)
    assert lat.tolist() == [90.0, -90.0, 90.0]
    assert lon.tolist() == [0.0, 0.0, 0.0]
    assert sphere.lat_lon(direction(90.0, 123.0))[1] == 0.0


def test_east_and_north_make_a_right_handed_frame() -> None:
    east, north = sphere.east_north(DIRS)
    for v in (east, north):
        assert abs(lengths(v) - 1.0).max() < 4e-16
        assert abs(sphere.dot(v, DIRS)).max() < 4e-16
    assert abs(sphere.cross(east, DIRS) + north).max() < 4e-16  # east x up = -north
    assert (north[:, 1] > 0.0).all()
    assert (east[:, 1] == 0.0).all()


def test_east_and_north_at_the_poles_are_those_of_longitude_zero() -> None:
    poles = np.array([direction(90.0, 77.0), direction(-90.0, 5.0), [0.0, 1.0, 0.0]])
    east, north = sphere.east_north(poles)
    assert east.tolist() == [[1.0, 0.0, 0.0]] * 3
    assert north == pytest.approx(np.array([[0, 0, -1], [0, 0, 1], [0, 0, -1]]), abs=1e-15)
    near = sphere.east_north(direction(89.9999, 0.0))[0]
    assert near == pytest.approx(np.array([1.0, 0.0, 0.0]), abs=1e-12)


def test_dot_and_cross_equal_numpy_to_rounding() -> None:
    assert sphere.dot(DIRS, OTHERS) == pytest.approx((DIRS * OTHERS).sum(axis=1), abs=1e-15)
    assert sphere.cross(DIRS, OTHERS) == pytest.approx(np.cross(DIRS, OTHERS), abs=1e-15)


def test_normalize_leaves_a_zero_vector_at_zero() -> None:
    assert sphere.normalize(np.zeros((2, 3))).tolist() == [[0.0] * 3] * 2
    assert sphere.normalize(np.array([3.0, 0.0, 4.0])).tolist() == [0.6, 0.0, 0.8]


def test_angle_is_accurate_when_tiny_and_when_nearly_opposite() -> None:
    a = direction(10.0, 20.0)
    east, _ = sphere.east_north(a)
    for angle in (1e-9, 1e-6, 1.0, math.pi - 1e-6, math.pi):
        b = a * math.cos(angle) + east * math.sin(angle)
        assert sphere.angle_rad(a, b) == pytest.approx(angle, rel=1e-6, abs=1e-15)
    assert sphere.angle_deg(direction(0.0, 0.0), direction(0.0, 90.0)) == pytest.approx(90.0)
    assert sphere.angle_deg(a, a) == 0.0


def test_rotation_is_counter_clockwise_and_keeps_lengths_and_axis() -> None:
    up, front = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    assert sphere.rotate(front, up, math.pi / 2) == pytest.approx(np.array([1, 0, 0]), abs=1e-15)
    angles = uniform(3, np.arange(N)) * 6.0
    turned = sphere.rotate(DIRS, OTHERS, angles)
    assert abs(lengths(turned) - 1.0).max() < 1e-15
    assert sphere.dot(turned, OTHERS) == pytest.approx(sphere.dot(DIRS, OTHERS), abs=1e-15)
    assert sphere.rotate(turned, OTHERS, -angles) == pytest.approx(DIRS, abs=1e-15)


def test_slerp_divides_the_angle() -> None:
    whole = sphere.angle_rad(DIRS, OTHERS)
    for t in (0.0, 0.25, 1.0):
        part = sphere.slerp(DIRS, OTHERS, t)
        assert sphere.angle_rad(DIRS, part) == pytest.approx(whole * t, abs=1e-14)
        assert sphere.angle_rad(part, OTHERS) == pytest.approx(whole * (1.0 - t), abs=1e-14)
    each = sphere.slerp(DIRS, OTHERS, uniform(4, np.arange(N)))
    assert abs(lengths(each) - 1.0).max() < 4e-16


def test_slerp_is_defined_between_equal_and_opposite_ends() -> None:
    a = direction(10.0, 20.0)
    assert sphere.slerp(a, a, 0.3) == pytest.approx(a, abs=1e-15)
    halfway = sphere.slerp(a, -a, 0.5)
    assert halfway == pytest.approx(sphere.east_north(a)[0], abs=1e-15)
    assert sphere.slerp(a, -a, 1.0) == pytest.approx(-a, abs=1e-15)


@pytest.mark.parametrize("distance", [1e-3, 1e-5, 1e-8])
def test_slerp_between_close_ends_keeps_their_great_circle(distance: float) -> None:
    a = direction(50.0, 20.0)
    b = sphere.offset(a, 0.6 * distance, 0.8 * distance)
    middle = sphere.slerp(a, b, 0.5)
    assert sphere.angle_rad(middle, sphere.normalize(a + b)) < 1e-15


def test_offset_goes_the_length_of_its_amounts_in_their_heading() -> None:
    start = direction(0.0, 0.0)
    assert sphere.offset(start, 0.0, 0.0) == pytest.approx(start, abs=0)
    east = sphere.offset(start, math.radians(30), 0.0)
    assert east == pytest.approx(direction(0.0, 30.0), abs=1e-15)
    north = sphere.offset(start, 0.0, math.radians(-20))
    assert north == pytest.approx(direction(-20.0, 0.0), abs=1e-15)
    e, n = uniform(5, np.arange(N)) - 0.5, uniform(6, np.arange(N)) - 0.5
    moved = sphere.offset(DIRS, e, n)
    assert sphere.angle_rad(DIRS, moved) == pytest.approx(np.sqrt(e * e + n * n), abs=1e-14)


def test_cap_points_fill_the_cap_evenly_by_area() -> None:
    n = np.arange(20_000)
    center = np.broadcast_to(direction(35.0, -60.0), (len(n), 3))
    points = sphere.cap_points(center, 25.0, uniform(7, n), uniform(8, n))
    away = sphere.angle_deg(center, points)
    assert away.max() <= 25.0 + 1e-12
    assert abs(lengths(points) - 1.0).max() < 4e-16
    half_area = math.degrees(math.acos((1.0 + math.cos(math.radians(25.0))) / 2.0))
    assert (away < half_area).mean() == pytest.approx(0.5, abs=0.015)
    east, north = sphere.east_north(center)
    assert (sphere.dot(points, east) > 0.0).mean() == pytest.approx(0.5, abs=0.015)
    assert (sphere.dot(points, north) > 0.0).mean() == pytest.approx(0.5, abs=0.015)


def test_cap_points_reach_from_centre_to_rim_and_over_the_whole_sphere() -> None:
    center = np.broadcast_to(direction(5.0, 6.0), (3, 3))
    radius = np.array([1e-3, 45.0, 180.0])
    rim = sphere.cap_points(center, radius, np.ones(3), np.zeros(3))
    assert sphere.angle_deg(center, rim) == pytest.approx(radius, rel=1e-9)
    middle = sphere.cap_points(center, radius, np.zeros(3), np.zeros(3))
    assert middle == pytest.approx(center, abs=1e-15)


@pytest.mark.parametrize("level", range(6))
def test_icosphere_equals_that_of_trimesh(level: int) -> None:
    ours, theirs = icosphere(level), trimesh.creation.icosphere(subdivisions=level)
    assert ours.vertices.shape == (10 * 4**level + 2, 3)
    assert ours.faces.shape == (20 * 4**level, 3)
    nearest = _nearest(theirs.vertices, ours.vertices)
    assert abs(theirs.vertices - ours.vertices[nearest]).max() < 1e-12
    assert len(np.unique(nearest)) == len(ours.vertices)
    assert _cycles(nearest[theirs.faces]) == _cycles(ours.faces)


def test_icosphere_of_a_level_is_a_prefix_of_the_next() -> None:
    for level in range(6):
        coarse, fine = icosphere(level), icosphere(level + 1)
        n = len(coarse.vertices)
        assert fine.vertices[:n].tobytes() == coarse.vertices.tobytes()
        corners = fine.faces.reshape(-1, 4, 3)
        for k in range(3):
            assert (corners[:, k, k] == coarse.faces[:, k]).all()
        assert (corners[:, 3] >= n).all()


def test_new_vertices_follow_the_order_of_their_edges() -> None:
    coarse, fine = icosphere(2), icosphere(3)
    edges = sorted(
        {
            (min(a, b), max(a, b))
            for face in coarse.faces.tolist()
            for a, b in zip(face, face[1:] + face[:1], strict=True)
        }
    )
    for i, (a, b) in enumerate(edges):
        middle = sphere.normalize(coarse.vertices[a] + coarse.vertices[b])
        assert fine.vertices[len(coarse.vertices) + i].tolist() == middle.tolist()


def test_icosphere_is_shared_and_read_only() -> None:
    assert icosphere(3) is icosphere(3)
    for array in (icosphere(3).vertices, icosphere(3).faces, face_neighbours(3)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("level", [-1, 11])
def test_icosphere_rejects_a_level_that_it_has_not(level: int) -> None:
    with pytest.raises(ValueError, match=rf"icosphere\.level: {level}; expected 0 to 10"):
        icosphere(level)


@pytest.mark.parametrize("level", [0, 1, 4])
def test_neighbours_share_the_edge_they_lie_across(level: int) -> None:
    faces, neighbours = icosphere(level).faces, face_neighbours(level)
    assert neighbours.shape == faces.shape
    for k in range(3):
        across = faces[neighbours[:, k]]
        start, end = faces[:, k, None], faces[:, (k + 1) % 3, None]
        assert ((across == start).any(axis=1) & (across == end).any(axis=1)).all()
        assert (neighbours[:, k] != np.arange(len(faces))).all()


def _nearest(points: F64, among: F64) -> I64:
    """Index of the one of `among` nearest to each point."""
    _, index = cKDTree(among).query(points)
    return np.asarray(index, np.int64)


def _cycles(faces: I64 | U32) -> set[tuple[int, ...]]:
    """Faces as tuples that start with their lowest vertex, winding kept."""
    rows = faces.tolist()
    return {tuple(row[row.index(min(row)) :] + row[: row.index(min(row))]) for row in rows}
