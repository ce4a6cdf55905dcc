"""Where the shadow map looks: a window over the ground near the camera, seen from the key light.

The window lies round a vertex of the level 3 icosphere, as the finer ground does, so that it stands
still while the camera moves within it. Its axes are level and upright at that place, and it is as
tall as the ground in it looks from the light, so that no texel is spent on what is not there.

Twin: web/sim/shadow.js
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from godseed.sim.maths import F64
from godseed.sim.planet import snap
from godseed.sim.sphere import cross, dot, east_north, icosphere, normalize
from godseed.spec import constants


def shadow_window(focus: F64, near: bool, sun: F64) -> Mapping[str, float | tuple[float, ...]]:
    """Uniforms of the shadow map.

    Args:
        focus: (3,) unit direction of what the shot is about.
        near: whether the camera stands near the ground; from afar the window spans half the planet.
        sun: (3,) unit vector towards the key light.
    Returns:
        `u_shadow`, the matrix from the world to the map's clip space, column-major; and
        `u_shadow_texel`, the width of a texel in planet radii.
    """
    rule = constants()["shadow"]
    anchor = icosphere(3).vertices[snap(focus)]
    level = cross(anchor, sun)
    right = normalize(level) if float(dot(level, level)) > 1e-6 else east_north(sun)[0]
    up = cross(sun, right)
    height = float(dot(anchor, sun))
    slant = float(np.sqrt(max(1.0 - height * height, 0.0)))
    wide = float(rule["near_reach"] if near else rule["far_reach"])
    # Seen from the side, the ground falls away by half the square of the distance.
    tall = wide * abs(height) + (rule["headroom"] + 0.5 * wide * wide) * slant
    deep = float(rule["depth"])
    rows = (right / wide, up / tall, -sun / deep)
    shift = [-float(dot(anchor, row)) for row in rows]
    shift[2] += rule["toward_sun"] / deep
    matrix = [(float(rows[0][k]), float(rows[1][k]), float(rows[2][k]), 0.0) for k in range(3)]
    matrix.append((shift[0], shift[1], shift[2], 1.0))
    return {
        "u_shadow": tuple(x for column in matrix for x in column),
        "u_shadow_texel": 2.0 * wide / rule["size_px"][0],
    }
