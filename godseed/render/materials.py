"""Materials: the draw order and every bit of OpenGL state, from `spec/materials.json`.

Nothing is left to a default: each draw sets all state, so a picture cannot depend on what was drawn
before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import moderngl

from godseed.render.errors import RenderError
from godseed.spec import load

DEPTH_FUNCS = {"lequal": "<=", "less": "<", "equal": "==", "always": "1"}
CULLS = ("none", "back", "front")
BLENDS: Mapping[str, int] = {
    "zero": moderngl.ZERO,
    "one": moderngl.ONE,
    "src_alpha": moderngl.SRC_ALPHA,
    "one_minus_src_alpha": moderngl.ONE_MINUS_SRC_ALPHA,
}
MESHES = ("planet", "kit", "kit_glow", "quad", "triangle")


@dataclass(frozen=True)
class State:
    """All OpenGL state of a draw that differs between materials.

    Attributes:
        depth_test: compare with the depth buffer.
        depth_func: comparison, as ModernGL writes it.
        depth_write: write the depth buffer.
        cull: `none`, `back` or `front`; front faces are counter-clockwise.
        blend: source and destination factor, or None.
    """

    depth_test: bool
    depth_func: str
    depth_write: bool
    cull: str
    blend: tuple[int, int] | None


@dataclass(frozen=True)
class Material:
    """One entry of the draw order.

    Attributes:
        name: of the material.
        program: stem of its shaders.
        vertex: stem of its vertex shader, where that is another's.
        mesh: one of `MESHES`.
        buffers: names of the instance buffers it draws, `kit:*` for one of each kit; empty where
            the mesh alone is drawn.
        state: OpenGL state.
        ids: whether it is drawn into the id and depth buffers.
    """

    name: str
    program: str
    vertex: str
    mesh: str
    buffers: tuple[str, ...]
    state: State
    ids: bool


@cache
def materials() -> tuple[Material, ...]:
    """All materials in draw order.

    Raises:
        RenderError: `spec/materials.json` names something unknown.
    """
    return tuple(_material(row) for row in load("materials.json")["materials"])


@cache
def casters() -> tuple[Material, ...]:
    """What is drawn into the shadow map, in that order.

    Raises:
        RenderError: `spec/materials.json` names something unknown.
    """
    return tuple(_material(row) for row in load("materials.json")["casters"])


@cache
def state(name: str) -> State:
    """A named state.

    Raises:
        RenderError: there is no such state, or it says something unknown.
    """
    states = load("materials.json")["states"]
    return parse_state(name, _choice(f"state {name}", name, states))


def parse_state(name: str, row: Mapping[str, Any]) -> State:
    """A row of `states` in `spec/materials.json`.

    Raises:
        RenderError: it says something unknown.
    """
    where = f"state {name}"
    known = {"depth_test", "depth_func", "depth_write", "cull", "blend"}
    if set(row) != known:
        raise RenderError(
            f"materials.json: {where} has {', '.join(sorted(row))}; expected exactly "
            f"{', '.join(sorted(known))}; correct the row"
        )
    blend = row["blend"]
    return State(
        bool(row["depth_test"]),
        _choice(where, row["depth_func"], DEPTH_FUNCS),
        bool(row["depth_write"]),
        _choice(where, row["cull"], {cull: cull for cull in CULLS}),
        (_choice(where, blend[0], BLENDS), _choice(where, blend[1], BLENDS)) if blend else None,
    )


def apply(ctx: moderngl.Context, target: moderngl.Framebuffer, wanted: State, blend: bool) -> None:
    """Make `target` current and set all state.

    Args:
        ctx: the context.
        target: framebuffer, drawn whole.
        wanted: the state.
        blend: False where the target takes values that must not mix (ids, depth).
    """
    target.use()
    target.viewport = (0, 0, target.width, target.height)
    target.scissor = None  # type: ignore[assignment]  # the stubs forget that None is off
    # A target of depth alone has no colour to mask.
    if target.color_attachments:
        target.color_mask = (True, True, True, True)
    target.depth_mask = wanted.depth_write
    factors = wanted.blend if blend else None
    ctx.enable_only(
        (moderngl.DEPTH_TEST if wanted.depth_test else moderngl.NOTHING)
        | (moderngl.CULL_FACE if wanted.cull != "none" else moderngl.NOTHING)
        | (moderngl.BLEND if factors else moderngl.NOTHING)
    )
    ctx.depth_func = wanted.depth_func
    ctx.cull_face = "back" if wanted.cull == "none" else wanted.cull
    ctx.front_face = "ccw"
    ctx.blend_func = factors or (moderngl.ONE, moderngl.ZERO)
    ctx.blend_equation = moderngl.FUNC_ADD  # type: ignore[assignment]  # one for both is fine
    ctx.wireframe = False
    ctx.polygon_offset = (0.0, 0.0)


def _material(row: Mapping[str, Any]) -> Material:
    where = f"material {row['name']}"
    return Material(
        row["name"],
        row["program"],
        row.get("vertex", row["program"]),
        _choice(where, row["mesh"], {mesh: mesh for mesh in MESHES}),
        tuple(row["buffers"]),
        state(row["state"]),
        bool(row["ids"]),
    )


def _choice(where: str, value: Any, known: Mapping[str, Any]) -> Any:
    if value not in known:
        raise RenderError(
            f"materials.json: {where} says {value!r}; expected one of {', '.join(known)}; "
            "correct the name"
        )
    return known[value]
