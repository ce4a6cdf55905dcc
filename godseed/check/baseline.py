"""Rows that a case keeps beside its digests, to say by how much geometry moved since approval.

Digests alone say that a feature's slice of a buffer changed; `geometry.npz` holds enough of the old
numbers to say how many rows and how far. It is evidence, not expectation: a case without it, or
with one of another approval, is judged the same and only told less about.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np

from godseed.sim.digest import PLANET, Change
from godseed.sim.feature import feature_id
from godseed.sim.kits import kit_mesh
from godseed.sim.maths import F32
from godseed.sim.planet import planet_view
from godseed.sim.scene import Scene

BASELINE_FILE: Final = "geometry.npz"
ROWS_KEPT: Final = 32
"""Rows of one feature's slice of one buffer that are kept; all are counted."""
PLANET_STEP: Final = 64
"""One vertex of the planet in so many is kept."""
KIT_PREFIX: Final = "kit:"
MESH_PREFIX: Final = "mesh:"
ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Slice:
    """One feature's rows of one buffer.

    Attributes:
        count: how many there are.
        rows: the first of them, (k, width) float32, ground beside rows.
    """

    count: int
    rows: F32


@dataclass(frozen=True)
class Baseline:
    """What geometry was.

    Attributes:
        total: digest of rung 1 that it belongs to.
        slices: (feature id, buffer) -> rows; the planet's have an empty id.
        meshes: kit -> positions of its vertices (n, 3) float32, solid before glow.
    """

    total: str
    slices: Mapping[tuple[str, str], Slice]
    meshes: Mapping[str, F32]


def baseline_of(scene: Scene, total: str) -> Baseline:
    """What to keep of a scene whose rung 1 digest is `total`."""
    slices: dict[tuple[str, str], Slice] = {}
    for name, (rows, owners, starts, ends) in _tables(scene).items():
        for owner, start, end in zip(owners, starts, ends, strict=True):
            kept = rows[start : min(end, start + ROWS_KEPT)]
            slices[feature_id(owner), name] = Slice(end - start, kept)
    ground = scene.ground_rows()
    planet = planet_view(None, ground, ground).vertices
    slices["", PLANET] = Slice(len(planet), np.ascontiguousarray(planet[::PLANET_STEP]))
    meshes = {kit: _mesh(kit)[:, :3] for kit in kits_of(scene)}
    return Baseline(total, slices, meshes)


def measured(before: Baseline, scene: Scene, changes: Iterable[Change]) -> list[Change]:
    """Digest changes with the number of rows that differ and the largest offset, where known.

    Args:
        before: rows of the approval.
        scene: what there is now.
        changes: what digests say.
    """
    now = baseline_of(scene, "").slices
    return [_measured(change, before, now) for change in changes]


def mesh_digests(scene: Scene) -> dict[str, str]:
    """Kit -> SHA-256 of its mesh, shortened, for every kit that a scene draws."""
    return {kit: sha256(_mesh(kit).tobytes()).hexdigest()[:16] for kit in kits_of(scene)}


def mesh_change(kit: str, before: Baseline | None) -> str:
    """What became of a kit's mesh, in words: `3 of 96 vertices moved, largest offset 0.01`."""
    now = _mesh(kit)[:, :3]
    old = before.meshes.get(kit) if before is not None else None
    if old is None:
        return "mesh changed"
    if len(old) != len(now):
        return f"mesh changed, {len(old)} -> {len(now)} vertices"
    apart = np.abs(old.astype(np.float64) - now.astype(np.float64)).max(axis=1, initial=0.0)
    count = int(np.count_nonzero(apart))
    if count == 0:
        return "mesh changed in normals, colours or windows; no vertex moved"
    return f"mesh changed, {count} of {len(now)} vertices moved, largest offset {apart.max():.3g}"


def kits_of(scene: Scene) -> list[str]:
    """Names of the kits that a scene draws, in order."""
    return sorted(name.removeprefix(KIT_PREFIX) for name in scene.buffers if _is_kit(name, scene))


def encode(baseline: Baseline) -> bytes:
    """The file's bytes; the same baseline gives the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in _arrays(baseline):
            part = io.BytesIO()
            np.lib.format.write_array(part, array, version=(1, 0), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, part.getvalue(), compresslevel=9)
    return stream.getvalue()


def read_baseline(folder: Path, total: str) -> Baseline | None:
    """Read a case's rows; None if there are none, they are damaged, or of another approval."""
    try:
        with np.load(folder / BASELINE_FILE, allow_pickle=False) as stored:
            found = {name: stored[name] for name in stored.files}
        baseline = _decoded(found)
    except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, EOFError):
        return None
    return baseline if baseline.total == total else None


def _tables(scene: Scene) -> dict[str, tuple[F32, list[int], list[int], list[int]]]:
    """Buffer -> rows and ground side by side, owners, and first and end row of each owner."""
    found = {}
    for name in sorted(scene.buffers):
        buffer = scene.buffers[name]
        rows: F32 = buffer.rows.view.astype("<f4")
        if buffer.anchors:
            rows = np.concatenate([rows, buffer.ground().astype("<f4")], axis=1)
        owners, starts = np.unique(buffer.feature.view, return_index=True)
        ends = [*starts[1:].tolist(), len(rows)][: len(starts)]
        found[name] = rows, owners.tolist(), starts.tolist(), ends
    return found


def _measured(change: Change, before: Baseline, now: Mapping[tuple[str, str], Slice]) -> Change:
    old, new = (rows.get((change.feature, change.buffer)) for rows in (before.slices, now))
    if old is None or new is None:
        one = old or new
        return Change(change.feature, change.buffer, change.kind, one.count if one else None)
    if old.rows.shape[1] != new.rows.shape[1]:
        return Change(change.feature, change.buffer, change.kind, max(old.count, new.count))
    shared = min(len(old.rows), len(new.rows))
    apart = np.abs(old.rows[:shared].astype(np.float64) - new.rows[:shared].astype(np.float64))
    rows = int(np.count_nonzero(np.any(apart > 0.0, axis=1))) + abs(old.count - new.count)
    offset = float(apart.max(initial=0.0))
    return Change(
        change.feature, change.buffer, change.kind, rows or None, offset if offset > 0.0 else None
    )


def _is_kit(name: str, scene: Scene) -> bool:
    return name.startswith(KIT_PREFIX) and len(scene.buffers[name].rows.view) > 0


def _mesh(kit: str) -> F32:
    """Vertices of a kit (n, 16) float32, solid before glow."""
    parts = [kit_mesh(kit, glow=glow)[0].astype("<f4") for glow in (False, True)]
    rows: F32 = np.ascontiguousarray(np.concatenate(parts) + np.float32(0.0), dtype="<f4")
    return rows


def _arrays(baseline: Baseline) -> Iterable[tuple[str, np.ndarray]]:
    """What the file holds: the total, an index of slices, their rows by width, and meshes."""
    yield "total", np.frombuffer(baseline.total.encode(), np.uint8)
    keys = sorted(baseline.slices)
    index = [
        f"{feature}\t{name}\t{baseline.slices[feature, name].count}\t"
        f"{baseline.slices[feature, name].rows.shape[0]}\t"
        f"{baseline.slices[feature, name].rows.shape[1]}"
        for feature, name in keys
    ]
    yield "index", np.frombuffer("\n".join(index).encode(), np.uint8)
    rows = [baseline.slices[key].rows.astype("<f4").ravel() for key in keys]
    yield "rows", np.concatenate([np.zeros(0, "<f4"), *rows]).astype("<f4")
    for kit in sorted(baseline.meshes):
        yield MESH_PREFIX + kit, baseline.meshes[kit].astype("<f4")


def _decoded(found: Mapping[str, np.ndarray]) -> Baseline:
    slices: dict[tuple[str, str], Slice] = {}
    rows, place = found["rows"], 0
    for line in found["index"].tobytes().decode().splitlines():
        feature, name, count, height, width = line.split("\t")
        size = int(height) * int(width)
        block = rows[place : place + size].reshape(int(height), int(width))
        slices[feature, name] = Slice(int(count), block)
        place += size
    meshes = {
        name.removeprefix(MESH_PREFIX): array
        for name, array in found.items()
        if name.startswith(MESH_PREFIX)
    }
    return Baseline(found["total"].tobytes().decode(), slices, meshes)
