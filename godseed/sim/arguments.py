"""The door of the world: what a tool call may say, and what is made of it.

Every rule is read from `spec/tools.json`. `coerce` takes whatever a model wrote and either gives
back canonical arguments with notes on what it changed, or a terse reason with the way out; it never
raises. `restore` takes stored arguments, which must be canonical already, and is fast.

Canonical arguments: numbers are finite float64 inside their range and never minus zero, integers
are `int`, enums one of their values, texts cleaned and cut, paths tuples of (lat, lon) tuples; in
the order of the spec, without extras. Optional arguments that were not given stay absent.

Twin: web/sim/arguments.js
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, isfinite
from typing import Any, Final, Literal

from godseed.sim.grapheme import clean_line, cut
from godseed.spec import constants, load

ArgumentType = Literal["number", "integer", "enum", "text", "path"]
Waypoint = tuple[float, float]
ArgumentValue = float | int | str | tuple[Waypoint, ...]

HUGE: Final = 1e308
"""Stands for integers beyond float64 until they are clamped."""
SAME_DEG: Final = 1e-5
"""Waypoints nearer than this, degrees in both axes, count as equal (or antipodal)."""
MAX_NOTES: Final = 8
MAX_QUOTED: Final = 32
_NUMERAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool, a row of `spec/tools.json`.

    Attributes:
        name: as the model writes it.
        type: number, integer, enum, text or path.
        doc: what the model reads.
        required: absent is an error, unless False.
        min, max: inclusive range of a number or integer.
        unit: of a number or integer.
        wrap: out of range comes round the other side (longitudes), instead of clamping.
        values: of an enum, in spec order.
        default: what the geometry uses when an optional argument is absent.
        max_length: grapheme clusters of a text.
        min_items, max_items: waypoints of a path.
        min_items_when, max_items_when: enum argument -> its value -> other bound of a path.
        lat, lon: ranges of a path's waypoints.
    """

    name: str
    type: ArgumentType
    doc: str
    required: bool = True
    min: float = 0.0
    max: float = 0.0
    unit: str = ""
    wrap: bool = False
    values: tuple[str, ...] = ()
    default: float | None = None
    max_length: int = 0
    min_items: int = 0
    max_items: int = 0
    min_items_when: Mapping[str, Mapping[str, int]] | None = None
    max_items_when: Mapping[str, Mapping[str, int]] | None = None
    lat: Argument | None = None
    lon: Argument | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the world: `index` is its position in the spec."""

    index: int
    name: str
    doc: str
    args: tuple[Argument, ...]
    material: str
    observation: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """Canonical arguments, and what was changed to make them so (`radius_deg 60 -> 45`)."""

    args: Mapping[str, ArgumentValue]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why nothing can be made of a call, with the way out."""

    reason: str


class _Refusal(Exception):
    """Carries a reason out of a nested value; never leaves this module."""


def _argument(row: Mapping[str, Any]) -> Argument:
    fields = dict(row)
    for name in ("lat", "lon"):
        if name in fields:
            fields[name] = Argument(name=name, type="number", doc="", **fields[name])
    fields["values"] = tuple(fields.get("values", ()))
    return Argument(**fields)


def _tool(index: int, row: Mapping[str, Any]) -> Tool:
    args = tuple(_argument(arg) for arg in row["args"])
    return Tool(index, row["name"], row["doc"], args, row["material"], row["observation"])


TOOLS: Final[Mapping[str, Tool]] = {
    row["name"]: _tool(i, row) for i, row in enumerate(load("tools.json")["tools"])
}
"""Tool name -> tool, in spec order."""
TOOL_NAMES: Final = tuple(TOOLS)


def coerce(tool: object, args: object) -> Accepted | Rejected:
    """Make canonical arguments of what a model wrote, or say why that is impossible.

    Args:
        tool: name of the tool; anything else is rejected.
        args: mapping of argument name to value; anything else is rejected.
    """
    if not isinstance(tool, str) or tool not in TOOLS:
        return Rejected(f"unknown tool {quoted(tool)}; one of {', '.join(TOOL_NAMES)}")
    if not isinstance(args, Mapping):
        return Rejected(f"args is {quoted(args)}; an object of arguments expected")
    rows = TOOLS[tool].args
    found: dict[str, ArgumentValue] = {}
    notes: list[str] = []
    try:
        for row in rows:
            value = args.get(row.name)
            if value is None and not row.required:
                continue
            if value is None:
                raise _Refusal(f"{row.name} is missing; {expected(row)}")
            found[row.name] = _coerced(row, value, found, notes)
    except _Refusal as refusal:
        return Rejected(str(refusal))
    known = {row.name for row in rows}
    notes += [f"dropped {quoted(name)}" for name in args if name not in known]
    if len(notes) > MAX_NOTES:
        notes = [*notes[:MAX_NOTES], f"and {len(notes) - MAX_NOTES} more"]
    return Accepted(found, tuple(notes))


def restore(tool: Tool, args: Mapping[str, Any]) -> dict[str, ArgumentValue]:
    """Read stored arguments back, in spec order.

    Text is checked for shape only: what one Unicode version stored, another must accept.

    Args:
        tool: the tool they belong to.
        args: as parsed from JSON.
    Raises:
        ValueError: they are not canonical; the message names argument, value and rule.
    """
    found: dict[str, ArgumentValue] = {}
    for row in tool.args:
        value = args.get(row.name)
        if value is None:
            if row.required or row.name in args:
                raise ValueError(f"{tool.name}.{row.name}: {quoted(value)}; {expected(row)}")
            continue
        kind = row.type
        if kind == "number" and type(value) in (float, int) and row.min <= value <= row.max:
            found[row.name] = value + 0.0
        elif kind == "integer" and _is_whole(value) and row.min <= value <= row.max:
            found[row.name] = int(value)
        elif (kind == "enum" and value in row.values) or (kind == "text" and _is_line(row, value)):
            found[row.name] = value
        elif kind == "path":
            found[row.name] = _restored_path(tool, row, value, found)
        else:
            raise ValueError(f"{tool.name}.{row.name}: {quoted(value)}; {expected(row)}")
    if len(found) != len(args):
        extra = next(name for name in args if name not in found)
        raise ValueError(f"{tool.name}: unknown argument {quoted(extra)}; remove it")
    return found


def expected(row: Argument) -> str:
    """What an argument takes, as an observation says it: `a number -85..85 expected`."""
    if row.type == "enum":
        return f"one of {', '.join(row.values)}"
    if row.type == "text":
        return f"a text of 1..{row.max_length} characters expected"
    if row.type == "path":
        return f"a list of {row.min_items}..{row.max_items} waypoints [lat,lon] expected"
    article = "an integer" if row.type == "integer" else "a number"
    return f"{article} {number_text(row.min)}..{number_text(row.max)} expected"


def number_text(value: float) -> str:
    """Shortest decimal text that reads back as the same float64, as JavaScript writes it.

    Args:
        value: finite. Whole numbers have no `.0`, minus zero is `0`, and exponents appear
            below 1e-6 and from 1e21 on.
    """
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(float(value))).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"


def quoted(value: object) -> str:
    """Show a value in a message: short, on one line, without trusting it."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    if isinstance(value, int):
        return str(value) if abs(value) < 1_000_000_000_000_000 else "a huge integer"
    if isinstance(value, float):
        return number_text(value) if isfinite(value) else str(value)
    if isinstance(value, str):
        return repr(value if len(value) <= MAX_QUOTED else value[: MAX_QUOTED - 1] + "…")
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, (list, tuple)) else f"<{type(value).__name__}>"


def _coerced(
    row: Argument, value: object, found: Mapping[str, ArgumentValue], notes: list[str]
) -> ArgumentValue:
    if row.type == "number":
        return _ranged(row, row.name, value, notes)
    if row.type == "integer":
        return int(_ranged(row, row.name, value, notes))
    if row.type == "enum":
        if not isinstance(value, str) or value not in row.values:
            raise _Refusal(f"unknown {row.name} {quoted(value)}; {expected(row)}")
        return str(value)
    if row.type == "text":
        return _text(row, value, notes)
    return _path(row, value, found, notes)


def _ranged(row: Argument, where: str, value: object, notes: list[str]) -> float:
    """A number in its range; a note says when it was moved there."""
    number = _number(row, where, value)
    moved = number
    if row.type == "integer" and abs(number) < 2.0e15:
        whole = floor(number)
        moved = whole + 1.0 if number - whole >= 0.5 else whole + 0.0
    if row.wrap and not row.min <= moved <= row.max:
        turn = row.max - row.min
        moved -= turn * floor((moved - row.min) / turn)
    moved = min(max(moved, float(row.min)), float(row.max)) + 0.0
    if moved != number:
        notes.append(f"{where} {number_text(number)} -> {number_text(moved)}")
    return moved


def _number(row: Argument, where: str, value: object) -> float:
    number: float | None = None
    if isinstance(value, str):
        number = float(value) if _NUMERAL.fullmatch(value) else None
    elif isinstance(value, float):
        number = float(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        number = max(-HUGE, min(HUGE, value)) + 0.0
    if number is None or not isfinite(number):
        raise _Refusal(f"{where} is {quoted(value)}; {expected(row)}")
    return number


def _text(row: Argument, value: object, notes: list[str]) -> str:
    if not isinstance(value, str):
        raise _Refusal(f"{row.name} is {quoted(value)}; {expected(row)}")
    limits = constants()["text"]
    # Cutting early bounds the work on a huge text; no cluster that is kept can lie beyond.
    line = clean_line(value[: 64 * limits["max_code_points"]])
    kept = cut(line, row.max_length, limits["max_code_points"])
    if not kept:
        raise _Refusal(f"{row.name} is empty once cleaned; {expected(row)}")
    if kept != line:
        notes.append(f"{row.name} cut to {row.max_length} characters")
    return kept


def _path(
    row: Argument, value: object, found: Mapping[str, ArgumentValue], notes: list[str]
) -> tuple[Waypoint, ...]:
    low, high = path_bounds(row, found)
    if not isinstance(value, (list, tuple)):
        raise _Refusal(f"{row.name} is {quoted(value)}; {expected(row)}")
    assert row.lat is not None
    assert row.lon is not None
    waypoints: list[Waypoint] = []
    for i, item in enumerate(value[:high]):
        where = f"{row.name}[{i}]"
        if not isinstance(item, (list, tuple)) or len(item) != 2:
            raise _Refusal(f"{where} is {quoted(item)}; a pair [lat,lon] expected")
        lat = _ranged(row.lat, f"{where}.lat", item[0], notes)
        waypoints.append((lat, _ranged(row.lon, f"{where}.lon", item[1], notes)))
    if len(waypoints) < low:
        got = f"{len(waypoints)} waypoint{'' if len(waypoints) == 1 else 's'}"
        raise _Refusal(f"{row.name} has {got}; {low}..{high} expected")
    if len(value) > high:
        notes.append(f"{row.name} {len(value)} -> {high} waypoints")
    problem = neighbour_problem(waypoints)
    if problem:
        raise _Refusal(f"{row.name}{problem}; move one of them")
    return tuple(waypoints)


def path_bounds(row: Argument, args: Mapping[str, object]) -> tuple[int, int]:
    """Fewest and most waypoints of a path, given the enum arguments before it."""
    low, high = row.min_items, row.max_items
    for name, bounds in (row.min_items_when or {}).items():
        low = bounds.get(str(args[name]), low)
    for name, bounds in (row.max_items_when or {}).items():
        high = bounds.get(str(args[name]), high)
    return low, high


def neighbour_problem(waypoints: list[Waypoint]) -> str:
    """`[1] equals [0]` or `[1] is opposite [0]` for the first such neighbours, else empty."""
    for i in range(1, len(waypoints)):
        lat0, lon0 = waypoints[i - 1]
        lat1, lon1 = waypoints[i]
        turn = abs(lon1 - lon0)
        if abs(lat1 - lat0) < SAME_DEG and min(turn, 360.0 - turn) < SAME_DEG:
            return f"[{i}] equals [{i - 1}]"
        if abs(lat1 + lat0) < SAME_DEG and abs(turn - 180.0) < SAME_DEG:
            return f"[{i}] is opposite [{i - 1}]"
    return ""


def _restored_path(
    tool: Tool, row: Argument, value: object, found: Mapping[str, ArgumentValue]
) -> tuple[Waypoint, ...]:
    notes: list[str] = []
    try:
        path = _path(row, value, found, notes)
    except _Refusal as refusal:
        raise ValueError(f"{tool.name}.{refusal}") from None
    if notes or any(isinstance(x, str) for pair in value for x in pair):  # type: ignore[attr-defined]
        raise ValueError(f"{tool.name}.{row.name}: not as stored ({'; '.join(notes)})")
    return path


def _is_whole(value: object) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())


def _is_line(row: Argument, value: object) -> bool:
    if not isinstance(value, str) or not value or value != value.strip(" "):
        return False
    limit = row.max_length if value.isascii() else constants()["text"]["max_code_points"]
    return len(value) <= limit and not any(c < " " or "\x7f" <= c < "\xa0" for c in value)
