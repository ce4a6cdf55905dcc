"""Fonts of the glyph pages: which file draws which character of the Basic Multilingual Plane.

Reads the fonts of three Debian packages with fontTools, which is imported only when a font is read.
`make_glyph_pages` draws what this gives.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from glyph_outlines import FontsMissing, Outline, flatten

PACKAGES = {
    "fonts-noto-core": "20201225-1",
    "fonts-noto-cjk-extra": "1:20220127+repack1-1",
    "fonts-unifont": "1:15.0.01-2",
}
NOTO = "truetype/noto"
CJK = "opentype/noto/NotoSerifCJK-SemiBold.ttc"
"""Its first face has the Japanese forms. The semibold, since hairlines of the regular weight fall
under a texel."""
UNIFONT = "opentype/unifont/unifont.otf"
IDEOGRAPHIC = (
    (0x1100, 0x11FF), (0x2E80, 0x2FDF), (0x2FF0, 0x31FF), (0x3200, 0x4DBF), (0x4E00, 0x9FFF),
    (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF),
)  # fmt: skip
"""Drawn from CJK first."""
FIRST = ("NotoSerif", "NotoNaskhArabic")
PASSED_OVER = (
    "Display", "Slanted", "Looped", "Rashi", "Nastaliq", "Kufi", "TifinaghA", "TifinaghG",
    "TifinaghH", "TifinaghR", "TifinaghS", "TifinaghT", "Unjoined", "Supplement", "NotoSansArabic",
    "NotoSans-", "TraditionalNushu",
)  # fmt: skip
"""Second faces of scripts that a better one draws."""
WIDEST_EM = 8.0


def page_characters() -> list[int]:
    """Assigned characters of the BMP with a look: no controls, surrogates or private use."""
    unseen = ("Cc", "Cf", "Cn", "Co", "Cs", "Zs", "Zl", "Zp")
    return [c for c in range(0x10000) if unicodedata.category(chr(c)) not in unseen]


@cache
def font_order(fonts: Path) -> tuple[Path, ...]:
    """Every font file that draws characters, the preferred one first; Unifont is the last.

    Raises:
        FontsMissing: a package is not unpacked there.
    """
    folder = fonts / NOTO
    for wanted in (folder / "NotoSerif-Regular.ttf", fonts / CJK, fonts / UNIFONT):
        if not wanted.is_file():
            names = " ".join(f"{name}={version}" for name, version in PACKAGES.items())
            raise FontsMissing(
                f"{wanted}: not there; expected the files of {names}; run apt-get download "
                f"{names}, then dpkg-deb -x FILE build/debian for each, and give --fonts "
                "build/debian/usr/share/fonts"
            )
    found = [p for p in sorted(folder.glob("*-Regular.ttf")) if not passed_over(p.name)]
    rank = {f"{name}-Regular.ttf": i for i, name in enumerate(FIRST)}
    found.sort(key=lambda p: (rank.get(p.name, len(rank)), "Serif" not in p.name, p.name))
    return (*found, fonts / CJK, fonts / UNIFONT)


def passed_over(name: str) -> bool:
    """Whether a font's name says that another one draws its script."""
    return any(part in name for part in PASSED_OVER)


@cache
def opened(path: Path) -> tuple[Any, Any, dict[int, str], int]:
    """A font, its glyphs, its characters and its units per em."""
    try:
        from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
    except ImportError:
        wanted = "python -m pip install fonttools"
        raise FontsMissing(f"make_glyph_pages: no fonttools; run {wanted}") from None
    font = TTFont(path, fontNumber=0, lazy=True)
    return font, font.getGlyphSet(), font.getBestCmap(), int(font["head"].unitsPerEm)


def font_of(code: int, fonts: Path) -> Path | None:
    """The font that draws a character, None if none does."""
    order = font_order(fonts)
    if any(first <= code <= last for first, last in IDEOGRAPHIC):
        order = (fonts / CJK, *order)
    return next((path for path in order if code in opened(path)[2]), None)


def outline_of(name: str, path: Path, mark: bool) -> Outline:
    """One glyph of a font by its glyph name; marks get no advance."""
    _, glyphs, _, em = opened(path)
    return Outline(flatten(glyphs, name, em), 0.0 if mark else float(glyphs[name].width) / em)
