"""The guide to decisions keeps its word: its Python runs, its row and its request are accepted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from godseed.mind.decide import Decider, DecisionService
from godseed.mind.decide.rows import read_rows
from godseed.mind.decide.runtimes.mock import MockRuntime


@pytest.fixture(scope="module")
def guide(repo_root: Path) -> str:
    return (repo_root / "docs" / "guide" / "decisions.md").read_text("utf-8")


def blocks(guide: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", guide, re.DOTALL)


def test_python_of_the_guide_runs(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    for code in blocks(guide, "python"):
        exec(compile(code, "guide", "exec"), {})
    assert capsys.readouterr().out.startswith(("billing", "sales"))


def test_row_and_request_of_the_guide_are_accepted(guide: str) -> None:
    row, request = (json.loads(block) for block in blocks(guide, "json"))
    (read,) = read_rows(json.dumps(row).encode(), "guide")
    assert read.label == "water"
    service = DecisionService(Decider(MockRuntime()), "town-1")
    reply = service.handle("POST", "/v1/systemone", None, json.dumps(request).encode())
    assert reply.status == 200
    assert set(reply.body["answers"]) == {"queue", "urgent", "severity"}


def test_error_of_the_guide_is_the_one_that_comes(guide: str) -> None:
    service = DecisionService(Decider(MockRuntime()), "town-1")
    body = json.dumps({"state": "x", "questions": {"urgent": {"type": "maybe"}}}).encode()
    assert json.dumps(service.handle("POST", "/api/decide", None, body).body) in guide
