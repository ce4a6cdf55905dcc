"""Letters of the atlas as triangles, for programs that know no distance fields.

Marching squares over the field: cells that the outline crosses are cut along it, and whole cells of
a row are one quad.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow

from godseed.sim.glyphs import face
from godseed.sim.maths import F64, U32
from godseed.spec import load, path

Point = tuple[float, float]

STEP_EM = 0.03
"""Size of a cell."""
OUTLINE = 127.5
"""Value of the field on the outline."""


@lru_cache(maxsize=4096)
def glyph_triangles(uv: tuple[float, float, float, float], page: int = 0) -> tuple[F64, U32]:
    """A glyph's ink as triangles.

    Args:
        uv: x0, y0 (top), x1, y1 of its quad in its picture, 0..1.
        page: 0 for the base atlas, else 1 + the page's number.
    Returns:
        points (n, 2) in the quad, -1..1 to the right and up, and faces (m, 3), counter-clockwise;
        read-only.
    """
    field = field_of(uv, page)
    rows, columns = field.shape
    xs, ys = np.linspace(-1.0, 1.0, columns), np.linspace(1.0, -1.0, rows)
    inside = field > OUTLINE
    whole = inside[:-1, :-1] & inside[:-1, 1:] & inside[1:, :-1] & inside[1:, 1:]
    some = inside[:-1, :-1] | inside[:-1, 1:] | inside[1:, :-1] | inside[1:, 1:]
    polygons: list[list[Point]] = []
    for r in range(rows - 1):
        for first, last in _runs(whole[r]):
            left, right = float(xs[first]), float(xs[last])
            top, bottom = float(ys[r]), float(ys[r + 1])
            polygons.append([(left, bottom), (right, bottom), (right, top), (left, top)])
        for c in np.nonzero(some[r] & ~whole[r])[0].tolist():
            polygons += _cut(field[r : r + 2, c : c + 2], xs[c : c + 2], ys[r : r + 2])
    points, faces = _fans(polygons)
    points.flags.writeable = faces.flags.writeable = False
    return points, faces


def field_of(uv: tuple[float, float, float, float], page: int = 0, step_em: float = STEP_EM) -> F64:
    """The distance field over a quad, (rows, columns) from its top left.

    Args:
        uv, page: of the quad, as in `glyph_triangles`.
        step_em: between samples.
    """
    atlas, step_px = _picture(page), step_em * _em_px(page)
    height, width = atlas.shape
    x0, y0, x1, y1 = uv[0] * width, uv[1] * height, uv[2] * width, uv[3] * height
    across = max(2, round(abs(x1 - x0) / step_px) + 1)
    down = max(2, round(abs(y1 - y0) / step_px) + 1)
    x = np.clip(np.linspace(x0, x1, across) - 0.5, 0.0, width - 1.001)
    y = np.clip(np.linspace(y0, y1, down) - 0.5, 0.0, height - 1.001)
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = (x - i)[None, :], (y - j)[:, None]
    upper = atlas[j][:, i] * (1.0 - fx) + atlas[j][:, i + 1] * fx
    lower = atlas[j + 1][:, i] * (1.0 - fx) + atlas[j + 1][:, i + 1] * fx
    field: F64 = upper * (1.0 - fy) + lower * fy
    return field


def _em_px(page: int) -> float:
    return float(load("glyph_pages.json")["em_px"]) if page else float(face("serif").em_px)


@lru_cache(maxsize=16)
def _picture(page: int) -> npt.NDArray[np.float64]:
    with Pillow.open(path(f"glyphs/{page - 1:02x}.png" if page else "glyphs.png")) as picture:
        return np.asarray(picture.convert("L"), np.float64)


def _runs(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Runs of true cells as their first edge and their last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _cut(corners: F64, xs: F64, ys: F64) -> list[list[Point]]:
    """The inner part of one cell as polygons, counter-clockwise.

    Args:
        corners: (2, 2) field, rows from the top.
        xs: (2,) left and right.
        ys: (2,) top and bottom.
    """
    # Round the cell against the clock, from the lower left.
    around = [
        (float(xs[0]), float(ys[1]), float(corners[1, 0])),
        (float(xs[1]), float(ys[1]), float(corners[1, 1])),
        (float(xs[1]), float(ys[0]), float(corners[0, 1])),
        (float(xs[0]), float(ys[0]), float(corners[0, 0])),
    ]
    found: list[Point] = []
    for k, (x, y, value) in enumerate(around):
        if value > OUTLINE:
            found.append((x, y))
        x2, y2, following = around[(k + 1) % 4]
        if (value > OUTLINE) != (following > OUTLINE):
            t = (OUTLINE - value) / (following - value)
            found.append((x + (x2 - x) * t, y + (y2 - y) * t))
    return [found] if len(found) > 2 else []


def _fans(polygons: list[list[Point]]) -> tuple[F64, U32]:
    """Convex polygons as fans of triangles."""
    points = [point for polygon in polygons for point in polygon]
    faces: list[tuple[int, int, int]] = []
    first = 0
    for polygon in polygons:
        faces += [(first, first + k, first + k + 1) for k in range(1, len(polygon) - 1)]
        first += len(polygon)
    return (
        np.array(points, np.float64).reshape(-1, 2),
        np.array(faces, np.uint32).reshape(-1, 3),
    )
