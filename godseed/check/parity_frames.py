"""Rung 1 for what moves: whole frames and shared tables of both twins, compared byte by byte.

A frame is what a renderer is handed: uniforms, ages, buffers with their ground, the planet's
vertices. Shots, times and landings are drawn from a seed, so that rising features, moving life,
crossfading skies and refined planets all come up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from godseed.check.generate import generated_world
from godseed.check.twin import Bridge
from godseed.sim.feature import Feature
from godseed.sim.frame import Frame, Stage
from godseed.sim.kits import kit_mesh, kit_names
from godseed.sim.rng import uniform
from godseed.sim.sky_objects import sky_buffers
from godseed.sim.timeline import Timeline

VIEWS = 3
"""Views of every world."""
RISES_MS = (2000, 600)
ASPECTS = (16.0 / 9.0, 1.0, 0.5625)


@dataclass(frozen=True)
class View:
    """One frame of a world.

    Attributes:
        landed_ms: world index -> when the feature lands; empty where all have long been there.
        rise_ms: how long features rise.
        time_ms: time of the frame.
        shot: the camera, as text.
        aspect: width over height.
    """

    landed_ms: Mapping[int, int]
    rise_ms: int
    time_ms: int
    shot: str
    aspect: float


def generated_views(seed: int, count: int) -> list[View]:
    """Views of a world with `count` features, drawn from a seed."""
    views = []
    for i in range(VIEWS):
        draw = [uniform(seed, 16 * i + k) for k in range(16)]
        rise = RISES_MS[int(draw[0] * len(RISES_MS))]
        first = count - int(draw[1] * min(count, 4))
        gap = int(draw[2] * 2.0 * rise)
        landed = {index: 1000 + gap * (index - first) for index in range(first, count)}
        last = max(landed.values(), default=0)
        time_ms = 500 + int(draw[3] * (last + 2 * rise))
        if not landed:
            time_ms = int(draw[3] * 100_000.0)
        seen = int(draw[4] * count)
        place = [160.0 * draw[6] - 80.0, 360.0 * draw[7] - 180.0, 0.01 + draw[8]]
        look = [360.0 * draw[9], 60.0 * draw[10] - 45.0, 20.0 + 50.0 * draw[11]]
        shots = (
            "town",
            "world",
            f"gaze:{seen}",
            f"descend:{seen}@{draw[5] * 8.0:.2f}",
            "free:" + ",".join(f"{x:.3f}" for x in (*place, *look)),
        )
        shot = shots[int(draw[12] * len(shots))]
        aspect = ASPECTS[int(draw[13] * len(ASPECTS))]
        views.append(View(landed, rise, time_ms, shot, aspect))
    return views


def frame_differences(bridge: Bridge, features: Sequence[Feature], view: View) -> list[str]:
    """Names of the parts of a frame in which the twins differ, uniforms with both values."""
    timeline = Timeline((), view.landed_ms, 0, view.rise_ms) if view.landed_ms else None
    frame = Stage(features, timeline).frame(view.time_ms, view.shot, view.aspect)
    theirs = bridge.ask(
        "frame",
        features,
        landed_ms=list(view.landed_ms.items()),
        rise_ms=view.rise_ms,
        time_ms=view.time_ms,
        shot=view.shot,
        aspect=view.aspect,
    )
    found = _named_differences(frame_digests(frame), theirs["parts"])
    for name in sorted({*frame.uniforms, *theirs["uniforms"]}):
        ours, other = _numbers(frame.uniforms.get(name)), _numbers(theirs["uniforms"].get(name))
        if ours != other:
            found.append(f"{name}: python {ours}, javascript {other}")
    return found


def frame_digests(frame: Frame) -> dict[str, str]:
    """SHA-256 of every array of a frame, by name."""
    parts = {
        "ages": digest_of(frame.ages),
        "planet vertices": digest_of(frame.planet.vertices),
        "planet faces": digest_of(frame.planet.faces),
    }
    for name, view in frame.buffers.items():
        parts[f"{name} rows"] = digest_of(view.rows)
        if view.ground is not None:
            parts[f"{name} ground"] = digest_of(view.ground)
        if view.ground_before is not None:
            parts[f"{name} ground before"] = digest_of(view.ground_before)
    return parts


def table_differences(bridge: Bridge) -> list[str]:
    """Names of the kit meshes and sky tables in which the twins differ."""
    parts: dict[str, str] = {}
    for name in kit_names():
        for glow in (False, True):
            rows, faces = kit_mesh(name, glow)
            key = f"{name}{' glow' if glow else ''}"
            parts[f"{key} vertices"] = digest_of(rows)
            parts[f"{key} faces"] = digest_of(faces)
    for name, table in sky_buffers().items():
        parts[name] = digest_of(table)
    return _named_differences(parts, bridge.ask("tables"))


def run_frames(bridge: Bridge, worlds: int, first_seed: int = 0) -> list[str]:
    """Compare frames of generated worlds, and the shared tables.

    Args:
        bridge: the other twin.
        worlds: how many; each is seen `VIEWS` times.
        first_seed: seed of the first one.
    Returns:
        One line per difference, empty where there is none.
    """
    lines = [f"table {name}" for name in table_differences(bridge)]
    for seed in range(first_seed, first_seed + worlds):
        features = tuple(generated_world(seed, 1 + seed * 5 % 24).features)
        for view in generated_views(seed, len(features)):
            found = frame_differences(bridge, features, view)
            lines += [f"world {seed}, {view.shot} at {view.time_ms} ms: {name}" for name in found]
    return lines


def digest_of(numbers: npt.NDArray[Any]) -> str:
    """SHA-256 of an array's bytes, minus zero as zero, hexadecimal."""
    clean = numbers if numbers.dtype.kind == "u" else numbers + numbers.dtype.type(0.0)
    return sha256(np.ascontiguousarray(clean).tobytes()).hexdigest()


def _named_differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    return [name for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]


def _numbers(value: object) -> list[float] | None:
    """A uniform as a list; None where there is none."""
    if value is None:
        return None
    return [float(x) for x in value] if isinstance(value, (list, tuple)) else [float(value)]  # type: ignore[arg-type]
