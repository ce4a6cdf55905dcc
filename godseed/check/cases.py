"""Golden cases on disk: what a case draws, what it is expected to be, and where its images lie.

A case is a folder:

    <case>/case.json                    what to draw: world, frames, size, samples, gates
    <case>/geometry.json                what rungs 0 and 1 are expected to be
    <case>/geometry.npz                 rows to measure against, see `godseed.check.baseline`
    <case>/inputs.json                  what pictures depend on, see `godseed.check.inputs`
    <case>/<fingerprint>/<frame>.png    approved image per rasteriser and frame; further ones that
                                        count as well are <frame>+2.png, <frame>+3.png, ...
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from godseed.check.case_file import (
    CASE_FILE,
    Case,
    GoldenError,
    Picture,
    checked_object,
    feature_list,
    one_of,
    read_json,
)
from godseed.sim.arguments import quoted
from godseed.sim.digest import GeometryDigest
from godseed.sim.feature import Feature, world_digest

GEOMETRY_FILE: Final = "geometry.json"
SCHEMA: Final = 1


@dataclass(frozen=True)
class Expected:
    """A parsed `geometry.json`: the digests of rungs 0 and 1, and the features they are of."""

    world: str
    geometry: GeometryDigest
    features: tuple[Feature, ...]


def find_cases(root: Path, pattern: str | None = None) -> list[tuple[str, Path]]:
    """Names and folders of the cases under a root, in name order.

    Args:
        root: a folder of cases, or one case.
        pattern: a whole name; or parts of names or globs, joined by `or`; `not` in front of one
            turns it round.
    Raises:
        GoldenError: there is no such folder, or no case in it, or none matches.
    """
    if not root.is_dir():
        raise GoldenError(f"{root}: no such folder; expected golden cases; check the name")
    found = []
    for file in sorted(root.rglob(CASE_FILE)):
        folder = file.parent
        name = folder.relative_to(root).as_posix() if folder != root else folder.resolve().name
        found.append((name, folder))
    if not found:
        raise GoldenError(
            f"{root}: no case in it; expected folders with a {CASE_FILE}; check the name"
        )
    exact = [(name, folder) for name, folder in found if name == pattern]
    chosen = exact or [(name, folder) for name, folder in found if matches(name, pattern)]
    if not chosen:
        names = ", ".join(name for name, _ in found[:8]) + (", ..." if len(found) > 8 else "")
        raise GoldenError(
            f"{root}: no case matches {quoted(pattern)}; expected a part of one of {names}"
        )
    return chosen


def matches(name: str, pattern: str | None) -> bool:
    """Whether a case is meant by a pattern; see `find_cases`."""
    if not pattern or not pattern.strip():
        return True
    return any(_matches_one(name, part.strip()) for part in pattern.split(" or "))


def read_expected(folder: Path) -> Expected | None:
    """Read what a case is expected to be; None if nothing was ever approved.

    Raises:
        GoldenError: it is there and not valid.
    """
    file = folder / GEOMETRY_FILE
    if not file.exists():
        return None
    value = read_json(file)
    try:
        row = checked_object("", value, ("schema", "world", "geometry", "features"), ())
        one_of("schema", row["schema"], (SCHEMA,))
        features = feature_list(row["features"])
        if row["world"] != world_digest(features):
            raise ValueError(
                "world: not the digest of the features; the file was edited; approve it again"
            )
        return Expected(row["world"], GeometryDigest.from_dict(row["geometry"]), features)
    except ValueError as error:
        raise GoldenError(f"{file}: {error}") from None


def encode_expected(expected: Expected) -> bytes:
    """Bytes of `geometry.json`, one feature to a line."""
    lines = ",\n".join(f"    {feature.to_json()}" for feature in expected.features)
    slices = ",\n".join(
        f"      {json.dumps(name)}: {json.dumps(dict(found))}"
        for name, found in expected.geometry.features.items()
    )
    buffers = ",\n".join(
        f"      {json.dumps(name)}: {json.dumps(digest)}"
        for name, digest in expected.geometry.buffers.items()
    )
    text = (
        f'{{\n  "schema": {SCHEMA},\n  "world": "{expected.world}",\n'
        f'  "features": [\n{lines}\n  ],\n  "geometry": {{\n'
        f'    "total": "{expected.geometry.total}",\n    "buffers": {{\n{buffers}\n    }},\n'
        f'    "features": {{\n{slices}\n    }}\n  }}\n}}\n'
    )
    return text.encode()


def write_file(file: Path, data: bytes) -> bool:
    """Put bytes into a file so that a reader sees the old ones or the new ones, never a part.

    Returns:
        Whether they differ from what was there.
    Raises:
        GoldenError: the system cannot write there.
    """
    try:
        if file.is_file() and file.read_bytes() == data:
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(name, 0o644)
            os.replace(name, file)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise GoldenError(f"{file}: {reason}; expected a writable folder; check rights") from None
    return True


def fingerprints(folder: Path) -> list[str]:
    """Names of the rasterisers that a case has images of, in order."""
    return sorted({file.parent.name for file in folder.glob("*/*.png")})


def images_of(folder: Path, picture: Picture) -> list[Path]:
    """Approved images of a picture in one rasteriser's folder: the first, then further ones."""
    if not folder.is_dir():
        return []
    found = [file for file in folder.iterdir() if picture.is_name(file.name)]
    return sorted(found, key=lambda file: (len(file.name), file.name))


def unused_images(root: Path, cases: Iterable[Case], everywhere: bool = False) -> list[str]:
    """Images that no frame of these cases looks at, relative to the root.

    Args:
        root: folder of cases, or one case.
        cases: those that were read.
        everywhere: also name images under the root that lie in no case at all, such as those of a
            case whose `case.json` is gone.
    """
    found = []
    for case in cases:
        own = (file for file in case.folder.rglob("*.png") if _case_of(file) == case.folder)
        for file in own:
            looked_at = any(picture.is_name(file.name) for picture in case.pictures)
            if file.parent.parent != case.folder or not looked_at:
                found.append(file)
    if everywhere:
        found += [file for file in root.rglob("*.png") if _case_of(file) is None]
    return sorted(file.relative_to(root).as_posix() for file in found)


def _case_of(file: Path) -> Path | None:
    """The nearest case folder above a file."""
    return next((up for up in file.parents if (up / CASE_FILE).is_file()), None)


def _matches_one(name: str, part: str) -> bool:
    if part.startswith("not "):
        return not _matches_one(name, part[4:].strip())
    return fnmatchcase(name, part) if any(c in part for c in "*?[") else part in name
