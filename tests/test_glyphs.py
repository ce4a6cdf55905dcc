"""The atlas files themselves, and the generator's arithmetic on shapes whose distance is known."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

from godseed import spec


@pytest.fixture(scope="module")
def pixels() -> np.ndarray[Any, np.dtype[np.uint8]]:
    with Image.open(spec.path("glyphs.png")) as picture:
        assert picture.mode == "L"
        return np.asarray(picture)


@pytest.fixture
def make_glyphs(repo_root: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(repo_root / "tools"))
    for name in ("make_glyphs", "glyph_outlines"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import make_glyphs

    return make_glyphs


def cells() -> list[tuple[str, str, dict[str, Any]]]:
    faces = spec.load("glyphs.json")["faces"]
    rows = ((name, code, g) for name, row in faces.items() for code, g in row["glyphs"].items())
    return [(name, code, glyph) for name, code, glyph in rows if "uv" in glyph]


def test_atlas_size_is_the_picture_s(pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
    atlas = spec.load("glyphs.json")["atlas"]
    assert pixels.shape == (atlas["height"], atlas["width"])
    assert max(pixels.shape) <= 2048
    assert spec.path("glyphs.png").stat().st_size < 900_000


def test_cells_do_not_overlap_and_match_their_planes() -> None:
    table = spec.load("glyphs.json")
    used = np.zeros((table["atlas"]["height"], table["atlas"]["width"]), np.int32)
    for name, code, glyph in cells():
        x0, y0, x1, y1 = glyph["uv"]
        used[y0:y1, x0:x1] += 1
        em = table["faces"][name]["em_px"]
        left, bottom, right, top = (v * em for v in glyph["plane"])
        assert (right - left, top - bottom) == pytest.approx((x1 - x0, y1 - y0), abs=1e-2), code
    assert used.max() == 1


def test_every_glyph_is_a_distance_field(pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
    # A distance changes by at most one texel per texel: 255 / 12 = 21.25, and rounding.
    for name, code, glyph in cells():
        x0, y0, x1, y1 = glyph["uv"]
        cell = pixels[y0:y1, x0:x1].astype(np.int32)
        steps = max(np.abs(np.diff(cell, axis=0)).max(), np.abs(np.diff(cell, axis=1)).max())
        assert steps <= 22, (name, code)
        assert cell.max() > 128, (name, code)
        edge = np.concatenate([cell[0], cell[-1], cell[:, 0], cell[:, -1]])
        assert edge.max() <= 12, (name, code)


def test_licences_of_both_fonts_ship_beside_the_atlas() -> None:
    text = spec.text("glyphs-LICENSE.txt")
    for word in ("EB Garamond Project", "JetBrains Mono Project", "SIL OPEN FONT LICENSE"):
        assert word in text


def test_distance_field_of_a_square_is_exact(make_glyphs: ModuleType) -> None:
    corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    texels, plane = make_glyphs.distance_field(square(corners), 20)
    assert plane == [-0.3, -0.3, 1.3, 1.3]
    y, x = np.mgrid[0:32, 0:32] + 0.5 - 6.0
    dx, dy = np.abs(x - 10.0) - 10.0, np.abs(y - 10.0) - 10.0
    outside = np.sqrt(np.maximum(dx, 0.0) ** 2 + np.maximum(dy, 0.0) ** 2)
    signed = -(outside + np.minimum(np.maximum(dx, dy), 0.0))
    wanted = np.clip((0.5 + signed / 12.0) * 255.0, 0.0, 255.0)
    assert np.abs(texels - wanted).max() <= 0.5 + 1e-9


def test_overlapping_contours_leave_no_seam(make_glyphs: ModuleType) -> None:
    left = square([(0.0, 0.0), (0.6, 0.0), (0.6, 1.0), (0.0, 1.0)])
    right = square([(0.4, 0.0), (1.0, 0.0), (1.0, 1.0), (0.4, 1.0)])
    whole = square([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    both, _ = make_glyphs.distance_field(np.concatenate([left, right]), 40)
    one, _ = make_glyphs.distance_field(whole, 40)
    assert np.abs(both.astype(int) - one.astype(int)).max() <= 2


def test_generator_says_what_to_install_when_fonts_are_missing(
    make_glyphs: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make_glyphs.main(["--fonts", str(tmp_path), "--check"]) == 3
    assert "npm install --no-save --prefix build/fonts" in capsys.readouterr().err


def test_check_names_what_differs(
    make_glyphs: ModuleType,
    pixels: np.ndarray[Any, np.dtype[np.uint8]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    table, licence = spec.text("glyphs.json"), spec.text("glyphs-LICENSE.txt")
    assert make_glyphs.check_atlas(pixels, table, licence) == 0
    other = pixels.copy()
    other[0, 0] += 1
    assert make_glyphs.check_atlas(other, table + " ", licence) == 1
    said = capsys.readouterr().err
    assert "glyphs.png: 1 texels differ; expected 0" in said
    assert "glyphs.json" in said


def square(corners: list[tuple[float, float]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Pieces (4, 4) of a closed contour of four corners."""
    return np.asarray([(*a, *b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)])
