"""Kits: buildings, plants and small things as lists of primitives, turned into one mesh each.

Data lives in `godseed/spec/kits/*.json`; lengths there are thousandths of the planet's radius.
Local frame: y up, z front, x = up cross front, base at y = 0.

Kit vertex (16 columns): position xyz, emission | normal xyz, tint mix | albedo rgb, sway | part id,
chance, mode, corner. `corner` says what the shaders cannot see otherwise: on opaque meshes
1 + u + 2 v on the corners of a window pane, plus 8 where the whole kit scales in as it grows
(plants) instead of rising; on glow meshes the strength 0..1, plus 2 where it lies flat.

Twin: web/sim/kits.js
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from godseed.sim import mesh as shapes
from godseed.sim.maths import DEG, F64, I64, PI, U32, cos, sin
from godseed.sim.mesh import Mesh, explode
from godseed.spec import load

KIT_WIDTH = 16
UNIT = 0.001
FILES = ("kits/structures.json", "kits/nature.json")
MODES = ("solid", "window", "optional", "pulse", "rotate", "flap", "flicker")
GROWS_WHOLE = 8.0
LIES_FLAT = 2.0
LENGTHS: Mapping[str, tuple[str, ...]] = {
    "box": ("w", "h", "d"),
    "gable": ("w", "h", "d"),
    "wedge": ("w", "h", "d"),
    "plane": ("w", "d"),
    "cylinder": ("r_bottom", "r_top", "h"),
    "dome": ("r",),
    "ball": ("r",),
    "ring": ("r_outer", "r_inner", "h"),
    "octahedron": ("r",),
    "pane": ("w", "h"),
    "spill": ("r",),
    "beam": ("r_bottom", "r_top", "h"),
}
"""Arguments of each shape that are lengths, in the order its function takes them."""
COUNTS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "cylinder": (("sides", 8),),
    "dome": (("sides", 8), ("rings", 3)),
    "ball": (("level", 1),),
    "ring": (("sides", 12),),
    "spill": (("sides", 16),),
    "beam": (("sides", 12),),
}
"""Further arguments that are counts, with defaults."""


@dataclass(frozen=True)
class KitInfo:
    """What placing a kit needs to know; lengths in planet radii at scale 1.

    Attributes:
        height: top of the kit above its base.
        footprint: radius of the dark contact with the ground.
        family: structure, flora, life or needle.
        half_width: largest |x| of anything solid.
        half_depth: largest |z| of anything solid.
    """

    height: float
    footprint: float
    family: str
    half_width: float
    half_depth: float


@dataclass(frozen=True)
class Piece:
    """One primitive of a kit where it stands.

    Attributes:
        mesh: vertices in planet radii, kit frame.
        row: the part's row in the kit's data.
        part: number that seeds what varies in it.
    """

    mesh: Mesh
    row: Mapping[str, Any]
    part: int


def kit_names() -> tuple[str, ...]:
    """Names of all kits: structures, then nature, each in file order."""
    return tuple(_table("kits"))


@cache
def kit(name: str) -> KitInfo:
    """Measures of a kit.

    Raises:
        KeyError: there is no kit of that name.
    """
    row = _kit_row(name)
    solid = [piece.mesh.vertices for piece in pieces(name) if not piece.row.get("glow", False)]
    points = np.concatenate([np.zeros((1, 3)), *solid])
    return KitInfo(
        row["height"] * UNIT,
        row["footprint"] * UNIT,
        row["family"],
        float(np.abs(points[:, 0]).max()),
        float(np.abs(points[:, 2]).max()),
    )


@cache
def kit_mesh(name: str, glow: bool = False) -> tuple[F64, U32]:
    """Mesh of a kit, flat-shaded unless a part says `smooth`.

    Args:
        name: one of `kit_names()`.
        glow: the additive mesh (beams, light on the ground) instead of the solid one.
    Returns:
        Read-only rows (n, 16) float64 and faces (m, 3) uint32, counter-clockwise from outside.
    Raises:
        KeyError: there is no kit of that name.
    """
    info = _kit_row(name)
    rows, faces, count = [np.zeros((0, KIT_WIDTH))], [np.zeros((0, 3), np.uint32)], 0
    for piece in pieces(name):
        if piece.row.get("glow", False) == glow:
            vertices, triangles = _vertices(piece, info, glow)
            rows.append(vertices)
            faces.append(triangles + np.uint32(count))
            count += len(vertices)
    result = np.concatenate(rows), np.concatenate(faces).astype(np.uint32)
    for array in result:
        array.flags.writeable = False
    return result


@cache
def pieces(name: str) -> tuple[Piece, ...]:
    """Primitives of a kit after repeats and borrowed kits, in drawing order.

    A part row may `repeat` itself (each entry: `count`, and per copy a `step` and a `turn_deg`
    about the point `about`; later entries repeat the earlier ones), and may `use` another kit at
    a `scale` instead of a `shape`.
    """
    found: list[Piece] = []
    for row in _kit_row(name)["parts"]:
        borrowed = pieces(row["use"]) if "use" in row else (Piece(_shape(row), row, 0),)
        stretch = np.broadcast_to(np.asarray(row.get("scale", 1.0), dtype=np.float64), 3)
        for repeats in _copies(row.get("repeat", ())):
            first = len(found)
            for piece in borrowed:
                points = _turned(piece.mesh.vertices * stretch, row.get("turn_deg", (0, 0, 0)))
                points = points + np.array(row.get("at", (0, 0, 0)), dtype=np.float64) * UNIT
                for entry, k in repeats:
                    points = _repeated(points, entry, k)
                own = int(row["part"]) if "part" in row else first
                part = first + piece.part if "use" in row else own
                found.append(Piece(Mesh(points, piece.mesh.faces), piece.row, part))
    return tuple(found)


def instance_rows(
    at: F64,
    front: F64,
    scale: F64 | float,
    feature: I64,
    *,
    stretch: F64 | float = 1.0,
    tint: F64 | Sequence[float] = (1.0, 1.0, 1.0),
    seed24: F64 | float = 0.0,
    delay_s: F64 | float = 0.0,
    lift: F64 | float = 0.0,
    phase: F64 | float = 0.0,
) -> F64:
    """Rows of a `kit:*` buffer, see `formats.kit_instance` in `spec/materials.json`.

    Args:
        at: (n, 3) unit vectors.
        front: (n, 3) unit tangents, where the kit's +z points.
        scale: (n,) or one for all.
        feature: (n,) world index.
        stretch: multiplier of height.
        tint: (n, 3) or (3,) linear rgb.
        seed24: whole numbers below 2**24 that seed what varies in the kit.
        delay_s: seconds after the feature has landed.
        lift: planet radii above the ground.
        phase: 0..1, where its motion starts.
    Returns:
        (n, 16) float64.
    """
    rows = np.zeros((len(at), 16))
    rows[:, 0:3] = at
    rows[:, 3] = scale
    rows[:, 4:7] = front
    rows[:, 7] = stretch
    rows[:, 8:11] = tint
    rows[:, 11] = seed24
    rows[:, 12] = delay_s
    rows[:, 13] = lift
    rows[:, 14] = phase
    rows[:, 15] = feature
    return rows


def light_rows(
    at: F64, radius: F64 | float, rgb: F64 | Sequence[float], strength: F64 | float, feature: I64
) -> F64:
    """Rows of the `light` table for lamps; the ground near them is lit.

    Args:
        at: (n, 3) unit vectors.
        radius: (n,) radians, where the light ends.
        rgb: (n, 3) or (3,) linear.
        strength: (n,) multiplier.
        feature: (n,) world index.
    Returns:
        (n, 12) float64 of kind 0.
    """
    rows = np.zeros((len(at), 12))
    rows[:, 0:3] = at
    rows[:, 3] = radius
    rows[:, 4:7] = rgb
    rows[:, 7] = strength
    rows[:, 9] = feature
    return rows


def seed24_of(draw: F64) -> F64:
    """Whole numbers below 2**24 from draws in [0, 1): seeds that a float32 column holds exactly."""
    return np.floor(draw * 16777216.0)


def pane(w: float, h: float) -> Mesh:
    """An upright rectangle that faces +z, base at y = 0; corners u, v = 00, 10, 01, 11."""
    x = w / 2.0
    corners = [(-x, 0.0, 0.0), (x, 0.0, 0.0), (-x, h, 0.0), (x, h, 0.0)]
    return Mesh(np.array(corners), np.array([(0, 1, 3), (0, 3, 2)], np.uint32))


def spill(r: float, sides: int) -> Mesh:
    """A disc of light on the ground, facing up: the centre first, then its rim."""
    angle = np.arange(sides, dtype=np.float64) * (2.0 * PI / sides)
    rim = np.stack([r * sin(angle), np.zeros(sides), r * cos(angle)], axis=1)
    k = np.arange(sides)
    faces = np.stack([np.zeros(sides, np.int64), 1 + k, 1 + (k + 1) % sides], axis=1)
    return Mesh(np.concatenate([np.zeros((1, 3)), rim]), faces.astype(np.uint32))


def beam(r_bottom: float, r_top: float, h: float, sides: int) -> Mesh:
    """An open cone of light along +y: its near rim first, then its far one."""
    angle = np.arange(sides, dtype=np.float64) * (2.0 * PI / sides)
    around = np.stack([sin(angle), np.zeros(sides), cos(angle)], axis=1)
    far = around * r_top + np.array([0.0, h, 0.0])
    k = np.arange(sides)
    right = (k + 1) % sides
    faces = np.concatenate(
        [
            np.stack([k, right, right + sides], axis=1),
            np.stack([k, right + sides, k + sides], axis=1),
        ]
    )
    return Mesh(np.concatenate([around * r_bottom, far]), faces.astype(np.uint32))


OWN_SHAPES: Mapping[str, Callable[..., Mesh]] = {"pane": pane, "spill": spill, "beam": beam}


@cache
def _table(section: str) -> Mapping[str, Any]:
    """Surfaces or kits of all files, in file order."""
    table: dict[str, Any] = {}
    for file in FILES:
        for name, row in load(file)[section].items():
            if name in table:
                raise ValueError(f"{file}: {section} {name!r} is already taken; rename one of them")
            table[name] = row
    return table


def _kit_row(name: str) -> Mapping[str, Any]:
    kits = _table("kits")
    if name not in kits:
        raise KeyError(f"kits: {name!r}; expected one of {', '.join(kits)}; add it to {FILES[0]}")
    row: Mapping[str, Any] = kits[name]
    return row


def _shape(row: Mapping[str, Any]) -> Mesh:
    """The primitive that a part row names, in planet radii."""
    shape = row["shape"]
    if shape not in LENGTHS:
        raise ValueError(f"kits: shape {shape!r}; expected one of {', '.join(LENGTHS)}")
    build: Callable[..., Mesh] = OWN_SHAPES.get(shape) or getattr(shapes, shape)
    lengths = [row[name] * UNIT for name in LENGTHS[shape]]
    counts = [int(row.get(name, usual)) for name, usual in COUNTS.get(shape, ())]
    return build(*lengths, *counts)


def _copies(repeats: Sequence[Mapping[str, Any]]) -> Iterator[list[tuple[Mapping[str, Any], int]]]:
    """Every combination of copy numbers, the first entry changing fastest."""
    if not repeats:
        yield []
        return
    for rest in _copies(repeats[1:]):
        for k in range(int(repeats[0]["count"])):
            yield [(repeats[0], k), *rest]


def _repeated(points: F64, entry: Mapping[str, Any], k: int) -> F64:
    """Points of copy k of a repeat entry."""
    about = np.array(entry.get("about", (0, 0, 0)), dtype=np.float64) * UNIT
    turn = [angle * k for angle in entry.get("turn_deg", (0, 0, 0))]
    step = np.array(entry.get("step", (0, 0, 0)), dtype=np.float64) * (UNIT * k)
    return _turned(points - about, turn) + about + step


def _turned(points: F64, turn_deg: Sequence[float]) -> F64:
    """Points (n, 3) turned about x, then y, then z, right-handed."""
    x, y, z = points[:, 0], points[:, 1], points[:, 2]
    if turn_deg[0] != 0:
        s, c = sin(turn_deg[0] * DEG), cos(turn_deg[0] * DEG)
        y, z = c * y - s * z, s * y + c * z
    if turn_deg[1] != 0:
        s, c = sin(turn_deg[1] * DEG), cos(turn_deg[1] * DEG)
        z, x = c * z - s * x, s * z + c * x
    if turn_deg[2] != 0:
        s, c = sin(turn_deg[2] * DEG), cos(turn_deg[2] * DEG)
        x, y = c * x - s * y, s * x + c * y
    return np.stack([x, y, z], axis=1)


def _vertices(piece: Piece, info: Mapping[str, Any], glow: bool) -> tuple[F64, U32]:
    """Kit vertex rows (n, 16) and faces (m, 3) of one piece."""
    row = piece.row
    surface = _table("surfaces")[row["surface"]]
    own = row.get("shape") in OWN_SHAPES
    smooth = own or row.get("smooth", False)
    mesh, normals = (piece.mesh, piece.mesh.normals()) if smooth else explode(piece.mesh)
    rows = np.zeros((len(mesh.vertices), KIT_WIDTH))
    rows[:, 0:3] = mesh.vertices
    rows[:, 3] = surface.get("emission", 0.0)
    rows[:, 4:7] = normals
    rows[:, 7] = surface.get("tint", 0.0)
    rows[:, 8:11] = surface["albedo"]
    rows[:, 11] = _sway(mesh.vertices[:, 1], row, info)
    rows[:, 12] = piece.part
    rows[:, 13] = row.get("chance", surface.get("chance", 1.0))
    rows[:, 14] = _mode(row.get("mode", surface.get("mode", "solid")))
    rows[:, 15] = _corner(row, info, len(rows), glow)
    return rows + 0.0, mesh.faces


def _mode(mode: str | int) -> int:
    return MODES.index(mode) if isinstance(mode, str) else int(mode)


def _sway(y: F64, row: Mapping[str, Any], info: Mapping[str, Any]) -> F64:
    """How far the wind moves each vertex, 0..1, quadratic in height; by itself only plants sway."""
    usual = info.get("sway", 1.0 if info["family"] == "flora" else 0.0)
    weight = float(row.get("sway", usual))
    share = np.minimum(np.maximum(y / (info["height"] * UNIT), 0.0), 1.0)
    sway: F64 = weight * (share * share)
    return sway


def _corner(row: Mapping[str, Any], info: Mapping[str, Any], count: int, glow: bool) -> F64:
    shape = row.get("shape")
    if not glow:
        whole = GROWS_WHOLE if info["family"] in ("flora", "life") else 0.0
        return whole + (np.arange(1.0, 5.0) if shape == "pane" else np.zeros(count))
    if shape == "spill":
        return LIES_FLAT + np.concatenate([np.ones(1), np.zeros(count - 1)])
    if shape == "beam":
        return np.concatenate([np.ones(count // 2), np.zeros(count - count // 2)])
    return np.ones(count)
