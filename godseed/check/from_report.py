"""Approving out of a report, on this machine or on the one where the cases lie.

A report is a file from elsewhere: names are held to what a check writes, pictures to their own
digests and to the geometry beside them, and a case that changed since is left alone.
"""

from __future__ import annotations

import json
import re
import tempfile
from base64 import b64decode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from godseed.check.approve import Updated
from godseed.check.baseline import BASELINE_FILE
from godseed.check.case_file import CASE_FILE, GoldenError
from godseed.check.cases import GEOMETRY_FILE, write_file
from godseed.check.drawing import read_approved
from godseed.check.inputs import INPUTS_FILE
from godseed.check.report import read_report
from godseed.check.verdict import ERROR, NONE
from godseed.sim.arguments import quoted

FILES: Final = (CASE_FILE, BASELINE_FILE, INPUTS_FILE, GEOMETRY_FILE)
"""What may be written besides images, in this order."""
NAME: Final = re.compile(r"[\w@+=,-][\w.@+=,-]*(?:\[[\w.@+=, -]*\])?")
"""One part of a case's name, a fingerprint, or an image's name."""


def approve_report(
    path: Path, names: Sequence[str] = (), root: Path | None = None, also: bool = False
) -> list[Updated]:
    """Write what a report drew, for some of its cases or all that are not as approved.

    Args:
        path: of the report.
        names: of cases; all if empty.
        root: folder of the cases; the one that the report names if None.
        also: keep approved images and add these, where pixels of one rasteriser may differ.
    Raises:
        GoldenError: it is no report, a case is not in it, or a file cannot be written.
    """
    value = read_report(path)
    root = Path(str(value.get("root", ""))) if root is None else root
    if not root.is_dir():
        raise GoldenError(
            f"{path}: its cases are in {quoted(str(root))}, which is not here; expected a folder; "
            "name it with --dir"
        )
    verdicts = {str(row["case"]): row for row in value["cases"]}
    unknown = [name for name in names if name not in verdicts]
    if unknown:
        listed = ", ".join(list(verdicts)[:8])
        raise GoldenError(
            f"{path}: no case {quoted(unknown[0])}; expected one of {listed}; correct it"
        )
    chosen = names or [name for name, row in verdicts.items() if row["rung"] != NONE]
    return [
        _approve(root, name, verdicts[name], value["evidence"].get(name), also) for name in chosen
    ]


def _approve(root: Path, name: str, verdict: Mapping[str, Any], found: Any, also: bool) -> Updated:
    """Write one case, or say why not."""
    if found is None:
        if verdict["rung"] == NONE:
            return Updated(name)
        return Updated(name, (), f"{verdict['rung']}: {verdict['message']}", left=True)
    try:
        folder = root.joinpath(*_parts(name))
        files = {key: b64decode(text, validate=True) for key, text in found["files"].items()}
        images = {key: b64decode(text, validate=True) for key, text in found["images"].items()}
        key = _part(str(verdict["fingerprint"]))
        if strange := [file for file in files if file not in FILES]:
            raise ValueError(f"file {quoted(strange[0])}; expected one of {', '.join(FILES)}")
        for image in images:
            _part(image)
        _require_same_case(folder, found, files)
        _require_whole(images, files, (int(found["size"][0]), int(found["size"][1])))
    except (KeyError, TypeError, ValueError) as error:
        return Updated(name, (), f"{ERROR}: {error}", left=True)
    written = []
    for image, data in images.items():
        file = _free(folder / key, image, data) if also else folder / key / image
        if file is not None and write_file(file, data):
            written.append(file)
    for part in FILES:
        if part in files and write_file(folder / part, files[part]):
            written.append(folder / part)
    shown = tuple(file.relative_to(root).as_posix() for file in written)
    return Updated(name, shown, f"{verdict['rung']}: {verdict['message']}")


def _parts(name: str) -> list[str]:
    return [_part(part) for part in name.split("/")]


def _part(text: str) -> str:
    if NAME.fullmatch(text) is None:
        raise ValueError(f"name {quoted(text)}; expected letters, digits and -_.@+=,; left alone")
    return text


def _require_same_case(folder: Path, found: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """The case here is the one that the report drew; a case that a test defines comes along."""
    if CASE_FILE in files:
        return
    file = folder / CASE_FILE
    if not file.is_file():
        raise ValueError(f"{file}: not here; expected the case that was drawn; check --dir")
    if sha256(file.read_bytes()).hexdigest() != found["case"]:
        raise ValueError(
            f"{file}: changed since the report was made; expected the case that was drawn; "
            "check again"
        )


def _require_whole(
    images: Mapping[str, bytes], files: Mapping[str, bytes], size: tuple[int, int]
) -> None:
    """Pictures are whole, untouched, and of the geometry that is written beside them."""
    geometry = json.loads(files[GEOMETRY_FILE])
    stated = geometry["world"], geometry["geometry"]["total"]
    with tempfile.TemporaryDirectory() as folder:
        for name, data in images.items():
            file = Path(folder, name)
            file.write_bytes(data)
            image = read_approved(file, size)
            caption = image.caption
            if caption is None or image.edited:
                raise ValueError(f"{name}: not as it was drawn; expected it whole; check again")
            if (caption.world, caption.geometry) != stated:
                raise ValueError(f"{name}: of another geometry than {GEOMETRY_FILE}; check again")


def _free(folder: Path, image: str, data: bytes) -> Path | None:
    """A name beside approved images that no other has; None if one of them holds the same."""
    stem = image.removesuffix(".png")
    if not (folder / image).exists():
        return folder / image
    number = 1
    while True:
        file = folder / (f"{stem}+{number}.png" if number > 1 else image)
        if not file.exists():
            return file
        if file.read_bytes() == data:
            return None
        number += 1
