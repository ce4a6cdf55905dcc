"""What the mock plans for a wish: themes turned into calls, thoughts, a reading and an epitaph.

Places by name (`at`): a ring of `mock_places.DISTANCES_DEG`; `centre`; `same` and `by` (at or near
the last place); `flank` and `foot` (beside the last place; towards the town); `shore`, `rim` and
`lake` (of the last water or hollow); `bank` (of the last stream). Lines: `road` is `home` (town to
last building), `link` (last two buildings) or `on` (from the last building outwards); `path` is
`stream` (from the hills round the town) or `floor` (through the last hollow).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from godseed.mind.grammar import THOUGHT_MAX
from godseed.mind.mock_places import (
    DISTANCES_DEG,
    Dice,
    Town,
    asked_bearing,
    away,
    bearing,
    distance,
    read_town,
    ring_bearing,
    ring_distance,
    side,
    waypoint,
)
from godseed.mind.mock_themes import Theme, matching, themes
from godseed.sim.arguments import TOOLS
from godseed.sim.grapheme import cut
from godseed.sim.maths import F64, round_half_up

MAX_CALLS = 6
_SECOND = 2
_KEYS = ("tool", "say", "at", "road", "path", "big", "instead")
_BIG = re.compile(
    r"\b(thousands?|hundreds?|millions?|countless|endless|infinite|enormous|giant|gigantic|huge|vast"
    r"|tallest|highest|biggest|greatest|deepest|as many|every ?where)\b"
)
_ASKING = re.compile(
    r"^(?:(?:i|we) (?:wish|want|would like|need|long|hope|pray)(?: for| to have| to see| that)?"
    r"|please|give (?:us|me)|make(?: us| me)?|build(?: us| me)?|let there be|grow|create|raise"
    r"|bring(?: us| me)?|show me|may there be)\s+",
    re.IGNORECASE,
)
_STYLE = re.compile(r"\b(?:(sky|orbit|ring|moons?|stars?)|stones?|walls?|grave|plaque)\b")
_QUOTED = re.compile(r"[\"“„«]([^\"”“»]{2,90})[\"”“»]|: *(\S.{1,88})$")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a plan, and the one to try if it is rejected."""

    thought: str
    call: Mapping[str, Any]
    instead: Step | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the mock will say and do for a wish."""

    reading: str
    steps: tuple[Step, ...]
    farewell: str
    epitaph: str


def plan(wish: str, summary: str, seed: int) -> Plan:
    """Plan a wish; equal arguments give an equal plan.

    Args:
        wish: one line.
        summary: of the world, for the name, the centre and the size of the town.
        seed: of sampling.
    """
    dice = Dice(wish, seed)
    chosen = matching(wish)
    if not chosen:
        fallback = [theme for theme in themes() if theme.fallback]
        chosen = [fallback[int(dice.draw("fallback") * len(fallback))]]
    scene = _Scene(wish, read_town(summary), dice)
    steps: list[Step] = []
    for theme, row in _rows(chosen):
        steps.append(scene.step(theme, row, len(steps)))
    first = chosen[0]
    reading = scene.text(dice.choose(first.reading, "reading"))
    if len(chosen) > 1:
        reading += " " + scene.text(dice.choose(chosen[1].also, "also"))
    return Plan(
        reading=reading,
        steps=tuple(steps),
        farewell=scene.text(dice.choose(_FAREWELLS, "farewell")),
        epitaph=scene.text(dice.choose(first.epitaph, "epitaph")),
    )


def subject(wish: str) -> str:
    """What a wish is about, without the asking: `a lighthouse on a northern cape`."""
    line = wish.strip().rstrip(".!?…")
    while (shorter := _ASKING.sub("", line)) != line:
        line = shorter
    return line or wish


def _rows(chosen: Sequence[Theme]) -> list[tuple[Theme, Mapping[str, Any]]]:
    """Steps of the first theme, then the beginnings of the next ones.

    One sky, one weather, and from later themes nothing that is there already.
    """
    rows: list[tuple[Theme, Mapping[str, Any]]] = []
    there: set[tuple[str, str]] = set()
    for order, theme in enumerate(chosen[:3]):
        limit = MAX_CALLS - len(rows) if order else MAX_CALLS - min(_SECOND * (len(chosen) - 1), 3)
        added = 0
        for row in theme.steps:
            kind = row.get("kind", "")
            key = (row["tool"], kind if isinstance(kind, str) else "")
            shared = row["tool"] in ("set_sky", "set_weather")
            key = (row["tool"], "") if shared else key
            repeated = key in there and (shared or (order > 0 and key[0] != "place_road"))
            if not repeated and added < (min(limit, _SECOND) if order else limit):
                rows.append((theme, row))
                there.add(key)
                added += 1
    return rows


class _Scene:
    """The places and choices of one plan, in order."""

    def __init__(self, wish: str, town: Town, dice: Dice) -> None:
        self._wish = wish
        self._town = town
        self._dice = dice
        self._big = _BIG.search(wish.casefold()) is not None
        self._bearing = asked_bearing(wish)
        self._placed: dict[str, int] = {}
        self._first: F64 | None = None
        self._last = town.center
        self._buildings: list[F64] = []
        self._hollow = (town.center, 4.0)
        self._stream: list[F64] = []

    def step(self, theme: Theme, row: Mapping[str, Any], number: int) -> Step:
        """One step of a theme as a call, with its fallback."""
        key = f"{theme.name}.{number}"
        args = self._arguments(row, key)
        instead = None
        if "instead" in row:
            changed = {**row, **row["instead"]}
            args_then = {**args, **self._plain(changed, f"{key}.instead")}
            instead = Step(self._said(changed, f"{key}.instead"), _call(row["tool"], args_then))
        return Step(self._said(row, key), _call(row["tool"], args), instead)

    def text(self, template: str) -> str:
        """Fill in town, side and wish."""
        where = side(self._town.center, self._first) if self._first is not None else "north"
        about = subject(self._wish)
        filled = template.format(town=self._town.name, side=where, wish=cut(about, 60))
        return filled[:1].upper() + filled[1:]

    def _said(self, row: Mapping[str, Any], key: str) -> str:
        return cut(self.text(self._dice.choose(row["say"], f"{key}.say")), THOUGHT_MAX)

    def _arguments(self, row: Mapping[str, Any], key: str) -> dict[str, Any]:
        args = self._plain(row, key)
        if "at" in row:
            point = self._place(row["at"], key, float(args.get("radius_deg", 0.0)))
            if row["tool"] == "place_water":
                args["path"] = [list(waypoint(point))]
                self._hollow = (point, float(args["radius_deg"]))
            else:
                args["lat"], args["lon"] = waypoint(point)
            if row["tool"] == "lower_terrain":
                self._hollow = (point, float(args["radius_deg"]) * 0.6)
            if row["tool"] in ("place_structure", "build_district"):
                self._buildings.append(point)
        elif "road" in row:
            args["path"] = [list(waypoint(point)) for point in self._road(row["road"], key)]
        elif "path" in row:
            self._stream = self._water(row["path"], key)
            args["path"] = [list(waypoint(point)) for point in self._stream]
        return args

    def _plain(self, row: Mapping[str, Any], key: str) -> dict[str, Any]:
        """Arguments that are not places."""
        wanted = {**row, **row.get("big", {})} if self._big else row
        args: dict[str, Any] = {}
        for name, value in wanted.items():
            if name in _KEYS:
                continue
            where = f"{key}.{name}"
            if name == "text":
                args[name] = self._inscription()
            elif name == "style" and (found := _STYLE.search(self._wish.casefold())):
                args[name] = "orbit" if found[1] else "stone"
            elif isinstance(value, list) and isinstance(value[0], str):
                args[name] = self._dice.choose(value, where)
            elif isinstance(value, list):
                args[name] = self._number(row["tool"], name, value, where)
            else:
                args[name] = value
        return args

    def _number(self, tool: str, name: str, bounds: Sequence[float], where: str) -> float | int:
        kind = next(arg.type for arg in TOOLS[tool].args if arg.name == name)
        low, high = bounds
        if kind == "integer":
            return int(low + int(self._dice.draw(where) * (high - low + 1)))
        digits = 10000.0 if high <= 0.2 else 100.0 if high <= 2.0 else 10.0
        drawn = self._dice.between(low, high, where)
        return float(round_half_up(drawn * digits)) / digits

    def _inscription(self) -> str:
        quoted = _QUOTED.search(self._wish)
        about = (quoted[1] or quoted[2]) if quoted else subject(self._wish)
        return cut(about.strip(), 90)

    def _place(self, name: str, key: str, radius: float) -> F64:
        """A point for `name`; it becomes the last place."""
        on_ring = name in DISTANCES_DEG
        point = self._ring(name, key, radius) if on_ring else self._relative(name, key, radius)
        self._last = point
        if self._first is None and name != "centre":
            self._first = point
        return point

    def _ring(self, name: str, key: str, radius: float) -> F64:
        """The next point on a ring round the town; the first one at the bearing asked for."""
        town = self._town
        known = {"town": town.built, "block": town.districts}.get(name, town.epoch)
        count = known + self._placed.get(name, 0)
        turned = ring_bearing(name, count)
        if self._bearing is not None and not self._placed:
            turned = self._bearing
        self._placed[name] = self._placed.get(name, 0) + 1
        far = ring_distance(name, count, self._dice.draw(f"{key}.far"))
        far += radius if name == "around" else 0.0
        return away(town.center, turned + self._dice.between(-7.0, 7.0, f"{key}.bearing"), far)

    def _relative(self, name: str, key: str, radius: float) -> F64:
        """A point that leans on the last one, or on the last water."""
        center, last = self._town.center, self._last
        outward = bearing(center, last)
        turn = self._dice.between(-1.0, 1.0, f"{key}.turn")
        hollow, size = self._hollow
        homeward = bearing(hollow, center)
        if name == "centre":
            return center
        if name == "by":
            sideways = 70.0 if turn >= 0.0 else -70.0
            reach = max(2.2, 0.7 * radius + 1.0)
            return away(last, outward + sideways + 25.0 * turn, reach)
        if name == "flank":
            return away(last, outward + (95.0 if turn >= 0.0 else -95.0) + 20.0 * turn, 9.5)
        if name == "foot":
            return away(last, outward + 180.0 + 25.0 * turn, 9.0)
        if name == "shore":
            return away(hollow, homeward + 12.0 * turn, size + 1.3)
        if name == "rim":
            return away(hollow, homeward + 75.0 + 40.0 * turn, size + 0.6)
        if name == "lake":
            return hollow
        if name == "bank" and self._stream:
            return away(self._stream[len(self._stream) // 2], outward + 90.0 * turn, 0.9)
        return last

    def _road(self, name: str, key: str) -> list[F64]:
        center = self._town.center
        target = self._buildings[-1] if self._buildings else self._last
        if name == "on":
            turn = self._dice.between(-30.0, 30.0, f"{key}.on")
            return self._bent(target, away(target, bearing(center, target) + turn, 13.0), key)
        start = self._buildings[-2] if name == "link" and len(self._buildings) > 1 else center
        return self._bent(start, target, key)

    def _bent(self, start: F64, end: F64, key: str) -> list[F64]:
        """A road that stops short of both ends and bends once, like a road."""
        length = distance(start, end)
        if length < 1.5:
            return [start, away(start, self._dice.between(0.0, 360.0, f"{key}.out"), 5.0)]
        gap = min(0.9, 0.2 * length)
        heading = bearing(start, end)
        bend = self._dice.between(0.05, 0.12, f"{key}.bend") * length
        bend = -bend if self._dice.draw(f"{key}.hand") < 0.5 else bend
        middle = [
            away(away(start, heading, part * length), heading + 90.0, lean * bend)
            for part, lean in ((0.36, 1.0), (0.7, 0.6))
        ]
        return [away(start, heading, gap), *middle, away(end, bearing(end, start), gap)]

    def _water(self, name: str, key: str) -> list[F64]:
        """Waypoints of a stream: down from the hills and round the town, or along a hollow."""
        if name == "floor":
            hollow, size = self._hollow
            heading = self._dice.between(0.0, 360.0, f"{key}.floor")
            reach = size * 1.3
            return [
                away(hollow, heading + 180.0, reach),
                away(hollow, heading + 150.0, 0.4 * reach),
                away(hollow, heading - 30.0, 0.4 * reach),
                away(hollow, heading, reach),
            ]
        begun = self._bearing
        if begun is None:
            begun = ring_bearing("far", self._town.epoch)
        begun += self._dice.between(-15.0, 15.0, f"{key}.begun")
        hand = 1.0 if self._dice.draw(f"{key}.hand") < 0.5 else -1.0
        shape = ((27.0, 0.0), (20.0, 12.0), (14.5, 38.0), (14.0, 80.0), (19.0, 118.0))
        points = [away(self._town.center, begun + hand * turn, far) for far, turn in shape]
        self._last = points[2]
        self._first = self._first if self._first is not None else points[2]
        return points


_FAREWELLS = (
    "That is all of it. I put the tools down.",
    "Enough. One more stone and it would be mine and not yours.",
    "I step back. It stands.",
    "Done. I look once, and leave it to the weather.",
    "It is {town}'s now.",
    "Nothing is missing that walking will not find.",
    "I take my shadow off it, and there it is.",
    "The rest will have to grow by itself.",
    "Finished, as far as anything here is.",
    "I close my hand. The light stays.",
)


def _call(tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """A call with its arguments in the order of the tool's table."""
    names = [arg.name for arg in TOOLS[tool].args]
    return {"tool": tool, "args": {name: args[name] for name in names if name in args}}
