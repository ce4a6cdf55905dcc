"""The backend registry and the mock as a backend."""

from __future__ import annotations

import runpy
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from godseed.mind.backends import (
    Message,
    MissingError,
    Sampling,
    UnknownBackendError,
    available,
    create,
)
from godseed.mind.backends.mock import MockBackend
from godseed.mind.grammar import turn_grammar

MESSAGES: list[Message] = [
    {"role": "system", "content": "You are a god."},
    {"role": "user", "content": "World: The town of Tessen stands near (10,20).\nWish: a lake"},
]


def written(backend: MockBackend, grammar: str | None, max_tokens: int = 640) -> list[str]:
    pieces: list[str] = []
    prompt = backend.render(MESSAGES)
    made = backend.generate(prompt, grammar, [], Sampling(1, max_tokens=max_tokens), pieces.append)
    assert "".join(pieces) == made.text
    assert made.tokens_out == len(pieces)
    assert made.tokens_in == len(backend.tokenize(prompt))
    assert made.finish == ("stop" if len(pieces) < max_tokens else "length")
    return pieces


def test_create_names_those_that_are_here() -> None:
    assert available() == ("llamacpp", "mock", "openai", "transformers")
    with pytest.raises(UnknownBackendError, match=r"'ollama'; expected one of llamacpp, mock"):
        create("ollama")


def test_transformers_is_tested_exactly_where_torch_is() -> None:
    here = bool(find_spec("torch") and find_spec("transformers"))
    told = runpy.run_path(str(Path(__file__).with_name("conftest.py")))["collect_ignore"]
    assert told == ([] if here else ["test_transformers.py"])
    if not here:
        with pytest.raises(MissingError, match=r"extra 'transformers'; run: pip install"):
            create("transformers")


def test_create_refuses_unknown_options() -> None:
    with pytest.raises(UnknownBackendError, match="warmth"):
        create("mock", warmth=3)


def test_mock_refuses_a_negative_delay() -> None:
    with pytest.raises(ValueError, match="token_delay_s"):
        create("mock", token_delay_s=-1.0)


def test_mock_streams_what_it_returns() -> None:
    backend = MockBackend()
    assert len(written(backend, None)) > 5
    assert "".join(written(backend, turn_grammar())).startswith('{"thought":"')


def test_mock_stops_at_max_tokens() -> None:
    assert len(written(MockBackend(), None, max_tokens=3)) == 3


def test_mock_ends_the_wish_when_the_grammar_holds_no_call() -> None:
    assert '"done":true' in "".join(written(MockBackend(), turn_grammar(last=True)))


def test_mock_stops_at_a_stop_string() -> None:
    backend = MockBackend()
    prompt = backend.render(MESSAGES)
    made = backend.generate(prompt, None, ["."], Sampling(1), lambda piece: None)
    assert made.text
    assert "." not in made.text


def test_mock_builds_near_the_town_of_the_prompt() -> None:
    text = "".join(written(MockBackend(), turn_grammar()))
    lat, lon = (float(x) for x in text.partition('"path":[[')[2].partition("]")[0].split(","))
    assert abs(lat - 10) < 20
    assert abs(lon - 20) < 20


def test_mock_answers_a_prompt_without_labels() -> None:
    backend = MockBackend()
    made = backend.generate("a lake, please", None, [], Sampling(1), lambda piece: None)
    assert made.text


def test_mock_logits_are_fixed_by_the_prompt() -> None:
    backend = MockBackend()
    first = backend.logits("x")
    assert first.dtype == np.float32
    assert np.array_equal(first, backend.logits("x"))
    assert not np.array_equal(first, backend.logits("y"))
