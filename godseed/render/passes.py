"""Targets of one picture size, and the passes after the scene: bloom, tone mapping, sRGB.

Bloom is that of three.js r187's `UnrealBloomPass`: a high pass at half size, five mips blurred in
turn, added up at half size. Its weights are literal numbers in `spec/postprocess.json`. Where three
adds the bloom onto the scene's half floats, it is added here inside the output pass.

Source: three.js r187, examples/jsm/postprocessing/UnrealBloomPass.js and OutputPass.js, for the
constants.  Twin: web/render/passes.js
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import moderngl

from godseed.render.buffers import buffers, triangle
from godseed.render.context import rest
from godseed.render.materials import apply, state
from godseed.render.programs import UniformValue, program
from godseed.spec import load


@dataclass(frozen=True)
class Target:
    """A half-float texture, filtered linearly and clamped, and what draws into it."""

    texture: moderngl.Texture
    framebuffer: moderngl.Framebuffer


@dataclass(frozen=True)
class Targets:
    """Everything that a picture is drawn into.

    Attributes:
        size: width, height in pixels.
        multisample: what the scene is drawn into first, None without multisampling.
        scene: the resolved scene, linear.
        bright: the high pass, at half size.
        across, down: the five mips blurred along x, and along y after that.
        output: RGBA8.
    """

    size: tuple[int, int]
    multisample: moderngl.Framebuffer | None
    scene: Target
    bright: Target
    across: tuple[Target, ...]
    down: tuple[Target, ...]
    output: moderngl.Framebuffer

    def release(self) -> None:
        """Give all of it back."""
        rest(self.output.ctx)
        for target in (self.scene, self.bright, *self.across, *self.down):
            target.framebuffer.release()
            target.texture.release()
        for framebuffer in (self.output, self.multisample):
            if framebuffer is not None:
                framebuffer.release()


def mip_sizes(size: tuple[int, int], count: int) -> tuple[tuple[int, int], ...]:
    """Sizes of `count` mips: half of the picture, then half of that, .5 rounded up."""
    sizes = []
    width, height = size
    for _ in range(count):
        width, height = (width + 1) // 2, (height + 1) // 2
        sizes.append((width, height))
    return tuple(sizes)


def targets(ctx: moderngl.Context, size: tuple[int, int], samples: int) -> Targets:
    """Allocate the targets of one picture size."""
    multisample = None
    if samples:
        multisample = ctx.framebuffer(
            [ctx.renderbuffer(size, 4, samples=samples, dtype="f2")],
            ctx.depth_renderbuffer(size, samples=samples),
        )
    depth = None if samples else ctx.depth_renderbuffer(size)
    mips = mip_sizes(size, len(load("postprocess.json")["bloom"]["mips"]))
    return Targets(
        size,
        multisample,
        _target(ctx, size, depth),
        _target(ctx, mips[0]),
        tuple(_target(ctx, mip) for mip in mips),
        tuple(_target(ctx, mip) for mip in mips),
        ctx.framebuffer([ctx.renderbuffer(size, 4)]),
    )


def resolve(ctx: moderngl.Context, to: Targets) -> None:
    """Average the samples of the scene."""
    if to.multisample is not None:
        ctx.copy_framebuffer(to.scene.framebuffer, to.multisample)


def bloom(ctx: moderngl.Context, to: Targets, uniforms: Mapping[str, UniformValue]) -> Target:
    """Blur what is bright in the scene; gives the half-size target that is to be added to it."""
    row = load("postprocess.json")["bloom"]
    settings = {"u_bloom_threshold": row["threshold"], "u_bloom_smooth": row["smooth"]}
    _screen(ctx, "bright", to.bright.framebuffer, {"u_scene": to.scene}, uniforms, settings)
    source = to.bright
    for mip, across, down in zip(row["mips"], to.across, to.down, strict=True):
        width, height = across.texture.size
        kernel = {"u_center": mip["center"], "u_taps": mip["taps"]}
        defines = (f"TAPS {len(mip['taps'])}",)
        for target, step in ((across, (1.0 / width, 0.0)), (down, (0.0, 1.0 / height))):
            _screen(
                ctx,
                "blur",
                target.framebuffer,
                {"u_scene": source},
                {"u_step": step},
                kernel,
                defines=defines,
            )
            source = target
    factors = _factors(
        row,
        _number(uniforms, "u_bloom_strength", row["strength"]),
        _number(uniforms, "u_bloom_radius", row["radius"]),
    )
    blurs = {f"u_blur_{i}": target for i, target in enumerate(to.down)}
    _screen(ctx, "composite", to.across[0].framebuffer, blurs, {"u_factors": factors})
    return to.across[0]


def tone_map(
    ctx: moderngl.Context, to: Targets, glow: Target, uniforms: Mapping[str, UniformValue]
) -> None:
    """Scene plus bloom into the output, as sRGB."""
    textures = {"u_scene": to.scene, "u_bloom": glow}
    settings = {"u_exposure": load("postprocess.json")["exposure"]}
    _screen(ctx, "output", to.output, textures, uniforms, settings)


def _target(
    ctx: moderngl.Context, size: tuple[int, int], depth: moderngl.Renderbuffer | None = None
) -> Target:
    texture = ctx.texture(size, 4, dtype="f2")
    texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
    texture.repeat_x = texture.repeat_y = False
    return Target(texture, ctx.framebuffer([texture], depth))


def _screen(
    ctx: moderngl.Context,
    name: str,
    to: moderngl.Framebuffer,
    textures: Mapping[str, Target],
    *uniforms: Mapping[str, UniformValue],
    defines: tuple[str, ...] = (),
) -> None:
    """One pass over the whole target."""
    found = program(ctx, name, vertex="screen", defines=defines)
    apply(ctx, to, state("screen"), blend=True)
    found.set(*uniforms)
    for unit, sampler in enumerate(found.samplers):
        textures[sampler].texture.use(unit)
    buffers(ctx).vertex_array(found, triangle(ctx), ()).render()


def _factors(row: Mapping[str, Any], strength: float, radius: float) -> list[float]:
    """Weight of each mip: its factor mixed with the mirrored one by the radius."""
    factors = (float(mip["factor"]) for mip in row["mips"])
    return [row["scale"] * strength * (f + (row["mirror"] - f - f) * radius) for f in factors]


def _number(uniforms: Mapping[str, UniformValue], name: str, otherwise: float) -> float:
    value = uniforms.get(name, otherwise)
    return float(value) if isinstance(value, float | int) else otherwise
