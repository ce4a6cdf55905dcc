"""No two parts of a kit share a face: which of them is seen would be the rasteriser's choice."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from godseed.sim.kits import kit_mesh, kit_names
from godseed.spec import load

F64 = npt.NDArray[np.float64]
APART = 3e-5
"""Planes nearer to each other than this, in kit units, fight for the same depth."""
SHARED = 1e-5
"""Area that may be shared, square kit units: less than a tenth of a window."""
CLEAR = 4e-4
"""How far above stone a light on the ground lies, kit units."""
PART = load("materials.json")["formats"]["kit_vertex"]


@pytest.mark.parametrize("name", kit_names())
def test_no_two_parts_share_a_face(name: str) -> None:
    corners, part, normals = triangles(name, glow=False)
    shared = 0.0
    for i, normal in enumerate(normals):
        if normal[1] < -0.5:
            continue  # undersides are not seen
        offset = corners[i, 0] @ normal
        level = np.abs(corners[:i] @ normal - offset).max(axis=1) < APART
        for j in np.nonzero((normals[:i] @ normal > 0.9998) & level & (part[:i] != part[i]))[0]:
            shared += overlap(*flat(corners[[i, j]], normal))
    assert shared < SHARED, f"{shared:.2g} of two parts lie in one plane; move one of them"


@pytest.mark.parametrize("name", kit_names())
def test_light_on_the_ground_lies_clear_of_the_stone_below(name: str) -> None:
    spills, _, up = triangles(name, glow=True)
    spills = spills[np.abs(up[:, 1]) > 0.9]
    tops, _, up = triangles(name, glow=False)
    tops = tops[up[:, 1] > 0.99]
    for spill in spills:
        for top in tops[np.abs(tops[:, 0, 1] - spill[0, 1]) < CLEAR]:
            shared = overlap(*flat(np.stack([spill, top]), np.array([0.0, 1.0, 0.0])))
            gap = spill[0, 1] - top[0, 1]
            assert abs(shared) < SHARED, f"{gap:.2g} above a face; expected {CLEAR} or more"


def triangles(name: str, glow: bool) -> tuple[F64, F64, F64]:
    """Corners (n, 3, 3), part (n,) and unit normal (n, 3) of a kit's faces, slivers left out."""
    rows, faces = kit_mesh(name, glow)
    found = np.asarray(rows, np.float64)[np.asarray(faces).reshape(-1, 3)]
    corners, part = found[:, :, :3], found[:, 0, column_of("a_part")]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normals, axis=1)
    kept = size > 1e-12
    return corners[kept], part[kept], normals[kept] / size[kept, None]


def column_of(attribute: str) -> int:
    """First column of a vertex attribute."""
    widths = {name: int(size) for name, size in PART["attributes"]}
    return sum(list(widths.values())[: list(widths).index(attribute)])


def flat(pair: F64, normal: F64) -> tuple[F64, F64]:
    """Two triangles (2, 3, 3) in the plane of a normal, counter-clockwise."""
    across = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    across /= np.linalg.norm(across)
    a, b = pair @ np.stack([across, np.cross(normal, across)], axis=1)
    return a, b


def overlap(a: F64, b: F64) -> float:
    """Area that two counter-clockwise triangles (3, 2) share."""
    if (a.max(0) <= b.min(0)).any() or (b.max(0) <= a.min(0)).any():
        return 0.0
    kept = list(a)
    for start, end in zip(b, np.roll(b, -1, axis=0), strict=True):
        way = end - start
        side = [way[0] * (p[1] - start[1]) - way[1] * (p[0] - start[0]) for p in kept]
        clipped: list[F64] = []
        for i, here in enumerate(side):
            there = side[(i + 1) % len(side)]
            if here >= 0.0:
                clipped.append(kept[i])
            if here * there < 0.0:
                clipped.append(
                    kept[i] + (kept[(i + 1) % len(kept)] - kept[i]) * (here / (here - there))
                )
        kept = clipped
    if len(kept) < 3:
        return 0.0
    x, y = np.array(kept).T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2.0)


def test_overlap_of_triangles() -> None:
    one = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    assert overlap(one, one) == pytest.approx(2.0)
    assert overlap(one, one + 1.0) == 0.0
    assert overlap(one, one + np.array([1.0, 0.0])) == pytest.approx(0.5)
