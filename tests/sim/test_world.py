"""The world grows at its end only, and every earlier world stays what it was."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.feature import Feature, feature_seed, wish_id
from godseed.sim.world import Applied, World, observation

HOUSE = {
    "tool": "place_structure",
    "args": {"lat": 1, "lon": 2, "kind": "house", "scale": 1, "hue": 30},
}
RAIN = {"tool": "set_weather", "args": {"kind": "rain", "intensity": 0.5}}


def grown(*wishes: int) -> World:
    """Genesis and one wish per number, of so many houses."""
    world = World.genesis()
    for number, houses in enumerate(wishes, start=1):
        world = world.granted(wish_id(number))
        for i in range(houses):
            world = world.apply(HOUSE, wish_id(number), i).world
    return world


def test_apply_gives_back_the_feature_that_it_stored() -> None:
    before = World.genesis()
    after, said, feature = before.apply(HOUSE, "w_000001", 3, 1718200000)
    assert said == "ok: house placed at (1,2)"
    assert feature == Feature(
        "f_000004",
        "w_000001",
        "place_structure",
        HOUSE["args"],  # type: ignore[arg-type]
        feature_seed("w_000001", 3),
        1718200000.0,
    )
    assert after.features[4] is feature
    assert (len(before), len(after)) == (4, 5)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            {
                "tool": "raise_terrain",
                "args": {"lat": 12, "lon": 40, "radius_deg": 60, "height": 0.1, "roughness": 1},
            },
            "ok: mountains risen at (12,40) (radius_deg 60 -> 45)",
        ),
        (
            {"tool": "place_road", "args": {"path": [[1, 2], [3.25, -4]]}},
            "ok: road laid from (1,2) to (3.25,-4)",
        ),
        (
            {"tool": "place_water", "args": {"kind": "pool", "path": [[1, 2]], "hue": 200}},
            "ok: pool laid at (1,2)",
        ),
        (
            {
                "tool": "spawn_life",
                "args": {
                    "lat": 0,
                    "lon": -0.0,
                    "radius_deg": 5,
                    "kind": "birds",
                    "count": "7",
                    "hue": 1,
                },
            },
            "ok: 7 birds released at (0,0)",
        ),
        (
            {
                "tool": "spawn_flora",
                "args": {"lat": 0, "lon": 0, "radius_deg": 5, "kind": "cactus"},
            },
            "rejected: unknown kind 'cactus'; "
            "one of trees, glowgrass, mushrooms, vines, flowers, reeds",
        ),
        (
            {"tool": "set_sky"},
            "rejected: palette is missing; one of dawn, dusk, night, aurora, ember, void, gold",
        ),
        (None, 'rejected: null; {"tool": name, "args": {...}} expected'),
        ([HOUSE], 'rejected: a list; {"tool": name, "args": {...}} expected'),
        ({}, 'rejected: no tool; {"tool": name, "args": {...}} expected'),
        ({"args": {}}, 'rejected: no tool; {"tool": name, "args": {...}} expected'),
        (
            {"tool": "set_sky", "args": [1]},
            "rejected: args is a list; an object of arguments expected",
        ),
        (
            {"tool": "set_sky", "args": None},
            "rejected: args is null; an object of arguments expected",
        ),
    ],
)
def test_apply_says_what_came_of_a_call(call: object, said: str) -> None:
    world = World.genesis()
    result = world.apply(call, "w_000001", 0)
    assert result.observation == said
    if said.startswith("rejected"):
        assert result == Applied(world, said, None)
        assert len(world) == 4


def test_a_rejected_call_does_not_move_the_seeds_of_others() -> None:
    world = World.genesis().apply({"tool": "x"}, "w_000001", 0).world
    feature = world.apply(HOUSE, "w_000001", 1).feature
    assert feature is not None
    assert (feature.id, feature.seed) == ("f_000004", feature_seed("w_000001", 1))


json_values: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["12", "house", "pool", "set_weather", "rain", 10**400]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["tool", "args", "lat", "lon", "kind", "intensity", "path", "x"]), inner
        )
    ),
    max_leaves=12,
)


@given(json_values | st.fixed_dictionaries({"tool": st.just("set_weather"), "args": json_values}))
def test_apply_answers_anything_and_stores_nothing_but_features(call: object) -> None:
    world = World.genesis()
    after, said, feature = world.apply(call, "w_000001", 0)
    assert said.startswith(("ok: ", "rejected: "))
    assert "\n" not in said
    assert (feature is not None) == said.startswith("ok") == (len(after) == 5)
    if feature is not None:
        assert Feature.from_json(feature.to_json()) == feature


def test_apply_refuses_a_caller_without_a_wish() -> None:
    with pytest.raises(ValueError, match="wish_id: 'wish 1'; expected w_ and six digits"):
        World.genesis().apply(HOUSE, "wish 1", 0)
    with pytest.raises(ValueError, match=r"feature\.t: nan; expected seconds"):
        World.genesis().apply(HOUSE, "w_000001", 0, math.nan)


def test_observation_of_a_call_without_notes_is_one_short_sentence() -> None:
    assert observation("set_weather", {"kind": "snow", "intensity": 1.0}) == (
        "ok: weather is now snow"
    )


def test_worlds_share_storage_and_do_not_see_each_other() -> None:
    base = grown(1)
    left = base.apply(HOUSE, "w_000002", 0).world
    right = base.apply(RAIN, "w_000002", 0).world
    further = left.apply(RAIN, "w_000003", 0).world
    assert [f.tool for f in left.features[5:]] == ["place_structure"]
    assert [f.tool for f in right.features[5:]] == ["set_weather"]
    assert [f.tool for f in further.features[5:]] == ["place_structure", "set_weather"]
    assert (len(base), base.epoch, right.epoch, further.epoch) == (5, 1, 2, 3)
    assert further.wish_ids == ("w_000001", "w_000002", "w_000003")


def test_features_are_a_sequence_that_later_wishes_do_not_change() -> None:
    world = grown(3)
    features = world.features
    world.apply(HOUSE, "w_000009", 0)
    assert len(features) == 7
    assert features[-1].id == "f_000006"
    assert features[2:4] == (features[2], features[3])
    assert list(features) == list(features[:])
    assert features == tuple(features)
    assert features != tuple(features)[1:]
    assert features[3] in features
    with pytest.raises(IndexError):
        features[7]


@given(st.lists(st.integers(0, 3), max_size=6))
def test_at_gives_the_world_after_each_wish(wishes: list[int]) -> None:
    world = grown(*wishes)
    assert world.epoch == len(wishes)
    for epoch in range(len(wishes) + 1):
        then = world.at(epoch)
        assert then.epoch == epoch
        assert len(then) == 4 + len([1 for n in wishes[:epoch] for _ in range(n)])
        assert then.digest == grown(*wishes[:epoch]).digest
        assert then.wish_ids == world.wish_ids[:epoch]


def test_at_refuses_an_epoch_that_has_not_come() -> None:
    with pytest.raises(ValueError, match=r"world\.at: epoch 3; expected 0\.\.2"):
        grown(1, 1).at(3)
    with pytest.raises(ValueError, match=r"world\.at: epoch -1"):
        grown(1, 1).at(-1)


def test_prefix_cuts_anywhere() -> None:
    world = grown(2, 0, 2)
    assert [world.prefix(n).epoch for n in range(len(world) + 1)] == [0, 0, 0, 0, 0, 1, 1, 3, 3]
    assert world.prefix(5).digest == world.at(1).prefix(5).digest
    with pytest.raises(ValueError, match=r"world\.prefix: 9 features; expected 0\.\.8"):
        world.prefix(9)


def test_a_prefix_grows_without_touching_its_future() -> None:
    world = grown(2, 2)
    branch = world.prefix(5).apply(RAIN, "w_000007", 0).world
    assert branch.features[5].id == "f_000005"
    assert branch.wish_ids == ("w_000001", "w_000007")
    assert world.features[5].tool == "place_structure"
    assert world.wish_ids == ("w_000001", "w_000002")


def test_a_wish_that_made_nothing_counts_once_it_is_granted() -> None:
    world = World.genesis().granted("w_000001")
    assert world.epoch == 1
    assert world.granted("w_000001") is world
    assert world.granted("genesis") is world


def test_world_refuses_a_list_with_a_hole() -> None:
    features = list(grown(2).features)
    with pytest.raises(
        ValueError, match=r"world\.features\[4\]: id 'f_000005'; expected 'f_000004'"
    ):
        World(features[:4] + features[5:])
    with pytest.raises(ValueError, match=r"world\.features\[6\]: id 'f_000005'"):
        World(features).extended(features[5:])
    assert World(features).digest == grown(2).digest
    assert World().epoch == 0


def test_extended_refuses_all_or_nothing() -> None:
    world = grown(1)
    good, bad = grown(2).features[5], grown(3).features[5]
    with pytest.raises(ValueError, match="expected 'f_000006'"):
        world.extended((good, bad))
    assert len(world.extended((good,))) == 6


def test_world_pickles_without_its_future() -> None:
    world = grown(2, 0, 1)
    copy = pickle.loads(pickle.dumps(world.at(2)))
    assert (copy.digest, copy.wish_ids) == (world.at(2).digest, world.at(2).wish_ids)
    assert copy.apply(HOUSE, "w_000009", 0).world.epoch == 3
    assert repr(copy) == "World(6 features, epoch 2)"


def test_appending_copies_nothing() -> None:
    world = grown(1)
    storage = world._log.features
    for i in range(100):
        world = world.apply(RAIN, "w_000002", i).world
    assert world._log.features is storage
    assert len(storage) == len(world) == 105
