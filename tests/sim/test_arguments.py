"""The door of the world: every clamp and every rejection of every tool; nothing else comes in."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.arguments import (
    TOOL_NAMES,
    TOOLS,
    Accepted,
    Argument,
    Rejected,
    coerce,
    number_text,
    quoted,
    restore,
)

ROWS = [(tool.name, row) for tool in TOOLS.values() for row in tool.args]
PATHS = {"place_road": [[1, 2], [3, 4]], "place_water": [[1, 2], [3, 4]]}


def rows_of(*types: str) -> Any:
    chosen = [(tool, row) for tool, row in ROWS if row.type in types]
    return pytest.mark.parametrize(
        ("tool", "row"), chosen, ids=[f"{tool}.{row.name}" for tool, row in chosen]
    )


def valid(tool: str) -> dict[str, Any]:
    """Arguments in the middle of every range."""
    values: dict[str, Any] = {}
    for row in TOOLS[tool].args:
        if row.type == "enum":
            values[row.name] = row.values[0]
        elif row.type == "text":
            values[row.name] = "let there be a lamp"
        elif row.type == "path":
            values[row.name] = PATHS[tool]
        else:
            values[row.name] = float(math.floor((row.min + row.max) / 2)) or row.max / 2
    return values


def accepted(tool: str, args: object) -> Accepted:
    result = coerce(tool, args)
    assert isinstance(result, Accepted), result
    return result


def rejected(tool: object, args: object) -> str:
    result = coerce(tool, args)
    assert isinstance(result, Rejected), result
    return result.reason


def set_arg(tool: str, name: str, value: object) -> dict[str, Any]:
    return valid(tool) | {name: value}


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_valid_arguments_pass_unchanged_in_spec_order(tool: str) -> None:
    shuffled = dict(reversed(valid(tool).items()))
    result = accepted(tool, shuffled)
    assert result.notes == ()
    assert list(result.args) == [row.name for row in TOOLS[tool].args]
    assert restore(TOOLS[tool], result.args) == result.args


@rows_of("number", "integer")
def test_number_above_its_range_is_brought_back_and_noted(tool: str, row: Argument) -> None:
    result = accepted(tool, set_arg(tool, row.name, row.max + 10))
    moved = row.min + 10 if row.wrap else row.max
    assert result.args[row.name] == moved
    assert result.notes == (f"{row.name} {number_text(row.max + 10)} -> {number_text(moved)}",)


@rows_of("number", "integer")
def test_number_below_its_range_is_brought_back_and_noted(tool: str, row: Argument) -> None:
    result = accepted(tool, set_arg(tool, row.name, row.min - 10))
    moved = row.max - 10 if row.wrap else row.min
    assert result.args[row.name] == moved
    assert result.notes == (f"{row.name} {number_text(row.min - 10)} -> {number_text(moved)}",)


@rows_of("number", "integer")
@pytest.mark.parametrize("end", ["min", "max"])
def test_number_at_the_end_of_its_range_is_kept(tool: str, row: Argument, end: str) -> None:
    value = getattr(row, end)
    result = accepted(tool, set_arg(tool, row.name, value))
    assert (result.args[row.name], result.notes) == (value, ())


@rows_of("number", "integer")
def test_numeric_text_counts_as_a_number(tool: str, row: Argument) -> None:
    result = accepted(tool, set_arg(tool, row.name, number_text(row.max)))
    assert result.args[row.name] == row.max


@rows_of("number", "integer")
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "true"),
        (False, "false"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        ("1e999", "'1e999'"),
        ("north", "'north'"),
        ("", "''"),
        ("nan", "'nan'"),
        ("Infinity", "'Infinity'"),
        ("1_0", "'1_0'"),
        (" 12", "' 12'"),
        ("12 ", "'12 '"),
        ("0x10", "'0x10'"),
        ("١٢", "'١٢'"),
        ([12], "a list"),
        ({"deg": 12}, "an object"),
    ],
)
def test_number_rejects_what_is_not_a_finite_number(
    tool: str, row: Argument, value: object, shown: str
) -> None:
    article = "an integer" if row.type == "integer" else "a number"
    span = f"{number_text(row.min)}..{number_text(row.max)}"
    reason = rejected(tool, set_arg(tool, row.name, value))
    assert reason == f"{row.name} is {shown}; {article} {span} expected"


@rows_of("number", "integer", "enum", "text", "path")
def test_absent_argument_is_rejected_unless_optional(tool: str, row: Argument) -> None:
    args = valid(tool)
    del args[row.name]
    for given_args in (args, args | {row.name: None}):
        if row.required:
            assert rejected(tool, given_args).startswith(f"{row.name} is missing; ")
        else:
            assert row.name not in accepted(tool, given_args).args


@rows_of("number", "integer")
def test_huge_integer_is_clamped(tool: str, row: Argument) -> None:
    high = accepted(tool, set_arg(tool, row.name, 10**400)).args[row.name]
    low = accepted(tool, set_arg(tool, row.name, -(10**400))).args[row.name]
    assert row.min <= low
    assert high <= row.max
    assert row.wrap or (low, high) == (row.min, row.max)


@rows_of("integer")
@pytest.mark.parametrize(
    ("value", "whole", "noted"),
    [(2.0, 2, False), (1.5, 2, True), (2.5, 3, True), (2.4, 2, True), ("2", 2, False)],
)
def test_integer_rounds_halves_up_and_says_so(
    tool: str, row: Argument, value: object, whole: int, noted: bool
) -> None:
    result = accepted(tool, set_arg(tool, row.name, value))
    assert result.args[row.name] == whole
    assert type(result.args[row.name]) is int
    assert result.notes == ((f"{row.name} {value} -> {whole}",) if noted else ())


@rows_of("number")
def test_minus_zero_becomes_zero(tool: str, row: Argument) -> None:
    found = accepted(tool, set_arg(tool, row.name, -0.0)).args[row.name]
    assert isinstance(found, float)
    assert math.copysign(1.0, found) == 1.0


@pytest.mark.parametrize(
    ("lon", "wrapped"),
    [
        (180, 180.0),
        (-180, -180.0),
        (181, -179.0),
        (-181, 179.0),
        (360, 0.0),
        (400, 40.0),
        (540, -180.0),
        (-900, -180.0),
        (1e300, None),
    ],
)
def test_longitude_wraps_instead_of_clamping(lon: float, wrapped: float | None) -> None:
    found = accepted("build_district", set_arg("build_district", "lon", lon)).args["lon"]
    assert isinstance(found, float)
    assert -180 <= found <= 180
    assert wrapped is None or found == wrapped


def test_hue_clamps_and_does_not_wrap() -> None:
    assert accepted("build_district", set_arg("build_district", "hue", 370)).args["hue"] == 360


@rows_of("enum")
@pytest.mark.parametrize("value", ["cactus", "", "TREES", "Void ", 3, None, True, ["trees"], {}])
def test_enum_rejects_all_but_its_values_and_lists_them(
    tool: str, row: Argument, value: object
) -> None:
    reason = rejected(tool, set_arg(tool, row.name, value))
    assert reason.endswith(f"; one of {', '.join(row.values)}")
    assert reason.startswith(f"{row.name} is missing" if value is None else f"unknown {row.name} ")


@rows_of("enum")
def test_enum_takes_each_of_its_values(tool: str, row: Argument) -> None:
    for value in row.values:
        assert accepted(tool, set_arg(tool, row.name, value)).args[row.name] == value


@pytest.mark.parametrize("tool", ["cactus", "", None, 3, True, ["place_road"], {}, "Place_Road"])
def test_unknown_tool_is_rejected_with_the_list(tool: object) -> None:
    reason = rejected(tool, {})
    assert reason.startswith("unknown tool ")
    assert reason.endswith(f"; one of {', '.join(TOOL_NAMES)}")


@pytest.mark.parametrize("args", [None, 3, "lat=3", [1, 2], True])
def test_args_that_are_no_object_are_rejected(args: object) -> None:
    assert rejected("set_sky", args).endswith("an object of arguments expected")


def test_extra_arguments_are_dropped_and_named() -> None:
    result = accepted("set_weather", valid("set_weather") | {"colour": "red", "x\ny": 1})
    assert "colour" not in result.args
    assert result.notes == ("dropped 'colour'", "dropped 'x\\ny'")


def test_many_notes_are_counted_instead_of_listed() -> None:
    extra = {f"x{i}": i for i in range(20)}
    notes = accepted("set_weather", valid("set_weather") | extra).notes
    assert len(notes) == 9
    assert notes[-1] == "and 12 more"


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("speak", "speak"),
        ("e\u0301", "é"),
        ("a\nb\tc", "a b c"),
        ("\u202eevil", "evil"),
        (" spaced  out ", "spaced out"),
        ("x" * 90, "x" * 90),
    ],
)
def test_text_is_cleaned(value: str, kept: str) -> None:
    result = accepted("inscribe_wish", {"text": value, "style": "orbit"})
    assert (result.args["text"], result.notes) == (kept, ())


@pytest.mark.parametrize("unit", ["x", "e\u0301\u0302", "\U0001f1e9\U0001f1ea", "👍🏽", "한"])
def test_text_is_cut_at_ninety_characters_as_readers_count(unit: str) -> None:
    result = accepted("inscribe_wish", {"text": unit * 120, "style": "orbit"})
    whole = accepted("inscribe_wish", {"text": unit * 90, "style": "orbit"})
    assert whole.notes == ()
    assert result.args == whole.args
    assert result.notes == ("text cut to 90 characters",)


def test_text_of_endless_marks_is_bounded() -> None:
    text = accepted("inscribe_wish", {"text": ("a" + "\u0301" * 50) * 90, "style": "stone"})
    assert len(str(text.args["text"])) <= 360
    huge = accepted("inscribe_wish", {"text": "ab " * 1_000_000, "style": "stone"})
    assert len(str(huge.args["text"])) <= 90


@pytest.mark.parametrize(
    "value", ["", "   ", "\n\t", "\x00\x07", "\u202e\u2066", "\u200d", "\ud800"]
)
def test_text_that_is_empty_once_cleaned_is_rejected(value: str) -> None:
    reason = rejected("inscribe_wish", {"text": value, "style": "orbit"})
    assert reason == "text is empty once cleaned; a text of 1..90 characters expected"


@pytest.mark.parametrize("value", [3, 1.5, True, ["speak"], {"text": "speak"}])
def test_text_rejects_what_is_no_text(value: object) -> None:
    reason = rejected("inscribe_wish", {"text": value, "style": "orbit"})
    assert reason.endswith("a text of 1..90 characters expected")


def road(path: object) -> Accepted | Rejected:
    return coerce("place_road", {"path": path})


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ([], "path has 0 waypoints; 2..6 expected"),
        ([[1, 2]], "path has 1 waypoint; 2..6 expected"),
        ("1,2", "path is '1,2'; a list of 2..6 waypoints [lat,lon] expected"),
        ({"lat": 1}, "path is an object; a list of 2..6 waypoints [lat,lon] expected"),
        ([1, 2, 3, 4], "path[0] is 1; a pair [lat,lon] expected"),
        ([[1, 2], [3]], "path[1] is a list; a pair [lat,lon] expected"),
        ([[1, 2, 3], [3, 4]], "path[0] is a list; a pair [lat,lon] expected"),
        ([[1, 2], {"lat": 3}], "path[1] is an object; a pair [lat,lon] expected"),
        ([[1, 2], [True, 4]], "path[1].lat is true; a number -85..85 expected"),
        ([[1, 2], [3, math.nan]], "path[1].lon is nan; a number -180..180 expected"),
        ([[1, 2], [1, 2]], "path[1] equals [0]; move one of them"),
        ([[1, 180], [1, -180]], "path[1] equals [0]; move one of them"),
        ([[1, 2], [1, 362]], "path[1] equals [0]; move one of them"),
        ([[86, 2], [89, 2]], "path[1] equals [0]; move one of them"),
        ([[5, 6], [1, 2], [1, 2.000001]], "path[2] equals [1]; move one of them"),
        ([[10, 20], [-10, -160]], "path[1] is opposite [0]; move one of them"),
        ([[0, 0], [0, 180]], "path[1] is opposite [0]; move one of them"),
    ],
)
def test_road_rejects_a_path_that_is_no_line(path: object, reason: str) -> None:
    assert road(path) == Rejected(reason)


def test_place_road_cuts_a_long_path_and_says_so() -> None:
    result = road([[i, i] for i in range(9)])
    assert isinstance(result, Accepted)
    assert result.args["path"] == tuple((float(i), float(i)) for i in range(6))
    assert result.notes == ("path 9 -> 6 waypoints",)


def test_waypoints_clamp_and_wrap_like_any_place() -> None:
    result = road([[95, 190], ["-3", -190]])
    assert isinstance(result, Accepted)
    assert result.args["path"] == ((85.0, -170.0), (-3.0, 170.0))
    assert result.notes == (
        "path[0].lat 95 -> 85",
        "path[0].lon 190 -> -170",
        "path[1].lon -190 -> 170",
    )


def test_a_path_may_come_back_to_an_earlier_waypoint() -> None:
    assert isinstance(road([[1, 2], [3, 4], [1, 2]]), Accepted)


def test_stream_needs_two_waypoints_and_pool_has_one() -> None:
    stream = set_arg("place_water", "path", [[1, 2]])
    assert rejected("place_water", stream) == "path has 1 waypoint; 2..5 expected"
    pool = accepted("place_water", stream | {"kind": "pool"})
    assert (pool.args["path"], pool.notes) == (((1.0, 2.0),), ())
    many = accepted("place_water", set_arg("place_water", "kind", "pool"))
    assert (many.args["path"], many.notes) == (((1.0, 2.0),), ("path 2 -> 1 waypoints",))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["12", "-3.5", "trees", "pool", "orbit", "void", 10**400]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)


@st.composite
def nearly_valid(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    tool = draw(st.sampled_from(TOOL_NAMES))
    args = valid(tool)
    for name in draw(st.lists(st.sampled_from(list(args)), max_size=3)):
        args[name] = draw(
            json_values
            | st.floats(-500, 500)
            | st.lists(st.lists(st.floats(-200, 200), min_size=2, max_size=2), max_size=8)
        )
    return tool, args


@given(nearly_valid())
def test_accepted_arguments_are_canonical_and_stable(call: tuple[str, dict[str, Any]]) -> None:
    tool, args = call
    result = coerce(tool, args)
    if isinstance(result, Rejected):
        assert "\n" not in result.reason
        return
    assert restore(TOOLS[tool], result.args) == result.args
    assert coerce(tool, result.args) == Accepted(result.args)
    again = json.loads(json.dumps(result.args, allow_nan=False))
    assert restore(TOOLS[tool], again) == result.args


@given(json_values, json_values)
def test_nonsense_is_answered_and_never_raises(tool: object, args: object) -> None:
    assert isinstance(coerce(tool, args), (Accepted, Rejected))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lat": 86}, "place_structure.lat: 86; a number -85..85 expected"),
        ({"lat": "1"}, "place_structure.lat: '1'; a number"),
        ({"lat": True}, "place_structure.lat: true; a number"),
        ({"lat": math.nan}, "place_structure.lat: nan; a number"),
        ({"lat": None}, "place_structure.lat: null; a number"),
        ({"lon": 181}, "place_structure.lon: 181; a number"),
        ({"kind": "cactus"}, "place_structure.kind: 'cactus'; one of lighthouse"),
        ({"kind": ["house"]}, "place_structure.kind: a list; one of"),
        ({"colour": 1}, "place_structure: unknown argument 'colour'; remove it"),
    ],
)
def test_restore_takes_only_canonical_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        restore(TOOLS["place_structure"], valid("place_structure") | changes)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("place_road", {"path": [[1, 2], ["3", 4]]}),
        ("place_road", {"path": [[1, 2], [91, 4]]}),
        ("place_road", {"path": [[i, i] for i in range(7)]}),
        ("place_road", {"path": [[1, 2], [1, 2]]}),
        ("place_road", {}),
        ("place_water", {"kind": "pool", "path": [[1, 2]], "hue": 200, "radius_deg": None}),
        ("inscribe_wish", {"text": "x" * 91, "style": "orbit"}),
        ("inscribe_wish", {"text": " x", "style": "orbit"}),
        ("inscribe_wish", {"text": "a\nb", "style": "orbit"}),
        ("inscribe_wish", {"text": "", "style": "orbit"}),
        ("set_sky", {"palette": "void", "star_density": 1, "moons": 1.5}),
    ],
)
def test_restore_refuses_what_coerce_would_change(tool: str, args: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{tool}"):
        restore(TOOLS[tool], args)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (12.0, "12"),
        (-12.5, "-12.5"),
        (0.1, "0.1"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (1e-7, "1e-7"),
        (123456789012345680.0, "123456789012345680"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.25e300, "1.25e+300"),
        (5e-324, "5e-324"),
        (1e16, "10000000000000000"),
        (1234.5678, "1234.5678"),
    ],
)
def test_number_text_is_written_as_javascript_writes_it(value: float, text: str) -> None:
    assert number_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_text_reads_back_as_the_same_number(value: float) -> None:
    assert float(number_text(value)) == value
    assert not number_text(value).endswith(".0")


def test_quoted_is_short_and_on_one_line() -> None:
    assert quoted("a\nb") == "'a\\nb'"
    assert len(quoted("x" * 1000)) < 40
    assert quoted(10**5000) == "a huge integer"
    assert quoted(object()) == "<object>"
