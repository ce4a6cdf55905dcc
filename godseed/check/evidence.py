"""What a report shows and carries of one case: pictures, and the files that approving it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from godseed.check import approve
from godseed.check.case_file import CASE_FILE
from godseed.check.drawing import Drawer
from godseed.check.examine import Drawn, Examined
from godseed.check.flip import flip_map
from godseed.check.pictures import difference_picture, flip_picture, png_of
from godseed.check.verdict import NONE


@dataclass(frozen=True)
class Shown:
    """Pictures of one frame, PNG files; None where there is none.

    Attributes:
        actual: as it is drawn now.
        expected: the approved image; None too where both are equal.
        difference: amplified.
        flip: the map of FLIP.
    """

    actual: bytes
    expected: bytes | None = None
    difference: bytes | None = None
    flip: bytes | None = None


@dataclass(frozen=True)
class Evidence:
    """One case.

    Attributes:
        case_digest: SHA-256 of its `case.json`; empty where there is none.
        size: of its pictures, pixels.
        shown: picture -> what to show of it.
        images: picture -> PNG file that approving writes for this rasteriser.
        files: path in the case -> bytes that approving writes besides, `geometry.json` last.
    """

    case_digest: str = ""
    size: tuple[int, int] = (0, 0)
    shown: Mapping[str, Shown] = field(default_factory=dict)
    images: Mapping[str, bytes] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


def evidence_of(found: Examined, drawer: Drawer) -> Evidence:
    """Gather what a report shows; files only where something is to be approved."""
    case = found.case
    if case is None:
        return Evidence()
    file = case.folder / CASE_FILE
    digest = sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
    rungs = {frame.picture: frame.rung for frame in found.verdict.frames}
    shown = {name: _shown(drawn, rungs[name] == NONE) for name, drawn in found.drawn.items()}
    if found.verdict.rung == NONE:
        return Evidence(digest, case.size, shown)
    images = {
        name: approve.image_bytes(found, drawer, drawn) for name, drawn in found.drawn.items()
    }
    files = {
        path.relative_to(case.folder).as_posix(): data
        for path, data in approve.evidence(found).items()
    }
    return Evidence(digest, case.size, shown, images, files)


def _shown(drawn: Drawn, equal: bool) -> Shown:
    actual = png_of(drawn.pixels)
    if equal or drawn.approved is None:
        return Shown(actual)
    before = drawn.approved.pixels
    flip = flip_map(before, drawn.pixels)
    return Shown(
        actual,
        png_of(before),
        png_of(difference_picture(before, drawn.pixels)),
        None if flip is None else png_of(flip_picture(flip)),
    )
