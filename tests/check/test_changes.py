"""What changed between two worlds is named by feature and argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.check.changes import feature_changes, field_changes
from godseed.check.generate import generated_world
from godseed.sim.digest import Change
from godseed.sim.feature import Feature, feature_id

FEATURES = tuple(generated_world(21, 20).features)


def numbered(features: Sequence[Feature]) -> list[Feature]:
    return [replace(feature, id=feature_id(i)) for i, feature in enumerate(features)]


def with_args(index: int, **args: Any) -> list[Feature]:
    feature = FEATURES[index]
    changed = replace(feature, args={**feature.args, **args})
    return [*FEATURES[:index], changed, *FEATURES[index + 1 :]]


def test_equal_worlds_differ_in_nothing() -> None:
    assert feature_changes(FEATURES, FEATURES) == []


def test_one_argument_is_named_with_both_values() -> None:
    changed = with_args(1, height=0.051)
    (change,) = feature_changes(FEATURES, changed)
    assert change.text == "f_000001 raise_terrain: height 0.05 -> 0.051"


def test_waypoint_text_seed_and_time_are_named() -> None:
    road = Feature("f_000000", "w_000001", "place_road", {"path": ((1.0, 2.0), (3.0, 4.0))}, 1)
    moved = replace(road, args={"path": ((1.0, 2.0), (3.0, 4.5))}, seed=2, t=3.5)
    assert field_changes(road, moved) == (
        "path[1] (3,4) -> (3,4.5)",
        "seed 1 -> 2",
        "t 0 -> 3.5",
    )
    longer = replace(road, args={"path": ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))})
    assert field_changes(road, longer) == ("path 2 waypoints -> 3 waypoints",)


def test_another_tool_is_named_instead_of_its_arguments() -> None:
    monolith = replace(FEATURES[2], id="f_000001")
    assert field_changes(FEATURES[1], monolith) == ("tool raise_terrain -> place_structure",)


def test_feature_taken_from_the_middle_is_one_removal() -> None:
    shorter = numbered([*FEATURES[:7], *FEATURES[8:]])
    (change,) = feature_changes(FEATURES, shorter)
    assert (change.kind, change.feature, change.before) == ("removed", "f_000007", "f_000007")
    assert change.text == f"f_000007 {FEATURES[7].tool}: removed"


def test_feature_put_into_the_middle_is_one_addition() -> None:
    shorter = numbered([*FEATURES[:7], *FEATURES[8:]])
    (change,) = feature_changes(shorter, FEATURES)
    assert (change.kind, change.feature, change.before) == ("added", "f_000007", "")


def test_two_neighbours_that_swapped_are_one_move() -> None:
    swapped = numbered([*FEATURES[:7], FEATURES[8], FEATURES[7], *FEATURES[9:]])
    (change,) = feature_changes(FEATURES, swapped)
    assert change.kind == "moved"
    assert change.text.endswith(("moved from f_000007", "moved from f_000008"))


def test_removal_beside_a_change_is_told_apart() -> None:
    changed = replace(FEATURES[8], seed=FEATURES[8].seed ^ 1)
    after = numbered([*FEATURES[:7], changed, *FEATURES[9:]])
    kinds = {change.kind: change for change in feature_changes(FEATURES, after)}
    assert sorted(kinds) == ["changed", "removed"]
    assert kinds["removed"].before == "f_000007"
    assert kinds["changed"].before == "f_000008"


def test_geometry_that_moved_along_is_listed_with_its_buffer() -> None:
    moved = [
        Change("f_000002", "kit:monolith", "changed", 1, 0.012),
        Change("", "planet", "changed"),
    ]
    texts = [change.text for change in feature_changes(FEATURES, FEATURES, moved)]
    assert texts == [
        "f_000002 place_structure: kit:monolith changed, 1 row, largest offset 0.012",
        "ground: planet changed",
    ]


def test_features_with_another_number_do_not_count_as_moved_geometry() -> None:
    shorter = numbered([*FEATURES[:7], *FEATURES[8:]])
    moved = [Change(feature.id, "road", "changed") for feature in FEATURES[8:]]
    assert [change.kind for change in feature_changes(FEATURES, shorter, moved)] == ["removed"]


@given(st.integers(0, 23), st.integers(0, 2**31 - 1))
def test_any_single_fault_is_named(index: int, seed: int) -> None:
    feature = FEATURES[index]
    if feature.seed == seed:
        seed ^= 1
    after = [*FEATURES[:index], replace(feature, seed=seed), *FEATURES[index + 1 :]]
    (change,) = feature_changes(FEATURES, after)
    assert change.text == f"{feature.id} {feature.tool}: seed {feature.seed} -> {seed}"


@pytest.mark.parametrize("count", [5000])
def test_long_differing_stretches_are_paired_by_number(count: int) -> None:
    base = [
        Feature(feature_id(i), "w_000001", "set_weather", {"kind": "rain", "intensity": 0.5}, i)
        for i in range(count)
    ]
    after = [replace(feature, seed=feature.seed + 1_000_000) for feature in base]
    changes = feature_changes(base, after)
    assert len(changes) == count
    assert changes[0].text == "f_000000 set_weather: seed 0 -> 1000000"
