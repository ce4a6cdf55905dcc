"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from godseed.batch.executor import Workers, machine_cores
from godseed.cli.output import Failure, Output

SMALLEST_PX, LARGEST_PX = 16, 7680
SAMPLES = ("0", "2", "4", "8")
LONGEST_S = 1e7
Command = TypeVar("Command", bound=Callable[..., Any])


class Size(click.ParamType[tuple[int, int]]):
    """A picture size such as 1280x720."""

    name = "WxH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read it."""
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"([0-9]{1,6})[xX×]([0-9]{1,6})", str(value).strip())
        size = (int(found[1]), int(found[2])) if found else (0, 0)
        if not all(SMALLEST_PX <= side <= LARGEST_PX for side in size):
            self.fail(
                f"{value!r}; expected WIDTHxHEIGHT, each {SMALLEST_PX} to {LARGEST_PX}; "
                "try 1280x720",
                param,
                ctx,
            )
        return size


class Seconds(click.ParamType[float]):
    """A time in seconds, finite and not negative."""

    name = "SECONDS"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read it."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not 0.0 <= seconds <= LONGEST_S:
            self.fail(f"{value!r}; expected 0 to {LONGEST_S:g} seconds; try 4", param, ctx)
        return seconds


def output_options(command: Command) -> Command:
    """`--json` and `--quiet`, given to the command as `out`."""

    def gather(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        found = ctx.meta.setdefault("godseed.output", {})
        found[param.name] = value
        return value

    for name, text in (
        ("--json", "Print one JSON document on standard output."),
        ("--quiet", "No notes and no progress."),
    ):
        command = click.option(
            name, is_flag=True, help=text, expose_value=False, is_eager=True, callback=gather
        )(command)
    return command


def output(ctx: click.Context) -> Output:
    """The command's output, as its options say."""
    found = ctx.meta.get("godseed.output", {})
    return Output(bool(found.get("json")), bool(found.get("quiet")))


def picture_options(size: str = "1280x720") -> Callable[[Command], Command]:
    """`--size` and `--samples`."""

    def add(command: Command) -> Command:
        command = click.option(
            "--samples",
            type=click.Choice(SAMPLES),
            default="4",
            show_default=True,
            help="Samples per pixel.",
        )(command)
        return click.option(
            "--size", type=Size(), default=size, show_default=True, help="Picture size in pixels."
        )(command)

    return add


def workers_options(command: Command) -> Command:
    """`--workers` and `--scheduler`, see `workers_of`."""
    command = click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Work on a Dask cluster, such as tcp://host:8786.",
    )(command)
    return click.option(
        "--workers",
        type=click.IntRange(1, 1024),
        metavar="N",
        help="Processes; 1 works in this one, as many as there are cores if not given.",
    )(command)


def workers_of(given: Mapping[str, Any], most: int | None = None) -> Workers:
    """Where a command that has `workers_options` works.

    Args:
        given: the command's options.
        most: more processes than this would have nothing to do.
    Raises:
        BatchError: both options were given.
    """
    count, scheduler = given["workers"], given["scheduler"]
    if count is None and scheduler is None and most is not None:
        count = max(1, min(machine_cores(), most))
    return Workers(count, scheduler)


def read_input(source: str) -> bytes:
    """The bytes of a file, or of standard input if the name is `-`.

    Raises:
        Failure: it cannot be read.
    """
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise Failure(f"{source}: {why}; expected a readable file; check the name") from None


def writable(path: str, *endings: str) -> Path:
    """A path that can be written to.

    Raises:
        Failure: it is a folder, its folder is missing or not writable, or its ending is
            not one of those expected.
    """
    found = Path(path)
    if not path or "\0" in path:
        raise Failure(f"output: {path!r}; expected a file name; give one")
    if found.is_dir():
        raise Failure(f"{path}: a folder; expected a file name; add one")
    if not found.parent.is_dir():
        raise Failure(f"{path}: no folder {str(found.parent)!r}; expected one; make it first")
    if not os.access(found if found.exists() else found.parent, os.W_OK):
        raise Failure(f"{path}: not writable; expected a place of yours; choose another path")
    if endings and found.suffix.lower() not in endings:
        raise Failure(
            f"{path}: ends in {found.suffix or 'nothing'!r}; expected {', '.join(endings)}; "
            "change the name"
        )
    return found
