"""Pictures: pixels, their digest, and PNG files that say what they show.

A PNG's bytes depend on pixels and text alone: fixed compression, no time stamp. Pixels are RGBA8,
rows from the top down, alpha 255.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow
from PIL import PngImagePlugin, UnidentifiedImageError

from godseed import __version__
from godseed.render.errors import RenderError

U8 = npt.NDArray[np.uint8]
PREFIX = "godseed:"
COMPRESSION = 6


@dataclass(frozen=True)
class Image:
    """A picture.

    Attributes:
        pixels: (h, w, 4) uint8, rows from the top down, sRGB.
    """

    pixels: U8

    @property
    def size(self) -> tuple[int, int]:
        """Width, height in pixels."""
        return int(self.pixels.shape[1]), int(self.pixels.shape[0])

    @property
    def digest(self) -> str:
        """See `pixel_digest`."""
        return pixel_digest(self.pixels)


@dataclass(frozen=True)
class Caption:
    """What a PNG file says about itself, in text chunks named `godseed:<field>`.

    Attributes:
        world: digest of rung 0.
        geometry: digest of rung 1.
        fingerprint: key of the rasteriser and sample count.
        shot: the camera.
        time_ms: time of the frame.
        pixels: digest of the pixels; filled in when written.
        version: of godseed; filled in when written.
    """

    world: str
    geometry: str
    fingerprint: str
    shot: str
    time_ms: int
    pixels: str = ""
    version: str = ""


def pixel_digest(pixels: U8) -> str:
    """SHA-256 of RGBA8 rows from the top down, hexadecimal.

    Args:
        pixels: (h, w, 4) uint8.
    """
    return hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest()


def png_bytes(pixels: U8, caption: Caption | None = None) -> bytes:
    """Encode pixels; the same pixels and caption give the same bytes.

    Args:
        pixels: (h, w, 4) uint8; an opaque picture is stored without alpha.
        caption: what to say about it.
    """
    info = PngImagePlugin.PngInfo()
    info.add(b"sRGB", b"\0")
    if caption is not None:
        for name, value in _texts(caption, pixels).items():
            info.add_itxt(PREFIX + name, value)
    opaque = bool((pixels[:, :, 3] == 255).all())
    picture = Pillow.fromarray(np.ascontiguousarray(pixels[:, :, :3] if opaque else pixels))
    stream = io.BytesIO()
    picture.save(stream, "PNG", pnginfo=info, compress_level=COMPRESSION)
    return stream.getvalue()


def write_png(path: Path, pixels: U8, caption: Caption | None = None) -> None:
    """Write a PNG file in one step: readers see the old file or the whole new one.

    Raises:
        RenderError: the file cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(png_bytes(pixels, caption))
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RenderError(
            f"{path}: {error.strerror}; expected a folder that can be written; choose another path"
        ) from None


def read_png(path: Path) -> tuple[U8, Caption | None]:
    """Pixels (h, w, 4) uint8 of a picture file, and its caption if one of ours wrote it.

    Raises:
        RenderError: there is no such file, or it is no picture.
    """
    try:
        with Pillow.open(path) as picture:
            pixels = np.array(picture.convert("RGBA"))
            texts: Mapping[str, object] = {str(key): value for key, value in picture.info.items()}
    except FileNotFoundError:
        raise RenderError(f"{path}: no such file; expected a PNG; check the path") from None
    except (OSError, SyntaxError, ValueError, UnidentifiedImageError) as error:
        raise RenderError(f"{path}: {error}; expected a PNG; make it again") from None
    return pixels, _caption(texts)


def _texts(caption: Caption, pixels: U8) -> dict[str, str]:
    return {
        "world": caption.world,
        "geometry": caption.geometry,
        "pixels": pixel_digest(pixels),
        "fingerprint": caption.fingerprint,
        "version": __version__,
        "shot": caption.shot,
        "time_ms": str(caption.time_ms),
    }


def _caption(texts: Mapping[str, object]) -> Caption | None:
    found = {
        key.removeprefix(PREFIX): str(value)
        for key, value in texts.items()
        if isinstance(key, str) and key.startswith(PREFIX)
    }
    needed = ("world", "geometry", "fingerprint", "shot", "time_ms", "pixels", "version")
    if not all(name in found for name in needed) or not found["time_ms"].lstrip("-").isdigit():
        return None
    return Caption(
        found["world"],
        found["geometry"],
        found["fingerprint"],
        found["shot"],
        int(found["time_ms"]),
        found["pixels"],
        found["version"],
    )
