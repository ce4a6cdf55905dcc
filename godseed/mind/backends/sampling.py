"""Drawing the next token, the same for every backend that holds its own logits.

The distribution is: softmax at a temperature; of it the nucleus, the likeliest tokens that together
hold `top_p`; of these the ones that the grammar allows. Where the nucleus holds none that it
allows, the same is done with the allowed tokens of the whole vocabulary. To draw from it, one token
is drawn from the nucleus and checked alone. Nearly always it passes; when it does not, the nucleus
is masked and drawn from again, which gives the very same distribution (docs/decisions/0015).
Randomness is mulberry32 of the seed, so a draw depends on nothing but seed, count and logits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from godseed.mind.backends import ModelError, Sampling
from godseed.sim.maths import F32, F64
from godseed.sim.rng import Mulberry32, mix

COLDEST, HOTTEST = 0.001, 100.0
CUTS = (1e-3, 1e-6, 0.0)
Ids = npt.NDArray[np.intp]
Allowed = Callable[[Ids], npt.NDArray[np.bool_]]


@dataclass
class Counts:
    """How often each way of drawing was taken.

    Attributes:
        first: the token drawn first passed.
        nucleus: it did not, and the nucleus was masked.
        vocabulary: nothing in the nucleus passed, and the vocabulary was masked.
    """

    first: int = 0
    nucleus: int = 0
    vocabulary: int = 0


class Sampler:
    """Draws the tokens of one generation."""

    def __init__(self, sampling: Sampling, stream: int) -> None:
        """Args:
            sampling: seed, temperature and nucleus.
            stream: sets the draws of this generation apart from others of the same seed.
        Raises:
            ModelError: temperature or top_p is out of range.
        """
        warm = sampling.temperature == 0.0 or COLDEST <= sampling.temperature <= HOTTEST
        if not warm or not 0.0 < sampling.top_p <= 1.0:
            raise ModelError(
                f"sampling: temperature {sampling.temperature}, top_p {sampling.top_p}; expected "
                f"0 or {COLDEST}..{HOTTEST}, and above 0 up to 1; choose others"
            )
        self._temperature = sampling.temperature
        self._top_p = sampling.top_p
        self._random = Mulberry32(mix(sampling.seed, stream))
        self.counts = Counts()

    def draw(self, logits: F32, allowed: Allowed | None = None) -> int:
        """The next token.

        Args:
            logits: (n_vocab,) float32; not changed.
            allowed: tells of token ids which of them may come next; None allows all.
        Raises:
            ModelError: no token of the vocabulary is allowed, or no logit is finite.
        """
        ids, weights = self.nucleus(logits)
        token = self._pick(ids, weights)
        if allowed is None or bool(allowed(np.array([token]))[0]):
            self.counts.first += 1
            return token
        mask = allowed(ids)
        if mask.any():
            self.counts.nucleus += 1
            return self._pick(ids[mask], weights[mask])
        self.counts.vocabulary += 1
        mask = allowed(np.arange(len(logits)))
        if not mask.any():
            raise ModelError("grammar: no token of the vocabulary goes on from here; change it")
        return self._pick(*self.nucleus(np.where(mask, logits, np.float32(-np.inf))))

    def nucleus(self, logits: F32) -> tuple[Ids, F64]:
        """The likeliest tokens that together hold `top_p`, likeliest first, and their weights.

        Args:
            logits: (n_vocab,) float32.
        Returns:
            ids (k,) and weights (k,) float64, relative to the likeliest; of equals, the lower id
            comes first. With `top_p` 1 all tokens, in the order of their ids.
        Raises:
            ModelError: no logit is finite.
        """
        best = int(np.argmax(logits))
        if not np.isfinite(logits[best]):
            raise ModelError("logits: none is finite; expected some; try another model file")
        if self._temperature == 0.0:
            return np.array([best]), np.ones(1)
        scaled = (logits - logits[best]) * np.float32(1.0 / self._temperature)
        weights = np.exp(scaled)
        if self._top_p == 1.0:
            return np.arange(len(logits)), weights.astype(np.float64)
        needed = float(weights.sum(dtype=np.float64)) * self._top_p
        for cut in CUTS:
            ids = np.flatnonzero(weights >= cut)
            ids = ids[np.argsort(-weights[ids], kind="stable")]
            kept = weights[ids].astype(np.float64)
            total = np.cumsum(kept)
            if total[-1] >= needed:
                break
        count = int(np.searchsorted(total, needed)) + 1
        return ids[:count], kept[:count]

    def _pick(self, ids: Ids, weights: F64) -> int:
        total = np.cumsum(weights)
        at = int(np.searchsorted(total, self._random.next() * total[-1], side="right"))
        return int(ids[min(at, len(ids) - 1)])
