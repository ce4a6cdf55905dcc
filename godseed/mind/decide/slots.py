"""Proofs that a logit means an option: slots, boundary, transport, and no smuggled control tokens.

Each of them fails loudly. An answer letter that is two tokens, or that merges with the end of the
prompt, would silently score some other token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from godseed.mind.backends import Message
from godseed.mind.decide.contract import (
    BINARY_WORDS,
    LETTERS,
    Contract,
    Option,
    binary_messages,
    direct_messages,
    json_text,
)
from godseed.mind.decide.errors import ContractError, InputError, TransportError
from godseed.mind.decide.runtimes import Runtime
from godseed.sim.maths import F64

_PROBE = "probe"


@dataclass(frozen=True, slots=True)
class Slots:
    """The tokens that answer.

    Attributes:
        groups: per letter its one token id, or per word of `BINARY_WORDS` the ids of its spellings.
        spellings: the texts of those ids, in the same places.
    """

    groups: tuple[tuple[int, ...], ...]
    spellings: tuple[tuple[str, ...], ...]

    def wanted(self, count: int) -> list[int]:
        """Ids of the first `count` groups, one after another."""
        return [token for group in self.groups[:count] for token in group]


def resolve_slots(runtime: Runtime, contract: Contract) -> Slots:
    """The answer tokens of a contract, proved for this tokenizer.

    Raises:
        ContractError: an answer is not a single token that means just it.
    """
    return _letter_slots(runtime) if contract == "direct" else _word_slots(runtime)


def probe_messages(contract: Contract) -> list[Message]:
    """Messages as wide as the contract allows: 16 options, or one candidate."""
    options = [Option(letter, f"Probe option {letter}") for letter in LETTERS]
    if contract == "direct":
        return direct_messages(json_text(_PROBE), _PROBE, options)
    return binary_messages(json_text(_PROBE), _PROBE, options[0])


def verify_boundary(
    runtime: Runtime, prompt: str, ids: Sequence[int], slots: Slots, count: int
) -> None:
    """Prove that an answer after this prompt stays the token that is scored.

    For letters each must hold; for a word one spelling must, as the model may open with a space.

    Args:
        prompt, ids: the prompt and its tokens.
        count: how many of the slots' groups are used.
    Raises:
        ContractError: an answer would merge with the end of the prompt.
    """
    if not ids:
        raise ContractError("boundary: the prompt is empty; expected text; check the template")
    for group, spellings in zip(slots.groups[:count], slots.spellings[:count], strict=True):
        held = any(
            runtime.tokenize(prompt + spelling) == [*ids, token]
            for token, spelling in zip(group, spellings, strict=True)
        )
        if not held:
            raise ContractError(
                f"boundary: {spellings[0]!r} after the prompt's end {prompt[-12:]!r} is not one "
                "token of its own; expected a template whose end leaves it alone; use a template "
                "that ends in a line break or a control token"
            )


def verify_transport(runtime: Runtime, ids: Sequence[int], slots: Slots) -> F64:
    """Prove that the runtime gives the log-probability of every answer token; they are returned.

    Args:
        ids: tokens of the prompt of `probe_messages`.
    Raises:
        TransportError: one is missing or not a number; a missing answer is never a 0.
    """
    wanted = slots.wanted(len(slots.groups))
    found = runtime.logprobs(ids, wanted)
    check_logprobs(found, len(wanted))
    return found


def check_logprobs(found: F64, expected: int) -> None:
    """Refuse what is not one finite log-probability per wanted token.

    Raises:
        TransportError: it is not.
    """
    values = [float(value) for value in found]
    if len(values) != expected or not all(-1e30 < value <= 1e-3 for value in values):
        raise TransportError(
            f"transport: log-probabilities {values}; expected {expected} finite ones of 0 or less; "
            "check the runtime"
        )


def refuse_control_tokens(runtime: Runtime, text: str, where: str) -> None:
    """Refuse text that the tokenizer would read as control tokens: it could end the message.

    Raises:
        InputError: it holds one.
    """
    found = runtime.control_tokens(text)
    if found:
        raise InputError(
            where,
            f"holds the text of a control token, {found[0]!r}; expected none, as it would end the "
            "message; take it out",
        )


def _letter_slots(runtime: Runtime) -> Slots:
    ids: list[int] = []
    for letter in LETTERS:
        found = runtime.tokenize(letter)
        if len(found) != 1:
            raise ContractError(
                f"slots: {letter!r} is {len(found)} tokens; expected a single one; "
                "this model cannot serve direct-options-v1"
            )
        ids.append(found[0])
    if len(set(ids)) != len(ids):
        raise ContractError(
            "slots: two letters share a token; expected 16 distinct ones; "
            "this model cannot serve direct-options-v1"
        )
    decoded = runtime.detokenize(ids)
    if decoded != LETTERS:
        raise ContractError(
            f"slots: the letters decode to {decoded!r}; expected {LETTERS!r}; "
            "this model cannot serve direct-options-v1"
        )
    return Slots(tuple((token,) for token in ids), tuple((letter,) for letter in LETTERS))


def _word_slots(runtime: Runtime) -> Slots:
    groups: list[tuple[int, ...]] = []
    texts: list[tuple[str, ...]] = []
    for word in BINARY_WORDS:
        found: dict[int, str] = {}
        for spelling in (word, f" {word}"):
            ids = runtime.tokenize(spelling)
            if len(ids) == 1:
                found.setdefault(ids[0], spelling)
        if not found:
            raise ContractError(
                f"slots: {word!r} is no single token in any spelling; expected one; "
                "this model cannot serve binary-candidates-v1"
            )
        for token, spelling in found.items():
            decoded = runtime.detokenize([token])
            if decoded.strip() != word:
                raise ContractError(
                    f"slots: {spelling!r} decodes to {decoded!r}; expected {word!r}; "
                    "this model cannot serve binary-candidates-v1"
                )
        groups.append(tuple(found))
        texts.append(tuple(found.values()))
    if set(groups[0]) & set(groups[1]):
        raise ContractError(
            "slots: yes and no share a token; expected disjoint ones; "
            "this model cannot serve binary-candidates-v1"
        )
    return Slots(tuple(groups), tuple(texts))
