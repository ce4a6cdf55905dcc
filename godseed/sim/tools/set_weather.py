"""The weather: it has no geometry of its own; `godseed.sim.environment` reads the feature itself.

Twin: web/sim/tools/set_weather.js
"""

from __future__ import annotations

from godseed.sim.columns import Built, Columns, Paths


def build(columns: Columns, paths: Paths) -> Built:
    """Nothing to place.

    Args:
        columns: n features with `kind intensity`.
        paths: not read.
    Returns:
        No parts.
    """
    return Built({})
