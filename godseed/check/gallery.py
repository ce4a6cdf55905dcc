"""The gallery: one picture of everything that can be drawn, so that a look can be judged and
nothing is forgotten.

Sections and tiles follow from `spec/tools.json`: a kind, palette or weather that is added there has
a tile at once, and a tool that is added has its places and its stages of growth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from godseed.mind.backends import create
from godseed.mind.planner import Refusal, grant_wish
from godseed.sim.camera import Pose
from godseed.sim.feature import Feature, feature_id
from godseed.sim.frame import Stage
from godseed.sim.kits import kit
from godseed.sim.maths import F64
from godseed.sim.sphere import direction, east_north
from godseed.sim.timeline import Timeline
from godseed.sim.world import World
from godseed.spec import load

SECTIONS = ("structures", "flora", "places", "skies", "weather", "cameras", "growth")
"""Sheets of the gallery, in order."""
LAT_DEG, LON_DEG = 14.0, 38.0
BACKGROUND = {"palette": "dusk", "star_density": 0.6, "moons": 1}
"""Sky of portraits."""
USUAL: Mapping[str, Any] = {
    "lat": LAT_DEG,
    "lon": LON_DEG,
    "radius_deg": 4.0,
    "height": 0.075,
    "depth": 0.05,
    "roughness": 0.6,
    "density": 1.0,
    "hue": 40.0,
    "scale": 1.0,
    "count": 9.0,
    "intensity": 0.8,
    "star_density": 0.7,
    "moons": 1.0,
    "text": "speak, and it will be made",
}
"""Arguments of portraits; others take the middle of their range."""
RADII: Mapping[str, float] = {
    "raise_terrain": 12.0,
    "lower_terrain": 12.0,
    "spawn_flora": 2.2,
    "build_district": 5.0,
    "place_water": 4.5,
}
WAY = ((12.2, 34.6), (13.6, 36.9), (13.4, 39.2), (15.4, 41.6))
HUES: Mapping[str, Sequence[float]] = {
    "spawn_flora": (100.0, 170.0, 20.0, 280.0, 330.0, 60.0),
    "place_water": (205.0,),
}
"""Hues by number of the kind."""
REACH: Mapping[str, float] = {
    "spawn_flora": 0.030,
    "spawn_life": 0.052,
    "build_district": 0.07,
    "place_road": 0.075,
    "place_water": 0.085,
    "raise_terrain": 0.20,
    "lower_terrain": 0.20,
}
"""What a portrait shows round its middle, planet radii; a structure's is its own size."""
WIDE = 0.12
LIFT: Mapping[str, float] = {"birds": 0.045, "fireflies": 0.006}
FOV_DEG, AWAY, RISE, AZIMUTH_DEG = 30.0, 3.7, 0.38, 205.0
STILL_MS, RISE_MS = 4000, 2000
STAGES = (0.08, 0.25, 0.55, 1.0)
"""Shares of the time that a feature takes to rise."""
SKY_SHOTS = ("town", "world")
CAMERAS = (
    "town",
    "world",
    "gaze:{f}",
    "descend:{f}@1.5",
    "descend:{f}@3",
    "descend:{f}@4.5",
    "descend:{f}@6.5",
)
FREE = "free:6,33,0.12,40,-6,50"


@dataclass(frozen=True)
class Tile:
    """One picture.

    Attributes:
        section: one of SECTIONS.
        name: what is seen, short.
        text: more about it.
        stage: of the features.
        shot: text of a shot, or a pose.
        time_ms: when.
        covers: what the tile is there for: tool, or tool and value of an enumerated argument.
    """

    section: str
    name: str
    text: str
    stage: Stage
    shot: str | Pose
    time_ms: int
    covers: tuple[str, ...]


def gallery(sections: Sequence[str] = SECTIONS) -> list[Tile]:
    """Tiles of some sections, in order.

    Raises:
        ValueError: there is no such section.
    """
    unknown = [name for name in sections if name not in SECTIONS]
    if unknown:
        raise ValueError(
            f"gallery: section {unknown[0]!r}; expected one of {', '.join(SECTIONS)}; choose one"
        )
    make = {
        "structures": lambda: _portraits("structures", ("place_structure",)),
        "flora": lambda: _portraits("flora", ("spawn_flora",)),
        "places": lambda: _portraits("places", _other_tools()),
        "skies": _skies,
        "weather": _weather,
        "cameras": _cameras,
        "growth": _growth,
    }
    return [tile for name in SECTIONS if name in sections for tile in make[name]()]


def expected_covers() -> set[tuple[str, ...]]:
    """What a whole gallery has to cover: every tool, and every value of every enumerated
    argument."""
    found: set[tuple[str, ...]] = set()
    for row in load("tools.json")["tools"]:
        found.add((row["name"],))
        for arg in row["args"]:
            if arg["type"] == "enum":
                found |= {(row["name"], value) for value in arg["values"]}
    return found


@cache
def gallery_town() -> tuple[Feature, ...]:
    """The world of the wishes that the package brings along: what skies, weather and cameras
    show."""
    text = files("godseed.mind").joinpath("examples/wishes.txt").read_text("utf-8")
    wishes = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    world, backend = World.genesis(), create("mock")
    for number, wish in enumerate(wishes, start=1):
        world, result = grant_wish(world, wish, backend, f"w_{number:06d}", 1)
        if isinstance(result, Refusal):
            raise ValueError(
                f"gallery: {wish!r} refused: {result.reason}; expected a town; mend it"
            )
    return tuple(world.features)


def _portraits(section: str, tools: Sequence[str]) -> Iterator[Tile]:
    """Every value of a tool's enumerated argument alone, or the tool itself if it has none."""
    for tool in tools:
        row = _row(tool)
        values = _enum(row)[1] or ("",)
        for number, value in enumerate(values):
            features = _alone(row, value, number)
            words = tool.replace("_", " ")
            name = value or words
            yield Tile(
                section,
                name,
                words if value else row["doc"].rstrip("."),
                Stage(features),
                _portrait(tool, value, features),
                STILL_MS,
                (tool, value) if value else (tool,),
            )


def _skies() -> Iterator[Tile]:
    values = _enum(_row("set_sky"))[1]
    for shot in SKY_SHOTS:
        for value in values:
            args = {**BACKGROUND, "palette": value, "star_density": 0.8}
            stage = Stage(_with(gallery_town(), ("set_sky", args)))
            yield Tile(
                "skies", value, f"palette, {shot}", stage, shot, STILL_MS, ("set_sky", value)
            )


def _weather() -> Iterator[Tile]:
    for value in _enum(_row("set_weather"))[1]:
        calls = (("set_sky", BACKGROUND), ("set_weather", {"kind": value, "intensity": 0.85}))
        stage = Stage(_with(gallery_town(), *calls))
        yield Tile("weather", value, "town", stage, "town", STILL_MS, ("set_weather", value))


def _cameras() -> Iterator[Tile]:
    features = _with(gallery_town(), ("set_sky", BACKGROUND), ("set_weather", _calm()))
    stage = Stage(features)
    placed = [feature.id for feature in features if feature.tool == "place_structure"]
    for shot in (*CAMERAS, FREE):
        named = shot.format(f=placed[-1])
        kind, _, rest = named.partition(":")
        yield Tile("cameras", kind, rest, stage, named, STILL_MS, ())


def _growth() -> Iterator[Tile]:
    for row in load("tools.json")["tools"]:
        tool = row["name"]
        value = next(iter(_enum(row)[1]), "")
        if tool in ("set_sky", "set_weather"):
            value = _enum(row)[1][-1]
        features = _alone(row, value, 0)
        still = _portrait(tool, value, features)
        if tool == "set_weather":
            features = _with(gallery_town(), ("set_sky", BACKGROUND), (tool, features[1].args))
            still = "town"
        last = len(features) - 1
        timeline = Timeline((), {last: 0}, RISE_MS, RISE_MS)
        for share in STAGES:
            time_ms = STILL_MS if share == 1.0 else round(share * RISE_MS)
            name = value or tool.replace("_", " ")
            text = "risen" if share == 1.0 else f"{time_ms / 1000.0:g} s after it landed"
            stage = Stage(features, timeline)
            yield Tile("growth", name, text, stage, still, time_ms, (tool,))


def _other_tools() -> tuple[str, ...]:
    """Tools that neither have a section of their own nor change the whole sky."""
    own = ("place_structure", "spawn_flora", "set_sky", "set_weather")
    return tuple(row["name"] for row in load("tools.json")["tools"] if row["name"] not in own)


def _row(tool: str) -> Mapping[str, Any]:
    return next(row for row in load("tools.json")["tools"] if row["name"] == tool)


def _enum(row: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Name and values of a tool's enumerated argument; empty if it has none."""
    for arg in row["args"]:
        if arg["type"] == "enum":
            return arg["name"], tuple(arg["values"])
    return "", ()


def _alone(row: Mapping[str, Any], value: str, number: int) -> tuple[Feature, ...]:
    """A quiet sky and one feature of a tool, with its usual arguments."""
    args: dict[str, Any] = {}
    for arg in row["args"]:
        name, kind = arg["name"], arg["type"]
        if kind == "enum":
            args[name] = value
        elif kind == "path":
            most = arg.get("max_items_when", {}).get("kind", {}).get(value, arg["max_items"])
            args[name] = WAY[1 : 1 + most] if most == 1 else WAY[:most]
        elif name == "radius_deg" and value == "stream":
            continue
        elif name == "hue" and row["name"] in HUES:
            args[name] = HUES[row["name"]][number % len(HUES[row["name"]])]
        elif name in USUAL and kind == "text":
            args[name] = USUAL[name]
        else:
            usual = USUAL.get(name, (arg.get("min", 0) + arg.get("max", 0)) / 2.0)
            if name == "radius_deg":
                usual = RADII.get(row["name"], usual)
            args[name] = float(min(max(usual, arg["min"]), arg["max"]))
    return _with((), ("set_sky", BACKGROUND), (row["name"], args))


def _with(
    features: Sequence[Feature], *calls: tuple[str, Mapping[str, Any]]
) -> tuple[Feature, ...]:
    """Features and a few more behind them."""
    start = len(features)
    more = (
        Feature(feature_id(start + i), "w_000000", tool, dict(args), 41 + 2 * i)
        for i, (tool, args) in enumerate(calls)
    )
    return (*features, *more)


def _calm() -> Mapping[str, Any]:
    return {"kind": _enum(_row("set_weather"))[1][0], "intensity": 0.0}


def _portrait(tool: str, value: str, features: Sequence[Feature]) -> str | Pose:
    """A camera that what is shown fills: the world for what is round it, else as near as its size
    allows."""
    if tool == "set_sky" or value == "orbit":
        return "world"
    stage, index = Stage(features), len(features) - 1
    up = direction(LAT_DEG, LON_DEG)
    reach, middle = REACH.get(tool, WIDE), LIFT.get(value, 0.0)
    if tool in ("place_structure", "inscribe_wish"):
        up, reach, height = _extent(stage, index, up)
        middle = 0.46 * height
    ground = float(stage.state(STILL_MS).ground()(up[None])[0])
    east, north = east_north(up)
    turn = np.radians(AZIMUTH_DEG)
    side = east * np.sin(turn) + north * np.cos(turn)
    target = up * (1.0 + ground + middle)
    eye = target + (side + RISE * up) * reach * AWAY
    return Pose(eye, target, up, FOV_DEG, 1.0, up)


def _extent(stage: Stage, index: int, fallback: F64) -> tuple[F64, float, float]:
    """Middle (3,), half size and height of the kits of a feature, planet radii."""
    found = []
    for name, buffer in stage.scene(index + 1).buffers.items():
        if name.startswith("kit:"):
            info, rows = kit(name.removeprefix("kit:")), buffer.rows.view.astype(np.float64)
            wide = max(info.half_width, info.half_depth)
            found += [
                (row[0:3], wide * row[3], info.height * row[3] * row[7])
                for row in rows
                if int(row[15]) == index
            ]
    if not found:
        return fallback, WIDE, 0.0
    middle = np.mean([at for at, _, _ in found], axis=0)
    middle = middle / np.sqrt(np.sum(middle * middle))
    height = max(high for _, _, high in found)
    across = max(float(np.sqrt(np.sum((at - middle) ** 2))) + wide for at, wide, _ in found)
    return middle, max(0.60 * height, 1.1 * across), height
