"""`godseed golden`: check pictures against approved ones, and approve."""

from __future__ import annotations

from pathlib import Path

import click

from godseed.check.cases import find_cases
from godseed.check.golden import Report, Updated, check, update
from godseed.cli.options import output, output_options
from godseed.cli.output import DIFFERENT, FINE, Output


@click.group("golden")
def command() -> None:
    """Check golden images, and approve them.

    A case is a folder with a case.json. Every difference is named by rung and feature.

    \b
    Example:
      godseed golden check
    """


@command.command("check")
@click.argument("folder", default="golden", metavar="[DIR]")
@click.option(
    "-k", "pattern", metavar="EXPR", help="Only cases that match: a name, a part of one, or a glob."
)
@click.option("--allow-missing", is_flag=True, help="Let cases pass that have no image here.")
@output_options
@click.pass_context
def check_command(ctx: click.Context, folder: str, pattern: str | None, allow_missing: bool) -> int:
    """Compare cases with what was approved.

    DIR is golden if none is named. Exit code 1 if a case does not pass, or has no image for this
    rasteriser.

    \b
    Example:
      godseed golden check -k place_road
    """
    out = output(ctx)
    with out.progress("cases", len(find_cases(Path(folder), pattern))) as step:
        report = check(folder, pattern, allow_missing, step)
    show(report, out)
    return FINE if report.passed else DIFFERENT


@command.command("update")
@click.argument("folder", default="golden", metavar="[DIR]")
@click.option("--failing", "which", flag_value="failing", default=True, help="Those that fail.")
@click.option("--missing", "which", flag_value="missing", help="Only what was never approved.")
@click.option("--all", "which", flag_value="all", help="Whatever differs.")
@click.option("-k", "pattern", metavar="EXPR", help="Only cases that match.")
@output_options
@click.pass_context
def update_command(ctx: click.Context, folder: str, which: str, pattern: str | None) -> int:
    """Approve what is drawn now.

    DIR is golden if none is named; --failing if nothing else is said.

    \b
    Example:
      godseed golden update --failing
    """
    out = output(ctx)
    with out.progress("cases", len(find_cases(Path(folder), pattern))) as step:
        done: list[Updated] = update(folder, pattern, which or "failing", step)
    for row in done:
        out.data(row.summary)
    out.document({"folder": folder, "cases": [row.to_dict() for row in done]})
    return DIFFERENT if any(row.left for row in done) else FINE


def show(report: Report, out: Output) -> None:
    """Print a report."""
    for line in report.lines:
        out.data(line)
    out.document(report.to_dict())
