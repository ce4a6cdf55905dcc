"""The glyph pages themselves: tables, pictures, and what they weigh."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from godseed import spec

HEAD = spec.load("glyph_pages.json")
PAGES = HEAD["pages"]


def test_pages_listed_are_pages_shipped() -> None:
    folder = spec.path("glyph_pages.json").parent / "glyphs"
    wanted = {f"{page:02x}.{ending}" for page in PAGES for ending in ("json", "png")}
    assert {path.name for path in folder.iterdir()} == wanted


def test_pages_weigh_less_than_twelve_megabytes() -> None:
    folder = spec.path("glyph_pages.json").parent / "glyphs"
    assert sum(path.stat().st_size for path in folder.glob("*.png")) < 11_500_000


def test_licence_ships_beside_the_pages() -> None:
    said = spec.text("glyph_pages-LICENSE.txt")
    assert "SIL OPEN FONT LICENSE" in said
    assert "fonts-noto-core" in said
    assert "Unifont" in said


@pytest.mark.parametrize("page", PAGES[::12])
def test_quads_lie_apart_and_inside_the_picture(page: int) -> None:
    with Image.open(spec.path(f"glyphs/{page:02x}.png")) as picture:
        pixels = np.asarray(picture.convert("L"))
    assert pixels.shape == (HEAD["size_px"], HEAD["size_px"])
    assert set(np.unique(pixels).tolist()) <= {17 * level for level in range(16)}
    used = np.zeros(pixels.shape, np.int32)
    for code, row in spec.load(f"glyphs/{page:02x}.json").items():
        assert int(code, 16) >> 8 == page
        if len(row) == 1:
            continue
        _, left, bottom, right, top, x, y = row
        cell = pixels[y : y + top - bottom, x : x + right - left]
        used[y : y + top - bottom, x : x + right - left] += 1
        assert cell.shape == (top - bottom, right - left)
        border = np.concatenate([cell[0], cell[-1], cell[:, 0], cell[:, -1]])
        assert border.max() < 60, code
    assert used.max() == 1
    assert pixels[used == 0].max(initial=0) == 0


def test_forms_are_drawn_at_private_code_points() -> None:
    for code in {*HEAD["forms"].values(), *HEAD["over_next"].values()}:
        assert 0xE000 <= code <= 0xF8FF
        assert f"{code:x}" in spec.load(f"glyphs/{code >> 8:02x}.json")


def test_arabic_forms_are_drawn() -> None:
    for row in HEAD["joining"].values():
        for form in filter(None, row):
            assert f"{form:x}" in spec.load(f"glyphs/{form >> 8:02x}.json"), hex(form)


def test_tables_are_small() -> None:
    assert len(json.dumps(HEAD)) < 80_000
