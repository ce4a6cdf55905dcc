"""Districts: nothing overlaps, nothing leaves the radius, density only adds."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from godseed.sim.columns import ROAD, STREET, Built, Columns, Paths, Ragged
from godseed.sim.district import GATE_INSET, MAIN_HALF_WIDTH, PATH_HALF_WIDTH
from godseed.sim.kits import kit
from godseed.sim.maths import DEG, F64
from godseed.sim.plots import PLOT
from godseed.sim.sphere import direction
from godseed.sim.tools import build_district, place_road

TOWN = (14.0, 30.0)
SEEDS = st.integers(0, 2**31 - 1)
RADII = st.floats(2.0, 15.0)
DENSITIES = st.floats(0.0, 1.0)


def columns(rows: list[tuple[float, float, float, float, int]], first: int = 3) -> Columns:
    """Rows of lat, lon, radius_deg, density, seed."""
    table = np.array([row[:4] for row in rows], dtype=np.float64)
    names = ("lat", "lon", "radius_deg", "density")
    numbers = {name: table[:, k] for k, name in enumerate(names)}
    numbers["hue"] = np.full(len(rows), 40.0)
    seed = np.array([row[4] for row in rows], dtype=np.uint32)
    index = np.arange(first, first + len(rows), dtype=np.int64)
    town = np.broadcast_to(direction(*TOWN), (len(rows), 3))
    return Columns(index, seed, numbers, town=town)


def road(waypoints: list[tuple[float, float]]) -> Paths:
    ragged = Ragged(np.array(waypoints), np.array([0, len(waypoints)], dtype=np.int64))
    made = Columns(np.zeros(1, np.int64), np.ones(1, np.uint32), paths={"path": ragged})
    return place_road.build(made, Paths.empty()).paths


def build(
    rows: list[tuple[float, float, float, float, int]], paths: Paths | None = None, first: int = 3
) -> Built:
    return build_district.build(columns(rows, first), paths or Paths.empty())


def buildings(built: Built) -> tuple[F64, F64]:
    """Instance rows and half sizes (n, 2) of houses, halls, markets and greens."""
    rows, sizes = [np.zeros((0, 16))], [np.zeros((0, 2))]
    for name, part in built.parts.items():
        if name.startswith("kit:") and name not in ("kit:lamp", "kit:yard_tree"):
            info = kit(name[4:])
            rows.append(part.rows)
            sizes.append(part.rows[:, 3:4] * np.array([[info.half_width, info.half_depth]]))
    return np.concatenate(rows), np.concatenate(sizes)


def overlapping(rows: F64, sizes: F64) -> list[tuple[int, int]]:
    """Pairs of rectangles that overlap: separating axes in the first one's plane."""
    found = []
    for i in range(len(rows)):
        at, front = rows[i, 0:3], rows[i, 4:7]
        right = np.cross(at, front)
        for j in range(i + 1, len(rows)):
            gap = rows[j, 0:3] - at
            if (gap**2).sum() > 0.04**2:
                continue
            other_front = rows[j, 4:7]
            other_right = np.cross(rows[j, 0:3], other_front)
            for axis in (right, front, other_right, other_front):
                reach = sum(
                    abs(float((axis * side).sum())) * float(half)
                    for side, half in zip(
                        (right, front, other_right, other_front),
                        (*sizes[i], *sizes[j]),
                        strict=True,
                    )
                )
                if abs(float((axis * gap).sum())) >= reach:
                    break
            else:
                found.append((i, j))
    return found


def on_paths(rows: F64, sizes: F64, paths: Paths) -> int:
    """How many path points lie on a rectangle grown by the path's half width."""
    count = 0
    lines = np.isin(paths.kind, (ROAD, STREET))
    points, width = paths.points[lines], paths.half_width[lines]
    for row, size in zip(rows, sizes, strict=True):
        gap = points - row[0:3]
        x = np.abs((gap * np.cross(row[0:3], row[4:7])).sum(axis=1))
        z = np.abs((gap * row[4:7]).sum(axis=1))
        close = (gap**2).sum(axis=1) < 0.04**2
        count += int((close & (x < size[0] + 0.5 * width) & (z < size[1] + width)).sum())
    return count


@settings(max_examples=12, deadline=None)
@given(SEEDS, RADII, DENSITIES)
def test_buildings_overlap_neither_each_other_nor_streets(
    seed: int, radius: float, density: float
) -> None:
    built = build([(14.0, 38.0, radius, density, seed)])
    rows, sizes = buildings(built)
    assert overlapping(rows, sizes) == []
    assert on_paths(rows, sizes, built.paths) == 0


@settings(max_examples=12, deadline=None)
@given(SEEDS, RADII, st.floats(-4.0, 4.0), st.floats(-30.0, 30.0))
def test_buildings_keep_off_an_earlier_road(
    seed: int, radius: float, off: float, turn: float
) -> None:
    main = road([(14.0 + off - turn / 3, 25.0), (14.0 + off, 38.0), (14.0 + off + turn / 2, 50.0)])
    rows, sizes = buildings(build([(14.0, 38.0, radius, 1.0, seed)], main))
    assert on_paths(rows, sizes, main) == 0


def test_buildings_keep_off_those_of_earlier_districts() -> None:
    built = build([(14.0, 38.0, 8.0, 0.5, 5), (14.0, 38.0, 8.0, 1.0, 6), (18.0, 44.0, 6.0, 1.0, 7)])
    rows, sizes = buildings(built)
    assert overlapping(rows, sizes) == []
    assert {3.0, 4.0, 5.0} == set(rows[:, 15])


@settings(max_examples=30, deadline=None)
@given(SEEDS, RADII, DENSITIES, st.floats(-85.0, 85.0))
def test_everything_lies_within_the_radius(
    seed: int, radius: float, density: float, lat: float
) -> None:
    built = build([(lat, 38.0, radius, density, seed)])
    center = direction(lat, 38.0)
    limit = np.cos(radius * DEG)
    rows, _ = buildings(built)
    assert len(rows) >= 1
    for name, part in built.parts.items():
        if name.startswith("kit:"):
            assert np.all((part.rows[:, 0:3] * center).sum(axis=1) > limit), name
    assert np.all((built.paths.points * center).sum(axis=1) > limit)
    # A path winds: near the edge its shoulder may reach over by half its width at most.
    verge = np.cos(radius * DEG + PATH_HALF_WIDTH)
    for k in (0, 3, 6, 9):
        patches = built.parts["road"].rows[:, k : k + 3]
        assert np.all((patches * center).sum(axis=1) > verge)


@settings(max_examples=20, deadline=None)
@given(SEEDS, RADII, DENSITIES, DENSITIES)
def test_density_only_adds_houses(seed: int, radius: float, one: float, two: float) -> None:
    def houses(density: float) -> set[bytes]:
        built = build([(14.0, 38.0, radius, density, seed)])
        return {
            row.tobytes()
            for name, part in built.parts.items()
            if name.startswith("kit:house")
            for row in part.rows
        }

    assert houses(min(one, two)) <= houses(max(one, two))


@pytest.mark.parametrize(("radius", "low", "high"), [(2, 4, 8), (8, 60, 110), (15, 100, 150)])
def test_full_district_has_as_many_houses_as_fit(radius: float, low: int, high: int) -> None:
    for seed in range(8):
        rows, _ = buildings(build([(14.0, 38.0, radius, 1.0, seed)]))
        assert low <= len(rows) <= high


def test_batch_is_the_same_bytes_as_one_after_another() -> None:
    rows = [(14.0, 38.0, 8.0, 0.6, 5), (14.0, 41.0, 5.0, 1.0, 6), (-60.0, 10.0, 12.0, 0.3, 7)]
    main = road([(12.0, 30.0), (15.0, 45.0)])
    together = build(rows, main)
    laid, alone = [main], []
    for i, row in enumerate(rows):
        paths = Paths(
            *(
                np.concatenate([getattr(p, name) for p in laid])
                for name in ("points", "tangents", "feature", "line", "kind", "half_width")
            )
        )
        alone.append(build([row], paths, 3 + i))
        laid.append(alone[-1].paths)
    for name, part in together.parts.items():
        separate = np.concatenate([one.parts[name].rows for one in alone if name in one.parts])
        assert part.rows.tobytes() == separate.tobytes(), name
    for name in ("points", "tangents", "feature", "kind", "half_width"):
        separate = np.concatenate([getattr(one.paths, name) for one in alone])
        assert getattr(together.paths, name).tobytes() == separate.tobytes(), name


def test_houses_face_their_street() -> None:
    built = build([(14.0, 38.0, 8.0, 1.0, 11)])
    street = built.paths.points[built.paths.kind == STREET]
    rows, _ = buildings(built)
    for row in rows:
        gap = street - row[0:3]
        ahead = (gap * row[4:7]).sum(axis=1)
        aside = np.abs((gap * np.cross(row[0:3], row[4:7])).sum(axis=1))
        assert np.any((ahead > 0.0) & (ahead < 0.02) & (aside < 0.004))


@pytest.mark.parametrize("radius", [2.0, 3.4, 9.0, 15.0])
def test_the_main_street_leads_to_the_town_and_ends_in_two_gates(radius: float) -> None:
    built = build([(2.0, 38.0, radius, 1.0, 3)])
    main = built.paths.half_width == MAIN_HALF_WIDTH
    line = built.paths.points[main]
    known = build_district.districts(columns([(2.0, 38.0, radius, 1.0, 3)]))
    reach = radius * DEG - GATE_INSET
    for end, side in ((line[0], -1.0), (line[-1], 1.0)):
        gate = known.points[0] * np.cos(reach) + side * known.tangents[0] * np.sin(reach)
        assert end == pytest.approx(gate, abs=1e-9)
    town = direction(*TOWN)
    assert (line[-1] * town).sum() > (line[0] * town).sum()
    toward = town - known.points[0] * (known.points[0] * town).sum()
    assert (toward / np.linalg.norm(toward) * known.tangents[0]).sum() == pytest.approx(1.0)


@settings(max_examples=20, deadline=None)
@given(SEEDS, RADII, DENSITIES)
def test_every_street_is_joined_to_the_main_street(seed: int, radius: float, dense: float) -> None:
    streets = build([(14.0, 38.0, radius, dense, seed)]).paths
    on_street = streets.kind == STREET
    points, line = streets.points[on_street], streets.line[on_street]
    apart = np.arccos(np.clip(points @ points.T, -1.0, 1.0)) < 0.0055
    grown = True
    first = int(np.argmax(streets.half_width[on_street]))
    joined = {int(line[first])}
    while grown:
        reached = {int(x) for x in line[apart[np.isin(line, list(joined))].any(axis=0)]}
        grown = reached != joined
        joined = reached
    assert joined == set(line.tolist())


def test_patches_share_exact_corners_along_a_street() -> None:
    rows = build([(14.0, 38.0, 8.0, 0.7, 9)]).parts["road"].rows
    next_piece = rows[1:, 12] == rows[:-1, 13]
    assert next_piece.mean() > 0.8
    assert rows[:-1][next_piece][:, 3:6].tobytes() == rows[1:][next_piece][:, 0:3].tobytes()
    assert rows[:-1][next_piece][:, 9:12].tobytes() == rows[1:][next_piece][:, 6:9].tobytes()
    assert np.all(rows[:, 13] - rows[:, 12] <= 0.008)


def test_paths_are_in_feature_order_with_a_plot_for_every_building() -> None:
    built = build([(14.0, 38.0, 8.0, 0.7, 9), (30.0, 38.0, 4.0, 0.7, 9)])
    assert np.all(np.diff(built.paths.feature) >= 0)
    rows, _ = buildings(built)
    assert int((built.paths.kind == PLOT).sum()) == len(rows)


def test_districts_are_pinned_to_the_bit() -> None:
    built = build([(14.0, 38.0, 8.0, 0.7, 9), (18.0, 44.0, 15.0, 1.0, 10)])
    whole = hashlib.sha256()
    for name in sorted(built.parts):
        whole.update(name.encode() + built.parts[name].rows.astype("<f4").tobytes())
    assert whole.hexdigest() == PINNED


PINNED = "e239c30a8df952c3fc50eb67945da2c7a9a18d54be63cd78adea390b49dc822b"
