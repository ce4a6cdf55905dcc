"""Cameras find their subject, keep clear of what stands, and never jump."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from godseed.check.generate import generated_world
from godseed.sim.camera import Pose, Shot, Subject, axes
from godseed.sim.feature import Feature
from godseed.sim.frame import Stage, State
from godseed.sim.maths import DEG, F64
from godseed.sim.skyline import MARGIN
from godseed.sim.sphere import direction
from godseed.sim.timeline import timeline
from godseed.sim.world import World

STEP_MS = 80
TOWN = ("place_structure", "build_district", "place_road", "raise_terrain")


class Words:
    """A trace in which every feature of a list lands in a turn of its own."""

    reading, epitaph = "it is read", "it is written"

    def __init__(self, features: tuple[Feature, ...]) -> None:
        self.features = features
        self.turns = [Said() for _ in features]


class Said:
    thought, observation = "so be it", "ok: done"


def structure(number: int, kind: str, lat: float, lon: float, scale: float = 1.0) -> Feature:
    args = {"lat": lat, "lon": lon, "kind": kind, "scale": scale, "hue": 40.0}
    return Feature(f"f_{number:06d}", "w_000001", "place_structure", args, number, 0.0)


def world_of(*built: tuple[str, float, float, float]) -> World:
    world = World.genesis()
    return world.extended([structure(len(world) + i, *row) for i, row in enumerate(built)])


def seen(pose: Pose, point: F64) -> F64:
    """Where a point is in a 16:9 picture: x and y in -1..1, and its depth."""
    right, up, forward = axes(pose)
    gap = point - pose.eye
    depth = float(gap @ forward)
    tall = np.tan(pose.fov_deg * 0.5 * DEG)
    return np.array([gap @ right / depth / tall / (16 / 9), gap @ up / depth / tall, depth])


def least_eye(state: State, pose: Pose) -> float:
    """How far the eye is above the lowest place where it may be."""
    up = (pose.eye / np.linalg.norm(pose.eye))[None, :]
    floor = max(float(state.ground()(up)[0]) + 0.02, float(state.floor()(up)[0]))
    return float(np.linalg.norm(pose.eye)) - 1.0 - floor


@pytest.mark.parametrize("seed", range(3))
def test_the_camera_of_a_replay_never_jumps_and_never_enters_ground_or_buildings(
    seed: int,
) -> None:
    world = generated_world(seed, 14, TOWN if seed % 2 else ())
    line = timeline(Words(tuple(world.features[-3:])))
    stage = Stage(world.features, line)
    eyes, looks, fovs = [], [], []
    for ms in range(0, line.total_ms + STEP_MS, STEP_MS):
        pose = stage.replay_pose(ms)
        assert least_eye(stage.state(ms), pose) > -1e-9
        eyes.append(pose.eye)
        looks.append(axes(pose)[2])
        fovs.append(pose.fov_deg)
    seconds = STEP_MS / 1000.0
    speed = np.linalg.norm(np.diff(np.array(eyes), axis=0), axis=1) / seconds
    turn = np.degrees(np.linalg.norm(np.diff(np.array(looks), axis=0), axis=1)) / seconds
    # From one side of the planet to the other in a gaze of 1.6 s.
    assert speed.max() < 8.0
    assert turn.max() < 400.0
    assert np.abs(np.diff(fovs)).max() / seconds < 30.0


def test_within_a_town_the_camera_of_a_replay_is_calm() -> None:
    world = world_of(
        ("tower", 14.0, 34.0, 1.5),
        ("bank", 11.0, 40.0, 1.0),
        ("lighthouse", 18.0, 42.0, 2.0),
        ("house", 12.0, 36.0, 1.0),
    )
    line = timeline(Words(tuple(world.features[-3:])))
    stage = Stage(world.features, line)
    poses = [stage.replay_pose(ms) for ms in range(0, line.total_ms, STEP_MS)]
    steps = [float(np.linalg.norm(b.eye - a.eye)) * 1000.0 / STEP_MS for a, b in pairwise(poses)]
    turns = [np.degrees(np.arccos(min(1.0, axes(a)[2] @ axes(b)[2]))) for a, b in pairwise(poses)]
    assert max(steps) < 1.3
    assert max(turns) * 1000.0 / STEP_MS < 150.0


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("kind", ["tower", "monolith", "bank"])
def test_a_descent_to_a_building_passes_beside_it_or_over_it(kind: str, scale: float) -> None:
    world = world_of((kind, 13.0, 30.0, scale), ("tower", 15.0, 33.0, 2.0))
    stage = Stage(world.features)
    state, skyline = stage.state(0), stage.scene(len(world)).skyline
    tall = skyline.height > 0.02
    for k in range(61):
        pose = stage.pose(0, Shot("descend", len(world) - 2, k / 7.5))
        assert least_eye(state, pose) > -1e-9
        up = pose.eye / np.linalg.norm(pose.eye)
        apart = np.linalg.norm(skyline.dirs[tall] - up, axis=1)
        over = np.linalg.norm(pose.eye) - 1.0 - skyline.ground[tall] - skyline.height[tall]
        assert np.all((apart > skyline.reach[tall]) | (over > 0.9 * MARGIN))


@pytest.mark.parametrize("seed", range(6))
def test_the_town_view_shows_the_town_from_above_it(seed: int) -> None:
    stage = Stage(generated_world(seed, 20, TOWN).features)
    pose = stage.pose(4000, Shot("town"))
    state = stage.state(4000)
    center = state.town()
    place = center * (1.0 + float(state.ground()(center[None, :])[0]))
    x, y, depth = seen(pose, place)
    assert abs(x) < 0.3
    assert abs(y) < 0.5
    assert 0.2 < depth < 1.2
    assert least_eye(state, pose) > -1e-9


def test_a_wider_town_is_seen_from_farther_off() -> None:
    ring = [(14 + 9 * np.cos(a), 38 + 10 * np.sin(a)) for a in np.arange(12) * np.pi / 6]
    wide = world_of(*(("house", float(lat), float(lon), 1.0) for lat, lon in ring))
    tight = world_of(*(("house", 14 + k * 0.8, 37.0, 1.0) for k in range(6)))
    far, near = (Stage(world.features).pose(0, Shot("town")) for world in (wide, tight))
    distance = [float(np.linalg.norm(pose.eye - pose.target)) for pose in (far, near)]
    assert distance[0] > distance[1] + 0.05
    for lat, lon in ring:
        x, y, _ = seen(far, direction(float(lat), float(lon)) * 1.03)
        assert abs(x) < 1.0
        assert abs(y) < 1.05


def test_a_tower_before_the_lens_makes_the_town_view_step_aside() -> None:
    houses = [("house", 14 + k * 0.9, 37.0 + (k % 3), 1.0) for k in range(9)]
    free = world_of(*houses)
    before = Stage(free.features).pose(0, Shot("town"))
    eye = before.eye / np.linalg.norm(before.eye)
    way = eye * 0.55 + free_center(free) * 0.45
    lat = float(np.degrees(np.arcsin(way[1] / np.linalg.norm(way))))
    lon = float(np.degrees(np.arctan2(way[0], way[2])))
    world = world_of(*houses, ("tower", lat, lon, 2.0))
    stage = Stage(world.features)
    pose = stage.pose(0, Shot("town"))
    skyline = stage.scene(len(world)).skyline
    high = int(np.argmax(skyline.height * (skyline.height < 0.15)))
    base = skyline.dirs[high] * (1.0 + skyline.ground[high])
    x, _, depth = seen(pose, base)
    assert depth < 0.0 or abs(x) > 0.15 or depth > 0.25


def free_center(world: World) -> F64:
    return Stage(world.features).state(0).town()


@pytest.mark.parametrize("kind", ["tower", "monolith", "lighthouse", "market", "house", "village"])
def test_a_gaze_shows_all_of_a_building(kind: str) -> None:
    world = world_of((kind, 13.0, 30.0, 2.0))
    stage = Stage(world.features)
    pose = stage.pose(0, Shot("gaze", len(world) - 1))
    subject = stage.subject(len(world) - 1)
    assert isinstance(subject, Subject)
    assert subject.dir is not None
    ground = float(stage.state(0).ground()(subject.dir[None, :])[0])
    for height in (0.0, subject.height):
        x, y, _ = seen(pose, subject.dir * (1.0 + ground + height))
        assert abs(x) < 0.6
        assert abs(y) < 0.95
