"""Where the specification that a client has read differs from ours, named by path or line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from godseed.spec import text


def spec_differences(theirs: Mapping[str, str]) -> list[str]:
    """Where the specification that a client has read differs from ours, one line each.

    Args:
        theirs: file name -> text.
    """
    found: list[str] = []
    for name in sorted(theirs):
        mine = text(name)
        if mine == theirs[name]:
            continue
        if name.endswith(".json"):
            found += [
                f"{name}: {line}" for line in _apart("", json.loads(mine), json.loads(theirs[name]))
            ]
        else:
            found.append(f"{name}: {_first_line(mine, theirs[name])}")
    return found


def _apart(where: str, mine: Any, other: Any) -> Iterator[str]:
    """Paths at which two JSON values differ; rows that have names are paired by them."""
    if isinstance(mine, dict) and isinstance(other, dict):
        for key in sorted({*mine, *other}):
            path = f"{where}.{key}" if where else key
            yield from _apart(path, mine.get(key), other.get(key))
    elif _names(mine) and _names(other):
        if _names(mine) != _names(other):
            yield f"{where} are {', '.join(_names(mine))} here and {', '.join(_names(other))} there"
        theirs = {row["name"]: row for row in other}
        for row in mine:
            if row["name"] in theirs:
                yield from _apart(f"{where}[{row['name']}]", row, theirs[row["name"]])
    elif isinstance(mine, list) and isinstance(other, list) and len(mine) == len(other):
        for i, (a, b) in enumerate(zip(mine, other, strict=True)):
            yield from _apart(f"{where}[{i}]", a, b)
    elif mine != other:
        yield f"{where} is {json.dumps(mine)} here and {json.dumps(other)} there"


def _names(value: Any) -> list[str]:
    if (
        isinstance(value, list)
        and value
        and all(isinstance(v, dict) and "name" in v for v in value)
    ):
        return [str(row["name"]) for row in value]
    return []


def _first_line(mine: str, other: str) -> str:
    a, b = mine.splitlines(), other.splitlines()
    number = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    here, there = (lines[number].strip() if number < len(lines) else "" for lines in (a, b))
    return f"line {number + 1} is {here!r} here and {there!r} there"
