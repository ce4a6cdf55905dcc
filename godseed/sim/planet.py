"""The planet's mesh: an icosphere everywhere, four times finer around what the camera is near, and
what its vertices carry.

The finer cap is conforming: faces next to it are split into fans that use the cap's own edge
    vertices, so there is no crack and
no T-junction. Vertices carry height, normal, the light of lamps nearby, and the tint of what grows
there, each before and after the feature that is rising, so that the shader mixes between two exact
states.

Vertex (28 columns): dir xyz, height | normal before xyz, height before | normal xyz, wet | light
    before rgb, wet before |
light rgb, 0 | tint before rgba | tint rgba.

Twin: web/sim/planet.js
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from godseed.sim.columns import items
from godseed.sim.maths import DEG, F32, F64, I64, U32, cos
from godseed.sim.mesh import vertex_normals
from godseed.sim.sphere import face_neighbours, icosphere, normalize
from godseed.sim.terrain import base_height, basis, relief_add
from godseed.spec import constants

PLANET_WIDTH = 28
LIGHT_WIDTH = 12
LIGHT, TINT, WET = 0, 1, 2
"""Kinds in column 8 of a light row."""
GRID = 16
"""Cells per axis of the lookup grid over [-1, 1]."""
CACHED = 6


@dataclass(frozen=True)
class PlanetMesh:
    """Directions and faces of one refinement, with what is worth computing once.

    Attributes:
        dirs: (v, 3) unit vectors; the first 40,962 are the plain icosphere's.
        faces: (f, 3) uint32, counter-clockwise from outside.
        fields: (v, 4) terrain noise fields.
        base: (v,) height of the barren planet.
        cells: lookup grid, see `_cells`.
        key: names the refinement.
    """

    dirs: F64
    faces: U32
    fields: F64
    base: F64
    cells: tuple[F64, I64, I64]
    key: str


@dataclass(frozen=True)
class PlanetView:
    """What the renderer draws: float32 vertices (v, 28), uint32 faces (f, 3) and a key that changes
    with either."""

    vertices: F32
    faces: U32
    key: str


def planet_view(focus: F64 | None, before: GroundRows, after: GroundRows) -> PlanetView:
    """Vertices of the planet for one frame.

    Args:
        focus: (3,) direction the camera is near, None for the plain icosphere.
        before: terrain and light rows before the rising feature.
        after: the same with it.
    """
    mesh = planet_mesh(snap(focus))
    key = f"{mesh.key}:{before.key}:{after.key}"
    if key in _views:
        _views.move_to_end(key)
        return _views[key]
    height_0, normal_0 = _relief_of(mesh, before.terrain)
    height_1, normal_1 = _relief_of(mesh, after.terrain)
    light_0, tint_0 = _lights_of(mesh, before.lights)
    light_1, tint_1 = _lights_of(mesh, after.lights)
    vertices = np.zeros((len(mesh.dirs), PLANET_WIDTH), np.float32)
    vertices[:, 0:3] = mesh.dirs
    vertices[:, 3] = height_1
    vertices[:, 4:7] = normal_0
    vertices[:, 7] = height_0
    vertices[:, 8:11] = normal_1
    vertices[:, 11] = light_1[:, 3]
    vertices[:, 12:16] = light_0
    vertices[:, 16:19] = light_1[:, 0:3]
    vertices[:, 20:24] = tint_0
    vertices[:, 24:28] = tint_1
    vertices.flags.writeable = False
    _views[key] = PlanetView(vertices, mesh.faces, key)
    while len(_views) > CACHED:
        _views.popitem(last=False)
    return _views[key]


class GroundRows:
    """Terrain (m, 12) and light (k, 12) rows of a scene, with a digest that names them."""

    __slots__ = ("key", "lights", "terrain")

    def __init__(self, terrain: F64, lights: F64) -> None:
        self.terrain = terrain
        self.lights = lights
        self.key = _digest(terrain) + _digest(lights)


def snap(focus: F64 | None) -> int | None:
    """Nearest vertex of the level 3 icosphere: refinements are shared by everything near it."""
    if focus is None:
        return None
    anchors = icosphere(3).vertices
    along = anchors[:, 0] * focus[0] + anchors[:, 1] * focus[1] + anchors[:, 2] * focus[2]
    return int(np.argmax(along))


@lru_cache(maxsize=CACHED)
def planet_mesh(focus: int | None) -> PlanetMesh:
    """The planet, refined around a level 3 icosphere vertex.

    Args:
        focus: vertex number, None for no refinement.
    """
    planet = constants()["planet"]
    level = int(planet["level"])
    dirs, faces = icosphere(level).vertices, icosphere(level).faces
    if focus is not None:
        dirs, faces = _refine(level, icosphere(3).vertices[focus], float(planet["fine_radius_deg"]))
    fields = basis(dirs)
    return PlanetMesh(dirs, faces, fields, base_height(fields), _cells(dirs), f"l{level}f{focus}")


def light_falloff(q: F64) -> F64:
    """Share of a lamp's light at q = (1 - cos angle) / (1 - cos radius): 1 at the lamp, 0 at the
    edge."""
    rest = 1.0 - q
    return rest * rest / (1.0 + 6.0 * q)


def _refine(level: int, center: F64, radius_deg: float) -> tuple[F64, U32]:
    """Split the faces within a cap twice, and fan out their neighbours."""
    coarse = icosphere(level)
    dirs, faces = coarse.vertices, coarse.faces.astype(np.int64)
    neighbours = face_neighbours(level)
    middle = normalize(dirs[faces[:, 0]] + dirs[faces[:, 1]] + dirs[faces[:, 2]])
    along = middle[:, 0] * center[0] + middle[:, 1] * center[1] + middle[:, 2] * center[2]
    fine = along > float(cos(radius_deg * DEG))
    while True:
        touching = fine[neighbours].astype(np.int64)
        count = touching[:, 0] + touching[:, 1] + touching[:, 2]
        grown = fine | (count >= 2)
        if bool(np.all(grown == fine)):
            break
        fine = grown
    inner = faces[fine]
    dirs, inner, first_keys, first_ids = _split(dirs, inner)
    dirs, inner, second_keys, second_ids = _split(dirs, inner)
    fans = _fans(faces, neighbours, fine, (first_keys, first_ids), (second_keys, second_ids))
    plain = faces[~fine & (count == 0)]
    return dirs, np.concatenate([plain, fans, inner]).astype(np.uint32)


def _split(dirs: F64, faces: I64) -> tuple[F64, I64, I64, I64]:
    """One midpoint subdivision of some faces: new directions and faces, and sorted edge keys with
    their midpoints."""
    a, b, c = faces[:, 0], faces[:, 1], faces[:, 2]
    edges = np.stack([_edge_key(a, b), _edge_key(b, c), _edge_key(c, a)], axis=1)
    keys = np.unique(edges)
    ids = len(dirs) + np.arange(len(keys), dtype=np.int64)
    low, high = keys >> 32, keys & 0xFFFFFFFF
    grown = np.concatenate([dirs, normalize(dirs[low] + dirs[high])])
    mid = ids[np.searchsorted(keys, edges)]
    ab, bc, ca = mid[:, 0], mid[:, 1], mid[:, 2]
    children = np.stack([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], axis=1).reshape(-1, 3)
    return grown, children, keys, ids


def _fans(
    faces: I64, neighbours: I64, fine: np.ndarray, first: tuple[I64, I64], second: tuple[I64, I64]
) -> I64:
    """Four triangles for every face that has one refined neighbour, over that edge's five
    vertices."""
    parts = []
    for k in range(3):
        edge = ~fine & fine[neighbours[:, k]]
        a, b, c = (faces[edge][:, (k + i) % 3] for i in range(3))
        m = _midpoint(first, a, b)
        p, q = _midpoint(second, a, m), _midpoint(second, m, b)
        parts.append(np.stack([a, p, c, p, m, c, m, q, c, q, b, c], axis=1).reshape(-1, 3))
    return np.concatenate(parts)


def _midpoint(edges: tuple[I64, I64], a: I64, b: I64) -> I64:
    keys, ids = edges
    found: I64 = ids[np.searchsorted(keys, _edge_key(a, b))]
    return found


def _edge_key(a: I64, b: I64) -> I64:
    key: I64 = (np.minimum(a, b) << 32) | np.maximum(a, b)
    return key


class _Recent:
    """Results of row tables on a mesh, a few at a time; finds the longest prefix of a table that is
    known."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.known: OrderedDict[tuple[str, int, str], tuple[F64, F64]] = OrderedDict()

    def longest(self, mesh: PlanetMesh, rows: F64) -> tuple[int, tuple[F64, F64] | None]:
        """How many leading rows have a result, and that result."""
        candidates = sorted(
            (n for key, n, _ in self.known if key == mesh.key and n <= len(rows)), reverse=True
        )
        for n in candidates:
            key = (mesh.key, n, _digest(rows[:n]))
            if key in self.known:
                self.known.move_to_end(key)
                return n, self.known[key]
        return 0, None

    def put(self, mesh: PlanetMesh, rows: F64, value: tuple[F64, F64]) -> None:
        """Keep a result and forget the one unused for longest."""
        self.known[(mesh.key, len(rows), _digest(rows))] = value
        while len(self.known) > self.size:
            self.known.popitem(last=False)


_views: OrderedDict[str, PlanetView] = OrderedDict()
_sums = _Recent(8)
_reliefs = _Recent(8)
_glows = _Recent(8)


def _relief_of(mesh: PlanetMesh, terrain: F64) -> tuple[F64, F64]:
    """Heights (v,) and unit normals (v, 3) of the displaced mesh."""
    known, found = _reliefs.longest(mesh, terrain)
    if found is not None and known == len(terrain):
        return found
    known, sums = _sums.longest(mesh, terrain)
    total = np.zeros(len(mesh.dirs)) if sums is None else sums[0].copy()
    for row in terrain[known:]:
        relief_add(total, mesh.dirs, mesh.fields, row)
    _sums.put(mesh, terrain, (total, total))
    height = mesh.base + total
    found = (height, vertex_normals(mesh.dirs * (1.0 + height)[:, None], mesh.faces))
    _reliefs.put(mesh, terrain, found)
    return found


def _lights_of(mesh: PlanetMesh, lights: F64) -> tuple[F64, F64]:
    """Light rgb and wetness (v, 4), tint rgb times amount and amount (v, 4), summed in row
    order."""
    known, found = _glows.longest(mesh, lights)
    if found is not None and known == len(lights):
        return found
    if found is None:
        light, tint = np.zeros((len(mesh.dirs), 4)), np.zeros((len(mesh.dirs), 4))
    else:
        light, tint = found[0].copy(), found[1].copy()
    for start in range(known, len(lights), 1024):
        _gather(mesh, lights[start : start + 1024], light, tint)
    _glows.put(mesh, lights, (light, tint))
    return light, tint


def _gather(mesh: PlanetMesh, lights: F64, light: F64, tint: F64) -> None:
    """Add light rows to the vertices they reach; every vertex adds its rows in order."""
    centers, starts, order = mesh.cells
    reach = cos(lights[:, 3])
    # Chord length between unit vectors is sqrt(2 - 2 cos); a cell may stick out of its centre by
    # half its diagonal.
    chord = np.sqrt(np.maximum(2.0 - 2.0 * reach, 0.0)) + 1.0 / GRID * 1.7320508075688772
    apart = _squared_distance(lights[:, 0:3], centers)
    row, cell = np.nonzero(apart < (chord * chord)[:, None])
    owner, item = items(starts[cell + 1] - starts[cell])
    row, vertex = row[owner], order[starts[cell][owner] + item]
    along = (
        lights[row, 0] * mesh.dirs[vertex, 0]
        + lights[row, 1] * mesh.dirs[vertex, 1]
        + lights[row, 2] * mesh.dirs[vertex, 2]
    )
    inside = along > reach[row]
    row, vertex, along = row[inside], vertex[inside], along[inside]
    q = np.minimum(np.maximum((1.0 - along) / (1.0 - reach[row]), 0.0), 1.0)
    amount = light_falloff(q) * lights[row, 7]
    kind = lights[row, 8]
    for k, table, to in ((LIGHT, light, 3), (TINT, tint, 3)):
        of = kind == k
        for channel in range(to):
            np.add.at(table[:, channel], vertex[of], (amount * lights[row, 4 + channel])[of])
    np.add.at(tint[:, 3], vertex[kind == TINT], amount[kind == TINT])
    np.add.at(light[:, 3], vertex[kind == WET], amount[kind == WET])


def _cells(dirs: F64) -> tuple[F64, I64, I64]:
    """Lookup grid: centres (c, 3) of the cells in use, starts (c + 1,) into the vertex order
    (v,)."""
    cell = np.minimum(np.floor((dirs + 1.0) * (GRID / 2)), GRID - 1).astype(np.int64)
    number = (cell[:, 0] * GRID + cell[:, 1]) * GRID + cell[:, 2]
    order = np.argsort(number, kind="stable")
    used, first = np.unique(number[order], return_index=True)
    starts = np.append(first, len(order)).astype(np.int64)
    index = np.stack([used // (GRID * GRID), used // GRID % GRID, used % GRID], axis=1)
    return (index + 0.5) * (2.0 / GRID) - 1.0, starts, order.astype(np.int64)


def _squared_distance(a: F64, b: F64) -> F64:
    x, y, z = (a[:, None, k] - b[None, :, k] for k in range(3))
    distance: F64 = x * x + y * y + z * z
    return distance


def _digest(rows: F64) -> str:
    return hashlib.sha256(np.ascontiguousarray(rows).tobytes()).hexdigest()[:16]
