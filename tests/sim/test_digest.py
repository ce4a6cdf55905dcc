"""Digests of geometry: equal for equal scenes, and a difference names its feature and buffer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from godseed.check.generate import generated_world
from godseed.sim.digest import (
    PLANET,
    Change,
    GeometryDigest,
    compare,
    compare_scenes,
    geometry_digest,
)
from godseed.sim.feature import Feature
from godseed.sim.growing import Growing
from godseed.sim.scene import Scene
from godseed.sim.world import World

FEATURES = tuple(generated_world(5, 14).features)


def house(lat: float, kind: str = "lighthouse", number: int = 4) -> Feature:
    args = {"lat": lat, "lon": 60.0, "kind": kind, "scale": 1.0, "hue": 30.0}
    return Feature(f"f_{number:06d}", "w_000001", "place_structure", args, 7)


def hill(number: int) -> Feature:
    args = {"lat": 20.0, "lon": 60.0, "radius_deg": 10.0, "height": 0.08, "roughness": 0.0}
    return Feature(f"f_{number:06d}", "w_000002", "raise_terrain", args, 9)


def genesis_with(*features: Feature) -> Scene:
    return Scene.build((*World.genesis().features, *features))


def test_scene_built_twice_or_feature_by_feature_has_one_digest() -> None:
    grown = Scene.empty()
    for feature in FEATURES:
        grown = grown.extended((feature,))
    assert geometry_digest(grown) == geometry_digest(Scene.build(FEATURES))


def test_digest_names_every_feature_and_every_buffer() -> None:
    scene = Scene.build(FEATURES)
    digest = geometry_digest(scene)
    assert list(digest.features) == [feature.id for feature in FEATURES]
    assert list(digest.buffers) == sorted([*scene.buffers, PLANET])
    for name, buffer in scene.buffers.items():
        owners = {f"f_{i:06d}" for i in buffer.feature.view}
        assert owners == {f for f, slices in digest.features.items() if name in slices}


def test_sky_draws_nothing_of_its_own_and_is_named_all_the_same() -> None:
    assert geometry_digest(genesis_with()).features["f_000000"] == {}


def test_adding_a_feature_leaves_the_slices_of_the_others_alone() -> None:
    before, after = geometry_digest(genesis_with()), geometry_digest(genesis_with(house(-50.0)))
    assert {c.feature for c in compare(before, after) if c.buffer != PLANET} == {"f_000004"}
    assert {c.kind for c in compare(before, after) if c.feature} == {"added"}
    assert {c.kind for c in compare(after, before) if c.feature} == {"removed"}


def test_equal_digests_differ_in_nothing() -> None:
    digest = geometry_digest(genesis_with(house(20.0)))
    assert compare(digest, digest) == []
    assert compare_scenes(genesis_with(house(20.0)), genesis_with(house(20.0))) == []


def test_house_moved_by_the_smallest_step_changes_its_slice_and_no_other() -> None:
    moved = house(float(np.nextafter(np.float32(20.0), np.float32(30.0))))
    before, after = genesis_with(house(20.0)), genesis_with(moved)
    changes = compare(geometry_digest(before), geometry_digest(after))
    assert {c.feature for c in changes} <= {"f_000004", ""}
    assert Change("f_000004", "kit:lighthouse", "changed") in changes
    offsets = [c.offset for c in compare_scenes(before, after) if c.buffer == "kit:lighthouse"]
    assert len(offsets) == 1
    assert offsets[0] is not None
    assert 0.0 < offsets[0] < 1e-6


def test_hill_raised_later_changes_the_house_on_it_by_its_height() -> None:
    before = genesis_with(house(20.0), house(-60.0, number=5))
    after = genesis_with(house(20.0), house(-60.0, number=5), hill(6))
    changes = {(c.feature, c.buffer): c for c in compare_scenes(before, after)}
    lifted = changes["f_000004", "kit:lighthouse"]
    assert (lifted.kind, lifted.rows) == ("changed", 1)
    assert lifted.offset == pytest.approx(0.08, abs=0.002)
    assert ("f_000005", "kit:lighthouse") not in changes
    assert changes["", PLANET].kind == "changed"


def test_comparing_scenes_and_comparing_digests_name_the_same_slices() -> None:
    other = (*FEATURES[:9], replace(FEATURES[9], seed=FEATURES[9].seed ^ 1), *FEATURES[10:])
    one, two = Scene.build(FEATURES), Scene.build(other)
    named = [(c.feature, c.buffer, c.kind) for c in compare_scenes(one, two)]
    assert named == [
        (c.feature, c.buffer, c.kind) for c in compare(geometry_digest(one), geometry_digest(two))
    ]
    assert named


def test_minus_zero_counts_as_zero() -> None:
    scene = genesis_with()
    name = sorted(scene.buffers)[0]
    buffer = scene.buffers[name]
    rows = buffer.rows.view.copy()
    zero = rows.copy()
    rows[0, 0], zero[0, 0] = -0.0, 0.0
    digests = [
        geometry_digest(
            replace(scene, buffers={**scene.buffers, name: replace(buffer, rows=Growing.of(r))})
        )
        for r in (rows, zero)
    ]
    assert digests[0] == digests[1]


def test_not_a_number_is_refused_with_its_owner() -> None:
    scene = genesis_with(house(20.0))
    buffer = scene.buffers["kit:lighthouse"]
    rows = buffer.rows.view.copy()
    rows[0, 5] = np.nan
    broken = {**scene.buffers, "kit:lighthouse": replace(buffer, rows=Growing.of(rows))}
    with pytest.raises(ValueError, match=r"row 0 of kit:lighthouse \(f_000004\) is not finite"):
        geometry_digest(replace(scene, buffers=broken))


def test_digest_survives_json() -> None:
    digest = geometry_digest(genesis_with(house(20.0)))
    assert GeometryDigest.from_json(digest.to_json()) == digest


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "not a digest"),
        ('{"total": "x", "buffers": {}, "features": {}}', "geometry.total: 'x'"),
        ('{"total": "' + "a" * 64 + '", "buffers": {"road": 1}, "features": {}}', "buffers.road"),
        ('{"total": "' + "a" * 64 + '", "buffers": {}, "features": {"x": {}}}', "feature ids"),
        ("{", "Expecting"),
    ],
)
def test_what_is_no_digest_is_refused_by_name(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GeometryDigest.from_json(text)


def test_empty_scene_has_a_digest() -> None:
    digest = geometry_digest(Scene.empty())
    assert list(digest.buffers) == [PLANET]
    assert digest.features == {}
