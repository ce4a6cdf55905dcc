"""`godseed view`: a window to walk round a planet."""

from __future__ import annotations

from typing import Any

import click

from godseed.cli.options import Seconds, Size, output, output_options
from godseed.cli.output import FINE, Failure
from godseed.cli.worlds import read
from godseed.render.solid_parts import solids
from godseed.render.viewer import open_viewer, require_display
from godseed.sim.camera import SHOT_GRAMMAR, parse_shot
from godseed.sim.frame import Stage

KEYS = "drag to turn, ctrl-drag to roll, shift-drag to move, scroll to come nearer, q to close"


@click.command("view")
@click.argument("world")
@click.option("--shot", default="town", show_default=True, help=f"One of {SHOT_GRAMMAR}.")
@click.option(
    "--t", "seconds", type=Seconds(), default=4.0, show_default=True, help="Time of what moves."
)
@click.option("--size", type=Size(), default="1280x720", show_default=True, help="Of the window.")
@click.option(
    "--close-after", type=Seconds(), metavar="SECONDS", help="Close the window by itself."
)
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Open a window to walk round a world.

    The shapes are those of pictures, lit and shaded by pyrender; sky and weather are not shown.
    Exit code 3 where there is no display.

    \b
    Examples:
      godseed view world.jsonl
      godseed view genesis --shot world
    """
    out = output(ctx)
    parse_shot(given["shot"])
    require_display()
    loaded = read(given["world"], out)
    world = loaded.world
    width, height = given["size"]
    stage = Stage(world.features)
    frame = stage.frame(round(given["seconds"] * 1000), given["shot"], width / height)
    sun = frame.uniforms["u_sun"]
    if not isinstance(sun, tuple):
        raise Failure(f"view: the sun is {sun!r}; expected a direction; report this")
    out.note(KEYS)
    parts = solids(frame, stage.scene(len(world)))
    title = f"godseed: epoch {world.epoch}"
    open_viewer(parts, frame.pose, sun, (width, height), title, given["close_after"])
    out.document(
        {
            "shown": given["world"],
            "epoch": world.epoch,
            "shot": frame.shot,
            "triangles": sum(len(each.faces) for each in parts),
        }
    )
    return FINE
