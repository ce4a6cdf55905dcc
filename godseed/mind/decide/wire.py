"""The bridge's wire shapes: questions of three types in, typed answers out; pure functions.

`choice` picks one of 2 to 16 described options, `noul` gives the probability of true, `score` gives
a probability-weighted level. An error names its place in the request: `questions.urgent.type: ...`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from godseed.mind.decide.contract import LETTERS, Option, json_text
from godseed.mind.decide.errors import DecideError, InputError
from godseed.mind.decide.scoring import answer_index, confidence

Kind = Literal["choice", "noul", "score"]
NestedJson = Literal["one-line", "indented"]
"""How criteria and instructions that are objects or lists are shown: as the bridge does it, or over
several lines."""

KINDS: Final[tuple[Kind, ...]] = ("choice", "noul", "score")
MOST_LEVELS = 10
INSTRUCTIONS: Final[dict[Kind, str]] = {
    "choice": "Which option best matches the supplied state?",
    "noul": "Does the true outcome apply to the supplied state?",
    "score": "Which ordered level best matches the supplied state?",
}
NOUL_DEFAULTS: Final = {"true": "The answer is yes.", "false": "The answer is no."}
PROBABILITY_STATUS = "conditional option scores; uncalibrated as decision confidence"
CALIBRATED_STATUS = "conditional option scores; temperature-calibrated on labelled rows"


class AnswerError(DecideError):
    """What the scorer gave does not fit the question; our fault, not the client's."""


@dataclass(frozen=True, slots=True)
class Question:
    """A validated question, ready to be asked.

    Attributes:
        id: key of its answer.
        kind: of `KINDS`.
        instructions: the criterion that the model reads.
        options: what it chooses from.
        legend: texts of the levels of a score, else empty.
    """

    id: str
    kind: Kind
    instructions: str
    options: tuple[Option, ...]
    legend: tuple[str, ...] = ()


def parse_questions(body: Mapping[str, Any], nested: NestedJson = "one-line") -> list[Question]:
    """The questions of a request.

    Raises:
        InputError: the first place that is wrong.
    """
    questions = body.get("questions")
    if not isinstance(questions, dict) or not questions:
        raise InputError("questions", "must be a nonempty object")
    return [_question(name, value, nested) for name, value in questions.items()]


def parse_state(body: Mapping[str, Any]) -> str:
    """The evidence of a request, serialised once for all of its questions.

    Raises:
        InputError: it is missing, empty, or cannot be serialised.
    """
    state = body.get("state")
    if not isinstance(state, str | dict | list) or not state:
        raise InputError("state", "must be a nonempty string, object, or array")
    return json_text(state)


def answer(
    question: Question, option_ids: Sequence[str], probabilities: Sequence[float]
) -> dict[str, Any]:
    """The typed answer to a question.

    Args:
        option_ids, probabilities: what the scorer gave.
    Raises:
        AnswerError: they are not of this question, or no probabilities.
    """
    shares = _shares(question, option_ids, probabilities)
    if question.kind == "noul":
        return {"type": "noul", "noul": shares[0]}
    by_id = dict(zip(option_ids, shares, strict=True))
    if question.kind == "choice":
        return {
            "type": "choice",
            "choice": option_ids[answer_index(shares)],
            "probabilities": by_id,
            "confidence": confidence(shares),
        }
    return {
        "type": "score",
        "score": float(sum(level * share for level, share in enumerate(shares))),
        "legend": {str(level): text for level, text in enumerate(question.legend)},
        "probabilities": by_id,
        "confidence": confidence(shares),
    }


def _question(name: str, value: Any, nested: NestedJson) -> Question:
    if not name:
        raise InputError("questions", "question IDs must be nonempty strings")
    base = f"questions.{name}"
    if not isinstance(value, dict):
        raise InputError(base, "must be an object")
    kind = value.get("type")
    if kind not in KINDS:
        raise InputError(f"{base}.type", f"must be one of: {', '.join(KINDS)}")
    asked = value.get("instructions")
    told = INSTRUCTIONS[kind]
    if asked is not None:
        told = _text(asked, f"{base}.instructions", nested)
    place, criteria = f"{base}.criteria", value.get("criteria")
    if kind == "choice":
        return Question(name, kind, told, _choice(criteria, place, nested))
    if kind == "noul":
        return Question(name, kind, told, _noul(criteria, place, nested))
    legend = _score(criteria, place, nested)
    levels = tuple(Option(str(i), f"Level {i}: {text}") for i, text in enumerate(legend))
    return Question(name, kind, told, levels, legend)


def _choice(criteria: Any, place: str, nested: NestedJson) -> tuple[Option, ...]:
    if not isinstance(criteria, dict) or not 2 <= len(criteria) <= len(LETTERS):
        raise InputError(place, f"must contain 2-{len(LETTERS)} options")
    if "" in criteria:
        raise InputError(place, "option IDs must be nonempty strings")
    for name, value in criteria.items():
        if value is not None and not isinstance(value, str | dict | list):
            raise InputError(f"{place}.{name}", "must be a string, object, array, or null")
    return tuple(
        _described(name, value, f"{place}.{name}", nested) for name, value in criteria.items()
    )


def _noul(criteria: Any, place: str, nested: NestedJson) -> tuple[Option, ...]:
    given = {} if criteria is None else criteria
    if not isinstance(given, dict):
        raise InputError(place, "must be an object when supplied")
    unknown = sorted(given.keys() - NOUL_DEFAULTS.keys())
    if unknown:
        raise InputError(place, f"contains unsupported keys: {json.dumps(unknown)}")
    return tuple(
        _described(name, given.get(name, default), f"{place}.{name}", nested)
        for name, default in NOUL_DEFAULTS.items()
    )


def _score(criteria: Any, place: str, nested: NestedJson) -> tuple[str, ...]:
    if not isinstance(criteria, list) or not 2 <= len(criteria) <= MOST_LEVELS:
        raise InputError(place, f"must contain 2-{MOST_LEVELS} ordered levels")
    return tuple(_text(value, f"{place}.{i}", nested) for i, value in enumerate(criteria))


def _described(name: str, value: Any, place: str, nested: NestedJson) -> Option:
    """An option as the model reads it: `id: text`, or the bare id where the text is null."""
    return Option(name, name if value is None else f"{name}: {_text(value, place, nested)}")


def _text(value: Any, place: str, nested: NestedJson) -> str:
    if isinstance(value, str):
        if not value:
            raise InputError(place, "must not be empty")
        return value
    if not isinstance(value, dict | list):
        raise InputError(place, "must be a string, object, or array")
    line = json_text(value, place)
    return line if nested == "one-line" else json.dumps(value, ensure_ascii=False, indent=2)


def _shares(
    question: Question, option_ids: Sequence[str], probabilities: Sequence[float]
) -> list[float]:
    """The probabilities, normalised again."""
    if list(option_ids) != [option.id for option in question.options]:
        raise AnswerError(f"questions.{question.id}: the result does not match its options")
    found = np.asarray(probabilities, dtype=np.float64)
    if found.shape != (len(option_ids),):
        raise AnswerError(f"questions.{question.id}: the result has an invalid probability vector")
    if not np.isfinite(found).all() or (found < 0.0).any():
        raise AnswerError(
            f"questions.{question.id}: the result has non-finite or negative probabilities"
        )
    if not found.sum() > 0.0:
        raise AnswerError(f"questions.{question.id}: the result has zero probability mass")
    shares: list[float] = (found / found.sum()).tolist()
    return shares
