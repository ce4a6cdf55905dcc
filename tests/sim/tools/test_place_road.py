"""Roads: on the sphere, without gaps, the same bytes alone or in a batch."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from godseed.sim.columns import ROAD, Built, Columns, Paths, Ragged
from godseed.sim.sphere import angle_rad, direction
from godseed.sim.strip import SHOULDER
from godseed.sim.tools import place_road

Waypoints = list[tuple[float, float]]
NEAR = st.tuples(st.floats(-60, 60), st.floats(-170, 170))


def columns(roads: list[Waypoints], first: int = 0) -> Columns:
    values = np.array([point for road in roads for point in road], dtype=np.float64).reshape(-1, 2)
    starts = np.cumsum([0, *(len(road) for road in roads)]).astype(np.int64)
    index = np.arange(first, first + len(roads), dtype=np.int64)
    seed = (index * 2654435761 % 2**31).astype(np.uint32)
    return Columns(index, seed, paths={"path": Ragged(values, starts)})


def build(roads: list[Waypoints], first: int = 0) -> Built:
    return place_road.build(columns(roads, first), Paths.empty())


ROADS: list[Waypoints] = [
    [(14.0, 20.0), (15.0, 30.0), (12.0, 44.0)],
    [(0.0, 0.0), (0.0, 1.0)],
    [(-40.0, 170.0), (-20.0, -170.0), (10.0, -150.0), (30.0, -160.0)],
]


FIELDS = ("points", "tangents", "feature", "line", "kind", "half_width")


def test_batch_is_the_same_bytes_as_one_by_one() -> None:
    roads = [*ROADS, [(13.0, 21.0), (14.2, 30.0), (10.0, 40.0)], [(20.0, 29.0), (6.0, 31.0)]]
    together = build(roads)
    alone: list[Built] = []
    for i, road in enumerate(roads):
        laid = [Paths.empty(), *(one.paths for one in alone)]
        before = Paths(*(np.concatenate([getattr(p, name) for p in laid]) for name in FIELDS))
        alone.append(place_road.build(columns([road], i), before))
    for name, part in together.parts.items():
        rows = np.concatenate([one.parts[name].rows for one in alone if name in one.parts])
        assert part.rows.tobytes() == rows.tobytes(), name
    for name in FIELDS:
        whole = getattr(together.paths, name)
        assert whole.tobytes() == np.concatenate([getattr(a.paths, name) for a in alone]).tobytes()


def test_neighbouring_patches_share_exact_corners() -> None:
    rows = build(ROADS[:1]).parts["road"].rows
    assert rows[:-1, 3:6].tobytes() == rows[1:, 0:3].tobytes()
    assert rows[:-1, 9:12].tobytes() == rows[1:, 6:9].tobytes()
    assert np.array_equal(rows[:-1, 13], rows[1:, 12])


def test_patches_are_short_enough_to_follow_the_ground() -> None:
    rows = build(ROADS).parts["road"].rows
    assert np.all(rows[:, 13] - rows[:, 12] <= 0.008)
    assert np.all(rows[:, 13] > rows[:, 12])


@settings(max_examples=20, deadline=None)
@given(st.lists(NEAR, min_size=2, max_size=6, unique_by=lambda p: (round(p[0]), round(p[1]))))
def test_road_passes_its_waypoints_and_keeps_its_width(road: Waypoints) -> None:
    built = build([road])
    points = built.paths.points
    for lat, lon in road:
        along = (points * direction(lat, lon)).sum(axis=1)
        assert along.max() > np.cos(0.05)
    rows = built.parts["road"].rows
    across = angle_rad(rows[:, 0:3], rows[:, 6:9])
    assert across == pytest.approx(2 * place_road.HALF_WIDTH * SHOULDER, rel=1e-3)
    assert np.sqrt((rows[:, 0:3] ** 2).sum(axis=1)) == pytest.approx(1.0, abs=1e-12)


def test_road_is_a_line_that_others_may_face() -> None:
    paths = build(ROADS, first=5).paths
    assert set(paths.kind) == {ROAD}
    assert paths.feature.tolist() == sorted(paths.feature)
    assert set(paths.feature) == {5, 6, 7}
    assert (paths.points * paths.tangents).sum(axis=1) == pytest.approx(0.0, abs=1e-12)


def test_lamps_stand_beside_the_road_on_both_sides() -> None:
    built = build(ROADS[:1])
    lamps, points = built.parts["kit:lamp"].rows, built.paths.points
    tangents = built.paths.tangents
    sides = set()
    for lamp in lamps:
        at = int(np.argmax((points * lamp[0:3]).sum(axis=1)))
        across = np.cross(points[at], tangents[at])
        lateral = float((lamp[0:3] * across).sum())
        assert abs(lateral) == pytest.approx(place_road.LAMP_SIDE, rel=1e-3)
        assert float((lamp[4:7] * across).sum()) * lateral < 0.0, "it looks at the road"
        sides.add(lateral > 0)
    assert sides == {True, False}


def test_short_road_has_no_lamps() -> None:
    assert "kit:lamp" not in build([[(0.0, 0.0), (0.0, 1.0)]]).parts


def test_roads_are_pinned_to_the_bit() -> None:
    built = build(ROADS)
    whole = hashlib.sha256()
    for name in sorted(built.parts):
        whole.update(built.parts[name].rows.astype("<f4").tobytes())
    assert whole.hexdigest() == PINNED


PINNED = "454c9a2f766a39701372a269a3b16c585264af09f65d749151f52b117dbbaee0"
