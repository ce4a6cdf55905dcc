"""The contract on a real model: every generation is a sentence, and a wish is reproducible."""

from __future__ import annotations

import json
from typing import Any

import pytest

from godseed.mind.backends import Message, Sampling, create
from godseed.mind.backends.llamacpp import LlamaCppBackend
from godseed.mind.clock import VirtualClock
from godseed.mind.gbnf import matches, validate_gbnf
from godseed.mind.grammar import turn_grammar
from godseed.mind.planner import Planner, grant_wish
from godseed.mind.prompts import Prompt
from godseed.mind.turns import read_turn
from godseed.sim.arguments import TOOLS
from godseed.sim.trace import WishTrace
from godseed.sim.world import World

WISHES = ("a lake", "a city of towers", "birds over a road", "words in the sky", "Märchen 夜 🌊")
SETTINGS = ((0.7, 0.95), (1.0, 1.0), (1.5, 0.9), (3.0, 1.0))
SHORT = 12


@pytest.mark.parametrize("last", [False, True])
def test_every_generation_is_a_sentence_with_valid_enums(
    smollm: LlamaCppBackend, full: bool, last: bool
) -> None:
    grammar = turn_grammar(last, SHORT)
    rules = validate_gbnf(grammar)
    for seed in range(1, (1000 if full else 4) + 1):
        wish = WISHES[seed % len(WISHES)]
        told: list[Message] = [{"role": "user", "content": f"Wish: {wish}. One line of JSON."}]
        temperature, top_p = SETTINGS[seed % len(SETTINGS)]
        sampling = Sampling(seed, temperature, top_p, max_tokens=4096)
        made = smollm.generate(smollm.render(told), grammar, [], sampling, lambda piece: None)
        assert made.finish == "stop"
        assert matches(rules, made.text), made.text
        check(json.loads(made.text))
        read_turn(made.text)


def check(turn: dict[str, Any]) -> None:
    """A turn that is done, or a call of a tool with its own arguments and enums."""
    if "call" not in turn:
        assert turn["done"] is True
        return
    tool, args = TOOLS[turn["call"]["tool"]], turn["call"]["args"]
    rows = {row.name: row for row in tool.args}
    assert {name for name, row in rows.items() if row.required} <= set(args) <= set(rows)
    for name, value in args.items():
        if rows[name].type == "enum":
            assert value in rows[name].values


def granted(backend: Any, prompt: Prompt, wish: str = "a lake", seed: int = 4) -> bytes:
    planner = Planner(backend, prompt, max_turns=2, clock=VirtualClock)
    trace = grant_wish(World.genesis(), wish, backend, "w_000001", seed=seed, planner=planner)[1]
    assert isinstance(trace, WishTrace)
    assert trace.ended == "done"
    return trace.to_line()


def test_a_wish_gives_the_same_trace_warm_or_cold(
    smollm: LlamaCppBackend, tiny_prompt: Prompt, full: bool
) -> None:
    first = granted(smollm, tiny_prompt)
    trace = json.loads(first)
    assert trace["model_sha256"] == smollm.identity()["model_sha256"]
    assert trace["turns"][0]["tokens_reused"] > 20
    for run in range(19 if full else 1):
        if run % 2:
            granted(smollm, tiny_prompt, "something else", seed=run)
        cold = create("llamacpp", model="default", threads=1) if run % 4 == 3 else smollm
        assert granted(cold, tiny_prompt) == first
