"""Reading a turn out of anything."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.grammar import EPITAPH_MAX, THOUGHT_MAX
from godseed.mind.turns import UnreadableTurn, read_turn

SKY = {"tool": "set_sky", "args": {"palette": "dusk", "star_density": 0.5, "moons": 1}}
TURN = json.dumps({"thought": "evening", "call": SKY})
DONE = '{"thought":"enough","done":true,"epitaph":"It stands."}'


def test_a_strict_turn_needs_no_repair() -> None:
    turn = read_turn(TURN)
    assert (turn.thought, turn.call, turn.repairs) == ("evening", SKY, ())
    assert read_turn(DONE).epitaph == "It stands."


@pytest.mark.parametrize(
    ("text", "step"),
    [
        (f"Sure! Here it is:\n```json\n{TURN}\n```", "first object"),
        (f"<think>{{hm}}</think>{TURN}", "first object"),
        (f"{TURN}{TURN}", "first object"),
        (TURN.replace('"', "'"), "json-repair"),
        (TURN[:-2], "json-repair"),
        (TURN.replace("}}}", ",}}}"), "json-repair"),
        (json.dumps({"call": SKY}), "thought missing"),
        (json.dumps({"thought": "x", **SKY}), "call unwrapped"),
        ('{"thought":"x","done":true}', "epitaph missing"),
        (json.dumps({"thought": "x" * 300, "call": SKY}), "thought trimmed"),
    ],
)
def test_a_repair_is_recorded(text: str, step: str) -> None:
    assert step in read_turn(text).repairs


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a JSON object"),
        ("I would rather not.", "not a JSON object"),
        ("[1,2]", "not a JSON object"),
        ("null", "not a JSON object"),
        ("{" * 9000, "not a JSON object|neither"),
        ("[" * 60000, "not a JSON object"),
        ('{"thought":"x"}', "neither a call nor done"),
        ('{"thought":"x","done":"yes"}', "neither a call nor done"),
        ('{"thought":"x","call":"set_sky"}', "a call without a tool"),
        ('{"thought":"x","call":{"args":{}}}', "a call without a tool"),
        ('{"thought":"x","call":{"tool":"set_sky","args":[1]}}', "not an object"),
        (TURN.replace('dusk"', "du"), "a broken call|neither|not a JSON"),
        (TURN[: TURN.index("usk")], "a broken call|neither|not a JSON"),
        (json.dumps({"thought": "x", "call": {"tool": "t", "args": {"a": "x" * 5000}}}), "4096"),
    ],
)
def test_an_unreadable_turn_says_why(text: str, reason: str) -> None:
    with pytest.raises(UnreadableTurn, match=reason):
        read_turn(text)


def test_an_unknown_enum_in_strict_json_is_left_to_the_engine() -> None:
    assert read_turn(TURN.replace("dusk", "noon")).call is not None


def test_not_a_number_is_refused_as_json() -> None:
    with pytest.raises(UnreadableTurn):
        read_turn(TURN.replace("0.5", "NaN").replace("1}", "Infinity}"))


def test_texts_are_cut_between_graphemes() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    turn = read_turn(json.dumps({"thought": family * 200, "done": True, "epitaph": "é" * 200}))
    assert turn.thought.endswith(family)
    assert len(turn.epitaph) <= EPITAPH_MAX
    combining = read_turn(json.dumps({"thought": "e\u0301" * 300, "done": True, "epitaph": "x"}))
    assert len(combining.thought) <= THOUGHT_MAX


def test_lone_surrogates_become_storable() -> None:
    turn = read_turn('{"thought":"a \\ud800 b","done":true,"epitaph":"\\udfff"}')
    turn.thought.encode()
    turn.epitaph.encode()


def test_controls_and_line_ends_leave_the_thought() -> None:
    turn = read_turn('{"thought":"one\\ntwo\\u0007\\u202e","done":true,"epitaph":"x"}')
    assert turn.thought == "one two"


@given(st.one_of(st.text(max_size=400), st.binary(max_size=200).map(repr)))
def test_any_text_is_a_turn_or_unreadable(text: str) -> None:
    try:
        turn = read_turn(text)
    except UnreadableTurn:
        return
    assert len(turn.repairs) < 10


@given(st.integers(0, len(TURN)), st.text(max_size=5))
def test_a_damaged_turn_never_invents_an_argument(at: int, junk: str) -> None:
    try:
        turn = read_turn(TURN[:at] + junk + TURN[at:])
    except UnreadableTurn:
        return
    if turn.call is not None and "json-repair" in turn.repairs:
        assert turn.call["args"]["palette"] in ("dusk", "dawn", "night", "gold", "void", "ember")
