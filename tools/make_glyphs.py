"""Make the signed-distance glyph atlas: godseed/spec/glyphs.png, glyphs.json and glyphs-LICENSE.txt.

Inputs are two open fonts from npm, pinned below (SIL Open Font License 1.1). They are needed only to make the atlas anew:

    npm install --no-save --prefix build/fonts @fontsource/eb-garamond@5.3.0 @fontsource/jetbrains-mono@5.3.0
    python tools/make_glyphs.py --fonts build/fonts/node_modules           # writes the three files
    python tools/make_glyphs.py --fonts build/fonts/node_modules --check   # compares instead; exit code 1 on a difference

Needs `fonttools` and `brotli` (to read woff2), NumPy and Pillow. Outlines are flattened to line pieces and every texel gets
its exact distance to the nearest piece, with the nonzero winding rule for the sign; only + - * / and sqrt are used, so the
atlas is the same on every machine. Decision: docs/decisions/0006-glyph-atlas.md
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

SPEC = Path(__file__).resolve().parent.parent / "godseed" / "spec"
SPREAD_PX = 6
"""Texels from the outline to value 0 or 255; also the margin around every glyph."""
WIDTH_PX, HEIGHT_PX = 2048, 1152
SUBSETS = ("latin", "latin-ext", "greek", "greek-ext", "cyrillic", "cyrillic-ext", "vietnamese")
"""Files of one fontsource face, in order of preference."""
REPLACEMENT = 0xFFFD
KERNING_MIN_EM = 0.015
"""Pairs closer than this to what their unaccented letters give are left out."""

LATIN = [(0x20, 0x7E), (0xA0, 0x17F), (0x18F, 0x18F), (0x1CD, 0x1DC), (0x1E6, 0x1E7), (0x218, 0x21B), (0x237, 0x237)]
LATIN += [(0x259, 0x259), (0x2BB, 0x2BC), (0x2C6, 0x2C7), (0x2D8, 0x2DD), (0x1E80, 0x1E85), (0x1E9E, 0x1E9E)]
VIETNAMESE = [(0x1A0, 0x1A1), (0x1AF, 0x1B0), (0x1EA0, 0x1EF9)]
MARKS = [(0x300, 0x304), (0x306, 0x308), (0x309, 0x30C), (0x323, 0x323), (0x327, 0x328)]
GREEK = [(0x37E, 0x37E), (0x384, 0x3CE), (0x3D0, 0x3D6)]
POLYTONIC = [(0x1F00, 0x1FFE)]
CYRILLIC = [(0x400, 0x45F), (0x462, 0x463), (0x472, 0x475), (0x48A, 0x4FF)]
PUNCTUATION = [(0x2010, 0x2015), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026), (0x2030, 0x2030), (0x2032, 0x2033)]
PUNCTUATION += [(0x2039, 0x203A), (0x2044, 0x2044), (0x2070, 0x2070), (0x2074, 0x2079), (0x20A9, 0x20BF), (0x2116, 0x2116)]
PUNCTUATION += [(0x2122, 0x2122), (0x2190, 0x2195), (0x2212, 0x2212), (0x2215, 0x2215), (0x2726, 0x2726), (0xFFFD, 0xFFFD)]

SPACING_TWINS = {0x302: 0x2C6, 0x306: 0x2D8, 0x307: 0x2D9, 0x30A: 0x2DA, 0x30B: 0x2DD, 0x30C: 0x2C7, 0x327: 0xB8, 0x328: 0x2DB}
"""Combining marks that the web subsets leave out, and the spacing character with the same drawing."""

F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Source:
    """One face of the atlas and where it comes from."""

    face: str
    package: str
    version: str
    stem: str
    weight: int
    em_px: int
    ranges: list[tuple[int, int]]


SOURCES = (
    Source("serif", "@fontsource/eb-garamond", "5.3.0", "eb-garamond", 500, 42,
           LATIN + VIETNAMESE + MARKS + GREEK + POLYTONIC + CYRILLIC + PUNCTUATION),
    Source("mono", "@fontsource/jetbrains-mono", "5.3.0", "jetbrains-mono", 400, 30,
           LATIN + VIETNAMESE + MARKS + GREEK + CYRILLIC + PUNCTUATION),
)  # fmt: skip


@dataclass(frozen=True)
class Outline:
    """One glyph: line pieces (n, 4) float64 [x0, y0, x1, y1] in em, y up, and the advance in em."""

    pieces: F64
    advance: float


class FontsMissing(Exception):
    """The pinned fonts are not where --fonts points."""


def main(argv: list[str] | None = None) -> int:
    """Command line: 0 written or equal, 1 different, 3 fonts missing."""
    parser = argparse.ArgumentParser(description="Make or check the glyph atlas.")
    parser.add_argument("--fonts", type=Path, default=Path("build/fonts/node_modules"), help="node_modules with the fonts")
    parser.add_argument("--check", action="store_true", help="compare with the files in godseed/spec")
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
        pixels (HEIGHT_PX, WIDTH_PX) uint8, first row on top; the text of glyphs.json; the text of glyphs-LICENSE.txt.
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
            mark = unicodedata.combining(chr(code)) > 0
            glyphs[str(code)] = {"advance": 0.0 if mark else decimals(outline.advance)}
            if len(outline.pieces):
                texels, plane = distance_field(outline.pieces, source.em_px)
                glyphs[str(code)]["plane"] = plane
                cells.append((source.face, code, texels))
        faces[source.face] = {
            "font": f"{source.package}@{source.version} weight {source.weight}",
            "em_px": source.em_px, **metrics, "glyphs": glyphs, "kerning": kerning,
        }  # fmt: skip
        licence = (fonts / source.package / "LICENSE").read_text(encoding="utf-8")
        licences.append(f"The face {source.face!r} of glyphs.png is drawn from {source.package}@{source.version}.\n\n{licence.strip()}\n")
    pixels = pack(cells, faces)
    atlas = {"width": WIDTH_PX, "height": HEIGHT_PX, "spread_px": SPREAD_PX}
    return pixels, table_text({"atlas": atlas, "faces": faces}), ("\n" + "=" * 72 + "\n\n").join(licences)


def check_atlas(pixels: U8, table: str, licence: str) -> int:
    """Compare with the committed files; name what differs on stderr. 0 when all three are equal, else 1."""
    kept = np.asarray(Image.open(SPEC / "glyphs.png"))
    problems = []
    if kept.shape != pixels.shape:
        problems.append(f"glyphs.png: {kept.shape[1]}x{kept.shape[0]}; expected {pixels.shape[1]}x{pixels.shape[0]}")
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
        texels (h, w) uint8, first row on top: 127.5 on the outline, higher inside, SPREAD_PX texels to 0 or 255;
        plane [left, bottom, right, top] of the same rectangle in em.
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
    """Drop the pieces that lie inside the shape (contours of one glyph may overlap); pieces are at most 1/4 texel then."""
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
    both: npt.NDArray[np.bool_] = (winding(middle + normal, shape) != 0) & (winding(middle - normal, shape) != 0)
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
    """Place the cells in rows, tallest first, one empty texel apart; write each glyph's `uv` into `faces`."""
    pixels = np.zeros((HEIGHT_PX, WIDTH_PX), np.uint8)
    x = y = 1
    row = 0
    for face, code, texels in sorted(cells, key=lambda c: (-c[2].shape[0], -c[2].shape[1], c[0], c[1])):
        height, width = texels.shape
        if x + width + 1 > WIDTH_PX:
            x, y, row = 1, y + row + 1, 0
        if y + height + 1 > HEIGHT_PX:
            raise ValueError(f"make_glyphs.pack: row at {y} px; expected at most {HEIGHT_PX} px; raise HEIGHT_PX")
        pixels[y : y + height, x : x + width] = texels
        faces[face]["glyphs"][str(code)]["uv"] = [x, y, x + width, y + height]
        x, row = x + width + 1, max(row, height)
    return pixels


def table_text(table: dict[str, Any]) -> str:
    """JSON with one line per glyph and per 16 kerning pairs, so that diffs stay readable."""
    lines = ['{"atlas": ' + json.dumps(table["atlas"]) + ',', '"faces": {']
    for f, (name, face) in enumerate(table["faces"].items()):
        head = {k: v for k, v in face.items() if k not in ("glyphs", "kerning")}
        lines += [f'"{name}": ' + json.dumps(head)[:-1] + ', "glyphs": {']
        rows = [f'"{code}": ' + json.dumps(glyph) for code, glyph in face["glyphs"].items()]
        lines += [r + "," for r in rows[:-1]] + [rows[-1], '}, "kerning": {']
        pairs = [f'"{pair}": {value}' for pair, value in face["kerning"].items()]
        groups = [", ".join(pairs[i : i + 16]) for i in range(0, len(pairs), 16)]
        lines += [g + "," for g in groups[:-1]] + groups[-1:] + ["}}" + ("," if f + 1 < len(table["faces"]) else "")]
    return "\n".join([*lines, "}}"]) + "\n"


def decimals(value: float) -> float:
    """Five decimals, no minus zero."""
    return round(float(value), 5) + 0.0


def read_face(source: Source, fonts: Path) -> tuple[dict[int, Outline], dict[str, float], dict[str, float]]:
    """Outlines by code point, kerning by "left,right", and the line metrics of one face, all in em."""
    from fontTools.ttLib import TTFont

    package = fonts / source.package
    wanted = f"npm install --no-save --prefix build/fonts {source.package}@{source.version}"
    if not (package / "package.json").is_file():
        raise FontsMissing(f"{package}: not there; expected {source.package} {source.version}; run {wanted}")
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    if version != source.version:
        raise FontsMissing(f"{package}: version {version}; expected {source.version}; run {wanted}")
    codes = [c for first, last in source.ranges for c in range(first, last + 1)]
    outlines: dict[int, Outline] = {}
    pairs: dict[tuple[int, int], float] = {}
    metrics: dict[str, float] = {}
    for subset in SUBSETS:
        path = package / "files" / f"{source.stem}-{subset}-{source.weight}-normal.woff2"
        if not path.is_file():
            continue
        font = TTFont(path)
        em = font["head"].unitsPerEm
        glyph_set, names = font.getGlyphSet(), font.getBestCmap()
        for code in codes:
            if code in names and code not in outlines and code != REPLACEMENT:
                outlines[code] = Outline(flatten(glyph_set, names[code], em), glyph_set[names[code]].width / em)
        for pair, value in kerning_pairs(font, {c: names[c] for c in codes if c in names}).items():
            pairs.setdefault(pair, value / em)
        metrics = metrics or {
            "ascent": font["hhea"].ascent / em, "descent": font["hhea"].descent / em, "line_gap": font["hhea"].lineGap / em,
            "cap_height": font["OS/2"].sCapHeight / em, "x_height": font["OS/2"].sxHeight / em,
        }  # fmt: skip
    for mark, twin in SPACING_TWINS.items():
        if twin in outlines:
            outlines.setdefault(mark, outlines[twin])
    outlines |= {c: o for c, o in drawn_symbols(outlines[ord("0")].advance).items() if c in codes and c not in outlines}
    return outlines, sparse_kerning(pairs, set(outlines)), metrics


def flatten(glyph_set: Any, name: str, em: int) -> F64:
    """The outline of one glyph as line pieces, em units; 8 pieces for each quadratic curve."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen

    pen = DecomposingRecordingPen(glyph_set)
    glyph_set[name].draw(pen)
    contours: list[list[tuple[float, float]]] = []
    for verb, points in pen.value:
        if verb == "moveTo":
            contours.append([points[0]])
        elif verb == "lineTo":
            contours[-1].append(points[0])
        elif verb == "qCurveTo":
            contours[-1] += quadratics(contours, points)
    return pieces_of(contours) / em


def quadratics(contours: list[list[tuple[float, float]]], points: tuple[Any, ...]) -> list[tuple[float, float]]:
    """Points on a TrueType run of off-curve points; a last None means a closed contour with no on-curve point."""
    off = [p for p in points[:-1]]
    if points[-1] is None:
        last = ((off[-1][0] + off[0][0]) / 2.0, (off[-1][1] + off[0][1]) / 2.0)
        contours.append([last])
        start = last
    else:
        last, start = points[-1], contours[-1][-1]
    out = []
    for i, control in enumerate(off):
        end = last if i + 1 == len(off) else ((control[0] + off[i + 1][0]) / 2.0, (control[1] + off[i + 1][1]) / 2.0)
        for k in range(1, 9):
            t, u = k / 8.0, 1.0 - k / 8.0
            out.append((u * u * start[0] + 2.0 * u * t * control[0] + t * t * end[0],
                        u * u * start[1] + 2.0 * u * t * control[1] + t * t * end[1]))  # fmt: skip
        start = end
    return out


def pieces_of(contours: Iterable[list[tuple[float, float]]]) -> F64:
    """Close the contours and cut them into pieces (n, 4); pieces of no length are dropped."""
    pieces = [(*a, *b) for c in contours for a, b in zip(c, c[1:] + c[:1], strict=True) if a != b]
    return np.asarray(pieces, np.float64).reshape(-1, 4)


def kerning_pairs(font: Any, names: dict[int, str]) -> dict[tuple[int, int], int]:
    """Horizontal kerning of the GPOS `kern` feature between the given characters, font units."""
    table = font["GPOS"].table if "GPOS" in font else None
    if table is None or table.FeatureList is None:
        return {}
    lookups = sorted({i for r in table.FeatureList.FeatureRecord if r.FeatureTag == "kern" for i in r.Feature.LookupListIndex})
    total: dict[tuple[int, int], int] = {}
    for lookup in lookups:
        found: dict[tuple[int, int], int] = {}
        for subtable in table.LookupList.Lookup[lookup].SubTable:
            for pair, value in subtable_pairs(getattr(subtable, "ExtSubTable", subtable), names).items():
                found.setdefault(pair, value)
        for pair, value in found.items():
            total[pair] = total.get(pair, 0) + value
    return total


def subtable_pairs(subtable: Any, names: dict[int, str]) -> dict[tuple[int, int], int]:
    """Kerning of one pair-positioning subtable (format 1: glyph pairs; format 2: classes)."""
    found: dict[tuple[int, int], int] = {}
    covered = {glyph: i for i, glyph in enumerate(subtable.Coverage.glyphs)}
    for left, glyph in names.items():
        if glyph not in covered:
            continue
        if subtable.Format == 1:
            records = {r.SecondGlyph: r.Value1 for r in subtable.PairSet[covered[glyph]].PairValueRecord}
            row = {right: records[g] for right, g in names.items() if g in records}
        else:
            record = subtable.Class1Record[subtable.ClassDef1.classDefs.get(glyph, 0)].Class2Record
            row = {right: record[subtable.ClassDef2.classDefs.get(g, 0)].Value1 for right, g in names.items()}
        found |= {(left, right): getattr(value, "XAdvance", 0) if value else 0 for right, value in row.items()}
    return found


def sparse_kerning(pairs: dict[tuple[int, int], float], codes: set[int]) -> dict[str, float]:
    """Keep a pair only where it differs from the pair of its unaccented letters (the reader falls back to those)."""
    plain = {c: ord(unicodedata.normalize("NFD", chr(c))[0]) for c in codes}
    kept: dict[str, float] = {}
    for (left, right), value in sorted(pairs.items()):
        base = (plain[left], plain[right])
        fallback = pairs.get(base, 0.0) if base != (left, right) else 0.0
        fallback = fallback if abs(fallback) >= KERNING_MIN_EM else 0.0
        if abs(value - fallback) >= KERNING_MIN_EM:
            kept[f"{left},{right}"] = decimals(value)
    return kept


def drawn_symbols(width: float) -> dict[int, Outline]:
    """Our own arrows, star and replacement lozenge, for faces that lack them; `width` is that of a digit, em."""
    right = [(-0.5, -0.03), (0.29, -0.03), (0.13, -0.19), (0.2, -0.23), (0.45, 0.0), (0.2, 0.23), (0.13, 0.19), (0.29, 0.03), (-0.5, 0.03)]
    half = [(0.0, -0.03), *right[1:8], (0.0, 0.03)]
    left = [(-x, -y) for x, y in half]
    star = [(0.0, 0.42), (0.07, 0.07), (0.42, 0.0), (0.07, -0.07), (0.0, -0.42), (-0.07, -0.07), (-0.42, 0.0), (-0.07, 0.07)]
    outer = [(0.0, -0.4), (0.3, 0.0), (0.0, 0.4), (-0.3, 0.0)]
    inner = [(x * 0.76, y * 0.76) for x, y in reversed(outer)]
    shapes: dict[int, list[list[tuple[float, float]]]] = {
        0x2190: [[(-x, -y) for x, y in right]], 0x2191: [[(-y, x) for x, y in right]],
        0x2192: [right], 0x2193: [[(y, -x) for x, y in right]],
        0x2194: [half + left], 0x2195: [[(-y, x) for x, y in half + left]],
        0x2726: [star], REPLACEMENT: [outer, inner],
    }  # fmt: skip
    scale = width / 1.05
    return {
        code: Outline(pieces_of([(x * scale + width / 2.0, y * scale + 0.33) for x, y in c] for c in contours), width)
        for code, contours in shapes.items()
    }


if __name__ == "__main__":
    sys.exit(main())
