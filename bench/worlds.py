"""Scene build, append and log loading over generated worlds of growing size."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.timing import Row, median_ms, once_s
from godseed.check.generate import generated_features, generated_world
from godseed.sim.scene import Scene
from godseed.sim.trace import WishTrace, load

SIZES = (100, 1_000, 10_000)
APPENDED = 200
LOGGED = 100_000
PER_WISH = 3


def scene_rows() -> Iterator[Row]:
    """Build scenes from scratch and extend the largest one feature by feature."""
    group = "scene, generated world"
    for size in SIZES:
        features = generated_world(1, size).features
        seconds = once_s(lambda features=features: Scene.build(features))
        yield Row(group, f"{size:,} features from scratch", seconds * 1000.0, "ms")
        yield Row(group, f"{size:,} features from scratch, each", seconds * 1000.0 / size, "ms")
    world, group = generated_world(1, SIZES[-1]), "append, generated world"
    scene = Scene.build(world.features)
    more = iter(generated_features(2, APPENDED + 1, len(world)))

    def append() -> None:
        nonlocal scene
        scene = scene.extended((next(more),))

    one = median_ms(append, APPENDED)
    yield Row(group, f"append one at {SIZES[-1]:,}, median", one, "ms")
    yield Row(group, "append one over building from scratch", one / (seconds * 1000.0), "x")


def log_rows() -> Iterator[Row]:
    """Write and load a log of 100,000 features."""
    world = generated_world(3, LOGGED)
    features = world.features[4:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "world.jsonl"
        with path.open("wb") as file:
            for start in range(0, len(features), PER_WISH):
                part = tuple(features[start : start + PER_WISH])
                trace = WishTrace(wish_id=part[0].wish_id, text="a wish", features=part)
                file.write(trace.to_line() + b"\n")
        seconds = once_s(lambda: load(path))
        yield Row("log", f"load {LOGGED:,} features", seconds, "s")
        yield Row("log", "features per second", LOGGED / seconds, "/s")
