"""The golden check: draw every case, compare rung by rung, name what changed; and approve.

report = check("golden")            compare; nothing is written
update("golden", which="failing")   approve what is drawn now
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from godseed.check.case_file import Case, GoldenError
from godseed.check.cases import (
    GEOMETRY_FILE,
    find_cases,
    unused_images,
    write_expected,
    write_file,
)
from godseed.check.drawing import Drawer, read_approved
from godseed.check.examine import Examined, examine
from godseed.check.verdict import MISSING, NONE, FrameVerdict, Report, Verdict

__all__ = [
    "FrameVerdict",
    "GoldenError",
    "Report",
    "Updated",
    "Verdict",
    "check",
    "update",
]

WHICH: Final = ("failing", "missing", "all")


@dataclass(frozen=True)
class Updated:
    """What `update` did to one case.

    Attributes:
        case: its name.
        written: files that changed, relative to the root.
        message: why, or why not; empty if there was nothing to do.
        left: whether it still does not pass.
    """

    case: str
    written: tuple[str, ...] = ()
    message: str = ""
    left: bool = False

    @property
    def summary(self) -> str:
        """One line for people."""
        if self.left:
            return f"left {self.case}: {self.message}"
        if self.written:
            return f"updated {self.case}: {self.message}; wrote {', '.join(self.written)}"
        return f"kept {self.case}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {
            "case": self.case,
            "written": list(self.written),
            "message": self.message,
            "left": self.left,
        }


def check(
    root: str | Path,
    pattern: str | None = None,
    allow_missing: bool = False,
    on_progress: Callable[[int, int, Verdict], None] | None = None,
) -> Report:
    """Compare every case under a root with what was approved; nothing is written.

    Args:
        root: folder of cases, or one case.
        pattern: which of them, see `godseed.check.cases.find_cases`.
        allow_missing: let cases pass that have nothing approved for this rasteriser.
        on_progress: called after every case: how many are done, how many there are, its verdict.
    Raises:
        GoldenError: there is no case.
        MissingGLError: this machine cannot draw.
    """
    root = Path(root)
    chosen = find_cases(root, pattern)
    drawer = Drawer()
    verdicts: list[Verdict] = []
    cases: list[Case] = []
    for name, folder in chosen:
        found = examine(root, name, folder, drawer, allow_missing)
        verdicts.append(found.verdict)
        if found.case is not None:
            cases.append(found.case)
        if on_progress is not None:
            on_progress(len(verdicts), len(chosen), found.verdict)
    return Report(str(root), tuple(verdicts), tuple(unused_images(root, cases)))


def update(
    root: str | Path,
    pattern: str | None = None,
    which: str = "failing",
    on_progress: Callable[[int, int, Updated], None] | None = None,
) -> list[Updated]:
    """Approve what is drawn now.

    Every file is replaced whole or not at all, images before `geometry.json`: a run that is killed
    leaves images that say they are of another geometry, and the next check says so.

    Args:
        root: folder of cases, or one case.
        pattern: which of them.
        which: `failing` writes cases that do not pass and leaves the others alone; `missing` only
            adds what was never approved, and only where the world and its geometry are as
            approved; `all` writes whatever differs.
        on_progress: called after every case: how many are done, how many there are, what was done.
    Raises:
        GoldenError: there is no case, or a file cannot be written.
        MissingGLError: this machine cannot draw.
        ValueError: `which` is none of these.
    """
    if which not in WHICH:
        raise ValueError(f"golden.update: which {which!r}; expected {', '.join(WHICH)}")
    root = Path(root)
    chosen = find_cases(root, pattern)
    drawer = Drawer()
    done: list[Updated] = []
    for name, folder in chosen:
        done.append(_approve(root, examine(root, name, folder, drawer, False), which))
        if on_progress is not None:
            on_progress(len(done), len(chosen), done[-1])
    return done


def _approve(root: Path, found: Examined, which: str) -> Updated:
    """Write one case as it is drawn now, if it is meant."""
    verdict, case, current = found.verdict, found.case, found.current
    if case is None or current is None:
        return Updated(verdict.case, (), verdict.message, left=True)
    if which != "all" and verdict.rung == NONE:
        return Updated(verdict.case)
    images = found.images
    if which == "missing":
        if found.expected is not None and found.expected != current:
            return Updated(verdict.case, (), f"{verdict.rung}: {verdict.message}", left=True)
        images = {name: data for name, data in images.items() if name in found.unapproved}
    folder = case.folder / verdict.fingerprint
    equal = {frame.picture for frame in verdict.frames if frame.rung == NONE}
    written = [
        folder / name
        for name, data in images.items()
        if not (name in equal and read_approved(folder / name, case.size).of(current))
        and write_file(folder / name, data)
    ]
    if write_expected(case.folder, current):
        written.append(case.folder / GEOMETRY_FILE)
    names = tuple(file.relative_to(root).as_posix() for file in written)
    message = f"{verdict.rung}: {verdict.message}" if verdict.rung != NONE else "written anew"
    wrong = [frame for frame in verdict.frames if frame.picture not in images]
    left = which == "missing" and any(frame.rung not in (NONE, MISSING) for frame in wrong)
    return Updated(verdict.case, names, message, left)
