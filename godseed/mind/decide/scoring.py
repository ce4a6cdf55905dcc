"""From log-probabilities to answers: stable softmax, entropy confidence, log-odds, debiasing.

All arrays are float64, one value per option in the order in which the options were given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from godseed.sim.maths import F64

CONFIDENCE_METHOD = "one-minus-normalized-entropy"
BINARY_METHOD = "yes-no-log-odds-v1"
"""Our name for how the binary contract weighs candidates; nobody else's readout is claimed."""
DEBIAS_METHOD = "cyclic-shift-log-mean-v1"


def softmax(values: ArrayLike) -> F64:
    """Weights that sum to 1, (n,), proportional to exp of the values.

    Raises:
        ValueError: no value, or one that is not finite.
    """
    return np.exp(log_softmax(values))


def log_softmax(values: ArrayLike) -> F64:
    """Natural logarithms of `softmax`, exact where the weights themselves would be 0; (n,)."""
    found = _finite(values)
    with np.errstate(over="ignore"):  # to minus infinity, a share of 0
        shifted = found - found.max()
    result: F64 = shifted - np.log(np.exp(shifted).sum())
    return result


def logsumexp(values: ArrayLike) -> float:
    """Logarithm of the sum of exp of the values."""
    found = _finite(values)
    top = float(found.max())
    return top + float(np.log(np.exp(found - top).sum()))


def token_logprobs(logits: ArrayLike, ids: Sequence[int]) -> F64:
    """Log-probabilities of some tokens among all, (len(ids),).

    Args:
        logits: (n_vocab,), of the next token.
        ids: of tokens, each below n_vocab.
    """
    row = np.asarray(logits, dtype=np.float64)
    finite = row[np.isfinite(row)]
    if not finite.size or not np.isfinite(row[list(ids)]).all():
        raise ValueError("logits: none for an answer token; expected numbers; check the model")
    result: F64 = row[list(ids)] - logsumexp(finite)
    return result


def answer_index(probabilities: ArrayLike) -> int:
    """Index of the largest value; of the first of them in a tie."""
    return int(np.argmax(np.asarray(probabilities, dtype=np.float64)))


def confidence(probabilities: ArrayLike) -> float:
    """1 minus entropy over its maximum, in [0, 1]; 1.0 for a single option."""
    found = np.asarray(probabilities, dtype=np.float64)
    if len(found) < 2:
        return 1.0
    positive = found[found > 0.0]
    entropy = -float((positive * np.log(positive)).sum())
    return min(max(1.0 - entropy / float(np.log(len(found))), 0.0), 1.0)


def log_odds(yes: ArrayLike, no: ArrayLike) -> float:
    """How much likelier yes is than no, all spellings of each taken together; natural log.

    Args:
        yes, no: log-probabilities of the spellings of each word, (n,) and (m,).
    """
    return logsumexp(yes) - logsumexp(no)


def sigmoid(values: ArrayLike) -> F64:
    """Probability of yes from log-odds, each by itself; (n,), in [0, 1]."""
    found = _finite(values)
    tail = np.exp(-np.abs(found))
    result: F64 = np.where(found >= 0.0, 1.0, tail) / (1.0 + tail)
    return result


def cyclic_orders(count: int) -> list[list[int]]:
    """All rotations of `range(count)`: each option stands once behind each letter."""
    return [[(place + shift) % count for place in range(count)] for shift in range(count)]


def cyclic_log_mean(orders: Sequence[Sequence[int]], logprobs: Sequence[ArrayLike]) -> F64:
    """Mean over rotations of an option's log-share, renormalised; (n,) in the given order.

    A bias towards a letter adds the same to every option over a full turn, so it cancels.

    Args:
        orders: per pass, which option stood at each place.
        logprobs: per pass, log-probabilities of the places.
    """
    total = np.zeros(len(orders[0]))
    for order, found in zip(orders, logprobs, strict=True):
        total[list(order)] += log_softmax(found)
    return log_softmax(total / len(orders))


def _finite(values: Any) -> F64:
    found = np.asarray(values, dtype=np.float64)
    if not found.size or not np.isfinite(found).all():
        raise ValueError(f"scores: {found.tolist()}; expected finite numbers; check the runtime")
    return found
