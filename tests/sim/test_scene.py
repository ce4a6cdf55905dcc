"""The scene: building feature by feature gives the bytes of building from scratch."""

from __future__ import annotations

import numpy as np
import pytest

from godseed.check.generate import generated_features, generated_world
from godseed.sim.feature import Feature
from godseed.sim.scene import Buffer, Scene
from godseed.sim.world import World
from godseed.spec import load

TOOLS = tuple(row["name"] for row in load("tools.json")["tools"])


def assert_same_bytes(a: Scene, b: Scene) -> None:
    assert sorted(a.buffers) == sorted(b.buffers)
    for name, buffer in a.buffers.items():
        other = b.buffers[name]
        assert buffer.rows.view.tobytes() == other.rows.view.tobytes(), name
        assert buffer.feature.view.tobytes() == other.feature.view.tobytes(), name
        assert buffer.sums.view.tobytes() == other.sums.view.tobytes(), name
        if buffer.anchors:
            assert buffer.ground().tobytes() == other.ground().tobytes(), name
    assert a.terrain.tobytes() == b.terrain.tobytes()
    assert a.lights.tobytes() == b.lights.tobytes()
    assert a.paths.points.tobytes() == b.paths.points.tobytes()
    assert a.town_sum.tobytes() == b.town_sum.tobytes()


@pytest.mark.parametrize("block", range(15))
def test_scene_built_feature_by_feature_equals_scene_built_from_scratch(block: int) -> None:
    """300 generated worlds in all, 20 to a block, of 1 to 24 features."""
    for seed in range(block * 20, block * 20 + 20):
        features = generated_world(seed, 1 + seed % 24).features
        grown = Scene.empty()
        for feature in features:
            grown = grown.extended((feature,))
        assert_same_bytes(grown, Scene.build(features))


def test_scene_extended_in_uneven_pieces_equals_scene_built_from_scratch() -> None:
    features = generated_world(77, 60).features
    for cut in (1, 5, 17, 59):
        assert_same_bytes(
            Scene.build(features[:cut]).extended(features[cut:]), Scene.build(features)
        )


def test_two_scenes_extended_from_the_same_one_do_not_see_each_other() -> None:
    world = generated_world(5, 12)
    base = Scene.build(world.features)
    left = generated_features(100, 4, len(world))
    right = generated_features(200, 4, len(world))
    one, two = base.extended(left), base.extended(right)
    assert_same_bytes(one, Scene.build((*world.features, *left)))
    assert_same_bytes(two, Scene.build((*world.features, *right)))
    assert_same_bytes(base, Scene.build(world.features))


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_gives_finite_rows_of_its_own_features(tool: str) -> None:
    features = generated_world(9, 40, (tool,)).features
    scene = Scene.build(features)
    for name, buffer in scene.buffers.items():
        rows, owners = buffer.rows.view, buffer.feature.view
        assert np.isfinite(rows).all(), name
        assert (np.diff(owners) >= 0).all(), name
        assert owners.min(initial=0) >= 0, name
        assert owners.max(initial=0) < len(features), name


@pytest.mark.parametrize("tool", TOOLS)
def test_a_batch_of_one_tool_equals_its_features_one_by_one(tool: str) -> None:
    features = generated_world(31, 25, (tool,)).features
    grown = Scene.empty()
    for feature in features:
        grown = grown.extended((feature,))
    assert_same_bytes(grown, Scene.build(features))


def test_terrain_raised_later_lifts_what_stands_there_and_nothing_else() -> None:
    world = World.genesis()
    house = {"lat": 20.0, "lon": 60.0, "kind": "house", "scale": 1.0, "hue": 30.0}
    far = {"lat": -40.0, "lon": -120.0, "kind": "house", "scale": 1.0, "hue": 30.0}
    hill = {"lat": 20.0, "lon": 60.0, "radius_deg": 10.0, "height": 0.08, "roughness": 0.0}
    for i, (tool, args) in enumerate(
        (("place_structure", house), ("place_structure", far), ("raise_terrain", hill))
    ):
        world = world.apply({"tool": tool, "args": args}, "w_000001", i).world
    before, after = Scene.build(world.features[:-1]), Scene.build(world.features)
    lifted = dict.fromkeys((4, 5), 0.0)
    for name, buffer in after.buffers.items():
        if name.startswith("kit:house"):
            change = buffer.ground()[:, 0] - before.buffers[name].ground()[:, 0]
            for owner, delta in zip(buffer.feature.view, change, strict=True):
                lifted[int(owner)] = float(delta)
    assert lifted[4] == pytest.approx(0.08, abs=0.002)
    assert lifted[5] == 0.0


def test_places_outside_a_terrain_feature_keep_their_height_to_the_bit() -> None:
    base = Scene.build(generated_world(3, 30).features)
    hill = Feature(
        f"f_{len(base.features):06d}",
        "w_000099",
        "raise_terrain",
        {"lat": 10.0, "lon": 10.0, "radius_deg": 12.0, "height": 0.1, "roughness": 1.0},
        7,
    )
    raised = base.extended((hill,))
    row = raised.terrain[-1]
    for name, buffer in raised.buffers.items():
        if not buffer.anchors:
            continue
        dirs = buffer.anchor_dirs()
        outside = ~(dirs[:, 0] * row[0] + dirs[:, 1] * row[1] + dirs[:, 2] * row[2] > row[3])
        same = buffer.sums.view[outside] == base.buffers[name].sums.view[outside]
        assert same.all(), name


def test_an_empty_extension_gives_the_same_scene() -> None:
    scene = Scene.build(World.genesis().features)
    assert scene.extended(()) is scene


def test_prefix_scenes_do_not_change_when_the_world_grows() -> None:
    features = generated_world(11, 20).features
    short = Scene.build(features[:10])
    kept: dict[str, Buffer] = dict(short.buffers)
    bytes_before = {name: buffer.rows.view.tobytes() for name, buffer in kept.items()}
    short.extended(features[10:])
    assert bytes_before == {name: buffer.rows.view.tobytes() for name, buffer in kept.items()}
