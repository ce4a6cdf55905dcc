"""`godseed completion`: scripts that complete commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from godseed.cli.options import output, output_options
from godseed.cli.output import FINE, Failure

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@output_options
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the completion script of a shell.

    \b
    Example:
      godseed completion bash > ~/.local/share/bash-completion/completions/godseed
    """
    found = get_completion_class(shell)
    if found is None:
        raise Failure(f"completion: {shell!r}; expected one of {', '.join(SHELLS)}; choose one")
    out = output(ctx)
    script = found(ctx.find_root().command, {}, "godseed", "_GODSEED_COMPLETE").source()
    out.data(script)
    out.document({"shell": shell, "script": script})
    return FINE
