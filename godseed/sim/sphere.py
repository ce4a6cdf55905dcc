"""Directions on the unit sphere, rotations, and the icosphere.

y is north, latitude 0 and longitude 0 is +z, east is +x from there. Vectors are the last axis of an
array, (..., 3), and everything works on any number of them at once.

Twin: web/sim/sphere.js
"""

from __future__ import annotations

from functools import cache

import numpy as np

from godseed.sim.maths import DEG, F64, I64, TAU, U32, atan2, cos, sin
from godseed.sim.mesh import Mesh

DEGREES_PER_RADIAN = 57.29577951308232
POLE = 1e-20
"""Nearer to the axis than the square root of this, a direction counts as a pole."""
PARALLEL = 1e-24
"""Squared sine below which two directions are taken as equal or opposite."""
MAX_LEVEL = 10
GOLDEN = 1.618033988749895

# Twelve corners in three golden rectangles, and the faces by their corners.
ICOSAHEDRON_CORNERS = (
    *((-1.0, GOLDEN, 0.0), (1.0, GOLDEN, 0.0), (1.0, -GOLDEN, 0.0), (-1.0, -GOLDEN, 0.0)),
    *((0.0, -1.0, GOLDEN), (0.0, 1.0, GOLDEN), (0.0, 1.0, -GOLDEN), (0.0, -1.0, -GOLDEN)),
    *((GOLDEN, 0.0, -1.0), (GOLDEN, 0.0, 1.0), (-GOLDEN, 0.0, 1.0), (-GOLDEN, 0.0, -1.0)),
)
ICOSAHEDRON_FACES = (
    *((0, 5, 1), (0, 1, 6), (0, 10, 5), (0, 6, 11), (0, 11, 10)),
    *((1, 5, 9), (1, 8, 6), (1, 9, 8), (2, 4, 3), (2, 3, 7)),
    *((2, 9, 4), (2, 7, 8), (2, 8, 9), (3, 4, 10), (3, 11, 7)),
    *((3, 10, 11), (4, 9, 5), (4, 5, 10), (6, 8, 7), (6, 7, 11)),
)


def direction(lat_deg: F64 | float, lon_deg: F64 | float) -> F64:
    """Unit vectors (..., 3) of latitudes and longitudes in degrees, which broadcast."""
    lat, lon = (
        np.asarray(angle, np.float64) * DEG for angle in np.broadcast_arrays(lat_deg, lon_deg)
    )
    level = np.asarray(cos(lat))
    return np.stack([level * sin(lon), np.asarray(sin(lat)), level * cos(lon)], axis=-1) + 0.0


def lat_lon(dirs: F64) -> tuple[F64, F64]:
    """Latitude -90..90 and longitude -180..180, degrees, of unit vectors (..., 3).

    Longitude is 0 at a pole; a zero vector gives (0, 0).
    """
    x, y, z = dirs[..., 0], dirs[..., 1], dirs[..., 2]
    lat = atan2(y, np.sqrt(x * x + z * z)) * DEGREES_PER_RADIAN
    lon = np.where(x * x + z * z < POLE, 0.0, atan2(x, z)) * DEGREES_PER_RADIAN
    return lat, lon


def dot(a: F64, b: F64) -> F64:
    """a.x b.x + a.y b.y + a.z b.z of vectors (..., 3), added in that order."""
    product: F64 = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return product


def cross(a: F64, b: F64) -> F64:
    """Cross product (..., 3)."""
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )


def normalize(v: F64) -> F64:
    """Vectors (..., 3) at length 1; a zero vector stays zero."""
    length = np.sqrt(dot(v, v))
    unit: F64 = v / np.where(length == 0.0, 1.0, length)[..., None]
    return unit


def east_north(dirs: F64) -> tuple[F64, F64]:
    """Unit tangents (..., 3) to the east and to the north at unit vectors (..., 3).

    At a pole, where every way is south or north, east is +x, as if coming along longitude 0.
    """
    x, z = dirs[..., 0], dirs[..., 2]
    pole = (x * x + z * z < POLE)[..., None]
    sideways = np.stack([z, np.zeros_like(x), -x], axis=-1)
    east = np.where(pole, np.array([1.0, 0.0, 0.0]), normalize(sideways)) + 0.0
    return east, normalize(cross(dirs, east))


def angle_rad(a: F64, b: F64) -> F64:
    """Angle between vectors (..., 3), 0..PI radians, accurate when small and when near PI."""
    across = cross(a, b)
    return atan2(np.sqrt(dot(across, across)), dot(a, b))


def angle_deg(a: F64, b: F64) -> F64:
    """Angle between vectors (..., 3), 0..180 degrees."""
    return angle_rad(a, b) * DEGREES_PER_RADIAN


def rotate(v: F64, axis: F64, angle: F64 | float) -> F64:
    """Turn vectors (..., 3) about unit axes (..., 3) by radians, counter-clockwise from the tip.

    Source: Rodrigues' rotation formula.
    """
    s = np.asarray(sin(angle))[..., None]
    c = np.asarray(cos(angle))[..., None]
    along = dot(axis, v)[..., None]
    turned: F64 = v * c + cross(axis, v) * s + axis * (along * (1.0 - c))
    return turned


def slerp(a: F64, b: F64, t: F64 | float) -> F64:
    """The unit vector a share t of the way from unit a to unit b (..., 3) along the great circle.

    Between opposite ends the way goes over the east of a.
    """
    way = b - a * dot(a, b)[..., None]
    way = way - a * dot(a, way)[..., None]
    opposite_or_equal = (dot(way, way) < PARALLEL)[..., None]
    toward = np.where(opposite_or_equal, east_north(a)[0], normalize(way))
    angle = angle_rad(a, b) * np.asarray(t, np.float64)
    s, c = np.asarray(sin(angle))[..., None], np.asarray(cos(angle))[..., None]
    return normalize(a * c + toward * s)


def offset(center: F64, east_amount: F64 | float, north_amount: F64 | float) -> F64:
    """Go from unit vectors (..., 3) along the great circle that leaves east and north by radians.

    The way is sqrt(east^2 + north^2) long; amounts broadcast against the centres.
    """
    east, north = east_north(center)
    e, n = np.asarray(east_amount, np.float64), np.asarray(north_amount, np.float64)
    length = np.sqrt(e * e + n * n)
    safe = np.where(length == 0.0, 1.0, length)
    heading = east * (e / safe)[..., None] + north * (n / safe)[..., None]
    s, c = np.asarray(sin(length))[..., None], np.asarray(cos(length))[..., None]
    return normalize(center * c + heading * s)


def cap_points(center: F64, radius_deg: F64 | float, u: F64, v: F64) -> F64:
    """Place points inside spherical caps so that every area is equally likely.

    Args:
        center: (m, 3) unit vectors.
        radius_deg: (m,) or one, 0..180 degrees.
        u: (m,) in [0, 1], share of the cap's area inside the point's circle.
        v: (m,) in [0, 1], turn about the centre from east over north.
    Returns:
        (m, 3) unit vectors.
    """
    half = np.asarray(sin(np.asarray(radius_deg, np.float64) * (0.5 * DEG)))
    depth = u * (2.0 * half * half)
    level = np.sqrt(np.maximum(depth * (2.0 - depth), 0.0))
    east, north = east_north(center)
    turn = TAU * v
    sideways = east * cos(turn)[..., None] + north * sin(turn)[..., None]
    return normalize(center * (1.0 - depth)[..., None] + sideways * level[..., None])


@cache
def icosphere(level: int) -> Mesh:
    """The icosahedron, every face split into four `level` times, on the unit sphere.

    20 * 4^level faces and 10 * 4^level + 2 vertices. The vertices of a level are a prefix of the
    next one's; new ones follow in the order of their edge's (lower, higher) vertex numbers. Face f
    becomes 4 f .. 4 f + 3: its first, second and third corner's, then the one in the middle.

    Args:
        level: 0 to 10.
    Returns:
        Mesh with read-only arrays, the same object each time.
    Raises:
        ValueError: another level.
    """
    if not 0 <= level <= MAX_LEVEL:
        raise ValueError(
            f"icosphere.level: {level}; expected 0 to {MAX_LEVEL}; each level is four times more"
        )
    if level == 0:
        corners = normalize(np.array(ICOSAHEDRON_CORNERS))
        return _locked(corners, np.array(ICOSAHEDRON_FACES, np.uint32))
    coarse = icosphere(level - 1)
    edges = _edge_keys(coarse.faces)
    keys = np.unique(edges)
    low, high = keys >> 32, keys & 0xFFFFFFFF
    middles = normalize(coarse.vertices[low] + coarse.vertices[high])
    middle = len(coarse.vertices) + np.searchsorted(keys, edges)
    a, b, c = (coarse.faces[:, k].astype(np.int64) for k in range(3))
    ab, bc, ca = (middle[:, k] for k in range(3))
    children = np.stack([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], axis=1).reshape(-1, 3)
    return _locked(np.concatenate([coarse.vertices, middles]), children.astype(np.uint32))


@cache
def face_neighbours(level: int) -> I64:
    """Which face lies across each edge of the icosphere's faces.

    Returns:
        (f, 3) int64, read-only; column k is across the edge from corner k to corner k + 1.
    """
    keys = _edge_keys(icosphere(level).faces).reshape(-1)
    order = np.argsort(keys, kind="stable")
    first, second = order[0::2], order[1::2]
    across = np.empty(len(keys), np.int64)
    across[first], across[second] = second // 3, first // 3
    neighbours = across.reshape(-1, 3)
    neighbours.flags.writeable = False
    return neighbours


def _edge_keys(faces: U32) -> I64:
    """(f, 3) int64: lower vertex * 2**32 + higher vertex of the edges 01, 12 and 20."""
    start = faces.astype(np.int64)
    end = start[:, [1, 2, 0]]
    keys: I64 = (np.minimum(start, end) << 32) | np.maximum(start, end)
    return keys


def _locked(vertices: F64, faces: U32) -> Mesh:
    vertices.flags.writeable = False
    faces.flags.writeable = False
    return Mesh(vertices, faces)
