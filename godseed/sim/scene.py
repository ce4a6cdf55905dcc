"""Features -> buffers: the scene that a list of features makes, built in one go or feature by
feature with the same bytes.

A scene is immutable to its readers and shares storage with the scene it was extended from. Rows are
float32, in feature order; the height of the ground under every anchor is kept apart in float64, so
that terrain raised later lifts what stands on it.

Twin: web/sim/scene.js
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from typing import Any, overload

import numpy as np

from godseed.sim.columns import Built, Columns, Part, Paths, Ragged
from godseed.sim.feature import Feature
from godseed.sim.growing import Growing
from godseed.sim.maths import F32, F64, I64
from godseed.sim.planet import LIGHT_WIDTH, GroundRows
from godseed.sim.skyline import Skyline, skyline_of
from godseed.sim.terrain import TERRAIN_WIDTH, base_height, basis, reaches, relief_add, relief_sums
from godseed.sim.tools import build_district, place_structure
from godseed.sim.town import centers_of, town_prefixes
from godseed.spec import load

STAGES = (
    ("place_road", "place_water"),
    ("build_district",),
    ("place_structure", "spawn_life"),
    ("raise_terrain", "lower_terrain", "spawn_flora", "set_weather", "set_sky", "inscribe_wish"),
)
"""Order in which the tools of a batch are built: whoever lays paths comes before whoever looks for
them."""
PATH_FIELDS = ("points", "tangents", "feature", "line", "kind", "half_width")


@dataclass(frozen=True)
class Buffer:
    """Rows of one buffer, ordered by feature.

    Attributes:
        rows: (r, width) float32.
        feature: (r,) int64, owner of each row.
        dirs: (r * g, 3) float32, anchor directions, g = anchors per row, 0 where none; row-major.
        fields: (r * g, 4) float64, terrain noise fields at the anchors.
        sums: (r * g,) float64, what terrain adds at the anchors.
        anchors: first column of each anchor direction.
    """

    rows: Growing
    feature: Growing
    dirs: Growing
    fields: Growing
    sums: Growing
    anchors: tuple[int, ...]

    def anchor_dirs(self) -> F64:
        """Anchor directions, (r * g, 3) float64, row-major."""
        return self.dirs.view.astype(np.float64)

    def ground(self) -> F32:
        """Height of the ground at every anchor, (r, g) float32, planet radii; read-only."""
        return self._ground

    @cached_property
    def _ground(self) -> F32:
        """Worked out once: every frame asks, and renderers keep copies of what nobody can write."""
        height = base_height(self.fields.view) + self.sums.view
        ground: F32 = height.astype(np.float32).reshape(len(self.rows.view), len(self.anchors))
        ground.flags.writeable = False
        return ground


@dataclass(frozen=True)
class Scene:
    """Everything that features[0:n] put on the planet.

    Attributes:
        features: the features it was built from, in world order.
        buffers: drawn buffers and the tables `terrain`, `light`, `life`, by name.
        terrain_rows: (m, 12) float64, see `godseed.sim.terrain`.
        light_rows: (k, 12) float64, see `godseed.sim.planet`.
        path_rows: one growing column per field of `Paths`.
        town_sum: (3,) running weighted sum of town features, see `godseed.sim.town`.
        counts: tool -> how many features of it there are.
    """

    features: Sequence[Feature]
    buffers: Mapping[str, Buffer]
    terrain_rows: Growing
    light_rows: Growing
    path_rows: tuple[Growing, ...]
    town_sum: F64
    counts: dict[str, int]

    @staticmethod
    def empty() -> Scene:
        """The scene of no features."""
        return Scene(
            (),
            {},
            Growing.of(np.zeros((0, TERRAIN_WIDTH))),
            Growing.of(np.zeros((0, LIGHT_WIDTH))),
            tuple(Growing.of(getattr(Paths.empty(), name)) for name in PATH_FIELDS),
            np.zeros(3),
            {},
        )

    @staticmethod
    def build(features: Iterable[Feature]) -> Scene:
        """The scene of a whole feature list."""
        return Scene.empty().extended(features)

    @property
    def terrain(self) -> F64:
        """(m, 12) float64 terrain rows in feature order."""
        return self.terrain_rows.view

    @property
    def lights(self) -> F64:
        """(k, 12) float64 light rows in feature order."""
        return self.light_rows.view

    @property
    def paths(self) -> Paths:
        """Roads, streets and streams in feature order."""
        return Paths(*(column.view for column in self.path_rows))

    @property
    def town(self) -> F64:
        """(3,) unit vector, the town centre."""
        center: F64 = centers_of(self.town_sum[None, :])[0]
        return center

    def extended(self, features: Iterable[Feature]) -> Scene:
        """The scene with more features behind; costs what they cost, and gives the bytes of
        building from scratch."""
        new = tuple(features)
        if not new:
            return self
        town, town_sum = town_prefixes(self.town_sum, new)
        by_tool: dict[str, list[int]] = {}
        for i, feature in enumerate(new):
            by_tool.setdefault(feature.tool, []).append(i)
        parts: dict[str, list[Part]] = {}
        laid: list[Paths] = []
        if "place_structure" in by_tool:
            asked = self._columns("place_structure", new, by_tool, town)
            laid.append(place_structure.plots(asked))
        if "build_district" in by_tool:
            asked = self._columns("build_district", new, by_tool, town)
            laid.append(build_district.districts(asked))
        path_rows = _append_paths(self.path_rows, laid) if laid else self.path_rows
        for stage in STAGES:
            before = len(laid)
            for tool in stage:
                if tool in by_tool:
                    columns = self._columns(tool, new, by_tool, town)
                    built = _builder(tool)(columns, Paths(*(column.view for column in path_rows)))
                    for name, part in built.parts.items():
                        parts.setdefault(name, []).append(part)
                    laid.append(built.paths)
            if len(laid) > before:
                path_rows = _append_paths(self.path_rows, laid)
        merged = {name: _merged(found) for name, found in parts.items()}
        none = Part(np.zeros((0, TERRAIN_WIDTH)), np.zeros(0, np.int64))
        fresh = merged.get("terrain", none).rows
        terrain_rows = self.terrain_rows.append(fresh)
        lights = merged["light"].rows if "light" in merged else np.zeros((0, LIGHT_WIDTH))
        buffers = {name: _raised(buffer, fresh) for name, buffer in self.buffers.items()}
        for name in sorted(merged):
            old = buffers.get(name) or _empty_buffer(name, merged[name].rows.shape[1])
            buffers[name] = _appended(old, merged[name], terrain_rows.view)
        return Scene(
            _Joined(self.features, new),
            buffers,
            terrain_rows,
            self.light_rows.append(lights),
            path_rows,
            town_sum,
            self.counts | {tool: self.counts.get(tool, 0) + len(by_tool[tool]) for tool in by_tool},
        )

    def _columns(
        self, tool: str, new: Sequence[Feature], by_tool: Mapping[str, list[int]], town: F64
    ) -> Columns:
        """Columns of the new features of a tool, numbered on from the earlier ones."""
        columns = columns_of(tool, new, by_tool[tool], len(self.features), town)
        first = self.counts.get(tool, 0)
        return replace(columns, ordinal=np.arange(first, first + len(columns.index)))

    def ground_rows(self) -> GroundRows:
        """What the planet's vertices depend on."""
        return self._ground_rows

    @cached_property
    def skyline(self) -> Skyline:
        """What stands and how high, for cameras; made once."""
        return skyline_of(
            (name[4:], self.buffers[name].rows.view, self.buffers[name].ground())
            for name in sorted(self.buffers)
            if name.startswith("kit:")
        )

    @cached_property
    def _ground_rows(self) -> GroundRows:
        """Made once, as it hashes its rows."""
        return GroundRows(self.terrain, self.lights)


def columns_of(
    tool: str, features: Sequence[Feature], picked: Sequence[int], start: int, town: F64
) -> Columns:
    """Arguments of some features of one tool as columns.

    Args:
        tool: its name in `spec/tools.json`.
        features: m new features.
        picked: positions in `features` of those of this tool, ascending.
        start: world index of features[0].
        town: (m, 3) town centre before each feature.
    """
    index = np.array(picked, dtype=np.int64)
    chosen = [features[i] for i in picked]
    numbers: dict[str, F64] = {}
    enums: dict[str, I64] = {}
    texts: dict[str, tuple[str, ...]] = {}
    paths: dict[str, Ragged] = {}
    for arg in tool_row(tool)["args"]:
        name, kind = arg["name"], arg["type"]
        values = [feature.args.get(name, arg.get("default")) for feature in chosen]
        if kind in ("number", "integer"):
            numbers[name] = np.array(values, dtype=np.float64)
        elif kind == "enum":
            code = {value: i for i, value in enumerate(arg["values"])}
            enums[name] = np.array([code[value] for value in values], dtype=np.int64)
        elif kind == "text":
            texts[name] = tuple(values)
        else:
            starts = np.cumsum([0, *(len(value) for value in values)])
            points = np.array([p for value in values for p in value], dtype=np.float64)
            paths[name] = Ragged(points.reshape(-1, 2), starts.astype(np.int64))
    seed = np.array([feature.seed for feature in chosen], dtype=np.uint32)
    return Columns(index + start, seed, numbers, enums, texts, paths, town[index])


@cache
def tool_row(tool: str) -> Mapping[str, Any]:
    """The tool's row of `spec/tools.json`."""
    row: Mapping[str, Any] = next(row for row in load("tools.json")["tools"] if row["name"] == tool)
    return row


@cache
def buffer_format(name: str) -> Mapping[str, Any]:
    """Format of a buffer from `spec/materials.json`; tables that are not drawn have no anchors."""
    materials = load("materials.json")
    names = {
        "kit": "kit_instance",
        "road": "patch",
        "water": "patch",
        "glyph_ring": "glyph",
        "glyph_plaque": "glyph",
    }
    key = names.get(name.partition(":")[0], name)
    found: Mapping[str, Any] = materials["formats"].get(key, {"ground": 0, "attributes": []})
    return found


class _Joined(Sequence[Feature]):
    """Two feature sequences end to end, without copying the long one at every append."""

    __slots__ = ("_items", "_length")

    def __init__(self, head: Sequence[Feature], tail: Sequence[Feature]) -> None:
        longest = isinstance(head, _Joined) and len(head._items) == head._length
        self._items: list[Feature] = head._items if longest else list(head)  # type: ignore[attr-defined]
        self._items.extend(tail)
        self._length: int = len(self._items)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Feature: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Feature]: ...
    def __getitem__(self, index: int | slice) -> Feature | Sequence[Feature]:
        if isinstance(index, slice):
            return tuple(self._items[: self._length][index])
        return self._items[range(self._length)[index]]


@cache
def _builder(tool: str) -> Callable[[Columns, Paths], Built]:
    build: Callable[[Columns, Paths], Built] = import_module(f"godseed.sim.tools.{tool}").build
    return build


def _append_paths(store: tuple[Growing, ...], laid: Sequence[Paths]) -> tuple[Growing, ...]:
    """Append the new lines of one extension, in feature order, to the lines before it."""
    order = np.argsort(np.concatenate([paths.feature for paths in laid]), kind="stable")
    columns = (
        np.concatenate([getattr(paths, name) for paths in laid])[order] for name in PATH_FIELDS
    )
    return tuple(old.append(new) for old, new in zip(store, columns, strict=True))


def _merged(parts: Sequence[Part]) -> Part:
    """One part from several tools' rows for the same buffer, in feature order."""
    if len(parts) == 1:
        return parts[0]
    feature = np.concatenate([part.feature for part in parts])
    order = np.argsort(feature, kind="stable")
    return Part(np.concatenate([part.rows for part in parts])[order], feature[order])


def _empty_buffer(name: str, width: int) -> Buffer:
    found = buffer_format(name)
    anchors = tuple(found.get("anchors", ()))
    return Buffer(
        Growing.of(np.zeros((0, width), np.float32)),
        Growing.of(np.zeros(0, np.int64)),
        Growing.of(np.zeros((0, 3), np.float32)),
        Growing.of(np.zeros((0, 4))),
        Growing.of(np.zeros(0)),
        anchors,
    )


def _appended(buffer: Buffer, part: Part, terrain: F64) -> Buffer:
    """A buffer with more rows, their anchors' ground summed over all terrain."""
    rows = part.rows.astype(np.float32)
    grown = replace(
        buffer, rows=buffer.rows.append(rows), feature=buffer.feature.append(part.feature)
    )
    if not buffer.anchors or len(rows) == 0:
        return grown
    anchors = np.stack([rows[:, a : a + 3] for a in buffer.anchors], axis=1).reshape(-1, 3)
    first, same = _distinct(anchors, len(buffer.anchors))
    dirs = anchors[first].astype(np.float64)
    fields = basis(dirs)
    return replace(
        grown,
        dirs=buffer.dirs.append(anchors),
        fields=buffer.fields.append(fields[same]),
        sums=buffer.sums.append(relief_sums(dirs, fields, terrain)[same]),
    )


def _distinct(dirs: F32, per_row: int) -> tuple[I64, I64]:
    """Anchors that do not repeat one of the row before, so that the ground is found once for each.

    Neighbouring patches share corners: 00 and 01 are 10 and 11 of the patch before. Letters share
    their stone's only anchor.

    Args:
        dirs: (r * per_row, 3) anchors, row-major.
        per_row: anchors per row.
    Returns:
        indices (d,) of those anchors, and for every anchor (r * per_row,) which of them it is.
    """
    rows = dirs.reshape(-1, per_row, 3)
    fresh = np.ones(rows.shape[:2], bool)
    step = per_row // 2
    ours = rows[1:, 0::2] if step else rows[1:]
    theirs = rows[:-1, 1::2] if step else rows[:-1]
    fresh[1:, :: max(step, 1)] = np.any(ours != theirs, axis=2)
    same = (np.cumsum(fresh) - 1).reshape(fresh.shape)
    if step:
        same[1:, 0::2] = np.where(fresh[1:, 0::2], same[1:, 0::2], same[:-1, 1::2])
    return np.nonzero(fresh.reshape(-1))[0], same.reshape(-1)


def _raised(buffer: Buffer, terrain: F64) -> Buffer:
    """A buffer whose anchors feel more terrain rows; the same object where none reaches it."""
    if not buffer.anchors or len(terrain) == 0 or len(buffer.rows) == 0:
        return buffer
    dirs = buffer.dirs.view
    found = np.zeros(len(dirs), bool)
    for row in terrain:
        # Rounded to float32, but with a margin that is wider than the rounding.
        x, y, z = row[0:3].astype(np.float32)
        found |= dirs[:, 0] * x + dirs[:, 1] * y + dirs[:, 2] * z > np.float32(row[3] - 1e-5)
    places = np.nonzero(found)[0]
    there = dirs[places].astype(np.float64)
    if not any(len(reaches(row, there)) for row in terrain):
        return buffer
    sums, fields = buffer.sums.view[places], buffer.fields.view[places]
    for row in terrain:
        relief_add(sums, there, fields, row)
    return replace(buffer, sums=buffer.sums.changed(places, sums))
