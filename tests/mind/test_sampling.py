"""The sampler: what it draws from, and that checking one token first changes nothing."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from godseed.mind.backends import ModelError, Sampling
from godseed.mind.backends.sampling import Allowed, Ids, Sampler
from godseed.sim.maths import F32
from godseed.sim.rng import uniform

DRAWS = 1500
LOGITS = np.log(np.array([0.30, 0.25, 0.2, 0.1, 0.08, 0.04, 0.02, 0.01], np.float32))


def only(*tokens: int) -> Allowed:
    """A grammar that allows these tokens."""
    return lambda ids: np.isin(ids, tokens)


def expected(logits: F32, top_p: float, temperature: float, allowed: set[int]) -> dict[int, float]:
    """The distribution as docs/decisions/0015 defines it, worked out token by token."""

    def nucleus(tokens: list[int]) -> list[int]:
        ordered = sorted(tokens, key=lambda token: (-weight[token], token))
        whole, held, kept = sum(weight[token] for token in tokens), 0.0, []
        for token in ordered:
            kept.append(token)
            held += weight[token]
            if held >= top_p * whole:
                break
        return kept

    weight = [math.exp(float(logit) / temperature) for logit in logits]
    inside = [token for token in nucleus(list(range(len(logits)))) if token in allowed]
    kept = inside or nucleus([token for token in range(len(logits)) if token in allowed])
    total = sum(weight[token] for token in kept)
    return {token: weight[token] / total for token in kept}


@pytest.mark.parametrize("top_p", [0.6, 0.95, 1.0])
@pytest.mark.parametrize("temperature", [0.7, 2.0])
@pytest.mark.parametrize("allowed", [{0, 1, 2, 3, 4, 5, 6, 7}, {1, 3, 5, 7}, {2}, {6, 7}])
def test_draws_follow_the_distribution_that_is_promised(
    top_p: float, temperature: float, allowed: set[int]
) -> None:
    shares = expected(LOGITS, top_p, temperature, allowed)
    sampler = Sampler(Sampling(7, temperature, top_p), 0)
    drawn = Counter(sampler.draw(LOGITS, only(*allowed)) for _ in range(DRAWS))
    assert set(drawn) <= set(shares)
    if len(shares) > 1:
        found = chisquare([drawn[t] for t in shares], [DRAWS * p for p in shares.values()])
        assert found.pvalue > 1e-4


def test_without_a_nucleus_it_is_the_distribution_of_masking_first() -> None:
    allowed = {1, 3, 5, 7}
    masked = {t: math.exp(float(LOGITS[t])) for t in allowed}
    total = sum(masked.values())
    for token, share in expected(LOGITS, 1.0, 1.0, allowed).items():
        assert share == pytest.approx(masked[token] / total)


def test_the_vocabulary_is_masked_only_when_nothing_likely_is_allowed() -> None:
    asked: list[int] = []

    def allowed(ids: Ids) -> np.ndarray:
        asked.append(len(ids))
        return np.isin(ids, [6])

    sampler = Sampler(Sampling(1, 1.0, 0.6), 0)
    assert sampler.draw(LOGITS, allowed) == 6
    assert asked == [1, 3, 8]
    assert (sampler.counts.first, sampler.counts.nucleus, sampler.counts.vocabulary) == (0, 0, 1)


def test_cold_sampling_takes_the_likeliest_that_is_allowed() -> None:
    sampler = Sampler(Sampling(1, 0.0), 0)
    assert sampler.draw(LOGITS) == 0
    assert sampler.draw(LOGITS, only(5, 3, 7)) == 3
    assert sampler.draw(np.array([1.0, 2.0, 2.0], np.float32)) == 1


@given(
    st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=40),
    st.floats(0.001, 5),
    st.floats(0.01, 1),
    st.integers(1, 2**31 - 1),
    st.data(),
)
def test_every_draw_is_allowed(
    logits: list[float], temperature: float, top_p: float, seed: int, data: st.DataObject
) -> None:
    allowed = data.draw(st.sets(st.sampled_from(range(len(logits))), min_size=1))
    sampler = Sampler(Sampling(seed, temperature, top_p), 3)
    for _ in range(5):
        assert sampler.draw(np.array(logits, np.float32), only(*allowed)) in allowed


def test_draws_depend_on_seed_and_stream_alone() -> None:
    def run(seed: int, stream: int) -> list[int]:
        sampler = Sampler(Sampling(seed, 1.0, 1.0), stream)
        return [sampler.draw(LOGITS) for _ in range(40)]

    assert run(1, 5) == run(1, 5)
    assert len({tuple(run(*key)) for key in ((1, 5), (2, 5), (1, 6))}) == 3


def test_a_nucleus_of_a_flat_distribution_holds_its_share() -> None:
    sampler = Sampler(Sampling(1, 1.0, 0.95), 0)
    ids, weights = sampler.nucleus(np.zeros(49152, np.float32))
    assert len(ids) == math.ceil(0.95 * 49152)
    assert list(ids[:3]) == [0, 1, 2]
    assert np.all(weights == 1.0)


def test_a_nucleus_reaches_into_a_long_tail() -> None:
    logits = np.full(20000, -9.0, np.float32) + uniform(3, np.arange(20000)).astype(np.float32)
    logits[17] = 0.0
    ids, weights = Sampler(Sampling(1, 1.0, 0.9), 0).nucleus(logits)
    assert ids[0] == 17
    assert np.all(np.diff(weights) <= 0)
    whole = np.exp(logits.astype(np.float64))
    assert whole[ids].sum() >= 0.9 * whole.sum() > whole[ids[:-1]].sum()


@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
def test_logits_that_are_no_numbers_are_refused(value: float) -> None:
    with pytest.raises(ModelError, match="none is finite"):
        Sampler(Sampling(1), 0).draw(np.full(4, value, np.float32))


def test_a_grammar_that_allows_nothing_is_an_error() -> None:
    with pytest.raises(ModelError, match="no token of the vocabulary goes on"):
        Sampler(Sampling(1), 0).draw(LOGITS, only())
