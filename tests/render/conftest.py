"""A context that must stay free of OpenGL errors, and a small world to draw."""

from __future__ import annotations

from collections.abc import Iterator

import moderngl
import pytest

from godseed.render.context import context
from godseed.sim.frame import Frame, Stage
from godseed.sim.world import World

CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("raise_terrain", {"lat": 20, "lon": 44, "radius_deg": 12, "height": 0.06, "roughness": 0.5}),
    ("place_road", {"path": [[14, 36], [15, 39], [14, 42]]}),
    ("build_district", {"lat": 13, "lon": 40, "radius_deg": 3, "density": 0.5, "hue": 40}),
    ("place_structure", {"lat": 16, "lon": 37, "kind": "lighthouse", "scale": 1, "hue": 40}),
    ("place_water", {"kind": "pool", "path": [[11, 37]], "radius_deg": 2, "hue": 200}),
    (
        "spawn_flora",
        {"lat": 11, "lon": 40, "radius_deg": 3, "kind": "trees", "density": 0.3, "hue": 90},
    ),
    ("set_weather", {"kind": "rain", "intensity": 0.4}),
)


@pytest.fixture
def ctx() -> Iterator[moderngl.Context]:
    made = context()
    assert made.error == "GL_NO_ERROR"
    yield made
    assert made.error == "GL_NO_ERROR"


@pytest.fixture(scope="session")
def stage() -> Stage:
    """Genesis, and a few things beside the monolith."""
    world = World.genesis()
    for i, (tool, args) in enumerate(CALLS):
        applied = world.apply({"tool": tool, "args": args}, "w_000001", i)
        assert applied.feature is not None, applied.observation
        world = applied.world
    return Stage(list(world.features))


@pytest.fixture(scope="session")
def town(stage: Stage) -> Frame:
    return stage.frame(4000, "town")


@pytest.fixture(scope="session")
def whole(stage: Stage) -> Frame:
    return stage.frame(4000, "world")
