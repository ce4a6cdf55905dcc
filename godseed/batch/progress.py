"""Progress on standard error: a bar on a terminal, at most ten plain lines where it is piped.

What was finished before a run counts from the beginning; the time that remains is judged by what
this run did.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PLAIN_STEPS = 10
"""How many lines a piped progress takes at most."""


class Step(Protocol):
    """Counts what is done."""

    def __call__(self, *_: object) -> None:
        """Count one; what it is called with is ignored."""

    def many(self, count: int) -> None:
        """Count several."""


@contextmanager
def progress(
    label: str,
    total: int,
    done: int = 0,
    quiet: bool = False,
    say: Callable[[str], None] | None = None,
) -> Iterator[Step]:
    """Count things on their way to `total`.

    Args:
        label: what they are, such as `frames`.
        done: how many were finished before.
        quiet: show nothing.
        say: prints a plain line; to standard error if None.
    """
    if quiet:
        yield _Silent()
    elif sys.stderr.isatty():
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
            task = bar.add_task(label, total=total, completed=done)
            yield _Bar(lambda count: bar.advance(task, count))
    else:
        yield _Plain(label, total, done, say or _to_stderr)


class _Silent:
    def __call__(self, *_: object) -> None:
        pass

    def many(self, count: int) -> None:
        pass


class _Bar:
    def __init__(self, advance: Callable[[int], None]) -> None:
        self._advance = advance

    def __call__(self, *_: object) -> None:
        self._advance(1)

    def many(self, count: int) -> None:
        self._advance(count)


class _Plain:
    """A line at each tenth."""

    def __init__(self, label: str, total: int, done: int, say: Callable[[str], None]) -> None:
        self._label, self._total, self._done, self._say = label, total, done, say
        if done:
            say(f"{label} {done}/{total} were finished before")

    def __call__(self, *_: object) -> None:
        self.many(1)

    def many(self, count: int) -> None:
        before, self._done = self._done, self._done + count
        total = max(1, self._total)
        tenth = self._done * PLAIN_STEPS // total > before * PLAIN_STEPS // total
        if count and (tenth or self._done == self._total):
            self._say(f"{self._label} {self._done}/{self._total}")


def _to_stderr(text: str) -> None:
    with suppress(BrokenPipeError):
        print(text, file=sys.stderr, flush=True)
