"""Mountains: one row of the terrain table per feature, and pale stone where they stand high.

Twin: web/sim/tools/raise_terrain.js
"""

from __future__ import annotations

from godseed.sim.columns import Built, Columns, Paths
from godseed.sim.terrain import relief_part


def build(columns: Columns, paths: Paths) -> Built:
    """Raise the ground in a cap.

    Args:
        columns: n features with `lat lon radius_deg height roughness`.
        paths: not read.
    Returns:
        Part `terrain`: one row per feature, see `godseed.sim.terrain`.
    """
    return Built({"terrain": relief_part(columns, columns.numbers["height"])})
