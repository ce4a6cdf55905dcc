"""The golden check: draw every case, compare rung by rung, name what changed; and approve.

report = check("golden")            compare; nothing is written
update("golden", which="failing")   approve what is drawn now
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from godseed.batch.executor import Workers
from godseed.check.approve import WHICH, Updated, approve
from godseed.check.case_file import Case, GoldenError
from godseed.check.cases import find_cases, unused_images
from godseed.check.evidence import Evidence, evidence_of
from godseed.check.examine import Examiner
from godseed.check.flip import MISSING_LINE, available
from godseed.check.verdict import ERROR, FrameVerdict, Report, Verdict

__all__ = [
    "Checked",
    "FrameVerdict",
    "GoldenError",
    "Report",
    "Updated",
    "Verdict",
    "check",
    "examine_all",
    "update",
]

ATTEMPTS: Final = 3
"""How often a case is begun before it is given up because the worker that drew it died."""


@dataclass(frozen=True)
class Checked:
    """One case of a check.

    Attributes:
        verdict: what came of it.
        case: None where `case.json` could not be read.
        evidence: pictures and files for a report, None unless asked for.
    """

    verdict: Verdict
    case: Case | None
    evidence: Evidence | None = None


def check(
    root: str | Path,
    pattern: str | None = None,
    allow_missing: bool = False,
    on_progress: Callable[[int, int, Verdict], None] | None = None,
    workers: int = 1,
    scheduler: str | None = None,
) -> Report:
    """Compare every case under a root with what was approved; nothing is written.

    Args:
        root: folder of cases, or one case.
        pattern: which of them, see `godseed.check.cases.find_cases`.
        allow_missing: let cases pass that have nothing approved for this rasteriser.
        on_progress: called after every case: how many are done, how many there are, its verdict.
        workers: processes that draw.
        scheduler: address of a Dask scheduler whose workers draw instead; they see the same files.
    Raises:
        GoldenError: there is no case.
        MissingGLError: this machine cannot draw.
        MissingError: the cluster cannot be used.
    """
    return examine_all(root, pattern, allow_missing, on_progress, workers, scheduler)[0]


def examine_all(
    root: str | Path,
    pattern: str | None = None,
    allow_missing: bool = False,
    on_progress: Callable[[int, int, Verdict], None] | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    evidence: bool = False,
) -> tuple[Report, dict[str, Evidence]]:
    """As `check`, and with the pictures and files that a report shows, by case.

    Args:
        evidence: whether to gather them.
    """
    root = Path(root)
    chosen = find_cases(root, pattern)
    done: dict[str, Checked] = {}
    crew = Workers(None if scheduler else min(workers, len(chosen)), scheduler)
    for name, one in _examined(root, chosen, allow_missing, evidence, crew):
        done[name] = one
        if on_progress is not None:
            on_progress(len(done), len(chosen), one.verdict)
    ordered = [done[name] for name, _ in chosen]
    cases = [one.case for one in ordered if one.case is not None]
    unused = unused_images(root, cases, everywhere=pattern is None)
    report = Report(
        str(root), tuple(one.verdict for one in ordered), tuple(unused), notes_of(ordered)
    )
    return report, {one.verdict.case: one.evidence for one in ordered if one.evidence}


def notes_of(done: Sequence[Checked]) -> tuple[str, ...]:
    """What could not be measured."""
    apart = any(frame.measured for one in done for frame in one.verdict.frames)
    return (MISSING_LINE,) if apart and not available() else ()


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
    examiner = Examiner()
    done: list[Updated] = []
    for name, folder in chosen:
        found = examiner.examine(root, name, folder, allow_missing=False)
        done.append(approve(root, found, examiner.drawer, which))
        if on_progress is not None:
            on_progress(len(done), len(chosen), done[-1])
    return done


def _examined(
    root: Path,
    chosen: Sequence[tuple[str, Path]],
    allow_missing: bool,
    evidence: bool,
    crew: Workers,
) -> Iterator[tuple[str, Checked]]:
    """Cases as they are done: here, or by workers with a renderer each; one whose worker dies is
    begun again."""
    if crew.here:
        for name, folder in chosen:
            yield name, _one(root, name, folder, allow_missing, evidence)
        return
    waiting = dict(chosen)
    if crew.scheduler is not None:  # whose workers stand in other folders
        waiting = {name: folder.absolute() for name, folder in chosen}
    with crew:
        for _ in range(ATTEMPTS):
            futures = {
                crew.submit(_one, root, name, folder, allow_missing, evidence): name
                for name, folder in waiting.items()
            }
            for future in as_completed(futures):
                try:
                    found = future.result()
                except (BrokenExecutor, CancelledError):
                    continue
                del waiting[futures[future]]
                yield futures[future], found
            if not waiting:
                return
            crew.renew()
    for name in waiting:
        message = f"the worker that drew it died {ATTEMPTS} times; check it alone with -k {name}"
        yield name, Checked(Verdict(name, ERROR, False, message), None)


@cache
def _examiner() -> Examiner:
    """One per process: the context, a renderer and the last worlds stay."""
    return Examiner()


def _one(root: Path, name: str, folder: Path, allow_missing: bool, evidence: bool) -> Checked:
    examiner = _examiner()
    found = examiner.examine(root, name, folder, allow_missing)
    shown = evidence_of(found, examiner.drawer) if evidence else None
    return Checked(found.verdict, found.case, shown)
