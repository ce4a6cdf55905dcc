"""One golden case, examined: drawn as it is now and judged against what was approved."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from godseed.check.case_file import CASE_FILE, Case, GoldenError, Picture, read_case
from godseed.check.cases import GEOMETRY_FILE, Expected, fingerprints, read_expected
from godseed.check.changes import FeatureChange, feature_changes
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
from godseed.check.drawing import Approved, Drawer, encode, read_approved
from godseed.check.verdict import (
    ALLOWED_MISSING,
    ENVIRONMENT,
    ERROR,
    GEOMETRY,
    MISSING,
    NONE,
    PERCEPTION,
    PIXELS,
    WORLD,
    FrameVerdict,
    Verdict,
    lowest,
)
from godseed.render.errors import MissingGLError, RenderError
from godseed.render.image import pixel_digest
from godseed.sim.camera import ShotError, parse_shot
from godseed.sim.digest import Change, compare, compare_scenes, geometry_digest
from godseed.sim.feature import Feature, feature_id, world_digest
from godseed.sim.frame import Stage
from godseed.sim.maths import BoolArray


@dataclass(frozen=True)
class Examined:
    """A case, drawn and judged.

    Attributes:
        verdict: what came of it.
        case: None where `case.json` could not be read.
        expected: what was approved, None if nothing was, or if it could not be read.
        current: what it is now, None where it could not be drawn.
        images: file name -> PNG bytes of every picture as it is drawn now.
        unapproved: pictures of which this rasteriser has no approved image, or only a stale one.
    """

    verdict: Verdict
    case: Case | None = None
    expected: Expected | None = None
    current: Expected | None = None
    images: Mapping[str, bytes] = field(default_factory=dict)
    unapproved: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _World:
    """The case's world now and as it was approved, and what changed between them."""

    stage: Stage
    current: Expected
    expected: Expected | None
    stage_before: Stage | None
    rung: str
    message: str
    changes: tuple[FeatureChange, ...] = ()


def examine(root: Path, name: str, folder: Path, drawer: Drawer, allow_missing: bool) -> Examined:
    """Draw a case and judge it; nothing is written.

    Args:
        root: folder of all cases, as commands name it.
        name: of the case.
        folder: where it lies.
        drawer: draws it.
        allow_missing: whether a case passes that has nothing approved for this rasteriser.
    Raises:
        MissingGLError: this machine cannot draw.
    """
    try:
        case = read_case(name, folder)
    except GoldenError as error:
        return Examined(Verdict(name, ERROR, False, str(error), f"correct {folder / CASE_FILE}"))
    world = _world(case)
    frames: list[FrameVerdict] = []
    images: dict[str, bytes] = {}
    try:
        key = drawer.fingerprint(case)
        for picture in case.pictures:
            pixels = drawer.draw(case, world.stage, picture)
            frames.append(_judge(case, drawer, world, picture, pixels))
            images[picture.name] = encode(pixels, world.current, key, picture)
    except MissingGLError:
        raise
    except ShotError as error:
        message = f"{folder / CASE_FILE}: {error}"
        verdict = Verdict(name, ERROR, False, message, f"correct {folder / CASE_FILE}")
        return Examined(verdict, case, world.expected)
    except RenderError as error:
        message = "; ".join(str(error).splitlines())
        return Examined(Verdict(name, ERROR, False, message), case, world.expected)
    command = f"godseed golden update {shlex.quote(str(root))} -k {shlex.quote(name)}"
    verdict = _verdict(case, key, world, tuple(frames), command, allow_missing)
    unapproved = frozenset(frame.picture for frame in frames if frame.rung in ALLOWED_MISSING)
    return Examined(verdict, case, world.expected, world.current, images, unapproved)


def _world(case: Case) -> _World:
    """Rungs 0 and 1 of a case."""
    stage = Stage(case.features)
    scene = stage.scene(len(case.features))
    current = Expected(world_digest(case.features), geometry_digest(scene), case.features)
    try:
        expected = read_expected(case.folder)
    except GoldenError as error:
        return _World(stage, current, None, None, ERROR, str(error))
    if expected is None:
        message = f"no {GEOMETRY_FILE}; nothing was ever approved"
        return _World(stage, current, None, None, MISSING, message)
    slices = compare(expected.geometry, current.geometry)
    if expected.world == current.world:
        if expected.geometry.total == current.geometry.total:
            return _World(stage, current, expected, None, NONE, "")
        changes = feature_changes(expected.features, case.features, slices)
        message = f"{_named(changes)}; the features are the same, the code that builds them is not"
        return _World(stage, current, expected, None, GEOMETRY, message, tuple(changes))
    before = Stage(expected.features)
    scene_before = before.scene(len(expected.features))
    measured = compare_scenes(scene_before, scene)
    changes = feature_changes(expected.features, case.features, _with_rows(slices, measured))
    message = _named(changes)
    if geometry_digest(scene_before).total != expected.geometry.total:
        message += "; the code that builds geometry changed as well"
    return _World(stage, current, expected, before, WORLD, message, tuple(changes))


def _with_rows(slices: Iterable[Change], measured: Iterable[Change]) -> list[Change]:
    """Digest changes with rows and offsets where the rows were compared too."""
    known = {(change.feature, change.buffer, change.kind): change for change in measured}
    return [known.get((c.feature, c.buffer, c.kind), c) for c in slices]


def _named(changes: Sequence[FeatureChange]) -> str:
    """The first cause in words and how many more; what only moved along is no cause."""
    causes = [change for change in changes if change.kind != "geometry"] or list(changes)
    if not causes:
        return "buffers differ that no feature owns"
    more = len(causes) - 1
    rest = f"; and {more} more feature{'' if more == 1 else 's'}" if more else ""
    return causes[0].text + rest


def _verdict(
    case: Case,
    key: str,
    world: _World,
    frames: tuple[FrameVerdict, ...],
    command: str,
    allow_missing: bool,
) -> Verdict:
    """The lowest broken rung of a case, and how to accept it."""
    rungs = [world.rung, *(frame.rung for frame in frames)]
    rung = lowest(rungs)
    if rung == NONE:
        return Verdict(case.name, NONE, True, frames=frames, fingerprint=key)
    only_missing = all(found == NONE or found in ALLOWED_MISSING for found in rungs)
    message = world.message
    if rung != world.rung:
        first = next(frame for frame in frames if frame.rung == rung)
        message = f"{first.picture}: {first.message}"
    return Verdict(
        case=case.name,
        rung=rung,
        passed=only_missing and allow_missing,
        message=message,
        mend=f"{command} --{'missing' if only_missing else 'failing'}",
        features=world.changes,
        frames=frames,
        fingerprint=key,
    )


def _judge(case: Case, drawer: Drawer, world: _World, picture: Picture, pixels: U8) -> FrameVerdict:
    """Rungs 2 and 3 of one picture."""
    key, digest = drawer.fingerprint(case), pixel_digest(pixels)
    file = case.folder / key / picture.name
    found: list[tuple[str, Approved]] = []
    try:
        if file.exists():
            approved = read_approved(file, case.size)
            if np.array_equal(approved.pixels, pixels):
                return FrameVerdict(picture.name, NONE, key, digest)
            found = [(key, approved)]
        else:
            for other in fingerprints(case.folder):
                near = case.folder / other / picture.name
                if near.exists():
                    found.append((other, read_approved(near, case.size)))
    except GoldenError as error:
        return FrameVerdict(picture.name, ERROR, digest=digest, message=str(error))
    fresh = [(name, image) for name, image in found if not _stale(image, world.expected)]
    if not fresh:
        return FrameVerdict(picture.name, MISSING, "", digest, _absence(key, found))
    measured = [
        (_measured(image.pixels, pixels, case, same=name == key), name, image)
        for name, image in fresh
    ]
    best, against, image = min(measured, key=lambda item: (item[0].share, item[0].pixels))
    if against == key:
        rung, message = PIXELS, best.text
        if world.rung == NONE:
            message += "; world and geometry are as approved: look at shaders, materials, cameras"
        if image.edited:
            message += "; the approved image was edited by another program"
    else:
        rung, word = (ENVIRONMENT, "within") if best.within(case.gates) else (PERCEPTION, "beyond")
        message = f"no image for {key}; {word} the gates of {against}: {best.text}"
        if rung == PERCEPTION:
            message += f"; {best.would_pass}"
    if _camera_moved(world, picture):
        message += "; the camera moved with the world"
    differs = difference(image.pixels, pixels) > 0
    return FrameVerdict(
        picture=picture.name,
        rung=rung,
        against=against,
        digest=digest,
        message=message,
        measured=best,
        attribution=_attribution(case, drawer, world, picture, differs),
    )


def _measured(approved: U8, pixels: U8, case: Case, same: bool) -> Measured:
    """How far apart two images are; `same`: one rasteriser drew both."""
    apart = difference(approved, pixels)
    return measure(apart, case.gates, apart if same else perceived(approved, pixels))


def _stale(image: Approved, expected: Expected | None) -> bool:
    """Whether an image was approved with another world or geometry than geometry.json states."""
    return expected is not None and not image.of(expected)


def _camera_moved(world: _World, picture: Picture) -> bool:
    """Whether the shot looks from another place in the expected world."""
    if world.stage_before is None:
        return False
    shot = parse_shot(picture.shot)
    try:
        before = world.stage_before.pose(picture.time_ms, shot)
    except ShotError:
        return True
    now = world.stage.pose(picture.time_ms, shot)
    same = np.array_equal(before.eye, now.eye) and np.array_equal(before.target, now.target)
    return not same or not np.array_equal(before.up, now.up)


def _absence(key: str, stale: Sequence[tuple[str, Approved]]) -> str:
    if not stale:
        return f"no image for {key}, nor for any other rasteriser"
    names = ", ".join(name for name, _ in stale)
    return f"no image for {key} of this geometry; stale, drawn of another one: {names}"


def _attribution(
    case: Case, drawer: Drawer, world: _World, picture: Picture, differs: BoolArray
) -> dict[str, int]:
    """What drew the differing pixels -> how many, most first."""
    ids, depth = drawer.ids(case, world.stage, picture)
    before = world.stage_before
    ids_before = ids
    if before is not None:
        try:
            ids_before, _ = drawer.ids(case, before, picture)
        except ShotError:
            ids_before = np.full_like(ids, -1)
    old = world.expected.features if world.expected is not None else case.features
    now, then, ground, sky = attribute(
        differs,
        ids,
        ids_before,
        depth,
        _flags(
            len(case.features),
            (change.feature for change in world.changes if change.kind != "removed"),
        ),
        _flags(len(old), (change.before for change in world.changes)),
    )
    counts: Counter[str] = Counter()
    for features, found in ((case.features, now), (old, then)):
        for index, count in found.items():
            counts[_label(features, index)] += count
    counts.update({name: count for name, count in ((GROUND, ground), (SKY, sky)) if count})
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


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
