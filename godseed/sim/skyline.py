"""What stands on the ground and how high: what cameras frame, look past and fly round.

Twin: web/sim/skyline.js
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from godseed.sim.kits import kit
from godseed.sim.maths import F32, F64, smoothstep
from godseed.sim.sphere import dot

LOWEST = 0.008
"""What is not higher than a lamp hides nothing, planet radii."""
TALL = 0.018
"""Whatever is lower is under every camera anyway."""
MARGIN = 0.014
"""Room between the top of a building and a camera above it."""
STEEP, GENTLE = 0.018, 0.085
"""The floor for cameras is as high as a building this far around it, and ends this far away."""
TOWN_REACH = 0.6
"""What is farther from a town's centre does not belong to it; chord."""
PAIRS_AT_ONCE = 1 << 17
SMALLEST = 0.06
"""Extent of a town of one building, planet radii."""


@dataclass(frozen=True)
class Skyline:
    """n things that stand, kit after kit by name.

    Attributes:
        dirs: (n, 3) unit vectors.
        ground: (n,) height of the ground under each, planet radii.
        height: (n,) of each above its ground.
        reach: (n,) radius of each.
        chosen: framings that were chosen for it, by what they show.
    """

    dirs: F64
    ground: F64
    height: F64
    reach: F64
    chosen: dict[Any, Any] = field(default_factory=dict)

    def extent(self, center: F64) -> float:
        """How far a town reaches around its centre: twice the spread of what stands near it."""
        gap = self.dirs - center
        square = dot(gap, gap)
        near = square[square < TOWN_REACH * TOWN_REACH]
        if len(near) == 0:
            return SMALLEST
        return max(SMALLEST, 2.0 * float(np.sqrt(np.cumsum(near)[-1] / len(near))))

    def floor(self, dirs: F64) -> F64:
        """Least height (m,) above radius 1 at which a camera passes over what stands, -1 where
        nothing does.

        Args:
            dirs: (m, 3) unit vectors.
        """
        floor = np.full(len(dirs), -1.0)
        tall = np.nonzero(self.height > TALL)[0]
        reach, ground = self.reach[tall], self.ground[tall]
        rise = self.height[tall] + MARGIN
        rows = max(1, PAIRS_AT_ONCE // max(1, len(tall)))
        for first in range(0, len(dirs) if len(tall) else 0, rows):
            some = slice(first, first + rows)
            gap = self.dirs[None, tall] - dirs[some, None]
            apart = np.sqrt(dot(gap, gap))
            fall = 1.0 - smoothstep(0.0, 1.0, (apart - reach - STEEP) / (GENTLE - STEEP))
            top = np.where(apart < reach + GENTLE, ground + rise * fall, -1.0)
            floor[some] = np.max(top, axis=1)
        return floor


def skyline_of(stands: Iterable[tuple[str, F32, F32]]) -> Skyline:
    """The skyline of kits.

    Args:
        stands: kit name, instance rows (r, 16), and ground under each (r, 1); by name.
    """
    none = np.zeros((0, 3))
    dirs, ground, height, reach = [none], [none[:, 0]], [none[:, 0]], [none[:, 0]]
    for name, rows, under in stands:
        info = kit(name)
        if info.family != "structure":
            continue
        scale = rows[:, 3].astype(np.float64)
        tops = scale * rows[:, 7].astype(np.float64) * info.height
        high = tops > LOWEST
        dirs.append(rows[high, 0:3].astype(np.float64))
        ground.append(under[high, 0].astype(np.float64))
        height.append(tops[high])
        reach.append(scale[high] * info.footprint)
    return Skyline(
        np.concatenate(dirs), np.concatenate(ground), np.concatenate(height), np.concatenate(reach)
    )
