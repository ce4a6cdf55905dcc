"""The log of wishes, one trace a line; it alone rebuilds the world.

A torn last line, which a crash leaves, is moved to `<name>.torn-<n>` and reported. A bad line
anywhere else stops the load with file, line and reason; salvage skips and lists it, and renumbers
the features behind it. Nothing is ever dropped in silence. Logs of the first design, which hold
`feature_ids` without features, are rebuilt by carrying out their turns again.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from godseed.sim.arguments import quoted
from godseed.sim.feature import Feature, feature_id
from godseed.sim.line_file import LineFile, LogError, LogLockedError, split_lines
from godseed.sim.wish_trace import Moderation, Turn, WishTrace, parse_line
from godseed.sim.world import World

__all__ = [
    "LoadReport",
    "LoadedLog",
    "LogError",
    "LogLockedError",
    "Moderation",
    "TraceError",
    "TraceLog",
    "Turn",
    "WishTrace",
    "append",
    "load",
    "load_features",
    "read_world",
]


class TraceError(LogError, ValueError):
    """A log or a feature list that cannot be read: `file:line: reason; what to do`."""


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a reader had to do to a log.

    Attributes:
        torn: where a torn last line went; None if there was none or it stays in place.
        notes: one sentence for people per event, the torn line's included.
        skipped: `file:line: reason` of each line that salvage left out.
    """

    torn: Path | None = None
    notes: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedLog:
    """A log as read: the world at its end, its traces, and what was wrong with it."""

    world: World
    traces: tuple[WishTrace, ...]
    report: LoadReport


class TraceLog:
    """The one writer of a log.

    Attributes:
        loaded: the log as it was when it was opened.
        world: the world after the last trace appended.
    """

    def __init__(self, path: str | Path) -> None:
        """Lock and read a log, making it if there is none.

        Raises:
            LogLockedError: another process writes to it.
            TraceError: a line in it is bad.
        """
        self.path = Path(path)
        self._file = LineFile(self.path)
        try:
            self.loaded = _load_locked(self.path, self._file, salvage=False)
        except BaseException:
            self._file.close()
            raise
        self.world = self.loaded.world

    def __enter__(self) -> TraceLog:
        """Use as a context manager; leaving releases the lock."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the lock."""
        self.close()

    def append(self, trace: WishTrace) -> World:
        """Put a granted wish on disk; only then may anybody be told of it.

        Returns:
            The world with it.
        Raises:
            TraceError: it does not continue this log.
            OSError: the disk is full or failing; the log is as before.
        """
        try:
            world = _grown(self.world, trace)
        except ValueError as error:
            raise TraceError(f"{self.path}: cannot append {trace.wish_id}: {error}") from None
        self._file.append(trace.to_line())
        self.world = world
        return world

    def close(self) -> None:
        """Release the lock; closing twice is fine."""
        self._file.close()


def append(path: str | Path, trace: WishTrace) -> World:
    """Append one trace to a log; for many, keep a `TraceLog` open.

    Returns:
        The world with it.
    Raises:
        LogError, OSError: as `TraceLog` says.
    """
    with TraceLog(path) as log:
        return log.append(trace)


def load(path: str | Path, salvage: bool = False) -> LoadedLog:
    """Read a log.

    A torn last line is set aside only if nobody is writing, for then it is torn and not on its way.

    Args:
        path: of the log.
        salvage: skip and list bad lines instead of stopping.
    Raises:
        TraceError: there is no such file, or a line is bad.
    """
    path = Path(path)
    data = _read(path)
    if _torn(split_lines(data)[1]):
        try:
            with LineFile(path) as file:
                return _load_locked(path, file, salvage)
        except (LogLockedError, OSError) as error:
            note = f"{path}: the last line is incomplete and stays in place ({error})"
            lines, _ = split_lines(data)
            return _loaded(path, lines, salvage, LoadReport(notes=(note,)))
    return _loaded(path, _whole_lines(data), salvage, LoadReport())


def load_features(path: str | Path) -> tuple[Feature, ...]:
    """Read a JSON feature list: `[...]`, `{"features": [...]}` or a server's `/api/state`.

    Raises:
        TraceError: it is not one.
    """
    return _features(_read(Path(path)), str(path))


def read_world(source: str | Path, salvage: bool = False) -> World:
    """Read a world from wherever a user keeps it.

    Args:
        source: `genesis`, a log (`.jsonl`), a feature list (`.json`), or `-` for either on
            standard input.
        salvage: skip bad lines of a log.
    Raises:
        TraceError: it cannot be read, or is not a world.
    """
    name = str(source)
    if name == "genesis":
        return World.genesis()
    if name == "-":
        return _world_of(sys.stdin.buffer.read(), "standard input", salvage)
    if name.endswith(".jsonl"):
        return load(source, salvage).world
    return _world_of(_read(Path(source)), name, salvage)


def _load_locked(path: Path, file: LineFile, salvage: bool) -> LoadedLog:
    """Read a log that nobody else can be writing to."""
    data = _read(path)
    lines, tail = split_lines(data)
    if not _torn(tail):
        return _loaded(path, _whole_lines(data), salvage, LoadReport())
    found = _loaded(path, lines, salvage, LoadReport())
    aside = file.set_aside(len(data) - len(tail))
    note = f"{path}: a torn last line of {len(tail)} bytes was moved to {aside.name}"
    return replace(found, report=replace(found.report, torn=aside, notes=(note,)))


def _loaded(path: Path, lines: list[bytes], salvage: bool, report: LoadReport) -> LoadedLog:
    # A log makes many objects and no cycles: collections while reading more than double the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _read_lines(path, lines, salvage, report)
    finally:
        if collecting:
            gc.enable()


def _read_lines(path: Path, lines: list[bytes], salvage: bool, report: LoadReport) -> LoadedLog:
    world = World.genesis()
    traces: list[WishTrace] = []
    skipped: list[str] = []
    for number, line in enumerate(lines, start=1):
        try:
            trace = _rebuilt(parse_line(line), world, salvage)
            world = _grown(world, trace)
        except ValueError as error:
            where = f"{path}:{number}: {error}"
            if not salvage:
                raise TraceError(
                    f"{where}; expected a trace that continues the log; "
                    "repair the line, or skip and list bad lines with --salvage"
                ) from None
            skipped.append(where)
            continue
        traces.append(trace)
    return LoadedLog(world, tuple(traces), replace(report, skipped=tuple(skipped)))


def _grown(world: World, trace: WishTrace) -> World:
    """The world with a trace's features; ValueError if it does not continue it."""
    if trace.feature_ids and not trace.features:
        raise ValueError("feature_ids without features")
    begun = world.granted(trace.wish_id)
    if begun is world:
        raise ValueError(f"wish {trace.wish_id} is in the log already")
    return begun.extended(trace.features)


def _rebuilt(trace: WishTrace, world: World, renumber: bool) -> WishTrace:
    """The trace with its features: from its turns if it has ids only, renumbered in salvage."""
    if trace.features and renumber and trace.features[0].id != feature_id(len(world)):
        features = tuple(
            replace(feature, id=feature_id(len(world) + i))
            for i, feature in enumerate(trace.features)
        )
    elif trace.feature_ids and not trace.features:
        calls = [turn.call for turn in trace.turns if turn.call is not None]
        start = len(world)
        for i, call in enumerate(calls):
            world = world.apply(call, trace.wish_id, i, trace.submitted_at).world
        features = tuple(world.features[start:])
        same = tuple(feature.id for feature in features) == trace.feature_ids
        if not same and not (renumber and len(features) == len(trace.feature_ids)):
            raise ValueError(
                f"its turns make {len(features)} features from {feature_id(start)} on; "
                f"feature_ids lists {', '.join(trace.feature_ids)}"
            )
    else:
        return trace
    ids = tuple(feature.id for feature in features)
    return trace.model_copy(update={"features": features, "feature_ids": ids})


def _torn(tail: bytes) -> bool:
    """Whether what follows the last newline is less than a whole trace."""
    if not tail:
        return False
    try:
        parse_line(tail)
    except ValueError:
        return True
    return False


def _whole_lines(data: bytes) -> list[bytes]:
    """Lines of a log that has no torn end; the last may lack its newline."""
    lines, tail = split_lines(data)
    return [*lines, tail] if tail else lines


def _world_of(data: bytes, name: str, salvage: bool) -> World:
    if _is_log(data):
        return _loaded(Path(name), _whole_lines(data), salvage, LoadReport()).world
    try:
        return World(_features(data, name))
    except ValueError as error:
        if isinstance(error, TraceError):
            raise
        raise TraceError(f"{name}: {error}") from None


def _is_log(data: bytes) -> bool:
    """Whether the first line is a whole JSON object with the text of a wish."""
    try:
        first = json.loads(data.split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "wish_id" in first and "text" in first


def _features(data: bytes, name: str) -> tuple[Feature, ...]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{name}: not JSON ({error}); expected a list of features") from None
    for key in ("world", "features"):
        value = value[key] if isinstance(value, Mapping) and key in value else value
    if not isinstance(value, list):
        raise TraceError(f"{name}: {quoted(value)}; expected a list of features")
    features: list[Feature] = []
    for i, item in enumerate(value):
        try:
            features.append(Feature.from_dict(item))
        except ValueError as error:
            raise TraceError(f"{name}: features[{i}]: {error}; correct it") from None
    return tuple(features)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise TraceError(f"{path}: {reason}; expected a readable file; check the name") from None
