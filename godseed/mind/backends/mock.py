"""The mock: a mind without a model, deterministic from the wish, the seed and the world.

It goes the way of every backend: it sees only a prompt, writes text token by token, and its text is
parsed like any model's. It reads the wish, the town and every observation out of the prompt, plans
with `mock_scripts`, and reacts when the world rejects a call. It keeps to the turn format by itself
and ignores the grammar, except that a grammar without calls makes it end the wish.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from godseed.mind.backends import Generation, Message, OnToken, Sampling
from godseed.mind.mock_scripts import Plan, Step, plan
from godseed.sim.maths import F32
from godseed.sim.rng import crc32, uniform

VOCABULARY = 4096
MODEL = "mock-1"
_TOKEN = re.compile(r"\s*\w{1,8}|\s*[^\w\s]|\s+")
_ROLE = re.compile(r"^<\|(system|user|assistant)\|>\n", re.MULTILINE)
_WISH = re.compile(r"^Wish: (.*)$", re.MULTILINE)
_WORLD = re.compile(r"^World: (.*)$", re.MULTILINE)
_OUTCOME = re.compile(r"^(ok|rejected):", re.MULTILINE)


class MockBackend:
    """The `mock` backend."""

    def __init__(self, token_delay_s: float = 0.0) -> None:
        """Args: token_delay_s: wait before each token, to show what streaming looks like.

        Raises:
            ValueError: the delay is negative.
        """
        if token_delay_s < 0.0:
            raise ValueError(f"mock.token_delay_s: {token_delay_s}; expected 0 or more")
        self._delay_s = token_delay_s

    def render(self, messages: Sequence[Message]) -> str:
        """Messages as `<|role|>` blocks, with the assistant's turn opened."""
        told = "".join(f"<|{item['role']}|>\n{item['content']}\n" for item in messages)
        return f"{told}<|assistant|>\n"

    def tokenize(self, text: str) -> list[int]:
        """Ids of short pieces of words; deterministic, and not reversible."""
        return [crc32(piece) % VOCABULARY for piece in _TOKEN.findall(text)]

    def detokenize(self, tokens: Sequence[int]) -> str:
        """A stand-in for each token; the mock's ids cannot be turned back into words."""
        return "".join(f"<{token}>" for token in tokens)

    def reset(self) -> None:
        """Nothing is kept between calls."""

    def generate(
        self,
        prompt: str,
        grammar: str | None,
        stop: Sequence[str],
        sampling: Sampling,
        on_token: OnToken,
    ) -> Generation:
        """Write the reading (no grammar), or the next turn (a grammar) of the plan for the wish."""
        messages = _messages(prompt)
        made = plan(*_wish_and_world(messages), sampling.seed)
        text = made.reading if grammar is None else _turn(made, messages, '"call' in _flat(grammar))
        for end in stop:
            text = text.partition(end)[0]
        pieces = _TOKEN.findall(text)
        kept = pieces[: sampling.max_tokens]
        for piece in kept:
            if self._delay_s:
                time.sleep(self._delay_s)
            on_token(piece)
        return Generation(
            text="".join(kept),
            tokens_in=_token_count(prompt),
            tokens_out=len(kept),
            finish="stop" if len(kept) == len(pieces) else "length",
        )

    def logits(self, prompt: str) -> F32:
        """Fixed noise by prompt, (4096,) float32 in [-8, 8)."""
        draws = uniform(crc32(prompt), np.arange(VOCABULARY))
        return (draws * 16.0 - 8.0).astype(np.float32)

    def identity(self) -> Mapping[str, Any]:
        """Kind, model and clock; the mock has no weights to hash."""
        return {"kind": "mock", "model": MODEL, "clock": "virtual", "grammar": "ignored"}


def _messages(prompt: str) -> list[tuple[str, str]]:
    """Role and text of each message, the opened turn left out."""
    pieces = _ROLE.split(prompt)
    pairs = [(pieces[i], pieces[i + 1].rstrip("\n")) for i in range(1, len(pieces), 2)]
    return pairs[:-1] or [("user", prompt)]


def _wish_and_world(messages: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The wish and the summary; a prompt without their labels is taken as both."""
    told = next((text for role, text in messages if role == "user"), "")
    wish, world = _WISH.search(told), _WORLD.search(told)
    return (wish[1] if wish else told.strip()), (world[1] if world else told)


def _turn(made: Plan, messages: Sequence[tuple[str, str]], may_call: bool) -> str:
    """The turn after everything that the conversation already holds."""
    left: list[Step] = list(made.steps)
    for role, text in messages:
        outcome = _OUTCOME.search(text) if role == "user" else None
        if outcome and left:
            step = left.pop(0)
            if outcome[1] == "rejected" and step.instead is not None:
                left.insert(0, step.instead)
    value: dict[str, Any]
    if left and may_call:
        value = {"thought": left[0].thought, "call": left[0].call}
    else:
        value = {"thought": made.farewell, "done": True, "epitaph": made.epitaph}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _flat(grammar: str) -> str:
    return grammar.replace("\\", "")


@lru_cache(maxsize=64)
def _token_count(prompt: str) -> int:
    return len(_TOKEN.findall(prompt))
