"""The gallery forgets nothing: a kind that is added has a tile at once."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from godseed.check import gallery as gallery_module
from godseed.check.gallery import SECTIONS, STAGES, Tile, expected_covers, gallery
from godseed.sim.camera import parse_shot
from godseed.spec import load


@pytest.fixture(scope="module")
def tiles() -> list[Tile]:
    return gallery()


@pytest.mark.parametrize("what", sorted(expected_covers()), ids=" ".join)
def test_everything_of_the_specification_has_a_tile(
    tiles: list[Tile], what: tuple[str, ...]
) -> None:
    covered = {tile.covers for tile in tiles} | {tile.covers[:1] for tile in tiles}
    assert what in covered


def test_every_section_has_tiles_in_order(tiles: list[Tile]) -> None:
    assert tuple(dict.fromkeys(tile.section for tile in tiles)) == SECTIONS


def test_every_tool_is_shown_growing(tiles: list[Tile]) -> None:
    growing = [tile for tile in tiles if tile.section == "growth"]
    tools = [row["name"] for row in load("tools.json")["tools"]]
    assert len(growing) == len(STAGES) * len(tools)
    for tool in tools:
        times = [tile.time_ms for tile in growing if tile.covers == (tool,)]
        assert times == sorted(set(times)), tool
        assert len(times) == len(STAGES)


def test_every_kind_of_camera_is_shown(tiles: list[Tile]) -> None:
    shots = [tile.shot for tile in tiles if tile.section == "cameras"]
    kinds = {parse_shot(shot).kind for shot in shots if isinstance(shot, str)}
    assert kinds == {"town", "world", "gaze", "descend", "free"}


def test_tiles_of_kinds_differ_in_what_they_show(tiles: list[Tile]) -> None:
    portraits = [tile for tile in tiles if tile.section in ("structures", "flora", "places")]
    assert len({tile.name for tile in portraits}) == len(portraits)
    for tile in portraits:
        last = tile.stage.features[-1]
        assert last.tool == tile.covers[0]
        assert tile.covers[1:] == () or tile.covers[1] in last.args.values()


def test_tiles_follow_the_specification_and_are_typed_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A value that goes leaves no tile, so one that comes has one."""
    spec: dict[str, Any] = copy.deepcopy(load("tools.json"))
    gone = {("set_sky", "ember"), ("set_weather", "mist"), ("spawn_flora", "reeds")}
    for row in spec["tools"]:
        for arg in row["args"]:
            if arg["type"] == "enum":
                arg["values"] = [v for v in arg["values"] if (row["name"], v) not in gone]
    sections = ("skies", "weather", "flora")
    whole = {tile.covers for tile in gallery(sections)}
    monkeypatch.setattr(gallery_module, "load", lambda name: spec)
    assert whole - {tile.covers for tile in gallery(sections)} == gone


def test_unknown_section_is_refused() -> None:
    with pytest.raises(ValueError, match="gallery: section 'moons'; expected one of structures"):
        gallery(("moons",))
