"""The tool table is complete, keeps the contract's ranges, and the page made of it is current."""

from __future__ import annotations

from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from godseed import spec
from godseed.sim.arguments import TOOL_NAMES, TOOLS, Tool
from godseed.sim.schema import tools_page

RANGES: dict[str, dict[str, Any]] = {
    "raise_terrain": {
        "lat": (-85, 85),
        "lon": (-180, 180),
        "radius_deg": (2, 45),
        "height": (0.01, 0.12),
        "roughness": (0, 1),
    },
    "lower_terrain": {
        "lat": (-85, 85),
        "lon": (-180, 180),
        "radius_deg": (2, 45),
        "depth": (0.01, 0.10),
        "roughness": (0, 1),
    },
    "spawn_flora": {
        "lat": (-85, 85),
        "lon": (-180, 180),
        "radius_deg": (1, 30),
        "kind": "trees glowgrass mushrooms vines flowers reeds",
        "density": (0, 1),
        "hue": (0, 360),
    },
    "place_structure": {
        "lat": (-85, 85),
        "lon": (-180, 180),
        "kind": "lighthouse monolith shrine village beacon arch tower warehouse cafe bank market"
        " house",
        "scale": (0.5, 2.0),
        "hue": (0, 360),
    },
    "place_water": {
        "kind": "stream pool",
        "path": (1, 5),
        "radius_deg": (1, 10),
        "hue": (160, 260),
    },
    "set_weather": {"kind": "clear rain snow embers mist storm", "intensity": (0, 1)},
    "set_sky": {
        "palette": "dawn dusk night aurora ember void gold",
        "star_density": (0, 1),
        "moons": (0, 3),
    },
    "inscribe_wish": {"text": 90, "style": "orbit stone"},
    "spawn_life": {
        "lat": (-85, 85),
        "lon": (-180, 180),
        "radius_deg": (1, 20),
        "kind": "carts birds fireflies",
        "count": (1, 12),
        "hue": (0, 360),
    },
    "build_district": {
        "lat": (-85, 85),
        "lon": (-180, 180),
        "radius_deg": (2, 15),
        "density": (0, 1),
        "hue": (0, 360),
    },
    "place_road": {"path": (2, 6)},
}
each_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)


def test_tools_stand_in_the_order_of_the_contract() -> None:
    assert tuple(RANGES) == TOOL_NAMES
    assert [tool.index for tool in TOOLS.values()] == list(range(11))


@each_tool
def test_tool_takes_exactly_what_the_contract_says(tool: Tool) -> None:
    found: dict[str, Any] = {}
    for row in tool.args:
        if row.type == "enum":
            found[row.name] = " ".join(row.values)
        elif row.type == "text":
            found[row.name] = row.max_length
        elif row.type == "path":
            found[row.name] = (row.min_items, row.max_items)
        else:
            found[row.name] = (row.min, row.max)
    assert found == RANGES[tool.name]
    assert list(found) == list(RANGES[tool.name])


@each_tool
def test_tool_is_described_in_full(tool: Tool) -> None:
    assert tool.doc.endswith(".")
    assert tool.material in {row["name"] for row in spec.load("materials.json")["materials"]}
    for row in tool.args:
        assert row.doc, row.name
        assert row.required or row.default is not None
        if row.type in ("number", "integer"):
            assert row.min < row.max
            assert row.unit
        if row.type == "enum":
            assert len(set(row.values)) == len(row.values) > 1
        assert row.wrap == (row.name == "lon")
        if row.type == "path":
            assert row.lat is not None
            assert row.lon is not None
            assert (row.lat.min, row.lat.max, row.lon.wrap) == (-85, 85, True)


@each_tool
def test_observation_names_only_what_the_tool_has(tool: Tool) -> None:
    known = {row.name for row in tool.args if row.required}
    if "path" in known:
        known |= {"start", "end"}
    fields = {name for _, name, _, _ in Formatter().parse(tool.observation) if name}
    assert fields
    assert fields <= known - {"path"}


def test_reference_page_is_current(repo_root: Path) -> None:
    page = repo_root / "docs" / "reference" / "tools.md"
    assert page.read_text("utf-8") == tools_page(), (
        "docs/reference/tools.md is stale; run python -m godseed.sim.schema > " + str(page.name)
    )


def test_town_names_are_many_and_different() -> None:
    names = spec.load("town_names.json")
    assert len(names) == len(set(names)) >= 64
    assert all(name.isascii() and name.istitle() for name in names)


def test_constants_are_numbers_in_named_sections() -> None:
    constants = spec.constants()
    assert constants["town"]["district_weight"] == 4
    assert constants["timeline"]["chars_per_second"] == 28
    assert all(isinstance(section, dict) and section for section in constants.values())


def test_spec_refuses_an_unknown_file_by_name() -> None:
    with pytest.raises(FileNotFoundError, match=r"spec\.path: no file 'tool\.json'; expected"):
        spec.load("tool.json")


def test_spec_reads_each_file_once() -> None:
    assert spec.load("tools.json") is spec.load("tools.json")
    assert spec.text("tools.json").startswith("{")
    assert spec.path("tools.json").name == "tools.json"
