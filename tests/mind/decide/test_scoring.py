"""The arithmetic of answers, against scipy where it has it and against laws where it has not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from godseed.mind.decide.scoring import (
    answer_index,
    confidence,
    cyclic_log_mean,
    cyclic_orders,
    log_odds,
    log_softmax,
    logsumexp,
    sigmoid,
    softmax,
    token_logprobs,
)

finite = st.floats(-1e6, 1e6)
scores = st.lists(finite, min_size=1, max_size=16)


@given(scores)
def test_softmax_and_its_logarithm_agree_with_scipy(values: list[float]) -> None:
    assert np.allclose(softmax(values), special.softmax(values), atol=1e-12)
    assert np.allclose(log_softmax(values), special.log_softmax(values), rtol=1e-12, atol=1e-9)
    assert math.isclose(logsumexp(values), special.logsumexp(values), abs_tol=1e-9)
    assert math.isclose(float(softmax(values).sum()), 1.0, abs_tol=1e-12)


def test_softmax_is_stable_at_large_magnitudes() -> None:
    assert softmax([-1000.0, -1001.0])[0] == pytest.approx(0.7310585786300049, abs=1e-12)
    assert softmax([1e308, -1e308]).tolist() == [1.0, 0.0]


def test_softmax_of_a_measured_distribution() -> None:
    shares = softmax([-12.320333, -0.0000213, -15.617624])
    assert shares[1] > 0.9999
    assert shares[0] < 1e-5


@pytest.mark.parametrize("values", [[], [math.nan, 0.0], [math.inf], [-math.inf, 0.0]])
def test_scores_that_are_no_numbers_are_refused(values: list[float]) -> None:
    for work in (softmax, log_softmax, logsumexp, sigmoid):
        with pytest.raises(ValueError, match=r"scores: .*; expected finite numbers"):
            work(values)


@given(scores)
def test_confidence_is_one_minus_normalised_entropy(values: list[float]) -> None:
    shares = softmax(values)
    found = confidence(shares)
    assert 0.0 <= found <= 1.0
    if len(values) > 1:
        expected = 1.0 - stats.entropy(shares) / math.log(len(values))
        assert math.isclose(found, min(max(expected, 0.0), 1.0), abs_tol=1e-9)


def test_confidence_of_certainty_is_one_and_of_a_tie_zero() -> None:
    assert confidence([1.0, 0.0, 0.0]) == 1.0
    assert confidence([0.25] * 4) == pytest.approx(0.0, abs=1e-12)
    assert confidence([1.0]) == 1.0


def test_ties_go_to_the_first_option() -> None:
    assert answer_index([0.2, 0.4, 0.4]) == 1
    assert answer_index([0.25] * 4) == 0


@given(st.lists(finite, min_size=1, max_size=3), st.lists(finite, min_size=1, max_size=3))
def test_log_odds_take_all_spellings_together(yes: list[float], no: list[float]) -> None:
    expected = special.logsumexp(yes) - special.logsumexp(no)
    assert math.isclose(log_odds(yes, no), expected, abs_tol=1e-6)


@given(scores)
def test_sigmoid_agrees_with_scipy(values: list[float]) -> None:
    assert np.allclose(sigmoid(values), special.expit(values), atol=1e-15)


@given(st.lists(st.floats(-50, 50), min_size=4, max_size=40))
def test_token_logprobs_are_shares_of_the_whole_vocabulary(logits: list[float]) -> None:
    ids = [3, 0, 1]
    expected = special.log_softmax(np.asarray(logits))[ids]
    assert np.allclose(token_logprobs(logits, ids), expected, atol=1e-9)


def test_token_without_a_logit_is_an_error_not_a_zero() -> None:
    with pytest.raises(ValueError, match="logits: none for an answer token"):
        token_logprobs([0.0, -math.inf, 1.0], [0, 1])
    with pytest.raises(ValueError, match="logits: none for an answer token"):
        token_logprobs([math.nan, math.nan], [0])


@given(st.integers(2, 16), st.data())
def test_bias_towards_letters_cancels_over_a_full_turn(count: int, data: st.DataObject) -> None:
    few = st.lists(st.floats(-20, 20), min_size=count, max_size=count)
    truth, bias = np.asarray(data.draw(few)), np.asarray(data.draw(few))
    orders = cyclic_orders(count)
    passes = [truth[order] + bias for order in orders]
    assert np.allclose(cyclic_log_mean(orders, passes), log_softmax(truth), atol=1e-9)


@pytest.mark.parametrize("count", [2, 3, 16])
def test_every_option_stands_once_behind_each_letter(count: int) -> None:
    turns = np.asarray(cyclic_orders(count))
    assert turns[0].tolist() == list(range(count))
    for place in range(count):
        assert sorted(turns[:, place]) == list(range(count))
