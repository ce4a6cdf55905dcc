"""The world in a few sentences, for a small model's prompt: deterministic, never long.

The town comes first, because the god is asked to build near it; then nature, sky, weather and the
last wishes, as far as they fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from godseed.sim.arguments import TOOLS
from godseed.sim.feature import GENESIS_WISH, Feature
from godseed.sim.grapheme import clean_line, cut
from godseed.sim.town import town_center, town_name, town_place
from godseed.sim.world import World
from godseed.spec import constants

RECENT_WISHES: Final = 3
RECENT_GRAPHEMES: Final = 60
NOUNS: Final = {
    "cafe": ("café", "cafés"),
    "lighthouse": ("lighthouse", "lighthouses"),
    "beacon": ("beacon", "beacons"),
    "arch": ("arch", "arches"),
    "build_district": ("district", "districts"),
    "place_road": ("road", "roads"),
    "raise_terrain": ("mountain", "mountains"),
    "lower_terrain": ("valley", "valleys"),
    "inscribe_wish": ("inscription", "inscriptions"),
}
"""Kind or tool -> one and many; any other kind takes an s."""


def summary(world: World, recent: Sequence[str] = ()) -> str:
    """Describe a world.

    Args:
        world: any world.
        recent: texts of the wishes granted so far, oldest first; the last few are quoted.
    Returns:
        At most `summary.max_chars` characters of `spec/constants.json`.
    """
    limit = int(constants()["summary"]["max_chars"])
    text = " ".join(
        (
            _town_sentence(world.features),
            _nature_sentence(world.features),
            _sky_sentence(world.features),
            f"Epoch {world.epoch}.",
        )
    )
    quotes: list[str] = []
    for wish in reversed(recent[-RECENT_WISHES:]):
        line = cut(clean_line(wish), RECENT_GRAPHEMES, 2 * RECENT_GRAPHEMES)
        longer = [f"“{line}”", *quotes]
        if line and len(f"{text} Last wishes: {'; '.join(longer)}.") <= limit:
            quotes = longer
    wishes = f" Last wishes: {'; '.join(quotes)}." if quotes else ""
    return cut(text + wishes, limit, limit)


def _town_sentence(features: Sequence[Feature]) -> str:
    center = town_center(features)
    lat, lon = town_place(center)
    counts: Counter[str] = Counter()
    for feature in features:
        if feature.wish_id == GENESIS_WISH:
            continue
        if feature.tool == "place_structure":
            counts[str(feature.args["kind"])] += 1
        elif feature.tool in ("build_district", "place_road"):
            counts[feature.tool] += 1
    names = (*_kinds("place_structure"), "build_district", "place_road")
    built = _listed(_counted(counts[name], name) for name in names if counts[name])
    where = f"The town of {town_name(center)} stands near ({lat},{lon})"
    return f"{where}: {built or 'nothing built yet'}."


def _nature_sentence(features: Sequence[Feature]) -> str:
    counts: Counter[str] = Counter()
    for feature in features:
        if feature.tool in ("raise_terrain", "lower_terrain", "inscribe_wish"):
            counts[feature.tool] += 1
        elif feature.tool in ("place_water", "spawn_flora"):
            counts[str(feature.args["kind"])] += 1
        elif feature.tool == "spawn_life":
            counts[str(feature.args["kind"])] += int(str(feature.args["count"]))
    parts = [
        _counted(counts[name], name)
        for name in ("raise_terrain", "lower_terrain", *_kinds("place_water"))
        if counts[name]
    ]
    parts += [
        f"{kind} in {counts[kind]} place{'' if counts[kind] == 1 else 's'}"
        for kind in _kinds("spawn_flora")
        if counts[kind]
    ]
    parts += [f"{counts[kind]} {kind}" for kind in _kinds("spawn_life") if counts[kind]]
    if counts["inscribe_wish"]:
        parts.append(_counted(counts["inscribe_wish"], "inscribe_wish"))
    return f"The world has {_listed(parts) or 'bare ground'}."


def _sky_sentence(features: Sequence[Feature]) -> str:
    sky, weather = "void", "clear"
    moons = 0
    for feature in features:
        if feature.tool == "set_sky":
            sky, moons = str(feature.args["palette"]), int(str(feature.args["moons"]))
        elif feature.tool == "set_weather":
            weather = str(feature.args["kind"])
    return f"Sky: {sky}, {moons} moon{'' if moons == 1 else 's'}. Weather: {weather}."


def _kinds(tool: str) -> tuple[str, ...]:
    """Values of a tool's `kind`, in spec order."""
    return next(row.values for row in TOOLS[tool].args if row.name == "kind")


def _counted(count: int, name: str) -> str:
    """`a café`, `an arch`, `12 houses`."""
    one, many = NOUNS.get(name, (name, name + "s"))
    if count > 1:
        return f"{count} {many}"
    return f"{'an' if one[0] in 'aeiou' else 'a'} {one}"


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)
