"""`godseed sheet`: a contact sheet, one labelled picture per wish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from godseed.cli.options import Seconds, output, output_options, picture_options, writable
from godseed.cli.output import FINE, Output
from godseed.cli.worlds import read
from godseed.render.image import U8, write_png
from godseed.render.overlay import GLYPH, GOLD, HALO, IVORY, NIGHT, VEIL, Color, Overlay
from godseed.render.renderer import Renderer
from godseed.sim.camera import parse_shot
from godseed.sim.feature import Feature
from godseed.sim.frame import Stage
from godseed.sim.glyphs import face
from godseed.sim.text import layout, wrap
from godseed.sim.town import town_center, town_name
from godseed.sim.trace import LoadedLog
from godseed.sim.world import World

GAP = 8
PAPER = (9, 8, 13, 255)
LETTER, NAME_ROOM = 0.052, 5.0
"""Height of the label's letters in picture heights, and room for its name in letter heights."""


@dataclass(frozen=True)
class Tile:
    """One picture of a sheet: a world, a shot, and what is written under it."""

    world: World
    shot: str
    name: str
    text: str


@click.command("sheet")
@click.argument("world")
@click.option("-o", "--output", "path", required=True, metavar="PNG", help="Sheet to write.")
@click.option("--shot", "shots", multiple=True, help="Show these instead; may be repeated.")
@click.option(
    "--t", "seconds", type=Seconds(), default=4.0, show_default=True, help="Time of each."
)
@click.option(
    "--columns", type=click.IntRange(1, 12), default=5, show_default=True, help="Pictures in a row."
)
@click.option(
    "--limit",
    type=click.IntRange(1, 400),
    default=34,
    show_default=True,
    help="Of wishes or features; the latest.",
)
@picture_options("480x270")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Make a contact sheet of a world.

    The town, the whole sphere, then of a log each wish with the world it made, of a feature list
    each feature. --size is that of one picture.

    \b
    Examples:
      godseed sheet world.jsonl -o sheet.png
      godseed sheet genesis --shot town --shot world --columns 2 -o two.png
    """
    out = output(ctx)
    path = writable(given["path"], ".png")
    for shot in given["shots"]:
        parse_shot(shot)
    loaded = read(given["world"], out)
    if given["shots"]:
        tiles = [Tile(loaded.world, shot, shot, "") for shot in given["shots"]]
    else:
        tiles = tour(loaded, given["limit"])
    size, samples = given["size"], int(given["samples"])
    time_ms = round(given["seconds"] * 1000)
    sheet = draw_sheet(tiles, size, samples, given["columns"], time_ms, out)
    write_png(path, sheet)
    out.note(f"wrote {path}")
    out.data(f"{path} {len(tiles)} pictures")
    out.document(
        {
            "written": [str(path)],
            "size": [sheet.shape[1], sheet.shape[0]],
            "pictures": [
                {"shot": tile.shot, "name": tile.name, "text": tile.text, "epoch": tile.world.epoch}
                for tile in tiles
            ],
        }
    )
    return FINE


def tour(loaded: LoadedLog, limit: int) -> list[Tile]:
    """Town and world, then the latest wishes, or the latest features where no wish is known."""
    world = loaded.world
    town = town_name(town_center(world.features))
    epoch = f"epoch {world.epoch}"
    tiles = [Tile(world, "town", "town", f"{town}, {epoch}"), Tile(world, "world", "world", epoch)]
    if loaded.traces:
        first = max(0, len(loaded.traces) - limit)
        for number, trace in enumerate(loaded.traces[first:], start=first + 1):
            placed = [feature.id for feature in trace.features if _has_place(feature)]
            shot = f"gaze:{placed[0]}" if placed else "town"
            tiles.append(Tile(world.at(number), shot, trace.wish_id, trace.text))
        return tiles
    placed_features = [feature for feature in world.features if _has_place(feature)]
    for feature in placed_features[-limit:]:
        words = f"{feature.tool} {feature.args.get('kind', '')}".strip().replace("_", " ")
        tiles.append(Tile(world, f"gaze:{feature.id}", feature.id, words))
    return tiles


def draw_sheet(
    tiles: Sequence[Tile],
    size: tuple[int, int],
    samples: int,
    columns: int,
    time_ms: int,
    out: Output,
) -> U8:
    """Draw the pictures and lay them out in rows.

    Returns:
        (h, w, 4) uint8.
    """
    renderer = Renderer(size, samples)
    width, height = size
    across = min(columns, len(tiles))
    down = -(-len(tiles) // across)
    sheet = np.empty((down * (height + GAP) + GAP, across * (width + GAP) + GAP, 4), np.uint8)
    sheet[:, :] = PAPER
    stage = Stage(tiles[0].world.features)
    with out.progress("sheet", len(tiles)) as step:
        for i, tile in enumerate(tiles):
            if len(tile.world) != len(stage.features):
                stage = Stage(tile.world.features)
            frame = stage.frame(time_ms, tile.shot, width / height)
            x, y = GAP + i % across * (width + GAP), GAP + i // across * (height + GAP)
            drawn = renderer.draw(frame, label(tile, size))
            sheet[y : y + height, x : x + width] = drawn.pixels
            step()
    renderer.release()
    return sheet


def label(tile: Tile, size: tuple[int, int]) -> Overlay:
    """A tile's name in gold and its text in ivory, one line over a veil at the lower edge."""
    width, height = size
    em = max(8.0, LETTER * height)
    margin, baseline = em * 0.8, float(np.floor(height - em * 0.75))
    veil = (0.0, height - em * 3.2, float(width), float(height), 0.0, 1.0, 0.0, 0.0)
    rows: list[tuple[float, ...]] = [(*veil, *NIGHT, 0.8, VEIL, 1.0, 0.0, 0.0)]
    rows += _line(tile.name, "mono", em * 0.8, margin, baseline, GOLD)
    room = (width - 2.0 * margin - NAME_ROOM * em) / em
    lines = wrap(tile.text, "serif", max(room, 1.0))
    if lines:
        text = lines[0] + (" …" if len(lines) > 1 else "")
        rows += _line(text, "serif", em, margin + NAME_ROOM * em, baseline, IVORY)
    return Overlay(size, np.array(rows, np.float32))


def _line(
    text: str, name: str, em: float, x: float, baseline: float, color: Color
) -> list[tuple[float, ...]]:
    """Overlay rows of one line of letters."""
    slope = 0.5 / face(name).margin_em / em
    found = layout(text, name)
    return [
        (
            *(x + left * em, baseline - top * em, x + right * em, baseline - bottom * em),
            *(*uv, *color, 0.96, GLYPH, slope, HALO, 0.0),
        )
        for (left, bottom, right, top), uv in zip(
            found.quads.tolist(), found.uv.tolist(), strict=True
        )
    ]


def _has_place(feature: Feature) -> bool:
    return "lat" in feature.args or "path" in feature.args
