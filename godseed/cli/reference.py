"""The reference page of the command line, made from the commands themselves.

`python -m godseed.cli.reference > docs/reference/cli.md` writes it anew.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from godseed.cli.main import main

WIDTH = 80
HEAD = """\
# Command line

Made from the commands by `python -m godseed.cli.reference`; a test holds it to them.

Every command takes `--json`, which prints exactly one JSON document on standard output, also for
an error (`error`, `exit_code`), and `--quiet`. Data goes to standard output, notes and progress to
standard error. An error is one line: where, what came, what was expected, what to do.

| exit code | meaning |
|---|---|
| 0 | fine |
| 1 | differences found, or items failed: a declined wish, a rejected call, a golden case |
| 2 | usage, or input that cannot be read |
| 3 | this machine cannot do it; the message holds the line that mends it |
| 130 | stopped with Ctrl-C; what was finished is kept |
"""


def help_text(path: tuple[str, ...]) -> str:
    """What `godseed PATH --help` prints at 80 columns.

    Args:
        path: names from the first command on; empty for the program.
    """
    command: click.Command = main
    ctx = click.Context(main, info_name="godseed", terminal_width=WIDTH, **main.context_settings)
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
        ctx = click.Context(command, info_name=name, parent=ctx, terminal_width=WIDTH)
    return "\n".join(line.rstrip() for line in command.get_help(ctx).splitlines())


def command_paths() -> Iterator[tuple[str, ...]]:
    """Every command, groups before what is in them."""
    yield ()
    for name, command in main.commands.items():
        yield (name,)
        if isinstance(command, click.Group):
            yield from ((name, inner) for inner in command.commands)


def reference_page() -> str:
    """The whole page, Markdown."""
    blocks = [HEAD]
    for path in command_paths():
        title = " ".join(("godseed", *path))
        blocks.append(f"## {title}\n\n```text\n{help_text(path)}\n```\n")
    return "\n".join(blocks)


if __name__ == "__main__":
    click.echo(reference_page(), nl=False)
