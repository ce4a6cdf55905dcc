"""Features: checked, immutable, the same bytes everywhere."""

from __future__ import annotations

import json
import math
import pickle
import struct
import zlib
from hashlib import sha256
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from godseed.sim.feature import (
    Feature,
    canonical_bytes,
    feature_id,
    feature_seed,
    wish_id,
    world_digest,
)

GRASS = {
    "id": "f_000017",
    "wish_id": "w_000005",
    "tool": "spawn_flora",
    "args": {
        "lat": 12.0,
        "lon": 40.0,
        "radius_deg": 8,
        "kind": "glowgrass",
        "density": 0.7,
        "hue": 160,
    },
    "seed": 1830293847,
    "t": 1718200000.0,
}
PINNED = "e5f672fa101214a0b52cab4e8f38fd64260d979bd81246393f5b320fd674d5ac"
STREAM = {
    "id": "f_000018",
    "wish_id": "w_000005",
    "tool": "place_water",
    "args": {"kind": "stream", "path": [[1, 2], [3.5, -4]], "hue": 200},
    "seed": 5,
    "t": 0,
}


def text(value: str) -> bytes:
    data = value.encode("utf-8")
    return struct.pack("<I", len(data)) + data


def test_canonical_bytes_are_tagged_little_endian_fields_in_spec_order() -> None:
    numbers = b"".join(b"\x01" + struct.pack("<d", x) for x in (12, 40, 8))
    expected = (
        text("f_000017")
        + text("w_000005")
        + b"\x02"
        + numbers
        + b"\x02"
        + text("glowgrass")
        + b"".join(b"\x01" + struct.pack("<d", x) for x in (0.7, 160))
        + struct.pack("<Id", 1830293847, 1718200000.0)
    )
    assert canonical_bytes(Feature.from_dict(GRASS)) == expected


def test_canonical_bytes_hold_paths_and_absent_arguments() -> None:
    expected = (
        text("f_000018")
        + text("w_000005")
        + b"\x04\x02"
        + text("stream")
        + b"\x03"
        + struct.pack("<Idddd", 2, 1, 2, 3.5, -4)
        + b"\x00\x01"
        + struct.pack("<d", 200)
        + struct.pack("<Id", 5, 0.0)
    )
    assert canonical_bytes(Feature.from_dict(STREAM)) == expected


def test_world_digest_is_pinned() -> None:
    features = [Feature.from_dict(GRASS), Feature.from_dict(STREAM)]
    whole = b"godseed world 1\n" + b"".join(map(canonical_bytes, features))
    assert world_digest(features) == sha256(whole).hexdigest() == PINNED
    assert world_digest([]) == sha256(b"godseed world 1\n").hexdigest()
    assert world_digest(features[::-1]) != world_digest(features)


@pytest.mark.parametrize("spelling", ["12", "12.0", "12.00", "1.2e1", "120e-1"])
def test_digest_does_not_depend_on_how_json_spells_a_number(spelling: str) -> None:
    spelled = json.dumps(GRASS).replace("12.0", spelling)
    assert world_digest([Feature.from_json(spelled)]) == world_digest([Feature.from_dict(GRASS)])


def test_minus_zero_and_zero_are_the_same_feature() -> None:
    low = Feature.from_dict(GRASS | {"args": GRASS["args"] | {"lat": -0.0}, "t": -0.0})  # type: ignore[operator]
    zero = Feature.from_dict(GRASS | {"args": GRASS["args"] | {"lat": 0}, "t": 0})  # type: ignore[operator]
    assert canonical_bytes(low) == canonical_bytes(zero)


def test_arguments_are_kept_in_spec_order_whatever_came() -> None:
    args: Any = GRASS["args"]
    turned = Feature.from_dict(GRASS | {"args": dict(reversed(args.items()))})
    assert list(turned.args) == ["lat", "lon", "radius_deg", "kind", "density", "hue"]
    assert turned == Feature.from_dict(GRASS)
    assert turned.to_json() == Feature.from_dict(GRASS).to_json()


@pytest.mark.parametrize("source", [GRASS, STREAM], ids=["flora", "water"])
def test_json_goes_round(source: dict[str, Any]) -> None:
    feature = Feature.from_dict(source)
    assert Feature.from_json(feature.to_json()) == feature
    assert json.loads(feature.to_json()) == source
    assert "\n" not in feature.to_json()


def test_feature_is_immutable_hashable_and_pickles() -> None:
    feature = Feature.from_dict(STREAM)
    with pytest.raises(AttributeError):
        feature.seed = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        feature.args["hue"] = 3  # type: ignore[index]
    assert pickle.loads(pickle.dumps(feature)) == feature
    assert {feature: 1}[Feature.from_dict(STREAM)] == 1


def test_feature_does_not_share_the_arguments_it_was_made_from() -> None:
    args: Any = dict(GRASS["args"])  # type: ignore[call-overload]
    feature = Feature.from_dict(GRASS | {"args": args})
    args["lat"] = 80
    assert feature.args["lat"] == 12.0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("id", "f_17", "feature.id: 'f_17'; expected f_ and six digits"),
        ("id", "f_00001७", "feature.id"),
        ("id", 17, "feature.id: 17"),
        ("id", "f_000001\n", "feature.id"),
        ("wish_id", "w_5", "wish_id: 'w_5'; expected w_ and six digits, or genesis"),
        ("wish_id", None, "wish_id: null"),
        ("tool", "plant_cactus", "feature.tool: 'plant_cactus'; expected one of raise_terrain"),
        ("tool", ["x"], "feature.tool: a list"),
        ("args", [], "feature.args: a list; expected an object"),
        ("args", {}, "spawn_flora.lat: null; a number -85..85 expected"),
        ("seed", -1, "feature.seed: -1; expected 0..2147483647"),
        ("seed", 2**31, "feature.seed: 2147483648"),
        ("seed", 1.0, "feature.seed: 1"),
        ("seed", True, "feature.seed: true"),
        ("t", math.nan, "feature.t: nan; expected seconds"),
        ("t", math.inf, "feature.t: inf"),
        ("t", 10**400, "feature.t: a huge integer"),
        ("t", "0", "feature.t: '0'"),
        ("t", True, "feature.t: true"),
    ],
)
def test_feature_names_the_field_that_is_wrong(field: str, value: object, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        Feature.from_dict(GRASS | {field: value})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("value", [None, [], "f", 3, {}, {"id": "f_000001"}, GRASS | {"x": 1}])
def test_feature_refuses_what_has_other_fields(value: object) -> None:
    with pytest.raises(ValueError, match=r"^feature: .*; expected"):
        Feature.from_dict(value)


def test_pydantic_models_hold_features() -> None:
    class Holder(BaseModel):
        features: tuple[Feature, ...]

    held = Holder.model_validate({"features": [GRASS, Feature.from_dict(STREAM)]})
    assert Holder.model_validate_json(held.model_dump_json()) == held
    assert Holder.model_json_schema()["properties"]["features"]["items"]["required"]
    with pytest.raises(ValidationError, match=r"feature\.seed: -1"):
        Holder.model_validate({"features": [GRASS | {"seed": -1}]})


def test_seed_is_a_crc_of_wish_and_call() -> None:
    assert feature_seed("w_000005", 0) == zlib.crc32(b"w_000005:0") & 0x7FFFFFFF
    assert len({feature_seed(wish_id(w), c) for w in range(50) for c in range(7)}) == 350


def test_ids_have_six_digits_or_more() -> None:
    assert (feature_id(17), wish_id(5), feature_id(1234567)) == (
        "f_000017",
        "w_000005",
        "f_1234567",
    )
