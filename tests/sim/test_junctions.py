"""Roads meet what was there first: smoothly, on the ground outside of buildings and districts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from godseed.check.generate import generated_world
from godseed.sim.columns import ROAD
from godseed.sim.district import GATE_INSET
from godseed.sim.junctions import ALONG, AROUND, END_GAP, Before, Run, runs_of
from godseed.sim.maths import DEG, F64
from godseed.sim.plots import DISTRICT
from godseed.sim.scene import Scene
from godseed.sim.sphere import direction
from godseed.sim.spline import sample
from godseed.sim.strip import line_tangents

STEP = 0.0062
NONE = np.zeros((0, 3))
EMPTY = Before(NONE, np.zeros(0), NONE, NONE, np.zeros(0), NONE, NONE)


def line(*waypoints: tuple[float, float]) -> F64:
    dirs = np.stack([direction(lat, lon) for lat, lon in waypoints])
    return sample(dirs, STEP, 2048)[0]


def beside(points: F64) -> Before:
    tangents = line_tangents(points, np.zeros(len(points), np.int64))
    return replace(EMPTY, roads=points, road_tangents=tangents)


def gap(points: F64, others: F64) -> F64:
    return np.sqrt(((points[:, None, :] - others[None, :, :]) ** 2).sum(axis=2)).min(axis=1)


def sharpest_deg(run: Run) -> float:
    step = np.diff(run.points, axis=0)
    step = step / np.linalg.norm(step, axis=1)[:, None]
    return float(np.degrees(np.arccos(np.clip((step[1:] * step[:-1]).sum(axis=1), -1, 1))).max())


def test_a_road_with_nothing_near_stays_as_it_was_asked_for() -> None:
    points = line((0, 0), (3, 10), (0, 20))
    (run,) = runs_of(points, STEP, EMPTY)
    assert run.points.tobytes() == points.tobytes()
    assert not run.shared.any()
    assert not run.crossing.any()


def test_an_end_near_an_earlier_road_meets_it_without_a_kink() -> None:
    main = line((0, 0), (0, 20))
    (run,) = runs_of(line((12, 10), (1.8, 10)), STEP, beside(main))
    assert gap(run.points[-1:], main)[0] == pytest.approx(END_GAP, abs=1e-3)
    assert run.crossing[-1]
    assert sharpest_deg(run) < 12.0
    assert run.points[0] == pytest.approx(direction(12, 10))


def test_a_road_beside_an_earlier_one_lies_on_it_and_leaves_it_smoothly() -> None:
    main = line((0, 0), (0, 30))
    (run,) = runs_of(line((0.5, 5), (0.5, 16), (9, 26)), STEP, beside(main))
    shared = run.points[run.shared]
    assert len(shared) > 15
    assert gap(shared, main).max() < ALONG + 1e-4
    assert gap(run.points[~run.shared], main).max() > 0.1
    assert sharpest_deg(run) < 40.0, "it leaves at an angle of its own"


def test_a_road_across_an_earlier_one_goes_straight_on_without_its_kerbs() -> None:
    main = line((0, 0), (0, 20))
    points = line((-10, 10), (10, 10))
    (run,) = runs_of(points, STEP, beside(main))
    assert run.points.tobytes() == points.tobytes()
    assert 1 <= int(run.crossing.sum()) <= 4
    assert not run.shared.any()


@settings(max_examples=40, deadline=None)
@given(st.floats(-2.0, 2.0), st.floats(0.01, 0.05), st.floats(-60.0, 60.0))
def test_a_road_goes_round_a_building(off: float, radius: float, turn: float) -> None:
    points = line((-turn / 4, 0), (0, 10), (turn / 4, 20))
    at = direction(off, 10)
    before = replace(EMPTY, stands=at[None, :], stand_radius=np.array([radius]))
    (run,) = runs_of(points, STEP, before)
    assert gap(at[None, :], run.points)[0] > (radius + AROUND) * 0.9
    assert run.points[[0, -1]] == pytest.approx(points[[0, -1]], abs=1e-15)
    assert sharpest_deg(run) < 60.0


@settings(max_examples=40, deadline=None)
@given(st.floats(2.0, 15.0), st.floats(0.0, 360.0), st.floats(-1.1, 1.1), st.booleans())
def test_a_road_ends_at_the_gates_of_a_district(
    radius_deg: float, heading: float, off: float, through: bool
) -> None:
    center, radius = direction(0, 20), radius_deg * DEG
    east, north = np.array([np.cos(20 * DEG), 0.0, -np.sin(20 * DEG)]), np.array([0.0, 1.0, 0.0])
    way = np.cos(heading * DEG) * east + np.sin(heading * DEG) * north
    before = replace(
        EMPTY, districts=center[None, :], main_ways=way[None, :], radii=np.array([radius])
    )
    aim = off * radius_deg * 0.8
    runs = runs_of(line((aim, 0), (aim, 40 if through else 20)), STEP, before)
    assert len(runs) in (1, 2)
    gates = [
        center * np.cos(radius - GATE_INSET) + sign * way * np.sin(radius - GATE_INSET)
        for sign in (1.0, -1.0)
    ]
    for run in runs:
        inside = (run.points * center).sum(axis=1) > np.cos(radius - 1e-9)
        assert gap(run.points[inside], np.array(gates)).max(initial=0.0) < GATE_INSET + 2 * STEP
        steps = np.linalg.norm(np.diff(run.points, axis=0), axis=1)
        assert steps.max() <= STEP * 1.01
    ends = np.array([runs[0].points[-1], runs[-1].points[0]])[: 2 if through else 1]
    if runs[0].points[0] == pytest.approx(direction(aim, 0)):
        assert gap(ends[:1], np.array(gates))[0] < 1e-9


def test_a_road_that_arcs_past_a_district_is_left_whole() -> None:
    """The great circle between two points of latitude 1.9 is at 2.02 half way, outside radius 2."""
    before = replace(
        EMPTY,
        districts=direction(0, 20)[None, :],
        main_ways=np.array([[0.0, 1.0, 0.0]]),
        radii=np.array([2.0 * DEG]),
    )
    points = line((1.9, 0), (1.9, 40))
    (run,) = runs_of(points, STEP, before)
    assert run.points[[0, -1]] == pytest.approx(points[[0, -1]], abs=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_no_road_enters_the_district_of_an_earlier_feature(seed: int) -> None:
    tools = ("place_road", "build_district", "place_structure")
    paths = Scene.build(generated_world(seed, 60, tools).features).paths
    roads = paths.kind == ROAD
    assert roads.any()
    for i in np.nonzero(paths.kind == DISTRICT)[0]:
        later = roads & (paths.feature > paths.feature[i])
        cosine = (paths.points[later] * paths.points[i]).sum(axis=1)
        assert cosine.max(initial=-1.0) < np.cos(paths.half_width[i] - GATE_INSET - 2e-6)
