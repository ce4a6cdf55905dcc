"""The world: an append-only list of features, and the one way to add to it.

Worlds share storage: granting a wish on a world of 100,000 features costs what the wish costs, and
every earlier world stays what it was. One thread appends; any number may read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import NamedTuple, overload

from godseed.sim.arguments import TOOLS, ArgumentValue, Rejected, coerce, number_text, quoted
from godseed.sim.feature import (
    GENESIS_WISH,
    Feature,
    check_wish_id,
    feature_id,
    feature_seed,
    world_digest,
)
from godseed.sim.genesis import genesis_features


class Applied(NamedTuple):
    """What came of a tool call.

    Attributes:
        world: the world after it; the same object when the call was rejected.
        observation: what the model is told, `ok: ...` or `rejected: ...`.
        feature: the new feature, or None.
    """

    world: World
    observation: str
    feature: Feature | None


class World:
    """Features in order, immutable to its readers.

    A wish begins where its first feature lands (or where `granted` marks it); the epoch is the
    number of wishes begun. Genesis is epoch 0.
    """

    __slots__ = ("_count", "_log", "_wishes")

    def __init__(self, features: Iterable[Feature] = ()) -> None:
        """Make a world of a feature list.

        Raises:
            ValueError: the ids are not `f_000000`, `f_000001` and so on.
        """
        self._log = _Log()
        self._count = 0
        self._wishes = 0
        for feature in features:
            _check_next(feature, self._count)
            self._push(feature)

    @staticmethod
    def genesis() -> World:
        """The world before the first wish."""
        return World(genesis_features())

    @property
    def features(self) -> Sequence[Feature]:
        """The features in order, without a copy."""
        return _Prefix(self._log.features, self._count)

    @property
    def wish_ids(self) -> tuple[str, ...]:
        """Wishes in the order in which they began, genesis left out."""
        return tuple(self._log.wish_ids[: self._wishes])

    @property
    def epoch(self) -> int:
        """Number of wishes granted."""
        return self._wishes

    @property
    def digest(self) -> str:
        """SHA-256 of the feature list, hexadecimal; reads every feature."""
        return world_digest(self.features)

    def __len__(self) -> int:
        """Number of features."""
        return self._count

    def __repr__(self) -> str:
        """Sizes only; a world is long."""
        return f"World({self._count} features, epoch {self._wishes})"

    def __getstate__(self) -> tuple[list[Feature], list[str], list[int]]:
        """Pickle features and wishes of this prefix, not what was appended to it elsewhere."""
        log, wishes = self._log, self._wishes
        return list(self.features), log.wish_ids[:wishes], log.starts[:wishes]

    def __setstate__(self, state: tuple[list[Feature], list[str], list[int]]) -> None:
        """Read a pickled world."""
        self._log = _Log(*state, {wish: i for i, wish in enumerate(state[1])})
        self._count, self._wishes = len(state[0]), len(state[1])

    def apply(self, call: object, wish_id: str, call_index: int, t: float = 0.0) -> Applied:
        """Carry out one tool call.

        Args:
            call: `{"tool": name, "args": {...}}` as a model wrote it; nonsense is rejected.
            wish_id: of the wish, `w_%06d`.
            call_index: 0-based number of the call inside the wish, rejected ones counted.
            t: Unix seconds to store.
        Raises:
            ValueError: `wish_id` is not the id of a wish, or `t` is not finite.
        """
        check_wish_id(wish_id)
        if not isinstance(call, Mapping) or "tool" not in call:
            got = "no tool" if isinstance(call, Mapping) else quoted(call)
            return Applied(
                self, f'rejected: {got}; {{"tool": name, "args": {{...}}}} expected', None
            )
        name = call["tool"]
        result = coerce(name, call.get("args", {}))
        if isinstance(result, Rejected):
            return Applied(self, f"rejected: {result.reason}", None)
        seed = feature_seed(wish_id, call_index)
        feature = Feature(feature_id(self._count), wish_id, name, result.args, seed, t)
        return Applied(
            self.extended((feature,)), observation(name, feature.args, result.notes), feature
        )

    def extended(self, features: Iterable[Feature]) -> World:
        """The world with more features behind.

        Raises:
            ValueError: the first id does not follow the last one, or ids are not sequential.
        """
        added = tuple(features)
        for i, feature in enumerate(added):
            _check_next(feature, self._count + i)
        grown = self._writable()
        for feature in added:
            grown._push(feature)
        return grown

    def granted(self, wish_id: str) -> World:
        """The world with a wish counted, even if it made nothing.

        Raises:
            ValueError: `wish_id` is not the id of a wish.
        """
        check_wish_id(wish_id)
        if wish_id == GENESIS_WISH or self._begun(wish_id):
            return self
        grown = self._writable()
        grown._begin(wish_id)
        return grown

    def at(self, epoch: int) -> World:
        """Genesis and the features of the first `epoch` wishes.

        Raises:
            ValueError: `epoch` is negative or beyond this world's.
        """
        if not 0 <= epoch <= self._wishes:
            raise ValueError(f"world.at: epoch {epoch}; expected 0..{self._wishes}")
        end = self._log.starts[epoch] if epoch < self._wishes else self._count
        return self._share(end, epoch)

    def prefix(self, count: int) -> World:
        """The first `count` features.

        Raises:
            ValueError: `count` is negative or beyond this world's length.
        """
        if not 0 <= count <= self._count:
            raise ValueError(f"world.prefix: {count} features; expected 0..{self._count}")
        wishes = bisect_left(self._log.starts, count, 0, self._wishes)
        return self._share(count, self._wishes if count == self._count else wishes)

    def _share(self, count: int, wishes: int) -> World:
        world = World.__new__(World)
        world._log, world._count, world._wishes = self._log, count, wishes
        return world

    def _writable(self) -> World:
        """A world on the same log if this one is its end, else on a copy of its own part."""
        world = self._share(self._count, self._wishes)
        log = self._log
        if len(log.features) != self._count or len(log.starts) != self._wishes:
            wishes = log.wish_ids[: self._wishes]
            world._log = _Log(
                log.features[: self._count],
                wishes,
                log.starts[: self._wishes],
                {wish: i for i, wish in enumerate(wishes)},
            )
        return world

    def _push(self, feature: Feature) -> None:
        if feature.wish_id != GENESIS_WISH and not self._begun(feature.wish_id):
            self._begin(feature.wish_id)
        self._log.features.append(feature)
        self._count += 1

    def _begin(self, wish_id: str) -> None:
        self._log.order[wish_id] = self._wishes
        self._log.wish_ids.append(wish_id)
        self._log.starts.append(self._count)
        self._wishes += 1

    def _begun(self, wish_id: str) -> bool:
        return self._log.order.get(wish_id, self._wishes) < self._wishes


def observation(tool: str, args: Mapping[str, ArgumentValue], notes: Sequence[str] = ()) -> str:
    """What the model is told of an accepted call.

    For example `ok: mountains risen at (12,40) (radius_deg 60 -> 45)`.

    Args:
        tool: its name.
        args: canonical arguments.
        notes: what was changed, see `godseed.sim.arguments.Accepted`.
    """
    fields: dict[str, str] = {}
    for name, value in args.items():
        if isinstance(value, str):
            fields[name] = value
        elif isinstance(value, tuple):
            fields["start"], fields["end"] = (
                f"({number_text(lat)},{number_text(lon)})" for lat, lon in (value[0], value[-1])
            )
        else:
            fields[name] = number_text(value)
    changed = f" ({'; '.join(notes)})" if notes else ""
    return f"ok: {TOOLS[tool].observation.format_map(fields)}{changed}"


@dataclass(slots=True)
class _Log:
    """Storage that worlds share: append-only, each world reads its own prefix."""

    features: list[Feature] = field(default_factory=list)
    wish_ids: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    order: dict[str, int] = field(default_factory=dict)


class _Prefix(Sequence[Feature]):
    """The first `count` items of a list that may have grown since."""

    __slots__ = ("_count", "_items")

    def __init__(self, items: list[Feature], count: int) -> None:
        self._items = items
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Feature: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Feature]: ...
    def __getitem__(self, index: int | slice) -> Feature | Sequence[Feature]:
        if isinstance(index, slice):
            return tuple(self._items[i] for i in range(*index.indices(self._count)))
        return self._items[range(self._count)[index]]

    def __iter__(self) -> Iterator[Feature]:
        items = self._items
        return (items[i] for i in range(self._count))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (_Prefix, tuple, list)):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._count} features>"


def _check_next(feature: Feature, index: int) -> None:
    if feature.id != feature_id(index):
        raise ValueError(
            f"world.features[{index}]: id {feature.id!r}; expected {feature_id(index)!r}; "
            "a world is an unbroken list of features"
        )
