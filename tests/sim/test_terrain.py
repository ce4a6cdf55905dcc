"""The ground: sums in feature order, exact outside a feature, the same however computed."""

from __future__ import annotations

import numpy as np
import pytest

from godseed.check.generate import generated_world
from godseed.sim import terrain
from godseed.sim.scene import Scene
from godseed.sim.sphere import direction
from godseed.sim.terrain import basis, falloff, ground, relief_add, relief_sums

TERRAIN_TOOLS = ("raise_terrain", "lower_terrain")


def places(count: int) -> np.ndarray:
    rng = np.random.default_rng(count)
    return direction(rng.uniform(-90, 90, count), rng.uniform(-180, 180, count))


def rows(count: int) -> np.ndarray:
    return Scene.build(generated_world(4, count, TERRAIN_TOOLS).features).terrain


@pytest.mark.parametrize("count", [1, 128, 129, 9000])
def test_sums_are_those_of_adding_row_by_row(count: int) -> None:
    dirs, table = places(count), rows(60)
    fields = basis(dirs)
    expected = np.zeros(count)
    for row in table:
        relief_add(expected, dirs, fields, row)
    assert relief_sums(dirs, fields, table).tobytes() == expected.tobytes()


def test_block_size_does_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    dirs, table = places(5000), rows(40)
    fields = basis(dirs)
    whole = relief_sums(dirs, fields, table)
    monkeypatch.setattr(terrain, "REGION", 10_000)
    monkeypatch.setattr(terrain, "BLOCK", 700)
    assert relief_sums(dirs, fields, table).tobytes() == whole.tobytes()


def test_one_place_has_the_height_it_has_among_many() -> None:
    dirs, table = places(300), rows(30)
    together = ground(dirs, table)
    alone = np.array([ground(one[None, :], table)[0] for one in dirs])
    assert together.tobytes() == alone.tobytes()


def test_the_falloff_is_one_at_the_centre_and_zero_with_zero_slope_at_the_edge() -> None:
    q = np.array([0.0, 0.25, 0.5, 0.75, 1.0 - 1e-6, 1.0])
    values = falloff(q)
    assert values[0] == 1.0
    assert values[-1] == 0.0
    assert 0.0 < values[-2] < 1e-11
    assert (np.diff(values) < 0).all()


def test_a_smooth_hill_has_its_height_at_its_centre() -> None:
    hill = np.zeros((1, 12))
    hill[0, 0:3] = direction(30.0, 60.0)
    hill[0, 3], hill[0, 4] = np.cos(np.radians(10.0)), 0.07
    center = direction(30.0, 60.0)[None, :]
    assert ground(center, hill)[0] - ground(center, hill[:0])[0] == pytest.approx(0.07, abs=1e-15)


def test_no_places_and_no_rows_give_no_heights_and_no_relief() -> None:
    assert relief_sums(places(0), basis(places(0)), rows(3)).shape == (0,)
    dirs = places(10)
    assert (relief_sums(dirs, basis(dirs), rows(3)[:0]) == 0.0).all()


def test_the_barren_planet_has_relief_everywhere_but_little() -> None:
    heights = ground(places(4000), rows(0)[:0])
    assert np.abs(heights).max() < 0.012
    assert heights.std() > 0.0005
