"""Drawing the pictures of golden cases, and the PNG files that approved ones are kept in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

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


@dataclass(frozen=True)
class Approved:
    """An approved image.

    Attributes:
        pixels: (h, w, 4) uint8, rows from the top down.
        caption: what the file says about itself, None if another program wrote it.
    """

    pixels: U8
    caption: Caption | None

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

    def draw(self, case: Case, stage: Stage, picture: Picture) -> U8:
        """Pixels (h, w, 4) uint8 of a picture.

        Raises:
            RenderError: this machine cannot draw it.
            ShotError: the shot names a feature that the stage does not have.
        """
        return self.renderer(case.size, case.samples).draw(_frame(case, stage, picture)).pixels

    def ids(self, case: Case, stage: Stage, picture: Picture) -> tuple[I32, F32]:
        """Feature (h, w) int32 that each pixel shows, -1 for none, and distance (h, w) float32.

        Raises:
            RenderError, ShotError: as in `draw`.
        """
        renderer = self.renderer(case.size, case.samples)
        frame = _frame(case, stage, picture)
        return renderer.ids(frame), renderer.depth(frame)


def encode(pixels: U8, current: Expected, fingerprint: str, picture: Picture) -> bytes:
    """The PNG file of a picture, with what it was drawn of."""
    total = current.geometry.total
    caption = Caption(current.world, total, fingerprint, picture.shot, picture.time_ms)
    return png_bytes(pixels, caption)


def read_approved(file: Path, size: tuple[int, int]) -> Approved:
    """Read an approved image.

    Raises:
        GoldenError: it is no whole PNG, or of another size.
    """
    try:
        whole = file.read_bytes().endswith(END)
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
    return Approved(pixels, caption)


def _frame(case: Case, stage: Stage, picture: Picture) -> Frame:
    return stage.frame(picture.time_ms, picture.shot, case.size[0] / case.size[1])
