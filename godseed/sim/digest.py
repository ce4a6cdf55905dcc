"""Rung 1 of the ladder: digests of geometry, one per buffer and one per feature's slice of it.

Two machines, or the two twins, made the same planet exactly when their digests are equal; where
they are not, `compare` names the features and buffers, and `compare_scenes` says by how much.

Bytes of a buffer, little-endian: the prefix below, its name (UTF-8 behind its length as uint32),
then rows and ground, each as two uint32 for its shape and float32 values in row order; a buffer
without anchors has a ground of width 0. Minus zero counts as zero.

Twin: web/sim/digest.js
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import numpy as np

from godseed.sim.feature import feature_id
from godseed.sim.maths import F32, BoolArray
from godseed.sim.planet import planet_view
from godseed.sim.scene import Buffer, Scene

PLANET: Final = "planet"
"""Name under which the planet's unrefined vertices take part; they belong to no feature."""
BUFFER_PREFIX: Final = b"godseed buffer 1\n"
GEOMETRY_PREFIX: Final = b"godseed geometry 1\n"


@dataclass(frozen=True)
class GeometryDigest:
    """SHA-256 digests of everything a scene draws, hexadecimal.

    Attributes:
        total: over all buffers in order of their names.
        buffers: buffer name -> its digest; tables and `planet` included.
        features: feature id -> buffer name -> digest of the feature's rows there; a feature that
            draws nothing, such as a sky, has an empty mapping.
    """

    total: str
    buffers: Mapping[str, str]
    features: Mapping[str, Mapping[str, str]]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {
            "total": self.total,
            "buffers": dict(self.buffers),
            "features": {name: dict(slices) for name, slices in self.features.items()},
        }

    def to_json(self) -> str:
        """Compact JSON text on one line."""
        return json.dumps(self.to_dict(), separators=(",", ":"))

    @staticmethod
    def from_dict(value: object) -> GeometryDigest:
        """Read the parsed JSON object of a digest.

        Raises:
            ValueError: it is not one; the message names the field.
        """
        if not isinstance(value, Mapping) or set(value) != {"total", "buffers", "features"}:
            raise ValueError("geometry: not a digest; expected total, buffers and features")
        features = value["features"]
        if not isinstance(features, Mapping) or not all(map(_is_id, features)):
            raise ValueError("geometry.features: expected an object of feature ids")
        return GeometryDigest(
            _hex("geometry.total", value["total"]),
            _hexes("geometry.buffers", value["buffers"]),
            {key: _hexes(f"geometry.features.{key}", found) for key, found in features.items()},
        )

    @staticmethod
    def from_json(text: str) -> GeometryDigest:
        """Read the JSON text of a digest.

        Raises:
            ValueError: it is not JSON, or not a digest.
        """
        return GeometryDigest.from_dict(json.loads(text))


@dataclass(frozen=True)
class Change:
    """A feature's rows in one buffer that are not what they were.

    Attributes:
        feature: its id; empty for the planet, which belongs to none.
        buffer: name of the buffer.
        kind: `changed`, `added` or `removed`.
        rows: how many rows differ, None where only digests were compared.
        offset: largest difference of any number in them (directions and heights are in planet
            radii), None where only digests were compared or only the number of rows differs.
    """

    feature: str
    buffer: str
    kind: str
    rows: int | None = None
    offset: float | None = None


def geometry_digest(scene: Scene) -> GeometryDigest:
    """Digest everything that a scene draws.

    Raises:
        ValueError: a row is not finite; the message names feature, buffer and row.
    """
    buffers: dict[str, str] = {}
    features: dict[str, dict[str, str]] = {feature_id(i): {} for i in range(len(scene.features))}
    for name in sorted(scene.buffers):
        rows, ground = _canonical(name, scene.buffers[name])
        buffers[name] = _buffer_digest(name, rows, ground)
        for owner, start, end in _slices(scene.buffers[name]):
            digest = _buffer_digest(name, rows[start:end], ground[start:end])
            features[feature_id(owner)][name] = digest
    vertices = _planet(scene)
    buffers[PLANET] = _buffer_digest(PLANET, vertices, vertices[:, :0])
    total = sha256(GEOMETRY_PREFIX)
    for name in sorted(buffers):
        total.update(_name_bytes(name))
        total.update(bytes.fromhex(buffers[name]))
    return GeometryDigest(total.hexdigest(), dict(sorted(buffers.items())), features)


def compare(before: GeometryDigest, after: GeometryDigest) -> list[Change]:
    """Name every feature and buffer in which two digests differ, in feature order."""
    changes: list[Change] = []
    for feature in sorted({**before.features, **after.features}, key=_number):
        old = before.features.get(feature, {})
        new = after.features.get(feature, {})
        changes += _differences(feature, old, new)
    planet = PLANET in before.buffers and PLANET in after.buffers
    if planet and before.buffers[PLANET] != after.buffers[PLANET]:
        changes.append(Change("", PLANET, "changed"))
    return changes


def compare_scenes(before: Scene, after: Scene) -> list[Change]:
    """As `compare`, from the rows themselves: with the number of rows and the largest offset.

    Raises:
        ValueError: a row is not finite.
    """
    changes: list[Change] = []
    for name in sorted({**before.buffers, **after.buffers}):
        old, new = _by_owner(before, name), _by_owner(after, name)
        for owner in sorted({**old, **new}):
            change = _row_change(feature_id(owner), name, old.get(owner), new.get(owner))
            if change is not None:
                changes.append(change)
    changes.sort(key=lambda change: _number(change.feature))
    planet = _row_change("", PLANET, _planet(before), _planet(after))
    return [*changes, planet] if planet is not None else changes


def _canonical(name: str, buffer: Buffer) -> tuple[F32, F32]:
    """Rows (r, width) and ground (r, g) of a buffer, finite and without minus zero."""
    rows = _positive_zero(buffer.rows.view)
    ground = _positive_zero(buffer.ground()) if buffer.anchors else rows[:, :0]
    bad = np.flatnonzero(~(_finite_rows(rows) & _finite_rows(ground)))
    if len(bad):
        owner = feature_id(int(buffer.feature.view[bad[0]]))
        raise ValueError(
            f"digest: row {bad[0]} of {name} ({owner}) is not finite; expected numbers; "
            "correct the tool that makes it"
        )
    return rows, ground


def _positive_zero(rows: F32) -> F32:
    """Little-endian float32 copy with minus zero as zero."""
    clean: F32 = np.ascontiguousarray(rows + np.float32(0.0), dtype="<f4")
    return clean


def _finite_rows(rows: F32) -> BoolArray:
    finite: BoolArray = np.all(np.isfinite(rows), axis=1)
    return finite


def _slices(buffer: Buffer) -> Iterator[tuple[int, int, int]]:
    """Owner, first row and end of each feature's run of rows; rows are in feature order."""
    owners, starts = np.unique(buffer.feature.view, return_index=True)
    ends = np.append(starts[1:], len(buffer.feature))[: len(starts)].tolist()
    return zip(owners.tolist(), starts.tolist(), ends, strict=True)


def _by_owner(scene: Scene, name: str) -> dict[int, F32]:
    """Owner -> its rows and ground side by side (k, width + g)."""
    if name not in scene.buffers:
        return {}
    rows, ground = _canonical(name, scene.buffers[name])
    both = np.concatenate([rows, ground], axis=1)
    return {owner: both[start:end] for owner, start, end in _slices(scene.buffers[name])}


def _planet(scene: Scene) -> F32:
    """Vertices (40962, 28) of the planet without refinement."""
    rows = scene.ground_rows()
    return _positive_zero(planet_view(None, rows, rows).vertices)


def _buffer_digest(name: str, rows: F32, ground: F32) -> str:
    digest = sha256(BUFFER_PREFIX)
    digest.update(_name_bytes(name))
    for table in (rows, ground):
        digest.update(struct.pack("<II", len(table), table.shape[1]))
        digest.update(np.ascontiguousarray(table).data)
    return digest.hexdigest()


def _name_bytes(name: str) -> bytes:
    data = name.encode()
    return struct.pack("<I", len(data)) + data


def _differences(feature: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted({**old, **new}):
        if name not in old:
            yield Change(feature, name, "added")
        elif name not in new:
            yield Change(feature, name, "removed")
        elif old[name] != new[name]:
            yield Change(feature, name, "changed")


def _row_change(feature: str, name: str, old: F32 | None, new: F32 | None) -> Change | None:
    """What became of one feature's rows in one buffer; None if nothing did."""
    if old is None or new is None:
        present = new if old is None else old
        kind = "added" if old is None else "removed"
        return Change(feature, name, kind, 0 if present is None else len(present))
    shared = min(len(old), len(new))
    apart = np.abs(old[:shared].astype(np.float64) - new[:shared].astype(np.float64))
    rows = int(np.count_nonzero(np.any(apart > 0.0, axis=1))) + abs(len(old) - len(new))
    if rows == 0:
        return None
    offset = float(apart.max(initial=0.0))
    return Change(feature, name, "changed", rows, offset if offset > 0.0 else None)


def _number(feature: str) -> int:
    """World index of a feature id; the planet's empty id comes last."""
    return int(feature[2:]) if feature else 1_000_000_000


def _is_id(value: object) -> bool:
    return isinstance(value, str) and value[:2] == "f_" and value[2:].isdecimal()


def _hex(where: str, value: object) -> str:
    if not isinstance(value, str) or len(value) != 64 or value.strip("0123456789abcdef"):
        raise ValueError(f"{where}: {value!r}; expected 64 hexadecimal digits")
    return value


def _hexes(where: str, value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where}: {value!r}; expected an object of digests")
    return {str(key): _hex(f"{where}.{key}", found) for key, found in value.items()}
