"""`godseed render`: one still."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from godseed.cli.options import Seconds, output, output_options, picture_options, writable
from godseed.cli.output import FINE, Failure
from godseed.cli.worlds import read, save_still, still
from godseed.render.image import U8, write_png
from godseed.render.overlay import OverlayState
from godseed.render.renderer import NOTHING, Renderer
from godseed.sim.camera import SHOT_GRAMMAR, parse_shot
from godseed.sim.feature import feature_id
from godseed.sim.frame import Stage


@click.command("render")
@click.argument("world")
@click.option("-o", "--output", "path", required=True, metavar="PNG", help="Picture to write.")
@click.option("--shot", default="town", show_default=True, help=f"One of {SHOT_GRAMMAR}.")
@click.option(
    "--t", "seconds", type=Seconds(), default=4.0, show_default=True, help="Time of the frame."
)
@picture_options()
@click.option("--overlay", is_flag=True, help="Draw wordmark, last wish and epoch over it.")
@click.option("--ids", metavar="PNG", help="Also write which feature each pixel shows.")
@click.option("--depth", metavar="NPY", help="Also write each pixel's distance.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Render one still of a world.

    The PNG's text chunks hold the digests of world, geometry and pixels. A pixel of --ids is the
    feature's number + 1 as red + 256 green + 65536 blue, 0 for none. --depth is a NumPy array of
    float32 distances in planet radii, infinite where there is only sky.

    \b
    Examples:
      godseed render genesis --shot world -o genesis.png
      godseed render world.jsonl --shot gaze:f_000010 --size 1920x1080 -o gaze.png
    """
    out = output(ctx)
    path = writable(given["path"], ".png")
    ids_path = writable(given["ids"], ".png") if given["ids"] else None
    depth_path = writable(given["depth"], ".npy") if given["depth"] else None
    if ids_path and ids_path.resolve() == path.resolve():
        raise Failure(f"{ids_path}: named by -o and by --ids; expected two files; change one")
    parse_shot(given["shot"])
    loaded = read(given["world"], out)
    world, stage = loaded.world, Stage(loaded.world.features)
    overlay = None
    if given["overlay"]:
        wish = loaded.traces[-1].text if loaded.traces else ""
        overlay = OverlayState(given["size"], wish, epoch=world.epoch, granted=world.epoch)
    renderer = Renderer(given["size"], int(given["samples"]))
    frame, image = still(stage, given["shot"], round(given["seconds"] * 1000), renderer, overlay)
    caption = save_still(path, world, stage, frame, image, renderer.fingerprint.key)
    written, shown = [path], None
    if ids_path:
        ids = renderer.ids(frame)
        write_png(ids_path, id_colors(ids))
        shown = pixels_per_feature(ids)
        written.append(ids_path)
    if depth_path:
        _save_array(depth_path, renderer.depth(frame))
        written.append(depth_path)
    for name in written:
        out.note(f"wrote {name}")
    out.data(f"{path} {image.digest}")
    out.document(
        {
            "written": [str(name) for name in written],
            "size": list(given["size"]),
            "samples": int(given["samples"]),
            "shot": caption.shot,
            "time_ms": caption.time_ms,
            "world": caption.world,
            "geometry": caption.geometry,
            "pixels": image.digest,
            "fingerprint": caption.fingerprint,
            **({"pixels_per_feature": shown} if shown is not None else {}),
        }
    )
    return FINE


def id_colors(ids: npt.NDArray[np.int32]) -> U8:
    """Feature indices (h, w) as RGBA8: index + 1, lowest byte in red; 0 is none."""
    number = ids.astype(np.int64) + 1
    parts = [number & 255, (number >> 8) & 255, (number >> 16) & 255, np.full_like(number, 255)]
    return np.stack(parts, axis=-1).astype(np.uint8)


def pixels_per_feature(ids: npt.NDArray[np.int32]) -> dict[str, int]:
    """How many pixels show each feature, in feature order; ground and sky are left out."""
    counts = Counter(ids[ids != NOTHING].tolist())
    return {feature_id(index): counts[index] for index in sorted(counts)}


def _save_array(path: Path, values: npt.NDArray[np.float32]) -> None:
    """Write a .npy file under exactly this name: `np.save` would add an ending to D.NPY."""
    with path.open("wb") as stream:
        np.save(stream, values)
