"""The in-process runtime: a GGUF model through llama.cpp, sharing what prompts have in common.

Prompts are evaluated in blocks of a fixed number of tokens, counted from the start. A block that
the last prompt had in the same place is kept, the others are evaluated. The same tokens are thus
always evaluated in the same pieces, whatever was asked before, and the logits are the same to the
last bit as those of an empty context (docs/decisions/0017). Questions about one state share its
system text and evidence, so they are asked next to each other.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from godseed.mind.backends import Message, ModelError
from godseed.mind.backends.llama_engine import N_BATCH, Context
from godseed.mind.backends.llamacpp import LlamaCppBackend
from godseed.mind.decide.contract import TEMPLATE_KWARGS
from godseed.mind.decide.errors import ContractError, TransportError
from godseed.mind.decide.scoring import token_logprobs
from godseed.sim.maths import F32, F64

BLOCK: Final = 64
"""Tokens per evaluation. Larger ones evaluate faster and share less; it divides `N_BATCH`."""


class BlockContext:
    """Logits of whole prompts, evaluated block by block, with the blocks of the last one kept.

    Attributes:
        evaluated: tokens evaluated so far.
        reused: tokens that did not have to be.
        fallbacks: prompts that shared blocks with the last one, where the model's memory could
            not be cut back and everything was evaluated anew.
    """

    def __init__(self, context: Context, block: int = BLOCK) -> None:
        """Args: context: nobody else's. block: tokens per evaluation, at most `N_BATCH`."""
        if not 1 <= block <= N_BATCH:
            raise ValueError(f"block: {block}; expected 1 to {N_BATCH}; try {BLOCK}")
        self._context, self._block = context, block
        self.reused = self.fallbacks = 0

    @property
    def evaluated(self) -> int:
        """Tokens evaluated so far."""
        return self._context.evaluated

    def reset(self) -> None:
        """Keep nothing of the last prompt."""
        self._context.reset()

    def logits(self, ids: Sequence[int]) -> F32:
        """Logits after a prompt, (n_vocab,) float32: a view that the next call overwrites.

        Args:
            ids: at least one, no more than fit the context.
        """
        shared = self._shared(ids)
        kept = self._context.keep(shared)
        if kept < shared:
            self.fallbacks += 1
        self.reused += kept
        for start in range(kept, len(ids), self._block):
            logits = self._context.read(ids[start : start + self._block])
        return logits

    def _shared(self, ids: Sequence[int]) -> int:
        """How many leading tokens are there already in whole blocks; the last block never is."""
        same = 0
        for old, new in zip(self._context.tokens, ids[:-1], strict=False):
            if old != new:
                break
            same += 1
        return same // self._block * self._block


class LlamaRuntime:
    """The `llamacpp` runtime."""

    def __init__(self, backend: LlamaCppBackend, block: int = BLOCK, share: bool = True) -> None:
        """Args:
        backend: its model and template are used, its conversation is left alone.
        block: tokens per evaluation.
        share: keep what prompts have in common; off, each one starts anew, with equal logits.
        """
        self._backend, self._weights = backend, backend.weights
        identity = backend.identity()
        self._n_ctx = int(identity["n_ctx"])
        self._identity = {
            **{key: identity[key] for key in identity if key not in _OF_GENERATION},
            "block": block,
        }
        self._share = share
        self._lock = threading.Lock()
        context = Context(self._weights, self._n_ctx, int(identity["threads"]))
        self.blocks = BlockContext(context, block)

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt by the model's template, byte for byte; control tokens are refused before."""
        template = self._backend.template
        try:
            if template is None:
                return self._backend.render(messages)  # raises, with the way out
            return template.render(messages, **TEMPLATE_KWARGS)
        except ModelError as error:
            raise ContractError(str(error)) from None

    def tokenize(self, text: str) -> list[int]:
        """Token ids of a text."""
        return self._weights.tokenize(text)

    def detokenize(self, ids: Sequence[int]) -> str:
        """The text of some tokens."""
        return self._backend.detokenize(ids)

    def control_tokens(self, text: str) -> list[str]:
        """Names of the control tokens that a text spells."""
        ids = self._weights.tokenize(text)
        return [self._weights.text(token) for token in ids if self._weights.is_control(token)]

    def logprobs(self, ids: Sequence[int], wanted: Sequence[int]) -> F64:
        """Log-probabilities of the wanted tokens among the whole vocabulary."""
        with self._lock:
            if not self._share:
                self.blocks.reset()
            try:
                return token_logprobs(self.blocks.logits(ids), wanted)
            except ValueError as error:
                raise TransportError(f"llamacpp: {error}") from None

    def context_tokens(self) -> int:
        """Tokens of context."""
        return self._n_ctx

    def identity(self) -> Mapping[str, Any]:
        """Model, its hash, library, processor and settings; sharing changes no bit of it."""
        return self._identity

    def describe(self) -> Mapping[str, Any]:
        """How it works, all of it in this process, and what sharing saved so far."""
        return {
            "probe": "in-process-logits",
            "endpoint": "in process",
            "renders_locally": True,
            "tokenizes_locally": True,
            "tokens_evaluated": self.blocks.evaluated,
            "tokens_reused": self.blocks.reused,
            "batch_fallbacks": self.blocks.fallbacks,
        }


_OF_GENERATION = frozenset(("clock", "sampler", "grammar", "n_batch"))


def open_llamacpp(
    model: str | Path | None = None,
    template: str | Path | None = None,
    n_ctx: int | None = None,
    threads: int | None = None,
    block: int = BLOCK,
    share: bool = True,
) -> LlamaRuntime:
    """Load a model.

    Args:
        model: a path, a name on the hub, or a packaged model; the default one if None.
        template: path of a chat template in place of the model's own.
        n_ctx: tokens of context.
        threads: of an evaluation.
        block, share: of `LlamaRuntime`.
    Raises:
        MissingError: llama.cpp or the model is not installed.
        ModelError: the file is no model, or the template no template.
    """
    backend = LlamaCppBackend(model, template=template, n_ctx=n_ctx, threads=threads)
    return LlamaRuntime(backend, block, share)
