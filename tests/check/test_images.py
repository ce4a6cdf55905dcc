"""Any two images: of any kind and size, and what their captions say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from godseed.check.case_file import Gates, GoldenError
from godseed.check.flip import available
from godseed.check.images import compare_pictures, read_picture
from godseed.render.image import Caption, write_png

GATES = Gates()
CAPTION = Caption("w" * 64, "g" * 64, "llvmpipe-s4", "town", 4000)


def picture(path: Path, *spots: tuple[int, int, int], caption: Caption | None = None) -> Path:
    """A grey 64x48 picture with some brighter pixels (x, y, value)."""
    pixels = np.full((48, 64, 4), 255, np.uint8)
    pixels[:, :, :3] = 40
    for x, y, value in spots:
        pixels[y, x, :3] = value
    write_png(path, pixels, caption)
    return path


def compared(a: Path, b: Path, **given: Any) -> Any:
    return compare_pictures(read_picture(a), read_picture(b), GATES, **given)


def test_equal_images_are_equal_whoever_wrote_them(tmp_path: Path) -> None:
    a = picture(tmp_path / "a.png")
    Pillow.open(a).save(tmp_path / "b.bmp")
    found = compared(a, tmp_path / "b.bmp", exact=True)
    assert (found.rung, found.passed) == ("none", True)
    assert found.lines[0] == "equal: 0 pixels differ"


def test_foreign_images_are_held_to_the_gates(tmp_path: Path) -> None:
    a, b = picture(tmp_path / "a.png"), picture(tmp_path / "b.png", (5, 6, 45))
    found = compared(a, b)
    assert (found.rung, found.passed) == ("perception", True)
    assert "within the gates" in found.message
    assert not compared(a, b, exact=True).passed
    c = picture(tmp_path / "c.png", *((x, y, 200) for x in range(20) for y in range(20)))
    found = compared(a, c)
    assert not found.passed
    assert any("would pass with max_share" in line for line in found.lines)


def test_images_of_one_rasteriser_may_not_differ_at_all(tmp_path: Path) -> None:
    a = picture(tmp_path / "a.png", caption=CAPTION)
    b = picture(tmp_path / "b.png", (5, 6, 41), caption=CAPTION)
    found = compared(a, b)
    assert (found.rung, found.passed) == ("pixels", False)
    assert "one geometry, one rasteriser" in found.message


@pytest.mark.parametrize(
    ("change", "rung", "said"),
    [
        ({"world": "x" * 64}, "world", "different worlds"),
        ({"geometry": "x" * 64}, "geometry", "different geometry"),
        ({"fingerprint": "other-s4"}, "perception", "drawn by llvmpipe-s4 and other-s4"),
        ({"shot": "world"}, "pixels", "shots town at 4000 ms and world at 4000 ms"),
    ],
)
def test_lowest_rung_that_captions_tell_apart_is_named(
    tmp_path: Path, change: dict[str, Any], rung: str, said: str
) -> None:
    a = picture(tmp_path / "a.png", caption=CAPTION)
    other = Caption(**{**CAPTION.__dict__, **change})
    found = compared(a, picture(tmp_path / "b.png", (1, 1, 200), caption=other))
    assert found.rung == rung
    assert said in found.message


def test_sizes_that_differ_are_said_plainly(tmp_path: Path) -> None:
    Pillow.new("RGB", (10, 20)).save(tmp_path / "b.png")
    found = compared(picture(tmp_path / "a.png"), tmp_path / "b.png")
    assert (found.rung, found.passed) == ("size", False)
    assert "is 64x48 and" in found.message
    assert "is 10x20; expected one size" in found.message


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"])
def test_every_kind_of_pixel_is_read(tmp_path: Path, mode: str) -> None:
    file = tmp_path / ("a.tif" if mode in ("CMYK", "I", "F", "I;16") else "a.png")
    Pillow.new(mode, (7, 5)).save(file)
    found = read_picture(file)
    assert found.size == (7, 5)
    assert found.pixels.dtype == np.uint8
    assert (found.note == "") == (mode in ("RGB", "RGBA"))


def test_sixteen_bits_are_scaled_and_not_cut_off(tmp_path: Path) -> None:
    wide = np.array([[0, 257, 32768, 65535]], np.uint16)
    Pillow.fromarray(wide).save(tmp_path / "a.png")
    assert read_picture(tmp_path / "a.png").pixels[0, :, 0].tolist() == [0, 1, 128, 255]


def test_what_is_no_image_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no")
    with pytest.raises(GoldenError, match=r"a\.png: .*expected an image"):
        read_picture(tmp_path / "a.png")
    with pytest.raises(GoldenError, match=r"b\.png: No such file"):
        read_picture(tmp_path / "b.png")


def test_flip_is_reported_or_its_absence_explained(tmp_path: Path) -> None:
    found = compared(picture(tmp_path / "a.png"), picture(tmp_path / "b.png", (3, 3, 250)))
    if available():
        assert found.flip is not None
        assert 0.0 < found.flip < 0.1
    else:
        assert any("pip install 'godseed[flip]'" in line for line in found.lines)
