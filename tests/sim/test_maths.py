"""The portable functions are accurate to 2 ulp, take every shape, and never give a minus zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim import maths
from godseed.sim.maths import F64

RANDOM = np.random.default_rng(20261201)
SPREAD = np.concatenate([10.0 ** RANDOM.uniform(-300, 0, 200), [5e-324, 0.0]])
QUARTER_TURNS = np.arange(0, 63_600, 101) * (math.pi / 2)
ANGLES = np.concatenate(
    [
        RANDOM.uniform(-1e5, 1e5, 1500),
        RANDOM.uniform(-7, 7, 1500),
        QUARTER_TURNS,
        np.nextafter(QUARTER_TURNS, -1.0),
        np.nextafter(QUARTER_TURNS, 1e9),
        QUARTER_TURNS + math.pi / 4,
        SPREAD,
        -SPREAD,
    ]
)
EXPONENTS = np.concatenate(
    [
        RANDOM.uniform(-700, 700, 2000),
        RANDOM.uniform(-1, 1, 1000),
        (np.arange(-1008, 1008, 3) + 0.5) * math.log(2),
        [-700.0, 700.0, 0.0, 1e-300],
    ]
)
NEAR_ONE = 10.0 ** RANDOM.uniform(-16, -1, 500)
POSITIVES = np.concatenate(
    [
        10.0 ** RANDOM.uniform(-307.6, 308.2, 1500),
        RANDOM.uniform(0.4, 3, 1500),
        1.0 + NEAR_ONE,
        1.0 - NEAR_ONE,
        [1.0, 2.0, 0.5, math.sqrt(2), maths.MIN_NORMAL, maths.MAX_FINITE],
    ]
)
SINES = np.concatenate(
    [
        RANDOM.uniform(-1, 1, 2000),
        0.5 + RANDOM.uniform(-0.01, 0.01, 500),
        1.0 - NEAR_ONE,
        NEAR_ONE - 1.0,
        SPREAD,
        [0.5, -0.5, 1.0, -1.0, math.nextafter(0.5, 0), math.nextafter(-0.5, 0)],
    ]
)
POINTS_Y = np.concatenate(
    [
        RANDOM.normal(size=1500),
        10.0 ** RANDOM.uniform(-300, 300, 800) * RANDOM.choice([-1, 1], 800),
        np.linspace(0.42, 0.7, 800),
        [0.0, 0.0, 1.0, -1.0, 5e-324, 1.0, 1e308, -5e-324, 3.0],
    ]
)
POINTS_X = np.concatenate(
    [
        RANDOM.normal(size=1500),
        10.0 ** RANDOM.uniform(-300, 300, 800) * RANDOM.choice([-1, 1], 800),
        np.ones(800),
        [1.0, -1.0, 0.0, 0.0, 1e308, 1.0, 5e-324, -1.0, -3.0],
    ]
)
ONE_ARGUMENT: dict[str, F64] = {
    "sin": ANGLES,
    "cos": ANGLES,
    "exp": EXPONENTS,
    "log": POSITIVES,
    "asin": SINES,
    "acos": SINES,
}


def worst_ulp(got: F64, exact: list[Any]) -> float:
    """Largest distance from the exact value, in units of the last place of its nearest double."""
    return max(
        abs(float((mpmath.mpf(float(value)) - true) / mpmath.mpf(math.ulp(float(true)))))
        for value, true in zip(got, exact, strict=True)
    )


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_function_is_within_one_ulp_of_the_exact_value(name: str) -> None:
    points = ONE_ARGUMENT[name]
    with mpmath.workprec(250):
        exact = [getattr(mpmath, name)(mpmath.mpf(float(x))) for x in points]
        assert worst_ulp(getattr(maths, name)(points), exact) <= 1.0


def test_atan2_is_within_two_ulp_of_the_exact_value() -> None:
    with mpmath.workprec(250):
        exact = [
            mpmath.atan2(mpmath.mpf(float(y)), mpmath.mpf(float(x)))
            for y, x in zip(POINTS_Y, POINTS_X, strict=True)
        ]
        assert worst_ulp(maths.atan2(POINTS_Y, POINTS_X), exact) <= 2.0


@pytest.mark.parametrize(
    ("y", "x", "angle"),
    [
        (0.0, 0.0, 0.0),
        (-0.0, 0.0, 0.0),
        (0.0, -0.0, 0.0),
        (0.0, 2.0, 0.0),
        (-0.0, 2.0, 0.0),
        (0.0, -2.0, math.pi),
        (-0.0, -2.0, math.pi),
        (3.0, 0.0, math.pi / 2),
        (3.0, -0.0, math.pi / 2),
        (-3.0, 0.0, -math.pi / 2),
        (1.0, 1.0, math.pi / 4),
        (-1.0, -1.0, -3 * math.pi / 4),
    ],
)
def test_atan2_treats_zeros_without_sign_and_hits_the_axes(
    y: float, x: float, angle: float
) -> None:
    got = maths.atan2(y, x)
    assert float(got).hex() == angle.hex()


def test_special_values_are_exact() -> None:
    assert maths.sin(0.0) == 0.0
    assert maths.cos(0.0) == 1.0
    assert maths.exp(0.0) == 1.0
    assert maths.log(1.0) == 0.0
    assert maths.asin(1.0) == math.pi / 2
    assert maths.acos(1.0) == 0.0
    assert maths.acos(-1.0) == math.pi


def test_results_have_no_minus_zero() -> None:
    minus = np.array([-0.0, 0.0])
    for function in (maths.sin, maths.asin, maths.round_half_up, maths.positive_zero):
        assert not np.signbit(function(minus)).any()
    assert not np.signbit(maths.round_half_up(np.array([-0.5, -0.4]))).any()
    assert not np.signbit(maths.atan2(minus, np.ones(2))).any()


# Bits that the JavaScript twin must give as well.
PINNED: list[tuple[str, tuple[float, ...], str]] = [
    ("sin", (0.5,), "0x1.eaee8744b05f0p-2"),
    ("sin", (12345.678,), "-0x1.687d5890974a5p-1"),
    ("sin", (-99999.5,), "-0x1.055f282f41bdap-1"),
    ("cos", (2.0,), "-0x1.aa22657537205p-2"),
    ("cos", (77777.25,), "-0x1.557bc75cb22a3p-1"),
    ("exp", (-3.7,), "0x1.9511fc6871044p-6"),
    ("exp", (123.456,), "0x1.1428e1cbc0143p+178"),
    ("log", (10.0,), "0x1.26bb1bbb55516p+1"),
    ("log", (1e-200,), "-0x1.cc845b54b54f2p+8"),
    ("atan2", (1.0, -3.0), "0x1.68f095fdf593cp+1"),
    ("atan2", (-0.55, 0.9), "-0x1.18db779f87dd5p-1"),
    ("asin", (0.7,), "0x1.8d00e692afd95p-1"),
    ("asin", (-0.3,), "-0x1.380159e14f6ffp-2"),
    ("acos", (-0.9,), "0x1.586476251e745p+1"),
    ("acos", (0.2,), "0x1.5e9383efad0d1p+0"),
]


@pytest.mark.parametrize(("name", "arguments", "bits"), PINNED)
def test_function_gives_these_bits(name: str, arguments: tuple[float, ...], bits: str) -> None:
    function: Callable[..., float] = getattr(maths, name)
    assert float(function(*arguments)).hex() == bits


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_array_of_any_shape_gives_what_single_numbers_give(name: str) -> None:
    function = getattr(maths, name)
    points = ONE_ARGUMENT[name][:24].reshape(2, 3, 4)
    together = function(points)
    assert together.shape == points.shape
    assert together.dtype == np.float64
    assert [float(value).hex() for value in together.reshape(-1)] == [
        float(function(float(x))).hex() for x in points.reshape(-1)
    ]


def test_single_number_gives_a_float_and_empty_array_gives_an_empty_one() -> None:
    assert isinstance(maths.sin(1), float)
    assert maths.sin(np.zeros(0)).shape == (0,)
    assert maths.atan2(np.zeros((2, 1)), np.ones(3)).shape == (2, 3)


def test_input_array_is_left_as_it_was() -> None:
    points = np.array([0.1, 0.6, -0.9])
    for name in ONE_ARGUMENT:
        kept = np.abs(points)
        getattr(maths, name)(kept)
        assert kept.tolist() == [0.1, 0.6, 0.9]


@pytest.mark.parametrize("name", ONE_ARGUMENT)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_single_number_that_is_not_finite_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name}: .*; expected a finite number"):
        getattr(maths, name)(value)
    with pytest.raises(ValueError, match=r"atan2: .*; expected a finite number"):
        maths.atan2(1.0, value)


@pytest.mark.parametrize("value", [0.0, -1.0, 5e-324, math.nan, math.inf])
def test_log_refuses_what_is_not_positive_and_normal(value: float) -> None:
    with pytest.raises(ValueError, match="log: a value that is not positive"):
        maths.log(np.array([1.0, value]))


def test_exp_stays_finite_and_normal_beyond_its_limits() -> None:
    assert maths.exp(-1e9) == maths.exp(-700.0) > 0.0
    assert maths.exp(1e9) == maths.exp(700.0) < math.inf


def test_asin_and_acos_clamp_what_a_rounding_left_outside() -> None:
    assert maths.asin(1.0000000000000002) == math.pi / 2
    assert maths.acos(-1.0000000000000002) == math.pi


@given(st.floats(-1e5, 1e5))
def test_sine_and_cosine_lie_on_the_unit_circle(x: float) -> None:
    s, c = maths.sin(x), maths.cos(x)
    assert abs(s * s + c * c - 1.0) < 4e-16


@given(st.floats(-600, 600))
def test_log_undoes_exp(x: float) -> None:
    assert maths.log(maths.exp(x)) == pytest.approx(x, abs=3e-16, rel=3e-16)


def test_round_half_up_takes_halves_upward() -> None:
    assert maths.round_half_up(np.array([0.5, 1.5, -0.5, -1.5, 2.4])).tolist() == [1, 2, 0, -1, 2]


def test_smoothstep_lerp_clamp_and_fract_follow_their_definitions() -> None:
    x = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    assert maths.smoothstep(0.0, 1.0, x).tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert maths.clamp(x, 0.0, 1.0).tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert maths.lerp(2.0, 4.0, x).tolist() == [0.0, 2.0, 3.0, 4.0, 6.0]
    assert maths.fract(np.array([1.25, -0.25])).tolist() == [0.25, 0.75]
    assert maths.sqrt(2.25) == 1.5


def test_constants_are_the_nearest_doubles() -> None:
    assert (maths.PI, maths.TAU) == (math.pi, math.tau)
    with mpmath.workprec(250):
        assert float(mpmath.pi / 180) == maths.DEG
        assert float(mpmath.pi - mpmath.mpf(maths.PI)) == maths.PI_LOW
        parts = (maths.HALF_PI_1, maths.HALF_PI_2, maths.HALF_PI_3, maths.HALF_PI_4)
        exact = mpmath.fsum(map(mpmath.mpf, parts))
        assert abs(exact - mpmath.pi / 2) < mpmath.mpf(2) ** -150
        split = mpmath.mpf(maths.LN2_HIGH) + mpmath.mpf(maths.LN2_LOW)
        assert abs(split - mpmath.log(2)) < mpmath.mpf(2) ** -84
