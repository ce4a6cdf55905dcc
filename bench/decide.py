"""Decisions per second: prompts that share their evidence against a loop that starts anew."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from bench.timing import Row, once_s
from godseed.mind.backends.llamacpp import LlamaCppBackend
from godseed.mind.decide import Decider, Decision, Option
from godseed.mind.decide.contract import Contract
from godseed.mind.decide.rows import read_rows
from godseed.mind.decide.runtimes.llamacpp import BLOCK, LlamaRuntime

ROWS = files("godseed.mind.decide").joinpath("examples", "town-hall.jsonl")
LETTERS_READ = 16
OPTIONS = [
    Option("water", "Wells, pipes, floods."),
    Option("roads", "Paving, bridges, lamps."),
    Option("trees", "Planting and pruning."),
    Option("market", "Stalls and prices."),
]
QUESTIONS = (
    "Which queue do most of these letters belong to?",
    "Which queue does the first letter belong to?",
    "Which queue does the last letter belong to?",
    "Which queue does no letter belong to?",
)
WHOLE = 512
"""A naive loop evaluates a prompt at once, in as large a piece as the model takes."""


def rows() -> Iterator[Row]:
    """Four questions about one long state, by letters and by yes and no; then eight short rows."""
    backend = LlamaCppBackend()
    told = read_rows(ROWS.read_bytes(), "examples")
    state = {"letters": [row.state for row in told[:LETTERS_READ] if isinstance(row.state, str)]}
    for contract in ("direct", "binary"):
        asked = [(state, question, OPTIONS) for question in QUESTIONS]
        yield from _compared(backend, contract, f"decisions, {contract}, one state", asked)
    short = [(row.state, row.question, list(row.options)) for row in told[:8]]
    yield from _compared(backend, "direct", "decisions, direct, a state each", short)


def _compared(
    backend: LlamaCppBackend,
    contract: Contract,
    group: str,
    asked: list[tuple[object, str, list[Option]]],
) -> Iterator[Row]:
    """One set of questions, asked by a naive loop, in blocks, and in blocks that are shared."""
    seconds: dict[str, float] = {}
    found: dict[str, list[Decision]] = {}
    for name, block, share in (
        ("naive", WHOLE, False),
        ("blocks", BLOCK, False),
        ("shared", BLOCK, True),
    ):
        runtime = LlamaRuntime(backend, block, share)
        decider = Decider(runtime, contract)
        runtime.blocks.reset()
        evaluated = runtime.blocks.evaluated
        answers: list[Decision] = []

        def work(decider: Decider = decider, answers: list[Decision] = answers) -> None:
            answers.extend(decider.decide(*one) for one in asked)

        seconds[name] = once_s(work)
        found[name] = answers
        yield Row(group, f"{name}: decisions per second", len(asked) / seconds[name], "/s")
        worked = (runtime.blocks.evaluated - evaluated) / len(asked)
        yield Row(group, f"{name}: tokens evaluated per decision", worked, "")
    yield Row(group, "shared over naive", seconds["naive"] / seconds["shared"], "x")
    apart = sum(a != b for a, b in zip(found["blocks"], found["shared"], strict=True))
    yield Row(group, "decisions that sharing changed in any bit", float(apart), "")
