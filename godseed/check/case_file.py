"""The file `case.json`: what a golden case draws, read strictly.

    {"world": "genesis" | {"features": [...]} | {"file": "world.json"}
              | {"log": "wishes.jsonl", "wishes": 3},
     "frames": [{"shot": "town", "t_s": 4.0}, ...],
     "landed_s": {"f_000004": 3.0},
     "size": [320, 180], "samples": 4,
     "gates": {"per_pixel": 8, "max_share": 0.0025, "window": 16, "window_share": 0.25}}

Only `world` and `frames` are required; what is shown of `size`, `samples` and `gates` is their
default. Features have long been there unless `landed_s` says when they land and begin to rise.
Paths are relative to the case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from godseed.sim.arguments import quoted
from godseed.sim.camera import ShotError, format_shot, parse_shot
from godseed.sim.feature import Feature
from godseed.sim.frame import DESIGN_RISE_MS, Stage
from godseed.sim.maths import round_half_up
from godseed.sim.timeline import Timeline
from godseed.sim.trace import LogError, TraceError, load, read_world
from godseed.sim.world import World

CASE_FILE: Final = "case.json"
MAX_SIZE: Final = 4096
SAMPLES: Final = (0, 2, 4, 8)
MAX_T_S: Final = 86_400.0


class GoldenError(ValueError):
    """A golden folder, case or expectation that cannot be read: where, what, what to do."""


@dataclass(frozen=True)
class Gates:
    """When an image of another rasteriser is near enough.

    Attributes:
        per_pixel: largest difference of a channel that is not counted, 0..255.
        max_share: largest share of pixels over it, 0..1.
        window: side of the square that is slid over the image, pixels.
        window_share: largest share of pixels over it in any such square, 0..1.
    """

    per_pixel: int = 8
    max_share: float = 0.0025
    window: int = 16
    window_share: float = 0.25


@dataclass(frozen=True)
class Picture:
    """One picture of a case: the shot's canonical text and a time in whole milliseconds."""

    shot: str
    time_ms: int

    @property
    def name(self) -> str:
        """File name of its images: `town.t4000.png`."""
        return f"{self.shot.replace(':', '-').replace(',', '_')}.t{self.time_ms}.png"

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return self.name.removesuffix(".png")

    def is_name(self, name: str) -> bool:
        """Whether a file of that name is an image of it: `town.t4000.png`, or a further approved
        one, `town.t4000+2.png`."""
        return re.fullmatch(re.escape(self.stem) + r"(\+[1-9][0-9]{0,2})?\.png", name) is not None


@dataclass(frozen=True)
class Case:
    """A parsed `case.json`.

    Attributes:
        name: folder relative to the root, with slashes.
        folder: where it lies.
        features: the world that it draws.
        pictures: what it draws of it, at least one.
        size: width and height, pixels.
        samples: of multisampling, 0 for none.
        gates: for images of other rasterisers.
        landed_ms: world index -> when it lands; the others have long been there.
    """

    name: str
    folder: Path
    features: tuple[Feature, ...]
    pictures: tuple[Picture, ...]
    size: tuple[int, int] = (320, 180)
    samples: int = 4
    gates: Gates = Gates()
    landed_ms: Mapping[int, int] = field(default_factory=dict)

    def stage(self, features: Sequence[Feature] | None = None) -> Stage:
        """The stage of its world, or of other features landing at the same times."""
        chosen = self.features if features is None else features
        landed = {i: ms for i, ms in self.landed_ms.items() if i < len(chosen)}
        if not landed:
            return Stage(chosen)
        return Stage(chosen, Timeline((), landed, 0, int(DESIGN_RISE_MS)))


def read_case(name: str, folder: Path) -> Case:
    """Read a case.

    Raises:
        GoldenError: it is not valid; the message names file and field.
    """
    file = folder / CASE_FILE
    value = read_json(file)
    try:
        return case_of(name, folder, value)
    except ValueError as error:
        raise GoldenError(f"{file}: {error}") from None


def case_of(name: str, folder: Path, value: object) -> Case:
    """The case that a parsed `case.json` states.

    Raises:
        ValueError: it is not valid; the message names the field.
    """
    optional = ("size", "samples", "gates", "landed_s")
    row = checked_object("", value, ("world", "frames"), optional)
    features = _world(row["world"], folder)
    return Case(
        name=name,
        folder=folder,
        features=features,
        pictures=_pictures(row["frames"]),
        size=_size(row.get("size", [320, 180])),
        samples=one_of("samples", row.get("samples", 4), SAMPLES),
        gates=gates_of(row.get("gates", {})),
        landed_ms=_landed(row.get("landed_s", {}), len(features)),
    )


def read_json(file: Path) -> Any:
    """Parse a JSON file.

    Raises:
        GoldenError: it cannot be read, or is not JSON.
    """
    try:
        return json.loads(file.read_bytes())
    except OSError as error:
        raise GoldenError(
            f"{file}: {error.strerror or error}; expected a readable file; check rights"
        ) from None
    except (ValueError, RecursionError) as error:
        raise GoldenError(f"{file}: not JSON ({error}); expected one object; correct it") from None


def checked_object(
    where: str, value: object, required: Sequence[str], optional: Sequence[str]
) -> Mapping[str, Any]:
    """Take an object that has these fields and no others.

    Raises:
        ValueError: it is not one; the message begins with `where`.
    """
    place = f"{where}: " if where else ""
    if not isinstance(value, Mapping):
        raise ValueError(f"{place}{quoted(value)}; expected an object; correct it")
    for name in required:
        if name not in value:
            raise ValueError(f"{place}no {name!r}; expected {', '.join(required)}; add it")
    known = (*required, *optional)
    for name in value:
        if name not in known:
            raise ValueError(
                f"{place}unknown {quoted(name)}; expected {', '.join(known)}; remove it"
            )
    return value


def feature_list(value: object, where: str = "features") -> tuple[Feature, ...]:
    """Take a whole world's features.

    Raises:
        ValueError: one is not valid, or their ids are not sequential.
    """
    if not isinstance(value, list):
        raise ValueError(f"{where}: {quoted(value)}; expected a list of features; correct it")
    features = []
    for i, item in enumerate(value):
        try:
            features.append(Feature.from_dict(item))
        except ValueError as error:
            raise ValueError(f"{where}[{i}]: {error}; correct it") from None
    return tuple(World(features).features)


def _world(value: object, folder: Path) -> tuple[Feature, ...]:
    if value == "genesis":
        return tuple(World.genesis().features)
    if isinstance(value, Mapping) and "features" in value:
        row = checked_object("world", value, ("features",), ())
        return feature_list(row["features"], "world.features")
    if isinstance(value, Mapping) and "file" in value:
        row = checked_object("world", value, ("file",), ())
        try:
            return tuple(read_world(folder / _relative("world.file", row["file"])).features)
        except TraceError as error:
            raise ValueError(f"world.file: {error}") from None
    if isinstance(value, Mapping) and "log" in value:
        row = checked_object("world", value, ("log",), ("wishes",))
        return _logged(row["log"], row.get("wishes"), folder)
    raise ValueError(
        f'world: {quoted(value)}; expected "genesis", {{"features": [...]}}, '
        '{"file": "world.json"} or {"log": "file.jsonl", "wishes": N}; correct it'
    )


def _logged(log: object, wishes: object, folder: Path) -> tuple[Feature, ...]:
    if wishes is not None and (type(wishes) is not int or wishes < 0):
        raise ValueError(f"world.wishes: {quoted(wishes)}; expected a whole number from 0")
    try:
        world = load(folder / _relative("world.log", log)).world
    except LogError as error:
        raise ValueError(f"world.log: {error}") from None
    if wishes is not None and wishes > world.epoch:
        raise ValueError(
            f"world.wishes: {wishes}; the log has {world.epoch}; expected at most that many"
        )
    return tuple((world if wishes is None else world.at(wishes)).features)


def _relative(where: str, value: object) -> str:
    if not isinstance(value, str) or not value or PurePosixPath(value).is_absolute():
        raise ValueError(f"{where}: {quoted(value)}; expected a path relative to the case")
    return value


def _landed(value: object, count: int) -> dict[int, int]:
    if not isinstance(value, Mapping):
        raise ValueError(f'landed_s: {quoted(value)}; expected {{"f_000004": 3.0}}; correct it')
    found = {}
    for name, seconds in value.items():
        known = re.fullmatch(r"f_(\d{6,9})", str(name))
        if known is None or int(known[1]) >= count:
            raise ValueError(
                f"landed_s: {quoted(name)}; expected f_000000 to f_{count - 1:06d}; correct it"
            )
        time_s = _number(f"landed_s.{name}", seconds, 0.0, MAX_T_S)
        found[int(known[1])] = int(round_half_up(time_s * 1000.0))
    return found


def _pictures(value: object) -> tuple[Picture, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(
            f'frames: {quoted(value)}; expected [{{"shot": "town", "t_s": 4.0}}, ...]; add one'
        )
    pictures: list[Picture] = []
    for i, item in enumerate(value):
        where = f"frames[{i}]"
        row = checked_object(where, item, ("shot", "t_s"), ())
        seconds = _number(f"{where}.t_s", row["t_s"], 0.0, MAX_T_S)
        text = row["shot"]
        if not isinstance(text, str):
            raise ValueError(f"{where}.shot: {quoted(text)}; expected a text such as 'town'")
        try:
            picture = Picture(format_shot(parse_shot(text)), int(round_half_up(seconds * 1000.0)))
        except ShotError as error:
            raise ValueError(f"{where}.{error}") from None
        if picture in pictures:
            raise ValueError(f"{where}: {picture.name} is drawn already; remove it")
        pictures.append(picture)
    return tuple(pictures)


def _size(value: object) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value):
        width, height = value
        if 1 <= width <= MAX_SIZE and 1 <= height <= MAX_SIZE:
            return width, height
    raise ValueError(
        f"size: {quoted(value)}; expected [width, height], each 1 to {MAX_SIZE}; correct it"
    )


def gates_of(value: object) -> Gates:
    """Take an object of gates; what it leaves out has its default.

    Raises:
        ValueError: one is unknown or out of range.
    """
    names = ("per_pixel", "max_share", "window", "window_share")
    row = checked_object("gates", value, (), names)
    default = Gates()
    return Gates(
        _whole("gates.per_pixel", row.get("per_pixel", default.per_pixel), 0, 255),
        _number("gates.max_share", row.get("max_share", default.max_share), 0.0, 1.0),
        _whole("gates.window", row.get("window", default.window), 1, MAX_SIZE),
        _number("gates.window_share", row.get("window_share", default.window_share), 0.0, 1.0),
    )


def _number(where: str, value: object, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise ValueError(f"{where}: {quoted(value)}; expected a number {low:g} to {high:g}")
    return float(value)


def _whole(where: str, value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{where}: {quoted(value)}; expected a whole number {low} to {high}")
    return value


def one_of(where: str, value: object, allowed: tuple[int, ...]) -> int:
    """Take one of a few whole numbers.

    Raises:
        ValueError: it is none of them.
    """
    if type(value) is not int or value not in allowed:
        names = ", ".join(str(n) for n in allowed)
        raise ValueError(f"{where}: {quoted(value)}; expected {names}; correct it")
    return value
