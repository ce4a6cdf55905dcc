"""Epoch 0: a barren obsidian world, one monolith, an orbiting invitation.

Every world that was ever granted a wish stands on these four features; they never change.

Twin: web/sim/genesis.js
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from godseed.sim.feature import GENESIS_WISH, Feature, feature_id

GENESIS: Final[tuple[tuple[str, dict[str, Any], int], ...]] = (
    ("set_sky", {"palette": "void", "star_density": 0.9, "moons": 1}, 7),
    (
        "raise_terrain",
        {"lat": 12, "lon": 40, "radius_deg": 28, "height": 0.05, "roughness": 0.7},
        11,
    ),
    ("place_structure", {"lat": 14, "lon": 38, "kind": "monolith", "scale": 1.4, "hue": 270}, 13),
    ("inscribe_wish", {"text": "speak, and it will be made", "style": "orbit"}, 17),
)
"""Tool, arguments and seed of each genesis feature."""


@cache
def genesis_features() -> tuple[Feature, ...]:
    """The four features of epoch 0."""
    return tuple(
        Feature(feature_id(i), GENESIS_WISH, tool, args, seed)
        for i, (tool, args, seed) in enumerate(GENESIS)
    )
