"""Frames of one replay are the same pixels forward, backward, and in another process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from godseed.mind.backends import create
from godseed.mind.planner import Refusal, grant_wish
from godseed.render.renderer import Renderer
from godseed.sim.frame import Stage
from godseed.sim.timeline import timeline
from godseed.sim.world import World

SIZE, FRAMES = (160, 90), 8


def stage() -> Stage:
    """A replay of one granted wish."""
    wish = "a lighthouse on a northern cape, and snow"
    world, trace = grant_wish(World.genesis(), wish, create("mock"), "w_000001", seed=5)
    assert not isinstance(trace, Refusal)
    return Stage(world.features, timeline(trace))


def digests(order: list[int]) -> dict[int, str]:
    """Pixel digests of frames, drawn in the order given."""
    replay, renderer = stage(), Renderer(SIZE, 4)
    assert replay.timeline is not None
    found = {}
    for i in order:
        ms = replay.timeline.total_ms * i // FRAMES
        frame = replay.frame(ms, replay.replay_pose(ms), SIZE[0] / SIZE[1])
        found[i] = renderer.draw(frame).digest
    return found


@pytest.fixture(scope="module")
def forward() -> dict[int, str]:
    return digests(list(range(FRAMES)))


def test_frames_drawn_backward_are_the_frames_drawn_forward(forward: dict[int, str]) -> None:
    assert digests(list(reversed(range(FRAMES)))) == forward
    assert len(set(forward.values())) > FRAMES // 2


def test_frames_split_over_two_processes_are_the_frames_of_one(forward: dict[int, str]) -> None:
    found: dict[int, str] = {}
    for part in ([5, 1, 7, 3], [0, 2, 4, 6]):
        code = f"import json, test_order as m; print(json.dumps(m.digests({part})))"
        ran = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {_folder()!r}); {code}"],
            capture_output=True,
            text=True,
            check=True,
        )
        found |= {int(i): digest for i, digest in json.loads(ran.stdout).items()}
    assert found == forward


def _folder() -> str:
    return __file__.rpartition("/")[0]
