"""`godseed`: type a wish; a small god terraforms one persistent planet."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from godseed import __version__
from godseed.cli.output import ENVIRONMENT, USAGE, Failure

COMMANDS = {
    "demo": "demo",
    "grant": "grant",
    "apply": "apply",
    "inspect": "inspect",
    "render": "render",
    "sheet": "sheet",
    "replay": "replay",
    "golden": "golden",
    "parity": "parity",
    "doctor": "doctor",
    "completion": "completion",
}
"""Command -> module of this package; modules load only when their command runs."""
INTERRUPTED = 130
CLOSED = 141


class Commands(click.Group):
    """Loads a command's module when it is called, so that `--help` needs no renderer."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of a first visit."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of a name."""
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"godseed.cli.{COMMANDS[name]}")
        found: click.Command = module.command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Say which commands there are when one is not known."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            names = ", ".join(COMMANDS)
            raise click.UsageError(
                f"no command {args[0]!r}; expected one of {names}; see 'godseed --help'", ctx
            ) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="godseed")
@click.option("--debug", is_flag=True, hidden=True, help="Show tracebacks.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Grant wishes, render the planet they make, replay them, and check golden images.

    WORLD is a .jsonl trace log, a .json feature list, or genesis; - reads standard input.

    Exit codes: 0 fine, 1 differences or failed items, 2 usage or bad input, 3 the environment
    cannot do this.

    \b
    Example:
      godseed grant "a lighthouse on a northern cape" --still cape.png
    """
    ctx.meta["godseed.debug"] = debug


def main(args: list[str] | None = None) -> None:
    """Run a command line and exit; whatever goes wrong is one line, never a traceback."""
    debug = "--debug" in (sys.argv if args is None else args)
    try:
        result = cli.main(args=args, prog_name="godseed", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped: nothing that was finished is lost", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED)
    except Exception as error:
        if debug:
            raise
        failure = explained(error)
        failure.show()
        sys.exit(failure.exit_code)
    sys.exit(result if isinstance(result, int) else 0)


def explained(error: Exception) -> Failure:
    """An exception as one line for a reader, with the exit code of whose fault it is."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if "MissingError" in names or isinstance(error, ImportError):
        return Failure(_text(error), ENVIRONMENT)
    if isinstance(error, OSError):
        where = error.filename if error.filename is not None else "file"
        return Failure(
            f"{where}: {error.strerror or error}; expected to read or write it; check it"
        )
    if isinstance(error, (ValueError, LookupError)) or names & {"RenderError", "LogError"}:
        return Failure(_text(error), USAGE)
    return Failure(
        f"{type(error).__name__}: {_text(error)}; expected no such thing; "
        "run again as 'godseed --debug ...' and report it"
    )


def _text(error: Any) -> str:
    return " ".join(str(error).split()) or type(error).__name__
