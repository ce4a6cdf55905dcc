"""`godseed parity`: the same worlds through Python and through a web client, rung by rung."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import click

from godseed.check.browser import GL_MODES, GLMode, client_page
from godseed.check.case_file import read_case
from godseed.check.cases import find_cases
from godseed.check.parity_geometry import run as run_geometry
from godseed.check.parity_pixels import PixelReport, compare_client
from godseed.check.parity_views import LARGE_SIZES, SIZES, Subject, View, subjects, views_of
from godseed.check.twin import BridgeError
from godseed.cli.options import Size, output, output_options
from godseed.cli.output import DIFFERENT, ENVIRONMENT, FINE, Failure, Output
from godseed.cli.worlds import read

FRAMES = 24


@click.command("parity")
@click.argument("source", metavar="[WORLD or DIR]", required=False)
@click.option("--frames", type=click.IntRange(0, 10_000), help="Pictures; 24 of generated worlds.")
@click.option(
    "--fuzz",
    type=click.IntRange(0, 1_000_000),
    default=0,
    metavar="N",
    help="Also compare the geometry of N generated worlds in Node.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=1,
    show_default=True,
    help="Chooses the generated worlds.",
)
@click.option(
    "--gl",
    "modes",
    default="mesa",
    show_default=True,
    help="Rasterisers of the browser, of mesa, swiftshader, default; with commas.",
)
@click.option("--size", type=Size(), help="Of all pictures, in place of their own.")
@click.option("--url", help="Another client that answers window.godseed, protocol 1.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Compare the renderer with the web client in Chromium.

    WORLD is a log, a feature list or genesis; DIR is a folder of golden cases; without either,
    worlds are generated. Geometry has to be equal to the last bit; pixels too where both use one
    rasteriser, else within the gates of golden cases. Generated pictures are small on mesa and
    1037 to 1440 pixels wide on other rasterisers.

    \b
    Examples:
      godseed parity
      godseed parity world.jsonl --gl mesa,swiftshader
      godseed parity golden --url http://localhost:8000/
      godseed parity --frames 0 --fuzz 1000
    """
    out = output(ctx)
    modes = gl_modes(given["modes"])
    document: dict[str, Any] = {}
    agrees = True
    if given["fuzz"]:
        agrees = fuzz(given["fuzz"], given["seed"], out, document)
    for mode in modes:
        worlds = tuple(chosen(given["source"], given["frames"], given["seed"], mode, out))
        if given["size"]:
            worlds = tuple(world.sized(given["size"]) for world in worlds)
        if not worlds:
            continue
        report = compared(worlds, mode, given["url"], out)
        out.data(f"-- {mode}")
        for line in report.lines():
            out.data(line)
        document[mode] = report.to_dict()
        agrees = agrees and report.agrees
    out.document({"agrees": agrees, **document})
    return FINE if agrees else DIFFERENT


def gl_modes(text: str) -> tuple[GLMode, ...]:
    """Modes of a comma-separated list.

    Raises:
        Failure: one is unknown.
    """
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in GL_MODES:
            raise Failure(f"--gl: {name!r}; expected {', '.join(GL_MODES)}; correct it")
    return tuple(cast(GLMode, name) for name in names)


def chosen(
    source: str | None, frames: int | None, seed: int, mode: GLMode, out: Output
) -> Iterable[Subject]:
    """What to draw: a world's shots, a folder's cases, or generated worlds."""
    if source is None:
        sizes = SIZES if mode == "mesa" else LARGE_SIZES
        yield from subjects(FRAMES if frames is None else frames, seed, sizes)
    elif Path(source).is_dir():
        for name, folder in find_cases(Path(source)):
            case = read_case(name, folder)
            views = (View(p.shot, p.time_ms, case.size, case.samples) for p in case.pictures)
            yield Subject(name, case.features, case.landed_ms, tuple(views)[:frames])
    else:
        features = tuple(read(source, out).world.features)
        yield Subject(source, features, {}, views_of(features)[:frames])


def compared(
    worlds: tuple[Subject, ...], mode: GLMode, url: str | None, out: Output
) -> PixelReport:
    """Draw all of it in one browser."""
    total = sum(len(world.views) for world in worlds)
    with client_page(mode, url) as page, out.progress(f"frames ({mode})", total) as step:
        return compare_client(page, worlds, step=step)


def fuzz(worlds: int, seed: int, out: Output, document: dict[str, Any]) -> bool:
    """Compare geometry alone, in Node."""
    try:
        report = run_geometry(worlds, seed)
    except BridgeError as error:
        raise Failure(str(error), ENVIRONMENT) from None
    for disagreement in report.disagreements:
        out.data(str(disagreement))
    count = len(report.disagreements)
    out.data(f"rung 1: {report.worlds} worlds, {report.features} features, {count} disagree")
    document["geometry"] = {
        "worlds": report.worlds,
        "features": report.features,
        "seconds": report.seconds,
        "disagreements": [str(one) for one in report.disagreements],
    }
    return not report.disagreements
