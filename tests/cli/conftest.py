"""The command line twice: in this process through click's runner, and as a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from godseed.cli.main import main

WISHES = ("a lighthouse on a northern cape", "ein Märchenwald aus 夜")
SCRIPT = "from godseed.cli.main import main; main()"


@dataclass(frozen=True)
class Ran:
    """How a command line ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it has to be."""
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"not JSON: {name}"))


def _run(*words: str | Path, stdin: bytes | str | None = None, code: int | None = 0) -> Ran:
    result = CliRunner().invoke(main, [str(word) for word in words], input=stdin)
    return _checked(Ran(result.exit_code, result.stdout, result.stderr), code)


def _start(
    *words: str | Path, env: dict[str, str] | None = None, redirect: str = "", **given: Any
) -> Any:
    root = str(Path(__file__).resolve().parents[2])
    shell = ["sh", "-c", f'exec "$@" {redirect}', "sh"] if redirect else []
    return subprocess.Popen(
        [*shell, sys.executable, "-c", SCRIPT, *map(str, words)],
        env={**os.environ, "PYTHONPATH": root, **(env or {})},
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given},
    )


def _spawn(
    *words: str | Path,
    stdin: bytes = b"",
    code: int | None = 0,
    encoding: str = "utf-8",
    **given: Any,
) -> Ran:
    process = _start(*words, **given)
    out, err = process.communicate(stdin, timeout=120)
    ran = Ran(process.returncode, (out or b"").decode(encoding), (err or b"").decode(encoding))
    return _checked(ran, code)


def _checked(ran: Ran, code: int | None) -> Ran:
    """No traceback, the exit code that was expected, and an error is the last line."""
    assert "Traceback" not in ran.err + ran.out, ran.err
    assert code is None or ran.code == code, f"exit {ran.code}: {ran.err}{ran.out}"
    errors = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert ran.err.splitlines()[-1:] == errors or not errors, ran.err
    return ran


@pytest.fixture(scope="session")
def godseed() -> Callable[..., Ran]:
    """Run a command line here: `godseed(*words, stdin=None, code=0)`."""
    return _run


@pytest.fixture(scope="session")
def spawn() -> Callable[..., Ran]:
    """Run a command line as a process: `spawn(*words, stdin=b"", code=0, env=None, ...)`."""
    return _spawn


@pytest.fixture(scope="session")
def start() -> Callable[..., Any]:
    """Start a command line as a process and hand it over."""
    return _start


@pytest.fixture(scope="session")
def granted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of two wishes, made once."""
    path = tmp_path_factory.mktemp("granted") / "town.jsonl"
    for wish in WISHES:
        _run("grant", wish, "--world", path, "--quiet")
    return path


@pytest.fixture
def log(granted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of two wishes of the test's own, in the current folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(granted, "town.jsonl"))
