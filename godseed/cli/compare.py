"""`godseed compare`: two images through the gates of golden cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from godseed.check.case_file import Gates, gates_of
from godseed.check.compare import I32
from godseed.check.images import Picture, compare_pictures, read_picture, report_of
from godseed.check.report import write_report
from godseed.cli.options import output, output_options, writable
from godseed.cli.output import DIFFERENT, FINE, Failure
from godseed.cli.worlds import read

DEFAULT = Gates()


@click.command("compare")
@click.argument("before", metavar="A.png")
@click.argument("after", metavar="B.png")
@click.option("--exact", is_flag=True, help="No pixel may differ, whoever drew the images.")
@click.option(
    "--per-pixel",
    type=int,
    default=DEFAULT.per_pixel,
    show_default=True,
    help="Difference of a channel that is not counted, of 255.",
)
@click.option(
    "--max-share",
    type=float,
    default=DEFAULT.max_share,
    show_default=True,
    help="Share of pixels that may be over it.",
)
@click.option(
    "--window",
    type=int,
    default=DEFAULT.window,
    show_default=True,
    help="Side of the window that is slid over the image.",
)
@click.option(
    "--window-share",
    type=float,
    default=DEFAULT.window_share,
    show_default=True,
    help="Share of pixels that may be over it in any window.",
)
@click.option(
    "--ids", nargs=2, metavar="A_IDS B_IDS", help="What godseed render --ids wrote for each."
)
@click.option("--world", metavar="WORLD", help="Names the features that drew differing pixels.")
@click.option("--report", metavar="HTML", help="Write a page that shows both.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Compare two images, whoever made them.

    Images that say they were drawn by one rasteriser may not differ in any pixel; others are held
    to the gates. Exit code 1 if they differ more, or in size.

    \b
    Examples:
      godseed compare before.png after.png --report difference.html
      godseed compare photo.jpg scan.png --per-pixel 16 --max-share 0.01
    """
    out = output(ctx)
    page = writable(given["report"], ".html", ".htm") if given["report"] else None
    names = ("per_pixel", "max_share", "window", "window_share")
    gates = gates_of({name: given[name] for name in names})
    before, after = read_picture(Path(given["before"])), read_picture(Path(given["after"]))
    ids: tuple[I32 | None, I32 | None] = (None, None)
    if given["ids"]:
        ids = feature_indices(given["ids"][0], before), feature_indices(given["ids"][1], after)
    features = tuple(read(given["world"], out).world.features) if given["world"] else ()
    found = compare_pictures(before, after, gates, given["exact"], features, ids)
    if page is not None:
        write_report(page, *report_of(before, after, found))
        out.note(f"wrote {page}")
    for line in found.lines:
        out.data(line)
    out.document({"before": str(before.path), "after": str(after.path), **found.to_dict()})
    return FINE if found.passed else DIFFERENT


def feature_indices(path: str, of: Picture) -> I32:
    """What `godseed render --ids` wrote: (h, w) int32, -1 for none.

    Raises:
        GoldenError: it is no image.
        Failure: it is of another size than the image it belongs to.
    """
    picture = read_picture(Path(path))
    if picture.size != of.size:
        (w0, h0), (w1, h1) = picture.size, of.size
        raise Failure(f"{path}: {w0}x{h0}; expected {w1}x{h1} as {of.path}; draw it again")
    wide = picture.pixels.astype(np.int32)
    found: I32 = wide[:, :, 0] + (wide[:, :, 1] << 8) + (wide[:, :, 2] << 16) - 1
    return found
