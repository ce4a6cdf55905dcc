"""The world in a few sentences: the same for the same world, and never long."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.arguments import TOOL_NAMES, TOOLS
from godseed.sim.feature import Feature, feature_id, wish_id
from godseed.sim.summary import summary
from godseed.sim.world import World

PLACE = {"lat": 14, "lon": 38}


def world_of(*calls: tuple[str, dict[str, Any]]) -> World:
    world = World.genesis()
    for i, (tool, args) in enumerate(calls):
        result = world.apply({"tool": tool, "args": args}, "w_000001", i)
        assert result.feature is not None, result.observation
        world = result.world
    return world


def house(kind: str = "house", **place: float) -> tuple[str, dict[str, Any]]:
    return "place_structure", {**PLACE, **place, "kind": kind, "scale": 1, "hue": 30}


def test_genesis_is_a_town_to_come() -> None:
    assert summary(World.genesis()) == (
        "The town of Hazelmoor stands near (14,38): nothing built yet. "
        "The world has a mountain, an inscription. Sky: void, 1 moon. Weather: clear. Epoch 0."
    )


def test_summary_counts_what_stands_in_the_town() -> None:
    world = world_of(
        *(house("tower") for _ in range(3)),
        house("cafe"),
        *(house() for _ in range(12)),
        house("arch"),
        ("build_district", {**PLACE, "radius_deg": 4, "density": 1, "hue": 30}),
        ("place_road", {"path": [[14, 38], [15, 39]]}),
        ("place_road", {"path": [[14, 38], [13, 39]]}),
    )
    assert summary(world).startswith(
        "The town of Hazelmoor stands near (14,38): an arch, 3 towers, a café, 12 houses, "
        "a district, 2 roads. "
    )


def test_summary_tells_of_nature_sky_and_weather() -> None:
    green = {**PLACE, "radius_deg": 5, "density": 1, "hue": 120}
    world = world_of(
        ("lower_terrain", {**PLACE, "radius_deg": 5, "depth": 0.02, "roughness": 0}),
        ("spawn_flora", {**green, "kind": "trees"}),
        ("spawn_flora", {**green, "kind": "trees"}),
        ("spawn_flora", {**green, "kind": "reeds"}),
        ("place_water", {"kind": "stream", "path": [[1, 2], [3, 4]], "hue": 200}),
        ("place_water", {"kind": "pool", "path": [[1, 2]], "hue": 200}),
        ("spawn_life", {**PLACE, "radius_deg": 5, "kind": "birds", "count": 5, "hue": 1}),
        ("spawn_life", {**PLACE, "radius_deg": 5, "kind": "birds", "count": 3, "hue": 1}),
        ("set_sky", {"palette": "aurora", "star_density": 1, "moons": 2}),
        ("set_weather", {"kind": "snow", "intensity": 0.5}),
    )
    assert summary(world).endswith(
        "The world has a mountain, a valley, a stream, a pool, trees in 2 places, "
        "reeds in 1 place, 8 birds, an inscription. "
        "Sky: aurora, 2 moons. Weather: snow. Epoch 1."
    )


def test_summary_quotes_the_last_three_wishes_in_order() -> None:
    text = summary(World.genesis(), ["one", "two", "a\nlake", "\u202e  "])
    assert text.endswith(" Epoch 0. Last wishes: “two”; “a lake”.")
    assert summary(World.genesis(), []) == summary(World.genesis())


def test_summary_cuts_a_long_wish_between_characters() -> None:
    text = summary(World.genesis(), ["\U0001f1e9\U0001f1ea" * 100])
    assert text.endswith("“" + "\U0001f1e9\U0001f1ea" * 60 + "”.")


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_summary_changes_with_every_tool(tool: str) -> None:
    args: dict[str, Any] = {}
    for row in TOOLS[tool].args:
        if row.type == "enum":
            args[row.name] = row.values[-1]
        elif row.type == "text":
            args[row.name] = "words"
        elif row.type == "path":
            args[row.name] = [[1, 2], [3, 4]]
        else:
            args[row.name] = row.max
    changed, before = summary(world_of((tool, args))), summary(World.genesis())
    assert changed.replace("Epoch 1", "Epoch 0") != before


@given(
    st.lists(st.text(max_size=400), max_size=5),
    st.dictionaries(
        st.sampled_from(
            [
                (tool, value)
                for tool in ("place_structure", "spawn_flora", "place_water", "spawn_life")
                for row in TOOLS[tool].args
                if row.type == "enum"
                for value in row.values
            ]
        ),
        st.integers(1, 40),
    ),
)
def test_summary_fits_and_repeats_for_any_world(
    recent: list[str], counts: dict[tuple[str, str], int]
) -> None:
    calls = [(tool, "kind", kind) for (tool, kind), count in counts.items() for _ in range(count)]
    world = world_of(*(every(*call) for call in calls))
    text = summary(world, recent)
    assert len(text) <= 900
    assert text == summary(world, recent)
    assert "\n" not in text


def test_summary_of_a_crowded_world_still_fits() -> None:
    """Every kind there is, many times, and long wishes."""
    templates = [
        Feature(feature_id(0), wish_id(1), tool, dict(feature.args), 1)
        for tool in TOOL_NAMES
        for row in TOOLS[tool].args
        if row.type == "enum"
        for value in row.values
        for feature in world_of(every(tool, row.name, value)).features[4:]
    ]
    features = [
        Feature(feature_id(i), wish_id(1), template.tool, template.args, 1)
        for i, template in enumerate(templates * 60)
    ]
    text = summary(World(features), ["a wish of many words " * 9] * 3)
    assert len(text) <= 900
    assert "Epoch 1." in text
    assert "Last wishes" in text


def every(tool: str, name: str, value: str) -> tuple[str, dict[str, Any]]:
    args: dict[str, Any] = {"text": "words", "path": [[1, 2], [3, 4]], name: value}
    for row in TOOLS[tool].args:
        if row.type in ("number", "integer"):
            args[row.name] = row.max
        elif row.type == "enum":
            args.setdefault(row.name, row.values[0])
    return tool, args
