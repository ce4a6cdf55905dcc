"""The mind: tokens a second with and without a grammar against raw llama.cpp, and what reuse saves.

All figures are of processor time with one thread, so that other work on the machine does not show.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.timing import Row
from godseed.mind.backends import Generation, Message, Sampling
from godseed.mind.backends.llama_engine import Context, GrammarState
from godseed.mind.backends.llamacpp import LlamaCppBackend
from godseed.mind.grammar import turn_grammar
from godseed.mind.planner import Planner, grant_wish
from godseed.mind.prompts import load_prompt
from godseed.sim.world import World

WISHES = ("a lighthouse on a northern cape", "a market by the river")
ROUNDS = range(3)
FREE_TOKENS, TURN_TOKENS, CONTEXT_TOKENS = 96, 640, 2048
PROMPT = "planner-small"


class Recording(LlamaCppBackend):
    """The backend, with what it made.

    Attributes:
        made: by `generate`, in order.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.made: list[Generation] = []

    def generate(self, *given: Any, **options: Any) -> Generation:
        """As the backend does."""
        self.made.append(super().generate(*given, **options))
        return self.made[-1]


def rows() -> Iterator[Row]:
    """Speed and reuse on SmolLM2-135M."""
    backend = Recording(os.environ.get("GODSEED_GGUF") or "default", threads=1)
    prompt = _prompt(backend)
    yield from _speed(backend, prompt)
    yield from _check(backend, prompt)
    yield from _reuse(backend)


def _speed(backend: Recording, prompt: str) -> Iterator[Row]:
    """Ours, and the bare evaluation of the very tokens that ours wrote, taking turns."""
    group = "mind: tokens a second of processor time"
    for name, grammar in (("free text", None), ("grammar, checked after drawing", turn_grammar())):
        limit = FREE_TOKENS if grammar is None else TURN_TOKENS
        pairs = [_pair(backend, prompt, grammar, Sampling(n + 1, max_tokens=limit)) for n in ROUNDS]
        ours, raw = zip(*pairs, strict=True)
        yield Row(group, f"{name}: ours", statistics.median(ours), "1/s")
        yield Row(group, f"{name}: llama.cpp alone", statistics.median(raw), "1/s")
        share = statistics.median(a / b for a, b in pairs)
        yield Row(group, f"{name}: share (bar 0.9)", share, "x")
    counts = backend.counts
    total = counts.first + counts.nucleus + counts.vocabulary
    yield Row(group, "first token passed", counts.first / total, "x")
    yield Row(group, "nucleus masked", counts.nucleus / total, "x")
    yield Row(group, "vocabulary masked", counts.vocabulary / total, "x")


def _pair(
    backend: Recording, prompt: str, grammar: str | None, sampling: Sampling
) -> tuple[float, float]:
    """Tokens a second of a generation, its prompt apart, and of evaluating the same tokens."""
    begin = len(backend.tokenize(prompt))
    backend.reset()
    spent, made = _timed(
        lambda: backend.generate(prompt, grammar, [], sampling, lambda piece: None)
    )
    tokens = backend.kept
    context = Context(backend.weights, CONTEXT_TOKENS, 1)
    read = _timed(lambda: context.read(tokens[:begin]))[0]
    bare = _timed(lambda: [context.read([token]) for token in tokens[begin:-1]])[0]
    return made.tokens_out / (spent - read), (len(tokens) - begin - 1) / bare


def _check(backend: Recording, prompt: str) -> Iterator[Row]:
    """What a grammar costs: the whole vocabulary at each token, as llama.cpp has it, or one."""
    group = "mind: a grammar's cost a token"
    backend.reset()
    sampling = Sampling(1, max_tokens=TURN_TOKENS)
    made = backend.generate(prompt, turn_grammar(), [], sampling, lambda piece: None)
    tokens = backend.tokenize(made.text)
    state = GrammarState(backend.weights, turn_grammar())
    every = np.arange(backend.weights.n_vocab)
    masked = checked = 0.0
    for token in tokens:
        masked += _timed(lambda: state.passes(every))[0]
        checked += _timed(lambda t=token: state.allowed(np.array([t])))[0]
        state.accept(token)
    yield Row(group, "mask the vocabulary", masked / len(tokens) * 1e3, "ms")
    yield Row(group, "check one token", checked / len(tokens) * 1e3, "ms")
    yield Row(group, "speed-up of the check", masked / checked, "x")


def _reuse(backend: Recording) -> Iterator[Row]:
    """Prompt tokens that are evaluated to grant a wish, and those that would be without reuse."""
    group = "mind: prompt tokens evaluated a wish"
    planner = Planner(backend, PROMPT)
    with_reuse, without = 0, 0
    for seed, wish in enumerate(WISHES, start=1):
        backend.made.clear()
        grant_wish(World.genesis(), wish, backend, "w_000001", seed=seed, planner=planner)
        with_reuse += sum(made.tokens_in - made.tokens_reused for made in backend.made)
        without += sum(made.tokens_in for made in backend.made)
    yield Row(group, "with reuse", with_reuse / len(WISHES), "tokens")
    yield Row(group, "without", without / len(WISHES), "tokens")
    yield Row(group, "saved", without / with_reuse, "x")


def _prompt(backend: Recording) -> str:
    """What a model reads before its first turn."""
    prompt = load_prompt(PROMPT)
    told: list[Message] = [
        {"role": "system", "content": prompt.fill("system", max_turns=7)},
        {"role": "user", "content": prompt.fill("turn", max_turns=7)},
    ]
    return backend.render(told)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time, and what came of the work."""
    begun = time.process_time()
    made = work()
    return time.process_time() - begun, made
