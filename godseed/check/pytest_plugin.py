"""Golden images in pytest: the fixture `golden`.

    def test_harbour(golden):
        golden.check("harbour.jsonl", shot="town", t=4.0)

Pictures lie in `golden/<module>/<test>/` beside the test file, as cases that `godseed golden`
knows too. Options: `--golden-update=failing|missing|all`, `--golden-report=FILE`,
`--golden-allow-missing`; ini option: `golden_dir`. Every pytest run loads this module, so it
imports nothing heavy until a test asks.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from godseed.check.case_file import Case, Gates
    from godseed.check.evidence import Evidence
    from godseed.check.examine import Examiner
    from godseed.check.verdict import Verdict
    from godseed.sim.feature import Feature
    from godseed.sim.world import World

UPDATES: Final = ("failing", "missing", "all")
FOLDER: Final = "golden"
CASE_FILE: Final = "case.json"


class Session:
    """What one run of pytest checks.

    Attributes:
        root: of the project; names of cases are relative to it.
        which: what to approve, empty for nothing.
        allow_missing: whether a picture passes that was never approved for this rasteriser.
        report: where to write a report, None for nowhere.
        folder: of all cases, None for one beside each test file.
        verdicts, evidence: of the cases so far.
        lines: what was approved.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.root = config.rootpath
        self.which = str(config.getoption("golden_update") or "")
        self.allow_missing = bool(config.getoption("golden_allow_missing"))
        report = config.getoption("golden_report")
        self.report = _own_report(Path(str(report))) if report else None
        folder = str(config.getini("golden_dir") or "")
        self.folder = self.root / folder if folder else None
        self.verdicts: list[Verdict] = []
        self.evidence: dict[str, Evidence] = {}
        self.lines: list[str] = []
        self._examiner: Examiner | None = None

    @property
    def examiner(self) -> Examiner:
        """Draws; kept for the whole run."""
        if self._examiner is None:
            from godseed.check.examine import Examiner

            self._examiner = Examiner()
        return self._examiner

    def judge(self, case: Case, text: bytes | None, allow_missing: bool, node: str) -> Verdict:
        """Draw a case, judge it, and approve it if that was asked for.

        Args:
            case: what to draw.
            text: bytes of the `case.json` that a test stands for; None where the file is the case.
            allow_missing: whether a picture passes that was never approved here.
            node: of the test, for the command that accepts.
        Raises:
            GoldenError: a file cannot be written.
            MissingGLError: this machine cannot draw.
        """
        from godseed.check.approve import approve
        from godseed.check.cases import write_file
        from godseed.check.evidence import evidence_of

        found = self.examiner.judge(case, self.root, allow_missing)
        verdict = found.verdict
        if verdict.mend and text is not None:
            flag = "missing" if verdict.mend.endswith("--missing") else "failing"
            verdict = replace(verdict, mend=f"pytest '{node}' --golden-update={flag}")
        if self.which:
            done = approve(self.root, found, self.examiner.drawer, self.which)
            file = case.folder / CASE_FILE
            if text is not None and not done.left and (done.written or not file.exists()):
                write_file(file, text)
            if done.written:
                self.lines.append(done.summary)
            if not done.left:
                verdict = replace(verdict, passed=True)
        if self.report is not None:
            evidence = evidence_of(found, self.examiner.drawer)
            if text is not None and evidence.files:
                files = {CASE_FILE: text, **evidence.files}
                evidence = replace(evidence, case_digest="", files=files)
            self.evidence[case.name] = evidence
        self.verdicts.append(verdict)
        return verdict

    def write(self) -> None:
        """Write the report, if one was asked for and anything was checked."""
        if self.report is None or not self.verdicts:
            return
        from godseed.check.flip import MISSING_LINE, available
        from godseed.check.report import write_report
        from godseed.check.verdict import Report

        apart = any(frame.measured for verdict in self.verdicts for frame in verdict.frames)
        notes = (MISSING_LINE,) if apart and not available() else ()
        write_report(
            self.report, Report(str(self.root), tuple(self.verdicts), (), notes), self.evidence
        )


class Golden:
    """The fixture: checks pictures of worlds against approved ones."""

    def __init__(self, session: Session, folder: Path, node: str) -> None:
        self._session, self._folder, self._node = session, folder, node
        self._calls: dict[Path, int] = {}

    def check(
        self,
        world: World | Sequence[Feature] | str | Path,
        shot: str | Sequence[str] = "town",
        t: float | Sequence[float] = 4.0,
        *,
        name: str = "",
        size: tuple[int, int] = (320, 180),
        samples: int = 4,
        gates: Gates | None = None,
        landed_s: Mapping[str, float] | None = None,
        allow_missing: bool | None = None,
    ) -> Verdict:
        """Draw a world and fail unless every picture is as approved.

        Args:
            world: a world, its features, or a path: a log, a feature list, or `genesis`.
            shot: one or more shots, see `godseed render --shot`.
            t: one or more times, seconds; every shot is drawn at each.
            name: of the case inside the test's folder, needed where a test checks several worlds
                in changing order.
            size: pixels.
            samples: per pixel.
            gates: for images of other rasterisers.
            landed_s: feature id -> when it lands, seconds; the others have long been there.
            allow_missing: whether pictures pass that were never approved for this rasteriser; as
                `--golden-allow-missing` says if None.
        Returns:
            The verdict, which passed.
        Raises:
            ValueError: an argument is not valid.
            MissingGLError: this machine cannot draw; the message holds the line that mends it.
        """
        __tracebackhide__ = True
        from godseed.check.approve import case_text
        from godseed.check.case_file import case_of
        from godseed.check.new_case import world_of

        shots = [shot] if isinstance(shot, str) else list(shot)
        times = [float(t)] if isinstance(t, (int, float)) else [float(x) for x in t]
        text = case_text(
            world_of(_features(world)),
            frames=[{"shot": one, "t_s": seconds} for one in shots for seconds in times],
            landed_s=dict(landed_s) if landed_s else None,
            size=list(size),
            samples=samples,
            gates=asdict(gates) if gates else None,
        )
        folder = self._case_folder(name)
        case = case_of(self._case_name(folder), folder, json.loads(text))
        return self._judged(case, text, allow_missing)

    def check_case(self, folder: str | Path, *, allow_missing: bool | None = None) -> Verdict:
        """Check a case that lies on disk: a folder with a `case.json`.

        Raises:
            GoldenError: it cannot be read.
            MissingGLError: this machine cannot draw.
        """
        __tracebackhide__ = True
        from godseed.check.case_file import read_case

        folder = self._session.root / folder
        return self._judged(read_case(self._case_name(folder), folder), None, allow_missing)

    def _judged(self, case: Case, text: bytes | None, allow_missing: bool | None) -> Verdict:
        __tracebackhide__ = True
        allowed = self._session.allow_missing if allow_missing is None else allow_missing
        verdict = self._session.judge(case, text, allowed, self._node)
        if not verdict.passed:
            pytest.fail("\n".join(verdict.lines), pytrace=False)
        return verdict

    def _case_folder(self, name: str) -> Path:
        """Folder of a case; the second without a name in one test gets a number."""
        folder = self._folder / _slug(name) if name else self._folder
        count = self._calls.get(folder, 0) + 1
        self._calls[folder] = count
        return folder if count == 1 else folder.with_name(f"{folder.name}-{count}")

    def _case_name(self, folder: Path) -> str:
        if not folder.is_relative_to(self._session.root):
            raise ValueError(
                f"golden: {folder} is not under {self._session.root}; expected cases inside the "
                "project; choose another golden_dir or --rootdir"
            )
        return folder.relative_to(self._session.root).as_posix()


SESSION: Final = pytest.StashKey[Session]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the golden fixture."""
    group = parser.getgroup("golden", "golden images (godseed)")
    group.addoption(
        "--golden-update",
        choices=UPDATES,
        help="approve what is drawn: of cases that fail, of what was never approved, or all",
    )
    group.addoption(
        "--golden-report", metavar="FILE", help="write a page (.html) or a document (.json)"
    )
    group.addoption(
        "--golden-allow-missing",
        action="store_true",
        help="let pictures pass that were never approved for this rasteriser",
    )
    parser.addini(
        "golden_dir", "folder of golden cases, relative to the root; beside tests if empty"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Prepare what the fixture shares."""
    config.stash[SESSION] = Session(config)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Check pictures of worlds against approved ones: `golden.check(world, shot="town")`."""
    session = request.config.stash[SESSION]
    path = request.path
    base = session.folder or path.parent / FOLDER
    folder = base / _slug(path.stem) / _slug(request.node.name)
    return Golden(session, folder, request.node.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the report."""
    if SESSION in session.config.stash:
        session.config.stash[SESSION].write()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was approved, and where the report is."""
    session = config.stash[SESSION]
    failed = any(not verdict.passed for verdict in session.verdicts)
    written = session.report if session.verdicts else None
    if session.lines or (written and failed):
        terminalreporter.section("golden images")
        for line in session.lines:
            terminalreporter.write_line(line)
        if written:
            terminalreporter.write_line(f"report: {written}")
            if failed:
                line = f"to accept: godseed golden approve {written}"
                terminalreporter.write_line(line)


def _features(world: Any) -> tuple[Feature, ...]:
    """The features of whatever names a world.

    Raises:
        TraceError: a file cannot be read.
    """
    if isinstance(world, (str, Path)):
        from godseed.sim.trace import read_world

        return tuple(read_world(world).features)
    return tuple(getattr(world, "features", world))


def _own_report(path: Path) -> Path:
    """The report's file; each worker of pytest-xdist writes one of its own."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    return path.with_name(f"{path.stem}-{worker}{path.suffix}") if worker else path


def _slug(text: str) -> str:
    """A name that is one folder on every system: `test_x[town-1.5]` -> `test_x-town-1.5`."""
    return re.sub(r"[^\w.+=@-]+", "-", text).strip("-.") or "case"
