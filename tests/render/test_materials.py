"""The draw order and all OpenGL state come from one file, and nothing in it is guessed."""

from __future__ import annotations

from typing import Any

import moderngl
import pytest

from godseed.render.context import rest
from godseed.render.errors import RenderError
from godseed.render.materials import apply, materials, parse_state, state
from godseed.spec import load

ROW: dict[str, Any] = {
    "depth_test": True,
    "depth_func": "lequal",
    "depth_write": True,
    "cull": "back",
    "blend": None,
}


def test_materials_keep_the_order_of_the_file() -> None:
    assert [m.name for m in materials()] == [m["name"] for m in load("materials.json")["materials"]]


def test_every_state_of_the_file_is_understood() -> None:
    for name in load("materials.json")["states"]:
        assert state(name) == state(name)


@pytest.mark.parametrize(
    ("field", "value"), [("depth_func", "near"), ("cull", "left"), ("blend", ["one", "half"])]
)
def test_unknown_word_in_a_state_is_an_error(field: str, value: object) -> None:
    with pytest.raises(RenderError, match=r"materials\.json: state x says '\w+'; expected one of"):
        parse_state("x", {**ROW, field: value})


def test_missing_and_extra_fields_of_a_state_are_errors() -> None:
    with pytest.raises(RenderError, match="expected exactly blend, cull, depth_func"):
        parse_state("x", {k: v for k, v in ROW.items() if k != "cull"})
    with pytest.raises(RenderError, match=r"state x has .*dither"):
        parse_state("x", {**ROW, "dither": False})


def test_unknown_state_is_an_error() -> None:
    with pytest.raises(RenderError, match="says 'glass'; expected one of opaque"):
        state("glass")


def test_state_does_not_leak_from_one_draw_to_the_next(ctx: moderngl.Context) -> None:
    target = ctx.framebuffer([ctx.renderbuffer((4, 4), 4)], ctx.depth_renderbuffer((4, 4)))
    target.use()
    target.color_mask = (False, False, False, False)
    target.scissor = (0, 0, 1, 1)
    ctx.depth_func = ">"
    apply(ctx, target, state("blend"), blend=True)
    apply(ctx, target, state("opaque"), blend=True)
    target.clear(1.0, 1.0, 1.0, 1.0, depth=0.25)
    assert target.read(components=4) == b"\xff" * 64
    assert target.depth_mask is True
    rest(ctx)
