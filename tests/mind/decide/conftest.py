"""A made tokenizer and model whose flaws a test chooses, and rows to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import godseed.mind.decide as package
from godseed.mind.backends import Message
from godseed.mind.decide import Option
from godseed.sim.maths import F64

EXAMPLES = Path(package.__file__).parent / "examples" / "town-hall.jsonl"
WORDS = ("yes", "no", " yes", " no", "<end>")


@dataclass
class Made:
    """Tokens are code points; `WORDS` and whatever `merges` names are one token at a text's end.

    Attributes:
        opening: what a rendered prompt ends with.
        merges: texts that are one token when a text ends with them, with their ids.
        splits: texts that are two tokens although they should be one.
        decodes: ids that decode to another text.
        scores: log-probability of a token after a prompt.
        context: longest prompt.
        asked: every prompt that was scored.
    """

    opening: str = "\n> "
    merges: dict[str, int] = field(default_factory=dict)
    splits: frozenset[str] = frozenset()
    decodes: dict[int, str] = field(default_factory=dict)
    scores: Callable[[str, str], float] = lambda prompt, token: -3.0
    context: int = 100_000
    asked: list[str] = field(default_factory=list)

    def render(self, messages: Sequence[Message]) -> str:
        return "<end>".join(item["content"] for item in messages) + "<end>" + self.opening

    def tokenize(self, text: str) -> list[int]:
        for ending in sorted(self.merges, key=len, reverse=True):
            if text.endswith(ending):
                return [*self.tokenize(text[: -len(ending)]), self.merges[ending]]
        if text in self.splits:
            return [*map(ord, text), 0]
        for place, word in enumerate(WORDS):
            if text.endswith(word) and word not in self.splits and word != "<end>":
                head = text[: -len(word)]
                if not head or not head[-1].isalnum():
                    spaced = f" {word}"
                    if spaced in WORDS and spaced not in self.splits and head.endswith(" "):
                        if head != " " and self.opening.endswith(" "):
                            return [*map(ord, head), 0x110000 + place]
                        return [*map(ord, head[:-1]), 0x110000 + WORDS.index(spaced)]
                    return [*map(ord, head), 0x110000 + place]
        return list(map(ord, text))

    def detokenize(self, ids: Sequence[int]) -> str:
        named = {token: text for text, token in self.merges.items()}
        return "".join(
            self.decodes.get(i)
            or named.get(i)
            or (WORDS[i - 0x110000] if i >= 0x110000 else chr(i))
            for i in ids
        )

    def control_tokens(self, text: str) -> list[str]:
        return ["<end>"] * text.count("<end>")

    def logprobs(self, ids: Sequence[int], wanted: Sequence[int]) -> F64:
        prompt = self.detokenize(ids)
        self.asked.append(prompt)
        return np.asarray([self.scores(prompt, self.detokenize([i])) for i in wanted])

    def context_tokens(self) -> int:
        return self.context

    def identity(self) -> Mapping[str, Any]:
        return {"kind": "made", "model": "made-1"}

    def describe(self) -> Mapping[str, Any]:
        return {
            "probe": "made",
            "endpoint": "here",
            "renders_locally": True,
            "tokenizes_locally": True,
        }


@pytest.fixture
def made() -> type[Made]:
    return Made


@pytest.fixture
def options() -> list[Option]:
    return [
        Option("billing", "Billing and refunds."),
        Option("sales", "Pricing and contracts."),
        Option("support", "Help with a fault."),
    ]


@pytest.fixture(scope="session")
def examples() -> bytes:
    return EXAMPLES.read_bytes()
