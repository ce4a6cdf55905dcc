"""The town: where it lies, and what it is called.

The centre is the weighted mean of unit vectors over what wishes built, structures and districts,
summed in feature order and brought back to the sphere; genesis does not count. Only the sum is
carried from feature to feature, so the centre of every prefix of a world costs one addition.
Weights and fallback: `town` in `spec/constants.json`.
Source: docs/decisions/0005-town-centre-weight.md.

Twin: web/sim/town.js
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np

from godseed.sim.feature import GENESIS_WISH, Feature
from godseed.sim.maths import F64, round_half_up
from godseed.sim.sphere import direction, dot, lat_lon
from godseed.spec import constants, load

WEIGHT_NAMES: Final = {"place_structure": "structure_weight", "build_district": "district_weight"}


@dataclass(slots=True)
class TownSum:
    """The running weighted sum of a town, feature by feature.

    Attributes:
        total: (3,) weighted sum of the unit vectors of the features added.
    """

    total: F64 = field(default_factory=lambda: np.zeros(3))

    def add(self, feature: Feature) -> None:
        """Count one more feature; most weigh nothing."""
        _, self.total = town_prefixes(self.total, (feature,))

    @property
    def center(self) -> F64:
        """(3,) unit vector, the centre of what was added so far."""
        center: F64 = centers_of(self.total[None, :])[0]
        return center


def town_center(features: Iterable[Feature]) -> F64:
    """Centre of the town of a feature list.

    Args:
        features: in world order.
    Returns:
        (3,) float64 unit vector; near the genesis monolith where nothing is built, or where what
        is built balances out.
    """
    _, total = town_prefixes(np.zeros(3), tuple(features))
    center: F64 = centers_of(total[None, :])[0]
    return center


def town_prefixes(total: F64, features: Sequence[Feature]) -> tuple[F64, F64]:
    """Centres of the town before each of some features.

    Args:
        total: (3,) weighted sum of all features before them.
        features: n features that follow.
    Returns:
        (n, 3) unit vectors, and the (3,) sum with them.
    """
    weights = _weights()
    pulls = np.zeros((len(features) + 1, 3))
    pulls[0] = total
    rows = [
        i
        for i, feature in enumerate(features)
        if feature.tool in weights and feature.wish_id != GENESIS_WISH
    ]
    if rows:
        lat = np.array([features[i].args["lat"] for i in rows], dtype=np.float64)
        lon = np.array([features[i].args["lon"] for i in rows], dtype=np.float64)
        weight = np.array([weights[features[i].tool] for i in rows])
        pulls[np.array(rows) + 1] = direction(lat, lon) * weight[:, None]
    sums = np.cumsum(pulls, axis=0)
    return centers_of(sums[:-1]), sums[-1]


def centers_of(sums: F64) -> F64:
    """Town centres from weighted sums.

    Args:
        sums: (n, 3) float64.
    Returns:
        (n, 3) unit vectors; the fallback where a sum is shorter than `min_mean_length`.
    """
    town = constants()["town"]
    length = np.sqrt(dot(sums, sums))
    short = length < town["min_mean_length"]
    centers = sums / np.where(short, 1.0, length)[:, None]
    if short.any():
        centers[short] = direction(town["fallback_lat_deg"], town["fallback_lon_deg"])
    return centers


def town_place(center: F64) -> tuple[int, int]:
    """Latitude and longitude of a town centre, whole degrees, halves rounded up.

    Args:
        center: (3,) unit vector.
    """
    lat, lon = lat_lon(center)
    return int(round_half_up(float(lat))), int(round_half_up(float(lon)))


def town_name(center: F64) -> str:
    """Name of a town: decided by the whole degrees that it lies nearest to.

    Args:
        center: (3,) unit vector.
    """
    lat, lon = town_place(center)
    names = cast(Sequence[str], load("town_names.json"))
    return names[zlib.crc32(f"{lat},{lon}".encode()) % len(names)]


def _weights() -> dict[str, float]:
    town: Any = constants()["town"]
    return {tool: float(town[name]) for tool, name in WEIGHT_NAMES.items()}
