"""The shadow map: depth of what stands in the key light's way, drawn once and kept while it is the
same.

A map depends on the casters' rows and their ground, the light's window, and the ages of what still
grows; while none of these changes between frames, the map of the last frame serves.

Twin: web/render/shadows.js
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import moderngl
import numpy as np

from godseed.render.buffers import Array, buffers
from godseed.render.draws import STANDING, buffer_names, draws
from godseed.render.errors import RenderError
from godseed.render.materials import apply, casters
from godseed.render.programs import UniformValue, program
from godseed.spec import constants

if TYPE_CHECKING:
    from godseed.sim.frame import Frame


class ShadowMap:
    """The shadow map of a context; `draw` makes it that of a frame."""

    def __init__(self, ctx: moderngl.Context) -> None:
        width, height = constants()["shadow"]["size_px"]
        self.ctx = ctx
        self.texture = ctx.depth_texture((int(width), int(height)))
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self.texture.repeat_x = self.texture.repeat_y = False
        self.texture.compare_func = "<="
        self._target = ctx.framebuffer([], self.texture)
        self._drawn: tuple[tuple[Any, ...], list[Any]] | None = None

    def draw(self, frame: Frame, ages: moderngl.Texture) -> moderngl.Texture:
        """The map of a frame.

        Args:
            frame: what casts.
            ages: its ages, see `godseed.render.textures.age_texture`.
        Raises:
            RenderError: the frame says nothing of the map's window.
        """
        key, held = _contents(frame)
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = None
            self._redraw(frame, ages)
            # The arrays are held so that their memory, which the key names, stays theirs.
            self._drawn = (key, held)
        return self.texture

    def _redraw(self, frame: Frame, ages: moderngl.Texture) -> None:
        store = buffers(self.ctx)
        # Casters stand as at the first second: what sways and turns would have no map that lasts.
        light: dict[str, UniformValue] = {
            "u_view_projection": _window(frame),
            "u_time_s": 0.0,
        }
        first = True
        for material in casters():
            for call in draws(self.ctx, frame, material):
                found = program(self.ctx, material.program, vertex=material.vertex)
                apply(self.ctx, self._target, material.state, blend=False)
                if first:
                    self._target.clear(depth=1.0)
                    first = False
                found.set(call.uniforms, light, frame.uniforms)
                ages.use(0)
                drawn = store.vertex_array(found, call.mesh, call.instances)
                drawn.render(moderngl.TRIANGLES, instances=call.count)


@cache
def shadow_map(ctx: moderngl.Context) -> ShadowMap:
    """The shadow map of a context."""
    return ShadowMap(ctx)


def _contents(frame: Frame) -> tuple[tuple[Any, ...], list[Any]]:
    """What decides the map, and the arrays that the key knows by their memory.

    Arrays that may still be written are told apart by their bytes.
    """
    names: list[Any] = [_window(frame), frame.uniforms.get("u_rise"), frame.planet.key]
    settled = np.float32(constants()["shadow"]["settled_s"])
    names.append(np.minimum(frame.ages, settled).tobytes())
    held: list[Any] = []
    for material in casters():
        if STANDING not in material.buffers:
            continue
        for name in buffer_names(frame, material):
            view = frame.buffers.get(name)
            for array in (view.rows, view.ground_before, view.ground) if view else ():
                if array is None:
                    continue
                held.append(array)
                place = array.__array_interface__["data"][0]
                names.append(
                    (name, array.shape, array.tobytes() if array.flags.writeable else place)
                )
    return tuple(names), held


def _content(array: Array) -> bytes | int:
    if array.flags.writeable:
        return array.tobytes()
    place: int = array.__array_interface__["data"][0]
    return place


def _window(frame: Frame) -> UniformValue:
    window = frame.uniforms.get("u_shadow")
    if not isinstance(window, tuple) or len(window) != 16:
        raise RenderError(
            f"frame: u_shadow is {window!r}; expected the 16 numbers of the shadow map's matrix; "
            "correct the frame"
        )
    return window
