"""Kits, roads, water, letters and fireflies of a frame as plain triangles, see
`godseed.render.solid`.

Source: the vertex shaders of `godseed/spec/glsl`, line by line; `tests/check/test_witness.py` holds
the two together through the depth that another renderer finds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from godseed.render.glyph_outline import glyph_triangles
from godseed.render.solid import PARTS, Solid, ground_solid, joined, nothing, solid
from godseed.sim.kits import MODES, kit, kit_mesh, kit_names, pieces
from godseed.sim.maths import F64, I64, U32
from godseed.sim.mesh import octahedron
from godseed.sim.rng import hash_u32
from godseed.sim.terrain import ground
from godseed.spec import constants

if TYPE_CHECKING:
    from godseed.sim.feature import Feature
    from godseed.sim.frame import BufferView, Frame
    from godseed.sim.scene import Scene

OPEN_SHAPES = ("pane", "plane")
"""Shapes that enclose nothing."""
FIREFLY_SIZE = 0.22
"""Body of a firefly, in radii of its glow."""
CLEARANCE, FAR_CLEARANCE, CLEARANCE_PER_EDGE = 0.0007, 0.0020, 0.06
"""How far roads and water are lifted off the ground, planet radii: where its mesh is fine, where it
is not, and per edge length where it has one level."""
CAP_MARGIN_DEG = 4.0
"""The fine mesh is centred on the nearest of some places, not on the focus itself."""
EDGE_AT_0 = 1.1
"""Length of an icosahedron's edges."""
CELL, MOST_CELLS = 0.007, 12
"""Size of the cells that a patch is draped with, planet radii, and the most of them along a
side."""
PAVED = 1.0
"""Share of a strip's half width that is stone or water; what lies beyond fades into the ground."""
GLASS = (0.020, 0.023, 0.032)
"""Colour of a window with nobody in."""


def solids(
    frame: Frame, scene: Scene, level: int | None = None, parts: Collection[str] = PARTS
) -> list[Solid]:
    """Everything in a frame that has a surface.

    Args:
        frame: at any time, from any shot.
        scene: of all the frame's features.
        level: of the ground, see `ground_solid`.
        parts: of PARTS; nothing else is worked out.
    Returns:
        The ground, kits in `kit_names` order, roads, water, letters, fireflies; those that are
        there.
    Raises:
        RenderError: a level that the ground does not have.
    """
    found = []
    if "ground" in parts:
        found.append(ground_solid(frame.planet, _number(frame, "u_rise"), level))
    for name in kit_names():
        view = frame.buffers.get(f"kit:{name}")
        if view is not None and len(view.rows) and kit(name).family in parts:
            found.append(_kit_solid(frame, name, view))
    for name in ("road", "water"):
        if name in frame.buffers and name in parts:
            found.append(_strip_solid(frame, scene, name, level))
    if "words" in parts:
        names = ("glyph_plaque", "glyph_ring")
        letters = [_letter_solid(frame, name) for name in names if name in frame.buffers]
        words = joined(letters, "words", "words")
        found += [words] if words else []
    fireflies = _firefly_solid(frame, scene.features) if "life" in parts else None
    return [*found, fireflies] if fireflies else found


def _kit_solid(frame: Frame, name: str, view: BufferView) -> Solid:
    """All instances of a kit, as `_kit.glsl` and `kit.vert` place and colour them."""
    mesh, faces, closed = _kit_table(name)
    rows, time_s = view.rows.astype(np.float64), _number(frame, "u_time_s")
    n, m = len(rows), len(mesh)
    mode, part, chance = mesh[:, 14], mesh[:, 12], mesh[:, 13]
    seed24, phase = rows[:, 11], rows[:, 14]

    p = np.broadcast_to(mesh[:, 0:3], (n, m, 3)).copy()
    normal = np.broadcast_to(mesh[:, 4:7], (n, m, 3)).copy()
    turning = mode == MODES.index("rotate")
    if turning.any():
        angle = (time_s * 0.42 + phase * 6.2831853)[:, None]
        for vectors in (p, normal):
            x, z = vectors[:, turning, 0].copy(), vectors[:, turning, 2].copy()
            vectors[:, turning, 0] = np.cos(angle) * x - np.sin(angle) * z
            vectors[:, turning, 2] = np.sin(angle) * x + np.cos(angle) * z
    flapping = mode == MODES.index("flap")
    if flapping.any():
        angle = (0.75 * np.sin(time_s * 8.5 + phase * 6.2831853) + 0.12)[:, None]
        x = p[:, flapping, 0].copy()
        p[:, flapping, 0] = x * np.cos(angle)
        p[:, flapping, 1] += np.abs(x) * np.sin(angle)
    sway = mesh[:, 11] * p[:, :, 1]
    for axis, wind in (
        (0, 0.055 * np.sin(time_s * 1.25 + phase * 6.2831853) + 0.02),
        (2, 0.055 * np.sin(time_s * 0.83 + phase * 17.0 + 1.3)),
    ):
        p[:, :, axis] += sway * wind[:, None]

    up, front, scale, stretch = rows[:, 0:3], rows[:, 4:7], rows[:, 3], rows[:, 7]
    side = np.cross(up, front)
    p = p * scale[:, None, None]
    p[:, :, 1] *= stretch[:, None]
    base = up * (1.0 + _heights(frame, view)[:, 0] + rows[:, 13])[:, None]
    normal[:, :, 1] /= np.maximum(stretch, 0.1)[:, None]
    vertices, normals = (
        side[:, None] * v[:, :, 0:1] + up[:, None] * v[:, :, 1:2] + front[:, None] * v[:, :, 2:3]
        for v in (p, normal)
    )
    vertices += base[:, None]
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)

    window = mode == MODES.index("window")
    lit = ~window | (_hash01(seed24, part) < chance)
    room = np.where(window, 0.72 + 0.5 * _hash01(seed24, part + 500.0), 1.0)
    glimmer = np.where(
        mode == MODES.index("pulse"), 0.6, np.where(mode == MODES.index("flicker"), 0.86, 1.0)
    )
    emission = mesh[:, 3] * room * glimmer * lit
    shade = np.where(mesh[:, 3] > 0.0, 1.0, 0.82 + 0.36 * _hash01(seed24, np.array([900.0])))
    share = mesh[:, 7:8]
    albedo = (mesh[:, 8:11] * (1.0 - share) + rows[:, None, 8:11] * share) * shade[:, :, None]
    colors = np.where(lit[:, :, None], albedo, np.array(GLASS))
    colors *= 1.0 - 0.65 * np.clip(emission, 0.0, 1.0)[:, :, None]

    there = np.ones((n, len(faces)), np.bool_)
    optional = mode[faces[:, 0]] == MODES.index("optional")
    if optional.any():
        there[:, optional] = (_hash01(seed24, part) < chance)[:, faces[optional, 0]]
    corners = faces[None].astype(np.int64) + (np.arange(n) * m)[:, None, None]
    family = kit(name).family
    feature = np.broadcast_to(rows[:, 15:16].astype(np.int64), there.shape)[there]
    whole = solid(
        family,
        name,
        vertices.reshape(-1, 3),
        corners[there],
        colors.reshape(-1, 3),
        light=(albedo * emission[:, :, None]).reshape(-1, 3),
        normals=normals.reshape(-1, 3),
        feature=-1 if family == "needle" else feature,
        closed=np.broadcast_to(closed, there.shape)[there],
    )
    return whole if there.all() else whole.of(np.ones(len(whole.faces), np.bool_))


@cache
def _kit_table(name: str) -> tuple[F64, U32, npt.NDArray[np.bool_]]:
    """Rows, faces and closedness of a kit's solid mesh, equal vertices shared."""
    rows, faces = kit_mesh(name)
    closed = np.concatenate(
        [np.zeros(0, np.bool_)]
        + [
            np.full(len(piece.mesh.faces), piece.row.get("shape") not in OPEN_SHAPES)
            for piece in pieces(name)
            if not piece.row.get("glow", False)
        ]
    )
    distinct, corners = np.unique(rows, axis=0, return_inverse=True)
    return distinct, corners.reshape(-1)[faces].astype(np.uint32), closed


def _strip_solid(frame: Frame, scene: Scene, name: str, level: int | None) -> Solid:
    """Roads or water: patches cut where the stone or the water ends, draped over the ground."""
    rows = frame.buffers[name].rows.astype(np.float64)
    # Corners 00, 10, 01, 11: first along, second across.
    dirs = rows[:, 0:12].reshape(-1, 2, 2, 3)
    v0, v1 = rows[:, 14], rows[:, 15]
    span = np.where(v1 == v0, 1.0, v1 - v0)
    edges = [np.clip((edge - v0) / span, 0.0, 1.0) for edge in (-PAVED, PAVED)]
    low, high = np.minimum(*edges), np.maximum(*edges)
    kept = high > low
    dirs, low, high, rows = dirs[kept], low[kept], high[kept], rows[kept]
    cut = np.stack([low, high], axis=1)[:, :, None, None]
    dirs = dirs[:, 0:1] * (1.0 - cut) + dirs[:, 1:2] * cut
    cells = [
        np.clip(np.ceil(np.linalg.norm(side, axis=-1).max(axis=1) / CELL), 1, MOST_CELLS)
        for side in (dirs[:, :, 1] - dirs[:, :, 0], dirs[:, 1] - dirs[:, 0])
    ]
    counts = np.stack(cells, axis=1).astype(np.int64)
    parts = []
    for along, across in np.unique(counts, axis=0).tolist():
        chosen = np.all(counts == (along, across), axis=1)
        up, faces = _grid(dirs[chosen], along, across)
        tint = np.repeat(rows[chosen, 16:19], (along + 1) * (across + 1), axis=0)
        lift = _clearance(up, frame, level)
        vertices = up * (1.0 + ground(up, scene.terrain) + lift)[:, None]
        parts.append(
            solid(
                name,
                name,
                vertices,
                faces,
                tint * (0.12 if name == "water" else 1.0),
                light=tint * (0.30 if name == "water" else 0.0),
                normals=up,
                feature=np.repeat(rows[chosen, 23].astype(np.int64), 2 * along * across),
            )
        )
    return joined(parts, name, name) or nothing(name)


def _grid(corners: F64, along: int, across: int) -> tuple[F64, I64]:
    """Patches as grids of cells on the unit sphere, seen from outside.

    Args:
        corners: (n, 2, 2, 3) by across and along.
        along, across: cells.
    Returns:
        (n * (along + 1) * (across + 1), 3) unit vectors and (n * 2 * along * across, 3) faces.
    """
    u = np.linspace(0.0, 1.0, along + 1)[None, None, :, None]
    v = np.linspace(0.0, 1.0, across + 1)[None, :, None, None]
    near, far = corners[:, 0][:, None], corners[:, 1][:, None]
    lower = near[:, :, 0:1] * (1.0 - u) + near[:, :, 1:2] * u
    upper = far[:, :, 0:1] * (1.0 - u) + far[:, :, 1:2] * u
    points = (lower * (1.0 - v) + upper * v).reshape(-1, 3)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    k, wide = np.arange(along * across), along + 1
    first = k // along * wide + k % along
    quads = np.concatenate(
        [
            np.stack([first, first + 1, first + wide + 1], axis=1),
            np.stack([first, first + wide + 1, first + wide], axis=1),
        ]
    )
    starts = np.arange(len(corners)) * wide * (across + 1)
    faces = (quads[None] + starts[:, None, None]).reshape(-1, 3)
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.sum(np.cross(b - a, c - a) * a, axis=1) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return points, faces


def _clearance(up: F64, frame: Frame, level: int | None) -> F64:
    """How far above the ground a strip lies (n,), so that no triangle of the ground is above it."""
    if level is not None:
        return np.full(len(up), max(CLEARANCE, EDGE_AT_0 / 2.0**level * CLEARANCE_PER_EDGE))
    cap = float(np.cos(np.radians(constants()["planet"]["fine_radius_deg"] - CAP_MARGIN_DEG)))
    fine = up @ np.asarray(frame.pose.focus) > cap if frame.pose.near_town > 0.25 else False
    return np.where(fine, CLEARANCE, FAR_CLEARANCE)


def _letter_solid(frame: Frame, name: str) -> Solid:
    """Letters on stones or on rings: the outline of each, filled."""
    view = frame.buffers[name]
    rows = view.rows.astype(np.float64)
    offset, right, up = rows[:, 4:7].copy(), rows[:, 8:11].copy(), rows[:, 12:15]
    page = np.floor(rows[:, 23] / 2.0)
    ring = rows[:, 23] - 2.0 * page < 0.5
    if ring.any():
        axis = rows[ring, 20:23]
        for vectors in (offset, right):
            vectors[ring] = _turned(vectors[ring], axis, frame.uniforms["u_ring_turn"])
    base = np.where(ring[:, None], 0.0, rows[:, 0:3] * (1.0 + _heights(frame, view)[:, 0])[:, None])
    parts = []
    for i, row in enumerate(rows):
        points, faces = glyph_triangles(tuple(row[16:20].tolist()), int(page[i]))
        if len(faces) == 0:
            continue
        placed = base[i] + offset[i] + points[:, 0:1] * right[i] + points[:, 1:2] * up[i]
        facing = np.cross(right[i], up[i])
        facing /= np.linalg.norm(facing)
        placed = placed + facing * (0.0 if ring[i] else 0.0006)
        parts.append(
            solid(
                "words",
                "words",
                placed,
                faces,
                row[24:27] * 0.5,
                light=row[24:27] * row[27],
                normals=np.broadcast_to(facing, placed.shape),
                feature=int(row[11]),
            )
        )
    return joined(parts, "words", "words") or nothing("words")


def _firefly_solid(frame: Frame, features: Sequence[Feature]) -> Solid | None:
    """Fireflies as small bodies of light; halos of lamps, which share their buffer, are skipped."""
    view = frame.buffers.get("sprite")
    if view is None:
        return None
    rows = view.rows.astype(np.float64)
    alive = np.isin(rows[:, 11], [i for i, each in enumerate(features) if _are_fireflies(each)])
    if not alive.any():
        return None
    rows, height = rows[alive], _heights(frame, view)[alive, 0]
    body = octahedron(1.0)
    center = rows[:, 0:3] * (1.0 + height + rows[:, 3])[:, None]
    size = rows[:, 7] * FIREFLY_SIZE
    shape = body.vertices - np.array([0.0, 1.0, 0.0])
    vertices = (center[:, None] + shape[None] * size[:, None, None]).reshape(-1, 3)
    n, m = len(rows), len(shape)
    faces = body.faces[None].astype(np.int64) + (np.arange(n) * m)[:, None, None]
    tint = np.repeat(rows[:, 4:7], m, axis=0)
    return solid(
        "life",
        "firefly",
        vertices,
        faces.reshape(-1, 3),
        tint,
        light=tint,
        feature=np.repeat(rows[:, 11].astype(np.int64), len(body.faces)),
        closed=True,
    )


def _are_fireflies(feature: Feature) -> bool:
    return feature.tool == "spawn_life" and feature.args.get("kind") == "fireflies"


def _heights(frame: Frame, view: BufferView) -> F64:
    """Ground under the anchors (r, g) at the frame's time."""
    if view.ground is None or view.ground_before is None:
        return np.zeros((len(view.rows), 1))
    rise = _number(frame, "u_rise")
    mixed: F64 = view.ground_before * (1.0 - rise) + view.ground * rise
    return mixed


def _turned(v: F64, axis: F64, turn: float | tuple[float, ...]) -> F64:
    """Vectors (n, 3) turned about unit axes (n, 3) by an angle given as its cosine and sine."""
    c, s = turn if isinstance(turn, tuple) else (1.0, 0.0)
    along = np.sum(axis * v, axis=1)[:, None]
    turned: F64 = v * c + np.cross(axis, v) * s + axis * along * (1.0 - c)
    return turned


def _hash01(seed24: F64, item: F64) -> F64:
    """The shaders' hash (n, k) of seeds (n,) and items (k,)."""
    seeds, items = seed24.astype(np.uint32)[:, None], item.astype(np.uint32)[None, :]
    mixed = hash_u32(seeds * np.uint32(0x9E3779B9) + items * np.uint32(0x85EBCA6B))
    return (mixed >> np.uint32(8)).astype(np.float64) / 16777216.0


def _number(frame: Frame, name: str) -> float:
    value = frame.uniforms[name]
    return value[0] if isinstance(value, tuple) else value
