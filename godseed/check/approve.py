"""Approving: which files a case is to have, and writing them whole or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from godseed.check import baseline, inputs
from godseed.check.case_file import Case
from godseed.check.cases import GEOMETRY_FILE, encode_expected, images_of, write_file
from godseed.check.drawing import Drawer, encode, read_approved
from godseed.check.examine import Drawn, Examined
from godseed.check.verdict import MISSING, NONE

WHICH: Final = ("failing", "missing", "all")


@dataclass(frozen=True)
class Updated:
    """What approving did to one case.

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


def approve(root: Path, found: Examined, drawer: Drawer, which: str) -> Updated:
    """Write one case as it is drawn now, if it is meant; images before `geometry.json`, so that a
    run that is killed leaves images that say they are of another geometry.

    Args:
        root: of all cases.
        found: the case as `Examiner` saw it.
        drawer: the one that drew it.
        which: `failing`, `missing` or `all`.
    Raises:
        GoldenError: a file cannot be written.
    """
    verdict, case, subject = found.verdict, found.case, found.subject
    if case is None or subject is None:
        return Updated(verdict.case, (), verdict.message, left=True)
    if which != "all" and verdict.rung == NONE:
        return Updated(verdict.case)
    chosen = set(found.drawn)
    if which == "missing":
        if subject.expected is not None and subject.expected != subject.current:
            return Updated(verdict.case, (), f"{verdict.rung}: {verdict.message}", left=True)
        chosen &= found.unapproved
    folder = case.folder / verdict.fingerprint
    equal = {frame.picture for frame in verdict.frames if frame.rung == NONE}
    files = {
        folder / name: image_bytes(found, drawer, drawn)
        for name, drawn in found.drawn.items()
        if name in chosen and not (name in equal and _fresh(found, drawn))
    }
    if which != "missing" or subject.expected is None:
        files |= evidence(found)
    written = [file for file, data in files.items() if write_file(file, data)]
    names = tuple(file.relative_to(root).as_posix() for file in written)
    message = f"{verdict.rung}: {verdict.message}" if verdict.rung != NONE else "written anew"
    wrong = [frame for frame in verdict.frames if frame.picture not in chosen]
    left = which == "missing" and any(frame.rung not in (NONE, MISSING) for frame in wrong)
    return Updated(verdict.case, names, message, left)


def evidence(found: Examined) -> dict[Path, bytes]:
    """Everything that a case keeps besides images, `geometry.json` last."""
    case, subject = found.case, found.subject
    if case is None or subject is None or found.inputs is None:
        return {}
    total = subject.current.geometry.total
    rows = baseline.encode(baseline.baseline_of(subject.scene, total))
    return {
        case.folder / baseline.BASELINE_FILE: rows,
        case.folder / inputs.INPUTS_FILE: inputs.encode(found.inputs),
        case.folder / GEOMETRY_FILE: encode_expected(subject.current),
    }


def image_bytes(found: Examined, drawer: Drawer, drawn: Drawn) -> bytes:
    """The PNG file of a picture as it is drawn now."""
    case, subject = found.case, found.subject
    assert case is not None
    assert subject is not None
    ids = drawer.ids(case, drawn.frame)
    return encode(drawn.pixels, ids, subject.current, found.verdict.fingerprint, drawn.picture)


def next_name(case: Case, fingerprint: str, drawn: Drawn) -> str:
    """A free name for one more approved image of a picture: `town.t4000+2.png`."""
    taken = {file.name for file in images_of(case.folder / fingerprint, drawn.picture)}
    number = 2
    while f"{drawn.picture.stem}+{number}.png" in taken:
        number += 1
    return f"{drawn.picture.stem}+{number}.png" if taken else drawn.picture.name


def case_text(world: Any, **fields: Any) -> bytes:
    """Bytes of a `case.json`, one feature to a line.

    Args:
        world: its `world`.
        fields: the others, in order; those that are None are left out.
    """
    lines = []
    for name, value in {"world": world, **fields}.items():
        if value is None:
            continue
        if name == "world" and isinstance(value, dict) and "features" in value:
            rows = [json.dumps(f, ensure_ascii=False) for f in value["features"]]
            lines.append('  "world": {"features": [\n    ' + ",\n    ".join(rows) + "\n  ]}")
        elif name == "frames":
            rows = [json.dumps(frame) for frame in value]
            lines.append('  "frames": [\n    ' + ",\n    ".join(rows) + "\n  ]")
        else:
            lines.append(f'  "{name}": {json.dumps(value, ensure_ascii=False)}')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _fresh(found: Examined, drawn: Drawn) -> bool:
    """Whether the approved image of an equal picture says that it is of this world and geometry."""
    assert found.case is not None
    assert found.subject is not None
    if drawn.file is None or drawn.file.name != drawn.picture.name:
        return drawn.file is not None
    return read_approved(drawn.file, found.case.size).of(found.subject.current)
