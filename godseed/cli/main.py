"""`godseed`: type a wish; a small god terraforms one persistent planet."""

from __future__ import annotations

import importlib
import io
import logging
import sys
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from godseed import __version__
from godseed.cli.output import (
    DIFFERENT,
    ENVIRONMENT,
    INTERRUPTED,
    USAGE,
    Failure,
    flush,
    json_text,
    one_line,
    tell,
)

MODULES = (
    *("demo", "grant", "apply", "inspect", "render", "sheet", "replay"),
    *("export", "view"),
    *("golden", "compare", "parity", "decide", "moderate", "doctor", "completion"),
)
"""Commands in the order of a first visit; each is the `command` of the module of its name."""
UNREADABLE = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
"""Errors of the system that another path would mend."""


class Modules(MutableMapping[str, click.Command]):
    """Commands by name; a module loads when its command is looked at, so that others start fast."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in MODULES:
            raise KeyError(name)
        found: click.Command = importlib.import_module(f"godseed.cli.{name}").command
        return found

    def __setitem__(self, name: str, command: click.Command) -> NoReturn:
        raise TypeError(f"cli: {name!r} set; expected a module; add its name to MODULES")

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError(f"cli: {name!r} deleted; expected to stay; take it from MODULES")

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


class Program(click.Group):
    """The command line as a whole: whatever goes wrong is one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of a first visit."""
        return list(MODULES)

    def main(self, args: Sequence[str] | None = None, *_: Any, **given: Any) -> NoReturn:
        """Run a command line and exit.

        Args:
            args: words after the program's name; those of this process if None.
            given: as click's `main` takes them; `standalone_mode` is ignored.
        """
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        words = list(sys.argv[1:] if args is None else args)
        if "--debug" not in words:
            # An interrupted wish leaves its model's thread behind; how that ends is nobody's news.
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        code = self._run(words, {**given, "prog_name": "godseed", "standalone_mode": False})
        try:
            flush()
        except OSError:
            code = code or DIFFERENT
        sys.exit(code)

    def _run(self, words: list[str], given: dict[str, Any]) -> int:
        try:
            result = super().main(words, **given)
            return result if isinstance(result, int) else 0
        except click.exceptions.Exit as done:
            return done.exit_code
        except click.exceptions.NoArgsIsHelpError as error:
            tell(error.format_message(), err=True)
            return USAGE
        except (click.Abort, KeyboardInterrupt):
            failure = Failure("stopped; nothing that was finished is lost", INTERRUPTED)
        except Exception as error:
            if "--debug" in words:
                raise
            failure = explained(error)
        message = one_line(failure.message)
        with suppress(OSError):  # a full disk behind our output, say
            tell(f"error: {message}", err=True)
            if "--json" in words:
                tell(json_text({"error": message, "exit_code": failure.exit_code}))
        return failure.exit_code


@click.group(
    "godseed",
    cls=Program,
    commands=Modules(),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="godseed")
@click.option("--debug", is_flag=True, hidden=True, help="Show tracebacks.")
def main(debug: bool) -> None:
    """Grant wishes, render the planet they make, replay them, and check golden images.

    WORLD is a .jsonl trace log, a .json feature list, or genesis; - reads standard input.

    Exit codes: 0 fine, 1 differences or failed items, 2 usage or bad input, 3 the environment
    cannot do this, 130 stopped with Ctrl-C.

    \b
    Example:
      godseed grant "a lighthouse on a northern cape" --still cape.png
    """


def explained(error: Exception) -> Failure:
    """An exception as one line for a reader, with the exit code that says whose fault it is."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, Failure):
        return error
    if isinstance(error, click.UsageError):
        return Failure(_usage(error))
    if isinstance(error, click.ClickException):
        return Failure(_line(error.format_message()), error.exit_code)
    if "MissingError" in kinds or isinstance(error, ImportError):
        return Failure(_line(error), ENVIRONMENT)
    if isinstance(error, MemoryError):
        return Failure("memory: none left; expected more; ask for smaller pictures", ENVIRONMENT)
    if "LogLockedError" in kinds:
        return Failure(_line(error), DIFFERENT)
    if isinstance(error, OSError):
        return _system(error)
    if isinstance(error, ValueError) or kinds & {"RenderError", "LogError", "BatchError"}:
        return Failure(_line(error))
    return Failure(
        f"godseed: {type(error).__name__}: {_line(error)}; expected no such thing; "
        "run 'godseed --debug ...' and report what it shows",
        DIFFERENT,
    )


def _usage(error: click.UsageError) -> str:
    """What is wrong with a command line, and where its help is."""
    path = error.ctx.command_path if error.ctx else "godseed"
    said = _line(error.format_message()).rstrip(".")
    if isinstance(error.ctx.command if error.ctx else None, click.Group) and "command" in said:
        names = ", ".join(error.ctx.command.list_commands(error.ctx))  # type: ignore[union-attr]
        said = f"{said}; expected one of {names}"
    return f"{path}: {said}; see '{path} --help'"


def _system(error: OSError) -> Failure:
    where = error.filename if error.filename is not None else "output"
    if isinstance(where, bytes):
        where = where.decode(errors="backslashreplace")
    code = USAGE if isinstance(error, UNREADABLE) else DIFFERENT
    what = error.strerror or _line(error)
    return Failure(f"{where}: {what}; expected a file to read or write; check it", code)


def _line(what: object) -> str:
    return " ".join(str(what).split()) or type(what).__name__
