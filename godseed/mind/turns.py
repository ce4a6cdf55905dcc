"""Read one turn out of whatever a model wrote.

Steps, each recorded: strict parse; first balanced object; `json-repair` on at most 8 KB within a
time limit; then the shape. A turn that had to be repaired must also satisfy the tool's schema and
enums, because a repair can invent values; a turn that parsed goes to the engine as it is, whose
rejection tells the model what to do instead. Nothing here raises anything but `UnreadableTurn`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NoReturn

from json_repair import repair_json

from godseed.mind.grammar import EPITAPH_MAX, THOUGHT_MAX
from godseed.sim.arguments import Rejected, coerce
from godseed.sim.grapheme import clean_line, cut

READ_MAX = 65536
REPAIR_MAX = 8192
REPAIR_SECONDS = 1.0
CALL_MAX = 4096
CODE_POINTS_PER_GRAPHEME = 4
_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)


class UnreadableTurn(ValueError):
    """No turn can be made of a text; the message is what the model and the trace are told."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the god.

    Attributes:
        thought: at most 160 characters, one line.
        call: `{"tool": str, "args": {...}}` as the model wrote it, or None when it is done.
        epitaph: at most 120 characters; empty unless done.
        repairs: the steps that were needed to read it.
    """

    thought: str
    call: Mapping[str, Any] | None
    epitaph: str
    repairs: tuple[str, ...]


def read_turn(text: str) -> Turn:
    """Make a turn of a model's raw answer.

    Raises:
        UnreadableTurn: not JSON, not a turn, or a repair that fits no tool.
    """
    text = text[:READ_MAX]
    repairs: list[str] = []
    value = _strict(text.strip())
    if value is None:
        repairs.append("first object")
        inner = _THINKING.sub("", text)
        value = _strict(_first_object(inner))
        if value is None:
            repairs[0] = "json-repair"
            value = _repaired(inner)
    if value is None:
        raise UnreadableTurn("not a JSON object")
    turn = _shaped(_clean(value), repairs)
    if "json-repair" in turn.repairs and turn.call is not None:
        result = coerce(turn.call["tool"], turn.call["args"])
        if isinstance(result, Rejected):
            raise UnreadableTurn(f"a broken call ({result.reason})")
    return turn


def spoken(text: str, limit: int) -> str:
    """One clean line of at most `limit` characters, cut between grapheme clusters."""
    line = clean_line(text[:READ_MAX])
    return cut(line, limit, CODE_POINTS_PER_GRAPHEME * limit).rstrip()


def _strict(text: str) -> dict[str, Any] | None:
    """The object that a text is, or None; NaN, infinities and numerals of any size refused."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _first_object(text: str) -> str:
    """The first balanced `{...}` of a text, strings respected; empty if there is none."""
    start = text.find("{")
    depth, inside, at = 0, False, start
    while 0 <= at < len(text):
        char = text[at]
        if inside and char == "\\":
            at += 1
        elif char == '"':
            inside = not inside
        elif not inside and char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return text[start : at + 1]
        at += 1
    return ""


def _repaired(text: str) -> dict[str, Any] | None:
    """What json-repair makes of the text from its first brace; None when it takes too long."""
    start = text.find("{")
    if start < 0:
        return None
    source = text[start : start + REPAIR_MAX]
    answer: SimpleQueue[object] = SimpleQueue()
    Thread(target=_repair_into, args=(source, answer), daemon=True).start()
    try:
        value = answer.get(timeout=REPAIR_SECONDS)
    except Empty:
        return None
    return _strict(value) if isinstance(value, str) else None


def _repair_into(source: str, answer: SimpleQueue[object]) -> None:
    try:
        answer.put(repair_json(source))
    except Exception:
        answer.put(None)


def _shaped(value: Mapping[str, Any], repairs: list[str]) -> Turn:
    thought = value.get("thought")
    if not isinstance(thought, str):
        repairs.append("thought missing")
        thought = ""
    said = spoken(thought, THOUGHT_MAX)
    if said != thought:
        repairs.append("thought trimmed")
    call = value.get("call")
    if call is None and isinstance(value.get("tool"), str):
        repairs.append("call unwrapped")
        call = {"tool": value["tool"], "args": value.get("args", {})}
    if call is not None:
        return Turn(said, _call(call), "", tuple(repairs))
    if value.get("done") is not True:
        raise UnreadableTurn("neither a call nor done")
    epitaph = value.get("epitaph")
    if not isinstance(epitaph, str):
        repairs.append("epitaph missing")
        epitaph = ""
    last = spoken(epitaph, EPITAPH_MAX)
    if last != epitaph:
        repairs.append("epitaph trimmed")
    return Turn(said, None, last, tuple(repairs))


def _call(call: object) -> Mapping[str, Any]:
    if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
        raise UnreadableTurn("a call without a tool")
    args = call.get("args", {})
    if not isinstance(args, dict):
        raise UnreadableTurn("a call whose args are not an object")
    kept = {"tool": call["tool"], "args": args}
    if len(json.dumps(kept)) > CALL_MAX:
        raise UnreadableTurn(f"a call of more than {CALL_MAX} characters")
    return kept


def _clean(value: Any) -> Any:
    """Replace lone surrogates, which JSON can spell and UTF-8 cannot store."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
