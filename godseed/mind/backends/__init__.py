"""Backends: the one protocol behind which a model, or the mock, writes text.

A backend turns messages into a prompt and a prompt into text. It knows nothing of wishes, worlds
or tools, so planner, decisions and tones share it. `create` builds one by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any, Literal, Protocol, TypedDict

from godseed.sim.maths import F32

OnToken = Callable[[str], None]
Finish = Literal["stop", "length"]

_MODULES: dict[str, str] = {
    "llamacpp": "godseed.mind.backends.llamacpp:LlamaCppBackend",
    "mock": "godseed.mind.backends.mock:MockBackend",
    "openai": "godseed.mind.backends.openai:OpenAIBackend",
    "transformers": "godseed.mind.backends.transformers:TransformersBackend",
}
_EXTRAS = {"llamacpp": "llm", "openai": "openai", "transformers": "transformers"}


class Message(TypedDict):
    """One chat message; the planner only ever appends to a list of them."""

    role: Literal["system", "user", "assistant"]
    content: str


class UnknownBackendError(ValueError):
    """The name is not one of the installed backends, or an option is not one of its own."""


class BackendError(RuntimeError):
    """The backend could not answer; the planner ends the wish and the trace says why."""


class ModelError(BackendError, ValueError):
    """A model, template or grammar that cannot be used; the text says what to change."""


class MissingError(BackendError):
    """This machine lacks a library, a model or the network; the text holds the line that helps."""


class GenerationCancelled(Exception):
    """Raised by an `on_token` callback to stop a generation that nobody waits for."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next tokens are drawn.

    Attributes:
        seed: uint31, never 0 (llama.cpp reads 0 as "pick one").
        temperature: 0 is greedy.
        top_p: nucleus mass in (0, 1].
        max_tokens: hard limit of this generation.
    """

    seed: int
    temperature: float = 0.7
    top_p: float = 0.95
    max_tokens: int = 256


@dataclass(frozen=True, slots=True)
class Generation:
    """What a backend wrote.

    Attributes:
        text: the generated text, without prompt and stop string.
        tokens_in: length of the whole prompt in tokens.
        tokens_out: number of tokens generated.
        finish: "length" when `max_tokens` or the end of the context cut the text.
        tokens_reused: how many tokens of the prompt were not evaluated again.
    """

    text: str
    tokens_in: int
    tokens_out: int
    finish: Finish = "stop"
    tokens_reused: int = 0


class Backend(Protocol):
    """What planner, decisions and tones need of a model.

    A backend may be called from any thread; calls that meet wait for each other.
    """

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt text for these messages, with the assistant's turn opened.

        Raises:
            ModelError: the model has no chat template, or it refuses these messages.
        """

    def tokenize(self, text: str) -> list[int]:
        """Token ids of a text; special tokens written in it are recognised, none is added."""

    def detokenize(self, tokens: Sequence[int]) -> str:
        """The text of these tokens, special ones by their name; broken UTF-8 is replaced."""

    def reset(self) -> None:
        """Forget the prompt that is kept; after it, equal calls give equal answers.

        Called before each wish. In between a backend may keep what it has evaluated and go on
        from there when the next prompt begins with it.
        """

    def generate(
        self,
        prompt: str,
        grammar: str | None,
        stop: Sequence[str],
        sampling: Sampling,
        on_token: OnToken,
    ) -> Generation:
        """Continue the prompt; call `on_token` with each new piece of text, in order.

        Args:
            grammar: GBNF that the text must follow, or None for free text.
            stop: strings that end the generation and are not part of it.
            on_token: runs in the caller's thread; an exception from it ends the generation.
        Raises:
            BackendError: the model could not answer.
        """

    def logits(self, prompt: str) -> F32:
        """Next-token logits after the prompt, (n_vocab,) float32.

        They depend on nothing but the prompt, and leave what `generate` keeps alone.

        Raises:
            BackendError: this backend has none to give, or the prompt does not fit.
        """

    def identity(self) -> Mapping[str, Any]:
        """What a reader needs to reproduce a run: at least `kind`, `model` and `clock`.

        `clock` is "wall", or "virtual" where time is computed from token counts so that the
        same wish gives the same trace, byte for byte.
        """


def available() -> tuple[str, ...]:
    """Names that `create` takes, sorted."""
    return tuple(sorted(_MODULES))


def create(name: str, **options: Any) -> Backend:
    """Build a backend by name.

    Args:
        name: one of `available()`.
        options: passed to the backend's constructor.
    Raises:
        UnknownBackendError: no such backend, or no such option of it.
        MissingError: it needs something that is not here.
        ModelError: its model cannot be used.
    """
    if name not in _MODULES:
        raise UnknownBackendError(
            f"backend: {name!r}; expected one of {', '.join(available())}; "
            "choose one of these with --backend"
        )
    module, _, attribute = _MODULES[name].partition(":")
    try:
        factory: Callable[..., Backend] = getattr(import_module(module), attribute)
    except ImportError as error:
        raise MissingError(
            f"backend {name!r}: {error}; expected the extra {_EXTRAS[name]!r}; "
            f"run: pip install 'godseed[{_EXTRAS[name]}]'"
        ) from error
    known = signature(factory).parameters
    unknown = [option for option in options if option not in known]
    if unknown:
        raise UnknownBackendError(
            f"backend {name!r}: it takes no {unknown[0]}; expected none of its options, or "
            f"{', '.join(known)}; leave it out"
        )
    return factory(**options)
