"""Frames: pure functions of features, time and shot, in any order."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from godseed.check.generate import generated_world
from godseed.mind.backends import create
from godseed.mind.planner import Refusal, grant_wish
from godseed.sim.camera import ShotError
from godseed.sim.frame import Frame, Stage
from godseed.sim.terrain import ground
from godseed.sim.timeline import Timeline, timeline
from godseed.sim.trace import WishTrace
from godseed.sim.world import World


def granted(wish: str) -> tuple[World, WishTrace]:
    world, trace = grant_wish(World.genesis(), wish, create("mock"), "w_000001", seed=3)
    assert not isinstance(trace, Refusal)
    return world, trace


def frame_bytes(frame: Frame) -> bytes:
    parts = [repr(sorted(frame.uniforms.items())).encode(), frame.ages.tobytes()]
    for name in sorted(frame.buffers):
        view = frame.buffers[name]
        parts += [name.encode(), view.rows.tobytes()]
        parts += [part.tobytes() for part in (view.ground_before, view.ground) if part is not None]
    parts += [frame.planet.vertices.tobytes(), frame.planet.faces.tobytes()]
    return b"|".join(parts)


@pytest.fixture(scope="module")
def replay() -> tuple[World, Timeline]:
    world, trace = granted("a lighthouse on a northern cape, and a road to it")
    return world, timeline(trace)


def test_frames_forward_backward_and_alone_are_the_same(replay: tuple[World, Timeline]) -> None:
    world, line = replay
    times = [int(line.total_ms * k / 9) for k in range(10)]
    forward = Stage(world.features, line)
    first = [frame_bytes(forward.frame(t, forward.replay_pose(t))) for t in times]
    backward = Stage(world.features, line)
    second = [frame_bytes(backward.frame(t, backward.replay_pose(t))) for t in reversed(times)]
    assert first == list(reversed(second))
    alone = Stage(world.features, line)
    assert frame_bytes(alone.frame(times[6], alone.replay_pose(times[6]))) == first[6]


def test_a_rising_feature_is_mixed_between_two_exact_states(replay: tuple[World, Timeline]) -> None:
    world, line = replay
    stage = Stage(world.features, line)
    index, landing = next(iter(line.landed_ms.items()))
    before = stage.frame(landing - 1, "town")
    start = stage.frame(landing, "town")
    half = stage.frame(landing + line.rise_ms // 2, "town")
    done = stage.frame(landing + line.rise_ms, "town")
    assert len(before.ages) == index
    assert len(start.ages) == index + 1
    assert start.ages[index] == 0.0
    assert start.uniforms["u_rise"] == 0.0
    assert half.uniforms["u_rise"] == 0.875
    assert done.uniforms["u_rise"] == 1.0
    assert done.ages[index] == pytest.approx(2.0)


def test_a_settled_world_has_settled_ages() -> None:
    frame = Stage(generated_world(2, 5).features).frame(0, "world")
    assert (frame.ages == 60.0).all()
    assert frame.uniforms["u_rise"] == 1.0


@pytest.mark.parametrize(
    "shot", ["town", "world", "gaze:4", "descend:4@3", "free:14,38,0.3,20,-25,45"]
)
def test_every_number_of_a_frame_is_finite_and_a_float32(shot: str) -> None:
    frame = Stage(generated_world(8, 20).features).frame(12345, shot)
    for name, value in frame.uniforms.items():
        numbers = np.atleast_1d(np.array(value, dtype=np.float64))
        assert np.isfinite(numbers).all(), name
        assert (numbers.astype(np.float32) == numbers).all(), name
    for name, view in frame.buffers.items():
        assert view.rows.dtype == np.float32, name
        assert np.isfinite(view.rows).all(), name
        if view.ground is not None and view.ground_before is not None:
            assert len(view.ground) == len(view.rows) == len(view.ground_before), name


def test_a_shot_of_a_feature_that_is_not_there_says_which_are() -> None:
    stage = Stage(World.genesis().features)
    with pytest.raises(
        ShotError, match=r"f_000099 is not in this world; expected f_000000 to f_000003"
    ):
        stage.frame(0, "gaze:99")


def test_the_replay_camera_moves_smoothly_and_stays_above_the_ground(
    replay: tuple[World, Timeline],
) -> None:
    world, line = replay
    stage = Stage(world.features, line)
    eyes, looks = [], []
    step = 40
    for t in range(0, line.total_ms, step):
        pose = stage.replay_pose(t)
        state = stage.state(t)
        up = pose.eye / np.linalg.norm(pose.eye)
        floor = 1.0 + min(
            ground(up[None, :], state.before.terrain)[0],
            ground(up[None, :], state.after.terrain)[0],
        )
        assert np.linalg.norm(pose.eye) > floor + 0.01
        eyes.append(pose.eye)
        look = pose.target - pose.eye
        looks.append(look / np.linalg.norm(look))
    speed = np.linalg.norm(np.diff(np.array(eyes), axis=0), axis=1) / (step / 1000.0)
    turn = np.degrees(np.linalg.norm(np.diff(np.array(looks), axis=0), axis=1)) / (step / 1000.0)
    assert speed.max() < 1.2
    assert turn.max() < 150.0


def test_a_world_of_each_shipped_wish_has_frames(repo_root: Path) -> None:
    world, backend = World.genesis(), create("mock")
    wishes = (repo_root / "godseed/mind/examples/wishes.txt").read_text("utf-8").splitlines()
    for number, wish in enumerate(line for line in wishes if line and not line.startswith("#")):
        world, trace = grant_wish(world, wish, backend, f"w_{number + 1:06d}", seed=1)
        assert not isinstance(trace, Refusal)
    frame = Stage(world.features).frame(4000, "town")
    assert len(frame.ages) == len(world)
    assert len(frame.buffers) > 20


def needle(stage: Stage, time_ms: int, shot: str) -> tuple[float, float, np.ndarray]:
    """Scale, lift and direction of the instrument."""
    row = stage.frame(time_ms, shot).buffers["kit:needle"].rows[-1].astype(np.float64)
    return row[3], row[13], row[0:3]


def test_the_needle_is_prominent_from_afar_and_small_at_rest_in_town() -> None:
    stage = Stage(World.genesis().features)
    far, near = needle(stage, 0, "world")[0], needle(stage, 0, "town")[0]
    assert near <= 0.4 * far


def test_the_needle_goes_down_to_what_it_writes_and_back_without_a_jump(
    replay: tuple[World, Timeline],
) -> None:
    world, times = replay
    stage = Stage(world.features, times)
    index, landing = next(
        (i, ms) for i, ms in times.landed_ms.items() if world.features[i].tool == "place_structure"
    )
    rest = needle(stage, landing - 1, "town")
    middle = needle(stage, landing + times.rise_ms // 2, "town")
    assert middle[0] > 1.3 * rest[0]
    assert middle[1] < 0.5 * rest[1]
    place = stage.subject(index).dir
    assert place is not None
    assert float(np.max(np.abs(middle[2] - place))) < 1e-6
    path = [needle(stage, landing + ms, "town") for ms in range(-40, times.rise_ms + 80, 40)]
    for (scale_a, lift_a, dir_a), (scale_b, lift_b, dir_b) in pairwise(path):
        assert abs(scale_a - scale_b) < 0.06
        assert abs(lift_a - lift_b) < 0.04
        assert float(np.linalg.norm(dir_a - dir_b)) < 0.1
