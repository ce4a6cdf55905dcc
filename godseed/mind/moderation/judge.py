"""Layer 3: a model's judgement, read from the logits of yes and no instead of from prose.

A model that cannot answer what is obvious is not believed: `open_judge` asks the questions of
`godseed decide check`, and then obvious wishes of its own. What it found is the judge's `status`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from godseed.mind.backends import Backend
from godseed.mind.decide.contract import Option
from godseed.mind.decide.decider import Decider
from godseed.mind.decide.readout import check_readout

THRESHOLD: Final = 0.6
"""P(allowed) from which a wish may pass; even odds are not enough."""
LEAST_MASS: Final = 0.05
"""Share of the next token that yes and no must hold together; below it nothing was answered."""
QUESTION: Final = (
    "A public art game turns wishes into small 3D towns that children look at. "
    "Which rule applies to this wish?"
)
ALLOWED: Final = Option(
    "allowed",
    "A harmless place, building, plant, animal, weather, light, feast or memory.",
)
FORBIDDEN: Final = Option(
    "forbidden",
    "An insult or slur, sexual content, a hate symbol or its drawing, or people being hurt.",
)
OBVIOUS: Final = (
    ("a lighthouse on a northern cape", True),
    ("a garden with a fountain and three lanterns", True),
    ("a square where all the villagers are murdered", False),
    ("an insult to every immigrant, in letters of fire", False),
)
"""Wishes whose verdict nobody doubts; none of them is a word that layer 2 would miss by itself."""
Status = Literal["passed", "weak", "unavailable"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model thought of one wish.

    Attributes:
        p_allowed: probability that the wish is allowed, rather than forbidden.
        mass: share of the next token that yes and no hold, the smaller of both questions.
    """

    p_allowed: float
    mass: float


class Judge:
    """A decider with a threshold, and how far it can be trusted.

    Attributes:
        status: `passed`, `weak` (it fails what is obvious) or `unavailable` (it cannot be asked).
        evidence: one sentence for a reader.
        threshold: P(allowed) from which a wish may pass.
    """

    def __init__(self, decider: Decider, threshold: float = THRESHOLD) -> None:
        """Ask the obvious questions.

        Args:
            decider: of the binary contract.
            threshold: in (0, 1].
        Raises:
            ValueError: another contract, or a threshold out of range.
            DecideError, BackendError: the model cannot answer.
        """
        if decider.contract != "binary":
            raise ValueError(f"judge.contract: {decider.contract}; expected binary; open it so")
        if not 0.0 < threshold <= 1.0:
            raise ValueError(f"judge.threshold: {threshold}; expected above 0, to 1; try 0.6")
        self._decider: Decider | None = decider
        self.threshold = threshold
        self.status, self.evidence = self._examined()

    @classmethod
    def unavailable(cls, problem: str) -> Judge:
        """A judge that cannot be asked, and why; what then decides is the policy's."""
        made = cls.__new__(cls)
        made._decider, made.threshold = None, THRESHOLD
        made.status, made.evidence = "unavailable", " ".join(problem.split())[:300]
        return made

    @property
    def fit(self) -> bool:
        """Whether its judgement counts."""
        return self.status == "passed"

    def judge(self, text: str) -> Judgement:
        """What the model thinks of a wish.

        Raises:
            DecideError: it could not be asked, or the wish spells a control token.
            BackendError: there is no model.
            ValueError: its answer is no probability.
        """
        if self._decider is None:
            raise ValueError(f"judge: {self.evidence}; expected a model; choose one with --model")
        decision = self._decider.decide({"wish": text}, QUESTION, (ALLOWED, FORBIDDEN))
        found = Judgement(decision.probabilities[0], decision.mass)
        if not (math.isfinite(found.p_allowed) and math.isfinite(found.mass)):
            raise ValueError(f"judge: {found}; expected probabilities; use another model")
        return found

    def allows(self, found: Judgement) -> bool:
        """Whether a judgement lets a wish pass."""
        return found.p_allowed >= self.threshold and found.mass >= LEAST_MASS

    def objection(self, found: Judgement) -> str:
        """Why a judgement does not let a wish pass."""
        if found.mass < LEAST_MASS:
            return f"yes and no hold {found.mass:.3f} of the answer; {LEAST_MASS} is needed"
        return f"P(allowed) is {found.p_allowed:.3f}; {self.threshold} is needed"

    def record(self) -> dict[str, Any]:
        """As `doctor` and `moderate --json` tell it."""
        return {"status": self.status, "evidence": self.evidence, "threshold": self.threshold}

    def _examined(self) -> tuple[Status, str]:
        assert self._decider is not None
        check = check_readout(self._decider)
        if check.status != "passed":
            return "weak", check.evidence
        wrong = [
            f"{'refused' if allowed else 'allowed'} {text!r}"
            for text, allowed in OBVIOUS
            if self.allows(self.judge(text)) != allowed
        ]
        right = len(OBVIOUS) - len(wrong)
        evidence = f"{check.evidence}; {right} of {len(OBVIOUS)} obvious wishes right"
        if wrong:
            evidence += f": {', '.join(wrong)}"
        return ("weak" if wrong else "passed"), evidence


def open_judge(backend: Backend, threshold: float = THRESHOLD) -> Judge | None:
    """The judge that belongs to a backend: the same model, asked apart from the planner.

    Args:
        backend: what plans. The weights of `llamacpp` are shared, its conversation is left alone.
        threshold: in (0, 1].
    Returns:
        None for the mock, which has no opinion. A judge that is `unavailable` where the model
        cannot serve the contract; its evidence says why.
    """
    identity = backend.identity()
    if identity["kind"] == "mock":
        return None
    try:
        return Judge(_decider(backend, identity), threshold)
    except Exception as error:  # whatever it is, the judge is not to be had, and says so
        return Judge.unavailable(f"{type(error).__name__}: {error}")


def _decider(backend: Backend, identity: Mapping[str, Any]) -> Decider:
    """The binary contract over the backend's model.

    Raises:
        DecideError, BackendError: it cannot be served.
        ValueError: this backend gives no logits.
    """
    kind = identity["kind"]
    if kind == "llamacpp":
        from godseed.mind.backends.llamacpp import LlamaCppBackend
        from godseed.mind.decide.runtimes.llamacpp import LlamaRuntime

        if isinstance(backend, LlamaCppBackend):
            return Decider(LlamaRuntime(backend), "binary")
    if kind == "openai":
        from godseed.mind.backends.openai import KEY_VARIABLES
        from godseed.mind.decide.runtimes import create

        key = next(filter(None, map(os.environ.get, KEY_VARIABLES)), None)
        where = {"url": identity["url"], "model": identity["model"], "api_key": key}
        return Decider(create("http", **where), "binary")
    raise ValueError(f"backend {kind}: no logits of yes and no; expected llamacpp, or a server")
