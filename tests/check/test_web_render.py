"""The web renderer alone, in a real Chromium on this machine's Mesa: its bloom beside three.js's
own, and frames of the Python simulation drawn by both renderers."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from godseed.check.browser import Site, browse, serve
from godseed.check.compare import difference
from godseed.check.generate import generated_world
from godseed.render.renderer import Renderer
from godseed.sim.frame import Stage

ROOT = Path(__file__).resolve().parents[2]
FRAMES = ("town@4000", "world@4000", "gaze:f_000010@500")
SEED, COUNT = 5, 20
FOLDERS = {"/web/": ROOT / "web", "/spec/": ROOT / "godseed/spec"}
TESTS = "/web/test/render"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Shows a test page: name -> the page. One browser, as one thread can drive only one."""
    folder = tmp_path_factory.mktemp("frames")
    script = ROOT / "web/test/render/dump_frames.py"
    numbers = ["--seed", str(SEED), "--count", str(COUNT), "--size", "321x203"]
    found = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, script, folder, *FRAMES, *numbers], check=True, env=found)
    with (
        serve(Site({**FOLDERS, "/frames/": folder})) as url,
        browse(f"{url}{TESTS}/frames.html?frames=/frames", ready="window.framesTest") as page,
    ):

        def show(name: str) -> Any:
            if f"/{name}.html" not in page.url:
                page.goto(f"{url}{TESTS}/{name}.html?frames=/frames")
                page.wait_for_function(f"() => window.{name}Test")
            return page

        yield show


@pytest.mark.parametrize("number", range(len(FRAMES)), ids=FRAMES)
@pytest.mark.parametrize("samples", [0, 4])
def test_frame_of_python_has_the_same_pixels_in_the_browser(
    shown: Callable[[str], Any], number: int, samples: int
) -> None:
    size = (321, 203)
    shot, _, ms = FRAMES[number].rpartition("@")
    stage = Stage(tuple(generated_world(SEED, COUNT).features))
    frame = stage.frame(int(ms), shot, size[0] / size[1])
    renderer = Renderer(size, samples)
    asked = f"framesTest.pixels({number}, {list(size)}, {samples})"
    theirs = np.frombuffer(base64.b64decode(shown("frames").evaluate(asked)), np.uint8)
    ours = renderer.draw(frame).pixels
    assert np.count_nonzero(difference(ours, theirs.reshape(ours.shape))) == 0


def test_ids_and_distances_of_python_are_the_same_in_the_browser(
    shown: Callable[[str], Any],
) -> None:
    page = shown("frames")
    size = (321, 203)
    stage = Stage(tuple(generated_world(SEED, COUNT).features))
    frame, renderer = stage.frame(4000, "town", size[0] / size[1]), Renderer(size, 0)
    ids = np.frombuffer(base64.b64decode(page.evaluate("framesTest.ids(0, [321, 203])")), "<i4")
    depth = np.frombuffer(base64.b64decode(page.evaluate("framesTest.depth(0, [321, 203])")), "<f4")
    assert np.array_equal(ids.reshape(203, 321), renderer.ids(frame))
    assert np.array_equal(depth.reshape(203, 321), renderer.depth(frame))


@pytest.mark.parametrize("size", [(320, 180), (321, 203)])
@pytest.mark.parametrize(("strength", "radius"), [(0.55, 0.6), (1.5, 0.0), (0.8, 1.0)])
def test_bloom_is_that_of_three_within_one_step(
    shown: Callable[[str], Any], size: tuple[int, int], strength: float, radius: float
) -> None:
    made = shown("bloom").evaluate(f"bloomTest.run({list(size)}, {strength}, {radius})")
    raw = (base64.b64decode(made[name]) for name in ("ours", "theirs"))
    ours, theirs = (np.frombuffer(each, np.uint8).astype(np.int16) for each in raw)
    assert ours.max() > 200
    assert np.abs(ours - theirs).max() <= 1
