"""What every test may use: the hypothesis profiles, `--full`, and the root of the checkout."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("local", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True, print_blob=True)
settings.register_profile("full", deadline=None, max_examples=1000, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full", action="store_true", help="many more generated examples (minutes, not seconds)"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--full"):
        settings.load_profile("full")
    else:
        settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_report_header() -> list[str]:
    if find_spec("torch") and find_spec("transformers"):
        return []
    return ["left out: tests/mind/test_transformers.py; no torch here (docs/decisions/0016)"]


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The folder that holds pyproject.toml."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """True under `--full`: a test with its own loop may then take more rounds."""
    return bool(request.config.getoption("--full"))
