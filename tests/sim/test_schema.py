"""Models, JSON Schema and page say what the door of the world does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from godseed.sim.arguments import TOOL_NAMES, TOOLS, Accepted, coerce
from godseed.sim.schema import argument_model, json_schema, tools_page, tools_table_markdown

waypoints = st.lists(
    st.tuples(st.floats(-90, 90), st.floats(-200, 200)).map(list), min_size=1, max_size=7
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    tool = draw(st.sampled_from(TOOL_NAMES))
    args: dict[str, Any] = {}
    for row in TOOLS[tool].args:
        if row.type == "enum":
            args[row.name] = draw(st.sampled_from(row.values))
        elif row.type == "text":
            args[row.name] = draw(st.text(max_size=120))
        elif row.type == "path":
            args[row.name] = draw(waypoints)
        elif row.required or draw(st.booleans()):
            args[row.name] = draw(st.floats(row.min - 1, row.max + 1))
    return tool, args


@given(calls())
def test_model_takes_whatever_the_door_lets_in(call: tuple[str, dict[str, Any]]) -> None:
    tool, args = call
    result = coerce(tool, args)
    if isinstance(result, Accepted):
        model = argument_model(tool).model_validate_json(json.dumps(result.args))
        dumped = model.model_dump()
        assert {name: dumped[name] for name in result.args} == dict(result.args)


@pytest.mark.parametrize(
    ("tool", "args", "message"),
    [
        ("set_weather", {"kind": "hail", "intensity": 1}, "Input should be 'clear'"),
        ("set_weather", {"kind": "rain", "intensity": 1.5}, "less than or equal to 1"),
        ("set_weather", {"kind": "rain", "intensity": True}, "valid number"),
        ("set_weather", {"kind": "rain", "intensity": "1"}, "valid number"),
        ("set_weather", {"kind": "rain"}, "Field required"),
        ("set_weather", {"kind": "rain", "intensity": 1, "x": 1}, "Extra inputs"),
        ("place_road", {"path": [[1, 2]]}, "at least 2 items"),
        ("place_road", {"path": [[1, 2], [1, 2]]}, r"path\[1\] equals \[0\]"),
        (
            "place_water",
            {"kind": "stream", "path": [[1, 2]], "hue": 200},
            r"path has 1 waypoints; 2\.\.5",
        ),
    ],
)
def test_model_refuses_what_is_not_canonical(tool: str, args: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        argument_model(tool).model_validate_json(json.dumps(args))


def test_model_fills_in_the_default_of_an_optional_argument() -> None:
    pool = argument_model("place_water").model_validate_json(
        '{"kind": "pool", "path": [[1, 2]], "hue": 200}'
    )
    assert pool.model_dump()["radius_deg"] == 3


def test_json_schema_has_one_branch_per_tool() -> None:
    branches = json_schema()["oneOf"]
    assert [branch["properties"]["tool"]["const"] for branch in branches] == list(TOOL_NAMES)
    for branch, tool in zip(branches, TOOLS.values(), strict=True):
        args = branch["properties"]["args"]
        assert list(args["properties"]) == [row.name for row in tool.args]
        assert args["required"] == [row.name for row in tool.args if row.required]
        assert args["additionalProperties"] is False
        for row in tool.args:
            found = args["properties"][row.name]
            assert found["description"] == row.doc
            if row.type in ("number", "integer"):
                assert (found["minimum"], found["maximum"]) == (row.min, row.max)
                assert found["type"] == row.type
            if row.type == "enum":
                assert found["enum"] == list(row.values)


def test_json_schema_bounds_a_stream_and_a_pool() -> None:
    water = json_schema()["oneOf"][4]["properties"]["args"]
    assert water["allOf"] == [
        {
            "if": {"properties": {"kind": {"const": "stream"}}},
            "then": {"properties": {"path": {"minItems": 2}}},
        },
        {
            "if": {"properties": {"kind": {"const": "pool"}}},
            "then": {"properties": {"path": {"maxItems": 1}}},
        },
    ]
    assert json.loads(json.dumps(json_schema())) == json_schema()


def test_page_has_a_row_and_a_section_per_tool() -> None:
    table, page = tools_table_markdown(), tools_page()
    for tool in TOOLS.values():
        assert f"| [`{tool.name}`](#{tool.name}) |" in table
        assert f"\n## {tool.name}\n\n{tool.doc}\n" in page
        assert all(f"| `{row.name}` | " in page for row in tool.args)
