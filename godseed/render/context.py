"""The OpenGL context of this process: headless through EGL, on whatever rasteriser the machine has.

OpenGL contexts belong to one thread; use the renderer from a single thread of each process.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import moderngl

from godseed.render.errors import MissingGLError, RenderError

INSTALL = "apt-get install libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri"
NEEDED_VERSION = 430
"""OpenGL 4.3 is the first that takes `#version 300 es` shaders."""
LIBRARIES = (("libGL.so.1", "libEGL.so.1"), ("libOpenGL.so.0", "libEGL.so.1"))
"""Pairs to try, in order: names that exist without development packages."""
DITHER = 0x0BD0
SAMPLE_COUNTS = (0, 2, 4, 8)


@dataclass(frozen=True)
class Fingerprint:
    """What decides the pixels on this machine.

    Attributes:
        renderer: `GL_RENDERER`.
        version: `GL_VERSION`.
        samples: per pixel, 0 for none.
        key: short slug of the three, such as `llvmpipe-mesa22.3.6-llvm15-256b-s4`; names golden
            images.
    """

    renderer: str
    version: str
    samples: int
    key: str


@cache
def context() -> moderngl.Context:
    """The context of this process, made at the first call.

    Raises:
        MissingGLError: there is no EGL or OpenGL here, or it is older than 4.3.
    """
    reasons: list[str] = []
    for libgl, libegl in LIBRARIES:
        libraries: dict[str, Any] = {"backend": "egl", "libgl": libgl, "libegl": libegl}
        try:
            ctx = moderngl.create_context(NEEDED_VERSION, standalone=True, **libraries)
        except Exception as error:  # glcontext raises bare Exception
            reasons.append(str(error).strip() or type(error).__name__)
            continue
        ctx.gc_mode = "auto"
        ctx.disable_direct(DITHER)
        return ctx
    raise MissingGLError(
        f"render.context: {'; '.join(dict.fromkeys(reasons))}; expected EGL with OpenGL 4.3 or "
        f"newer; run '{INSTALL}'"
    )


@cache
def _resting_framebuffer(ctx: moderngl.Context) -> moderngl.Framebuffer:
    return ctx.framebuffer([ctx.renderbuffer((1, 1), 4)])


def rest(ctx: moderngl.Context) -> None:
    """Make a framebuffer current that is never released.

    ModernGL returns to the current framebuffer after each allocation, which fails once it is gone.
    """
    _resting_framebuffer(ctx).use()


def fingerprint(ctx: moderngl.Context, samples: int) -> Fingerprint:
    """The fingerprint of a context at a sample count."""
    return fingerprint_of(ctx.info["GL_RENDERER"], ctx.info["GL_VERSION"], samples)


def fingerprint_of(renderer: str, version: str, samples: int) -> Fingerprint:
    """A fingerprint from the strings that OpenGL or a browser's unmasked WebGL reports.

    Browsers put the strings of the driver below into their own, so the same rasteriser gets the
    same key from both.
    """
    both = f"{renderer} {version}"
    mesa = re.search(r"Mesa (\d[\w.]*)", both)
    llvmpipe = re.search(r"llvmpipe \(LLVM (\d+)[\d.]*,? (\d+) bits\)", both)
    if llvmpipe:
        parts = ["llvmpipe", f"mesa{mesa[1]}" if mesa else _slug(version)]
        parts += [f"llvm{llvmpipe[1]}", f"{llvmpipe[2]}b"]
    elif mesa:
        parts = [_slug(renderer), f"mesa{mesa[1]}"]
    else:
        parts = [_slug(renderer), _slug(version)]
    return Fingerprint(renderer, version, samples, "-".join([*parts, f"s{samples}"]))


def require_samples(ctx: moderngl.Context, samples: int) -> int:
    """The sample count, if this machine can draw with it.

    Raises:
        RenderError: it is not one of 0, 2, 4, 8, or above what the rasteriser offers.
    """
    if samples not in SAMPLE_COUNTS:
        raise RenderError(
            f"render.samples: {samples!r}; expected 0, 2, 4 or 8; choose one of these"
        )
    if samples > ctx.max_samples:
        raise RenderError(
            f"render.samples: {samples}; expected at most {ctx.max_samples} on "
            f"{ctx.info['GL_RENDERER']}; choose fewer samples"
        )
    return samples


def require_size(ctx: moderngl.Context, size: tuple[int, int]) -> tuple[int, int]:
    """(width, height) in pixels, if this machine can draw a picture so large.

    Raises:
        RenderError: a side is under 1 or above the largest texture.
    """
    limit = min(ctx.info["GL_MAX_TEXTURE_SIZE"], ctx.info["GL_MAX_RENDERBUFFER_SIZE"])
    width, height = size
    if not (1 <= width <= limit and 1 <= height <= limit):
        raise RenderError(
            f"render.size: {width}x{height}; expected each side from 1 to {limit} px; change it"
        )
    return width, height


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:48] or "unknown"
