"""Cameras: shots parse and print, poses are continuous and never under the ground."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.camera import (
    Framing,
    Glide,
    Shot,
    ShotError,
    Subject,
    above_ground,
    axes,
    blend_poses,
    descend_pose,
    format_shot,
    free_pose,
    gaze_pose,
    parse_shot,
    subject_of,
    town_pose,
    view_projection,
    world_pose,
)
from godseed.sim.sphere import direction


def flat(dirs: np.ndarray) -> np.ndarray:
    return np.zeros(len(dirs))


def steep(dirs: np.ndarray) -> np.ndarray:
    return np.full(len(dirs), 0.12)


def nothing(dirs: np.ndarray) -> np.ndarray:
    return np.full(len(dirs), -1.0)


NEAR = Framing(205.0, 23.0, 0.41, 0.028, 38.0)
LOW = Glide(25.0, 0.0, 0.06)


@pytest.mark.parametrize(
    "text",
    [
        "town",
        "world",
        "gaze:f_000017",
        "descend:f_000003",
        "descend:f_000003@2.5",
        "free:14,38,0.3,20,-25,45",
    ],
)
def test_canonical_shots_print_as_they_parse(text: str) -> None:
    assert format_shot(parse_shot(text)) == text


def test_a_feature_may_be_named_by_its_number() -> None:
    assert parse_shot("gaze:17") == Shot("gaze", 17)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Town",
        "town:",
        "world:3",
        "gaze",
        "gaze:",
        "gaze:x",
        "gaze:-1",
        "gaze:3@1",
        "descend:3@",
        "free:1,2,3",
        "free:a,b,c,d,e,f",
        "orbit",
    ],
)
def test_shots_outside_the_grammar_are_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(ShotError, match=r"expected .*(town, world|free:LAT)"):
        parse_shot(text)


@pytest.mark.parametrize(
    "text",
    [
        "free:91,0,1,0,0,45",
        "free:0,0,0,0,0,45",
        "free:0,0,1,0,0,0",
        "free:nan,0,1,0,0,45",
        "free:0,0,1,0,inf,45",
    ],
)
def test_free_shots_outside_their_range_name_the_number(text: str) -> None:
    with pytest.raises(ShotError, match=r"shot\.(lat|alt|fov|pitch): .*expected .* to "):
        parse_shot(text)


@given(st.text(max_size=40))
def test_no_text_crashes_the_shot_parser(text: str) -> None:
    with suppress(ShotError):
        assert parse_shot(format_shot(parse_shot(text))) == parse_shot(text)


@given(st.floats(-85, 85), st.floats(-180, 180), st.floats(0, 1000))
def test_town_and_world_poses_look_at_the_town_from_above_the_ground(
    lat: float, lon: float, t: float
) -> None:
    center = direction(lat, lon)
    for pose in (
        town_pose(center, steep, t, NEAR),
        world_pose(center, steep, t),
        gaze_pose(Subject(center, 0.1), center, steep, t, NEAR),
    ):
        assert np.linalg.norm(pose.eye) >= 1.139
        right, up, forward = axes(pose)
        frame = np.stack([right, up, forward])
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)


def test_the_projection_maps_the_target_to_the_middle_of_the_picture() -> None:
    pose = free_pose((14.0, 38.0, 0.3, 20.0, -25.0, 45.0), flat)
    clip = view_projection(pose, 16 / 9) @ np.append(pose.target, 1.0)
    np.testing.assert_allclose(clip[:2] / clip[3], 0.0, atol=1e-12)
    assert -1.0 < clip[2] / clip[3] < 1.0


def test_poses_looking_straight_down_and_up_have_an_orientation() -> None:
    for pitch in (-90.0, 90.0):
        pose = free_pose((10.0, 20.0, 0.5, 0.0, pitch, 45.0), flat)
        assert np.isfinite(view_projection(pose, 1.0)).all()


@pytest.mark.parametrize("steps", [400])
def test_the_descent_is_continuous_and_ends_where_it_began(steps: int) -> None:
    center, subject = direction(14.0, 38.0), Subject(direction(20.0, 45.0), 0.05)
    rest = town_pose(center, flat, 3.0, NEAR)
    eyes = np.array(
        [descend_pose(subject, center, flat, k / steps, rest, LOW).eye for k in range(steps + 1)]
    )
    assert np.linalg.norm(eyes, axis=1).min() >= 1.06 - 1e-9
    assert np.linalg.norm(np.diff(eyes, axis=0), axis=1).max() < 0.02
    np.testing.assert_array_equal(eyes[0], rest.eye)
    np.testing.assert_array_equal(eyes[-1], rest.eye)


def test_the_descent_reaches_106_hundredths_of_the_radius_over_flat_ground() -> None:
    center = direction(14.0, 38.0)
    rest, subject = town_pose(center, flat, 0.0, NEAR), Subject(center, 0.0)
    lowest = min(
        float(np.linalg.norm(descend_pose(subject, center, flat, k / 100, rest, LOW).eye))
        for k in range(101)
    )
    assert lowest == pytest.approx(1.06, abs=1e-9)


def test_a_camera_in_the_ground_or_in_a_building_is_pushed_up() -> None:
    pose = town_pose(direction(10.0, 10.0), flat, 0.0, Framing(0.0, 0.0, 0.05, 0.001, 38.0))
    assert np.linalg.norm(above_ground(pose, steep, nothing).eye) == pytest.approx(1.14)

    def roofs(dirs: np.ndarray) -> np.ndarray:
        return np.full(len(dirs), 0.3)

    assert np.linalg.norm(above_ground(pose, flat, roofs).eye) == pytest.approx(1.3)
    assert above_ground(NEAR_POSE, flat, nothing) is NEAR_POSE


NEAR_POSE = town_pose(direction(10.0, 10.0), flat, 0.0, NEAR)


def test_blending_poses_ends_exactly_where_it_should() -> None:
    a = town_pose(direction(10.0, 10.0), flat, 0.0, NEAR)
    b = town_pose(direction(-30.0, 120.0), flat, 0.0, NEAR)
    assert blend_poses(a, b, 0.0) is a
    assert blend_poses(a, b, 1.0) is b


def test_every_kind_of_feature_has_a_subject() -> None:
    assert subject_of("set_sky", {"palette": "void"}).dir is None
    assert subject_of(
        "raise_terrain", {"lat": 0.0, "lon": 90.0, "radius_deg": 10.0}
    ).radius_rad == pytest.approx(0.1745, abs=1e-3)
    tower = subject_of("place_structure", {"lat": 0.0, "lon": 0.0, "kind": "tower", "scale": 2.0})
    assert tower.height == pytest.approx(0.136, abs=1e-3)
    road = subject_of("place_road", {"path": ((0.0, 0.0), (0.0, 10.0))})
    assert road.dir is not None
    np.testing.assert_allclose(road.dir, direction(0.0, 5.0), atol=1e-3)
