"""`godseed golden`: check pictures against approved ones, and approve."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from godseed.check.approve import Updated
from godseed.check.cases import find_cases
from godseed.check.from_report import approve_report
from godseed.check.golden import Report, examine_all, update
from godseed.check.junit import write_junit
from godseed.check.new_case import new_case
from godseed.check.prune import prune
from godseed.check.report import write_report
from godseed.cli.options import Seconds, output, output_options, picture_options, writable
from godseed.cli.output import DIFFERENT, FINE, Failure, Output
from godseed.cli.worlds import read

FOLDER = "golden"
MOST_WORKERS = 256


@click.group("golden")
def command() -> None:
    """Check golden images, and approve them.

    A case is a folder with a case.json. Every difference is named by rung and feature.

    \b
    Example:
      godseed golden check
    """


@command.command("check")
@click.argument("folder", default=FOLDER, metavar="[DIR]")
@click.option(
    "-k", "pattern", metavar="EXPR", help="Only cases that match: a name, a part of one, or a glob."
)
@click.option("--report", metavar="FILE", help="Write a page, or with .json a document.")
@click.option("--junit", metavar="XML", help="Write JUnit XML for a CI service.")
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    default=1,
    show_default=True,
    help="Processes that draw.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Draw on a Dask cluster instead.")
@click.option("--allow-missing", is_flag=True, help="Let cases pass that have no image here.")
@output_options
@click.pass_context
def check_command(ctx: click.Context, /, **given: Any) -> int:
    """Compare cases with what was approved.

    DIR is golden if none is named. Exit code 1 if a case does not pass, or has no image for this
    rasteriser. Cases can be approved out of a report, on another machine too.

    \b
    Examples:
      godseed golden check -k place_road
      godseed golden check --report golden.html --junit golden.xml --workers 2
    """
    out, folder, pattern = output(ctx), given["folder"], given["pattern"]
    page = writable(given["report"], ".html", ".htm", ".json") if given["report"] else None
    junit = writable(given["junit"], ".xml") if given["junit"] else None
    with out.progress("cases", len(find_cases(Path(folder), pattern))) as step:
        report, evidence = examine_all(
            folder,
            pattern,
            given["allow_missing"],
            step,
            given["workers"],
            given["scheduler"],
            page is not None,
        )
    if page is not None:
        write_report(page, report, evidence)
        out.note(f"wrote {page}")
    if junit is not None:
        write_junit(junit, report)
        out.note(f"wrote {junit}")
    show(report, out)
    return FINE if report.passed else DIFFERENT


@command.command("update")
@click.argument("folder", default=FOLDER, metavar="[DIR]")
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
    return tell(done, folder, out)


@command.command("approve")
@click.argument("report", metavar="REPORT")
@click.argument("cases", nargs=-1, metavar="[CASE]...")
@click.option("--dir", "folder", metavar="DIR", help="Where the cases are, if not where they were.")
@click.option("--also", is_flag=True, help="Keep approved images, and add these to them.")
@output_options
@click.pass_context
def approve_command(
    ctx: click.Context, report: str, cases: tuple[str, ...], folder: str | None, also: bool
) -> int:
    """Approve what a report drew, without drawing.

    REPORT is what golden check --report wrote, .html or .json, here or on another machine; all that
    is not as approved if no CASE is named.

    \b
    Example:
      godseed golden approve golden.html place_road/coast
    """
    out = output(ctx)
    done = approve_report(Path(report), cases, Path(folder) if folder else None, also)
    return tell(done, folder or report, out)


@command.command("new")
@click.argument("name")
@click.option("--world", required=True, metavar="WORLD", help="A log, a feature list or genesis.")
@click.option("--wishes", type=click.IntRange(0), help="Only so many wishes of a log.")
@click.option(
    "--shot", "shots", multiple=True, default=("town",), show_default=True, help="May be repeated."
)
@click.option(
    "--t", "seconds", type=Seconds(), multiple=True, default=(4.0,), help="Time; may be repeated."
)
@click.option(
    "--landed", "landed", multiple=True, metavar="FEATURE=SECONDS", help="When a feature lands."
)
@picture_options("320x180")
@click.option("--dir", "folder", default=FOLDER, show_default=True, help="Folder of the cases.")
@click.option("--no-draw", is_flag=True, help="Write case.json and approve nothing.")
@output_options
@click.pass_context
def new_command(ctx: click.Context, /, **given: Any) -> int:
    """Make a case, draw it and approve it.

    NAME is its folder, such as place_road/coast. Every shot is drawn at every time.

    \b
    Examples:
      godseed golden new town/evening --world world.jsonl --shot town --shot world
      godseed golden new growth/tower --world world.jsonl --landed f_000004=1 --t 1.5 --t 2.5
    """
    out = output(ctx)
    world = read(given["world"], out).world
    if given["wishes"] is not None:
        if given["wishes"] > world.epoch:
            raise Failure(
                f"--wishes: {given['wishes']}; expected at most the {world.epoch} of "
                f"{given['world']}; ask for fewer"
            )
        world = world.at(given["wishes"])
    frames = [(shot, seconds) for shot in given["shots"] for seconds in given["seconds"]]
    root = Path(given["folder"])
    case = new_case(
        root,
        given["name"],
        tuple(world.features),
        frames,
        given["size"],
        int(given["samples"]),
        dict(map(landing, given["landed"])),
    )
    out.note(f"wrote {case.folder / 'case.json'}")
    done = [Updated(case.name, ("case.json",), "not drawn")]
    if not given["no_draw"]:
        done = update(root, case.name, "missing")
    return tell(done, str(root), out)


@command.command("prune")
@click.argument("folder", default=FOLDER, metavar="[DIR]")
@click.option("-n", "--dry-run", is_flag=True, help="Only say what would be removed.")
@output_options
@click.pass_context
def prune_command(ctx: click.Context, folder: str, dry_run: bool) -> int:
    """Remove images that nothing looks at.

    Those without a frame, of a geometry that is no longer expected, or whose case.json is gone.
    What another program wrote is named and kept. DIR is golden if none is named.

    \b
    Example:
      godseed golden prune --dry-run
    """
    out = output(ctx)
    rows = prune(folder, dry_run)
    for row in rows:
        out.data(f"would be {row.summary}" if dry_run else row.summary)
    count = sum(row.removed for row in rows)
    what = f"{count} file{'' if count == 1 else 's'}"
    out.data(f"{what} would be removed" if dry_run else f"{what} removed")
    out.document({"folder": folder, "dry_run": dry_run, "files": [row.to_dict() for row in rows]})
    return FINE


def landing(text: str) -> tuple[str, float]:
    """`f_000004=1.5` as an id and seconds.

    Raises:
        Failure: it is nothing of the kind.
    """
    found = re.fullmatch(r"(?:f_)?([0-9]{1,9})=([0-9]{1,7}(?:\.[0-9]{1,6})?)", text.strip())
    if found is None:
        raise Failure(f"--landed: {text!r}; expected FEATURE=SECONDS; try f_000004=1.5")
    return f"f_{int(found[1]):06d}", float(found[2])


def tell(done: list[Updated], folder: str, out: Output) -> int:
    """Print what was approved; the exit code says whether something was left."""
    for row in done:
        out.data(row.summary)
    out.document({"folder": folder, "cases": [row.to_dict() for row in done]})
    return DIFFERENT if any(row.left for row in done) else FINE


def show(report: Report, out: Output) -> None:
    """Print a report."""
    for line in report.lines:
        out.data(line)
    out.document(report.to_dict())
