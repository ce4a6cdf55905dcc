"""The renderer: a frame of the world -> pixels, feature ids or distances.

It computes no geometry and keeps nothing between frames but GPU copies of arrays, so frames may be
drawn in any order, at any size, and come out the same.

Twin: web/render/renderer.js
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import moderngl
import numpy as np
import numpy.typing as npt

from godseed.render.buffers import buffers
from godseed.render.context import (
    Fingerprint,
    context,
    fingerprint,
    require_samples,
    require_size,
    rest,
)
from godseed.render.draws import draws
from godseed.render.errors import RenderError
from godseed.render.image import Image
from godseed.render.materials import apply, materials, state
from godseed.render.overlay import Overlay, draw_overlay
from godseed.render.passes import bloom, resolve, targets, tone_map
from godseed.render.programs import UniformValue, program
from godseed.render.shadows import shadow_map
from godseed.render.textures import age_texture, glyph_pages, glyph_texture
from godseed.spec import load

if TYPE_CHECKING:
    from godseed.sim.frame import Frame

NOTHING = -1
"""Id of a pixel that shows no feature."""
PAGE_COLUMN = 23
"""Column of a glyph's row that holds twice the page that it is drawn from."""


class Renderer:
    """Draws frames of one size.

    Args:
        size: width, height in pixels, each at least 1.
        samples: per pixel: 0, 2, 4 or 8.
    Raises:
        RenderError: the size or sample count is beyond this machine.
        MissingGLError: this machine has no OpenGL.
    """

    def __init__(self, size: tuple[int, int], samples: int = 4) -> None:
        self.ctx = context()
        self.size = require_size(self.ctx, size)
        self.samples = require_samples(self.ctx, samples)
        self._targets = targets(self.ctx, self.size, self.samples)

    @property
    def fingerprint(self) -> Fingerprint:
        """What decides the pixels that this renderer draws."""
        return fingerprint(self.ctx, self.samples)

    def draw(self, frame: Frame, overlay: Overlay | None = None) -> Image:
        """Draw a frame, and an overlay over it.

        Args:
            frame: what to draw.
            overlay: text and rules laid out for this size, see `godseed.render.overlay`.
        Raises:
            RenderError: a shader does not compile, or the frame lacks something it needs.
        """
        to = self._targets
        self._scene(frame, "COLOR", to.multisample or to.scene.framebuffer)
        resolve(self.ctx, to)
        tone_map(self.ctx, to, bloom(self.ctx, to, frame.uniforms), frame.uniforms)
        if overlay is not None:
            draw_overlay(self.ctx, to.output, overlay)
        pixels = _top_down(to.output, 4, "f1")
        rest(self.ctx)
        return Image(pixels)

    def ids(self, frame: Frame) -> npt.NDArray[np.int32]:
        """Index of the feature that each pixel shows, (h, w) int32, -1 for none: ground, sky and
        what only glows. Drawn without multisampling.

        Raises:
            RenderError: as in `draw`.
        """
        wide = self._values(frame, "IDS", 4, "f1").astype(np.int32)
        found: npt.NDArray[np.int32] = (
            wide[:, :, 0] + (wide[:, :, 1] << 8) + (wide[:, :, 2] << 16) + NOTHING
        )
        return found

    def depth(self, frame: Frame) -> npt.NDArray[np.float32]:
        """Distance of what each pixel shows along the view direction, (h, w) float32, planet radii;
        inf where there is only sky. Drawn without multisampling.

        Raises:
            RenderError: as in `draw`.
        """
        distance = self._values(frame, "DEPTH", 1, "f4")[:, :, 0]
        return np.where(distance > 0.0, distance, np.float32(np.inf))

    def release(self) -> None:
        """Give the targets back; the renderer draws no more."""
        self._targets.release()

    def _values(self, frame: Frame, output: str, components: int, dtype: str) -> npt.NDArray[Any]:
        """Draw a frame without samples or blending and read what came out."""
        color = self.ctx.renderbuffer(self.size, components, dtype=dtype)
        depth = self.ctx.depth_renderbuffer(self.size)
        target = self.ctx.framebuffer([color], depth)
        self._scene(frame, output, target)
        values = _top_down(target, components, dtype)
        rest(self.ctx)
        for part in (target, color, depth):
            part.release()
        return values

    def _scene(self, frame: Frame, output: str, target: moderngl.Framebuffer) -> None:
        """Draw every material in its order."""
        store = buffers(self.ctx)
        ages, pages = age_texture(self.ctx, frame.ages), glyph_pages(self.ctx)
        pages.need(pages_in(frame))
        textures: dict[str, moderngl.Texture | moderngl.TextureArray] = {
            "u_ages": ages,
            "u_glyphs": glyph_texture(self.ctx),
            "u_glyph_pages": pages.pictures,
            "u_glyph_layers": pages.layers,
            "u_shadow_map": shadow_map(self.ctx).draw(frame, ages),
        }
        own = self._uniforms(frame)
        apply(self.ctx, target, state("opaque"), blend=False)
        target.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
        for material in materials():
            if output != "COLOR" and not material.ids:
                continue
            for call in draws(self.ctx, frame, material):
                found = program(self.ctx, material.program, output, material.vertex)
                apply(self.ctx, target, material.state, blend=output == "COLOR")
                found.set(call.uniforms, frame.uniforms, own)
                for unit, sampler in enumerate(found.samplers):
                    textures[sampler].use(unit)
                drawn = store.vertex_array(found, call.mesh, call.instances)
                drawn.render(moderngl.TRIANGLES, instances=call.count)
        ages.release()
        store.end_frame()

    def _uniforms(self, frame: Frame) -> dict[str, UniformValue]:
        """What depends on the picture's size and the atlas, not on the frame."""
        width, height = self.size
        lens = frame.uniforms["u_lens"]
        if not isinstance(lens, tuple):
            raise RenderError(
                f"frame: u_lens is {lens!r}; expected the tangents of half the field of view, "
                "(x, y); correct the frame"
            )
        return {
            "u_viewport": (float(width), float(height)),
            "u_pixel": 2.0 * lens[1] / height,
            "u_glyph_spread": (
                float(load("glyphs.json")["atlas"]["spread_px"]),
                float(load("glyph_pages.json")["spread_px"]),
            ),
        }


def pages_in(frame: Frame) -> list[int]:
    """Pages that a frame's glyphs are drawn from, as their rows name them, ascending."""
    found: set[int] = set()
    for name, view in frame.buffers.items():
        if name.startswith("glyph_") and len(view.rows):
            kinds = view.rows[:, PAGE_COLUMN]
            if float(kinds.max()) >= 2.0:
                found.update((np.unique(kinds).astype(np.int64) // 2).tolist())
    return sorted(found - {0})


def _top_down(target: moderngl.Framebuffer, components: int, dtype: str) -> npt.NDArray[Any]:
    """Read a framebuffer: (h, w, components), rows from the top down."""
    raw = target.read(components=components, alignment=1, dtype=dtype)
    kind = np.uint8 if dtype == "f1" else np.float32
    shape = (target.height, target.width, components)
    return np.ascontiguousarray(np.frombuffer(raw, kind).reshape(shape)[::-1])
