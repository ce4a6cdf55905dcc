"""PNG files hold exactly the pixels, say what they show, and are the same bytes every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow
from PIL import PngImagePlugin

from godseed import __version__
from godseed.render.errors import RenderError
from godseed.render.image import U8, Caption, Image, pixel_digest, png_bytes, read_png, write_png

CAPTION = Caption("a" * 64, "b" * 64, "llvmpipe-s4", "gaze:f_000017 · “lamp”", 4000)


def picture(height: int = 5, width: int = 7, seed: int = 1) -> U8:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), np.uint8)
    pixels[:, :, 3] = 255
    return pixels


def test_file_gives_back_pixels_and_caption(tmp_path: Path) -> None:
    file, pixels = tmp_path / "a.png", picture()
    write_png(file, pixels, CAPTION)
    back, caption = read_png(file)
    assert (back == pixels).all()
    assert caption is not None
    assert (caption.world, caption.geometry, caption.fingerprint, caption.shot) == (
        CAPTION.world,
        CAPTION.geometry,
        CAPTION.fingerprint,
        CAPTION.shot,
    )
    assert (caption.time_ms, caption.version) == (4000, __version__)
    assert caption.pixels == pixel_digest(pixels)


def test_any_reader_sees_the_text_chunks(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    write_png(file, picture(), CAPTION)
    with Pillow.open(file) as opened:
        assert opened.mode == "RGB"
        assert opened.info["godseed:shot"] == CAPTION.shot
        assert opened.info["srgb"] == 0


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 99))
def test_the_same_picture_gives_the_same_bytes(height: int, width: int, seed: int) -> None:
    pixels = picture(height, width, seed)
    assert png_bytes(pixels, CAPTION) == png_bytes(pixels.copy(), CAPTION)


def test_digest_is_of_rows_from_the_top_down() -> None:
    pixels = picture()
    assert Image(pixels).digest == pixel_digest(pixels)
    assert pixel_digest(pixels[::-1]) != pixel_digest(pixels)
    assert pixel_digest(np.zeros((1, 1, 4), np.uint8)).startswith("df3f6198")


def test_transparent_picture_keeps_its_alpha(tmp_path: Path) -> None:
    pixels = picture()
    pixels[0, 0] = (9, 8, 7, 6)
    write_png(tmp_path / "a.png", pixels)
    back, caption = read_png(tmp_path / "a.png")
    assert (back == pixels).all()
    assert caption is None


def test_missing_and_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"none\.png: no such file; expected a PNG"):
        read_png(tmp_path / "none.png")
    whole = png_bytes(picture(40, 40))
    for i, data in enumerate((b"", b"text", whole[:200])):
        file = tmp_path / f"{i}.png"
        file.write_bytes(data)
        with pytest.raises(RenderError, match=rf"{i}\.png: .*expected a PNG"):
            read_png(file)


def test_folder_that_is_not_there_is_reported_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"a\.png: .*expected a folder that can be written"):
        write_png(tmp_path / "none" / "a.png", picture())
    assert not list(tmp_path.iterdir())


def test_caption_that_lacks_a_field_is_no_caption(tmp_path: Path) -> None:
    info = PngImagePlugin.PngInfo()
    info.add_itxt("godseed:world", "w")
    Pillow.fromarray(picture()).save(tmp_path / "a.png", pnginfo=info)
    assert read_png(tmp_path / "a.png")[1] is None
