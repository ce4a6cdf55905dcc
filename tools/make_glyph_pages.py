"""Make the glyph pages of godseed/spec: glyphs/XX.png and .json, glyph_pages.json and its licence.

A page holds the 256 characters whose code points begin with XX, drawn as signed distances like the
base atlas, 16 levels deep. They come from fonts of three Debian packages under the SIL Open Font
License 1.1, needed only to make the pages anew:

    apt-get download fonts-noto-core fonts-noto-cjk-extra fonts-unifont
    for f in fonts-*.deb; do dpkg-deb -x "$f" build/debian; done
    python -m pip install fonttools uharfbuzz
    python tools/make_glyph_pages.py --fonts build/debian/usr/share/fonts            # writes
    python tools/make_glyph_pages.py --fonts build/debian/usr/share/fonts --check    # compares

`--pages 30 4e` looks at some pages only; `--jobs 2` shares them out. About 25 minutes for all.
Decision: docs/decisions/0011-glyph-pages.md
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from glyph_outlines import FontsMissing, Outline
from make_glyphs import boundary
from page_fonts import PACKAGES, WIDEST_EM, font_of, opened, outline_of, page_characters
from page_forms import Drawn, drawn_forms
from page_tables import is_mark, text_tables

SPEC = Path(__file__).resolve().parent.parent / "godseed" / "spec"
EM_PX, SPREAD_PX, SIZE_PX = 28, 4, 640
"""Texels per em, from the outline to the end of the field, and of a page's side."""
LEVELS = 15

F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]


def main(argv: list[str] | None = None) -> int:
    """Command line: 0 written or equal, 1 different, 3 fonts missing."""
    parser = argparse.ArgumentParser(description="Make or check the glyph pages.")
    parser.add_argument("--fonts", type=Path, default=Path("build/debian/usr/share/fonts"))
    parser.add_argument("--check", action="store_true", help="compare with the committed files")
    parser.add_argument("--pages", nargs="*", help="pages to make, such as 30 4e; all if left out")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(argv)
    try:
        forms = drawn_forms(options.fonts)
        wanted = page_numbers(options.fonts)
    except FontsMissing as error:
        print(error, file=sys.stderr)
        return 3
    some = wanted if not options.pages else [int(page, 16) for page in options.pages]
    files = {
        "glyph_pages.json": tables_text(wanted, forms).encode(),
        "glyph_pages-LICENSE.txt": licence_text().encode(),
    }
    with ProcessPoolExecutor(max_workers=options.jobs) as pool:
        made = pool.map(make_page, some, [options.fonts] * len(some))
        for page, (picture, table) in zip(some, made, strict=True):
            files |= {f"glyphs/{page:02x}.png": picture, f"glyphs/{page:02x}.json": table}
    return check_files(files) if options.check else write_files(files)


def make_page(page: int, fonts: Path) -> tuple[bytes, bytes]:
    """Draw the characters of one page.

    Args:
        page: code point >> 8.
        fonts: the folder that holds the packages' fonts.
    Returns:
        the PNG, 4-bit grey, SIZE_PX wide and high; the JSON text: code point -> advance in 1/1000
        em, then for a glyph with ink left, bottom, right and top of its quad and x, y of its upper
        left corner in the picture, texels.
    """
    cells: list[tuple[int, U8]] = []
    rows: dict[int, list[int]] = {}
    for code, outline, smooth in page_outlines(page, fonts):
        rows[code] = [int(np.floor(outline.advance * 1000.0 + 0.5))]
        if len(outline.pieces):
            texels, box = distance_levels(outline.pieces, smooth)
            rows[code] += box
            cells.append((code, texels))
    picture = pack(page, cells, rows)
    lines = [f'"{code:x}": {json.dumps(row, separators=(",", ":"))}' for code, row in rows.items()]
    return png4(picture), ("{\n" + ",\n".join(lines) + "\n}\n").encode()


@cache
def page_numbers(fonts: Path) -> list[int]:
    """Pages that have something on them."""
    codes = [*page_characters(), *(form.code for form in drawn_forms(fonts).glyphs)]
    return sorted({code >> 8 for code in codes if code not in in_both_faces()})


@cache
def in_both_faces() -> frozenset[int]:
    """Characters that every face of the base atlas has."""
    faces = json.loads((SPEC / "glyphs.json").read_text(encoding="utf-8"))["faces"]
    return frozenset.intersection(*(frozenset(map(int, f["glyphs"])) for f in faces.values()))


def page_outlines(page: int, fonts: Path) -> list[tuple[int, Outline, bool]]:
    """Code point, outline, and whether its contours never overlap, of everything on a page."""
    found = []
    for code in page_characters():
        if code >> 8 != page or code in in_both_faces():
            continue
        path = font_of(code, fonts)
        if path is None:
            continue
        outline = outline_of(opened(path)[2][code], path, is_mark(code))
        found.append((code, outline, path.suffix in (".otf", ".ttc")))
    found += [(f.code, f.outline, False) for f in drawn_forms(fonts).glyphs if f.code >> 8 == page]
    return [row for row in sorted(found, key=lambda row: row[0]) if width_of(row[1]) <= WIDEST_EM]


def width_of(outline: Outline) -> float:
    """How far the ink reaches across, em."""
    xs = outline.pieces[:, [0, 2]]
    return float(xs.max() - xs.min()) if len(xs) else 0.0


def distance_levels(pieces: F64, smooth: bool) -> tuple[U8, list[int]]:
    """Exact signed distances of an outline in LEVELS + 1 levels, and its box in texels.

    Args:
        pieces: (n, 4) float64, em.
        smooth: no contour overlaps another, so every piece is on the boundary.
    Returns:
        texels (h, w) uint8, first row on top, LEVELS / 2 on the outline; left, bottom, right, top.
    """
    outline = pieces * EM_PX
    left, bottom = (int(np.floor(outline[:, i].min())) - SPREAD_PX for i in (0, 1))
    right, top = (int(np.ceil(outline[:, i].max())) + SPREAD_PX for i in (0, 1))
    x, y = np.meshgrid(np.arange(left, right) + 0.5, np.arange(top - 1, bottom - 1, -1) + 0.5)
    px, py = x.ravel(), y.ravel()
    edge = outline if smooth else boundary(outline)
    best = np.full(len(px), np.inf)
    for block in np.array_split(edge, max(1, len(edge) // 128)):
        x0, y0, x1, y1 = (block[:, i, None] for i in range(4))
        dx, dy, ax, ay = x1 - x0, y1 - y0, px - x0, py - y0
        along = np.clip((ax * dx + ay * dy) / (dx * dx + dy * dy), 0.0, 1.0)
        ex, ey = ax - along * dx, ay - along * dy
        np.minimum(best, (ex * ex + ey * ey).min(axis=0), out=best)
    distance = np.where(winding(px, py, outline) != 0, 1.0, -1.0) * np.sqrt(best)
    value = np.clip(np.floor((0.5 + distance / (2.0 * SPREAD_PX)) * LEVELS + 0.5), 0.0, LEVELS)
    return value.reshape(x.shape).astype(np.uint8), [left, bottom, right, top]


def winding(px: F64, py: F64, outline: F64) -> npt.NDArray[np.int64]:
    """Winding numbers of a closed outline round points: crossings of the ray to +x."""
    total = np.zeros(len(px), np.int64)
    for block in np.array_split(outline, max(1, len(outline) // 128)):
        x0, y0, x1, y1 = (block[:, i, None] for i in range(4))
        side = (x1 - x0) * (py - y0) - (px - x0) * (y1 - y0)
        total += ((y0 <= py) & (py < y1) & (side > 0)).sum(axis=0)
        total -= ((y1 <= py) & (py < y0) & (side < 0)).sum(axis=0)
    return total


def pack(page: int, cells: list[tuple[int, U8]], rows: dict[int, list[int]]) -> U8:
    """Place the cells in rows, tallest first, one texel apart; add x, y to `rows`."""
    picture = np.zeros((SIZE_PX, SIZE_PX), np.uint8)
    x = y = 1
    high = 0
    for code, texels in sorted(cells, key=lambda c: (-c[1].shape[0], -c[1].shape[1], c[0])):
        height, width = texels.shape
        if x + width + 1 > SIZE_PX:
            x, y, high = 1, y + high + 1, 0
        if y + height + 1 > SIZE_PX:
            raise ValueError(
                f"make_glyph_pages.pack: page {page:02x} needs more than {SIZE_PX} px; expected a "
                "page that fits; raise SIZE_PX"
            )
        picture[y : y + height, x : x + width] = texels
        rows[code] += [x, y]
        x, high = x + width + 1, max(high, height)
    return picture


def png4(levels: U8) -> bytes:
    """4-bit greyscale PNG; each row is stored as it is or as its difference to the one above."""
    packed = levels[:, ::2] << 4 | levels[:, 1::2]
    above = np.vstack([np.zeros((1, packed.shape[1]), np.uint8), packed[:-1]])
    streams = [
        b"".join(bytes([kind]) + row.tobytes() for row in data)
        for kind, data in ((0, packed), (2, packed - above))
    ]
    data = min((zlib.compress(stream, 9) for stream in streams), key=len)
    header = struct.pack(">IIBBBBB", levels.shape[1], levels.shape[0], 4, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


def tables_text(pages: Sequence[int], forms: Drawn) -> str:
    """The text of glyph_pages.json, one line per entry."""
    head: dict[str, Any] = {"em_px": EM_PX, "spread_px": SPREAD_PX, "size_px": SIZE_PX}
    head |= {"pages": list(pages)} | text_tables() | forms.tables()
    lines = [f'"{key}": {json.dumps(value, separators=(",", ":"))}' for key, value in head.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def licence_text() -> str:
    """Where the pages come from, and the licence of those fonts."""
    names = "\n".join(f"- {name} {version}" for name, version in PACKAGES.items())
    licence = (SPEC / "glyphs-LICENSE.txt").read_text(encoding="utf-8")
    terms = licence[licence.index("-----") :].split("=" * 72)[0].strip()
    return (
        "The pages glyphs/*.png are drawn from the fonts of these Debian packages:\n\n"
        f"{names}\n\n"
        "Noto fonts: Copyright 2012-2022 Google LLC and the Noto project authors. Noto Serif CJK:\n"
        "Copyright 2017-2022 Adobe (http://www.adobe.com/). Unifont: Copyright 1998-2022 Roman\n"
        "Czyborra, Paul Hardy, Qianqian Fang, Andrew Miller, Johnnie Weaver, David Corbett, Nils\n"
        "Moskopp, Rebecca Bettencourt, et al.\n\n"
        "This Font Software is licensed under the SIL Open Font License, Version 1.1 (Unifont:\n"
        "used under this one of its two licences).\n\n"
        f"{terms}\n"
    )


def write_files(files: dict[str, bytes]) -> int:
    """Write the files into godseed/spec."""
    (SPEC / "glyphs").mkdir(exist_ok=True)
    for name, data in files.items():
        (SPEC / name).write_bytes(data)
    print(f"{len(files)} files, {sum(map(len, files.values())):,} bytes", file=sys.stderr)
    return 0


def check_files(files: dict[str, bytes]) -> int:
    """Name on stderr what differs from the committed files. 0 when all are equal, else 1."""
    kept = {n: (SPEC / n).read_bytes() if (SPEC / n).is_file() else b"" for n in files}
    wrong = [name for name, data in files.items() if kept[name] != data]
    for name in wrong:
        print(f"{name}: differs from a fresh one; run without --check", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
