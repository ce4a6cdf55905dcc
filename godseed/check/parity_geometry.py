"""Rung 1 of the ladder: the geometry of both twins, compared byte by byte on the same worlds.

A long-lived Node process runs `web/sim/bridge.js` and speaks JSON lines. Every world is built on
both sides; where the totals of their geometry digests differ, the rows themselves are fetched, the
first difference is named by feature, buffer, row and column, and the world is shrunk to the fewest
features and the plainest arguments that still differ.

    python -m godseed.check.parity_geometry --worlds 500
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from godseed.check.generate import generated_world
from godseed.check.twin import Bridge, BridgeError
from godseed.sim.arguments import TOOLS, Argument
from godseed.sim.digest import PLANET, geometry_digest
from godseed.sim.feature import Feature, feature_id, world_digest
from godseed.sim.maths import F32
from godseed.sim.planet import PLANET_WIDTH, planet_view
from godseed.sim.scene import Scene

MOST_FEATURES = 40
SHRINK_TRIES = 400
MOST_SHRUNK = 3
"""Worlds of one process that are shrunk; more of them rarely say more."""
Features = Sequence[Feature]


@dataclass(frozen=True)
class Difference:
    """The first number in which the twins differ.

    Attributes:
        feature: id of the feature that owns the row; empty for the planet's vertices.
        buffer: name of the buffer.
        row: position among the buffer's rows.
        column: position in the row; columns behind the row's width are the ground's.
        python, javascript: the two values; None where that side has no such row.
    """

    feature: str
    buffer: str
    row: int
    column: int
    python: float | None
    javascript: float | None

    def __str__(self) -> str:
        """One line for people."""
        owner = self.feature or "the planet"
        return (
            f"{owner}: {self.buffer} row {self.row} column {self.column}: "
            f"python {self.python!r}, javascript {self.javascript!r}"
        )


@dataclass(frozen=True)
class Disagreement:
    """A world on which the twins differ.

    Attributes:
        world: what names it, such as a seed.
        difference: where, in the shrunk world.
        features: the fewest features found that still differ.
    """

    world: str
    difference: Difference
    features: tuple[Feature, ...]

    def __str__(self) -> str:
        """The difference and the features, ready to be pasted into a test."""
        lines = "\n".join(f"  {feature.to_json()}" for feature in self.features)
        return f"world {self.world}: {self.difference}\n{lines}"


@dataclass(frozen=True)
class Report:
    """What a run found.

    Attributes:
        worlds, features: how many were compared.
        seconds: how long it took.
        disagreements: worlds that differ, shrunk.
    """

    worlds: int
    features: int
    seconds: float
    disagreements: tuple[Disagreement, ...]


def compare_world(bridge: Bridge, features: Features) -> Difference | None:
    """The first difference between the twins on a world, or None.

    Raises:
        BridgeError: the other side failed.
    """
    mine, theirs = geometry_digest(Scene.build(features)), bridge.digest(features)
    if mine.total == theirs.total:
        return None
    names = sorted({**mine.buffers, **theirs.buffers})
    differing = [name for name in names if mine.buffers.get(name) != theirs.buffers.get(name)]
    # Tables first: what they are wrong in spreads to everything that stands on the ground.
    order = sorted(differing, key=lambda name: (name not in ("terrain", "light"), name))
    return first_difference(bridge, features, order[0] if order else PLANET)


def first_difference(bridge: Bridge, features: Features, buffer: str) -> Difference:
    """Where the twins' rows of one buffer differ first.

    Args:
        bridge: the other twin.
        features: a world.
        buffer: name of a buffer whose digests differ.
    """
    scene = Scene.build(features)
    mine, owners = _own_rows(scene, buffer)
    try:
        theirs, their_owners = bridge.rows(features, buffer)
    except BridgeError as error:
        if "no buffer" not in str(error):
            raise
        theirs, their_owners = mine[:0], []
    shared = min(len(mine), len(theirs))
    if mine.shape[1] == theirs.shape[1]:
        differ = np.argwhere(mine[:shared].view(np.uint32) != theirs[:shared].view(np.uint32))
        if len(differ):
            row, column = (int(k) for k in differ[0])
            return Difference(
                _owner(owners, row),
                buffer,
                row,
                column,
                float(mine[row, column]),
                float(theirs[row, column]),
            )
    longer = owners if len(mine) > shared else their_owners
    return Difference(
        _owner(longer, shared),
        buffer,
        shared,
        0,
        float(mine[shared, 0]) if len(mine) > shared else None,
        float(theirs[shared, 0]) if len(theirs) > shared else None,
    )


def shrink(features: Features, differs: Callable[[Features], bool]) -> tuple[Feature, ...]:
    """A smaller world that still differs: fewer features, then plainer arguments.

    Args:
        features: a world that differs.
        differs: whether a world does.
    """
    tries = SHRINK_TRIES
    best = tuple(features)
    size = max(len(best) // 2, 1)
    while tries > 0:
        smaller = False
        for start in range(0, len(best), size):
            candidate = renumbered(best[:start] + best[start + size :])
            tries -= 1
            if candidate and tries > 0 and differs(candidate):
                best, smaller = candidate, True
                break
        if not smaller:
            if size == 1:
                break
            size //= 2
    for i in range(len(best)):
        for plainer in _plainer(best[i]):
            candidate = (*best[:i], plainer, *best[i + 1 :])
            tries -= 1
            if tries > 0 and differs(candidate):
                best = candidate
    return best


def renumbered(features: Features) -> tuple[Feature, ...]:
    """The features with ids from `f_000000` on."""
    return tuple(replace(f, id=feature_id(i)) for i, f in enumerate(features))


def disagreement_of(bridge: Bridge, world: str, features: Features) -> Disagreement:
    """Shrink a world that differs, and name where it does.

    Args:
        bridge: the other twin, with no answer waiting.
        world: what names the world.
        features: a world that differs.
    """

    def differs(candidate: Features) -> bool:
        try:
            theirs = bridge.ask("digest", candidate)
        except BridgeError:
            return True
        mine = geometry_digest(Scene.build(candidate))
        return (world_digest(candidate), mine.total) != (theirs["world"], theirs["total"])

    small = shrink(features, differs)
    difference = compare_world(bridge, small)
    if difference is None:
        difference = Difference("", "world digest", 0, 0, None, None)
    return Disagreement(world, difference, small)


def run(worlds: int, first_seed: int = 0, bridges: int = 1, tools: tuple[str, ...] = ()) -> Report:
    """Compare generated worlds of 1 to 40 features.

    Args:
        worlds: how many.
        first_seed: seed of the first one; the others follow.
        bridges: Node processes, each with a Python thread that feeds it.
        tools: names to draw features from; all if empty.
    Raises:
        BridgeError: the other side failed.
    """
    start = time.monotonic()
    shares = [range(first_seed + i, first_seed + worlds, bridges) for i in range(bridges)]
    if bridges == 1:
        results = [_run_seeds(shares[0], tools)]
    else:
        with ProcessPoolExecutor(bridges) as pool:
            results = list(pool.map(_run_seeds, shares, [tools] * bridges))
    found = tuple(disagreement for _, found in results for disagreement in found)
    features = sum(count for count, _ in results)
    return Report(worlds, features, time.monotonic() - start, found)


def world_size(seed: int) -> int:
    """How many features the generated world of a seed has behind genesis, 1 to 40."""
    return 1 + seed * 7 % MOST_FEATURES


def main(argv: Sequence[str] | None = None) -> int:
    """Compare generated worlds; 0 if the twins agree, 1 if not, 3 where Node is missing."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first world")
    parser.add_argument("--bridges", type=int, default=1, help="Node processes")
    parser.add_argument("--tool", action="append", default=[], help="draw only from these tools")
    asked = parser.parse_args(argv)
    try:
        report = run(asked.worlds, asked.seed, asked.bridges, tuple(asked.tool))
    except BridgeError as error:
        print(error, file=sys.stderr)
        return 3
    for disagreement in report.disagreements:
        print(disagreement)
    print(
        f"{report.worlds} worlds, {report.features} features: "
        f"{len(report.disagreements)} disagree; {report.seconds:.1f} s"
    )
    return 1 if report.disagreements else 0


def _run_seeds(seeds: Sequence[int], tools: tuple[str, ...]) -> tuple[int, list[Disagreement]]:
    found: list[Disagreement] = []
    count = 0
    with Bridge() as bridge:
        suspects: list[tuple[int, Features]] = []
        for seed, features, mine, theirs in _digested(bridge, seeds, tools):
            count += len(features)
            if mine != theirs:
                suspects.append((seed, features))
        for seed, features in suspects[:MOST_SHRUNK]:
            found.append(disagreement_of(bridge, f"{seed}", features))
    return count, found


def _digested(
    bridge: Bridge, seeds: Sequence[int], tools: tuple[str, ...]
) -> Iterator[tuple[int, Features, tuple[str, str], tuple[str, str]]]:
    """Seed, features and both sides' world and geometry digests; both sides work at the same time,
    Node one world ahead."""
    waiting: list[tuple[int, Features]] = []
    for seed in seeds:
        features = tuple(generated_world(seed, world_size(seed), tools).features)
        bridge.send("digest", features)
        waiting.append((seed, features))
        if len(waiting) > 1:
            yield _both(bridge, *waiting.pop(0))
    while waiting:
        yield _both(bridge, *waiting.pop(0))


def _both(
    bridge: Bridge, seed: int, features: Features
) -> tuple[int, Features, tuple[str, str], tuple[str, str]]:
    mine = (world_digest(features), geometry_digest(Scene.build(features)).total)
    answer = bridge.receive()
    return seed, features, mine, (answer["world"], answer["total"])


def _plainer(feature: Feature) -> Iterator[Feature]:
    """The feature with one argument made plain at a time."""
    for row in TOOLS[feature.tool].args:
        for value in _plain_values(row, feature.args.get(row.name)):
            if value != feature.args.get(row.name):
                try:
                    yield replace(feature, args={**feature.args, row.name: value})
                except ValueError:
                    continue


def _plain_values(row: Argument, value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    if row.type in ("number", "integer"):
        whole = float(np.floor(value))
        return (float(row.min), float(row.max), whole)
    if row.type == "enum":
        return row.values[:1]
    if row.type == "text":
        return ("a",)
    return (value[:-1], tuple((float(round(lat)), float(round(lon))) for lat, lon in value))


def _own_rows(scene: Scene, buffer: str) -> tuple[F32, list[int]]:
    """Rows with the ground behind them, (r, width + g), without minus zero, and their owners."""
    if buffer == PLANET:
        ground = scene.ground_rows()
        rows = planet_view(None, ground, ground).vertices
        return np.asarray(rows + np.float32(0.0)), []
    held = scene.buffers.get(buffer)
    if held is None:
        return np.zeros((0, PLANET_WIDTH), np.float32), []
    rows = held.rows.view
    if held.anchors:
        rows = np.concatenate([rows, held.ground()], axis=1)
    return np.asarray(rows + np.float32(0.0)), held.feature.view.tolist()


def _owner(owners: Sequence[int], row: int) -> str:
    return feature_id(owners[row]) if row < len(owners) else ""


if __name__ == "__main__":
    raise SystemExit(main())
