"""Water: no gaps, on the sphere, the same bytes alone or in a batch; nobody builds in a pool."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from godseed.sim.columns import STREAM, Built, Columns, Paths, Ragged
from godseed.sim.plots import PLOT, touches
from godseed.sim.sphere import angle_rad, cap_points, direction
from godseed.sim.tools.place_water import HALF_WIDTH, RINGS, SECTORS, SHORE, build

Row = tuple[str, list[tuple[float, float]], float, float]
WATERS: list[Row] = [
    ("stream", [(30.0, 48.0), (20.0, 42.0), (8.0, 27.0)], 3.0, 195.0),
    ("pool", [(9.0, 40.5)], 2.0, 205.0),
    ("stream", [(-10.0, 170.0), (-12.0, -170.0)], 3.0, 160.0),
    ("pool", [(-85.0, 10.0)], 10.0, 260.0),
    ("stream", [(0.0, 0.0), (0.0, 0.2)], 1.0, 220.0),
]


def columns(rows: list[Row], first: int = 0) -> Columns:
    index = np.arange(first, first + len(rows), dtype=np.int64)
    points = [point for row in rows for point in row[1]]
    starts = np.cumsum([0, *(len(row[1]) for row in rows)]).astype(np.int64)
    return Columns(
        index,
        (index * 2654435761 % 2**31).astype(np.uint32),
        numbers={
            "radius_deg": np.array([row[2] for row in rows]),
            "hue": np.array([row[3] for row in rows]),
        },
        enums={"kind": np.array([row[0] == "pool" for row in rows]).astype(np.int64)},
        paths={"path": Ragged(np.array(points, dtype=np.float64).reshape(-1, 2), starts)},
    )


def water(rows: list[Row], first: int = 0) -> Built:
    return build(columns(rows, first), Paths.empty())


def test_batch_is_the_same_bytes_as_one_by_one() -> None:
    together = water(WATERS)
    alone = [water([row], i) for i, row in enumerate(WATERS)]
    for name, part in together.parts.items():
        rows = np.concatenate([one.parts[name].rows for one in alone])
        assert part.rows.tobytes() == rows.tobytes(), name
    for name in ("points", "tangents", "feature", "line", "kind", "half_width"):
        whole = getattr(together.paths, name)
        assert whole.tobytes() == np.concatenate([getattr(a.paths, name) for a in alone]).tobytes()


def test_stream_patches_share_exact_corners_and_are_short() -> None:
    rows = water(WATERS[:1]).parts["water"].rows
    assert rows[:-1, 3:6].tobytes() == rows[1:, 0:3].tobytes()
    assert rows[:-1, 9:12].tobytes() == rows[1:, 6:9].tobytes()
    assert np.array_equal(rows[:-1, 13], rows[1:, 12])
    assert np.all(rows[:, 13] - rows[:, 12] <= 0.008)
    assert rows[0, 12] == 0.0
    assert rows[-1, 13] == rows[-1, 19]


def test_stream_springs_narrow_and_widens() -> None:
    built = water(WATERS[:1])
    width = built.paths.half_width
    assert width[0] == pytest.approx(0.3 * HALF_WIDTH)
    assert np.all(np.diff(width) >= 0.0)
    assert width[-1] == pytest.approx(HALF_WIDTH)
    rows = built.parts["water"].rows
    across = angle_rad(rows[-1, 3:6], rows[-1, 9:12])
    assert across == pytest.approx(2.0 * HALF_WIDTH * SHORE, rel=1e-3)


def test_pool_is_a_closed_disc_of_shared_corners() -> None:
    rows = water(WATERS[1:2]).parts["water"].rows
    assert len(rows) == RINGS * SECTORS
    assert len(rows) <= 96
    grid = rows.reshape(RINGS, SECTORS, 24)
    assert grid[:, :-1, 3:6].tobytes() == grid[:, 1:, 0:3].tobytes()
    assert grid[:, -1, 3:6].tobytes() == grid[:, 0, 0:3].tobytes()
    assert grid[:-1, :, 6:9].tobytes() == grid[1:, :, 0:3].tobytes()
    center = np.broadcast_to(direction(9.0, 40.5), (SECTORS, 3))
    assert np.allclose(angle_rad(grid[0, :, 0:3], center), 0.0, atol=1e-9)
    edge = angle_rad(grid[-1, :, 6:9], center)
    assert np.allclose(edge, np.radians(2.0) * 1.04)


@pytest.mark.parametrize("radius_deg", [1.0, 4.0, 10.0])
def test_plots_cover_a_pool_and_little_else(radius_deg: float) -> None:
    built = water([("pool", [(30.0, 60.0)], radius_deg, 200.0)])
    paths = built.paths
    assert set(paths.kind) == {PLOT}
    assert len(set(paths.line)) == len(paths.line)
    n = 400
    center = np.broadcast_to(direction(30.0, 60.0), (n, 3))
    draws = np.random.default_rng(1).random((2, n))
    inside = cap_points(center, np.full(n, radius_deg * 0.97), draws[0], draws[1])
    none = np.zeros(n)
    assert np.all(touches(inside, none, paths.points, paths.half_width))
    turn = np.arange(n) / n
    beyond = cap_points(center, np.full(n, radius_deg * 1.12), np.ones(n), turn)
    assert not np.any(touches(beyond, none, paths.points, paths.half_width))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-60, 60), st.floats(-170, 170)),
        min_size=2,
        max_size=5,
        unique_by=lambda p: (round(p[0]), round(p[1])),
    )
)
def test_stream_passes_its_waypoints(path: list[tuple[float, float]]) -> None:
    built = water([("stream", path, 3.0, 200.0)])
    assert set(built.paths.kind) == {STREAM}
    for lat, lon in path:
        along = (built.paths.points * direction(lat, lon)).sum(axis=1)
        assert along.max() > np.cos(0.012)
    rows = built.parts["water"].rows
    corners = rows[:, :12].reshape(-1, 3)
    assert np.allclose((corners * corners).sum(axis=1), 1.0)


def test_water_wets_and_lights_the_ground_along_it() -> None:
    for row in WATERS:
        lights = water([row]).parts["light"].rows
        assert {0.0, 2.0} >= set(lights[:, 8])
        assert 2.0 in lights[:, 8]
        assert np.all(lights[:, 7] <= 1.6)


def test_geometry_is_pinned() -> None:
    built = water(WATERS)
    found = hashlib.sha256()
    for name in sorted(built.parts):
        found.update(built.parts[name].rows.astype("<f4").tobytes())
    found.update(built.paths.points.astype("<f4").tobytes())
    assert found.hexdigest()[:16] == "03ac92bfa9e28e8a"
