"""The turn grammar accepts every well-formed turn, and nothing else."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.gbnf import (
    CharClass,
    Choice,
    Grammar,
    Literal,
    Node,
    Reference,
    matches,
    validate_gbnf,
)
from godseed.mind.grammar import EPITAPH_MAX, THOUGHT_MAX, turn_grammar
from godseed.mind.turns import read_turn
from godseed.sim.arguments import TOOLS, Argument, path_bounds
from godseed.sim.world import World

RULES = validate_gbnf(turn_grammar())
LAST = validate_gbnf(turn_grammar(last=True))
TEXTS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\\')


def compact(value: object, ascii_only: bool = False) -> str:
    return json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))


def text_of(most: int) -> st.SearchStrategy[str]:
    return st.text(TEXTS, min_size=1, max_size=min(most, 24))


def numbers(low: float, high: float) -> st.SearchStrategy[float | int]:
    tenths = st.integers(int(low * 10), int(high * 10)).map(lambda n: n / 10)
    return st.one_of(tenths, st.integers(int(low) if low else 0, int(high)))


@st.composite
def arguments(draw: st.DrawFn, tool: str) -> dict[str, Any]:
    args: dict[str, Any] = {}
    for row in TOOLS[tool].args:
        if row.required or draw(st.booleans()):
            args[row.name] = draw(value(row, args))
    return args


def value(row: Argument, args: dict[str, Any]) -> st.SearchStrategy[Any]:
    if row.type == "enum":
        return st.sampled_from(row.values)
    if row.type == "integer":
        return st.integers(0, 40)
    if row.type == "text":
        return text_of(row.max_length)
    if row.type == "path":
        low, high = path_bounds(row, args)
        return st.lists(
            st.tuples(numbers(-85, 85), numbers(-180, 180)), min_size=low, max_size=high
        )
    return numbers(row.min, row.max + 20)


@pytest.mark.parametrize("tool", TOOLS)
def test_grammar_accepts_every_call_of(tool: str) -> None:
    @given(text_of(THOUGHT_MAX), arguments(tool))
    def check(thought: str, args: dict[str, Any]) -> None:
        turn = {"thought": thought, "call": {"tool": tool, "args": args}}
        assert matches(RULES, compact(turn)), compact(turn)
        assert not matches(LAST, compact(turn))

    check()


@given(text_of(THOUGHT_MAX), text_of(EPITAPH_MAX), st.booleans())
def test_grammar_accepts_every_ending(thought: str, epitaph: str, ascii_only: bool) -> None:
    turn = compact({"thought": thought, "done": True, "epitaph": epitaph}, ascii_only)
    assert matches(RULES, turn)
    assert matches(LAST, turn)


SKY = (
    '{"thought":"t","call":{"tool":"set_sky","args":{"palette":"dusk","star_density":1,"moons":1}}}'
)
REFUSED = {
    "white space": SKY.replace(":", ": "),
    "unknown enum": SKY.replace("dusk", "noon"),
    "unknown tool": SKY.replace("set_sky", "set_sea"),
    "missing argument": SKY.replace(',"moons":1', ""),
    "extra argument": SKY.replace('"moons":1', '"moons":1,"suns":2'),
    "other order": SKY.replace('"star_density":1,"moons":1', '"moons":1,"star_density":1'),
    "exponent": SKY.replace('"moons":1', '"moons":1e3'),
    "leading zero": SKY.replace('"moons":1', '"moons":01'),
    "negative where the range is not": SKY.replace('"moons":1', '"moons":-1'),
    "endless number": SKY.replace('"moons":1', '"moons":123456'),
    "text for a number": SKY.replace('"moons":1', '"moons":"1"'),
    "truncated": SKY[:-2],
    "something after": SKY + " ",
    "something before": "Here: " + SKY,
    "array": f"[{SKY}]",
    "empty": "",
    "empty thought": SKY.replace('"t"', '""'),
    "long thought": SKY.replace('"t"', '"' + "t" * (THOUGHT_MAX + 1) + '"'),
    "control character": SKY.replace('"t"', '"a\nb"'),
    "lone surrogate": SKY.replace('"t"', '"\\ud800"'),
    "bad escape": SKY.replace('"t"', '"\\x41"'),
    "done false": '{"thought":"t","done":false,"epitaph":"e"}',
    "done and call": SKY[:-1] + ',"done":true}',
    "long epitaph": compact({"thought": "t", "done": True, "epitaph": "e" * (EPITAPH_MAX + 1)}),
}


def test_grammar_accepts_the_turn_that_the_refused_ones_vary() -> None:
    assert matches(RULES, SKY)


@pytest.mark.parametrize("case", REFUSED)
def test_grammar_refuses(case: str) -> None:
    assert not matches(RULES, REFUSED[case])


@pytest.mark.parametrize(
    ("kind", "points", "accepted"),
    [
        ("stream", 1, False),
        ("stream", 2, True),
        ("stream", 5, True),
        ("stream", 6, False),
        ("pool", 0, False),
        ("pool", 1, True),
        ("pool", 2, False),
    ],
)
def test_grammar_bounds_a_path_by_kind(kind: str, points: int, accepted: bool) -> None:
    path = [[n, n] for n in range(points)]
    call = {"tool": "place_water", "args": {"kind": kind, "path": path, "hue": 200}}
    assert matches(RULES, compact({"thought": "t", "call": call})) is accepted


def test_grammar_has_one_rule_per_tool_and_is_safe_to_load() -> None:
    text = turn_grammar()
    names = re.findall(r"^([^ ]+) ::=", text, re.MULTILINE)
    assert {name.replace("_", "-") for name in TOOLS} <= set(names)
    assert all("_" not in name for name in names)
    assert text.isascii()
    assert "call" not in turn_grammar(last=True)


def sentence(draw: st.DrawFn, grammar: Grammar, node: Node) -> str:
    """A random sentence of the grammar; the inverse of `matches`."""
    if isinstance(node, Literal):
        return node.text
    if isinstance(node, CharClass) and node.negated:
        wanted = "a9 ,.{}[]:/\u00e9\u4e2d\U0001f642\u0301\u200d\u202e"
        return draw(st.sampled_from([char for char in wanted if node.accepts(char)]))
    if isinstance(node, CharClass):
        low, high = draw(st.sampled_from(node.ranges))
        return chr(draw(st.integers(low, high)))
    if isinstance(node, Reference):
        return sentence(draw, grammar, grammar[node.name])
    if isinstance(node, Choice):
        return "".join(sentence(draw, grammar, n) for n in draw(st.sampled_from(node.sequences)))
    count = draw(st.integers(node.minimum, min(node.maximum, node.minimum + 6)))
    return "".join(sentence(draw, grammar, node.item) for _ in range(count))


@given(st.data())
def test_every_sentence_of_the_grammar_is_a_turn_that_the_world_understands(
    data: st.DataObject,
) -> None:
    text = sentence(data.draw, RULES, RULES["root"])
    assert matches(RULES, text)
    turn = read_turn(text)
    assert set(turn.repairs) <= {"thought trimmed", "epitaph trimmed"}
    if turn.call is not None:
        observation = World.genesis().apply(turn.call, "w_000001", 0).observation
        understood = ("ok: ", "rejected: path[", "rejected: text is empty")
        assert observation.startswith(understood), observation
