"""`godseed replay`: a clip of a wish, or of a whole log."""

from __future__ import annotations

import time
from typing import Any

import click

from godseed.cli.clips import Replay, captions, frame_times, write_clip
from godseed.cli.options import Seconds, output, output_options, picture_options, writable
from godseed.cli.output import FINE, Failure
from godseed.cli.worlds import log_of, trace_of
from godseed.render.video import FORMATS, require_format


@click.command("replay")
@click.argument("log")
@click.argument("wish_id", required=False)
@click.option("-o", "--output", "path", required=True, metavar="FILE", help="mp4, gif or webp.")
@click.option("--timelapse", "whole", is_flag=True, help="The whole log, wish by wish, quickly.")
@click.option(
    "--fps", type=click.IntRange(1, 240), default=30, show_default=True, help="Frames a second."
)
@picture_options()
@click.option("--seconds", type=Seconds(), help="Length of the clip; the timeline is compressed.")
@click.option(
    "--descend/--no-descend", default=True, show_default=True, help="End with the descent."
)
@click.option(
    "--overlay/--no-overlay",
    default=True,
    show_default=True,
    help="Ticker, counter and epitaph card.",
)
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Replay a wish of a log as a clip.

    The reading, the gaze, what rises, the epitaph, the descent; of the last wish if none is named.
    The same command gives the same frames. WebVTT captions of what the god says are written beside
    the clip, under its name with the ending .vtt.

    \b
    Examples:
      godseed replay world.jsonl w_000005 -o w5.mp4
      godseed replay world.jsonl --timelapse --seconds 20 -o town.mp4
    """
    out = output(ctx)
    if given["seconds"] == 0.0:
        raise Failure("replay.seconds: 0; expected more than 0; give the clip a length")
    if given["whole"] and given["wish_id"] is not None:
        raise Failure(
            f"replay: {given['wish_id']} and --timelapse; expected one of them; leave one out"
        )
    path = writable(given["path"], *FORMATS)
    require_format(path, given["size"], given["fps"])
    loaded = log_of(given["log"], out)
    number, trace = trace_of(loaded, given["wish_id"], given["log"])
    if given["whole"]:
        replay = Replay.of_log(loaded.world, loaded.traces)
    else:
        replay = Replay.of_wish(loaded.world, loaded.traces, number, given["descend"])
    line, fps = replay.timeline, given["fps"]
    frames = len(frame_times(line.total_ms, fps, given["seconds"]))
    begun = time.perf_counter()
    with out.progress("frames", frames) as step:
        clip = write_clip(
            replay,
            path,
            given["size"],
            int(given["samples"]),
            fps,
            given["seconds"],
            given["overlay"],
            step,
        )
    written, length_s = [path], frames / fps
    words = captions(line, length_s / line.total_ms)
    if words:
        written.append(path.with_suffix(".vtt"))
        written[-1].write_text(words, encoding="utf-8")
    took_s = time.perf_counter() - begun
    for name in written:
        out.note(f"wrote {name}")
    out.note(f"{frames} frames, {length_s:.1f} s of clip in {took_s:.1f} s")
    out.data(f"{path} {clip.digest}")
    out.document(
        {
            "written": [str(name) for name in written],
            "wish_id": None if given["whole"] else trace.wish_id,
            "size": list(given["size"]),
            "fps": fps,
            "frames": clip.frames,
            "seconds": length_s,
            "raw_frames_sha256": clip.digest,
        }
    )
    return FINE
