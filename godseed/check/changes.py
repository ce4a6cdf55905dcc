"""What changed between two worlds, feature by feature and argument by argument.

Features are matched by what they are, not by their number, so one feature taken out of the middle
is one removal and not a change of everything behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from godseed.sim.arguments import ArgumentValue, number_text, quoted
from godseed.sim.digest import Change
from godseed.sim.feature import Feature

MATCH_LIMIT: Final = 4000
"""Longest stretch of differing features that is matched; longer ones are paired by number."""


@dataclass(frozen=True)
class FeatureChange:
    """A feature that is not what it was, or whose geometry is not.

    Attributes:
        kind: `changed` (its own fields), `added`, `removed`, `moved` (another number), or
            `geometry` (its fields are the same; what it draws is not).
        feature: its id; in the expected world if it was removed; empty for the planet.
        before: its id in the expected world; empty if it was added, and for the planet.
        tool: its tool; `ground` for the planet.
        wish_id: its wish; empty for the planet.
        details: one text per field, `density 0.7 -> 0.71`.
        buffers: what changed of its geometry.
    """

    kind: str
    feature: str
    before: str
    tool: str
    wish_id: str
    details: tuple[str, ...] = ()
    buffers: tuple[Change, ...] = ()

    @property
    def text(self) -> str:
        """One line: `f_000017 spawn_flora: density 0.7 -> 0.71`."""
        if self.kind == "geometry":
            what = self.buffers_text
        elif self.kind == "changed":
            what = "; ".join(self.details)
        else:
            what = " ".join((self.kind, *self.details))
        return f"{self.feature} {self.tool}".strip() + f": {what}"

    @property
    def buffers_text(self) -> str:
        """What changed of its geometry, on one line."""
        return "; ".join(buffer_text(change) for change in self.buffers)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {
            "kind": self.kind,
            "feature": self.feature,
            "before": self.before,
            "tool": self.tool,
            "wish_id": self.wish_id,
            "details": list(self.details),
            "buffers": [
                {"buffer": c.buffer, "kind": c.kind, "rows": c.rows, "largest_offset": c.offset}
                for c in self.buffers
            ],
            "text": self.text,
        }


def feature_changes(
    before: Sequence[Feature], after: Sequence[Feature], geometry: Sequence[Change] = ()
) -> list[FeatureChange]:
    """Name what changed, in the order of the world after.

    Args:
        before: features of the expected world.
        after: features of the world now.
        geometry: rung 1 differences by feature id; those of features that only got another number
            are left out, for the number is part of their rows.
    """
    moved = {
        change.feature: [c for c in geometry if c.feature == change.feature] for change in geometry
    }
    changes: list[FeatureChange] = []
    same: list[Feature] = []
    gone: dict[Any, list[int]] = {}
    come: dict[Any, list[int]] = {}
    for tag, i0, i1, j0, j1 in _matched(before, after):
        if tag == "equal":
            pairs = zip(before[i0:i1], after[j0:j1], strict=True)
            same += [new for old, new in pairs if old.id == new.id]
            continue
        paired = _paired(before, range(i0, i1), after, range(j0, j1))
        for i, j in paired:
            details = field_changes(before[i], after[j])
            slices = moved.get(after[j].id, ())
            changes.append(_change("changed", after[j], before[i].id, details, slices))
        for i in sorted(set(range(i0, i1)) - {i for i, _ in paired}):
            gone.setdefault(_key(before[i]), []).append(i)
        for j in sorted(set(range(j0, j1)) - {j for _, j in paired}):
            come.setdefault(_key(after[j]), []).append(j)
    for key, found in come.items():
        for j in found:
            if gone.get(key):
                old = before[gone[key].pop(0)]
                changes.append(_change("moved", after[j], old.id, (f"from {old.id}",)))
            else:
                slices = moved.get(after[j].id, ())
                changes.append(_change("added", after[j], "", (), slices))
    for left in gone.values():
        for i in left:
            slices = moved.get(before[i].id, ()) if i >= len(after) else ()
            changes.append(_change("removed", before[i], before[i].id, (), slices))
    for feature in same:
        if feature.id in moved:
            changes.append(_change("geometry", feature, feature.id, (), moved[feature.id]))
    changes.sort(key=lambda change: int(change.feature[2:]))
    if "" in moved:
        changes.append(FeatureChange("geometry", "", "", "ground", "", (), tuple(moved[""])))
    return changes


def field_changes(old: Feature, new: Feature) -> tuple[str, ...]:
    """What differs between two features, `density 0.7 -> 0.71` each; ids are not looked at."""
    found = []
    if old.wish_id != new.wish_id:
        found.append(f"wish_id {old.wish_id} -> {new.wish_id}")
    if old.tool != new.tool:
        return (f"tool {old.tool} -> {new.tool}", *found)
    for name in {**old.args, **new.args}:
        found += _argument_changes(name, old.args.get(name), new.args.get(name))
    if old.seed != new.seed:
        found.append(f"seed {old.seed} -> {new.seed}")
    if old.t != new.t:
        found.append(f"t {number_text(old.t)} -> {number_text(new.t)}")
    return tuple(found)


def buffer_text(change: Change) -> str:
    """One buffer's change in words: `kit:house changed, 3 rows, largest offset 0.012`."""
    parts = [f"{change.buffer} {change.kind}"]
    if change.rows is not None:
        parts.append(f"{change.rows} row{'' if change.rows == 1 else 's'}")
    if change.offset is not None:
        parts.append(f"largest offset {change.offset:.3g}")
    return ", ".join(parts)


def _matched(
    before: Sequence[Feature], after: Sequence[Feature]
) -> list[tuple[str, int, int, int, int]]:
    """Stretches of both worlds that are equal or differ, as difflib names them."""
    old, new = [_key(feature) for feature in before], [_key(feature) for feature in after]
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(map(len, middle)) > MATCH_LIMIT:
        codes = _by_number(*middle)
    else:
        codes = list(SequenceMatcher(None, *middle, autojunk=False).get_opcodes())
    ends = len(old) - tail, len(new) - tail
    return [
        ("equal", 0, head, 0, head),
        *((tag, i0 + head, i1 + head, j0 + head, j1 + head) for tag, i0, i1, j0, j1 in codes),
        ("equal", ends[0], len(old), ends[1], len(new)),
    ]


def _paired(
    before: Sequence[Feature], old: range, after: Sequence[Feature], new: range
) -> list[tuple[int, int]]:
    """Which features of two differing stretches are the same ones, changed.

    Stretches of one length are paired by position; else by wish, tool and seed, then by tool.
    """
    if len(old) == len(new):
        return list(zip(old, new, strict=True))
    pairs: list[tuple[int, int]] = []
    waiting = list(new)
    for fields in (("wish_id", "tool", "seed"), ("tool",)):
        free: dict[Any, list[int]] = {}
        taken = {i for i, _ in pairs}
        for i in old:
            if i not in taken:
                key = tuple(getattr(before[i], name) for name in fields)
                free.setdefault(key, []).append(i)
        left = []
        for j in waiting:
            found = free.get(tuple(getattr(after[j], name) for name in fields))
            if found:
                pairs.append((found.pop(0), j))
            else:
                left.append(j)
        waiting = left
    return pairs


def _by_number(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[str, int, int, int, int]]:
    """Pair two long stretches position by position."""
    shared = min(len(old), len(new))
    codes = [
        ("equal" if old[i] == new[i] else "replace", i, i + 1, i, i + 1) for i in range(shared)
    ]
    return [*codes, ("replace", shared, len(old), shared, len(new))]


def _key(feature: Feature) -> tuple[Any, ...]:
    """Everything of a feature but its number."""
    args = tuple(feature.args.items())
    return feature.wish_id, feature.tool, args, feature.seed, feature.t


def _change(
    kind: str,
    feature: Feature,
    before: str,
    details: tuple[str, ...] = (),
    buffers: Sequence[Change] = (),
) -> FeatureChange:
    return FeatureChange(
        kind, feature.id, before, feature.tool, feature.wish_id, details, tuple(buffers)
    )


def _argument_changes(name: str, old: ArgumentValue | None, new: ArgumentValue | None) -> list[str]:
    if old == new:
        return []
    if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        return [
            f"{name}[{i}] {_value_text(a)} -> {_value_text(b)}"
            for i, (a, b) in enumerate(zip(old, new, strict=True))
            if a != b
        ]
    return [f"{name} {_value_text(old)} -> {_value_text(new)}"]


def _value_text(value: Any) -> str:
    if value is None:
        return "absent"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return f"{len(value)} waypoints"
        return "(" + ",".join(number_text(x) for x in value) + ")"
    return number_text(value)
