"""Pruning: images that nothing looks at any more, removed if godseed wrote them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from godseed.check.baseline import BASELINE_FILE
from godseed.check.case_file import CASE_FILE, GoldenError, read_case
from godseed.check.cases import GEOMETRY_FILE, images_of, read_expected, unused_images
from godseed.check.inputs import INPUTS_FILE
from godseed.render.errors import RenderError
from godseed.render.image import Caption, read_png

BESIDE: Final = (GEOMETRY_FILE, BASELINE_FILE, INPUTS_FILE)
"""What lies in a case that godseed writes, besides images."""


@dataclass(frozen=True)
class Pruned:
    """One file.

    Attributes:
        file: relative to the root.
        why: why nothing looks at it.
        removed: whether it was, or would be; what another program wrote stays.
    """

    file: str
    why: str
    removed: bool

    @property
    def summary(self) -> str:
        """One line for people."""
        return f"{'removed' if self.removed else 'kept'} {self.file}: {self.why}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {"file": self.file, "why": self.why, "removed": self.removed}


def prune(root: str | Path, dry_run: bool = False) -> list[Pruned]:
    """Remove images that no frame looks at, that are of a geometry no longer expected, or whose
    case is gone; and folders that this leaves empty.

    Cases that cannot be read keep everything.

    Args:
        root: folder of cases, or one case.
        dry_run: only say what would be removed.
    Raises:
        GoldenError: there is no such folder, or a file cannot be removed.
    """
    root = Path(root)
    if not root.is_dir():
        raise GoldenError(f"{root}: no such folder; expected golden cases; check the name")
    found: dict[Path, str] = {}
    cases = []
    unread: list[Path] = []
    for file in sorted(root.rglob(CASE_FILE)):
        folder = file.parent
        name = folder.relative_to(root).as_posix()
        try:
            case = read_case(name, folder)
            expected = read_expected(folder)
        except GoldenError:
            unread.append(folder)
            continue
        cases.append(case)
        if expected is None:
            continue
        stated = expected.world, expected.geometry.total
        for picture in case.pictures:
            for rasteriser in sorted(path for path in folder.iterdir() if path.is_dir()):
                for image in images_of(rasteriser, picture):
                    caption = _caption(image)
                    if caption is not None and (caption.world, caption.geometry) != stated:
                        found[image] = "of a geometry that is no longer expected"
    for name in unused_images(root, cases, everywhere=True):
        found.setdefault(root / name, "no frame looks at it")
    for file in _orphans(root):
        found.setdefault(file, f"its folder has no {CASE_FILE}")
    rows = []
    for file in sorted(found):
        if any(folder in file.parents for folder in unread):
            continue
        ours = file.name in BESIDE or _caption(file) is not None
        why = found[file] if ours else f"{found[file]}, but another program wrote it"
        rows.append(Pruned(file.relative_to(root).as_posix(), why, ours))
        if ours and not dry_run:
            _remove(file, root)
    return rows


def _orphans(root: Path) -> list[Path]:
    """What godseed writes beside `case.json`, where there is none."""
    return [
        file
        for name in BESIDE
        for file in root.rglob(name)
        if not any((up / CASE_FILE).is_file() for up in file.parents)
    ]


def _caption(file: Path) -> Caption | None:
    try:
        return read_png(file)[1]
    except RenderError:
        return None


def _remove(file: Path, root: Path) -> None:
    """Remove a file, and the folders that are empty without it."""
    try:
        file.unlink()
        for folder in file.parents:
            if folder == root or any(folder.iterdir()):
                break
            folder.rmdir()
    except OSError as error:
        reason = error.strerror or str(error)
        raise GoldenError(f"{file}: {reason}; expected to remove it; check rights") from None
