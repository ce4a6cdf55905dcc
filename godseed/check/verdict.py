"""What a golden check found: per frame, per case, and over all, for people and for machines.

Rungs, lowest first: `error` (what was approved cannot be read), `world`, `geometry`, `pixels`
(same rasteriser, other pixels), `perception` (other rasteriser, gates broken), `missing` (nothing
was approved), `environment` (other rasteriser, gates hold), `none` (all is as approved). A verdict
names the lowest broken one, because everything above follows from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from godseed.check.changes import FeatureChange
from godseed.check.compare import Measured

NONE: Final = "none"
ERROR: Final = "error"
WORLD: Final = "world"
GEOMETRY: Final = "geometry"
PIXELS: Final = "pixels"
PERCEPTION: Final = "perception"
MISSING: Final = "missing"
ENVIRONMENT: Final = "environment"
RUNGS: Final = (ERROR, WORLD, GEOMETRY, PIXELS, PERCEPTION, MISSING, ENVIRONMENT, NONE)
ALLOWED_MISSING: Final = frozenset((MISSING, ENVIRONMENT))
"""What `allow_missing` lets pass."""
SHOWN: Final = 12
"""Most features and attributions that the lines for people name."""


@dataclass(frozen=True)
class FrameVerdict:
    """One picture of a case against what was approved.

    Attributes:
        picture: file name of the image, `town.t4000.png`.
        rung: `pixels`, `perception`, `missing`, `environment`, `error` or `none`.
        against: fingerprint of the approved image, empty if there is none.
        digest: SHA-256 of the pixels drawn now.
        message: one line; empty if all is well.
        measured: how far apart the two are, None if they are equal or could not be compared.
        attribution: what drew the differing pixels -> how many, most first.
        causes: what else changed since approval that pictures depend on, most likely first.
        flip: mean of FLIP, 0..1, None where it was not measured.
    """

    picture: str
    rung: str
    against: str = ""
    digest: str = ""
    message: str = ""
    measured: Measured | None = None
    attribution: Mapping[str, int] | None = None
    causes: tuple[str, ...] = ()
    flip: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {
            "picture": self.picture,
            "rung": self.rung,
            "against": self.against,
            "digest": self.digest,
            "message": self.message,
            "measured": self.measured.to_dict() if self.measured else None,
            "attribution": dict(self.attribution or {}),
            "causes": list(self.causes),
            "flip": self.flip,
        }


@dataclass(frozen=True)
class Verdict:
    """One case.

    Attributes:
        case: its name.
        rung: the lowest broken one.
        passed: whether it counts as passed.
        message: what is wrong in one line, empty if nothing is.
        mend: the command that accepts what is drawn now, or the advice; empty if nothing is wrong.
        features: what changed in the world and in its geometry.
        frames: one verdict per picture.
        fingerprint: of this rasteriser; empty if nothing was drawn.
        seconds: how long it took.
    """

    case: str
    rung: str
    passed: bool
    message: str = ""
    mend: str = ""
    features: tuple[FeatureChange, ...] = ()
    frames: tuple[FrameVerdict, ...] = ()
    fingerprint: str = ""
    seconds: float = 0.0

    @property
    def summary(self) -> str:
        """One line: `FAIL spawn_flora/grove: world: f_000017 spawn_flora: density 0.7 -> 0.71`."""
        head = f"{'ok  ' if self.passed else 'FAIL'} {self.case}"
        if self.rung == NONE:
            return head
        return f"{head}: {self.rung}: {self.message}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The summary and what stands behind it, for people."""
        found = [self.summary]
        if len(self.features) > 1 or any(change.buffers for change in self.features):
            for change in self.features[:SHOWN]:
                if change.text != self.message:
                    found.append(f"    {change.text}")
                if change.kind != "geometry" and change.buffers:
                    found.append(f"        draws: {change.buffers_text}")
            found += _more(len(self.features) - SHOWN, "features")
        for frame in self.frames:
            if frame.rung == NONE:
                continue
            flip = "" if frame.flip is None else f"; FLIP mean {frame.flip:.4f}"
            told = frame.message not in self.message
            message = f": {frame.message}" if told else ", as above"
            found.append(f"    {frame.picture}: {frame.rung}{message}{flip}")
            found += [f"        changed: {cause}" for cause in frame.causes[:SHOWN]]
            found += _more(len(frame.causes) - SHOWN, "more that changed")
            counts = list((frame.attribution or {}).items())
            found += [f"        {what}: {count} px" for what, count in counts[:SHOWN]]
            found += _more(len(counts) - SHOWN, "more that drew differing pixels")
        if self.mend:
            found.append(f"    to accept: {self.mend}")
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {
            "case": self.case,
            "rung": self.rung,
            "passed": self.passed,
            "message": self.message,
            "mend": self.mend,
            "fingerprint": self.fingerprint,
            "seconds": round(self.seconds, 3),
            "features": [change.to_dict() for change in self.features],
            "frames": [frame.to_dict() for frame in self.frames],
        }


@dataclass(frozen=True)
class Report:
    """A whole check.

    Attributes:
        root: the folder, as it was named.
        cases: one verdict per case, in name order.
        unused: images that no case looks at, relative to the root.
        notes: what could not be measured, and how to have it.
    """

    root: str
    cases: tuple[Verdict, ...]
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return all(verdict.passed for verdict in self.cases)

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The cases that did not."""
        return tuple(verdict for verdict in self.cases if not verdict.passed)

    @property
    def summary(self) -> str:
        """One line: `12 of 14 cases passed; 1 world, 1 pixels`."""
        rungs = [verdict.rung for verdict in self.failed]
        parts = [f"{rungs.count(rung)} {rung}" for rung in RUNGS if rung in rungs]
        total = f"{len(self.cases) - len(rungs)} of {len(self.cases)} cases passed"
        return "; ".join([total, *([", ".join(parts)] if parts else [])])

    @property
    def lines(self) -> tuple[str, ...]:
        """Everything for people: what failed, what to note, images without use, the summary."""
        noted = [verdict for verdict in self.cases if verdict.rung != NONE or not verdict.passed]
        found = [line for verdict in noted for line in verdict.lines]
        found += [f"unused image: {name}" for name in self.unused]
        return (*found, *self.notes, self.summary)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {
            "root": self.root,
            "passed": self.passed,
            "summary": self.summary,
            "cases": [verdict.to_dict() for verdict in self.cases],
            "unused": list(self.unused),
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """One JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


def lowest(rungs: list[str]) -> str:
    """The lowest of some rungs, `none` if there are none."""
    return min(rungs, key=RUNGS.index, default=NONE)


def _more(count: int, what: str) -> list[str]:
    return [f"        and {count} {what}"] if count > 0 else []
