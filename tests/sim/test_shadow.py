"""The shadow map's window stands still, stands upright and holds the ground it is for."""

from __future__ import annotations

import numpy as np
import pytest

from godseed.sim.maths import F64
from godseed.sim.shadow import shadow_window
from godseed.sim.sphere import cap_points, normalize
from godseed.spec import constants

FOCUS = normalize(np.array([0.54, 0.23, 0.81]))
SUNS = [normalize(np.array(v)) for v in ([0.9, 0.4, 0.1], [0.2, 0.9, 0.5], [0.54, 0.23, 0.81])]


def in_map(matrix: object, points: F64) -> F64:
    m = np.array(matrix).reshape(4, 4).T
    return np.asarray(np.c_[points, np.ones(len(points))] @ m.T)[:, :3]


@pytest.mark.parametrize("sun", SUNS)
def test_ground_and_towers_round_the_focus_lie_within_the_window(sun: F64) -> None:
    window = shadow_window(FOCUS, True, sun)["u_shadow"]
    draws = np.random.default_rng(3).random((2, 400))
    ground = cap_points(np.tile(FOCUS, (400, 1)), 14.0, draws[0], draws[1])
    for height in (0.99, 1.0, 1.1):
        assert np.max(np.abs(in_map(window, ground * height))) < 1.0


@pytest.mark.parametrize("sun", SUNS)
def test_places_along_a_ray_of_light_share_a_texel_and_the_nearer_to_the_light_is_the_nearer(
    sun: F64,
) -> None:
    window = shadow_window(FOCUS, True, sun)["u_shadow"]
    near, far = in_map(window, np.stack([FOCUS + 0.1 * sun, FOCUS]))
    np.testing.assert_allclose(near[:2], far[:2], atol=1e-12)
    assert near[2] < far[2]


def test_window_stands_still_while_the_focus_moves_a_little() -> None:
    moved = normalize(FOCUS + np.array([0.002, -0.001, 0.001]))
    assert shadow_window(FOCUS, True, SUNS[0]) == shadow_window(moved, True, SUNS[0])


def test_window_from_afar_holds_the_lit_half_of_the_planet() -> None:
    window = shadow_window(FOCUS, False, SUNS[0])
    assert window["u_shadow_texel"] == 2.0 * constants()["shadow"]["far_reach"] / 2048
    draws = np.random.default_rng(4).random((2, 400))
    dirs = cap_points(np.tile(FOCUS, (400, 1)), 50.0, draws[0], draws[1])
    assert np.max(np.abs(in_map(window["u_shadow"], dirs)[:, :2])) < 1.0
