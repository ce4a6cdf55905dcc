"""Runtimes: where prompts are rendered and tokenized, and where the next token's logits come from.

A runtime answers one question: given the tokens of a prompt, how likely is each of these tokens
next? `create` builds one by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import signature
from typing import Any, Protocol

from godseed.mind.backends import Message, MissingError
from godseed.mind.decide.errors import InputError
from godseed.sim.maths import F64

_MODULES: dict[str, str] = {
    "llamacpp": "godseed.mind.decide.runtimes.llamacpp:open_llamacpp",
    "http": "godseed.mind.decide.runtimes.http:open_http",
    "mock": "godseed.mind.decide.runtimes.mock:MockRuntime",
}
NAMES = tuple(_MODULES)


class Runtime(Protocol):
    """What a decision needs of a model."""

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt for these messages, the assistant's turn opened and thinking off.

        Raises:
            ContractError: the model has no chat template, or it refuses the messages.
        """

    def tokenize(self, text: str) -> list[int]:
        """Token ids of a text; control tokens are read as such, none is added.

        Raises:
            TransportError: the runtime did not answer.
        """

    def detokenize(self, ids: Sequence[int]) -> str:
        """The text of some tokens."""

    def control_tokens(self, text: str) -> list[str]:
        """Names of the control tokens (`<|im_end|>`) that a text spells; usually none."""

    def logprobs(self, ids: Sequence[int], wanted: Sequence[int]) -> F64:
        """Log-probabilities of the wanted tokens after a prompt, (len(wanted),) float64.

        Args:
            ids: the whole prompt.
        Raises:
            TransportError: the runtime did not answer, or one wanted token is not in its answer.
        """

    def context_tokens(self) -> int:
        """How many tokens a prompt may have at most."""

    def identity(self) -> Mapping[str, Any]:
        """What a reader needs to get the same numbers: at least `kind` and `model`."""

    def describe(self) -> Mapping[str, Any]:
        """How it works here: `probe`, `endpoint`, `renders_locally`, `tokenizes_locally`."""


def create(name: str, **options: Any) -> Runtime:
    """Build a runtime by name.

    Args:
        name: one of `NAMES`.
        options: of its constructor; those that are None are left out.
    Raises:
        InputError: no such runtime, or an option that it does not take.
        MissingError: it needs something that is not installed.
        ContractError: the model cannot be used.
    """
    if name not in _MODULES:
        raise InputError("runtime", f"{name!r}; expected one of {', '.join(NAMES)}; choose one")
    module, _, attribute = _MODULES[name].partition(":")
    given = {key: value for key, value in options.items() if value is not None}
    try:
        factory = getattr(import_module(module), attribute)
    except ImportError as error:
        raise MissingError(
            f"runtime {name}: {error}; expected it; run: pip install 'godseed[llm,openai]'"
        ) from None
    unknown = sorted(given.keys() - signature(factory).parameters.keys())
    if unknown:
        raise InputError(
            f"runtime {name}", f"takes no {unknown[0]!r}; expected another runtime for it; leave it"
        )
    runtime: Runtime = factory(**given)
    return runtime
