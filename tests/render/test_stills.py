"""What a good picture keeps to, whatever the sky: nothing burnt out, ground that can be read, and
weathers that differ."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from godseed.render.renderer import NOTHING, Renderer
from godseed.sim.environment import weather_kinds
from godseed.sim.feature import Feature
from godseed.sim.frame import Frame, Stage
from godseed.spec import load

SIZE = (320, 180)
MOST_WHITE = 0.0015
"""Share of pixels that may be white."""
LAMP_PX = 4
"""No square of this side is white all over: lamps are smaller."""
GROUND = (4.0, 110.0)
"""Bounds of the median luminance of the ground, of 255."""

Pixels = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(SIZE, 4)


@cache
def features() -> tuple[Feature, ...]:
    case = Path(__file__).parents[2] / "golden" / "town" / "harbour" / "case.json"
    rows = json.loads(case.read_text("utf-8"))["world"]["features"]
    return tuple(Feature.from_dict(row) for row in rows)


def stage(palette: str, weather: str = "clear") -> Stage:
    added: tuple[tuple[str, dict[str, Any]], ...] = (
        ("set_sky", {"palette": palette, "star_density": 0.8, "moons": 2}),
        ("set_weather", {"kind": weather, "intensity": 0.8}),
    )
    base = features()
    more = (
        replace(base[-1], id=f"f_{len(base) + i:06d}", tool=tool, args=args)
        for i, (tool, args) in enumerate(added)
    )
    return Stage((*base, *more))


def light(renderer: Renderer, frame: Frame) -> Pixels:
    return np.asarray(renderer.draw(frame).pixels[:, :, :3] @ np.array([0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("palette", sorted(load("palettes.json")["palettes"]))
@pytest.mark.parametrize("shot", ["town", "world"])
def test_nothing_larger_than_a_lamp_is_burnt_out(
    renderer: Renderer, palette: str, shot: str
) -> None:
    pixels = renderer.draw(stage(palette).frame(4000, shot)).pixels
    white = np.all(pixels[:, :, :3] == 255, axis=2)
    assert np.mean(white) < MOST_WHITE
    squares = np.lib.stride_tricks.sliding_window_view(white, (LAMP_PX, LAMP_PX))
    assert not np.any(np.all(squares, axis=(2, 3)))


@pytest.mark.parametrize("palette", sorted(load("palettes.json")["palettes"]))
def test_ground_of_the_town_can_be_read_and_is_darker_than_its_windows(
    renderer: Renderer, palette: str
) -> None:
    frame = stage(palette).frame(4000, "town")
    ground = (renderer.ids(frame) == NOTHING) & np.isfinite(renderer.depth(frame))
    found = light(renderer, frame)
    assert GROUND[0] < np.median(found[ground]) < GROUND[1]
    assert np.percentile(found[ground], 90) < np.percentile(found[~ground], 99.5)


def test_every_weather_changes_the_town_and_no_two_look_alike(renderer: Renderer) -> None:
    pictures = {
        kind: renderer.draw(stage("dusk", kind).frame(4000, "town")).pixels[:, :, :3].astype(float)
        for kind in weather_kinds()
    }
    for one, other in combinations(pictures, 2):
        apart = np.mean(np.abs(pictures[one] - pictures[other]))
        assert apart > 1.5, f"{one} and {other}"


def test_aurora_ends_nowhere_in_a_hard_edge() -> None:
    renderer = Renderer((640, 360), 4)
    frame = stage("aurora").frame(4000, "town")
    without = replace(frame, uniforms={**frame.uniforms, "u_aurora": 0.0})
    added = light(renderer, frame) - light(renderer, without)
    assert np.max(added) > 60.0
    # Not where something stands before it.
    sky = ~np.isfinite(renderer.depth(frame))
    for shift, axis in ((1, 0), (-1, 0), (2, 1), (-2, 1)):
        sky &= np.roll(sky, shift, axis)
    across = np.abs(np.diff(added, axis=1))[sky[:, 1:] & sky[:, :-1]]
    assert np.percentile(across, 99.9) < 20.0
    renderer.release()


def test_bloom_comes_from_emitters_alone(renderer: Renderer) -> None:
    """A plain without lamps has no bloom, not even where the key light is strongest."""
    bare = (replace(features()[0], args={"palette": "gold", "star_density": 0.0, "moons": 0}),)
    frame = Stage(bare).frame(4000, "free:20,60,0.3,0,-35,50")
    dark = replace(frame, uniforms={**frame.uniforms, "u_bloom_strength": 0.0})
    drawn, plain = (renderer.draw(f).pixels[:, :, :3].astype(int) for f in (frame, dark))
    assert np.max(np.abs(drawn - plain)) <= 1
