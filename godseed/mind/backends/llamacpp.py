"""`llamacpp`: a GGUF model in this process.

Reproducible: the sampler is ours, threads and batch size are fixed and recorded, and `reset` makes
a wish begin with an empty context. Fast: inside a wish the context only grows, so that each prompt
evaluates nothing but what is new; and the grammar checks the token that was drawn instead of the
whole vocabulary (docs/decisions/0015). A model whose memory cannot be cut back begins anew instead.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np

from godseed.mind.backends import Generation, Message, ModelError, OnToken, Sampling
from godseed.mind.backends.chat_template import ChatTemplate
from godseed.mind.backends.llama_engine import (
    N_BATCH,
    Context,
    GrammarState,
    Weights,
    library,
    load_weights,
)
from godseed.mind.backends.model_files import find_model, sha256_of
from godseed.mind.backends.sampling import Counts, Sampler
from godseed.mind.backends.stop_text import StopText
from godseed.sim.maths import F32

N_CTX: Final = 8192
TEMPLATE_KEY: Final = "tokenizer.chat_template"


class LlamaCppBackend:
    """The `llamacpp` backend.

    Attributes:
        counts: how the tokens were drawn since it was made.
        evaluated: tokens that `generate` evaluated since it was made, prompts included.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        template: str | Path | None = None,
        n_ctx: int | None = None,
        threads: int | None = None,
    ) -> None:
        """Args:
            model: as `model_files.find_model` takes it.
            template: a file with a chat template instead of the model's own.
            n_ctx: tokens of context; by default 8,192, or what the model was trained on if less.
            threads: by default as many as there are processors for this process.
        Raises:
            MissingError: llama.cpp or the model is not installed.
            ModelError: the file is no model, or the template no template.
        """
        library()
        path = find_model(model)
        found = path.stat() if path.exists() else None
        self._path = path
        self._weights = load_weights(
            path, found.st_size if found else 0, found.st_mtime_ns if found else 0
        )
        self._n_ctx = n_ctx or min(N_CTX, self._weights.n_ctx_train)
        self._threads = threads or len(os.sched_getaffinity(0))
        self._template = self._chosen_template(template)
        self._template_from = "file" if template else "model"
        self._lock = Lock()
        self._context: Context | None = None
        self._logits_context: Context | None = None
        self._kept_text = ""
        self._kept: list[int] = []
        self._marks = self._mark_pattern()
        self.counts = Counts()

    @property
    def weights(self) -> Weights:
        """The model that is loaded."""
        return self._weights

    @property
    def evaluated(self) -> int:
        """Tokens that `generate` has evaluated."""
        return self._context.evaluated if self._context else 0

    @property
    def template(self) -> ChatTemplate | None:
        """The chat template as it is; it takes marks of the chat format for what they say."""
        return self._template

    @property
    def kept(self) -> list[int]:
        """Tokens of the last prompt and of what was generated after it."""
        return list(self._kept)

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt by the chat template, thinking switched off where it can be.

        Marks of the chat format inside a message are broken up, so that a wish stays a wish.

        Raises:
            ModelError: there is no template, or it refuses the messages.
        """
        if self._template is None:
            raise ModelError(
                f"model {self._path.name!r}: it has no chat template (it is a base model, not one "
                "that follows instructions); expected one; give it with --template FILE"
            )
        told: list[Message] = [
            {"role": item["role"], "content": self._marks.sub(_broken, item["content"])}
            for item in messages
        ]
        return self._template.render(told, enable_thinking=False)

    def tokenize(self, text: str) -> list[int]:
        """Token ids; special tokens in the text are recognised, none is added."""
        return self._weights.tokenize(text)

    def detokenize(self, tokens: Sequence[int]) -> str:
        """The text of tokens, special ones by their name."""
        return b"".join(map(self._weights.piece, tokens)).decode("utf-8", "replace")

    def reset(self) -> None:
        """Forget the prompt that is kept."""
        with self._lock:
            if self._context is not None:
                self._context.reset()
            self._kept_text, self._kept = "", []

    def generate(
        self,
        prompt: str,
        grammar: str | None,
        stop: Sequence[str],
        sampling: Sampling,
        on_token: OnToken,
    ) -> Generation:
        """Continue a prompt; what of it was evaluated before is reused.

        Raises:
            ModelError: the grammar or the sampling cannot be used.
            BackendError: the prompt does not fit.
        """
        with self._lock:
            state = GrammarState(self._weights, grammar) if grammar is not None else None
            tokens = self._continued(prompt)
            context = self._opened()
            sampler = Sampler(sampling, len(tokens))
            reused = self._reuse(tokens)
            self._kept_text, self._kept = "", []
            logits = context.read(tokens[reused:])
            text = StopText(stop)
            try:
                count, finish = 0, "length"
                for piece in self._pieces(logits, state, sampler, sampling.max_tokens):
                    if piece is None:
                        finish = "stop"
                        break
                    count += 1
                    shown = text.feed(piece)
                    if shown:
                        on_token(shown)
                    if text.stopped:
                        finish = "stop"
                        break
                rest = text.finish()
                if rest:
                    on_token(rest)
                self._kept_text = prompt + text.raw
            finally:
                self._add(sampler.counts)
            return Generation(
                text.text, len(tokens), count, "stop" if finish == "stop" else "length", reused
            )

    def logits(self, prompt: str) -> F32:
        """Next-token logits, (n_vocab,) float32, from a context of their own that is empty before.

        Raises:
            ModelError: the prompt is empty.
            BackendError: it does not fit.
        """
        row: F32 = self.logits_many([prompt])[0]
        return row

    def logits_many(self, prompts: Sequence[str]) -> F32:
        """Next-token logits of prompts that begin alike, evaluating their common tokens once.

        Returns:
            (n, n_vocab) float32; a row depends on its prompt and on how long the common part is.
        Raises:
            ModelError: a prompt is empty.
            BackendError: one does not fit.
        """
        tokens = [self.tokenize(prompt) for prompt in prompts]
        if not all(tokens):
            raise ModelError("logits: an empty prompt; expected at least one token; add some")
        common = _common(tokens) if len(tokens) > 1 else 0
        rows = np.empty((len(tokens), self._weights.n_vocab), np.float32)
        with self._lock:
            if self._logits_context is None:
                self._logits_context = Context(self._weights, self._n_ctx, self._threads)
            context = self._logits_context
            context.reset()
            for at, row in enumerate(tokens):
                kept = context.keep(common) if at else 0
                if common and not kept:
                    context.read(row[:common])
                rows[at] = context.read(row[common:])
        return rows

    def identity(self) -> Mapping[str, Any]:
        """Model, its hash, library and settings: what a run has to repeat to come out the same."""
        lib = library()
        return {
            "kind": "llamacpp",
            "model": self._path.name,
            "clock": "wall",
            "model_sha256": sha256_of(self._path),
            "architecture": self._weights.metadata.get("general.architecture", ""),
            "llama_cpp_python": str(lib.__version__),
            "cpu": " ".join(lib.llama_print_system_info().decode().split()),
            "n_ctx": self._n_ctx,
            "n_batch": N_BATCH,
            "threads": self._threads,
            "template": self._template_from if self._template else "none",
            "template_sha256": self._template.sha256 if self._template else None,
            "sampler": "temperature, nucleus, mulberry32",
            "grammar": "gbnf",
        }

    def _chosen_template(self, file: str | Path | None) -> ChatTemplate | None:
        special = self._weights.special_tokens()
        if file is not None:
            return ChatTemplate.from_file(file, special)
        source = self._weights.metadata.get(TEMPLATE_KEY)
        where = f"chat template of {self._path.name}"
        return ChatTemplate(source, special, where) if source else None

    def _mark_pattern(self) -> re.Pattern[str]:
        """Finds the names of control tokens in a text."""
        names = {self._weights.text(int(token)) for token in np.flatnonzero(self._weights.control)}
        spelled = sorted((name for name in names if len(name) > 1), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, spelled)) or r"(?!)")

    def _opened(self) -> Context:
        if self._context is None:
            self._context = Context(self._weights, self._n_ctx, self._threads)
        return self._context

    def _continued(self, prompt: str) -> list[int]:
        """Tokens of a prompt; where it goes on from what is kept, those tokens and the new ones.

        Tokenising the whole again could join what was generated apart. The rest is taken alone
        only where it begins with a mark of the chat format, which no token reaches across.
        """
        if self._kept_text and prompt.startswith(self._kept_text):
            rest = self.tokenize(prompt[len(self._kept_text) :])
            if rest and self._weights.is_control(rest[0]):
                return self._kept + rest
        tokens = self.tokenize(prompt)
        if not tokens:
            raise ModelError("prompt: it is empty; expected at least one token; add some")
        return tokens

    def _reuse(self, tokens: Sequence[int]) -> int:
        """Cut the context to what it shares with a prompt; at least one token is left to read."""
        context = self._opened()
        shared = 0
        for kept, wanted in zip(context.tokens, tokens[:-1], strict=False):
            if kept != wanted:
                break
            shared += 1
        return context.keep(shared)

    def _pieces(
        self, logits: F32, state: GrammarState | None, sampler: Sampler, limit: int
    ) -> Iterator[bytes | None]:
        """Bytes of one token after another; None at the end of the text."""
        context = self._opened()
        self._kept = list(context.tokens)
        for count in range(limit):
            token = sampler.draw(logits, state.allowed if state else None)
            if self._weights.is_control(token):
                yield None
                return
            self._kept.append(token)
            yield self._weights.piece(token)
            if state is not None:
                state.accept(token)
                if state.is_complete():
                    yield None
                    return
            if count + 1 < limit and len(self._kept) < context.n_ctx:
                logits = context.read([token])
            else:
                return

    def _add(self, counts: Counts) -> None:
        self.counts.first += counts.first
        self.counts.nucleus += counts.nucleus
        self.counts.vocabulary += counts.vocabulary


def _common(rows: Sequence[Sequence[int]]) -> int:
    """How many tokens all rows begin with, so that each has at least one of its own."""
    longest = min(map(len, rows)) - 1
    return next((at for at in range(longest) if len({row[at] for row in rows}) > 1), longest)


def _broken(mark: re.Match[str]) -> str:
    """A mark with a space behind its first character; no longer a token of its own."""
    return f"{mark[0][0]} {mark[0][1:]}"
