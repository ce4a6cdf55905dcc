"""`godseed sheet`: a contact sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from godseed.cli.options import Seconds, output, output_options, picture_options, writable
from godseed.cli.output import FINE, Output
from godseed.cli.worlds import still, world_of
from godseed.render.image import write_png
from godseed.render.renderer import Renderer
from godseed.sim.frame import Stage
from godseed.sim.world import World

GAP, LABEL = 10, 30
PAPER, INK = (9, 8, 13), (205, 180, 128)
LATEST = 7
"""How many of the last placed features are gazed at."""


@click.command("sheet")
@click.argument("world")
@click.option("-o", "--output", "path", required=True, metavar="PNG", help="Sheet to write.")
@click.option("--shot", "shots", multiple=True, help="Shots to show; default: a tour.")
@click.option("--t", "seconds", type=Seconds(), default=4.0, show_default=True, help="Time.")
@click.option("--columns", type=click.IntRange(1, 12), default=3, show_default=True)
@picture_options("480x270")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Make a contact sheet: town, world, and a look at the latest features.

    \b
    Example:
      godseed sheet world.jsonl -o sheet.png
    """
    out = output(ctx)
    path = writable(given["path"], ".png")
    world = world_of(given["world"], out)
    shots = given["shots"] or tour(world)
    write_sheet(
        world,
        path,
        shots,
        given["size"],
        int(given["samples"]),
        given["columns"],
        round(given["seconds"] * 1000),
        out,
    )
    out.note(f"wrote {path}")
    out.data(str(path))
    out.document({"written": [str(path)], "shots": list(shots)})
    return FINE


def tour(world: World) -> tuple[str, ...]:
    """Town, world, and gazes at the latest features that have a place."""
    placed = [
        feature.id for feature in world.features if "lat" in feature.args or "path" in feature.args
    ]
    return ("town", "world", *(f"gaze:{name}" for name in placed[-LATEST:]))


def write_sheet(
    world: World,
    path: Path,
    shots: tuple[str, ...],
    size: tuple[int, int],
    samples: int,
    columns: int,
    time_ms: int,
    out: Output,
) -> None:
    """Draw the shots and lay them out with their names."""
    renderer, stage = Renderer(size, samples), Stage(world.features)
    tiles: list[tuple[str, np.ndarray]] = []
    with out.progress("sheet", len(shots)) as step:
        for shot in shots:
            tiles.append((label_of(world, shot), still(stage, shot, time_ms, renderer)[1].pixels))
            step()
    width, height = size
    across = min(columns, len(tiles))
    down = -(-len(tiles) // across)
    sheet = Pillow.new(
        "RGB", (across * (width + GAP) + GAP, down * (height + LABEL + GAP) + GAP), PAPER
    )
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(15)
    for i, (label, pixels) in enumerate(tiles):
        x = GAP + i % across * (width + GAP)
        y = GAP + i // across * (height + LABEL + GAP)
        sheet.paste(Pillow.fromarray(pixels[:, :, :3]), (x, y))
        pen.text((x + 2, y + height + 6), label, INK, font)
    rgba = np.dstack([np.asarray(sheet), np.full(sheet.size[::-1], 255, np.uint8)])
    write_png(path, rgba)


def label_of(world: World, shot: str) -> str:
    """A shot's name; a gaze says what it looks at."""
    kind, _, name = shot.partition(":")
    for feature in world.features if kind == "gaze" else ():
        if feature.id == name:
            what = feature.args.get("kind", "")
            return f"{shot}  {feature.tool} {what}".rstrip()
    return shot
