"""Splines pass their waypoints, stay on the sphere, bend softly and are sampled evenly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from godseed.sim.maths import F64
from godseed.sim.sphere import angle_deg, angle_rad, direction, dot, normalize
from godseed.sim.spline import resample, sample

ROAD = direction(np.array([0.0, 10.0, 5.0, -20.0]), np.array([0.0, 10.0, 30.0, 35.0]))
PLACES = st.lists(
    st.tuples(st.floats(-85, 85), st.floats(-180, 180)), min_size=2, max_size=6, unique=True
)


def turns(points: F64) -> F64:
    """Degrees between following segments."""
    heading = normalize(np.diff(points, axis=0))
    return angle_deg(heading[:-1], heading[1:])


@given(PLACES, st.floats(0.005, 0.3))
def test_spline_is_even_unit_length_and_ends_at_its_ends(
    places: list[tuple[float, float]], step: float
) -> None:
    waypoints = direction(*np.array(places).T)
    gaps = angle_rad(waypoints[:-1], waypoints[1:])
    assume(bool((gaps > 1e-6).all() and (gaps < 3.14).all()))
    points, arc = sample(waypoints, step, 400)
    assert 2 <= len(points) <= 400
    assert arc.shape == (len(points),)
    assert abs(dot(points, points) - 1.0).max() < 1e-15
    assert (points[0] == waypoints[0]).all()
    assert (points[-1] == waypoints[-1]).all()
    assert arc[0] == 0.0
    assert np.diff(arc) == pytest.approx(angle_rad(points[:-1], points[1:]), abs=1e-14)
    assert arc[-1] >= angle_rad(points[0], points[-1]) - 1e-12
    if len(points) < 400:
        assert np.diff(arc).max() <= step * (1 + 1e-9)
        for waypoint in waypoints:
            away = angle_rad(points, np.broadcast_to(waypoint, points.shape))
            assert away.min() <= 0.5 * step * (1 + 1e-9)


def test_spline_passes_near_every_waypoint() -> None:
    points, arc = sample(ROAD, 0.01, 1000)
    for waypoint in ROAD:
        distance = angle_rad(points, np.broadcast_to(waypoint, points.shape)).min()
        assert distance <= 0.5 * np.diff(arc).max() + 1e-6


def test_spline_has_no_corner() -> None:
    coarse = turns(sample(ROAD, 0.02, 1000)[0]).max()
    fine = turns(sample(ROAD, 0.005, 1000)[0]).max()
    assert fine < 0.3 * coarse  # a corner would stay


def test_spline_through_two_points_is_the_great_circle() -> None:
    points, arc = sample(direction(np.zeros(2), np.array([10.0, 100.0])), 0.05, 100)
    assert abs(points[:, 1]).max() == 0.0
    assert arc[-1] == pytest.approx(np.pi / 2)
    assert np.diff(arc) == pytest.approx(np.full(len(arc) - 1, arc[1]), rel=1e-4)


def test_spline_through_places_on_one_great_circle_stays_on_it() -> None:
    points, arc = sample(direction(np.zeros(4), np.array([0.0, 20.0, 90.0, 200.0])), 0.02, 500)
    assert abs(points[:, 1]).max() < 1e-15
    assert arc[-1] == pytest.approx(np.radians(200.0), rel=1e-9)


def test_sampling_is_capped_at_max_points_and_still_even() -> None:
    points, arc = sample(ROAD, 1e-6, 20)
    assert len(points) == 20
    assert np.diff(arc).max() < 1.2 * np.diff(arc).min()


def test_sampling_again_gives_the_same_bytes() -> None:
    first, second = sample(ROAD, 0.013, 500), sample(ROAD.copy(), 0.013, 500)
    assert [part.tobytes() for part in first] == [part.tobytes() for part in second]


def test_spline_gives_these_bits() -> None:
    # Bits that the JavaScript twin must give as well.
    points, arc = sample(ROAD, 0.1, 100)
    assert len(points) == 12
    assert [x.hex() for x in points[5].tolist()] == [
        "0x1.93ae50e3f3c57p-2",
        "0x1.3a66557c9f738p-3",
        "0x1.cfecd1f24ba87p-1",
    ]
    assert float(arc[-1]).hex() == "0x1.11ad68aa5802fp+0"


@pytest.mark.parametrize(
    ("lat", "lon", "fault"),
    [
        ([0, 5, 5], [0, 7, 7], "1 and 2 are equal"),
        ([5, -5], [10, -170], "0 and 1 are antipodal"),
        ([90, 90], [0, 50], "0 and 1 are equal"),
    ],
)
def test_spline_rejects_neighbours_without_one_great_circle(
    lat: list[float], lon: list[float], fault: str
) -> None:
    with pytest.raises(ValueError, match=rf"sample\.waypoints: {fault}; expected .*; move one"):
        sample(direction(np.array(lat, float), np.array(lon, float)), 0.1, 10)


def test_spline_rejects_one_waypoint_no_step_and_no_room() -> None:
    with pytest.raises(ValueError, match=r"sample\.waypoints: 1; expected 2 or more"):
        sample(ROAD[:1], 0.1, 10)
    with pytest.raises(ValueError, match=r"sample\.step_rad: 0; expected above 0"):
        sample(ROAD, 0, 10)
    with pytest.raises(ValueError, match=r"sample\.max_points: 1; expected 2 or more"):
        sample(ROAD, 0.1, 1)


def test_resample_gives_samples_at_their_own_distances_and_ends_beyond() -> None:
    points, arc = sample(ROAD, 0.05, 100)
    assert resample(points, arc, arc) == pytest.approx(points, abs=1e-15)
    beyond = resample(points, arc, np.array([-1.0, arc[-1] + 1.0]))
    assert beyond == pytest.approx(points[[0, -1]], abs=1e-15)


def test_resample_divides_a_segment_by_angle() -> None:
    points, arc = sample(ROAD, 0.2, 100)
    quarter = resample(points, arc, arc[2:3] + 0.25 * (arc[3] - arc[2]))[0]
    assert angle_rad(points[2], quarter) == pytest.approx(0.25 * (arc[3] - arc[2]))
