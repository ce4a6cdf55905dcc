"""The mock runtime: decides by shared words, without a model, alike on every machine.

It goes the way of every runtime: it sees only the tokens of a prompt, reads the contract's payload
out of them, and gives log-probabilities. What it thinks of an option is how many words the option
shares with the evidence, plus a little noise by prompt. It says `mock` in its identity; its answers
are for trying commands out and for tests, and mean nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from godseed.mind.backends import Message
from godseed.mind.decide.contract import BINARY_WORDS, LETTERS
from godseed.sim.maths import F64
from godseed.sim.rng import crc32

MODEL = "mock-decisions-1"
CONTEXT_TOKENS = 65_536
_CONTROL = ("<|system|>", "<|user|>", "<|assistant|>", "<|end|>")
_MARKS = re.compile(f"({'|'.join(map(re.escape, _CONTROL))})")
_WORDS = (*BINARY_WORDS, *(f" {word}" for word in BINARY_WORDS))
_BASE = 0x110000
"""Ids below it are code points; control tokens and answer words follow."""
_ANSWER = re.compile(r"(?<=<\|assistant\|>\n)( ?(?:yes|no))\Z|\A( ?(?:yes|no))\Z")
_DATA = re.compile(r"<\|user\|>\n(.*?)<\|end\|>", re.DOTALL)
_CONTEXT = re.compile(r"Context:\n(.*)\n\nQuestion:\n.*?\nCandidate: (.*)\Z", re.DOTALL)
_WORD = re.compile(r"\w{3,}")
_FLOOR = -12.0


class MockRuntime:
    """Tokens are code points, control tokens, and the words that answer."""

    def render(self, messages: Sequence[Message]) -> str:
        """Messages as `<|role|>` blocks, the assistant's turn opened."""
        told = "".join(f"<|{item['role']}|>\n{item['content']}<|end|>\n" for item in messages)
        return f"{told}<|assistant|>\n"

    def tokenize(self, text: str) -> list[int]:
        """Ids of code points; an answer word at the very end is one token."""
        answer = _ANSWER.search(text)
        tail = [] if answer is None else [_BASE + len(_CONTROL) + _WORDS.index(answer[0])]
        rest = text if answer is None else text[: answer.start()]
        ids: list[int] = []
        for piece in _MARKS.split(rest):
            if piece in _CONTROL:
                ids.append(_BASE + _CONTROL.index(piece))
            else:
                ids.extend(map(ord, piece))
        return ids + tail

    def detokenize(self, ids: Sequence[int]) -> str:
        """The text of some tokens."""
        named = (*_CONTROL, *_WORDS)
        return "".join(chr(i) if i < _BASE else named[i - _BASE] for i in ids)

    def control_tokens(self, text: str) -> list[str]:
        """Names of the control tokens that a text spells."""
        return _MARKS.findall(text)

    def logprobs(self, ids: Sequence[int], wanted: Sequence[int]) -> F64:
        """Shares of the wanted tokens by the words that their options have in common with it."""
        prompt = self.detokenize(ids)
        scores = _letter_scores(prompt) or _word_scores(prompt)
        found = [scores.get(self.detokenize([token]), _FLOOR) for token in wanted]
        total = np.log(sum(np.exp(value) for value in scores.values()) + np.exp(_FLOOR))
        shares: F64 = np.asarray(found) - total
        return shares

    def context_tokens(self) -> int:
        """65,536."""
        return CONTEXT_TOKENS

    def identity(self) -> Mapping[str, Any]:
        """Kind and model; there are no weights to hash."""
        return {"kind": "mock", "model": MODEL}

    def describe(self) -> Mapping[str, Any]:
        """How it works: all of it in this process."""
        return {
            "probe": "mock-words",
            "endpoint": "in process",
            "renders_locally": True,
            "tokenizes_locally": True,
        }


def _letter_scores(prompt: str) -> dict[str, float]:
    """Scores by letter, if the prompt is of the direct contract."""
    found = _DATA.search(prompt)
    try:
        payload = json.loads(found[1] if found else "")
        options = {item["letter"]: item["description"] for item in payload["options"]}
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}
    asked = _words(json.dumps(payload["evidence"], ensure_ascii=False))
    return {
        letter: 2.0 * len(asked & _words(options[letter])) + _noise(prompt, letter)
        for letter in LETTERS
        if letter in options
    }


def _word_scores(prompt: str) -> dict[str, float]:
    """Scores of yes and no, if the prompt is of the binary contract."""
    found = _DATA.search(prompt)
    told = _CONTEXT.search(found[1]) if found else None
    shared = len(_words(told[1]) & _words(told[2])) if told else 0
    yes = 2.0 * shared - 1.0 + _noise(prompt, "yes")
    return {"yes": yes, "no": 0.0, " yes": yes - 4.0, " no": -4.0}


def _words(text: str) -> set[str]:
    return {word.casefold().rstrip("s") for word in _WORD.findall(text)}


def _noise(prompt: str, name: str) -> float:
    """A fixed number in [0, 0.25) per prompt and answer."""
    return crc32(f"{name}\n{prompt}") / 2**34
