"""Valleys and craters: one row of the terrain table per feature, with a negative amplitude.

Twin: web/sim/tools/lower_terrain.js
"""

from __future__ import annotations

from godseed.sim.columns import Built, Columns, Paths
from godseed.sim.terrain import relief_part


def build(columns: Columns, paths: Paths) -> Built:
    """Lower the ground in a cap.

    Args:
        columns: n features with `lat lon radius_deg depth roughness`.
        paths: not read.
    Returns:
        Part `terrain`: one row per feature, see `godseed.sim.terrain`.
    """
    return Built({"terrain": relief_part(columns, -columns.numbers["depth"])})
