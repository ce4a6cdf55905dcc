"""Nothing floats and nothing is buried: every base lies on the ground function."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from godseed.check.generate import generated_world
from godseed.mind.backends import create
from godseed.mind.planner import Refusal, grant_wish
from godseed.sim.kits import kit
from godseed.sim.maths import F64
from godseed.sim.scene import Scene
from godseed.sim.sphere import normalize
from godseed.sim.terrain import ground
from godseed.sim.world import World

NEAR = 0.002
"""Planet radii."""
BETWEEN = 0.003
"""Between the corners of a patch, where it spans a cliff of the roughest terrain."""
PLINTH = 0.014
"""How deep the base of a building reaches at scale 1."""


@pytest.fixture(scope="module")
def town(repo_root: Path) -> Scene:
    world, backend = World.genesis(), create("mock")
    wishes = (repo_root / "godseed/mind/examples/wishes.txt").read_text("utf-8").splitlines()
    for number, wish in enumerate(line for line in wishes if line and not line.startswith("#")):
        world, trace = grant_wish(world, wish, backend, f"w_{number + 1:06d}", seed=1)
        assert not isinstance(trace, Refusal)
    return Scene.build(world.features)


def scenes(town: Scene) -> list[Scene]:
    return [town, *(Scene.build(generated_world(seed, 40).features) for seed in range(5))]


def test_everything_placed_lies_on_the_ground(town: Scene) -> None:
    for scene in scenes(town):
        for name, buffer in scene.buffers.items():
            if not buffer.anchors:
                continue
            heights = ground(buffer.anchor_dirs(), scene.terrain)
            off = np.abs(buffer.ground().reshape(-1) - heights)
            assert off.max(initial=0.0) < 1e-6, name
            if name.startswith("kit:") and kit(name[4:]).family in ("structure", "flora"):
                assert np.abs(buffer.rows.view[:, 13]).max() <= NEAR, name


def test_roads_and_streets_lie_on_the_ground_between_their_corners_too(town: Scene) -> None:
    corners = ((0, 3, 6, 9), (0, 3), (6, 9), (0, 6), (3, 9))
    for scene in scenes(town):
        if "road" not in scene.buffers:
            continue
        rows = scene.buffers["road"].rows.view.astype(np.float64)
        under = scene.buffers["road"].ground().astype(np.float64)
        for columns in corners:
            middle = sum((rows[:, c : c + 3] for c in columns), np.zeros((len(rows), 3)))
            drawn = under[:, [c // 3 for c in columns]].mean(axis=1)
            off = np.abs(drawn - ground(normalize(middle), scene.terrain))
            assert np.percentile(off, 99.5) < NEAR
            assert off.max() < BETWEEN


def test_buildings_of_the_town_stand_on_their_plinths(town: Scene) -> None:
    for name, buffer in town.buffers.items():
        if not name.startswith("kit:") or kit(name[4:]).family != "structure":
            continue
        rows = buffer.rows.view.astype(np.float64)
        base = buffer.ground()[:, 0]
        info = kit(name[4:])
        for x, z in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            at = normalize(corner(rows, 0.8 * x * info.half_width, 0.8 * z * info.half_depth))
            low = ground(at, town.terrain)
            # A corner is lower than the middle, as the ground curves away under it.
            away = 0.5 * (info.half_width**2 + info.half_depth**2) * rows[:, 3] ** 2
            assert np.all(base - PLINTH * rows[:, 3] < low + away), name


def corner(rows: F64, x: float, z: float) -> F64:
    """Points (n, 3) of instances at x to the right and z to the front, kit units."""
    right = np.cross(rows[:, 0:3], rows[:, 4:7])
    step = right * (x * rows[:, 3:4]) + rows[:, 4:7] * (z * rows[:, 3:4])
    return rows[:, 0:3] + step
