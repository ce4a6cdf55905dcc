"""Where the town lies and what it is called, for every prefix of a world."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.feature import Feature, feature_id, wish_id
from godseed.sim.genesis import genesis_features
from godseed.sim.sphere import direction
from godseed.sim.town import TownSum, centers_of, town_center, town_name, town_place, town_prefixes
from godseed.spec import load

FALLBACK = direction(14.0, 38.0)
PINNED = {
    (14.0, 38.0): "Hazelmoor",
    (15.0, 41.0): "Amberstow",
    (0.0, 0.0): "Duskwater",
    (-33.0, 151.0): "Dunmarrow",
}
HOUSE: dict[str, Any] = {"kind": "house", "scale": 1.0, "hue": 30.0}
DISTRICT: dict[str, Any] = {"radius_deg": 4.0, "density": 0.5, "hue": 30.0}


def built(tool: str, lat: float, lon: float, wish: str = "w_000001", index: int = 4) -> Feature:
    rest = HOUSE if tool == "place_structure" else DISTRICT
    return Feature(feature_id(index), wish, tool, {"lat": lat, "lon": lon, **rest}, 1)


def test_an_empty_town_lies_at_the_monolith() -> None:
    assert town_center([]).tolist() == FALLBACK.tolist()
    assert town_center(genesis_features()).tolist() == FALLBACK.tolist()
    assert town_place(FALLBACK) == (14, 38)


def test_genesis_does_not_pull() -> None:
    far = built("place_structure", -60, 100, wish="genesis")
    assert town_center([far]).tolist() == FALLBACK.tolist()


@pytest.mark.parametrize("tool", ["place_structure", "build_district"])
def test_one_building_is_the_centre(tool: str) -> None:
    center = town_center([built(tool, -20, 70)])
    np.testing.assert_allclose(center, direction(-20.0, 70.0), atol=1e-15)
    assert town_place(center) == (-20, 70)


def test_a_district_weighs_four_structures() -> None:
    district, house = built("build_district", 0, 0), built("place_structure", 0, 90)
    expected = np.array([1.0, 0.0, 4.0]) / np.sqrt(17.0)
    np.testing.assert_allclose(town_center([district, house]), expected, atol=1e-15)


def test_other_tools_do_not_pull() -> None:
    tree = {"lat": 1.0, "lon": 2.0, "radius_deg": 5.0, "kind": "trees", "density": 1.0, "hue": 1.0}
    features = [
        built("place_structure", 10, 20),
        Feature("f_000005", "w_000001", "spawn_flora", tree, 1),
        Feature("f_000006", "w_000001", "place_road", {"path": [[1, 2], [3, 4]]}, 1),
    ]
    assert town_center(features).tolist() == town_center(features[:1]).tolist()


def test_towns_on_opposite_sides_fall_back() -> None:
    pair = [built("place_structure", 30, 10), built("place_structure", -30, -170)]
    assert town_center(pair).tolist() == FALLBACK.tolist()


places = st.tuples(
    st.sampled_from(["place_structure", "build_district"]),
    st.floats(-85, 85),
    st.floats(-180, 180),
    st.sampled_from(["genesis", wish_id(1), wish_id(2)]),
)


@given(st.lists(places, max_size=12), st.integers(0, 12))
def test_every_way_of_summing_gives_the_same_bits(
    items: list[tuple[str, float, float, str]], cut: int
) -> None:
    features = [built(*item) for item in items]
    running = TownSum()
    one_by_one = []
    for feature in features:
        one_by_one.append(running.center.tolist())
        running.add(feature)
    start = np.zeros(3)
    whole, total = town_prefixes(start, features)
    head, middle = town_prefixes(start, features[:cut])
    tail, end = town_prefixes(middle, features[cut:])
    assert whole.tolist() == one_by_one == [*head.tolist(), *tail.tolist()]
    assert total.tolist() == end.tolist() == running.total.tolist()
    assert town_center(features).tolist() == running.center.tolist()
    assert not start.any()
    norms = np.sqrt(np.sum(whole * whole, axis=1)) if len(whole) else np.ones(1)
    np.testing.assert_allclose(norms, 1.0, atol=1e-12)


def test_centers_of_many_sums_are_those_of_each() -> None:
    sums = np.array([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [1e-10, 0.0, 0.0], [3.0, 0.0, 4.0]])
    expected = [FALLBACK.tolist(), [0.0, 1.0, 0.0], FALLBACK.tolist(), [0.6, 0.0, 0.8]]
    assert centers_of(sums).tolist() == expected


@pytest.mark.parametrize(
    ("lat", "lon", "place"),
    [
        (14.0, 38.0, (14, 38)),
        (-0.2, 0.3, (0, 0)),
        (10.4999, -10.4999, (10, -10)),
        (10.5001, -10.5001, (11, -11)),
    ],
)
def test_town_is_named_after_its_whole_degrees(
    lat: float, lon: float, place: tuple[int, int]
) -> None:
    center = direction(lat, lon)
    names = load("town_names.json")
    assert town_place(center) == place
    key = f"{place[0]},{place[1]}".encode()
    assert town_name(center) == names[zlib.crc32(key) % len(names)]


def test_names_of_towns_are_pinned() -> None:
    found = [town_name(direction(lat, lon)) for lat, lon in PINNED]
    assert found == list(PINNED.values())
