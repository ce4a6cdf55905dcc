"""Sky and weather: what the whole world's light depends on, as numbers that can be mixed.

Sky and weather are features like any other, and the last one written wins. While one rises, the
light crossfades: skies mix throughout, the old weather fades out in the first half and the new one
comes in the second.

Twin: web/sim/environment.js
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from godseed.sim.feature import Feature
from godseed.sim.maths import DEG, F64, cos, exp, sin
from godseed.sim.rng import uniform
from godseed.sim.sphere import cross, east_north, normalize
from godseed.spec import load

FIRST_SKY = ("void", 0.9, 1)
"""Palette, star density and moons of a world in which no sky was ever set."""
FIRST_WEATHER = ("clear", 0.0)
COLORS = ("key", "ambient_sky", "ambient_ground", "rim", "haze", "zenith", "horizon", "nebula")
NUMBERS = (
    "elevation_deg",
    "azimuth_deg",
    "haze_density",
    "exposure",
    "bloom_strength",
    "star_factor",
    "aurora",
)

Uniform = float | tuple[float, ...]


@dataclass(frozen=True)
class Environment:
    """Sky and weather at a moment.

    Attributes:
        colors: name in COLORS -> linear rgb of the palette.
        numbers: name in NUMBERS -> number of the palette.
        star_density: 0..1, as wished, without the palette's factor.
        moons: 0..3; between whole numbers the last moon is fading.
        weather: kind, in the order of the tool's values.
        amount: 0..1, how heavy.
    """

    colors: Mapping[str, tuple[float, ...]]
    numbers: Mapping[str, float]
    star_density: float
    moons: float
    weather: int
    amount: float

    def uniforms(self, town: F64, time_s: float) -> dict[str, Uniform]:
        """What the shaders read.

        Args:
            town: (3,) unit vector, the town centre; the sun stands in its frame.
            time_s: seconds; moves the moons and fires the lightning.
        Returns:
            Uniform name -> number, or rgb, or vector; `u_moon_dirs` is three vectors end to end.
        """
        look = weather_looks()[self.weather]
        lit = _toward(1.0, look["key"], self.amount)
        ambient = _toward(1.0, look["ambient"], self.amount)
        haze = _mix3(self.colors["haze"], look["haze"], look["haze_mix"] * self.amount)
        stars = self.star_density * self.numbers["star_factor"]
        return {
            "u_sun": _vector(
                _in_frame(town, self.numbers["elevation_deg"], self.numbers["azimuth_deg"])
            ),
            "u_key": _scaled(self.colors["key"], lit),
            "u_ambient_sky": _scaled(self.colors["ambient_sky"], ambient),
            "u_ambient_ground": _scaled(self.colors["ambient_ground"], ambient),
            "u_rim": _scaled(self.colors["rim"], lit),
            "u_haze": haze,
            "u_haze_density": self.numbers["haze_density"] + look["haze_density"] * self.amount,
            "u_sky_zenith": self.colors["zenith"],
            "u_sky_horizon": _mix3(
                self.colors["horizon"], haze, 0.85 * look["haze_mix"] * self.amount
            ),
            "u_sky_nebula": _scaled(
                self.colors["nebula"], _toward(1.0, look["stars"], self.amount)
            ),
            "u_star_density": stars * _toward(1.0, look["stars"], self.amount),
            "u_star_twinkle": 0.22,
            "u_aurora": self.numbers["aurora"] * _toward(1.0, look["stars"], self.amount),
            "u_moons": self.moons,
            "u_moon_dirs": moon_dirs(town, time_s),
            "u_moon_sizes": tuple(float(sin(row["size_deg"] * DEG)) for row in _table()["moons"]),
            "u_weather_kind": float(self.weather),
            "u_weather_amount": self.amount,
            "u_weather_center": _vector(town),
            "u_flash": self.flash(time_s),
            "u_exposure": self.numbers["exposure"],
            "u_bloom_strength": self.numbers["bloom_strength"],
        }

    def flash(self, time_s: float) -> float:
        """Lightning 0..1: at times a bright stroke and a weaker one after it, gone in a second."""
        if self.weather != weather_kinds().index("storm"):
            return 0.0
        rule = _table()["lightning"]
        slot = float(np.floor(time_s / rule["every_s"]))
        seed, base = int(rule["seed"]), int(slot) * 4
        if float(uniform(seed, base)) > rule["chance"]:
            return 0.0
        first = (slot + 0.1 + 0.6 * float(uniform(seed, base + 1))) * rule["every_s"]
        second = first + 0.09 + 0.12 * float(uniform(seed, base + 2))
        height = 0.55 + 0.45 * float(uniform(seed, base + 3))
        strokes = _stroke(time_s - first, rule["fall_per_s"])
        strokes += 0.6 * _stroke(time_s - second, rule["fall_per_s"])
        return min(1.0, height * strokes) * self.amount


def environment(features: Sequence[Feature]) -> Environment:
    """The sky and weather of a world: the last of each that was set.

    Args:
        features: any prefix of a world.
    """
    sky = _last(features, "set_sky")
    weather = _last(features, "set_weather")
    return of(
        (str(sky["palette"]), float(sky["star_density"]), int(sky["moons"])) if sky else FIRST_SKY,
        (str(weather["kind"]), float(weather["intensity"])) if weather else FIRST_WEATHER,
    )


def of(sky: tuple[str, float, int], weather: tuple[str, float]) -> Environment:
    """The environment of one sky (palette, star density, moons) and one weather (kind, intensity).

    Raises:
        KeyError: there is no such palette.
        ValueError: there is no such weather.
    """
    row = _table()["palettes"][sky[0]]
    kind = weather_kinds().index(weather[0])
    return Environment(
        {name: tuple(float(x) for x in row[name]) for name in COLORS},
        {name: float(row[name]) for name in NUMBERS},
        sky[1],
        float(sky[2]),
        kind,
        weather[1] if kind else 0.0,
    )


def blend(a: Environment, b: Environment, x: float) -> Environment:
    """Crossfade, exactly `a` at x <= 0 and exactly `b` at x >= 1.

    Colours and numbers go straight, the sun goes round its arc; the weather of `a` is gone at half
    way, where that of `b` begins; the same kind of weather just changes its amount.
    """
    if x <= 0.0:
        return a
    if x >= 1.0:
        return b
    if a.weather == b.weather or a.amount == 0.0 or b.amount == 0.0:
        kind = b.weather if a.amount == 0.0 else a.weather
        amount = _toward(a.amount, b.amount, x)
    elif x < 0.5:
        kind, amount = a.weather, a.amount * (1.0 - 2.0 * x)
    else:
        kind, amount = b.weather, b.amount * (2.0 * x - 1.0)
    return Environment(
        {name: _mix3(a.colors[name], b.colors[name], x) for name in COLORS},
        {name: _toward(a.numbers[name], b.numbers[name], x) for name in NUMBERS},
        _toward(a.star_density, b.star_density, x),
        _toward(a.moons, b.moons, x),
        kind,
        amount,
    )


def moon_dirs(town: F64, time_s: float) -> tuple[float, ...]:
    """Unit directions of the three moons, end to end: each goes round the town's pole at its own
    slow pace, the first with the camera of the world view."""
    _, north = east_north(town)
    aside = cross(north, town)
    found: list[float] = []
    for row in _table()["moons"]:
        turn = (row["from_town_deg"] + row["turn_deg_s"] * time_s) * DEG
        level = town * float(cos(turn)) + aside * float(sin(turn))
        down = row["from_north_deg"] * DEG
        moon = normalize(level * float(sin(down)) + north * float(cos(down)))
        found += _vector(moon)
    return tuple(found)


@cache
def weather_kinds() -> tuple[str, ...]:
    """Names of the weathers in the order of the tool's values."""
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    kinds = next(arg for arg in rows["set_weather"]["args"] if arg["name"] == "kind")
    return tuple(kinds["values"])


@cache
def weather_looks() -> tuple[Mapping[str, Any], ...]:
    """How each weather changes the light, in the order of `weather_kinds`."""
    table = _table()["weather"]
    return tuple(table[kind] for kind in weather_kinds())


def _last(features: Sequence[Feature], tool: str) -> Mapping[str, Any] | None:
    """Arguments of the last feature of a tool."""
    for i in range(len(features) - 1, -1, -1):
        if features[i].tool == tool:
            return features[i].args
    return None


def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load("palettes.json")
    return table


def _in_frame(town: F64, elevation_deg: float, azimuth_deg: float) -> F64:
    """Unit vector at an elevation and a compass azimuth over a place."""
    east, north = east_north(town)
    azimuth, elevation = azimuth_deg * DEG, elevation_deg * DEG
    level = north * float(cos(azimuth)) + east * float(sin(azimuth))
    return normalize(level * float(cos(elevation)) + town * float(sin(elevation)))


def _stroke(since_s: float, fall_per_s: float) -> float:
    return float(exp(-fall_per_s * since_s)) if since_s >= 0.0 else 0.0


def _vector(v: F64) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def _scaled(color: Sequence[float], factor: float) -> tuple[float, ...]:
    return tuple(float(c) * factor for c in color)


def _mix3(a: Sequence[float], b: Sequence[float], x: float) -> tuple[float, ...]:
    return tuple(_toward(float(p), float(q), x) for p, q in zip(a, b, strict=True))


def _toward(a: float, b: float, x: float) -> float:
    return a + (b - a) * x
