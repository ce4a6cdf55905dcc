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
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TextIO

import click

from godseed.batch.progress import Step, progress

FINE, DIFFERENT, USAGE, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: fine; differences or failed items; usage or bad input; the machine cannot do this;
stopped with Ctrl-C."""
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

    def progress(self, label: str, total: int, done: int = 0) -> AbstractContextManager[Step]:
        """Count `total` things, `done` of which were finished before; see `godseed.batch.progress`
        for what it yields."""
        return progress(label, total, done, self.quiet, lambda line: tell(line, err=True))


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
