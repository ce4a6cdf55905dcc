"""Overlay text reads at WCAG AA over what is really behind it: every palette, weather and camera.

Large text (the epitaph) needs 3 to 1, the rest 4.5 to 1, at the worst twentieth of the pixels
behind it: the picture under its veils, without the dark halo that letters have on top.
"""

from __future__ import annotations

import moderngl
import numpy as np
import numpy.typing as npt

from godseed.render.context import rest
from godseed.render.overlay import GLYPH, Overlay, OverlayState, build_overlay, draw_overlay
from godseed.render.renderer import Renderer
from godseed.sim.frame import Stage
from godseed.sim.world import World

PALETTES = ("dawn", "dusk", "night", "aurora", "ember", "void", "gold")
WEATHERS = ("clear", "rain", "snow", "embers", "mist", "storm")
SHOTS = ("town", "world", "gaze:f_000010", "descend:f_000010")
SIZE = (640, 360)
AA, AA_LARGE, LARGE_PX = 4.5, 3.0, 24.0
SAID = OverlayState(
    SIZE,
    wish="静かな海に灯台を — a light for those who come home late",
    ticker_text="The cape is bare and the sea has no name. 岬は暗い。 I raise the rock first. " * 3,
    epoch=17,
    granted=23,
    observation="ok: mountains risen at (12,40) (radius_deg 60 -> 45)",
    epitaph="A light was asked for, and the dark made room for it.",
)
CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("raise_terrain", {"lat": 20, "lon": 44, "radius_deg": 12, "height": 0.06, "roughness": 0.5}),
    ("build_district", {"lat": 13, "lon": 40, "radius_deg": 5, "density": 0.9, "hue": 40}),
    ("place_structure", {"lat": 16, "lon": 37, "kind": "lighthouse", "scale": 2, "hue": 40}),
    ("place_water", {"kind": "pool", "path": [[11, 37]], "radius_deg": 4, "hue": 200}),
    (
        "spawn_flora",
        {"lat": 12, "lon": 42, "radius_deg": 6, "kind": "glowgrass", "density": 1, "hue": 90},
    ),
    ("inscribe_wish", {"text": "a light for those who come home late", "style": "orbit"}),
)
F64 = npt.NDArray[np.float64]


def luminance(srgb: F64) -> F64:
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ [0.2126, 0.7152, 0.0722])


def contrasts(
    ctx: moderngl.Context, pixels: npt.NDArray[np.uint8], said: Overlay
) -> dict[str, float]:
    """Contrast of each kind of text at its worst twentieth, over a picture (h, w, 3)."""
    veils = Overlay(said.size, said.rows[said.rows[:, 12] != GLYPH])
    color = ctx.texture(said.size, 4)
    color.write(np.dstack([pixels[::-1], np.full(pixels.shape[:2], 255, np.uint8)]).tobytes())
    target = ctx.framebuffer([color])
    draw_overlay(ctx, target, veils)
    raw = np.frombuffer(target.read(components=3, alignment=1), np.uint8)
    behind = raw.reshape(*pixels.shape)[::-1] / 255.0
    rest(ctx)
    target.release()
    color.release()
    found: dict[str, list[F64]] = {}
    for left, top, right, bottom, *_, red, green, blue, opacity, _, _, _, _ in said.rows[
        said.rows[:, 12] == GLYPH
    ].tolist():
        box = behind[int(top) : int(bottom) + 1, int(left) : int(right) + 1].reshape(-1, 3)
        ink = np.asarray([red, green, blue]) * opacity + box * (1.0 - opacity)
        ratio = (luminance(ink) + 0.05) / (luminance(box) + 0.05)
        large = opacity > 0.97
        found.setdefault("large" if large else "body", []).append(ratio)
    return {kind: float(np.percentile(np.concatenate(v), 5)) for kind, v in found.items()}


def scenes(full: bool) -> list[tuple[str, str, str]]:
    """Palette, weather, shot: every one in several company; all company under --full."""
    if full:
        return [(p, w, s) for p in PALETTES for w in WEATHERS for s in SHOTS]
    clear = [(p, "clear", s) for p in PALETTES for s in SHOTS]
    return clear + [("gold", w, s) for w in WEATHERS[1:] for s in SHOTS]


def test_overlay_text_reads_over_every_palette_weather_and_camera(
    ctx: moderngl.Context, full: bool
) -> None:
    renderer = Renderer(SIZE, 0)
    said = build_overlay(SAID)
    poor = {}
    stages: dict[tuple[str, str], Stage] = {}
    for palette, weather, shot in scenes(full):
        if (palette, weather) not in stages:
            stages = {(palette, weather): stage_of(palette, weather)}
        frame = stages[palette, weather].frame(60_000, shot)
        pixels = np.asarray(renderer.draw(frame).pixels)[:, :, :3]
        for kind, ratio in contrasts(ctx, pixels, said).items():
            if ratio < (AA_LARGE if kind == "large" else AA):
                poor[palette, weather, shot, kind] = round(ratio, 2)
    renderer.release()
    assert not poor


def stage_of(palette: str, weather: str) -> Stage:
    world = World.genesis()
    sky = {"palette": palette, "star_density": 1, "moons": 3}
    calls = (*CALLS, ("set_sky", sky), ("set_weather", {"kind": weather, "intensity": 1}))
    for i, (tool, args) in enumerate(calls):
        applied = world.apply({"tool": tool, "args": args}, "w_000001", i)
        assert applied.feature is not None, applied.observation
        world = applied.world
    return Stage(world.features)
