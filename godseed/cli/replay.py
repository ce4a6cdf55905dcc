"""`godseed replay`: a clip of a wish, or of a whole log."""

from __future__ import annotations

from typing import Any

import click

from godseed.cli.clips import Replay, captions, frame_times, write_clip
from godseed.cli.options import Seconds, output, output_options, picture_options, writable
from godseed.cli.output import FINE, Failure
from godseed.cli.worlds import log_of, trace_of
from godseed.render.video import FORMATS, require_format
from godseed.sim.frame import Stage
from godseed.sim.timeline import timelapse, timeline


@click.command("replay")
@click.argument("log")
@click.argument("wish_id", required=False)
@click.option("-o", "--output", "path", required=True, metavar="FILE", help="mp4, gif or webp.")
@click.option("--timelapse", "whole", is_flag=True, help="The whole log, wish by wish, quickly.")
@click.option("--fps", type=click.IntRange(1, 240), default=30, show_default=True)
@picture_options()
@click.option("--seconds", type=Seconds(), help="Length of the clip; the timeline is compressed.")
@click.option("--descend/--no-descend", default=True, help="End with the descent.")
@click.option("--overlay/--no-overlay", default=True, help="Ticker, counter and epitaph card.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Replay a wish of a log: the reading, the gaze, what rises, the epitaph, the descent.

    The last wish if none is named. The same command gives the same frames; WebVTT captions of the
    thoughts are written beside the clip.

    \b
    Examples:
      godseed replay world.jsonl w_000005 -o w5.mp4
      godseed replay world.jsonl --timelapse --seconds 20 -o town.mp4
    """
    out = output(ctx)
    if given["seconds"] is not None and given["seconds"] <= 0.0:
        raise Failure("replay.seconds: 0; expected more than 0; give the clip a length")
    path = writable(given["path"], *FORMATS)
    require_format(path, given["size"], given["fps"])
    loaded = log_of(given["log"], out)
    number, trace = trace_of(loaded, given["wish_id"], given["log"])
    if given["whole"]:
        line, world = timelapse(loaded.traces), loaded.world
    else:
        line, world = timeline(trace, given["descend"]), loaded.world.at(number + 1)
    replay = Replay(
        Stage(world.features, line), line, "" if given["whole"] else trace.text, number + 1
    )
    frames = len(frame_times(line.total_ms, given["fps"], given["seconds"]))
    with out.progress("frames", frames) as step:
        clip = write_clip(
            replay,
            path,
            given["size"],
            int(given["samples"]),
            given["fps"],
            given["seconds"],
            given["overlay"],
            step,
        )
    subtitles = path.with_suffix(".vtt")
    length_s = frames / given["fps"]
    subtitles.write_text(captions(line, length_s / line.total_ms), encoding="utf-8")
    out.note(f"wrote {path} and {subtitles}: {frames} frames, {length_s:.1f} s")
    out.data(f"{path} {clip.digest}")
    out.document(
        {
            "written": [str(path), str(subtitles)],
            "frames": clip.frames,
            "fps": given["fps"],
            "seconds": length_s,
            "raw_frames_sha256": clip.digest,
            "wish_id": None if given["whole"] else trace.wish_id,
        }
    )
    return FINE
