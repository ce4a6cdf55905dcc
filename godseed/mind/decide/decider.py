"""Decisions: a contract over a runtime, proved at the start, then one answer per question.

    decider = Decider(create("llamacpp"), contract="direct")
    decision = decider.decide("charged twice", "Which queue?", [Option(...), Option(...)])
    decision.choice, decision.probabilities

Opening a decider proves the slots, the boundary and the transport; each prompt is then checked for
its length, its boundary and smuggled control tokens before it is scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from godseed.mind.backends import Message
from godseed.mind.decide.contract import (
    PROMPT_VERSIONS,
    Contract,
    Option,
    binary_messages,
    check_options,
    direct_messages,
    joined_sha256,
    json_text,
    prompt_sha256,
)
from godseed.mind.decide.errors import InputError, TooLongError
from godseed.mind.decide.runtimes import Runtime
from godseed.mind.decide.scoring import (
    BINARY_METHOD,
    DEBIAS_METHOD,
    answer_index,
    confidence,
    cyclic_log_mean,
    cyclic_orders,
    log_odds,
    sigmoid,
    softmax,
)
from godseed.mind.decide.slots import (
    Slots,
    check_logprobs,
    probe_messages,
    refuse_control_tokens,
    resolve_slots,
    verify_boundary,
    verify_transport,
)
from godseed.sim.maths import F64

Debias = Literal["none", "cyclic"]
DIRECT_METHOD = "option-logits-v1"


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer; sequences follow the order in which the options were given.

    Attributes:
        option_ids: ids of the options.
        probabilities: softmax of `option_logprobs` over the temperature; they sum to 1.
        option_logprobs: natural logarithms. Direct: of the letters among all tokens; debiased: the
            mean log-shares; binary: the log-odds of yes, which softmax takes alike.
        choice: id of the likeliest option, the first in a tie.
        confidence: 1 minus normalised entropy, in [0, 1].
        mass: share of all tokens that the answer tokens hold; small means that the model would
            rather have said something else. The smallest of several passes.
        input_tokens: of all prompts together.
        prompt_sha256: of the prompt; of several, of their digests (see `joined_sha256`).
        prompt_version: of the contract.
        method: how the logits became log-probabilities.
        temperature: that they were divided by; 1 is uncalibrated.
        prompts_sha256: of each prompt that was scored.
        independent: binary: probability of yes, each candidate by itself; else None.
        flipped: whether reversed options give another answer; None if nobody asked.
    """

    option_ids: tuple[str, ...]
    probabilities: tuple[float, ...]
    option_logprobs: tuple[float, ...]
    choice: str
    confidence: float
    mass: float
    input_tokens: int
    prompt_sha256: str
    prompt_version: str
    method: str
    temperature: float
    prompts_sha256: tuple[str, ...]
    independent: tuple[float, ...] | None = None
    flipped: bool | None = None


@dataclass(frozen=True, slots=True)
class _Pass:
    """One prompt, scored: log-probabilities of the wanted tokens."""

    logprobs: F64
    tokens: int
    sha256: str


class Decider:
    """A contract over a runtime.

    Attributes:
        runtime, contract: as given.
        slots: the answer tokens, proved.
        prompt_version: of the contract.
        probe_mass: share of the answer tokens after the probe's prompt.
    """

    def __init__(
        self,
        runtime: Runtime,
        contract: Contract = "direct",
        *,
        debias: Debias = "none",
        flip: bool = False,
        temperature: float = 1.0,
        max_input_tokens: int | None = None,
    ) -> None:
        """Prove that the runtime can serve the contract.

        Args:
            debias: `cyclic` shows every rotation of the options, one prompt each.
            flip: also ask with the options reversed, and say whether the answer changes.
            temperature: of a calibration, above 0.
            max_input_tokens: refuse longer prompts than that, besides those beyond the context.
        Raises:
            InputError: options that do not go together.
            ContractError: slots or boundary do not hold.
            TransportError: the runtime does not answer for every slot.
        """
        if contract not in PROMPT_VERSIONS:
            raise InputError("contract", f"{contract!r}; expected direct or binary; choose one")
        if contract == "binary" and debias != "none":
            raise InputError(
                "debias",
                "cyclic with the binary contract; expected direct, as binary has no order; "
                "leave it",
            )
        if not 0.0 < temperature < float("inf"):
            raise InputError("temperature", f"{temperature}; expected above 0; try 1")
        self.runtime, self.contract = runtime, contract
        self.prompt_version = PROMPT_VERSIONS[contract]
        self.slots: Slots = resolve_slots(runtime, contract)
        self._debias, self._flip, self._temperature = debias, flip, temperature
        self._limit = runtime.context_tokens()
        self._limit_of = "context"
        if max_input_tokens is not None and max_input_tokens < self._limit:
            self._limit, self._limit_of = max_input_tokens, "limit"
        prompt = runtime.render(probe_messages(contract))
        ids = runtime.tokenize(prompt)
        verify_boundary(runtime, prompt, ids, self.slots, len(self.slots.groups))
        self.probe_mass = _mass(verify_transport(runtime, ids, self.slots))

    @property
    def method(self) -> str:
        """How logits become log-probabilities, as decisions say it."""
        if self.contract == "binary":
            return BINARY_METHOD
        return DEBIAS_METHOD if self._debias == "cyclic" else DIRECT_METHOD

    @property
    def flips(self) -> bool:
        """Whether each question is also asked with its options reversed."""
        return self._flip

    @property
    def temperature(self) -> float:
        """That log-probabilities are divided by."""
        return self._temperature

    def calibrated(self, temperature: float) -> Decider:
        """The same, proved already, at another temperature."""
        other = object.__new__(Decider)
        other.__dict__.update(self.__dict__, _temperature=temperature)
        return other

    def plain(self) -> Decider:
        """The same, proved already, one pass per question, uncalibrated, as long as the context."""
        other = object.__new__(Decider)
        bare = {"_debias": "none", "_flip": False, "_temperature": 1.0, "_limit_of": "context"}
        other.__dict__.update(self.__dict__, **bare, _limit=self.runtime.context_tokens())
        return other

    def decide(self, state: Any, question: str, options: Sequence[Option]) -> Decision:
        """Answer one question about a state.

        Args:
            state: the evidence, any JSON value.
            question: the criterion.
            options: 2 to 16; with the binary contract 1 to 16.
        Raises:
            InputError: the row cannot be shown to a model; TooLongError if it is too long.
            ContractError: the boundary does not hold for this prompt.
            TransportError: the runtime did not answer.
        """
        return self.decide_evidence(json_text(state), question, options)

    def decide_evidence(self, evidence: str, question: str, options: Sequence[Option]) -> Decision:
        """The same from evidence that is already serialised, as several questions share it."""
        check_options(options, self.contract)
        refuse_control_tokens(
            self.runtime, "\n".join([evidence, question, *map(_shown, options)]), "row"
        )
        decision = self._answer(evidence, question, options)
        if not self._flip:
            return decision
        back = self._answer(evidence, question, list(reversed(options)))
        return replace(
            decision,
            flipped=back.choice != decision.choice,
            input_tokens=decision.input_tokens + back.input_tokens,
        )

    def _answer(self, evidence: str, question: str, options: Sequence[Option]) -> Decision:
        if self.contract == "binary":
            return self._binary(evidence, question, options)
        return self._direct(evidence, question, options)

    def _direct(self, evidence: str, question: str, options: Sequence[Option]) -> Decision:
        cyclic = self._debias == "cyclic"
        orders = cyclic_orders(len(options)) if cyclic else [list(range(len(options)))]
        passes = [
            self._score(
                direct_messages(evidence, question, [options[i] for i in order]), len(options)
            )
            for order in orders
        ]
        found = passes[0].logprobs
        if cyclic:
            found = cyclic_log_mean(orders, [one.logprobs for one in passes])
        return self._decision(options, found, passes)

    def _binary(self, evidence: str, question: str, options: Sequence[Option]) -> Decision:
        passes = [
            self._score(binary_messages(evidence, question, option), len(self.slots.groups))
            for option in options
        ]
        split = len(self.slots.groups[0])
        odds = np.asarray([log_odds(p.logprobs[:split], p.logprobs[split:]) for p in passes])
        decision = self._decision(options, odds, passes)
        return replace(decision, independent=tuple(sigmoid(odds / self._temperature).tolist()))

    def _score(self, messages: list[Message], groups: int) -> _Pass:
        """Render, check and score one prompt."""
        prompt = self.runtime.render(messages)
        ids = self.runtime.tokenize(prompt)
        if len(ids) > self._limit:
            raise TooLongError(
                "row",
                f"{len(ids)} tokens; expected at most {self._limit} ({self._limit_of}), and a "
                "prompt is never cut; shorten the state or raise it",
            )
        verify_boundary(self.runtime, prompt, ids, self.slots, groups)
        wanted = self.slots.wanted(groups)
        found = self.runtime.logprobs(ids, wanted)
        check_logprobs(found, len(wanted))
        return _Pass(found, len(ids), prompt_sha256(prompt))

    def _decision(self, options: Sequence[Option], found: F64, passes: Sequence[_Pass]) -> Decision:
        probabilities = softmax(found / self._temperature)
        digests = tuple(one.sha256 for one in passes)
        return Decision(
            option_ids=tuple(option.id for option in options),
            probabilities=tuple(probabilities.tolist()),
            option_logprobs=tuple(found.tolist()),
            choice=options[answer_index(found)].id,
            confidence=confidence(probabilities),
            mass=min(_mass(one.logprobs) for one in passes),
            input_tokens=sum(one.tokens for one in passes),
            prompt_sha256=joined_sha256(digests),
            prompt_version=self.prompt_version,
            method=self.method,
            temperature=self._temperature,
            prompts_sha256=digests,
        )


def _mass(logprobs: F64) -> float:
    return min(float(np.exp(logprobs).sum()), 1.0)


def _shown(option: Option) -> str:
    return f"{option.id}\n{option.description}"
