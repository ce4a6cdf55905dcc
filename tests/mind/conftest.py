"""The real models, each loaded once for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from godseed.mind.backends.llamacpp import LlamaCppBackend
from godseed.mind.backends.model_files import find_model
from godseed.mind.prompts import Prompt, parse_prompt

NEEDS_TORCH = "test_transformers.py"
collect_ignore = [] if find_spec("torch") and find_spec("transformers") else [NEEDS_TORCH]
"""Left out where `./do test` could not get a small torch (docs/decisions/0016)."""


TINY = """---
name: tiny
---
## system
You are a god. {max_turns} turns, each one line of JSON.
## reading
World: {summary} Wish: {wish} Say what you will make.
## turn
Make it.
## observation
{observation} Next.
## last
{observation} End it.
## retry
{reason}
"""


@pytest.fixture(scope="session")
def tiny_prompt() -> Prompt:
    """A planner's prompt of a hundred tokens, because evaluating a real one takes seconds."""
    return parse_prompt(TINY, "tiny")


@pytest.fixture(scope="session")
def smollm_path() -> Path:
    """SmolLM2-135M-Instruct, out of its package."""
    return find_model("default")


@pytest.fixture(scope="session")
def loaded_smollm(smollm_path: Path) -> LlamaCppBackend:
    """SmolLM2 with one thread, because the tests share their cores."""
    return LlamaCppBackend(smollm_path, threads=1)


@pytest.fixture
def smollm(loaded_smollm: LlamaCppBackend) -> Iterator[LlamaCppBackend]:
    """SmolLM2 with an empty context."""
    loaded_smollm.reset()
    yield loaded_smollm
    loaded_smollm.reset()


@pytest.fixture(scope="session")
def gemma_path() -> Path:
    """Gemma 3 270M: a base model, with another kind of tokenizer and no chat template."""
    return find_model("gemma3-270m")
