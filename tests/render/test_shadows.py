"""Things throw shadows away from the key light; the map is drawn once and never a stale one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import moderngl
import numpy as np
import pytest

from godseed.check.generate import generated_world
from godseed.render.errors import RenderError
from godseed.render.renderer import Renderer
from godseed.render.shadows import ShadowMap, shadow_map
from godseed.sim.feature import Feature
from godseed.sim.frame import Frame, Stage

SIZE = (192, 108)


def feature(index: int, tool: str, **args: Any) -> Feature:
    return Feature(f"f_{index:06d}", "genesis", tool, args, 7 + index, 0)


def tower(kind: str = "tower", palette: str = "void") -> Stage:
    """A tall thing alone on the plain, under a sun that stands low in the east."""
    return Stage(
        (
            feature(0, "set_sky", palette=palette, star_density=0.5, moons=0),
            feature(1, "place_structure", lat=10, lon=20, kind=kind, scale=2.0, hue=40),
        )
    )


def above(stage: Stage) -> Frame:
    """Straight down on it."""
    return stage.frame(4000, "free:10,20,0.35,0,-89,60", SIZE[0] / SIZE[1])


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    drawn: list[str] = []
    redraw = ShadowMap._redraw

    def count(self: ShadowMap, frame: Frame, ages: moderngl.Texture) -> None:
        drawn.append(frame.shot)
        redraw(self, frame, ages)

    monkeypatch.setattr(ShadowMap, "_redraw", count)
    return drawn


def test_ground_behind_a_tower_is_darker_than_before_it(ctx: moderngl.Context) -> None:
    renderer = Renderer(SIZE, 0)
    light = renderer.draw(above(tower())).pixels[:, :, :3].astype(float).sum(axis=2)
    middle = light[44:64]
    # The sun of this sky stands in the east: north is up, so the shadow falls to the left.
    west, east = middle[:, 62:80], middle[:, 112:130]
    assert np.min(np.median(west, axis=1)) < 0.6 * np.median(east)


def test_map_is_kept_while_nothing_that_casts_changes(
    ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = generated_world(5, 12, ("place_structure", "spawn_life", "build_district"))
    stage, renderer = Stage(world.features), Renderer(SIZE, 0)
    drawn = counted(monkeypatch)
    for ms in (9000, 9040, 12000):
        renderer.draw(stage.frame(ms, "town"))
    assert len(drawn) <= 1


def test_map_is_drawn_anew_when_light_things_or_their_growth_change(
    ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    renderer = Renderer(SIZE, 0)
    frame = above(tower())
    renderer.draw(frame)
    drawn = counted(monkeypatch)
    young = replace(frame, ages=np.full_like(frame.ages, 0.5))
    for other in (above(tower(palette="night")), above(tower("lighthouse")), frame, young, frame):
        renderer.draw(other)
    assert len(drawn) == 5


def test_picture_does_not_depend_on_the_map_drawn_before(ctx: moderngl.Context) -> None:
    renderer = Renderer(SIZE, 0)
    frames = [above(tower()), above(tower("lighthouse", "dusk"))]
    alone = [Renderer(SIZE, 0).draw(frame).digest for frame in frames]
    assert alone == [renderer.draw(frame).digest for frame in frames]
    assert alone[::-1] == [renderer.draw(frame).digest for frame in frames[::-1]]


def test_rising_things_throw_rising_shadows_that_are_a_function_of_time(
    ctx: moderngl.Context,
) -> None:
    renderer = Renderer(SIZE, 0)
    settled = above(tower())
    ages = [np.array([60.0, age], np.float32) for age in (0.3, 0.9, 5.0)]
    there = [renderer.draw(replace(settled, ages=age)).digest for age in ages]
    back = [renderer.draw(replace(settled, ages=age)).digest for age in ages[::-1]]
    assert there == back[::-1]
    assert len(set(there)) == 3


def test_frame_without_a_window_is_an_error(ctx: moderngl.Context) -> None:
    frame = above(tower())
    uniforms = {k: v for k, v in frame.uniforms.items() if k != "u_shadow"}
    with pytest.raises(RenderError, match="u_shadow is None; expected the 16 numbers"):
        shadow_map(ctx).draw(replace(frame, uniforms=uniforms), shadow_map(ctx).texture)


def test_from_afar_only_the_ground_casts(ctx: moderngl.Context) -> None:
    stage = tower()
    assert above(stage).near
    assert not stage.frame(4000, "world").near
