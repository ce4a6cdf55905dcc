"""A frame as plain triangles: what the vertex shaders place, worked out on the CPU for programs
that are not ours.

Everything that has a surface comes out: ground, kits, roads, water, letters and fireflies, where
they are at the frame's time and fully grown. Sky, stars, weather, halos and beams of light have
none and are left out. Lengths are planet radii, colours linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from godseed.render.errors import RenderError
from godseed.sim.maths import F64, I64, U32
from godseed.sim.mesh import vertex_normals
from godseed.sim.sphere import icosphere
from godseed.spec import constants

if TYPE_CHECKING:
    from godseed.sim.planet import PlanetView

PARTS = ("ground", "structure", "flora", "life", "road", "water", "words", "needle")
"""What a solid can be a part of."""
NOBODY = -1
"""Feature of the ground and the needle, which no feature made."""
COARSEST = 2
"""Lowest level of the ground's icosphere: 162 vertices."""

OBSIDIAN, STONE, CREST = (0.031, 0.029, 0.037), (0.078, 0.067, 0.066), (0.21, 0.18, 0.165)
"""Mean colours of `planet.frag`: glassy plains, rock, and the heights."""


@dataclass(frozen=True)
class Solid:
    """Triangles of one kit or one kind of surface.

    Attributes:
        part: one of PARTS.
        name: of the kit, else of the part.
        vertices: (n, 3) float64, planet radii.
        normals: (n, 3) float64 unit vectors.
        colors: (n, 3) float64, linear albedo 0..1.
        light: (n, 3) float64, linear light that it gives, 0 or more.
        faces: (m, 3) uint32, counter-clockwise from outside.
        feature: (m,) world index, NOBODY where no feature made it.
        closed: (m,) whether the face belongs to a closed body.
    """

    part: str
    name: str
    vertices: F64
    normals: F64
    colors: F64
    light: F64
    faces: U32
    feature: I64
    closed: npt.NDArray[np.bool_]

    def of(self, chosen: npt.NDArray[np.bool_]) -> Solid:
        """Only these faces (m,), with the vertices that they use."""
        used, corners = np.unique(self.faces[chosen].reshape(-1), return_inverse=True)
        return Solid(
            self.part,
            self.name,
            self.vertices[used],
            self.normals[used],
            self.colors[used],
            self.light[used],
            corners.reshape(-1, 3).astype(np.uint32),
            self.feature[chosen],
            self.closed[chosen],
        )

    def by_feature(self) -> Iterator[tuple[int, Solid]]:
        """The same split by who made it, in world order."""
        makers = np.unique(self.feature).tolist()
        for maker in makers:
            yield maker, self if len(makers) == 1 else self.of(self.feature == maker)


def finest_level() -> int:
    """Level of the ground as pictures have it."""
    return int(constants()["planet"]["level"])


def ground_solid(planet: PlanetView, rise: float, level: int | None = None) -> Solid:
    """The ground, with the light of lamps and the tint of plants in its colour.

    Args:
        planet: as a frame has it.
        rise: 0..1, how far the newest feature has risen.
        level: subdivisions of the icosphere, COARSEST to that of pictures; None for the frame's
            mesh, which is finer near the camera.
    Raises:
        RenderError: a level outside of that.
    """
    rows, faces = planet.vertices.astype(np.float64), planet.faces
    if level is not None:
        if not COARSEST <= level <= finest_level():
            raise RenderError(
                f"ground: level {level}; expected {COARSEST} to {finest_level()}; choose one"
            )
        coarse = icosphere(level)  # its vertices are the first ones of every finer sphere
        rows, faces = rows[: len(coarse.vertices)], coarse.faces

    def mixed(before: slice | int, after: slice | int) -> F64:
        blend: F64 = rows[:, before] * (1.0 - rise) + rows[:, after] * rise
        return blend

    up, height = rows[:, 0:3], mixed(7, 3)
    vertices = up * (1.0 + height)[:, None]
    normals = mixed(slice(4, 7), slice(8, 11))
    if level is not None:
        normals = vertex_normals(vertices, faces)
    slope = 1.0 - np.clip(np.sum(normals * up, axis=1), 0.0, 1.0)
    colors = _ground_colors(height, slope, mixed(slice(20, 24), slice(24, 28)), mixed(15, 11))
    lamps = mixed(slice(12, 15), slice(16, 19))
    lit = np.minimum((colors * 0.85 + 0.0016) * lamps, 0.35)
    return solid("ground", "ground", vertices, faces, colors + lit, normals=normals, closed=True)


def solid(
    part: str,
    name: str,
    vertices: F64,
    faces: npt.NDArray[np.integer],
    colors: F64,
    *,
    light: F64 | None = None,
    normals: F64 | None = None,
    feature: I64 | int = NOBODY,
    closed: npt.NDArray[np.bool_] | bool = False,
) -> Solid:
    """A solid from what is known of it: dark, made by nobody, open and smooth unless said."""
    count = len(faces)
    corners = faces.astype(np.uint32)
    return Solid(
        part,
        name,
        vertices,
        vertex_normals(vertices, corners) if normals is None else normals,
        np.broadcast_to(np.clip(colors, 0.0, 1.0), vertices.shape),
        np.zeros_like(vertices) if light is None else np.broadcast_to(light, vertices.shape),
        corners,
        np.broadcast_to(np.asarray(feature, np.int64), count),
        np.broadcast_to(np.asarray(closed, np.bool_), count),
    )


def nothing(part: str) -> Solid:
    """A solid without faces."""
    return solid(part, part, np.zeros((0, 3)), np.zeros((0, 3), np.int64), np.zeros(3))


def joined(solids: Iterable[Solid], part: str, name: str) -> Solid | None:
    """Several solids as one; None if there are none."""
    found = list(solids)
    if not found:
        return None
    first = np.cumsum([0, *(len(each.vertices) for each in found[:-1])])
    return Solid(
        part,
        name,
        np.concatenate([each.vertices for each in found]),
        np.concatenate([each.normals for each in found]),
        np.concatenate([each.colors for each in found]),
        np.concatenate([each.light for each in found]),
        np.concatenate(
            [each.faces + np.uint32(k) for each, k in zip(found, first, strict=True)]
        ).astype(np.uint32),
        np.concatenate([each.feature for each in found]),
        np.concatenate([each.closed for each in found]),
    )


def _ground_colors(height: F64, slope: F64, tint: F64, wet: F64) -> F64:
    """Albedo (n, 3) as the ground's shader has it, without its grain.

    Args:
        height: (n,) planet radii above 1.
        slope: (n,) 1 - cosine of the angle to level ground.
        tint: (n, 4) colour of plants times amount, and amount.
        wet: (n,).
    """
    rock = np.clip(
        _smoothstep(0.016, 0.105, height) * 0.8 + _smoothstep(0.03, 0.26, slope) * 0.75, 0.0, 1.0
    )
    high = _smoothstep(0.048, 0.105, height) * (1.0 - _smoothstep(0.22, 0.5, slope))
    colors = _mix(_mix(np.array(OBSIDIAN), np.array(STONE), rock), np.array(CREST), high)
    grown = np.clip(tint[:, 3], 0.0, 1.0)
    moss = tint[:, 0:3] / np.maximum(tint[:, 3:4], 1e-4)
    grey = moss @ np.array([0.2126, 0.7152, 0.0722])
    moss = (grey[:, None] + (moss - grey[:, None]) * 0.55) * 0.62 * 0.95
    cover = np.clip(_smoothstep(0.25, 0.75, grown) * grown * 1.1, 0.0, 0.85)
    colors = _mix(colors, moss, cover * (1.0 - 0.5 * _smoothstep(0.12, 0.45, slope)))
    return colors * (1.0 - 0.45 * np.clip(wet, 0.0, 1.0))[:, None]


def _mix(a: F64, b: F64, x: F64) -> F64:
    mixed: F64 = a + (b - a) * x[:, None]
    return mixed


def _smoothstep(low: float, high: float, x: F64) -> F64:
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
