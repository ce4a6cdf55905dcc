"""`godseed sheet --gallery`: sheets per section or one, and every refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from godseed.render.contact_sheet import label

SMALL = ("--size", "64x48", "--samples", "0")
GALLERY = ("sheet", "--gallery", *SMALL)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_gallery_writes_a_sheet_per_section_into_a_new_folder(godseed: Any) -> None:
    words = ("--section", "flora", "--section", "cameras", "-o", "all", "--json")
    document = godseed(*GALLERY, *words).json
    assert document["written"] == ["all/flora.png", "all/cameras.png"]
    sections = [picture["section"] for picture in document["pictures"]]
    assert sections == ["flora"] * 6 + ["cameras"] * 8
    with Image.open("all/flora.png") as sheet:
        assert sheet.size == (3 * 72 + 8, 2 * 56 + 8)
        pixels = np.asarray(sheet.convert("RGB"), np.float64)
    tiles = [
        pixels[8 + r * 56 : 56 + r * 56, 8 + c * 72 : 72 + c * 72] for r, c in np.ndindex(2, 3)
    ]
    for i, tile in enumerate(tiles):
        assert tile.std() > 3.0
        assert all(np.abs(tile - other).mean() > 0.5 for other in tiles[:i]), "kinds differ"


def test_gallery_in_one_file_has_its_headings(godseed: Any) -> None:
    godseed(*GALLERY, "--section", "flora", "--section", "weather", "-o", "g.png")
    with Image.open("g.png") as sheet:
        assert sheet.size == (3 * 72 + 8, 2 * (56 + 2 * 56 + 8))
        head = np.asarray(sheet.convert("RGB"))[:56]
    assert head.max() > 120, "letters"
    assert tuple(head[2, -2].tolist()) == (9, 8, 13), "paper"


def test_labels_are_set_in_the_script_of_the_wish() -> None:
    rows = label("w_000001", "夜の森 and a lamp", (480, 270)).rows
    assert {0.0} < set(rows[:, 15].tolist()), "letters of the base atlas and of pages"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("sheet", "-o", "a.png"), "sheet: no WORLD; expected a log"),
        (("sheet", "genesis", "--gallery", "-o", "a.png"), "--gallery with a WORLD"),
        (("sheet", "--gallery", "--shot", "town", "-o", "a.png"), "--gallery with --shot"),
        (("sheet", "genesis", "--section", "flora", "-o", "a.png"), "--section with a WORLD"),
        (("sheet", "--gallery", "--section", "moons", "-o", "a.png"), "'moons' is not one of"),
        (("sheet", "--gallery", "-o", "no/where"), "expected a folder that can be made"),
        (("sheet", "--gallery", "-o", "file"), "file: a file; expected a folder or a .png"),
    ],
)
def test_gallery_refuses_in_one_line(godseed: Any, words: tuple[str, ...], says: str) -> None:
    Path("file").write_text("x")
    assert says in godseed(*words, code=2).err
    assert [path.name for path in Path().iterdir()] == ["file"]
