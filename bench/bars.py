"""The bars that this project set itself (design of the renderer, *Speed*), as one table of ratios.

All of a ratio is measured in the same run: frames of ours before and after those of the others, so
that a machine that is busy is busy for both. Nothing is asserted; a bar that is missed says so.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

from bench.client import Timed, client_times
from bench.frames import SAMPLES, SIZE, _still_s, demo_world
from bench.timing import Row, median_ms, once_s
from godseed.check.browser import GLMode, PageError
from godseed.check.generate import generated_features, generated_world
from godseed.check.witness import view_of, witnessed
from godseed.render.errors import MissingError
from godseed.render.renderer import Renderer
from godseed.render.solid_parts import solids
from godseed.sim.frame import Stage
from godseed.sim.scene import Scene
from godseed.sim.world import World

GROUP = "bars, 12-wish world, town, 1280x720, 4 samples, bloom"
SHOT = "town"
FRAMES, CLIENT_FRAMES, CAPTURES, PYRENDER_FRAMES = 8, 7, 4, 4
CLIP_S, CLIP_FPS, SAMPLED_S = 10, 30, 1
FEATURES, APPENDED = 10_000, 200
NOT_MEASURED = float("nan")


def bar_rows() -> Iterator[Row]:
    """Measure."""
    yield from _frame_rows(demo_world())
    yield from _scene_rows()
    still = min(_still_s() for _ in range(3))
    yield Row("bars, command line", "still, process start to PNG", still, "s", 2.5)


def _frame_rows(world: World) -> Iterator[Row]:
    ours = _Ours(world)
    first = ours.frame_ms()
    software, why = _client(world, "default", CAPTURES)
    mesa, why_mesa = _client(world, "mesa", 0)
    theirs_ms, why_not = _pyrender_ms(world)
    frame_ms = statistics.median([first, ours.frame_ms()])
    yield Row(GROUP, "ours: compose, draw, read back", frame_ms, "ms")
    for name, timed in (("default headless", software), ("Mesa", mesa)):
        if timed:
            label = f"client, {name}: draw"
            yield Row(GROUP, label, timed.frame_ms, "ms", note=timed.rasteriser[:60])
    yield Row(GROUP, "pyrender, the same meshes: draw, read back", theirs_ms, "ms")
    yield _ratio("ours over client, default headless", software, frame_ms, 3.0, why)
    yield _ratio("ours over client, Mesa", mesa, frame_ms, 1.1, why_mesa)
    yield Row(
        GROUP, "ours over pyrender", theirs_ms / frame_ms, "x", 1.0, at_least=True, note=why_not
    )
    group = f"bars, replay of {CLIP_S} s at {CLIP_FPS} fps, 1280x720"
    frames = CLIP_S * CLIP_FPS
    if software is None:
        yield Row(group, "clip over screenshots", NOT_MEASURED, "x", 4.0, at_least=True, note=why)
        return
    sampled = f"from {SAMPLED_S * CLIP_FPS} frames, process start included"
    clip_s = _clip_s() / (SAMPLED_S * CLIP_FPS) * frames
    captured_s = software.captured_ms / 1000.0 * frames
    yield Row(group, "ours, drawn and encoded", clip_s, "s", note=sampled)
    shots = f"from {CAPTURES} frames, not encoded"
    yield Row(group, "screenshots, default headless", captured_s, "s", note=shots)
    ratio = captured_s / clip_s
    yield Row(group, "clip over screenshots", ratio, "x", 4.0, at_least=True, note="aim: 8 x")


def _ratio(name: str, timed: Timed | None, frame_ms: float, bar: float, why: str) -> Row:
    ratio = timed.frame_ms / frame_ms if timed else NOT_MEASURED
    return Row(GROUP, name, ratio, "x", bar, at_least=True, note="" if timed else why)


class _Ours:
    """Frames of ours at times of their own, so that each is composed anew."""

    def __init__(self, world: World) -> None:
        self._stage, self._drawer = Stage(world.features), Renderer(SIZE, SAMPLES)
        self._ms = 4000

    def frame_ms(self) -> float:
        """Median of some frames."""

        def draw() -> None:
            self._ms += 400
            self._drawer.draw(self._stage.frame(self._ms, SHOT))

        return median_ms(draw, FRAMES)


def _client(world: World, gl: GLMode, captures: int) -> tuple[Timed | None, str]:
    """Times of the client, or why there are none."""
    times = [4000 + 400 * i for i in range(CLIENT_FRAMES)]
    tries: tuple[GLMode, ...] = (gl, "swiftshader") if gl == "default" else (gl,)
    why = ""
    for mode in tries:
        try:
            return client_times(world.features, mode, SHOT, SIZE, SAMPLES, times, captures), ""
        except (MissingError, PageError) as error:
            why = str(error).splitlines()[0]
    return None, why


def _pyrender_ms(world: World) -> tuple[float, str]:
    """One shaded picture of the same triangles, read back, without bloom, sky or weather."""
    stage = Stage(world.features)
    frame = stage.frame(4000, SHOT)
    parts = solids(frame, stage.scene(len(world)))
    try:
        _, seconds = witnessed([view_of(parts, frame.pose, SIZE)], PYRENDER_FRAMES)
    except MissingError as error:
        return NOT_MEASURED, str(error)
    return seconds[0] * 1000.0, "it has no bloom, sky, weather, shadows"


def _clip_s() -> float:
    """A second of a replay through the command line, from process start to the file."""
    with tempfile.TemporaryDirectory() as folder:
        log, clip = Path(folder, "town.jsonl"), Path(folder, "clip.mp4")
        wishes = files("godseed.mind").joinpath("examples/wishes.txt")
        _godseed("grant", "--batch", str(wishes), "--world", str(log))
        words = ("replay", str(log), "-o", str(clip), "--fps", str(CLIP_FPS))
        return once_s(lambda: _godseed(*words, "--seconds", str(SAMPLED_S)))


def _godseed(*words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "godseed", *words, "--quiet"], check=True, capture_output=True
    )


def _scene_rows() -> Iterator[Row]:
    group = "bars, scene"
    world = generated_world(1, FEATURES)
    build: Callable[[], object] = lambda: Scene.build(world.features)  # noqa: E731
    yield Row(group, f"{FEATURES:,} features from scratch", once_s(build), "s", 4.0)
    scene = Scene.build(world.features)
    more = iter(generated_features(2, APPENDED + 1, len(world)))

    def append() -> None:
        nonlocal scene
        scene = scene.extended((next(more),))

    one = median_ms(append, APPENDED)
    yield Row(group, f"append one at {FEATURES:,}, median", one, "ms", 10.0)
