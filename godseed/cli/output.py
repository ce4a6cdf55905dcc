"""What commands say: data on standard output, notes and progress on standard error.

With `--json` a command prints exactly one JSON document. Progress is a bar on a terminal and plain
lines where standard error is piped; `--quiet` leaves only data and errors.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

FINE, DIFFERENT, USAGE, ENVIRONMENT = 0, 1, 2, 3
"""Exit codes: fine; differences or failed items; usage or bad input; the machine cannot do this."""
PLAIN_STEPS = 10
"""How many lines a piped progress takes at most."""


class Failure(click.ClickException):
    """An error for a reader: one line, and the exit code that says whose fault it is."""

    exit_code = USAGE

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.__dict__["exit_code"] = code

    def show(self, file: Any = None) -> None:
        """Print the line to standard error."""
        click.echo(f"error: {self.message}", err=True)


@dataclass(frozen=True)
class Output:
    """Where a command's words go.

    Attributes:
        json: print one JSON document instead of text.
        quiet: no notes and no progress.
    """

    json: bool = False
    quiet: bool = False

    def data(self, text: str) -> None:
        """A line of data, unless JSON was asked for."""
        if not self.json:
            click.echo(text)

    def document(self, value: Any) -> None:
        """The JSON document, if it was asked for."""
        if self.json:
            click.echo(json.dumps(value, ensure_ascii=False, indent=2))

    def note(self, text: str) -> None:
        """A remark to whoever watches."""
        if not self.quiet:
            click.echo(text, err=True)

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator[Step]:
        """Count `total` things; yields the function that counts one."""
        if self.quiet:
            yield Step(lambda: None)
        elif sys.stderr.isatty():
            console = Console(stderr=True)
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
                task = bar.add_task(label, total=total)
                yield Step(lambda: bar.advance(task))
        else:
            yield Step(_plain(label, total))


class Step:
    """Counts one thing each time it is called."""

    def __init__(self, advance: Any) -> None:
        self._advance = advance

    def __call__(self, *_: object) -> None:
        """Count one; takes and ignores whatever a callback is given."""
        self._advance()


def _plain(label: str, total: int) -> Any:
    """Progress for a log file: a line at each tenth."""
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if done == total or done * PLAIN_STEPS // total > (done - 1) * PLAIN_STEPS // total:
            click.echo(f"{label} {done}/{total}", err=True)

    return advance
