"""Structures: each kind stands, looks at its road, and keeps off roads and houses."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from godseed.sim.columns import Built, Columns, Paths, Ragged
from godseed.sim.maths import F64
from godseed.sim.plots import plot_paths
from godseed.sim.sphere import direction
from godseed.sim.tools import place_road, place_structure
from godseed.spec import load

KINDS = place_structure._kind_names()
TOWN = direction(14.0, 38.0)


def columns(
    at: list[tuple[float, float]],
    kinds: list[str],
    first: int = 10,
    scale: float = 1.0,
    seeds: list[int] | None = None,
) -> Columns:
    n = len(at)
    index = np.arange(first, first + n, dtype=np.int64)
    seed = np.array(seeds or (index * 7919 + 13).tolist(), dtype=np.uint32)
    numbers = {
        "lat": np.array([p[0] for p in at]),
        "lon": np.array([p[1] for p in at]),
        "scale": np.full(n, scale),
        "hue": index * 37.0 % 360.0,
    }
    enums = {"kind": np.array([KINDS.index(kind) for kind in kinds], dtype=np.int64)}
    return Columns(index, seed, numbers, enums, town=np.tile(TOWN, (n, 1)))


def road(waypoints: list[tuple[float, float]]) -> Paths:
    values = np.array(waypoints)
    ragged = Ragged(values, np.array([0, len(values)], dtype=np.int64))
    made = Columns(np.zeros(1, np.int64), np.ones(1, np.uint32), paths={"path": ragged})
    return place_road.build(made, Paths.empty()).paths


MAIN = road([(14.0, 20.0), (14.0, 38.0), (14.0, 56.0)])


def only(built: Built) -> F64:
    rows = np.concatenate([p.rows for name, p in built.parts.items() if name.startswith("kit:")])
    return np.asarray(rows[0])


def test_every_kind_gives_its_kit_one_lamp_and_its_halo() -> None:
    for kind in KINDS:
        built = place_structure.build(columns([(14.0, 40.0)], [kind]), Paths.empty())
        names = {name for name in built.parts if name.startswith("kit:")}
        if kind == "house":
            assert len(names) == 1
            assert names <= {f"kit:{name}" for name in place_structure.HOUSES}
        else:
            assert f"kit:{kind}" in names
        assert len(built.parts["light"].rows) == 1
        assert ("sprite" in built.parts) == (place_structure.GLOWS[kind].halo > 0.0)


def test_glows_cover_the_kinds_of_the_spec() -> None:
    assert tuple(place_structure.GLOWS) == KINDS


def test_batch_is_the_same_bytes_as_one_by_one() -> None:
    at = [(14.0 + 0.37 * i, 38.0 + 0.81 * (i % 5)) for i in range(24)]
    kinds = [KINDS[i % len(KINDS)] for i in range(24)]
    together = place_structure.build(columns(at, kinds), MAIN)
    alone = [
        place_structure.build(columns(at[i : i + 1], kinds[i : i + 1], 10 + i), MAIN)
        for i in range(24)
    ]
    for name, part in together.parts.items():
        rows = np.concatenate([one.parts[name].rows for one in alone if name in one.parts])
        assert part.rows.tobytes() == rows.tobytes(), name


@settings(max_examples=30, deadline=None)
@given(
    st.floats(-2.5, 2.5), st.floats(22.0, 54.0), st.sampled_from(sorted(set(KINDS) - {"village"}))
)
def test_building_beside_a_road_faces_it_and_keeps_off_it(
    off: float, lon: float, kind: str
) -> None:
    row = only(place_structure.build(columns([(14.0 + off, lon)], [kind]), MAIN))
    at, front = row[0:3], row[4:7]
    nearest = int(np.argmax((MAIN.points * at).sum(axis=1)))
    toward = MAIN.points[nearest] - at
    assert float((toward * front).sum()) > 0.0
    assert abs(float((MAIN.tangents[nearest] * front).sum())) < 0.05
    half_depth = place_structure._half_sizes(kind)[1]
    distance = np.sqrt((toward * toward).sum())
    assert distance > half_depth + 0.0045


def test_building_at_the_end_of_a_road_stands_across_it() -> None:
    row = only(place_structure.build(columns([(14.0, 56.0)], ["bank"]), MAIN))
    assert float((row[4:7] * MAIN.tangents[-1]).sum()) == pytest.approx(-1.0, abs=1e-3)
    assert float(((row[0:3] - MAIN.points[-1]) * MAIN.tangents[-1]).sum()) > 0.013


def test_building_far_from_roads_faces_the_town() -> None:
    row = only(place_structure.build(columns([(30.0, 60.0)], ["cafe"]), MAIN))
    toward = TOWN - row[0:3]
    toward = toward - row[0:3] * float((toward * row[0:3]).sum())
    assert float((toward * row[4:7]).sum()) == pytest.approx(np.sqrt((toward**2).sum()))


def test_building_on_the_far_side_faces_where_its_seed_says() -> None:
    fronts = [
        only(place_structure.build(columns([(-14.0, -140.0)], ["cafe"], seeds=[seed]), MAIN))[4:7]
        for seed in (1, 2)
    ]
    assert not np.allclose(fronts[0], fronts[1])


def test_later_roads_are_not_looked_at() -> None:
    early = columns([(14.5, 30.0)], ["cafe"], first=0)
    with_road = place_structure.build(early, MAIN)
    without = place_structure.build(early, Paths.empty())
    assert only(with_road).tobytes() == only(without).tobytes()


def test_building_steps_aside_from_earlier_houses() -> None:
    at = direction(14.0, 100.0)[None]
    house = plot_paths(at, np.array([0.01]), np.zeros(1, np.int64), np.zeros(1, np.int64))
    row = only(place_structure.build(columns([(14.0, 100.0)], ["tower"]), house))
    distance = np.sqrt(((row[0:3] - at[0]) ** 2).sum())
    assert 0.01 < distance < place_structure.ASIDE_REACH


def test_village_is_a_ring_of_houses_that_look_at_the_well() -> None:
    built = place_structure.build(columns([(14.0, 80.0)], ["village"]), Paths.empty())
    well = built.parts["kit:village"].rows[0]
    houses = np.concatenate(
        [part.rows for name, part in built.parts.items() if name.startswith("kit:house")]
    )
    assert len(houses) == 6
    for house in houses:
        toward = well[0:3] - house[0:3]
        distance = np.sqrt((toward**2).sum())
        assert 0.02 < distance < 0.045
        assert float((toward * house[4:7]).sum()) > 0.99 * distance


def test_plots_reserve_the_asked_ground() -> None:
    made = columns([(14.0, 80.0), (15.0, 81.0)], ["tower", "village"], scale=2.0)
    plots = place_structure.plots(made)
    assert np.array_equal(plots.feature, made.index)
    assert np.all(plots.half_width > 0.015)


def test_kinds_come_from_the_spec() -> None:
    rows = {row["name"]: row for row in load("tools.json")["tools"]}
    kind = next(arg for arg in rows["place_structure"]["args"] if arg["name"] == "kind")
    assert tuple(kind["values"]) == KINDS


def test_structures_are_pinned_to_the_bit() -> None:
    built = place_structure.build(
        columns([(14.0 + i, 38.0 + i) for i in range(12)], list(KINDS)), MAIN
    )
    whole = hashlib.sha256()
    for name in sorted(built.parts):
        whole.update(name.encode() + built.parts[name].rows.astype("<f4").tobytes())
    assert whole.hexdigest() == PINNED


PINNED = "66d32bbdc924b8df50139d7a2b34280104d1fefd88e1fafdd0c63ed83f67488a"
