"""Frames come out the same whatever was drawn before them, at any size, and say what they show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import moderngl
import numpy as np
import pytest

from godseed.render.errors import RenderError
from godseed.render.overlay import OverlayState, build_overlay
from godseed.render.renderer import Renderer
from godseed.sim.frame import Frame, Stage

SIZE = (160, 90)
SAMPLES = (0, 2, 4, 8)


def offered(ctx: moderngl.Context) -> tuple[int, ...]:
    return tuple(samples for samples in SAMPLES if samples <= ctx.max_samples)


def test_picture_is_the_same_first_last_and_alone(
    ctx: moderngl.Context, town: Frame, whole: Frame
) -> None:
    renderer = Renderer(SIZE)
    first = renderer.draw(town)
    other = Renderer((64, 48), samples=0)
    for frame in (whole, town):
        other.draw(frame)
        other.ids(frame)
        other.depth(frame)
        renderer.draw(frame, build_overlay(OverlayState(SIZE, wish="a lamp", epoch=3)))
    last = renderer.draw(town)
    alone = Renderer(SIZE).draw(town)
    assert first.digest == last.digest == alone.digest
    other.release()


def test_picture_survives_another_library_user_of_the_context(
    ctx: moderngl.Context, town: Frame
) -> None:
    renderer = Renderer(SIZE)
    before = renderer.draw(town)
    ctx.enable_only(moderngl.BLEND | moderngl.CULL_FACE)
    ctx.blend_func = (moderngl.ZERO, moderngl.ZERO)
    ctx.depth_func = ">"
    ctx.front_face = "cw"
    ctx.cull_face = "front_and_back"
    ctx.polygon_offset = (4.0, 4.0)
    assert renderer.draw(town).digest == before.digest


def test_picture_holds_the_world(ctx: moderngl.Context, town: Frame) -> None:
    image = Renderer(SIZE).draw(town)
    assert image.size == SIZE
    assert (image.pixels[:, :, 3] == 255).all()
    light = image.pixels[:, :, :3].max(axis=2)
    assert len(np.unique(light)) > 60
    assert light[-1].mean() > light[0].mean()


@pytest.mark.parametrize("size", [(1, 1), (1, 7), (33, 17), (3, 200)])
def test_odd_sizes_are_drawn(ctx: moderngl.Context, whole: Frame, size: tuple[int, int]) -> None:
    renderer = Renderer(size)
    assert renderer.draw(whole).size == size
    assert renderer.ids(whole).shape == renderer.depth(whole).shape == (size[1], size[0])
    renderer.release()


def test_every_offered_sample_count_draws_nearly_the_same_picture(
    ctx: moderngl.Context, town: Frame
) -> None:
    pictures = {n: Renderer(SIZE, samples=n).draw(town).pixels for n in offered(ctx)}
    plain = pictures[0].astype(int)
    for samples, picture in pictures.items():
        assert np.abs(picture - plain).mean() < 6.0
        assert Renderer(SIZE, samples=samples).fingerprint.key.endswith(f"-s{samples}")
    # Rasterisers may round a count up: llvmpipe draws 2 as 4.
    assert len({picture.tobytes() for picture in pictures.values()}) > 1


def test_ids_name_features_and_nothing_else(
    ctx: moderngl.Context, stage: Stage, town: Frame
) -> None:
    ids = Renderer(SIZE).ids(town)
    assert ids.dtype == np.int32
    assert ids.min() == -1
    assert ids.max() < len(stage.features)
    shown = {stage.features[i].tool for i in np.unique(ids) if i >= 0}
    assert {"place_structure", "build_district"} <= shown


def test_ids_and_distances_agree_on_where_the_sky_is(ctx: moderngl.Context, whole: Frame) -> None:
    renderer = Renderer(SIZE)
    ids, distance = renderer.ids(whole), renderer.depth(whole)
    assert distance.dtype == np.float32
    assert np.isfinite(distance[ids >= 0]).all()
    assert np.isinf(distance).any()
    eye = np.array(whole.uniforms["u_eye"])
    away = np.sqrt((eye * eye).sum())
    seen = distance[np.isfinite(distance)]
    assert (seen > away - 2.0).all()
    assert (seen < away + 2.0).all()


def test_distance_of_the_ground_is_that_along_the_view(ctx: moderngl.Context, stage: Stage) -> None:
    frame = stage.frame(4000, "free:-40,-120,1.0,0,-90,20")
    distance = Renderer((31, 31)).depth(frame)
    assert distance[15, 15] == pytest.approx(1.0, abs=2e-3)


def test_ages_of_features_grow_what_is_drawn(ctx: moderngl.Context, town: Frame) -> None:
    renderer = Renderer(SIZE)
    young = replace(town, ages=np.full_like(town.ages, -1.0))
    assert renderer.ids(young).max() < renderer.ids(town).max()


def test_frame_without_a_uniform_is_refused(ctx: moderngl.Context, town: Frame) -> None:
    uniforms: Mapping[str, float | tuple[float, ...]] = {
        name: value for name, value in town.uniforms.items() if name != "u_sun"
    }
    with pytest.raises(RenderError, match=r"nothing gives uniform 'u_sun'"):
        Renderer(SIZE).draw(replace(town, uniforms=uniforms))


def test_overlay_of_another_size_is_refused(ctx: moderngl.Context, town: Frame) -> None:
    overlay = build_overlay(OverlayState((64, 64), wish="a lamp"))
    with pytest.raises(RenderError, match=r"laid out for 64x64; expected 160x90"):
        Renderer(SIZE).draw(town, overlay)


def test_largest_size_is_refused_before_anything_is_allocated(ctx: moderngl.Context) -> None:
    with pytest.raises(RenderError, match=r"size: 100000x2"):
        Renderer((100_000, 2))
