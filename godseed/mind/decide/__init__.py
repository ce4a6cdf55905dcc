"""Decisions: one of up to 16 options, or yes and no, from next-token logits instead of prose.

from godseed.mind.decide import Decider, Option, create

decider = Decider(create("llamacpp"), contract="direct")
decision = decider.decide("charged twice", "Which queue?", [Option("billing", "Refunds."), ...])
"""

from godseed.mind.decide.contract import LETTERS, PROMPT_VERSIONS, Contract, Option
from godseed.mind.decide.decider import Decider, Decision
from godseed.mind.decide.errors import (
    ContractError,
    DecideError,
    InputError,
    TooLongError,
    TransportError,
)
from godseed.mind.decide.http import DecisionService, Reply
from godseed.mind.decide.readout import check_readout
from godseed.mind.decide.runtimes import Runtime, create

__all__ = [
    "LETTERS",
    "PROMPT_VERSIONS",
    "Contract",
    "ContractError",
    "DecideError",
    "Decider",
    "Decision",
    "DecisionService",
    "InputError",
    "Option",
    "Reply",
    "Runtime",
    "TooLongError",
    "TransportError",
    "check_readout",
    "create",
]
