"""`godseed export` and `godseed view`: files of every kind, a window, and every refusal."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trimesh

from godseed.sim.trace import load


@pytest.mark.parametrize("ending", ["glb", "ply", "stl"])
def test_export_writes_a_file_that_opens(godseed: Any, log: Path, ending: str) -> None:
    document = godseed("export", log, "-o", f"p.{ending}", "--ground", "3", "--json").json
    scene = trimesh.load(f"p.{ending}")
    meshes = scene.geometry.values() if isinstance(scene, trimesh.Scene) else [scene]
    assert sum(len(mesh.faces) for mesh in meshes) == document["triangles"]
    assert document["bytes"] == Path(f"p.{ending}").stat().st_size
    assert document["world"] == load(log).world.digest
    assert document["written"] == [f"p.{ending}"]
    assert sorted(path.name for path in Path().iterdir() if path.name.startswith((".", "p"))) == [
        f"p.{ending}"
    ]


def test_parts_can_be_chosen_and_left_out(godseed: Any, log: Path) -> None:
    words = ["export", log, "-o", "p.glb", "--ground", "2", "--json"]
    whole = godseed(*words).json
    assert whole["parts"][0] == "ground"
    without = godseed(*words, "--without", "needle", "--without", "ground").json
    assert without["parts"] == [part for part in whole["parts"] if part not in ("ground", "needle")]
    only = godseed(*words, "--only", "ground", "--only", "needle", "--without", "needle").json
    assert only["parts"] == ["ground"]
    assert only["triangles"] == 320
    nothing = godseed(*words, "--only", "needle", "--without", "needle", code=2)
    assert "nothing to write" in nothing.err


def test_stl_says_what_it_leaves_out(godseed: Any, log: Path) -> None:
    ran = godseed("export", log, "-o", "p.stl", "--ground", "2")
    assert "triangles without thickness are not in p.stl" in ran.err
    assert ran.out.startswith("p.stl ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "p.obj"], "ends in '.obj'; expected .glb, .ply, .stl"),
        (["-o", "p.stl", "--shot", "town"], "expected a .glb, which can hold a camera"),
        (["-o", "p.glb", "--shot", "moon"], "shot: 'moon'"),
        (["-o", "p.glb", "--radius", "0"], "--radius: 0; expected 1e-06 to 1e+09; try 1"),
        (["-o", "p.glb", "--radius", "nan"], "--radius: nan"),
        (["-o", "p.glb", "--ground", "9"], "9 is not in the range"),
        (["-o", "p.glb", "--only", "sky"], "'sky' is not one of"),
        (["-o", "nowhere/p.glb"], "no folder 'nowhere'"),
    ],
)
def test_export_refuses_in_one_line(godseed: Any, log: Path, words: list[str], says: str) -> None:
    assert says in godseed("export", log, *words, code=2).err
    assert not [path for path in Path().iterdir() if path.name.startswith("p.")]


def test_export_without_trimesh_names_the_line_that_installs_it(
    godseed: Any, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    ran = godseed("export", log, "-o", "p.glb", "--ground", "2", code=3)
    assert "pip install 'godseed[export]'" in ran.err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere windows just open")
def test_view_without_a_display_says_what_to_do_instead(
    godseed: Any, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    ran = godseed("view", log, code=3)
    assert "no display (DISPLAY is not set)" in ran.err
    assert "xvfb-run godseed view" in ran.err


def test_view_of_a_display_that_is_gone_is_one_line(spawn: Any, log: Path) -> None:
    ran = spawn("view", log, "--close-after", "1", env={"DISPLAY": ":7919"}, code=3)
    assert "view: " in ran.err


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs a virtual screen: xvfb")
def test_view_opens_a_window_and_closes_it(log: Path, repo_root: Path) -> None:
    screen = ["xvfb-run", "-a", "-s", "-screen 0 640x480x24", sys.executable, "-m", "godseed"]
    words = ["view", log, "--size", "320x180", "--close-after", "1", "--json"]
    env = {**os.environ, "PYTHONPATH": str(repo_root)}
    done = subprocess.run([*screen, *words], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["triangles"] > 10_000
