"""The GLB of a town of forty wishes, read by trimesh and by three's own loader."""

from __future__ import annotations

import io
import json
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from godseed.mind.backends import create
from godseed.mind.planner import Refusal, grant_wish
from godseed.render.export import Exported, exported
from godseed.render.solid_parts import solids
from godseed.sim.frame import Stage
from godseed.sim.world import World

WISHES = 40


def town_of(count: int) -> World:
    """The world of the first wishes that the package brings along."""
    folder = files("godseed.mind").joinpath("examples")
    lines = "".join(
        folder.joinpath(name).read_text("utf-8") for name in ("wishes.txt", "wishes-more.txt")
    ).splitlines()
    wishes = [line for line in lines if line.strip() and not line.startswith("#")]
    world, backend = World.genesis(), create("mock")
    for number, wish in enumerate(wishes[:count], start=1):
        world, result = grant_wish(world, wish, backend, f"w_{number:06d}", 1)
        assert not isinstance(result, Refusal)
    assert world.epoch == count
    return world


@pytest.fixture(scope="module")
def made() -> Exported:
    stage = Stage(town_of(WISHES).features)
    frame = stage.frame(4000, "town")
    found = solids(frame, stage.scene(len(stage.features)), 4)
    return exported(found, ".glb", pose=frame.pose)


@pytest.fixture(scope="module")
def three(made: Exported, repo_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("glb") / "planet.glb"
    path.write_bytes(made.data)
    script = repo_root / "web" / "test" / "render" / "read_glb.js"
    done = subprocess.run(["node", script, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_three_and_trimesh_find_the_same_triangles_and_box(made: Exported, three: Any) -> None:
    scene = trimesh.load(io.BytesIO(made.data), file_type="glb", process=False)
    assert isinstance(scene, trimesh.Scene)
    assert sum(len(mesh.faces) for mesh in scene.geometry.values()) == made.triangles
    assert three["triangles"] == made.triangles > 100_000
    assert np.allclose(scene.bounds, three["bounds"], atol=1e-6)
    assert np.allclose(made.bounds, three["bounds"], atol=1e-6)


def test_three_finds_the_meshes_their_colours_light_and_the_camera(
    made: Exported, three: Any
) -> None:
    assert three["meshes"] == three["colored"] == made.meshes
    assert len(set(three["names"])) == made.meshes
    (strength,) = three["strengths"]
    assert strength > 1.0
    (camera,) = three["cameras"]
    assert np.linalg.norm(camera["eye"]) > 1.0
