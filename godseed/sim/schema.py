"""What the rows of `spec/tools.json` say, in other notations: pydantic models, JSON Schema, a page.

The models describe canonical arguments, as features hold them. Whoever talks to the world needs
them less than `godseed.sim.arguments.coerce`, which also takes what is nearly right. Print the page
with `python -m godseed.sim.schema`.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from godseed.sim.arguments import (
    TOOLS,
    Argument,
    Tool,
    neighbour_problem,
    number_text,
    path_bounds,
)
from godseed.spec import constants

PAGE_HEAD: Final = """# Tools

What a wish can do to the world: {count} tools. Numbers outside their range are clamped, longitudes
wrap, and the observation says so. An unknown tool or value and a missing or wrongly typed argument
are rejected, with the way out. Arguments that a tool does not know are dropped and named.

This page is generated from `godseed/spec/tools.json` by `python -m godseed.sim.schema`; edit that
file.
"""


class Arguments(BaseModel):
    """Canonical arguments of one tool; `argument_model` makes a subclass per tool."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    tool: ClassVar[Tool]

    @model_validator(mode="after")
    def _path_fits(self) -> Arguments:
        for row in self.tool.args:
            if row.type == "path":
                path = getattr(self, row.name)
                low, high = path_bounds(row, dict(self))
                if not low <= len(path) <= high:
                    raise ValueError(f"{row.name} has {len(path)} waypoints; {low}..{high}")
                problem = neighbour_problem(list(path))
                if problem:
                    raise ValueError(f"{row.name}{problem}")
        return self


@cache
def argument_model(tool: str) -> type[Arguments]:
    """The pydantic model of a tool's canonical arguments: strict, frozen, no extras.

    Raises:
        KeyError: there is no such tool.
    """
    fields: dict[str, Any] = {}
    for row in TOOLS[tool].args:
        kind = _annotation(row)
        fields[row.name] = (kind, ...) if row.required else (kind, row.default)
    name = tool.title().replace("_", "") + "Arguments"
    model: type[Arguments] = create_model(
        name, __base__=Arguments, __doc__=TOOLS[tool].doc, **fields
    )
    model.tool = TOOLS[tool]
    return model


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a tool call with canonical arguments."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "GODSEED tool call",
        "oneOf": [_call_schema(tool) for tool in TOOLS.values()],
    }


def tools_table_markdown() -> str:
    """One Markdown table of all tools: name, arguments with their ranges, and what it does."""
    lines = ["| tool | arguments | what it does |", "|---|---|---|"]
    for tool in TOOLS.values():
        args = ", ".join(f"`{row.name}` {range_text(row)}" for row in tool.args)
        lines.append(f"| [`{tool.name}`](#{tool.name}) | {args} | {tool.doc} |")
    return "\n".join(lines)


def tools_page() -> str:
    """The reference page of all tools, Markdown."""
    sections = [PAGE_HEAD.format(count=len(TOOLS)), tools_table_markdown() + "\n"]
    sections += [_section(tool) for tool in TOOLS.values()]
    return "\n".join(sections)


def range_text(row: Argument) -> str:
    """What an argument takes, for a table: `-85..85 deg`, `stream, pool`, `2..6 waypoints`."""
    if row.type == "enum":
        return ", ".join(row.values)
    if row.type == "text":
        return f"up to {row.max_length} characters"
    if row.type == "path":
        return f"{row.min_items}..{row.max_items} waypoints [lat, lon]"
    unit = "" if row.unit in ("ratio", "count") else f" {row.unit}"
    return f"{number_text(row.min)}..{number_text(row.max)}{unit}"


def _annotation(row: Argument) -> Any:
    if row.type == "number":
        return Annotated[
            float, Field(ge=row.min, le=row.max, allow_inf_nan=False, description=row.doc or None)
        ]
    if row.type == "integer":
        return Annotated[int, Field(ge=row.min, le=row.max, description=row.doc or None)]
    if row.type == "enum":
        return Annotated[Literal[row.values], Field(description=row.doc or None)]
    if row.type == "text":
        limit = constants()["text"]["max_code_points"]
        return Annotated[str, Field(min_length=1, max_length=limit, description=row.doc or None)]
    assert row.lat is not None
    assert row.lon is not None
    waypoint: Any = tuple[_annotation(row.lat), _annotation(row.lon)]  # type: ignore[misc]
    return Annotated[
        tuple[waypoint, ...],
        Field(min_length=row.min_items, max_length=row.max_items, description=row.doc or None),
    ]


def _call_schema(tool: Tool) -> dict[str, Any]:
    args = argument_model(tool.name).model_json_schema()
    rules = [rule for row in tool.args for rule in _path_rules(row)]
    return {
        "type": "object",
        "description": tool.doc,
        "properties": {
            "tool": {"const": tool.name},
            "args": args | ({"allOf": rules} if rules else {}),
        },
        "required": ["tool", "args"],
        "additionalProperties": False,
    }


def _path_rules(row: Argument) -> list[dict[str, Any]]:
    """Bounds of a path that depend on an enum, as if/then."""
    return [
        {
            "if": {"properties": {name: {"const": value}}},
            "then": {"properties": {row.name: {keyword: bound}}},
        }
        for keyword, when in (("minItems", row.min_items_when), ("maxItems", row.max_items_when))
        for name, bounds in (when or {}).items()
        for value, bound in bounds.items()
    ]


def _section(tool: Tool) -> str:
    lines = [f"## {tool.name}", "", tool.doc, "", "| argument | takes | meaning |", "|---|---|---|"]
    for row in tool.args:
        takes = range_text(row)
        if not row.required:
            takes += f"; optional, {number_text(row.default or 0.0)} if absent"
        lines.append(f"| `{row.name}` | {takes} | {row.doc} |")
    lines += [
        "",
        f"Drawn by the material `{tool.material}`. Observation: `ok: {tool.observation}`.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(tools_page(), end="")
