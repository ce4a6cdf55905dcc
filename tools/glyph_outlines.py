"""Outlines, metrics and kerning of the fonts that the glyph atlas is drawn from.

Reads the woff2 subsets of two pinned npm packages with fontTools, which is imported only when a
font is read. `make_glyphs` draws what this gives.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SUBSETS = ("latin", "latin-ext", "greek", "greek-ext", "cyrillic", "cyrillic-ext", "vietnamese")
"""Files of one fontsource face, in order of preference."""
REPLACEMENT = 0xFFFD
KERNING_MAX_EM = 0.03
"""Wider pairs are the font's stand-in for ligatures such as fi, which letterspaced text lacks."""
KERNING_MIN_EM = 0.015
"""Pairs closer than this to what their unaccented letters give are left out."""

LATIN = [(0x20, 0x7E), (0xA0, 0x17F), (0x18F, 0x18F), (0x1CD, 0x1DC), (0x1E6, 0x1E7)]
LATIN += [(0x218, 0x21B), (0x237, 0x237), (0x259, 0x259), (0x2BB, 0x2BC), (0x2C6, 0x2C7)]
LATIN += [(0x2D8, 0x2DD), (0x1E80, 0x1E85), (0x1E9E, 0x1E9E)]
VIETNAMESE = [(0x1A0, 0x1A1), (0x1AF, 0x1B0), (0x1EA0, 0x1EF9)]
MARKS = [(0x300, 0x304), (0x306, 0x308), (0x309, 0x30C), (0x323, 0x323), (0x327, 0x328)]
GREEK = [(0x37E, 0x37E), (0x384, 0x3CE), (0x3D0, 0x3D6)]
POLYTONIC = [(0x1F00, 0x1FFE)]
CYRILLIC = [(0x400, 0x45F), (0x462, 0x463), (0x472, 0x475), (0x48A, 0x4FF)]
PUNCTUATION = [(0x2010, 0x2015), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026)]
PUNCTUATION += [(0x2030, 0x2030), (0x2032, 0x2033), (0x2039, 0x203A), (0x2044, 0x2044)]
PUNCTUATION += [(0x2070, 0x2070), (0x2074, 0x2079), (0x20A9, 0x20BF), (0x2116, 0x2116)]
PUNCTUATION += [(0x2122, 0x2122), (0x2212, 0x2212), (0x2215, 0x2215)]

SPACING_TWINS = {
    0x302: (0x2C6, 0.0), 0x307: (0x2E, 0.6), 0x30A: (0x2DA, 0.0), 0x30B: (0x2DD, 0.0),
    0x30C: (0x2C7, 0.0), 0x327: (0xB8, 0.0), 0x338: (0x2F, 0.0),
}  # fmt: skip
"""Combining marks that the web subsets leave out -> a character drawn alike, and its rise in em."""

F64 = npt.NDArray[np.float64]
Points = list[tuple[float, float]]


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


def read_face(
    source: Source, fonts: Path
) -> tuple[dict[int, Outline], dict[str, float], dict[str, float]]:
    """Outlines by code point, kerning by "left,right", and line metrics of one face, in em."""
    package = fonts / source.package
    wanted = f"npm install --no-save --prefix build/fonts {source.package}@{source.version}"
    if not (package / "package.json").is_file():
        raise FontsMissing(f"{package}: not there; expected version {source.version}; run {wanted}")
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    if version != source.version:
        came = f"{package}: version {version}"
        raise FontsMissing(f"{came}; expected {source.version}; run {wanted}")
    try:
        from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
    except ImportError:
        wanted = "python -m pip install fonttools brotli"
        raise FontsMissing(f"make_glyphs: no fonttools; needed for woff2; run {wanted}") from None
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
            if code in names and code not in outlines:
                pieces = flatten(glyph_set, names[code], em)
                is_mark = unicodedata.combining(chr(code)) > 0
                advance = 0.0 if is_mark else glyph_set[names[code]].width / em
                outlines[code] = Outline(pieces, advance)
        present = {c: names[c] for c in codes if c in names}
        for pair, value in kerning_pairs(font, present).items():
            pairs.setdefault(pair, min(value / em, KERNING_MAX_EM))
        metrics = metrics or {
            "ascent": font["hhea"].ascent / em,
            "descent": font["hhea"].descent / em,
            "line_gap": font["hhea"].lineGap / em,
            "cap_height": font["OS/2"].sCapHeight / em,
            "x_height": font["OS/2"].sxHeight / em,
        }
    for mark, (twin, rise) in SPACING_TWINS.items():
        raised = outlines[twin].pieces + np.asarray([0.0, rise, 0.0, rise])
        outlines.setdefault(mark, Outline(raised, 0.0))
    outlines |= drawn_symbols(outlines[ord("0")].advance)
    return outlines, sparse_kerning(pairs, set(outlines)), metrics


def flatten(glyph_set: Any, name: str, em: int) -> F64:
    """The outline of one glyph as line pieces, em units; 8 pieces for each curve."""
    from fontTools.pens import recordingPen  # type: ignore[import-untyped]

    pen = recordingPen.DecomposingRecordingPen(glyph_set)
    glyph_set[name].draw(pen)
    contours: list[Points] = []
    for verb, points in pen.value:
        if verb == "moveTo":
            contours.append([points[0]])
        elif verb == "lineTo":
            contours[-1].append(points[0])
        elif verb == "qCurveTo":
            contours[-1] += quadratics(contours, points)
        elif verb == "curveTo":
            contours[-1] += cubics(contours[-1][-1], points)
    return pieces_of(contours) / em


def quadratics(contours: list[Points], points: tuple[Any, ...]) -> Points:
    """Points on a run of off-curve points; a last None means a contour with no on-curve point."""
    off = points[:-1]
    if points[-1] is None:
        last = halfway(off[-1], off[0])
        contours.append([last])
        start = last
    else:
        last, start = points[-1], contours[-1][-1]
    out = []
    for i, control in enumerate(off):
        end = last if i + 1 == len(off) else halfway(control, off[i + 1])
        for k in range(1, 9):
            t, u = k / 8.0, 1.0 - k / 8.0
            a, b, c = u * u, 2.0 * u * t, t * t
            x = a * start[0] + b * control[0] + c * end[0]
            out.append((x, a * start[1] + b * control[1] + c * end[1]))
        start = end
    return out


def cubics(start: tuple[float, float], points: tuple[Any, ...]) -> Points:
    """Points on one cubic curve from `start`: two control points and the end."""
    first, second, end = points
    out = []
    for k in range(1, 9):
        t, u = k / 8.0, 1.0 - k / 8.0
        a, b, c, d = u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t
        x = a * start[0] + b * first[0] + c * second[0] + d * end[0]
        out.append((x, a * start[1] + b * first[1] + c * second[1] + d * end[1]))
    return out


def halfway(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """The point midway between two."""
    return ((a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0)


def pieces_of(contours: Iterable[Points]) -> F64:
    """Close the contours and cut them into pieces (n, 4); pieces of no length are dropped."""
    pieces = [(*a, *b) for c in contours for a, b in zip(c, c[1:] + c[:1], strict=True) if a != b]
    return np.asarray(pieces, np.float64).reshape(-1, 4)


def kerning_pairs(font: Any, names: dict[int, str]) -> dict[tuple[int, int], int]:
    """Horizontal kerning of the GPOS `kern` feature between the given characters, font units."""
    table = font["GPOS"].table if "GPOS" in font else None
    if table is None or table.FeatureList is None:
        return {}
    features = [r.Feature for r in table.FeatureList.FeatureRecord if r.FeatureTag == "kern"]
    lookups = sorted({index for feature in features for index in feature.LookupListIndex})
    total: dict[tuple[int, int], int] = {}
    for lookup in lookups:
        found: dict[tuple[int, int], int] = {}
        for subtable in table.LookupList.Lookup[lookup].SubTable:
            inner = getattr(subtable, "ExtSubTable", subtable)
            for pair, value in subtable_pairs(inner, names).items():
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
            pair_set = subtable.PairSet[covered[glyph]].PairValueRecord
            records = {record.SecondGlyph: record.Value1 for record in pair_set}
            row = {right: records[g] for right, g in names.items() if g in records}
        else:
            first, second = subtable.ClassDef1.classDefs, subtable.ClassDef2.classDefs
            columns = subtable.Class1Record[first.get(glyph, 0)].Class2Record
            row = {right: columns[second.get(g, 0)].Value1 for right, g in names.items()}
        for right, value in row.items():
            found[left, right] = getattr(value, "XAdvance", 0) if value else 0
    return found


def sparse_kerning(pairs: dict[tuple[int, int], float], codes: set[int]) -> dict[str, float]:
    """Keep pairs that differ from their unaccented letters', to which the reader falls back."""
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
    """Our own arrows, star and replacement lozenge; `width` is that of a digit, em."""
    head = [(0.29, -0.03), (0.13, -0.19), (0.2, -0.23), (0.45, 0.0)]
    head += [(x, -y) for x, y in reversed(head[:3])]
    right = [(-0.45, -0.03), *head, (-0.45, 0.03)]
    both = [*head, *((-x, -y) for x, y in head)]
    arm = [(0.07, 0.07), (0.42, 0.0), (0.07, -0.07), (0.0, -0.42)]
    star = [*arm, *((-x, -y) for x, y in arm)]
    lozenge = [(0.0, -0.4), (0.3, 0.0), (0.0, 0.4), (-0.3, 0.0)]
    hole = [(x * 0.76, y * 0.76) for x, y in reversed(lozenge)]
    shapes: dict[int, list[Points]] = {
        0x2190: [[(-x, -y) for x, y in right]],
        0x2191: [[(-y, x) for x, y in right]],
        0x2192: [right],
        0x2193: [[(y, -x) for x, y in right]],
        0x2194: [both],
        0x2195: [[(-y, x) for x, y in both]],
        0x2726: [star],
        REPLACEMENT: [lozenge, hole],
    }
    middle = width / 2.0
    return {
        code: Outline(
            pieces_of([(x * width + middle, y * width + 0.33) for x, y in c] for c in contours),
            width,
        )
        for code, contours in shapes.items()
    }


def decimals(value: float) -> float:
    """Five decimals, no minus zero."""
    return round(float(value), 5) + 0.0
