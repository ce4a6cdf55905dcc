"""`godseed render`: one still."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from godseed.cli.options import Seconds, output, output_options, picture_options, writable
from godseed.cli.output import FINE
from godseed.cli.worlds import save_still, still, world_of
from godseed.render.image import write_png
from godseed.render.overlay import OverlayState
from godseed.render.renderer import Renderer
from godseed.sim.camera import SHOT_GRAMMAR
from godseed.sim.frame import Stage


@click.command("render")
@click.argument("world")
@click.option("-o", "--output", "path", required=True, metavar="PNG", help="Picture to write.")
@click.option("--shot", default="town", show_default=True, help=f"One of {SHOT_GRAMMAR}.")
@click.option("--t", "seconds", type=Seconds(), default=4.0, show_default=True, help="Time.")
@picture_options()
@click.option("--overlay", is_flag=True, help="Draw wordmark and epoch counter over it.")
@click.option("--ids", metavar="PNG", help="Also write which feature each pixel shows.")
@click.option("--depth", metavar="NPY", help="Also write each pixel's distance.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Render one still of a world; its digests are in the PNG's text chunks.

    \b
    Examples:
      godseed render genesis --shot world -o genesis.png
      godseed render world.jsonl --shot gaze:f_000010 --size 1920x1080 -o gaze.png
    """
    out = output(ctx)
    path = writable(given["path"], ".png")
    ids_path = writable(given["ids"], ".png") if given["ids"] else None
    depth_path = writable(given["depth"], ".npy") if given["depth"] else None
    world = world_of(given["world"], out)
    renderer = Renderer(given["size"], int(given["samples"]))
    stage = Stage(world.features)
    overlay = None
    if given["overlay"]:
        overlay = OverlayState(size=given["size"], epoch=world.epoch, granted=world.epoch)
    frame, image = still(stage, given["shot"], round(given["seconds"] * 1000), renderer, overlay)
    caption = save_still(path, world, stage, frame, image, renderer.fingerprint.key)
    written = [str(path)]
    if ids_path:
        write_png(ids_path, id_colors(renderer.ids(frame)))
        written.append(str(ids_path))
    if depth_path:
        np.save(depth_path, renderer.depth(frame))
        written.append(str(depth_path))
    for name in written:
        out.note(f"wrote {name}")
    out.data(f"{path} {image.digest}")
    out.document(
        {
            "written": written,
            "pixels": image.digest,
            "world": caption.world,
            "geometry": caption.geometry,
            "fingerprint": caption.fingerprint,
            "shot": caption.shot,
            "time_ms": caption.time_ms,
        }
    )
    return FINE


def id_colors(ids: np.ndarray) -> np.ndarray:
    """Feature indices (h, w) as RGBA8: index + 1, lowest byte in red; 0 is none."""
    number = ids.astype(np.int64) + 1
    parts = [number & 255, (number >> 8) & 255, (number >> 16) & 255, np.full_like(number, 255)]
    return np.stack(parts, axis=-1).astype(np.uint8)
