"""Sky and weather: the last write wins, crossfades end exactly, palettes are complete."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from godseed.sim.environment import (
    COLORS,
    FIRST_SKY,
    FIRST_WEATHER,
    NUMBERS,
    Environment,
    blend,
    environment,
    moon_dirs,
    of,
    weather_kinds,
)
from godseed.sim.genesis import genesis_features
from godseed.sim.sphere import angle_deg, direction, dot, east_north
from godseed.sim.world import World
from godseed.spec import load

TOWN = direction(14.0, 38.0)
PALETTES = tuple(load("palettes.json")["palettes"])


def world(*calls: tuple[str, dict[str, Any]]) -> World:
    made = World.genesis()
    for i, (tool, args) in enumerate(calls):
        made = made.apply({"tool": tool, "args": args}, "w_000001", i).world
    return made


def sky(palette: str, stars: float = 0.5, moons: int = 1) -> tuple[str, dict[str, Any]]:
    return "set_sky", {"palette": palette, "star_density": stars, "moons": moons}


def weather(kind: str, intensity: float) -> tuple[str, dict[str, Any]]:
    return "set_weather", {"kind": kind, "intensity": intensity}


def values(env: Environment) -> list[float]:
    return [
        x
        for _, value in sorted(env.uniforms(TOWN, 3.0).items())
        for x in (value if isinstance(value, tuple) else (value,))
    ]


def test_palettes_and_weathers_are_those_of_the_tools() -> None:
    tools = {row["name"]: row for row in load("tools.json")["tools"]}
    args = {arg["name"]: arg for arg in tools["set_sky"]["args"]}
    assert set(PALETTES) == set(args["palette"]["values"])
    assert set(load("palettes.json")["weather"]) == set(weather_kinds())


@pytest.mark.parametrize("palette", PALETTES)
def test_palette_is_complete_and_within_its_limits(palette: str) -> None:
    row = load("palettes.json")["palettes"][palette]
    assert set(row) == {*COLORS, *NUMBERS}
    for name in COLORS:
        assert len(row[name]) == 3
        assert all(0.0 <= x <= 3.0 for x in row[name])
    assert 14 <= row["elevation_deg"] <= 40
    assert 60 <= row["azimuth_deg"] <= 120
    # Space stays black: only the hem of the sky is coloured.
    assert max(row["zenith"]) < 0.025
    assert max(row["nebula"]) < 0.02


def test_palettes_differ_clearly_from_each_other() -> None:
    rows = load("palettes.json")["palettes"]
    for i, a in enumerate(PALETTES):
        for b in PALETTES[i + 1 :]:
            apart = sum(abs(p - q) for p, q in zip(rows[a]["rim"], rows[b]["rim"], strict=True))
            apart += sum(abs(p - q) for p, q in zip(rows[a]["key"], rows[b]["key"], strict=True))
            assert apart > 0.2, (a, b)


def test_genesis_is_void_and_clear() -> None:
    assert environment(genesis_features()) == of(FIRST_SKY, FIRST_WEATHER)
    assert environment(()) == of(FIRST_SKY, FIRST_WEATHER)


def test_last_sky_and_last_weather_win_independently() -> None:
    made = world(sky("dawn"), weather("rain", 0.4), sky("ember", 0.1, 3), weather("snow", 0.9))
    assert environment(made.features) == of(("ember", 0.1, 3), ("snow", 0.9))
    assert environment(made.features[:-1]) == of(("ember", 0.1, 3), ("rain", 0.4))
    assert environment(made.features[:-2]) == of(("dawn", 0.5, 1), ("rain", 0.4))


def test_blend_ends_exactly_at_both_ends() -> None:
    a, b = of(("dawn", 0.2, 0), ("rain", 0.7)), of(("void", 0.9, 3), ("mist", 0.5))
    assert blend(a, b, 0.0) is a
    assert blend(a, b, 1.0) is b
    near_a, near_b = blend(a, b, 1e-9), blend(a, b, 1.0 - 1e-9)
    assert np.allclose(values(near_a), values(a), atol=1e-6)
    assert np.allclose(values(near_b), values(b), atol=1e-6)


def test_blend_is_continuous() -> None:
    a, b = of(("dawn", 0.2, 0), ("storm", 0.7)), of(("gold", 0.9, 3), ("snow", 0.5))
    for k in range(200):
        one = blend(a, b, k / 200.0).uniforms(TOWN, 3.0)
        two = blend(a, b, (k + 1) / 200.0).uniforms(TOWN, 3.0)
        for name in one:
            if name != "u_weather_kind":
                assert np.allclose(one[name], two[name], atol=0.06), (name, k)


def test_old_weather_is_gone_before_the_new_one_begins() -> None:
    a, b = of(FIRST_SKY, ("rain", 0.8)), of(FIRST_SKY, ("snow", 0.6))
    kinds = weather_kinds()
    assert blend(a, b, 0.25).weather == kinds.index("rain")
    assert blend(a, b, 0.25).amount == pytest.approx(0.4)
    assert blend(a, b, 0.5).amount == 0.0
    assert blend(a, b, 0.75).weather == kinds.index("snow")
    assert blend(a, b, 0.75).amount == pytest.approx(0.3)


def test_clear_weather_fades_in_and_out_over_the_whole_time() -> None:
    clear, rain = of(FIRST_SKY, FIRST_WEATHER), of(FIRST_SKY, ("rain", 0.8))
    for x in (0.25, 0.5, 0.75):
        assert blend(clear, rain, x).amount == pytest.approx(0.8 * x)
        assert blend(rain, clear, x).amount == pytest.approx(0.8 * (1.0 - x))
        assert blend(rain, clear, x).weather == rain.weather


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("town", [(14.0, 38.0), (-85.0, 0.0), (90.0, 0.0), (0.0, -180.0)])
def test_sun_stands_at_its_height_over_the_town(palette: str, town: tuple[float, float]) -> None:
    row = load("palettes.json")["palettes"][palette]
    up = direction(*town)
    sun = np.array(of((palette, 0.5, 1), FIRST_WEATHER).uniforms(up, 0.0)["u_sun"])
    assert 90.0 - angle_deg(sun, up) == pytest.approx(row["elevation_deg"])
    east, north = east_north(up)
    azimuth = np.degrees(np.arctan2(dot(sun, east), dot(sun, north)))
    assert azimuth == pytest.approx(row["azimuth_deg"])


def test_moons_are_unit_directions_that_move_slowly() -> None:
    now = np.array(moon_dirs(TOWN, 10.0)).reshape(3, 3)
    soon = np.array(moon_dirs(TOWN, 11.0)).reshape(3, 3)
    assert np.allclose((now**2).sum(axis=1), 1.0)
    assert np.all(angle_deg(now, soon) < 1.25)


def test_lightning_strikes_only_in_storms_and_now_and_then() -> None:
    storm = of(FIRST_SKY, ("storm", 1.0))
    times = np.arange(0.0, 120.0, 0.05)
    flashes = np.array([storm.flash(float(t)) for t in times])
    assert flashes.max() <= 1.0
    assert flashes.max() > 0.5
    assert 0.01 < (flashes > 0.3).mean() < 0.15
    assert of(FIRST_SKY, ("storm", 0.0)).flash(float(times[flashes.argmax()])) == 0.0
    for kind in ("clear", "rain", "snow", "embers", "mist"):
        assert of(FIRST_SKY, (kind, 1.0)).flash(float(times[flashes.argmax()])) == 0.0


def test_uniforms_are_finite_numbers() -> None:
    for palette in PALETTES:
        for kind in weather_kinds():
            assert np.all(np.isfinite(values(of((palette, 1.0, 3), (kind, 1.0)))))
