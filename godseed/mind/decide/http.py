"""The HTTP face of decisions as pure functions: method, path, token and body in, reply out.

No framework and no socket: a server hands each request to `DecisionService.handle` and sends back
what it returns. `POST /v1/systemone`, `GET /v1/models` and `GET /health` have the shapes of the
bridge, so that its clients work unchanged; `POST /api/decide` answers the same and adds, per
question, what the readout saw (`decisions`), and there the model may be left out.
"""

from __future__ import annotations

import hmac
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from godseed.mind.decide.contract import LETTERS, TEMPLATE_KWARGS
from godseed.mind.decide.decider import Decider, Decision
from godseed.mind.decide.errors import DecideError, InputError
from godseed.mind.decide.readout import ReadoutCheck
from godseed.mind.decide.rows import json_object
from godseed.mind.decide.scoring import CONFIDENCE_METHOD
from godseed.mind.decide.wire import (
    CALIBRATED_STATUS,
    PROBABILITY_STATUS,
    AnswerError,
    NestedJson,
    answer,
    parse_questions,
    parse_state,
)

OWN, BRIDGE, MODELS, HEALTH = "/api/decide", "/v1/systemone", "/v1/models", "/health"
FINE, BAD, UNAUTHORIZED, NOT_FOUND, NOT_ALLOWED, TOO_LARGE = 200, 400, 401, 404, 405, 413
OURS, UPSTREAM = 500, 502
MOST_BYTES = 1_000_000
MOST_QUESTIONS = 64
RESERVED = "jev"
"""Served names must not begin with it: this is not that model and does not pass for it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What to send back: a status and a JSON object."""

    status: int
    body: dict[str, Any]


@dataclass
class DecisionService:
    """A decider behind HTTP.

    Attributes:
        decider: answers; one request at a time, the others wait.
        served_model: name that clients must send, and get back.
        description, release_date: for `GET /v1/models`; the date is ISO.
        token: clients must bear it; None lets everybody in.
        accept_any_model: whatever name a client sends is fine.
        nested: how structured criteria are shown to the model.
        readout: of the self-check at the start, if it was made.
    """

    decider: Decider
    served_model: str
    description: str = "Decisions from option logits."
    release_date: str = "2026-12-01"
    token: str | None = None
    accept_any_model: bool = False
    nested: NestedJson = "one-line"
    readout: ReadoutCheck | None = None

    def __post_init__(self) -> None:
        """Refuse a name that would pass for another model.

        Raises:
            InputError: the served name is empty or reserved.
        """
        if not self.served_model or self.served_model.casefold().startswith(RESERVED):
            raise InputError(
                "served_model",
                f"{self.served_model!r}; expected a name of your own, not {RESERVED}...; change it",
            )
        self._lock = threading.Lock()

    def handle(
        self, method: str, path: str, authorization: str | None = None, body: bytes = b""
    ) -> Reply:
        """Answer a request; never raises for what a client sent or a model did.

        Args:
            method, path: of the request, the path without its query.
            authorization: the header of this name.
            body: of the request.
        Returns:
            Reply: 200, or `{"error": "<path>: <message>"}` with 400, 401, 404, 405, 413, 500, 502.
        """
        wanted = {OWN: "POST", BRIDGE: "POST", MODELS: "GET", HEALTH: "GET"}.get(path)
        if wanted is None:
            return _error(NOT_FOUND, f"path: {path} is not here")
        if not authorized(authorization, self.token):
            return _error(UNAUTHORIZED, "authorization: missing or invalid bearer token")
        if method != wanted:
            return _error(NOT_ALLOWED, f"method: {path} takes {wanted}")
        if path == MODELS:
            return Reply(FINE, self.models())
        if path == HEALTH:
            return Reply(FINE, self.health())
        if len(body) > MOST_BYTES:
            return _error(TOO_LARGE, f"body: {len(body)} bytes; at most {MOST_BYTES}")
        try:
            payload = json_object(body, "body")
        except InputError as error:
            return _error(BAD, f"body: must be a JSON object ({error.problem})")
        try:
            return Reply(FINE, self.answer(payload, own=path == OWN))
        except InputError as error:
            return _error(BAD, str(error))
        except AnswerError as error:
            return _error(OURS, str(error))
        except DecideError as error:
            return _error(UPSTREAM, str(error))

    def answer(self, payload: Mapping[str, Any], own: bool = False) -> dict[str, Any]:
        """The response to a request's JSON object.

        Args:
            own: the model may be left out, and `decisions` is added.
        Raises:
            InputError: what is wrong in the request, by path.
            AnswerError: the scorer's result does not fit.
            DecideError: the runtime failed.
        """
        evidence = parse_state(payload)
        model = payload.get("model", self.served_model if own else None)
        fits = isinstance(model, str) and (self.accept_any_model or model == self.served_model)
        if not fits:
            raise InputError(
                "model",
                f'must be "{self.served_model}"; this server does not serve Jev aliases',
            )
        questions = parse_questions(payload, self.nested)
        if len(questions) > MOST_QUESTIONS:
            raise InputError("questions", f"must be at most {MOST_QUESTIONS}")
        decisions: dict[str, Decision] = {}
        with self._lock:
            for question in questions:
                try:
                    decisions[question.id] = self.decider.decide_evidence(
                        evidence, question.instructions, question.options
                    )
                except InputError as error:
                    raise InputError(f"questions.{question.id}", error.problem) from None
        answers = {
            question.id: answer(
                question,
                decisions[question.id].option_ids,
                decisions[question.id].probabilities,
            )
            for question in questions
        }
        response = {
            "model": self.served_model,
            "answers": answers,
            "usage": {
                "input_tokens": sum(one.input_tokens for one in decisions.values()),
                "output_tokens": 0,
            },
            "fastjev": {
                "probability_status": self._status(),
                "confidence_method": CONFIDENCE_METHOD,
                "prompt_versions": sorted({one.prompt_version for one in decisions.values()}),
                "readout": self._readout(),
            },
        }
        if own:
            response["decisions"] = {name: _detail(one) for name, one in decisions.items()}
        return response

    def models(self) -> dict[str, Any]:
        """The body of `GET /v1/models`."""
        entry = {
            "name": self.served_model,
            "description": self.description,
            "release_date": self.release_date,
        }
        return {"models": [entry]}

    def health(self) -> dict[str, Any]:
        """The body of `GET /health`: what was negotiated, so that nobody has to guess."""
        decider = self.decider
        groups = decider.slots.groups
        names = LETTERS if decider.contract == "direct" else ("yes", "no")
        slots: dict[str, Any] = {
            name: group[0] if decider.contract == "direct" else list(group)
            for name, group in zip(names, groups, strict=True)
        }
        return {
            "status": "ok",
            "served_model": self.served_model,
            "upstream_model": str(decider.runtime.identity().get("model", "")),
            "batch_fallbacks": 0,
            **decider.runtime.describe(),
            "prompt_version": decider.prompt_version,
            "answer_slots": slots,
            "chat_template_kwargs": dict(TEMPLATE_KWARGS),
            "probability_status": self._status(),
            "readout": self._readout(),
            "readout_check": self._readout(),
            "probe_mass": decider.probe_mass,
        }

    def _status(self) -> str:
        return PROBABILITY_STATUS if self.decider.temperature == 1.0 else CALIBRATED_STATUS

    def _readout(self) -> dict[str, Any]:
        return {"status": "unvalidated"} if self.readout is None else self.readout.record()


def authorized(header: str | None, token: str | None) -> bool:
    """Whether an Authorization header bears the token; compared in constant time.

    Args:
        token: None lets everybody in.
    """
    if token is None:
        return True
    scheme, _, borne = (header or "").partition(" ")
    same = hmac.compare_digest(borne.strip().encode("utf-8", "replace"), token.encode())
    return same and scheme.casefold() == "bearer"


def _detail(decision: Decision) -> dict[str, Any]:
    found: dict[str, Any] = {
        "option_logprobs": list(decision.option_logprobs),
        "answer_mass": decision.mass,
        "prompt_sha256": decision.prompt_sha256,
        "prompt_version": decision.prompt_version,
        "method": decision.method,
        "temperature": decision.temperature,
        "input_tokens": decision.input_tokens,
    }
    if decision.independent is not None:
        found["independent_probabilities"] = list(decision.independent)
    if decision.flipped is not None:
        found["flipped"] = decision.flipped
    return found


def _error(status: int, message: str) -> Reply:
    return Reply(status, {"error": message})
