"""Triangle meshes and the primitives that structures are made of.

Primitives stand in a local frame with y up and their base at y = 0, centred on the y axis. All but
`plane` are closed, share their vertices, and wind counter-clockwise as seen from outside.

Twin: web/sim/mesh.js
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from godseed.sim.maths import F64, HALF_PI, TAU, U32, cos, sin

Corner: TypeAlias = tuple[float, float, float]
Face: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True)
class Mesh:
    """Triangles over shared vertices.

    Attributes:
        vertices: (n, 3) float64.
        faces: (m, 3) uint32, counter-clockwise from outside.
    """

    vertices: F64
    faces: U32

    def normals(self) -> F64:
        """Unit normals (n, 3) of the vertices, see `vertex_normals`."""
        return vertex_normals(self.vertices, self.faces)

    def face_normals(self) -> F64:
        """Unit normals (m, 3) of the faces; zero for a face without area."""
        return _unit(*_double_areas(self.vertices, self.faces))


def vertex_normals(vertices: F64, faces: U32) -> F64:
    """Mean of the normals of the faces round each vertex, weighted by area.

    Contributions are added in face order, and within a face in corner order.

    Args:
        vertices: (n, 3).
        faces: (m, 3).
    Returns:
        (n, 3) unit vectors; zero for a vertex that no face with area uses.
    """
    corners = faces.reshape(-1).astype(np.int64)
    n = len(vertices)
    x, y, z = (
        np.bincount(corners, np.repeat(part, 3), minlength=n).astype(np.float64, copy=False)
        for part in _double_areas(vertices, faces)
    )
    return _unit(x, y, z)


def explode(mesh: Mesh) -> tuple[Mesh, F64]:
    """Give every face vertices of its own, for flat shading.

    Returns:
        Mesh of 3 m vertices whose face i is (3 i, 3 i + 1, 3 i + 2), and their normals (3 m, 3).
    """
    vertices = mesh.vertices[mesh.faces.reshape(-1)]
    faces = np.arange(len(vertices), dtype=np.uint32).reshape(-1, 3)
    return Mesh(vertices, faces), np.repeat(mesh.face_normals(), 3, axis=0)


def box(w: float, h: float, d: float) -> Mesh:
    """A block: w along x, h along y, d along z."""
    _positive("box", w=w, h=h, d=d)
    x, z = 0.5 * w, 0.5 * d
    vertices = [(-x, 0.0, z), (x, 0.0, z), (x, 0.0, -z), (-x, 0.0, -z)]
    vertices += [(-x, h, z), (x, h, z), (x, h, -z), (-x, h, -z)]
    # Front, right, back, left, top, bottom.
    faces = [(0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6)]
    faces += [(3, 0, 4), (3, 4, 7), (4, 5, 6), (4, 6, 7), (0, 3, 2), (0, 2, 1)]
    return _mesh(vertices, faces)


def gable(w: float, h: float, d: float) -> Mesh:
    """A pitched roof over a base of w by d with its ridge along x, h above the middle."""
    _positive("gable", w=w, h=h, d=d)
    return _ridged(w, h, d, 0.0)


def wedge(w: float, h: float, d: float) -> Mesh:
    """A ramp over a base of w by d that rises from nothing at +z to h at -z."""
    _positive("wedge", w=w, h=h, d=d)
    return _ridged(w, h, d, -0.5 * d)


def cylinder(r_bottom: float, r_top: float, h: float, sides: int) -> Mesh:
    """A tapered drum, or a cone where r_top is 0.

    Args:
        r_bottom: radius of the base, above 0.
        r_top: radius of the top, 0 or more.
        h: height, above 0.
        sides: 3 or more.
    Raises:
        ValueError: a size or count outside of that.
    """
    _positive("cylinder", r_bottom=r_bottom, h=h)
    _at_least("cylinder", 3, sides=sides)
    if not r_top >= 0.0:
        raise ValueError(f"cylinder.r_top: {r_top}; expected 0 or more; make it a radius")
    if r_top == 0.0:
        return _pile([(r_bottom, 0.0)], h, sides)
    return _pile([(r_bottom, 0.0), (r_top, h)], h, sides)


def dome(r: float, sides: int, rings: int) -> Mesh:
    """The upper half of a ball of radius r with a flat base, in `rings` bands."""
    _positive("dome", r=r)
    _at_least("dome", 3, sides=sides)
    _at_least("dome", 1, rings=rings)
    angles = [HALF_PI * k / rings for k in range(rings)]
    return _pile([(r * cos(angle), r * sin(angle)) for angle in angles], r, sides)


def ball(r: float, level: int) -> Mesh:
    """An icosphere of radius r that rests on y = 0."""
    from godseed.sim.sphere import icosphere  # sphere imports Mesh from here

    _positive("ball", r=r)
    unit = icosphere(level)
    return Mesh(unit.vertices * r + np.array([0.0, r, 0.0]), unit.faces)


def ring(r_outer: float, r_inner: float, h: float, sides: int) -> Mesh:
    """An upright tube like the rim of a well, its wall from r_inner to r_outer."""
    _positive("ring", r_inner=r_inner, h=h)
    _at_least("ring", 3, sides=sides)
    if not r_outer > r_inner:
        raise ValueError(
            f"ring.r_outer: {r_outer}; expected more than r_inner {r_inner}; make it wider"
        )
    profile = [(r_outer, 0.0), (r_outer, h), (r_inner, h), (r_inner, 0.0)]
    vertices = [corner for radius, y in profile for corner in _circle(radius, y, sides)]
    faces = [face for i in range(4) for face in _band(i * sides, (i + 1) % 4 * sides, sides)]
    return _mesh(vertices, faces)


def plane(w: float, d: float) -> Mesh:
    """One open rectangle on the ground, w by d, that faces +y."""
    _positive("plane", w=w, d=d)
    x, z = 0.5 * w, 0.5 * d
    vertices = [(-x, 0.0, z), (x, 0.0, z), (x, 0.0, -z), (-x, 0.0, -z)]
    return _mesh(vertices, [(0, 1, 2), (0, 2, 3)])


def octahedron(r: float) -> Mesh:
    """A regular octahedron, r from centre to tip, that stands on its lower tip."""
    _positive("octahedron", r=r)
    return _mesh(
        [(0.0, 0.0, 0.0), *_circle(r, r, 4), (0.0, 2.0 * r, 0.0)],
        [*_fan(0, 1, 4, up=False), *_fan(5, 1, 4, up=True)],
    )


def _ridged(w: float, h: float, d: float, ridge_z: float) -> Mesh:
    x, z = 0.5 * w, 0.5 * d
    vertices = [(-x, 0.0, z), (x, 0.0, z), (x, 0.0, -z), (-x, 0.0, -z)]
    vertices += [(-x, h, ridge_z), (x, h, ridge_z)]
    # Front slope, back slope, right and left end, bottom.
    faces = [(0, 1, 5), (0, 5, 4), (2, 3, 4), (2, 4, 5)]
    faces += [(1, 2, 5), (3, 0, 4), (0, 3, 2), (0, 2, 1)]
    return _mesh(vertices, faces)


def _pile(profile: list[tuple[float, float]], tip: float, sides: int) -> Mesh:
    """Circles (radius, y) from the base upward, closed by a centre below and a tip above."""
    vertices = [corner for radius, y in profile for corner in _circle(radius, y, sides)]
    top = (len(profile) - 1) * sides
    bottom_center, tip_index = len(vertices), len(vertices) + 1
    vertices += [(0.0, profile[0][1], 0.0), (0.0, tip, 0.0)]
    faces = [face for i in range(0, top, sides) for face in _band(i, i + sides, sides)]
    faces += _fan(bottom_center, 0, sides, up=False)
    faces += _fan(tip_index, top, sides, up=True)
    return _mesh(vertices, faces)


def _circle(radius: float, y: float, sides: int) -> list[Corner]:
    """Corners counter-clockwise as seen from above, the first one at +z."""
    angles = [TAU * k / sides for k in range(sides)]
    return [(radius * sin(angle), y, radius * cos(angle)) for angle in angles]


def _band(lower: int, upper: int, sides: int) -> list[Face]:
    """Two triangles per side between two circles that start at these vertices."""
    faces = []
    for k in range(sides):
        following = (k + 1) % sides
        faces.append((lower + k, lower + following, upper + following))
        faces.append((lower + k, upper + following, upper + k))
    return faces


def _fan(center: int, first: int, sides: int, up: bool) -> list[Face]:
    """Triangles between a centre and a circle, seen from above or from below."""
    pairs = [(first + k, first + (k + 1) % sides) for k in range(sides)]
    return [(center, a, b) if up else (center, b, a) for a, b in pairs]


def _mesh(vertices: list[Corner], faces: list[Face]) -> Mesh:
    # Plus zero: sines and products leave minus zeros behind.
    return Mesh(np.array(vertices, np.float64) + 0.0, np.array(faces, np.uint32))


def _double_areas(vertices: F64, faces: U32) -> tuple[F64, F64, F64]:
    """Cross products of two edges of each face, by component."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    e, f = b - a, c - a
    return (
        e[:, 1] * f[:, 2] - e[:, 2] * f[:, 1],
        e[:, 2] * f[:, 0] - e[:, 0] * f[:, 2],
        e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0],
    )


def _unit(x: F64, y: F64, z: F64) -> F64:
    length = np.sqrt(x * x + y * y + z * z)
    length = np.where(length == 0.0, 1.0, length)
    return np.stack([x / length, y / length, z / length], axis=1) + 0.0


def _positive(where: str, **sizes: float) -> None:
    for name, size in sizes.items():
        if not size > 0.0:
            raise ValueError(f"{where}.{name}: {size}; expected above 0; make it a length")


def _at_least(where: str, minimum: int, **counts: int) -> None:
    for name, count in counts.items():
        if count < minimum:
            raise ValueError(f"{where}.{name}: {count}; expected {minimum} or more; add {name}")
