"""Any two images, whoever made them: through the gates and rungs of a golden case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow

from godseed.check.case_file import Gates, GoldenError
from godseed.check.compare import I32, U8, Measured, attribute, difference, measure, perceived
from godseed.check.drawing import stored_ids
from godseed.check.evidence import Evidence, Shown
from godseed.check.flip import MISSING_LINE, available, flip_map
from godseed.check.pictures import difference_picture, flip_picture, png_of
from godseed.check.verdict import (
    GEOMETRY,
    NONE,
    PERCEPTION,
    PIXELS,
    WORLD,
    FrameVerdict,
    Report,
    Verdict,
)
from godseed.render.errors import RenderError
from godseed.render.image import Caption, pixel_digest, read_png
from godseed.sim.feature import Feature, feature_id

SIZE: Final = "size"
NOTHING: Final = "ground or sky"


@dataclass(frozen=True)
class Picture:
    """An image file.

    Attributes:
        path: where it lies.
        pixels: (h, w, 4) uint8, rows from the top down.
        caption: what it says about itself, None if godseed did not write it.
        ids: (h, w) int32 feature of each pixel, None if it does not say.
        note: what was done to make it RGBA8, empty for nothing.
    """

    path: Path
    pixels: U8
    caption: Caption | None
    ids: I32 | None = None
    note: str = ""

    @property
    def size(self) -> tuple[int, int]:
        """Width, height in pixels."""
        return int(self.pixels.shape[1]), int(self.pixels.shape[0])


@dataclass(frozen=True)
class Compared:
    """What came of two images.

    Attributes:
        rung: `none`, `size`, `world`, `geometry`, `pixels` or `perception`: the lowest that
            differs, as far as the images say.
        passed: equal, or within gates where they may differ.
        message: one line.
        measured: None where sizes differ.
        flip: mean of FLIP, None where it was not measured.
        attribution: what drew differing pixels -> how many; empty where the images do not say.
        notes: of both images.
    """

    rung: str
    passed: bool
    message: str
    measured: Measured | None = None
    flip: float | None = None
    attribution: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """For people."""
        found = [self.message]
        if self.flip is not None:
            found.append(f"FLIP mean {self.flip:.4f}")
        if self.measured is not None and not self.passed:
            found.append(self.measured.would_pass)
        found += [f"    {what}: {count} px" for what, count in list(self.attribution.items())[:12]]
        return (*found, *self.notes)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {
            "rung": self.rung,
            "passed": self.passed,
            "message": self.message,
            "measured": self.measured.to_dict() if self.measured else None,
            "flip": self.flip,
            "attribution": dict(self.attribution),
            "notes": list(self.notes),
        }


def read_picture(path: Path) -> Picture:
    """Read an image of any kind that Pillow reads, as RGBA8.

    Raises:
        GoldenError: it is no image.
    """
    try:
        with Pillow.open(path) as found:
            mode, frames = found.mode, int(getattr(found, "n_frames", 1))
            wide = np.asarray(found) if mode.startswith(("I", "F")) else None
        pixels, caption = read_png(path)
        data = path.read_bytes()
    except (OSError, SyntaxError, ValueError, RenderError, Pillow.DecompressionBombError) as error:
        reason = getattr(error, "strerror", None) or str(error).removeprefix(f"{path}: ")
        raise GoldenError(f"{path}: {reason}; expected an image; check the name") from None
    notes = []
    if wide is not None:
        pixels = _narrowed(wide)
        notes.append(f"{mode} scaled to 8 bits")
    elif mode not in ("RGB", "RGBA"):
        notes.append(f"{mode} as RGBA")
    if frames > 1:
        notes.append(f"the first of {frames} frames")
    size = int(pixels.shape[1]), int(pixels.shape[0])
    return Picture(path, pixels, caption, stored_ids(data, size), ", ".join(notes))


def compare_pictures(
    before: Picture,
    after: Picture,
    gates: Gates,
    exact: bool = False,
    features: Sequence[Feature] = (),
    ids: tuple[I32 | None, I32 | None] = (None, None),
) -> Compared:
    """Judge two images.

    Images that say they are of one rasteriser may not differ at all; others are held to the gates,
    which let an edge lie a pixel aside.

    Args:
        before, after: the images.
        gates: for those that may differ.
        exact: no pixel may differ, whoever drew them.
        features: of the world, to name what drew differing pixels.
        ids: which feature each pixel shows, where the images do not say it themselves.
    """
    notes = tuple(f"{p.path}: {p.note}" for p in (before, after) if p.note)
    if before.size != after.size:
        (w0, h0), (w1, h1) = before.size, after.size
        message = (
            f"size: {before.path} is {w0}x{h0} and {after.path} is {w1}x{h1}; expected one size; "
            "draw one of them again"
        )
        return Compared(SIZE, False, message, notes=notes)
    apart = difference(before.pixels, after.pixels)
    if not apart.any():
        found = measure(apart, gates)
        return Compared(NONE, True, "equal: 0 pixels differ", found, notes=notes)
    old, new = before.caption, after.caption
    same_place = old is not None and new is not None and old.fingerprint == new.fingerprint
    judged = apart if exact or same_place else perceived(before.pixels, after.pixels)
    found = measure(apart, gates, judged)
    within = found.within(gates) and not exact and not same_place
    rung, why = _rung(old, new, same_place or exact)
    verdict = "within the gates" if within else "beyond what may differ"
    message = f"{verdict}: {rung}: {why}{found.text}"
    flip = flip_map(before.pixels, after.pixels)
    if flip is None:
        notes = (*notes, MISSING_LINE)
    return Compared(
        rung,
        within,
        message,
        found,
        None if flip is None else float(flip.mean(dtype=np.float64)),
        _attributed(before, after, apart > 0, features, ids),
        notes,
    )


def report_of(
    before: Picture, after: Picture, found: Compared
) -> tuple[Report, dict[str, Evidence]]:
    """The report that shows two images."""
    name = after.path.name
    frame = FrameVerdict(
        picture=name,
        rung=found.rung,
        against=str(before.path),
        digest=pixel_digest(after.pixels),
        message=found.message,
        measured=found.measured,
        attribution=found.attribution,
        flip=found.flip,
    )
    keys = [p.caption.fingerprint for p in (before, after) if p.caption]
    title = f"{before.path.name} and {name}"
    verdict = Verdict(title, found.rung, found.passed, found.message, "", (), (frame,))
    shown = Shown(png_of(after.pixels), png_of(before.pixels))
    if before.size == after.size:
        flip = flip_map(before.pixels, after.pixels) if available() else None
        shown = Shown(
            shown.actual,
            shown.expected,
            png_of(difference_picture(before.pixels, after.pixels)),
            None if flip is None else png_of(flip_picture(flip)),
        )
    notes = (*found.notes, *(f"drawn by {key}" for key in dict.fromkeys(keys)))
    report = Report(str(before.path.parent), (verdict,), (), notes)
    return report, {title: Evidence(size=after.size, shown={name: shown})}


def _narrowed(wide: npt.NDArray[Any]) -> U8:
    """Grey of more than 8 bits, or floating point 0..1, as RGBA8."""
    values = wide.astype(np.float64)
    top = 1.0 if wide.dtype.kind == "f" else 65535.0
    grey = np.floor(np.clip(np.nan_to_num(values) / top, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)
    pixels = np.full((*grey.shape[:2], 4), 255, np.uint8)
    pixels[:, :, :3] = grey[:, :, None]
    return pixels


def _rung(old: Caption | None, new: Caption | None, exact: bool) -> tuple[str, str]:
    """The lowest rung that differs, and why it is named."""
    if old is None or new is None:
        return (PIXELS if exact else PERCEPTION), ""
    if old.world != new.world:
        return WORLD, "the pictures are of different worlds: "
    if old.geometry != new.geometry:
        return GEOMETRY, "one world and different geometry: "
    if (old.shot, old.time_ms) != (new.shot, new.time_ms):
        why = f"shots {old.shot} at {old.time_ms} ms and {new.shot} at {new.time_ms} ms: "
        return (PIXELS if exact else PERCEPTION), why
    if old.fingerprint != new.fingerprint:
        return PERCEPTION, f"drawn by {old.fingerprint} and {new.fingerprint}: "
    return PIXELS, "one geometry, one rasteriser: "


def _attributed(
    before: Picture,
    after: Picture,
    differs: npt.NDArray[np.bool_],
    features: Sequence[Feature],
    ids: tuple[I32 | None, I32 | None],
) -> dict[str, int]:
    """What drew the differing pixels, as far as the images or their id pictures say."""
    old, new = (
        given if given is not None else own
        for given, own in zip(ids, (before.ids, after.ids), strict=True)
    )
    if old is None and new is None:
        return {}
    now = new if new is not None else old
    then = old if old is not None else new
    assert now is not None
    assert then is not None
    none = np.zeros(0, np.bool_)
    far = np.full(now.shape, np.inf, np.float32)
    drawn, gone, _, rest = attribute(differs, now, then, far, none, none)
    counts: dict[str, int] = {}
    for found in (drawn, gone):
        for index, count in found.items():
            name = _name(index, features)
            counts[name] = counts.get(name, 0) + count
    if rest:
        counts[NOTHING] = rest
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _name(index: int, features: Sequence[Feature]) -> str:
    if index < len(features):
        feature = features[index]
        return f"{feature.wish_id}/{feature.id} {feature.tool}"
    return feature_id(index)
