"""Every kind of structure is told from the others by its outline alone, at 96 pixels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from godseed.sim.columns import Columns, Paths
from godseed.sim.kits import kit_mesh
from godseed.sim.maths import DEG, F64
from godseed.sim.scene import tool_row
from godseed.sim.sphere import direction
from godseed.sim.tools import place_structure

SIZE = 96
ELEVATION_DEG = 23.0
"""As from the town view."""
AZIMUTHS_DEG = (0.0, 25.0, 60.0, 90.0, 135.0, 180.0, 225.0, 300.0)
CONFUSED = 0.8
KINDS: tuple[str, ...] = tuple(
    next(arg for arg in tool_row("place_structure")["args"] if arg["name"] == "kind")["values"]
)


def triangles(kind: str) -> F64:
    """Solid triangles (n, 3, 3) of a whole structure: x right, y up, z front."""
    at = direction(0.0, 0.0)
    columns = Columns(
        np.array([5]),
        np.array([12345], dtype=np.uint32),
        {"lat": np.zeros(1), "lon": np.zeros(1), "scale": np.ones(1), "hue": np.full(1, 40.0)},
        {"kind": np.array([KINDS.index(kind)])},
        town=direction(np.array([20.0]), np.array([0.0])),
    )
    built = place_structure.build(columns, Paths.empty())
    found = []
    for name, part in built.parts.items():
        if not name.startswith("kit:"):
            continue
        rows, faces = kit_mesh(name[4:])
        for row in part.rows:
            up, front = row[0:3], row[4:7]
            right = np.cross(up, front)
            local = rows[:, 0:3] * row[3]
            local[:, 1] *= row[7]
            points = up + local @ np.stack([right, up, front])
            found.append((points - at)[faces])
    east, north = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    # The front looks north, to the town.
    return np.concatenate(found) @ np.stack([-east, at, north], axis=1)


def silhouette(kind: str, azimuth_deg: float) -> npt.NDArray[np.bool_]:
    """Outline of what is above the ground, as high as the picture and standing in its middle."""
    shape = triangles(kind)
    shape = shape[shape[:, :, 1].max(axis=1) > 0.0]
    shape[:, :, 1] = np.maximum(shape[:, :, 1], 0.0)
    c, s = np.cos(azimuth_deg * DEG), np.sin(azimuth_deg * DEG)
    x = shape[:, :, 0] * c - shape[:, :, 2] * s
    away = shape[:, :, 0] * s + shape[:, :, 2] * c
    y = shape[:, :, 1] * np.cos(ELEVATION_DEG * DEG) - away * np.sin(ELEVATION_DEG * DEG)
    scale = SIZE / (y.max() - y.min())
    x = (x - 0.5 * (x.max() + x.min())) * scale + SIZE * 1.5
    y = (y - y.min()) * scale
    picture = np.zeros((SIZE, 3 * SIZE), dtype=bool)
    for tri_x, tri_y in zip(x, y, strict=True):
        x0, x1 = int(max(tri_x.min(), 0)), int(min(tri_x.max() + 1, 3 * SIZE - 1))
        y0, y1 = int(max(tri_y.min(), 0)), int(min(tri_y.max() + 1, SIZE - 1))
        px, py = np.meshgrid(np.arange(x0, x1 + 1) + 0.5, np.arange(y0, y1 + 1) + 0.5)
        edges = [
            (tri_x[b] - tri_x[a]) * (py - tri_y[a]) - (tri_y[b] - tri_y[a]) * (px - tri_x[a])
            for a, b in ((0, 1), (1, 2), (2, 0))
        ]
        inside = np.all([e >= 0 for e in edges], axis=0) | np.all([e <= 0 for e in edges], axis=0)
        picture[y0 : y1 + 1, x0 : x1 + 1] |= inside
    return picture


def overlap(one: npt.NDArray[np.bool_], two: npt.NDArray[np.bool_]) -> float:
    return float((one & two).sum() / (one | two).sum())


@pytest.mark.parametrize("azimuth_deg", AZIMUTHS_DEG)
def test_no_two_kinds_of_structure_have_the_same_outline(azimuth_deg: float) -> None:
    outlines = {kind: silhouette(kind, azimuth_deg) for kind in KINDS}
    for kind, outline in outlines.items():
        assert outline.sum() > 500, kind
    confused = {
        f"{a} {b}": round(overlap(outlines[a], outlines[b]), 3)
        for a, b in combinations(KINDS, 2)
        if overlap(outlines[a], outlines[b]) >= CONFUSED
    }
    assert confused == {}
