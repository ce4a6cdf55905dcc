"""Epoch 0 is exactly the list that every live world stands on."""

from __future__ import annotations

import json

from godseed.sim.feature import world_digest
from godseed.sim.genesis import genesis_features
from godseed.sim.world import World

CONTRACT = """[
 {"id":"f_000000","wish_id":"genesis","tool":"set_sky",
  "args":{"palette":"void","star_density":0.9,"moons":1},"seed":7,"t":0},
 {"id":"f_000001","wish_id":"genesis","tool":"raise_terrain",
  "args":{"lat":12,"lon":40,"radius_deg":28,"height":0.05,"roughness":0.7},"seed":11,"t":0},
 {"id":"f_000002","wish_id":"genesis","tool":"place_structure",
  "args":{"lat":14,"lon":38,"kind":"monolith","scale":1.4,"hue":270},"seed":13,"t":0},
 {"id":"f_000003","wish_id":"genesis","tool":"inscribe_wish",
  "args":{"text":"speak, and it will be made","style":"orbit"},"seed":17,"t":0}
]"""


def test_genesis_is_the_list_of_the_contract() -> None:
    assert [feature.to_dict() for feature in genesis_features()] == json.loads(CONTRACT)


def test_genesis_digest_is_pinned() -> None:
    digest = "36448eede33d79a7f67531be2952ece6b7d3b2878f253887166b324437fbc165"
    assert world_digest(genesis_features()) == World.genesis().digest == digest


def test_genesis_world_is_epoch_zero() -> None:
    world = World.genesis()
    assert (len(world), world.epoch, world.wish_ids) == (4, 0, ())
