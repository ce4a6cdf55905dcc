"""The HTTP face as pure functions: the bridge's shapes, its errors, and our own additions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.decide import Decider, DecisionService, InputError, check_readout
from godseed.mind.decide.errors import TransportError
from godseed.mind.decide.http import authorized
from godseed.mind.decide.runtimes.mock import MockRuntime
from godseed.mind.decide.wire import (
    AnswerError,
    Question,
    answer,
    parse_questions,
)

QUESTIONS: dict[str, Any] = {
    "department": {
        "type": "choice",
        "instructions": "Which queue should handle this request?",
        "criteria": {"billing": "Charged, refunds.", "technical": "Bugs.", "bare": None},
    },
    "urgent": {"type": "noul"},
    "severity": {"type": "score", "criteria": ["Cosmetic", "Annoying", "Blocking"]},
}


def body(**changes: Any) -> bytes:
    value = {"model": "town-1", "state": "I was charged twice.", "questions": QUESTIONS, **changes}
    return json.dumps({key: item for key, item in value.items() if item is not ...}).encode()


@pytest.fixture(scope="module")
def service() -> DecisionService:
    return DecisionService(Decider(MockRuntime()), "town-1")


def test_three_types_are_answered_in_the_shapes_of_the_bridge(service: DecisionService) -> None:
    reply = service.handle("POST", "/v1/systemone", None, body())
    assert reply.status == 200
    assert list(reply.body) == ["model", "answers", "usage", "fastjev"]
    found = reply.body["answers"]
    assert list(found["department"]) == ["type", "choice", "probabilities", "confidence"]
    assert found["department"]["choice"] == "billing"
    assert list(found["department"]["probabilities"]) == ["billing", "technical", "bare"]
    assert list(found["urgent"]) == ["type", "noul"]
    assert 0.0 <= found["urgent"]["noul"] <= 1.0
    severity = found["severity"]
    assert list(severity) == ["type", "score", "legend", "probabilities", "confidence"]
    assert severity["legend"] == {"0": "Cosmetic", "1": "Annoying", "2": "Blocking"}
    expected = sum(int(level) * share for level, share in severity["probabilities"].items())
    assert severity["score"] == pytest.approx(expected)
    assert reply.body["usage"]["output_tokens"] == 0
    assert reply.body["usage"]["input_tokens"] > 0
    assert reply.body["fastjev"] == {
        "probability_status": "conditional option scores; uncalibrated as decision confidence",
        "confidence_method": "one-minus-normalized-entropy",
        "prompt_versions": ["direct-options-v1"],
        "readout": {"status": "unvalidated"},
    }
    json.dumps(reply.body, allow_nan=False)


def test_own_path_needs_no_model_and_shows_the_readout(service: DecisionService) -> None:
    reply = service.handle("POST", "/api/decide", None, body(model=...))
    assert reply.status == 200
    detail = reply.body["decisions"]["department"]
    assert len(detail["prompt_sha256"]) == 64
    assert len(detail["option_logprobs"]) == 3
    bridge = service.handle("POST", "/v1/systemone", None, body()).body
    assert {key: reply.body[key] for key in bridge} == bridge


def test_default_instructions_and_descriptions_are_those_of_the_bridge() -> None:
    asked = {
        "a": {"type": "choice", "criteria": {"x": None, "y": "Why."}},
        "b": {"type": "noul"},
        "c": {"type": "noul", "criteria": {"true": None, "false": "Never."}},
        "d": {"type": "score", "criteria": ["Low", {"level": "high"}]},
    }
    found = {question.id: question for question in parse_questions({"questions": asked})}
    assert found["a"].instructions == "Which option best matches the supplied state?"
    assert found["b"].instructions == "Does the true outcome apply to the supplied state?"
    assert found["d"].instructions == "Which ordered level best matches the supplied state?"
    assert [option.description for option in found["a"].options] == ["x", "y: Why."]
    assert [option.description for option in found["b"].options] == [
        "true: The answer is yes.",
        "false: The answer is no.",
    ]
    assert [option.description for option in found["c"].options] == ["true", "false: Never."]
    assert [option.description for option in found["d"].options] == [
        "Level 0: Low",
        'Level 1: {"level": "high"}',
    ]


def test_nested_criteria_are_one_line_or_indented() -> None:
    asked = {"questions": {"a": {"type": "noul", "instructions": {"rule": ["x", "夜"]}}}}
    assert parse_questions(asked)[0].instructions == '{"rule": ["x", "夜"]}'
    indented = parse_questions(asked, "indented")[0].instructions
    assert indented == json.dumps({"rule": ["x", "夜"]}, indent=2, ensure_ascii=False)


LEVELS = "questions.q.criteria: must contain 2-10 ordered levels"
OPTIONS = "questions.q.criteria: must contain 2-16 options"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"state": ""}, "state: must be a nonempty string, object, or array"),
        ({"state": ...}, "state: must be a nonempty string, object, or array"),
        ({"state": 7}, "state: must be a nonempty string, object, or array"),
        ({"state": "\ud800"}, "state: a lone surrogate"),
        ({"model": "jev-latest"}, 'model: must be "town-1"; this server does not serve Jev'),
        ({"model": ...}, 'model: must be "town-1"'),
        ({"questions": {}}, "questions: must be a nonempty object"),
        ({"questions": []}, "questions: must be a nonempty object"),
        ({"questions": {"": {"type": "noul"}}}, "questions: question IDs must be nonempty"),
        ({"questions": {"q": 1}}, "questions.q: must be an object"),
        ({"questions": {"q": {}}}, "questions.q.type: must be one of: choice, noul, score"),
        ({"questions": {"q": {"type": ["noul"]}}}, "questions.q.type: must be one of"),
        ({"questions": {"q": {"type": "choice"}}}, OPTIONS),
        ({"questions": {"q": {"type": "choice", "criteria": {"a": "x"}}}}, OPTIONS),
        (
            {"questions": {"q": {"type": "choice", "criteria": {str(i): "x" for i in range(17)}}}},
            OPTIONS,
        ),
        (
            {"questions": {"q": {"type": "choice", "criteria": {"": "x", "b": "y"}}}},
            "questions.q.criteria: option IDs must be nonempty strings",
        ),
        (
            {"questions": {"q": {"type": "choice", "criteria": {"a": 1, "b": "y"}}}},
            "questions.q.criteria.a: must be a string, object, array, or null",
        ),
        (
            {"questions": {"q": {"type": "choice", "criteria": {"a": "", "b": "y"}}}},
            "questions.q.criteria.a: must not be empty",
        ),
        (
            {"questions": {"q": {"type": "noul", "criteria": []}}},
            "questions.q.criteria: must be an object when supplied",
        ),
        (
            {"questions": {"q": {"type": "noul", "criteria": {"maybe": "x"}}}},
            'questions.q.criteria: contains unsupported keys: ["maybe"]',
        ),
        ({"questions": {"q": {"type": "score", "criteria": ["a"]}}}, LEVELS),
        ({"questions": {"q": {"type": "score", "criteria": list("abcdefghijk")}}}, LEVELS),
        (
            {"questions": {"q": {"type": "score", "criteria": ["a", None]}}},
            "questions.q.criteria.1: must be a string, object, or array",
        ),
        (
            {"questions": {"q": {"type": "noul", "instructions": ""}}},
            "questions.q.instructions: must not be empty",
        ),
        (
            {"questions": {"q": {"type": "noul", "instructions": 3}}},
            "questions.q.instructions: must be a string, object, or array",
        ),
        (
            {"questions": {str(i): {"type": "noul"} for i in range(65)}},
            "questions: must be at most 64",
        ),
        (
            {"state": "<|end|>"},
            "questions.department: holds the text of a control token, '<|end|>'",
        ),
    ],
)
def test_bad_request_is_400_and_names_its_place(
    service: DecisionService, changes: dict[str, Any], said: str
) -> None:
    reply = service.handle("POST", "/v1/systemone", None, body(**changes))
    assert reply.status == 400, reply
    assert reply.body["error"].startswith(said), reply.body["error"]


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"nul", b'{"a": NaN}', b"[" * 99999])
def test_body_that_is_no_object_is_400(service: DecisionService, data: bytes) -> None:
    reply = service.handle("POST", "/api/decide", None, data)
    assert reply.status == 400
    assert reply.body["error"].startswith("body: must be a JSON object (")


@given(st.binary(max_size=80))
def test_no_bytes_make_the_service_raise(data: bytes) -> None:
    reply = DecisionService(Decider(MockRuntime()), "t").handle("POST", "/api/decide", None, data)
    assert reply.status == 400


def test_too_large_a_body_is_413(service: DecisionService) -> None:
    assert service.handle("POST", "/api/decide", None, b" " * 1_000_001).status == 413


def test_other_paths_and_methods_are_404_and_405(service: DecisionService) -> None:
    assert service.handle("GET", "/v1/other").status == 404
    assert service.handle("GET", "/v1/systemone").body == {
        "error": "method: /v1/systemone takes POST"
    }
    assert service.handle("POST", "/health").status == 405


def test_token_is_asked_of_every_path_once_there_is_one() -> None:
    guarded = DecisionService(Decider(MockRuntime()), "town-1", token="s3cret")
    for method, path in (("GET", "/health"), ("GET", "/v1/models"), ("POST", "/v1/systemone")):
        for header in (None, "Bearer wrong", "s3cret", "Basic s3cret", "Bearer \ud800", "Bearer é"):
            assert guarded.handle(method, path, header, body()).status == 401
        assert guarded.handle(method, path, "Bearer s3cret", body()).status == 200
    assert authorized("bearer s3cret", "s3cret")
    assert authorized(None, None)


def test_models_and_health_say_what_is_served() -> None:
    decider = Decider(MockRuntime())
    service = DecisionService(decider, "town-1", release_date="2026-12-01")
    service.readout = check_readout(decider)
    assert service.handle("GET", "/v1/models").body == {
        "models": [
            {
                "name": "town-1",
                "description": "Decisions from option logits.",
                "release_date": "2026-12-01",
            }
        ]
    }
    health = service.handle("GET", "/health").body
    assert health["answer_slots"]["A"] == 65
    assert len(health["answer_slots"]) == 16
    assert health["chat_template_kwargs"] == {"enable_thinking": False}
    assert health["readout"] == {"status": "passed", "evidence": "4 of 4 obvious questions right"}
    for key in ("probe", "endpoint", "prompt_version", "renders_locally", "tokenizes_locally"):
        assert key in health
    assert health["batch_fallbacks"] == 0
    binary = DecisionService(Decider(MockRuntime(), "binary"), "town-1").health()
    assert set(binary["answer_slots"]) == {"yes", "no"}


def test_any_model_is_accepted_only_if_asked_for() -> None:
    service = DecisionService(Decider(MockRuntime()), "town-1", accept_any_model=True)
    reply = service.handle("POST", "/v1/systemone", None, body(model="whatever"))
    assert reply.body["model"] == "town-1"


@pytest.mark.parametrize("name", ["", "jev-1", "JEV"])
def test_name_of_another_product_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"served_model: .*; expected a name of your own"):
        DecisionService(Decider(MockRuntime()), name)


def test_runtime_that_fails_is_502(made: Any) -> None:
    class Broken(made):  # type: ignore[misc]
        broken = False

        def logprobs(self, ids: Any, wanted: Any) -> Any:
            if self.broken:
                raise TransportError("POST http://x/completion: HTTP 503")
            return super().logprobs(ids, wanted)

    runtime = Broken()
    service = DecisionService(Decider(runtime), "town-1")
    runtime.broken = True
    reply = service.handle("POST", "/v1/systemone", None, body())
    assert (reply.status, reply.body) == (502, {"error": "POST http://x/completion: HTTP 503"})


def test_too_long_a_prompt_is_400_and_says_which_question(made: Any) -> None:
    service = DecisionService(Decider(made(context=2000)), "town-1")
    reply = service.handle("POST", "/v1/systemone", None, body(state="x" * 2000))
    assert reply.status == 400
    assert reply.body["error"].startswith("questions.department: ")
    assert "never cut" in reply.body["error"]


@pytest.mark.parametrize(
    ("ids", "shares", "said"),
    [
        (["true"], [1.0], "does not match its options"),
        (["false", "true"], [0.5, 0.5], "does not match its options"),
        (["true", "false"], [1.0], "invalid probability vector"),
        (["true", "false"], [float("nan"), 1.0], "non-finite or negative"),
        (["true", "false"], [-0.5, 1.5], "non-finite or negative"),
        (["true", "false"], [0.0, 0.0], "zero probability mass"),
    ],
)
def test_result_that_does_not_fit_is_our_error(ids: Any, shares: Any, said: str) -> None:
    (question,) = parse_questions({"questions": {"q": {"type": "noul"}}})
    with pytest.raises(AnswerError, match=f"questions.q: the result .*{said}|{said}"):
        answer(question, ids, shares)


def test_shares_are_normalised_again() -> None:
    (question,) = parse_questions({"questions": {"q": {"type": "noul"}}})
    assert isinstance(question, Question)
    assert answer(question, ["true", "false"], [0.2, 0.6])["noul"] == pytest.approx(0.25)
