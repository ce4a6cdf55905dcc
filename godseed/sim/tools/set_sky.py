"""The sky: it has no geometry of its own; `godseed.sim.environment` reads the feature itself.

Twin: web/sim/tools/set_sky.js
"""

from __future__ import annotations

from godseed.sim.columns import Built, Columns, Paths


def build(columns: Columns, paths: Paths) -> Built:
    """Nothing to place.

    Args:
        columns: n features with `palette star_density moons`.
        paths: not read.
    Returns:
        No parts.
    """
    return Built({})
