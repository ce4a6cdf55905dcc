"""Strips: tangents along lines and quads between neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from godseed.sim.sphere import direction
from godseed.sim.strip import line_tangents, strip_rows

POINTS = np.concatenate(
    [direction(0.0, np.array([0.0, 1.0, 2.0])), direction(np.array([10.0, 11.0]), 50.0)]
)
OWNER = np.array([0, 0, 0, 1, 1])


def test_tangents_run_along_each_line_and_never_into_the_next() -> None:
    tangents = line_tangents(POINTS, OWNER)
    assert (tangents * POINTS).sum(axis=1) == pytest.approx(0.0, abs=1e-15)
    assert tangents[0] == pytest.approx(direction(0.0, 90.0), abs=1e-15)
    assert tangents[3, 1] == pytest.approx(np.cos(np.radians(10.0)))


def test_strip_has_a_patch_between_neighbours_of_one_line() -> None:
    arc = np.array([0.0, 0.1, 0.2, 0.0, 0.1])
    rows = strip_rows(POINTS, line_tangents(POINTS, OWNER), OWNER, arc, np.full(5, 0.01))
    assert rows.shape == (3, 24)
    assert rows[:, 12].tolist() == [0.0, 0.1, 0.0]
    assert rows[0, 3:6].tobytes() == rows[1, 0:3].tobytes()
    # Second index across: from the left of the line, which is north here, to its right.
    assert rows[0, 1] > 0.0 > rows[0, 7]
