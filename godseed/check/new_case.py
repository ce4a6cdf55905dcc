"""Writing a new case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from godseed.check.approve import case_text
from godseed.check.case_file import CASE_FILE, Case, GoldenError, read_case
from godseed.check.cases import write_file
from godseed.check.from_report import NAME
from godseed.sim.arguments import quoted
from godseed.sim.feature import Feature
from godseed.sim.genesis import genesis_features


def new_case(
    root: Path,
    name: str,
    features: Sequence[Feature],
    frames: Sequence[tuple[str, float]],
    size: tuple[int, int] = (320, 180),
    samples: int = 4,
    landed_s: Mapping[str, float] | None = None,
) -> Case:
    """Write the `case.json` of a new case and read it back.

    Args:
        root: folder of cases; made if it is not there.
        name: of the case, such as `place_road/coast`.
        features: its world.
        frames: shot and seconds of each picture.
        size: pixels.
        samples: per pixel.
        landed_s: feature id -> when it lands, seconds.
    Raises:
        GoldenError: there is a case already, or what is asked for is not valid; then nothing is
            left behind.
    """
    parts = name.split("/")
    if not all(NAME.fullmatch(part) for part in parts):
        raise GoldenError(
            f"golden.new: name {quoted(name)}; expected letters, digits and -_.@+=, with slashes; "
            "choose another"
        )
    folder = root.joinpath(*parts)
    file = folder / CASE_FILE
    for place in (folder, *folder.parents):
        if (place / CASE_FILE).exists():
            raise GoldenError(
                f"{place / CASE_FILE}: is there already; expected a new case; choose another name"
            )
        if place == root:
            break
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    write_file(file, case_text(world_of(features), **_fields(frames, size, samples, landed_s)))
    try:
        return read_case(name, folder)
    except GoldenError:
        file.unlink()
        for place in made:
            place.rmdir()
        raise


def world_of(features: Sequence[Feature]) -> Any:
    """The `world` of a `case.json`."""
    if tuple(features) == genesis_features():
        return "genesis"
    return {"features": [feature.to_dict() for feature in features]}


def _fields(
    frames: Sequence[tuple[str, float]],
    size: tuple[int, int],
    samples: int,
    landed_s: Mapping[str, float] | None,
) -> dict[str, Any]:
    return {
        "frames": [{"shot": shot, "t_s": seconds} for shot, seconds in frames],
        "landed_s": dict(landed_s) if landed_s else None,
        "size": list(size),
        "samples": samples,
    }
