"""Make the signed-distance glyph atlas of godseed/spec: glyphs.png, .json and -LICENSE.txt.

The inputs are two open fonts from npm, pinned in glyph_outlines.py (SIL Open Font License 1.1),
needed only to make the atlas anew:

    npm install --no-save --prefix build/fonts \\
        @fontsource/eb-garamond@5.3.0 @fontsource/jetbrains-mono@5.3.0
    python tools/make_glyphs.py            # writes the three files
    python tools/make_glyphs.py --check    # compares instead

`--fonts` points at another node_modules. Needs `fonttools` and `brotli` (to read woff2), NumPy and
Pillow. Outlines are flattened to line pieces; every texel gets its exact distance to the nearest
piece, signed by the nonzero winding rule. Only + - * / and sqrt are used, so the atlas is the same
on every machine. Decision: docs/decisions/0006-glyph-atlas.md
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from glyph_outlines import SOURCES, FontsMissing, decimals, read_face
from PIL import Image

SPEC = Path(__file__).resolve().parent.parent / "godseed" / "spec"
SPREAD_PX = 6
"""Texels from the outline to value 0 or 255; also the margin around every glyph."""
WIDTH_PX, HEIGHT_PX = 2048, 1168

F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]


def main(argv: list[str] | None = None) -> int:
    """Command line: 0 written or equal, 1 different, 3 fonts missing."""
    parser = argparse.ArgumentParser(description="Make or check the glyph atlas.")
    parser.add_argument(
        "--fonts", type=Path, default=Path("build/fonts/node_modules"), help="node_modules"
    )
    parser.add_argument(
        "--check", action="store_true", help="compare with the files in godseed/spec"
    )
    options = parser.parse_args(argv)
    try:
        pixels, table, licence = make_atlas(options.fonts)
    except FontsMissing as error:
        print(error, file=sys.stderr)
        return 3
    if options.check:
        return check_atlas(pixels, table, licence)
    (SPEC / "glyphs.png").write_bytes(png_bytes(pixels))
    (SPEC / "glyphs.json").write_text(table, encoding="utf-8")
    (SPEC / "glyphs-LICENSE.txt").write_text(licence, encoding="utf-8")
    return 0


def make_atlas(fonts: Path) -> tuple[U8, str, str]:
    """Draw every face.

    Args:
        fonts: a node_modules folder that holds the pinned packages.
    Returns:
        pixels (HEIGHT_PX, WIDTH_PX) uint8, first row on top; the text of glyphs.json; the text of
        glyphs-LICENSE.txt.
    Raises:
        FontsMissing: a package is absent or has another version.
    """
    cells: list[tuple[str, int, U8]] = []
    faces: dict[str, Any] = {}
    licences = []
    for source in SOURCES:
        outlines, kerning, metrics = read_face(source, fonts)
        glyphs: dict[str, Any] = {}
        for code, outline in sorted(outlines.items()):
            glyphs[str(code)] = {"advance": decimals(outline.advance)}
            if len(outline.pieces):
                texels, plane = distance_field(outline.pieces, source.em_px)
                glyphs[str(code)]["plane"] = plane
                cells.append((source.face, code, texels))
        faces[source.face] = {
            "font": f"{source.package}@{source.version} weight {source.weight}",
            "em_px": source.em_px, **metrics, "glyphs": glyphs, "kerning": kerning,
        }  # fmt: skip
        licence = (fonts / source.package / "LICENSE").read_text(encoding="utf-8")
        origin = f"The face {source.face!r} of glyphs.png is drawn from "
        licences.append(f"{origin}{source.package}@{source.version}.\n\n{licence.strip()}\n")
    pixels = pack(cells, faces)
    atlas = {"width": WIDTH_PX, "height": HEIGHT_PX, "spread_px": SPREAD_PX}
    return (
        pixels,
        table_text({"atlas": atlas, "faces": faces}),
        ("\n" + "=" * 72 + "\n\n").join(licences),
    )


def check_atlas(pixels: U8, table: str, licence: str) -> int:
    """Name on stderr what differs from the committed files. 0 when all are equal, else 1."""
    kept = np.asarray(Image.open(SPEC / "glyphs.png"))
    problems = []
    if kept.shape != pixels.shape:
        problems.append(f"glyphs.png: {kept.shape[::-1]} px; expected {pixels.shape[::-1]} px")
    elif not np.array_equal(kept, pixels):
        problems.append(f"glyphs.png: {np.count_nonzero(kept != pixels)} texels differ; expected 0")
    for name, text in (("glyphs.json", table), ("glyphs-LICENSE.txt", licence)):
        if (SPEC / name).read_text(encoding="utf-8") != text:
            problems.append(f"{name}: differs from a fresh one")
    for problem in problems:
        print(f"{problem}; run tools/make_glyphs.py without --check", file=sys.stderr)
    return 1 if problems else 0


def png_bytes(pixels: U8) -> bytes:
    """8-bit greyscale PNG."""
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def distance_field(pieces: F64, em_px: int) -> tuple[U8, list[float]]:
    """Exact signed distances of one outline on a texel grid.

    Args:
        pieces: (n, 4) float64, em.
        em_px: texels per em.
    Returns:
        texels (h, w) uint8, first row on top: 127.5 on the outline, higher inside, SPREAD_PX
        texels to 0 or 255; plane [left, bottom, right, top] of the same rectangle in em.
    """
    outline = pieces * em_px
    left, bottom = (int(np.floor(outline[:, i].min())) - SPREAD_PX for i in (0, 1))
    right, top = (int(np.ceil(outline[:, i].max())) + SPREAD_PX for i in (0, 1))
    x, y = np.meshgrid(np.arange(left, right) + 0.5, np.arange(top - 1, bottom - 1, -1) + 0.5)
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    best = np.full(len(points), np.inf)
    for x0, y0, x1, y1 in boundary(outline):
        dx, dy = x1 - x0, y1 - y0
        ax, ay = points[:, 0] - x0, points[:, 1] - y0
        along = np.clip((ax * dx + ay * dy) / (dx * dx + dy * dy), 0.0, 1.0)
        ex, ey = ax - along * dx, ay - along * dy
        np.minimum(best, ex * ex + ey * ey, out=best)
    distance = np.where(winding(points, outline) != 0, 1.0, -1.0) * np.sqrt(best)
    value = np.clip(np.floor((0.5 + distance / (2.0 * SPREAD_PX)) * 255.0 + 0.5), 0.0, 255.0)
    plane = [decimals(v / em_px) for v in (left, bottom, right, top)]
    return value.reshape(x.shape).astype(np.uint8), plane


def boundary(pieces: F64) -> F64:
    """Drop the pieces inside the shape, where contours overlap; cut to 1/4 texel first then."""
    inner = inside_both(pieces)
    if not inner.any():
        return pieces
    short = []
    for x0, y0, x1, y1 in pieces:
        count = max(1, int(np.ceil(np.sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)) * 4.0)))
        t = np.arange(count + 1) / count
        x, y = x0 + (x1 - x0) * t, y0 + (y1 - y0) * t
        short.append(np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1))
    cut = np.concatenate(short)
    outer: F64 = cut[~inside_both(cut, pieces)]
    return outer


def inside_both(pieces: F64, outline: F64 | None = None) -> npt.NDArray[np.bool_]:
    """Per piece: the shape lies on both of its sides."""
    middle = (pieces[:, :2] + pieces[:, 2:]) * 0.5
    along = pieces[:, 2:] - pieces[:, :2]
    length = np.sqrt(along[:, 0] * along[:, 0] + along[:, 1] * along[:, 1])[:, None]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / length * 1e-3
    shape = pieces if outline is None else outline
    both: npt.NDArray[np.bool_] = (winding(middle + normal, shape) != 0) & (
        winding(middle - normal, shape) != 0
    )
    return both


def winding(points: F64, pieces: F64) -> npt.NDArray[np.int64]:
    """Winding number of the closed outline round each point (m, 2): crossings of the ray to +x."""
    total = np.zeros(len(points), np.int64)
    px, py = points[:, 0], points[:, 1]
    for x0, y0, x1, y1 in pieces:
        if y0 == y1:
            continue
        side = (x1 - x0) * (py - y0) - (px - x0) * (y1 - y0)
        total += (y0 <= py) & (py < y1) & (side > 0)
        total -= (y1 <= py) & (py < y0) & (side < 0)
    return total


def pack(cells: list[tuple[str, int, U8]], faces: dict[str, Any]) -> U8:
    """Place the cells in rows, tallest first, one texel apart; write the `uv` into `faces`."""
    pixels = np.zeros((HEIGHT_PX, WIDTH_PX), np.uint8)
    x = y = 1
    row = 0
    for face, code, texels in sorted(
        cells, key=lambda c: (-c[2].shape[0], -c[2].shape[1], c[0], c[1])
    ):
        height, width = texels.shape
        if x + width + 1 > WIDTH_PX:
            x, y, row = 1, y + row + 1, 0
        if y + height + 1 > HEIGHT_PX:
            raise ValueError(
                f"make_glyphs.pack: a row ends at {y + height + 1} px; expected at most "
                f"{HEIGHT_PX}; raise HEIGHT_PX"
            )
        pixels[y : y + height, x : x + width] = texels
        faces[face]["glyphs"][str(code)]["uv"] = [x, y, x + width, y + height]
        x, row = x + width + 1, max(row, height)
    return pixels


def table_text(table: dict[str, Any]) -> str:
    """JSON with one line per glyph and per 16 kerning pairs, so that diffs stay readable."""
    lines = ['{"atlas": ' + json.dumps(table["atlas"]) + ",", '"faces": {']
    for f, (name, face) in enumerate(table["faces"].items()):
        head = {k: v for k, v in face.items() if k not in ("glyphs", "kerning")}
        lines += [f'"{name}": ' + json.dumps(head)[:-1] + ', "glyphs": {']
        rows = [f'"{code}": ' + json.dumps(glyph) for code, glyph in face["glyphs"].items()]
        lines += [r + "," for r in rows[:-1]] + [rows[-1], '}, "kerning": {']
        pairs = [f'"{pair}": {value}' for pair, value in face["kerning"].items()]
        groups = [", ".join(pairs[i : i + 16]) for i in range(0, len(pairs), 16)]
        lines += [g + "," for g in groups[:-1]] + groups[-1:]
        lines += ["}}" + ("," if f + 1 < len(table["faces"]) else "")]
    return "\n".join([*lines, "}}"]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
