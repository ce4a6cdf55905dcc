"""Rungs 0 and 1 of a golden case: its world and geometry against what was approved."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from godseed.check.baseline import Baseline, measured, mesh_change, mesh_digests, read_baseline
from godseed.check.case_file import Case, GoldenError
from godseed.check.cases import GEOMETRY_FILE, Expected, read_expected
from godseed.check.changes import FeatureChange, feature_changes
from godseed.check.inputs import Inputs, changed_meshes, read_inputs
from godseed.check.verdict import ERROR, GEOMETRY, MISSING, NONE, WORLD
from godseed.sim.digest import Change, compare, compare_scenes, geometry_digest
from godseed.sim.feature import Feature, feature_id, world_digest
from godseed.sim.frame import Stage
from godseed.sim.scene import Scene

STAGES_KEPT: Final = 4


@dataclass(frozen=True)
class Subject:
    """The case's world now and as it was approved, and what changed between them.

    Attributes:
        stage: the world now.
        current: its digests.
        expected: what was approved, None if nothing was or it cannot be read.
        stage_before: the world as it was approved, where it is another one.
        baseline: rows of the approval, where they are kept.
        inputs: what pictures depended on at approval, where it is kept.
        rung: `none`, `world`, `geometry`, `missing` or `error`.
        message: what is wrong.
        changes: by feature.
    """

    stage: Stage
    current: Expected
    expected: Expected | None = None
    stage_before: Stage | None = None
    baseline: Baseline | None = None
    inputs: Inputs | None = None
    rung: str = NONE
    message: str = ""
    changes: tuple[FeatureChange, ...] = ()

    @property
    def scene(self) -> Scene:
        """The scene of the whole world."""
        return self.stage.scene(len(self.stage.features))


class Stages:
    """Stages and digests of the last few worlds: cases mostly come in families of one world."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, tuple[tuple[int, int], ...]], tuple[Stage, Expected]]
        self._kept = OrderedDict()

    def of(self, case: Case) -> tuple[Stage, Expected]:
        """Stage and digests of a case's world."""
        key = world_digest(case.features), tuple(sorted(case.landed_ms.items()))
        found = self._kept.get(key)
        if found is None:
            stage = case.stage()
            digest = geometry_digest(stage.scene(len(case.features)))
            found = stage, Expected(key[0], digest, case.features)
            self._kept[key] = found
            while len(self._kept) > STAGES_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return found


def subject_of(case: Case, stages: Stages) -> Subject:
    """Judge rungs 0 and 1 of a case."""
    stage, current = stages.of(case)
    try:
        expected = read_expected(case.folder)
    except GoldenError as error:
        return Subject(stage, current, rung=ERROR, message=str(error))
    if expected is None:
        message = f"no {GEOMETRY_FILE}; nothing was ever approved"
        return Subject(stage, current, rung=MISSING, message=message)
    baseline = read_baseline(case.folder, expected.geometry.total)
    inputs = read_inputs(case.folder)
    scene = stage.scene(len(case.features))
    meshes, kits = _meshes(inputs, baseline, scene)
    slices = compare(expected.geometry, current.geometry)
    if expected.world != current.world:
        before = case.stage(expected.features)
        scene_before = before.scene(len(expected.features))
        slices = _with_rows(slices, compare_scenes(scene_before, scene))
        changes = feature_changes(expected.features, case.features, slices)
        message = _named(changes)
        if geometry_digest(scene_before).total != expected.geometry.total or kits:
            message += "; the code that builds geometry changed as well"
        return Subject(
            stage, current, expected, before, baseline, inputs, WORLD, message, tuple(changes)
        )
    if expected.geometry.total == current.geometry.total and not kits:
        return Subject(stage, current, expected, None, baseline, inputs)
    if baseline is not None:
        slices = measured(baseline, scene, slices)
    changes = feature_changes(expected.features, case.features, [*slices, *meshes])
    named = [_kits_named(kits, changes)] if kits else []
    if slices:
        named.insert(0, _named([c for c in changes if not _only_mesh(c)]))
    message = f"{'; '.join(named)}; the features are the same, the code that builds them is not"
    return Subject(
        stage, current, expected, None, baseline, inputs, GEOMETRY, message, tuple(changes)
    )


def features_before(subject: Subject, case: Case) -> tuple[Feature, ...]:
    """The features as they were approved; those of now if nothing was."""
    return subject.expected.features if subject.expected is not None else case.features


def _meshes(
    inputs: Inputs | None, baseline: Baseline | None, scene: Scene
) -> tuple[list[Change], dict[str, str]]:
    """Changes of features whose kit has another mesh, and kit -> what became of it."""
    if inputs is None:
        return [], {}
    now = Inputs({}, (), {}, {}, mesh_digests(scene), {})
    changes, words = [], {}
    for kit in changed_meshes(inputs, now):
        words[kit] = mesh_change(kit, baseline)
        owners = sorted(set(scene.buffers[f"kit:{kit}"].feature.view.tolist()))
        changes += [Change(feature_id(owner), f"mesh of {kit}", "changed") for owner in owners]
    changes.sort(key=lambda change: change.feature)
    return changes, words


def _kits_named(kits: dict[str, str], changes: Sequence[FeatureChange]) -> str:
    """`kit house: mesh changed, 1 of 96 vertices moved, ...; drawn by f_000006 place_structure`."""
    name, words = next(iter(kits.items()))
    users = [
        f"{change.feature} {change.tool}"
        for change in changes
        if any(buffer.buffer == f"mesh of {name}" for buffer in change.buffers)
    ]
    more = f" and {len(users) - 1} more" if len(users) > 1 else ""
    rest = f"; and {len(kits) - 1} more kits" if len(kits) > 1 else ""
    return f"kit {name}: {words}; drawn by {users[0]}{more}{rest}"


def _only_mesh(change: FeatureChange) -> bool:
    return change.kind == "geometry" and all(
        buffer.buffer.startswith("mesh of ") for buffer in change.buffers
    )


def _with_rows(slices: Iterable[Change], rows: Iterable[Change]) -> list[Change]:
    """Digest changes with rows and offsets where the rows were compared too."""
    known = {(change.feature, change.buffer, change.kind): change for change in rows}
    return [known.get((c.feature, c.buffer, c.kind), c) for c in slices]


def _named(changes: Sequence[FeatureChange]) -> str:
    """The first cause in words and how many more; what only moved along is no cause."""
    causes = [change for change in changes if change.kind != "geometry"] or list(changes)
    if not causes:
        return "buffers differ that no feature owns"
    more = len(causes) - 1
    rest = f"; and {more} more feature{'' if more == 1 else 's'}" if more else ""
    return causes[0].text + rest
