"""The GBNF grammar of one turn, generated from `spec/tools.json`.

A turn is compact JSON: `{"thought":...,"call":{"tool":...,"args":{...}}}` or
`{"thought":...,"done":true,"epitaph":...}`. No white space is allowed between tokens, every string,
number and array is bounded, and a value may lie outside a tool's range (the engine clamps it and
says so), but never outside its enum. The text is checked by `gbnf.validate_gbnf` before any model
sees it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from godseed import spec
from godseed.mind.gbnf import parse_gbnf, reachable, validate_gbnf

THOUGHT_MAX = 160
EPITAPH_MAX = 120
_SHARED = r"""
signed ::= "-"? unsigned
unsigned ::= whole ("." [0-9]{1,4})?
whole ::= "0" | [1-9] [0-9]{0,2}
waypoint ::= "[" signed "," signed "]"
char ::= [^"\\\x00-\x1F\x7F-\x9F] | "\\" ["\\/] | "\\u" unit
unit ::= [0-9a-cA-CeEfF] hex hex hex | [dD] [0-7] hex hex | [dD] [89abAB] hex hex "\\u" [dD] low
low ::= [c-fC-F] hex hex
hex ::= [0-9a-fA-F]
"""


@cache
def turn_grammar(last: bool = False) -> str:
    """GBNF of one turn.

    Args:
        last: only `done` is allowed, so that a wish that uses up its turns still gets an epitaph.
    Raises:
        GrammarError: `tools.json` holds something that this notation cannot bound.
    """
    thought = f'"{{\\"thought\\":\\"" char{{1,{THOUGHT_MAX}}} "\\","'
    lines = [
        f"root ::= {thought} {'done' if last else '(call | done)'}",
        f'done ::= "\\"done\\":true,\\"epitaph\\":\\"" char{{1,{EPITAPH_MAX}}} "\\"}}"',
    ]
    if not last:
        rows: Sequence[Mapping[str, Any]] = spec.load("tools.json")["tools"]
        names = [str(row["name"]).replace("_", "-") for row in rows]
        lines.append('call ::= "\\"call\\":{\\"tool\\":" (' + " | ".join(names) + ') "}}}"')
        lines.extend(
            f"{name} ::= {_tool_body(row)}" for name, row in zip(names, rows, strict=True)
        )
    text = _drop_unused("\n".join([*lines, _SHARED.strip(), ""]))
    validate_gbnf(text)
    return text


def _tool_body(row: Mapping[str, Any]) -> str:
    """`"name","args":{` and the arguments in the order of the table, optional ones skippable."""
    parts = [_quote(f'{_json(row["name"])},"args":{{')]
    for position, arg in enumerate(row["args"]):
        comma = "," if position else ""
        item = f"{_quote(f'{comma}{_json(arg["name"])}:')} {_value(arg)}"
        if arg.get("required", True):
            parts.append(item)
        elif position:
            parts.append(f"({item})?")
        else:
            raise ValueError(
                f"tools.json {row['name']}.{arg['name']}: the first argument is optional; "
                "expected a required one; move it"
            )
    return " ".join(parts)


def _value(arg: Mapping[str, Any]) -> str:
    kind = arg["type"]
    if kind == "enum":
        return "(" + " | ".join(_quote(_json(value)) for value in arg["values"]) + ")"
    if kind == "number":
        return "signed" if arg["min"] < 0 else "unsigned"
    if kind == "integer":
        return '"-"? whole' if arg["min"] < 0 else "whole"
    if kind == "text":
        return f'"\\"" char{{1,{arg["max_length"]}}} "\\""'
    if kind == "path":
        fewest, most = arg["min_items"] - 1, arg["max_items"] - 1
        return f'"[" waypoint ("," waypoint){{{fewest},{most}}} "]"'
    raise ValueError(f"tools.json {arg['name']}: unknown type {kind!r}; teach grammar.py about it")


def _drop_unused(text: str) -> str:
    """Leave out the shared rules that this root does not reach (the last turn needs few)."""
    used = reachable(parse_gbnf(text))
    return "".join(f"{line}\n" for line in text.splitlines() if line.split(" ", 1)[0] in used)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)


def _quote(text: str) -> str:
    """A GBNF literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
