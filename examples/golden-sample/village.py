"""What this project makes: a village round a pool, from a few tool calls."""

from __future__ import annotations

from typing import Any

from godseed.sim.world import World

HUE = 45
"""Of the lighthouse's light, degrees."""


def village(hue: float = HUE) -> World:
    """The world, every call accepted."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("place_water", {"kind": "pool", "path": [[13, 38]], "radius_deg": 2, "hue": 205}),
        ("build_district", {"lat": 12, "lon": 42, "radius_deg": 4, "density": 0.6, "hue": 30}),
        ("place_road", {"path": [[15, 34], [13, 38], [12, 42]]}),
        (
            "place_structure",
            {"lat": 15, "lon": 35, "kind": "lighthouse", "scale": 1.2, "hue": hue},
        ),
    )
    world = World.genesis()
    for index, (tool, args) in enumerate(calls):
        applied = world.apply({"tool": tool, "args": args}, "w_000001", index)
        if applied.feature is None:
            raise ValueError(f"{tool}: {applied.observation}; expected a feature")
        world = applied.world
    return world
