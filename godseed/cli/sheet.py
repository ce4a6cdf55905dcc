"""`godseed sheet`: a contact sheet, one labelled picture per wish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from godseed.check.gallery import SECTIONS, STAGES, gallery
from godseed.check.gallery import Tile as GalleryTile
from godseed.cli.options import Seconds, output, output_options, picture_options, writable
from godseed.cli.output import FINE, Failure, Output
from godseed.cli.worlds import read
from godseed.render.contact_sheet import Picture, sheet, stacked
from godseed.render.image import U8, write_png
from godseed.sim.camera import parse_shot
from godseed.sim.feature import Feature
from godseed.sim.frame import Stage
from godseed.sim.town import town_center, town_name
from godseed.sim.trace import LoadedLog
from godseed.sim.world import World

COLUMNS = 5
PER_ROW = {"structures": 4, "flora": 3, "places": 4, "skies": 7, "weather": 3, "cameras": 4}
"""Pictures in a row of the gallery's sections, unless a number is asked for; growth has its
stages."""
GROWTH_COLUMNS = len(STAGES)


@dataclass(frozen=True)
class Tile:
    """One picture of a sheet: a world, a shot, and what is written under it."""

    world: World
    shot: str
    name: str
    text: str


@click.command("sheet")
@click.argument("world", required=False)
@click.option(
    "-o", "--output", "path", required=True, metavar="PNG", help="Sheet to write; or a folder."
)
@click.option(
    "--gallery",
    "all_kinds",
    is_flag=True,
    help="Everything that can be drawn, one picture each, instead of a WORLD.",
)
@click.option(
    "--section",
    "sections",
    multiple=True,
    type=click.Choice(SECTIONS),
    help="Of the gallery; may be repeated.",
)
@click.option("--shot", "shots", multiple=True, help="Show these instead; may be repeated.")
@click.option(
    "--t", "seconds", type=Seconds(), default=4.0, show_default=True, help="Time of each."
)
@click.option(
    "--columns", type=click.IntRange(1, 12), help=f"Pictures in a row; {COLUMNS} of a world."
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

    --gallery shows every kind of every tool, palette, weather, camera and stage of growth; into a
    folder it writes a sheet per section.

    \b
    Examples:
      godseed sheet world.jsonl -o sheet.png
      godseed sheet --gallery -o gallery/
      godseed sheet genesis --shot town --shot world --columns 2 -o two.png
    """
    out = output(ctx)
    if given["all_kinds"]:
        return _gallery(given, out)
    if given["world"] is None:
        raise Failure("sheet: no WORLD; expected a log, a feature list or genesis, or --gallery")
    if given["sections"]:
        raise Failure("sheet: --section with a WORLD; expected it with --gallery; leave one out")
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
    drawn = draw_sheet(tiles, size, samples, given["columns"] or COLUMNS, time_ms, out)
    write_png(path, drawn)
    out.note(f"wrote {path}")
    out.data(f"{path} {len(tiles)} pictures")
    out.document(
        {
            "written": [str(path)],
            "size": [drawn.shape[1], drawn.shape[0]],
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
    stages: dict[int, Stage] = {}  # worlds of one sheet are prefixes of one another
    pictures = []
    for tile in tiles:
        stage = stages.setdefault(len(tile.world), Stage(tile.world.features))
        pictures.append(Picture(stage, tile.shot, time_ms, tile.name, tile.text))
    with out.progress("sheet", len(tiles)) as step:
        return sheet(pictures, size, samples, columns, step)


def draw_gallery(
    sections: Sequence[str],
    size: tuple[int, int],
    samples: int,
    columns: int | None,
    out: Output,
) -> list[tuple[str, U8, list[GalleryTile]]]:
    """Sheets of the gallery's sections: name, (h, w, 4) uint8, and what is on it."""
    tiles = gallery(sections)
    drawn = []
    with out.progress("gallery", len(tiles)) as step:
        for name in SECTIONS:
            here = [tile for tile in tiles if tile.section == name]
            if here:
                rows = columns or PER_ROW.get(name, GROWTH_COLUMNS)
                drawn.append((name, sheet(here, size, samples, rows, step), here))
    return drawn


def _gallery(given: dict[str, Any], out: Output) -> int:
    """Write the gallery, into one file or one per section."""
    if given["world"] is not None or given["shots"]:
        what = "a WORLD" if given["world"] is not None else "--shot"
        raise Failure(f"sheet: --gallery with {what}; expected neither; leave one out")
    one = given["path"].lower().endswith(".png")
    path = writable(given["path"], ".png") if one else _folder(given["path"])
    sections = given["sections"] or SECTIONS
    size, samples = given["size"], int(given["samples"])
    drawn = draw_gallery(sections, size, samples, given["columns"], out)
    files = {path / f"{name}.png": rows for name, rows, _ in drawn}
    if one:
        files = {path: stacked([(name, rows) for name, rows, _ in drawn])}
    for name, pixels in files.items():
        write_png(name, pixels)
        out.note(f"wrote {name}")
    tiles = [tile for _, _, here in drawn for tile in here]
    out.data(f"{path} {len(tiles)} pictures")
    out.document(
        {
            "written": [str(name) for name in files],
            "pictures": [
                {"section": tile.section, "name": tile.name, "text": tile.text} for tile in tiles
            ],
        }
    )
    return FINE


def _folder(name: str) -> Path:
    """A folder to write into, made if its parent is there.

    Raises:
        Failure: it is a file, or cannot be made.
    """
    path = Path(name)
    if path.exists() and not path.is_dir():
        raise Failure(f"{name}: a file; expected a folder or a .png; choose another path")
    try:
        path.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise Failure(f"{name}: {why}; expected a folder that can be made; check it") from None
    return path


def _has_place(feature: Feature) -> bool:
    return "lat" in feature.args or "path" in feature.args
