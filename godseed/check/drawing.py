"""Drawing the pictures of golden cases, and the PNG files that approved ones are kept in."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from godseed.check.case_file import Case, GoldenError, Picture
from godseed.check.cases import Expected
from godseed.check.compare import I32, U8
from godseed.render.errors import RenderError
from godseed.render.image import Caption, pixel_digest, png_bytes, read_png
from godseed.render.renderer import Renderer
from godseed.sim.frame import Frame, Stage
from godseed.sim.maths import F32

END: Final = b"IEND\xaeB`\x82"
"""Last bytes of every whole PNG file."""
END_CHUNK: Final = b"\0\0\0\0" + END
IDS_CHUNK: Final = b"gsID"
"""Ancillary, private, not safe to copy: which feature each pixel shows, (h, w) int32 little-endian,
zlib. A program that edits the picture drops it, as it must."""


@dataclass(frozen=True)
class Approved:
    """An approved image.

    Attributes:
        pixels: (h, w, 4) uint8, rows from the top down.
        caption: what the file says about itself, None if another program wrote it.
        ids: (h, w) int32 feature that each pixel showed, -1 for none; None if it does not say.
    """

    pixels: U8
    caption: Caption | None
    ids: I32 | None = None

    @property
    def edited(self) -> bool:
        """Whether its pixels are not those that it was written with."""
        return self.caption is None or self.caption.pixels != pixel_digest(self.pixels)

    def of(self, expected: Expected) -> bool:
        """Whether it was drawn of this world and geometry, as far as it says."""
        if self.caption is None:
            return True
        total = expected.geometry.total
        return self.caption.world == expected.world and self.caption.geometry == total


class Drawer:
    """Draws pictures of cases; keeps one renderer, for cases mostly share size and samples."""

    def __init__(self) -> None:
        self._key: tuple[tuple[int, int], int] | None = None
        self._renderer: Renderer | None = None

    def renderer(self, size: tuple[int, int], samples: int) -> Renderer:
        """A renderer of this size.

        Raises:
            RenderError: this machine cannot draw so.
        """
        if self._renderer is None or self._key != (size, samples):
            if self._renderer is not None:
                self._renderer.release()
            self._renderer = None
            self._renderer = Renderer(size, samples)
            self._key = size, samples
        return self._renderer

    def fingerprint(self, case: Case) -> str:
        """Name of this rasteriser at the case's sample count.

        Raises:
            RenderError: this machine cannot draw the case.
        """
        return self.renderer(case.size, case.samples).fingerprint.key

    def draw(self, case: Case, frame: Frame) -> U8:
        """Pixels (h, w, 4) uint8 of a frame.

        Raises:
            RenderError: this machine cannot draw it.
        """
        return self.renderer(case.size, case.samples).draw(frame).pixels

    def ids(self, case: Case, frame: Frame) -> I32:
        """Feature (h, w) int32 that each pixel shows, -1 for none.

        Raises:
            RenderError: as in `draw`.
        """
        return self.renderer(case.size, case.samples).ids(frame)

    def depth(self, case: Case, frame: Frame) -> F32:
        """Distance (h, w) float32 of what each pixel shows, infinite where there is only sky.

        Raises:
            RenderError: as in `draw`.
        """
        return self.renderer(case.size, case.samples).depth(frame)


def compose(case: Case, stage: Stage, picture: Picture) -> Frame:
    """The frame of a picture.

    Raises:
        ShotError: the shot names a feature that the stage does not have.
    """
    return stage.frame(picture.time_ms, picture.shot, case.size[0] / case.size[1])


def encode(pixels: U8, ids: I32, current: Expected, fingerprint: str, picture: Picture) -> bytes:
    """The PNG file of a picture, with what it was drawn of and which feature each pixel shows."""
    total = current.geometry.total
    caption = Caption(current.world, total, fingerprint, picture.shot, picture.time_ms)
    data = zlib.compress(np.ascontiguousarray(ids, "<i4").tobytes(), 9)
    chunk = struct.pack(">I", len(data)) + IDS_CHUNK + data
    chunk += struct.pack(">I", zlib.crc32(IDS_CHUNK + data))
    return png_bytes(pixels, caption).removesuffix(END_CHUNK) + chunk + END_CHUNK


def read_approved(file: Path, size: tuple[int, int]) -> Approved:
    """Read an approved image.

    Raises:
        GoldenError: it is no whole PNG, or of another size.
    """
    try:
        data = file.read_bytes()
        whole = data.endswith(END)
        pixels, caption = read_png(file)
    except OSError as error:
        reason = error.strerror or str(error)
        raise GoldenError(f"{file}: {reason}; expected a readable PNG; check rights") from None
    except RenderError as error:
        raise GoldenError(str(error)) from None
    if not whole:
        raise GoldenError(f"{file}: its end is missing; expected a whole PNG; draw it again")
    found = int(pixels.shape[1]), int(pixels.shape[0])
    if found != size:
        raise GoldenError(
            f"{file}: {found[0]}x{found[1]}; expected {size[0]}x{size[1]} as case.json says; "
            "draw it again"
        )
    return Approved(pixels, caption, stored_ids(data, size))


def stored_ids(data: bytes, size: tuple[int, int]) -> I32 | None:
    """The feature that each pixel of a PNG file shows, (h, w) int32; None if it does not say."""
    place = 8
    while place + 12 <= len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        kind, start = data[place + 4 : place + 8], place + 8
        if kind == IDS_CHUNK:
            body = data[start : start + length]
            return _ids(body, size) if _holds(data, start, length) else None
        place = start + length + 4
    return None


def _holds(data: bytes, start: int, length: int) -> bool:
    """Whether a chunk's checksum is right."""
    stated = data[start + length : start + length + 4]
    return zlib.crc32(data[start - 4 : start + length]).to_bytes(4, "big") == stated


def _ids(body: bytes, size: tuple[int, int]) -> I32 | None:
    width, height = size
    try:
        raw = zlib.decompressobj().decompress(body, width * height * 4 + 1)
    except zlib.error:
        return None
    if len(raw) != width * height * 4:
        return None
    found: I32 = np.frombuffer(raw, "<i4").reshape(height, width).astype(np.int32)
    return found
