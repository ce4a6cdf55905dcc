"""The self-check: four questions whose answers are obvious, asked before anything is believed.

A model that fails them may still be asked, but its probabilities mean little. Small models often
fail; `--require-readout-check` refuses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from godseed.mind.decide.contract import Option
from godseed.mind.decide.decider import Decider
from godseed.mind.decide.errors import ContractError


@dataclass(frozen=True, slots=True)
class Obvious:
    """A question whose answer nobody doubts."""

    state: str
    question: str
    options: tuple[Option, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class ReadoutCheck:
    """How a decider did on the obvious questions.

    Attributes:
        status: `passed` or `failed`.
        evidence: one sentence for a reader.
        answers: per question the answer given, and its probability.
    """

    status: Literal["passed", "failed"]
    evidence: str
    answers: tuple[tuple[str, float], ...]

    def record(self) -> dict[str, Any]:
        """As it travels with answers: `status` and `evidence`."""
        return {"status": self.status, "evidence": self.evidence}


OBVIOUS = (
    Obvious(
        "The customer writes: I was charged twice and want my money back.",
        "Which team should handle this message?",
        (
            Option("billing", "Charges, payments and money back."),
            Option("gardening", "Lawns, hedges and trees."),
        ),
        "billing",
    ),
    Obvious(
        "The customer writes: the hedge in front of my house needs to be cut.",
        "Which team should handle this message?",
        (
            Option("billing", "Charges, payments and money back."),
            Option("gardening", "A hedge or tree to be cut, a lawn to be mown."),
        ),
        "gardening",
    ),
    Obvious(
        "The sky over the harbour is clear and blue today.",
        "What colour is the sky?",
        (Option("blue", "The sky is blue."), Option("green", "The sky is green.")),
        "blue",
    ),
    Obvious(
        "There are three cats on the sofa and no dogs anywhere.",
        "Which animals are on the sofa?",
        (Option("dogs", "Two dogs."), Option("cats", "Three cats on the sofa.")),
        "cats",
    ),
)


def check_readout(decider: Decider, required: bool = False) -> ReadoutCheck:
    """Ask the obvious questions, each once and without a limit of length.

    Args:
        required: failing is an error.
    Raises:
        ContractError: it is required and failed.
    """
    given: list[tuple[str, float]] = []
    wrong: list[str] = []
    plain = decider.plain()
    for item in OBVIOUS:
        decision = plain.decide(item.state, item.question, item.options)
        given.append((decision.choice, max(decision.probabilities)))
        if decision.choice != item.answer:
            wrong.append(f"{item.answer} was answered {decision.choice}")
    right = len(OBVIOUS) - len(wrong)
    evidence = f"{right} of {len(OBVIOUS)} obvious questions right"
    if wrong:
        evidence += f"; {'; '.join(wrong)}"
    check = ReadoutCheck("failed" if wrong else "passed", evidence, tuple(given))
    if required and wrong:
        raise ContractError(
            f"readout: {evidence}; expected all of them; use a larger model, or leave out "
            "--require-readout-check"
        )
    return check
