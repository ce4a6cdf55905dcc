"""What commands say: data on standard output, notes and progress on standard error.

With `--json` a command prints exactly one JSON document. Progress is a bar on a terminal and plain
lines where standard error is piped; `--quiet` leaves only data and errors. When whoever reads has
gone (`| head`), the words are dropped and the work goes on.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

FINE, DIFFERENT, USAGE, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: fine; differences or failed items; usage or bad input; the machine cannot do this;
stopped with Ctrl-C."""
PLAIN_STEPS = 10
"""How many lines a piped progress takes at most."""
LONGEST_LINE = 1000
"""Characters of an error; whoever passes a longer name knows it."""


class Failure(click.ClickException):
    """An error for a reader: one line, and the exit code that says whose fault it is."""

    exit_code = USAGE

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.__dict__["exit_code"] = code


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
            tell(text)

    def document(self, value: Any) -> None:
        """The JSON document, if it was asked for."""
        if self.json:
            tell(json_text(value))

    def note(self, text: str = "", end: str = "\n", **style: Any) -> None:
        """A remark to whoever watches.

        Args:
            end: what follows it.
            style: of `click.style`, seen on a terminal.
        """
        if not self.quiet:
            tell(click.style(text, **style) if style else text, err=True, end=end)

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator[Callable[..., None]]:
        """Count `total` things; yields what counts one and ignores what it is called with."""
        if self.quiet:
            yield lambda *_: None
        elif sys.stderr.isatty():
            console = Console(stderr=True)
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
                task = bar.add_task(label, total=total)
                yield lambda *_: bar.advance(task)
        else:
            yield _plain(label, total)


def tell(text: str, err: bool = False, end: str = "\n") -> None:
    """Print and flush; if nobody reads any more, so be it."""
    try:
        click.echo(text + end, err=err, nl=False)
    except BrokenPipeError:
        _silence(sys.stderr if err else sys.stdout)


def json_text(value: Any) -> str:
    """A value as JSON that standard output's encoding can hold."""
    ascii_only = codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name != "utf-8"
    return json.dumps(value, ensure_ascii=ascii_only, indent=2)


def one_line(text: str) -> str:
    """A text as one line of bounded length that cannot steer a terminal."""
    line = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ..."


def flush() -> None:
    """Hand on what is still buffered, so that nothing is left to fail when Python ends.

    Raises:
        OSError: the disk is full, say; nothing more will be tried.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:
            _silence(stream)
        except OSError:
            _silence(stream)
            raise


def _silence(stream: TextIO) -> None:
    """Send what is written to a stream from now on nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _plain(label: str, total: int) -> Callable[..., None]:
    """Progress for a log file: a line at each tenth."""
    done = 0

    def advance(*_: object) -> None:
        nonlocal done
        done += 1
        if done == total or done * PLAIN_STEPS // total > (done - 1) * PLAIN_STEPS // total:
            tell(f"{label} {done}/{total}", err=True)

    return advance
