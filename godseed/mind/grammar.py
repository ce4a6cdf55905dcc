"""The GBNF grammar of one turn, generated from `spec/tools.json`.

A turn is compact JSON: `{"thought":...,"call":{"tool":...,"args":{...}}}` or
`{"thought":...,"done":true,"epitaph":...}`. No white space is allowed between tokens, every string,
number and array is bounded, and a value may lie outside a tool's range (the engine clamps it and
says so), but never outside its enum. The text is checked by `gbnf.validate_gbnf` before any model
sees it.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from godseed.mind.gbnf import Gbnf, parse_gbnf, reachable, validate_gbnf
from godseed.sim.arguments import TOOLS, Argument, Tool, path_bounds

THOUGHT_MAX = 160
EPITAPH_MAX = 120
_SHARED = r"""
signed ::= "-"? unsigned
unsigned ::= whole ("." [0-9]{1,4})?
signed-whole ::= "-"? whole
whole ::= "0" | [1-9] [0-9]{0,3}
waypoint ::= "[" signed "," signed "]"
char ::= [^"\\\x00-\x1F\x7F-\x9F] | "\\" ["\\/] | "\\u" unit
unit ::= [0-9a-cA-CeEfF] hex hex hex | [dD] [0-7] hex hex | [dD] [89abAB] hex hex "\\u" [dD] low
low ::= [c-fC-F] hex hex
hex ::= [0-9a-fA-F]
"""


@cache
def turn_grammar(last: bool = False, thought_max: int = THOUGHT_MAX) -> Gbnf:
    """GBNF of one turn, with its JSON schema.

    Args:
        last: only `done` is allowed, so that a wish that uses up its turns still gets an epitaph.
        thought_max: characters of a thought.
    Raises:
        GrammarError: `tools.json` holds something that this notation cannot bound.
    """
    thought = f'"{{\\"thought\\":\\"" char{{1,{thought_max}}} "\\","'
    lines = [
        f"root ::= {thought} {'done' if last else '(call | done)'}",
        f'done ::= "\\"done\\":true,\\"epitaph\\":\\"" char{{1,{EPITAPH_MAX}}} "\\"}}"',
    ]
    if not last:
        names = [name.replace("_", "-") for name in TOOLS]
        lines.append('call ::= "\\"call\\":{\\"tool\\":" (' + " | ".join(names) + ') "}}}"')
        lines.extend(
            f"{name} ::= {_tool_rule(tool)}"
            for name, tool in zip(names, TOOLS.values(), strict=True)
        )
    text = _drop_unused("\n".join([*lines, _SHARED.strip(), ""]))
    validate_gbnf(text)
    return Gbnf(text, turn_schema(last, thought_max))


def turn_schema(last: bool = False, thought_max: int = THOUGHT_MAX) -> dict[str, Any]:
    """JSON Schema of one turn: what the grammar spells, white space and number of digits aside."""
    thought = {"type": "string", "minLength": 1, "maxLength": thought_max}
    epitaph = {"type": "string", "minLength": 1, "maxLength": EPITAPH_MAX}
    done = _object({"thought": thought, "done": {"const": True}, "epitaph": epitaph})
    if last:
        return done
    calls = [
        _object(
            {
                "tool": {"const": tool.name},
                "args": _object(
                    {arg.name: _schema(arg) for arg in tool.args},
                    [arg.name for arg in tool.args if arg.required],
                ),
            }
        )
        for tool in TOOLS.values()
    ]
    return {"anyOf": [_object({"thought": thought, "call": {"anyOf": calls}}), done]}


def _object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


def _schema(arg: Argument) -> dict[str, Any]:
    if arg.type == "enum":
        return {"enum": list(arg.values)}
    if arg.type == "path":
        point = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        return {
            "type": "array",
            "items": point,
            "minItems": arg.min_items,
            "maxItems": arg.max_items,
        }
    if arg.type == "text":
        return {"type": "string", "minLength": 1, "maxLength": arg.max_length}
    return {"type": "integer" if arg.type == "integer" else "number"}


def _tool_rule(tool: Tool) -> str:
    """Alternatives of a call: one, or one per enum value that changes how long a path may be."""
    for arg in tool.args:
        switches = {**(arg.min_items_when or {}), **(arg.max_items_when or {})}
        for switch in switches:
            row = next(other for other in tool.args if other.name == switch)
            return " | ".join(_tool_body(tool, {switch: value}) for value in row.values)
    return _tool_body(tool, {})


def _tool_body(tool: Tool, fixed: dict[str, str]) -> str:
    """`"name","args":{` and the arguments in the order of the table, optional ones skippable.

    Raises:
        ValueError: the first argument is optional, so a comma could not be placed.
    """
    parts = [_quote(f'{json.dumps(tool.name)},"args":{{')]
    for position, arg in enumerate(tool.args):
        comma = "," if position else ""
        item = f"{_quote(f'{comma}{json.dumps(arg.name)}:')} {_value(arg, fixed)}"
        if not arg.required and not position:
            raise ValueError(
                f"tools.json {tool.name}.{arg.name}: the first argument is optional; "
                "expected a required one; move it"
            )
        parts.append(item if arg.required else f"({item})?")
    return " ".join(parts)


def _value(arg: Argument, fixed: dict[str, str]) -> str:
    if arg.type == "enum":
        values = [fixed[arg.name]] if arg.name in fixed else arg.values
        return "(" + " | ".join(_quote(json.dumps(value)) for value in values) + ")"
    if arg.type == "number":
        return "signed" if arg.min < 0 else "unsigned"
    if arg.type == "integer":
        return "signed-whole" if arg.min < 0 else "whole"
    if arg.type == "text":
        return f'"\\"" char{{1,{arg.max_length}}} "\\""'
    fewest, most = path_bounds(arg, fixed)
    rest = f' ("," waypoint){{{fewest - 1},{most - 1}}}' if most > 1 else ""
    return f'"[" waypoint{rest} "]"'


def _drop_unused(text: str) -> str:
    """Leave out the shared rules that this root does not reach (the last turn needs few)."""
    used = reachable(parse_gbnf(text))
    return "".join(f"{line}\n" for line in text.splitlines() if line.split(" ", 1)[0] in used)


def _quote(text: str) -> str:
    """A GBNF literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
