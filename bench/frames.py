"""ms per frame at 720p with 4 samples, by stage, for the world of the shipped wishes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from unittest.mock import patch

from bench.timing import Row, median_ms, once_s
from godseed.mind.backends import create
from godseed.mind.planner import Refusal, grant_wish
from godseed.render import renderer
from godseed.render.materials import Material, materials
from godseed.render.passes import bloom, resolve, tone_map
from godseed.render.renderer import Renderer
from godseed.sim.frame import Frame, Stage
from godseed.sim.world import World

SIZE, SAMPLES, RUNS = (1280, 720), 4, 7
STILL_MS = 4000


def demo_world() -> World:
    """The world that the shipped wishes make."""
    text = files("godseed.mind").joinpath("examples/wishes.txt").read_text("utf-8")
    wishes = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    world, backend = World.genesis(), create("mock")
    for number, wish in enumerate(wishes, start=1):
        world, result = grant_wish(world, wish, backend, f"w_{number:06d}", 1)
        assert not isinstance(result, Refusal), result.reason
    return world


def rows() -> Iterator[Row]:
    """Measure."""
    world = demo_world()
    stage, drawer = Stage(world.features), Renderer(SIZE, SAMPLES)
    for shot in ("town", "world"):
        group = f"frame, {shot}, 720p, 4 samples"
        stage.frame(STILL_MS, shot)
        frame = stage.frame(STILL_MS, shot)
        compose = median_ms(lambda shot=shot: stage.frame(STILL_MS, shot), RUNS)
        whole = median_ms(lambda frame=frame: _drawn(drawer, frame), RUNS)
        yield Row(group, "compose (uniforms, buffers)", compose, "ms")
        yield Row(group, "draw and read back", whole, "ms")
        scene = 0.0
        for label, keep in _STAGES:
            with _only(keep):
                part = median_ms(lambda frame=frame: _scene(drawer, frame), RUNS)
            yield Row(group, f"scene: {label}", part, "ms")
            scene = max(scene, part)
        with _without_bloom():
            plain = median_ms(lambda frame=frame: _drawn(drawer, frame), RUNS)
        yield Row(group, "bloom", whole - plain, "ms")
        rest = median_ms(lambda frame=frame: _finished(drawer, frame), RUNS)
        yield Row(group, "resolve, bloom, output", rest, "ms")
        yield Row(group, "read back", median_ms(lambda: _read(drawer), RUNS), "ms")
        yield Row(group, "frames per second", 1000.0 / (compose + whole), "/s")
        yield Row(group, "share of bloom", (whole - plain) / whole, "x")
    yield Row("still", "process start to PNG", _still_s(), "s")


def _planet(material: Material) -> bool:
    return material.name == "planet"


def _opaque(material: Material) -> bool:
    return material.state.blend is None and material.name != "planet"


def _transparent(material: Material) -> bool:
    return material.state.blend is not None


def _all(material: Material) -> bool:
    return True


_STAGES = (
    ("planet alone", _planet),
    ("other opaque alone", _opaque),
    ("transparent alone", _transparent),
    ("all", _all),
)


def _drawn(drawer: Renderer, frame: Frame) -> None:
    drawer.draw(frame)


def _scene(drawer: Renderer, frame: Frame) -> None:
    """The scene alone; `finish` waits until it is drawn."""
    to = drawer._targets
    drawer._scene(frame, "COLOR", to.multisample or to.scene.framebuffer)
    drawer.ctx.finish()


def _finished(drawer: Renderer, frame: Frame) -> None:
    """All passes after the scene; `finish` waits until they are drawn."""
    to = drawer._targets
    resolve(drawer.ctx, to)
    tone_map(drawer.ctx, to, bloom(drawer.ctx, to, frame.uniforms), frame.uniforms)
    drawer.ctx.finish()


def _read(drawer: Renderer) -> None:
    drawer._targets.output.read(components=4, alignment=1)


@contextmanager
def _only(keep: Callable[[Material], bool]) -> Iterator[None]:
    chosen = tuple(material for material in materials() if keep(material))
    with patch.object(renderer, "materials", lambda: chosen):
        yield


@contextmanager
def _without_bloom() -> Iterator[None]:
    """Draw with whatever the last bloom left; only for the clock."""
    with patch.object(renderer, "bloom", lambda ctx, to, uniforms: to.across[0]):
        yield


def _still_s() -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "still.png")
        arguments = [sys.executable, "-m", "godseed", "render", "genesis", "-o", path, "--quiet"]
        return once_s(lambda: subprocess.run(arguments, check=True, capture_output=True))
