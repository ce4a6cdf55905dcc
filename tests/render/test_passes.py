"""Bloom and tone mapping against plain NumPy versions of three.js r187's passes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import moderngl
import numpy as np
import numpy.typing as npt
import pytest

from godseed.render.passes import bloom, mip_sizes, targets, tone_map
from godseed.render.programs import UniformValue
from godseed.spec import load

F64 = npt.NDArray[np.float64]
KERNELS = (6, 10, 14, 18, 22)
SMOOTH: float = load("postprocess.json")["bloom"]["smooth"]
FACTORS = (1.0, 0.8, 0.6, 0.4, 0.2)
SETTINGS: Mapping[str, UniformValue] = {
    "u_bloom_strength": 0.7,
    "u_bloom_radius": 0.35,
    "u_bloom_threshold": 0.66,
    "u_exposure": 1.1,
}


def half(image: F64) -> F64:
    """As a half-float target keeps it."""
    return image.astype(np.float16).astype(np.float64)


def fetch(image: F64, x: F64, y: F64) -> F64:
    """Linear, clamped texture fetch at texel coordinates (w,), (h,): (h, w, 3)."""
    (high, wide), x0, y0 = image.shape[:2], np.floor(x - 0.5), np.floor(y - 0.5)
    fx, fy = (x - 0.5 - x0)[None, :, None], (y - 0.5 - y0)[:, None, None]
    xs = [np.clip(x0 + k, 0, wide - 1).astype(int) for k in (0, 1)]
    ys = [np.clip(y0 + k, 0, high - 1).astype(int) for k in (0, 1)]
    top, bottom = (image[row][:, xs[0]] * (1 - fx) + image[row][:, xs[1]] * fx for row in ys)
    return np.asarray(top * (1 - fy) + bottom * fy)


def sampled(image: F64, size: tuple[int, int], dx: float = 0.0, dy: float = 0.0) -> F64:
    """An image read at the pixel centres of a target, shifted by target texels."""
    (wide, high), (rows, columns) = size, image.shape[:2]
    x = (np.arange(wide) + 0.5 + dx) * columns / wide
    y = (np.arange(high) + 0.5 + dy) * rows / high
    return fetch(image, x, y)


def reference_bloom(scene: F64, strength: float, radius: float, threshold: float) -> F64:
    """UnrealBloomPass with exact taps where three merges pairs into linear fetches."""
    sizes = mip_sizes((scene.shape[1], scene.shape[0]), 5)
    texel = sampled(scene, sizes[0])
    ramp = np.clip((texel @ [0.2126, 0.7152, 0.0722] - threshold) / SMOOTH, 0.0, 1.0)
    source = half(texel * (ramp * ramp * (3.0 - 2.0 * ramp))[:, :, None])
    total = np.zeros((sizes[0][1], sizes[0][0], 3))
    for kernel, factor, size in zip(KERNELS, FACTORS, sizes, strict=True):
        sigma = kernel / 3.0
        c = [0.39894 * math.exp(-0.5 * i * i / sigma**2) / sigma for i in range(kernel)] + [0.0]
        for across in (1, 0):
            blurred = sampled(source, size) * c[0]
            for i in range(1, kernel, 2):
                at = (i * c[i] + (i + 1) * c[i + 1]) / (c[i] + c[i + 1])
                both = sum(
                    sampled(source, size, sign * at * across, sign * at * (1 - across))
                    for sign in (1.0, -1.0)
                )
                blurred = blurred + both * (c[i] + c[i + 1])
            source = half(blurred)
        total += (factor + (1.2 - 2.0 * factor) * radius) * sampled(source, sizes[0])
    return half(3.0 * strength * total)


def reference_output(linear: F64, exposure: float) -> F64:
    """OutputPass: ACES filmic, then sRGB, 0..255."""
    into = np.array(
        [[0.59719, 0.35458, 0.04823], [0.07600, 0.90834, 0.01566], [0.02840, 0.13383, 0.83777]]
    )
    out = np.array(
        [
            [1.60475, -0.53108, -0.07367],
            [-0.10208, 1.10813, -0.00605],
            [-0.00327, -0.07276, 1.07602],
        ]
    )
    v = linear * (exposure / 0.6) @ into.T
    v = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081)
    v = np.clip(v @ out.T, 0.0, 1.0)
    srgb = np.where(v <= 0.0031308, v * 12.92, 1.055 * np.maximum(v, 1e-9) ** 0.41666 - 0.055)
    return np.asarray(srgb * 255.0)


def scene_of(size: tuple[int, int], seed: int) -> F64:
    """A dark ground with lamps, some bright, some just at the threshold."""
    rng = np.random.default_rng(seed)
    image = rng.uniform(0.0, 0.3, (size[1], size[0], 3))
    for _ in range(12):
        x, y = rng.integers(0, size[0]), rng.integers(0, size[1])
        image[y : y + 3, x : x + 2] = rng.uniform(0.5, 9.0, 3)
    return half(image)


@pytest.mark.parametrize("size", [(96, 64), (61, 37), (3, 1), (1, 1)])
def test_picture_is_that_of_the_reference_passes(
    ctx: moderngl.Context, size: tuple[int, int]
) -> None:
    scene = scene_of(size, seed=size[0])
    to = targets(ctx, size, 0)
    padded = np.concatenate([scene, np.ones((*scene.shape[:2], 1))], axis=2)
    to.scene.texture.write(padded.astype(np.float16).tobytes(), alignment=1)
    glow = bloom(ctx, to, SETTINGS)
    tone_map(ctx, to, glow, SETTINGS)
    ours = np.frombuffer(to.output.read(components=4, alignment=1), np.uint8)
    ours = ours.reshape(size[1], size[0], 4)
    expected = reference_bloom(scene, 0.7, 0.35, 0.66)
    held = np.frombuffer(glow.texture.read(alignment=1), np.float16).astype(np.float64)
    held = held.reshape(*glow.texture.size[::-1], 4)[:, :, :3]
    assert np.abs(held - expected).max() <= 0.005 * max(1.0, expected.max())
    picture = reference_output(half(scene + sampled(expected, size)), 1.1)
    assert np.abs(ours[:, :, :3] - picture).max() <= 1.0
    assert (ours[:, :, 3] == 255).all()
    to.release()


def test_weights_are_the_literal_ones_of_the_reference() -> None:
    row = load("postprocess.json")["bloom"]
    assert [mip["kernel"] for mip in row["mips"]] == list(KERNELS)
    assert [mip["factor"] for mip in row["mips"]] == list(FACTORS)
    for mip in row["mips"]:
        sigma = mip["kernel"] / 3.0
        total = mip["center"] + 2.0 * math.fsum(weight for _, weight in mip["taps"])
        assert mip["center"] == pytest.approx(0.39894 / sigma, rel=1e-15)
        assert 0.99 < total < 1.0
        assert all(b > a for a, b in pairwise(offset for offset, _ in mip["taps"]))


def test_scene_below_the_threshold_does_not_glow(ctx: moderngl.Context) -> None:
    to = targets(ctx, (16, 16), 0)
    to.scene.texture.write(np.full((16, 16, 4), 0.6, np.float16).tobytes())
    glow = bloom(ctx, to, {})
    assert not np.frombuffer(glow.texture.read(), np.float16).reshape(-1, 4)[:, :3].any()
    to.release()


def test_mips_round_half_up_as_javascript_does() -> None:
    assert mip_sizes((1280, 720), 5) == ((640, 360), (320, 180), (160, 90), (80, 45), (40, 23))
    assert mip_sizes((5, 1), 5) == ((3, 1), (2, 1), (1, 1), (1, 1), (1, 1))
