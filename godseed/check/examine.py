"""One golden case, examined: drawn as it is now and judged against what was approved."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from godseed.check.case_file import CASE_FILE, Case, GoldenError, Picture, read_case
from godseed.check.cases import fingerprints, images_of
from godseed.check.compare import (
    GROUND,
    SKY,
    U8,
    Measured,
    attribute,
    difference,
    measure,
    perceived,
)
from godseed.check.drawing import Approved, Drawer, compose, read_approved
from godseed.check.flip import flip_map
from godseed.check.inputs import Inputs, causes, inputs_of
from godseed.check.rungs import Stages, Subject, features_before, subject_of
from godseed.check.verdict import (
    ALLOWED_MISSING,
    ENVIRONMENT,
    ERROR,
    MISSING,
    NONE,
    PERCEPTION,
    PIXELS,
    FrameVerdict,
    Verdict,
    lowest,
)
from godseed.render.errors import MissingGLError, RenderError
from godseed.render.image import pixel_digest
from godseed.sim.camera import ShotError, parse_shot
from godseed.sim.feature import Feature, feature_id
from godseed.sim.frame import Frame
from godseed.sim.maths import BoolArray

WITHIN_PIXELS: Final = "world and geometry are as approved"


@dataclass(frozen=True)
class Drawn:
    """One picture as it is now, and the approved image that it was judged against.

    Attributes:
        picture: what it shows.
        frame: composed.
        pixels: (h, w, 4) uint8.
        approved: nearest approved image, None if there is none.
        file: of that image.
    """

    picture: Picture
    frame: Frame
    pixels: U8
    approved: Approved | None = None
    file: Path | None = None


@dataclass(frozen=True)
class Examined:
    """A case, drawn and judged.

    Attributes:
        verdict: what came of it.
        case: None where `case.json` could not be read.
        subject: rungs 0 and 1, None where it could not be drawn.
        inputs: what the pictures depend on now.
        drawn: every picture, by name.
        unapproved: pictures of which this rasteriser has no approved image, or only a stale one.
    """

    verdict: Verdict
    case: Case | None = None
    subject: Subject | None = None
    inputs: Inputs | None = None
    drawn: Mapping[str, Drawn] = field(default_factory=dict)
    unapproved: frozenset[str] = frozenset()


class Examiner:
    """Examines cases one after the other; keeps what they share."""

    def __init__(self) -> None:
        self.drawer = Drawer()
        self.stages = Stages()

    def examine(self, root: Path, name: str, folder: Path, allow_missing: bool) -> Examined:
        """Draw a case and judge it; nothing is written.

        Args:
            root: folder of all cases, as commands name it.
            name: of the case.
            folder: where it lies.
            allow_missing: whether a case passes that has nothing approved for this rasteriser.
        Raises:
            MissingGLError: this machine cannot draw.
        """
        try:
            case = read_case(name, folder)
        except GoldenError as error:
            mend = f"correct {folder / CASE_FILE}"
            return Examined(Verdict(name, ERROR, False, str(error), mend))
        return self.judge(case, root, allow_missing)

    def judge(self, case: Case, root: Path, allow_missing: bool) -> Examined:
        """Draw a case that was read, or made, already; see `examine`."""
        begun = time.perf_counter()
        subject = subject_of(case, self.stages)
        frames: list[FrameVerdict] = []
        drawn: dict[str, Drawn] = {}
        file = case.folder / CASE_FILE
        try:
            key = self.drawer.fingerprint(case)
            composed = {p.name: compose(case, subject.stage, p) for p in case.pictures}
            inputs = inputs_of(case.features, subject.scene, composed)
            for picture in case.pictures:
                frame = composed[picture.name]
                now = Drawn(picture, frame, self.drawer.draw(case, frame))
                verdict, now = self._judge(case, subject, inputs, now)
                frames.append(verdict)
                drawn[picture.name] = now
        except MissingGLError:
            raise
        except ShotError as error:
            refused = Verdict(case.name, ERROR, False, f"{file}: {error}", f"correct {file}")
            return Examined(refused, case)
        except RenderError as error:
            message = "; ".join(str(error).splitlines())
            return Examined(Verdict(case.name, ERROR, False, message), case)
        command = f"godseed golden update {shlex.quote(str(root))} -k {shlex.quote(case.name)}"
        verdict_of_case = replace(
            _verdict(case, key, subject, tuple(frames), command, allow_missing),
            seconds=time.perf_counter() - begun,
        )
        unapproved = frozenset(frame.picture for frame in frames if frame.rung in ALLOWED_MISSING)
        return Examined(verdict_of_case, case, subject, inputs, drawn, unapproved)

    def _judge(
        self, case: Case, subject: Subject, inputs: Inputs, drawn: Drawn
    ) -> tuple[FrameVerdict, Drawn]:
        """Rungs 2 and 3 of one picture."""
        picture, pixels = drawn.picture, drawn.pixels
        key, digest = self.drawer.fingerprint(case), pixel_digest(pixels)
        try:
            found = [
                (key, file, read_approved(file, case.size))
                for file in images_of(case.folder / key, picture)
            ]
            for name, file, image in found:
                if np.array_equal(image.pixels, pixels):
                    same = FrameVerdict(picture.name, NONE, name, digest)
                    return same, replace(drawn, approved=image, file=file)
            if not found:
                found = [
                    (other, file, read_approved(file, case.size))
                    for other in fingerprints(case.folder)
                    for file in images_of(case.folder / other, picture)
                ]
        except GoldenError as error:
            return FrameVerdict(picture.name, ERROR, digest=digest, message=str(error)), drawn
        fresh = [item for item in found if not _stale(item[2], subject)]
        if not fresh:
            message = _absence(key, [name for name, _, _ in found])
            return FrameVerdict(picture.name, MISSING, "", digest, message), drawn
        ranked = [
            (_measured(image.pixels, pixels, case, same=name == key), name, file, image)
            for name, file, image in fresh
        ]
        best, against, file, image = min(ranked, key=lambda item: (item[0].share, item[0].pixels))
        reasons: tuple[str, ...] = ()
        if subject.inputs is not None:
            reasons = tuple(causes(subject.inputs, inputs, picture.name, case.features))
        if against == key:
            rung, message = PIXELS, best.text
            if subject.rung == NONE:
                message += f"; {WITHIN_PIXELS}: {_reason(reasons)}"
            if image.edited:
                message += "; the approved image was edited by another program"
            if len(fresh) > 1:
                message += f"; {file.name} is the nearest of {len(fresh)} approved images"
        else:
            holds = best.within(case.gates)
            rung, word = (ENVIRONMENT, "within") if holds else (PERCEPTION, "beyond")
            message = f"no image for {key}; {word} the gates of {against}: {best.text}"
            if rung == PERCEPTION:
                message += f"; {best.would_pass}"
        if _camera_moved(subject, picture):
            message += "; the camera moved with the world"
        drawn = replace(drawn, approved=image, file=file)
        flip = flip_map(image.pixels, pixels)
        return FrameVerdict(
            picture=picture.name,
            rung=rung,
            against=against,
            digest=digest,
            message=message,
            measured=best,
            attribution=self._attribution(case, subject, drawn),
            causes=reasons,
            flip=None if flip is None else float(flip.mean(dtype=np.float64)),
        ), drawn

    def _attribution(self, case: Case, subject: Subject, drawn: Drawn) -> dict[str, int]:
        """What drew the differing pixels -> how many, most first; from the id buffers of the
        picture now and of the approved one, which is drawn anew where the file does not hold it."""
        assert drawn.approved is not None
        ids, depth = self.drawer.ids(case, drawn.frame), self.drawer.depth(case, drawn.frame)
        ids_before = drawn.approved.ids
        if ids_before is None and subject.stage_before is not None:
            try:
                frame = compose(case, subject.stage_before, drawn.picture)
                ids_before = self.drawer.ids(case, frame)
            except ShotError:
                ids_before = np.full_like(ids, -1)
        old = features_before(subject, case)
        now, then, ground, sky = attribute(
            difference(drawn.approved.pixels, drawn.pixels) > 0,
            ids,
            ids if ids_before is None else np.where(ids_before < len(old), ids_before, -1),
            depth,
            _flags(len(case.features), (c.feature for c in subject.changes if c.kind != "removed")),
            _flags(len(old), (change.before for change in subject.changes)),
        )
        counts: Counter[str] = Counter()
        for features, found in ((case.features, now), (old, then)):
            for index, count in found.items():
                counts[_label(features, index)] += count
        counts.update({name: count for name, count in ((GROUND, ground), (SKY, sky)) if count})
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _verdict(
    case: Case,
    key: str,
    subject: Subject,
    frames: tuple[FrameVerdict, ...],
    command: str,
    allow_missing: bool,
) -> Verdict:
    """The lowest broken rung of a case, and how to accept it."""
    rungs = [subject.rung, *(frame.rung for frame in frames)]
    rung = lowest(rungs)
    if rung == NONE:
        return Verdict(case.name, NONE, True, frames=frames, fingerprint=key)
    only_missing = all(found == NONE or found in ALLOWED_MISSING for found in rungs)
    message = subject.message
    if rung != subject.rung:
        first = next(frame for frame in frames if frame.rung == rung)
        message = f"{first.picture}: {first.message}"
    return Verdict(
        case=case.name,
        rung=rung,
        passed=only_missing and allow_missing,
        message=message,
        mend=f"{command} --{'missing' if only_missing else 'failing'}",
        features=subject.changes,
        frames=frames,
        fingerprint=key,
    )


def _reason(reasons: Sequence[str]) -> str:
    """The first thing that changed since approval, or where to look."""
    if not reasons:
        return "look at shaders, materials, cameras"
    more = f"; and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return f"since then {reasons[0]}{more}"


def _measured(approved: U8, pixels: U8, case: Case, same: bool) -> Measured:
    """How far apart two images are; `same`: one rasteriser drew both."""
    apart = difference(approved, pixels)
    return measure(apart, case.gates, apart if same else perceived(approved, pixels))


def _stale(image: Approved, subject: Subject) -> bool:
    """Whether an image was approved with another world or geometry than geometry.json states."""
    return subject.expected is not None and not image.of(subject.expected)


def _camera_moved(subject: Subject, picture: Picture) -> bool:
    """Whether the shot looks from another place in the expected world."""
    if subject.stage_before is None:
        return False
    shot = parse_shot(picture.shot)
    try:
        before = subject.stage_before.pose(picture.time_ms, shot)
    except ShotError:
        return True
    now = subject.stage.pose(picture.time_ms, shot)
    same = np.array_equal(before.eye, now.eye) and np.array_equal(before.target, now.target)
    return not same or not np.array_equal(before.up, now.up)


def _absence(key: str, stale: Sequence[str]) -> str:
    if not stale:
        return f"no image for {key}, nor for any other rasteriser"
    names = ", ".join(dict.fromkeys(stale))
    return f"no image for {key} of this geometry; stale, drawn of another one: {names}"


def _flags(length: int, ids: Iterable[str]) -> BoolArray:
    """Which of `length` features are named."""
    flags = np.zeros(length, np.bool_)
    for name in ids:
        if name:
            flags[int(name[2:])] = True
    return flags


def _label(features: Sequence[Feature], index: int) -> str:
    feature = features[index]
    return f"{feature.wish_id}/{feature_id(index)} {feature.tool}"
