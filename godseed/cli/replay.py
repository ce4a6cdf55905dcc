"""`godseed replay`: a clip of a wish, of every wish, or of a whole log."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from godseed.batch.clips import Order, Report, make_clips
from godseed.batch.executor import Workers
from godseed.batch.frames import Look, ranges
from godseed.batch.ledger import Ledger
from godseed.batch.replay import Replay, frame_times
from godseed.cli.clips import clip_of, ranges_folder, stopped
from godseed.cli.options import (
    Seconds,
    output,
    output_options,
    picture_options,
    workers_of,
    workers_options,
    writable,
)
from godseed.cli.output import DIFFERENT, FINE, Failure, Output
from godseed.cli.worlds import log_of, trace_of
from godseed.render.context import context
from godseed.render.ffmpeg import executable
from godseed.render.video import FORMATS, Clip, require_format
from godseed.sim.timeline import timeline
from godseed.sim.trace import LoadedLog

RECORD = ".clips.jsonl"
"""The ledger of a folder of clips."""


@click.command("replay")
@click.argument("log")
@click.argument("wish_id", required=False)
@click.option(
    "-o",
    "--output",
    "path",
    required=True,
    metavar="FILE",
    help="mp4, gif or webp; with --all a folder.",
)
@click.option("--all", "every", is_flag=True, help="Every wish, each as a clip of its own.")
@click.option("--timelapse", "whole", is_flag=True, help="The whole log, wish by wish, quickly.")
@click.option(
    "--format",
    "ending",
    type=click.Choice([ending[1:] for ending in FORMATS]),
    default="mp4",
    show_default=True,
    help="Of the clips of --all.",
)
@click.option(
    "--fps", type=click.IntRange(1, 240), default=30, show_default=True, help="Frames a second."
)
@picture_options()
@click.option("--seconds", type=Seconds(), help="Length of a clip; the timeline is compressed.")
@click.option(
    "--descend/--no-descend", default=True, show_default=True, help="End with the descent."
)
@click.option(
    "--overlay/--no-overlay",
    default=True,
    show_default=True,
    help="Ticker, counter and epitaph card.",
)
@workers_options
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Replay a wish of a log as a clip.

    The reading, the gaze, what rises, the epitaph, the descent; of the last wish if none is named.
    WebVTT captions of what the god says are written beside the clip, under its name with the ending
    .vtt.

    The same command gives the same frames, on any number of workers. What a stopped or killed run
    has drawn is kept in a hidden folder beside the clip, and the same command goes on from there.
    With --all, clips that are finished and unchanged are left alone.

    \b
    Examples:
      godseed replay world.jsonl w_000005 -o w5.mp4
      godseed replay world.jsonl --timelapse --seconds 20 -o town.mp4
      godseed replay world.jsonl --all -o clips --scheduler tcp://host:8786
    """
    out = output(ctx)
    if given["seconds"] == 0.0:
        raise Failure("replay.seconds: 0; expected more than 0; give the clip a length")
    asked = [
        name
        for name, there in (
            (given["wish_id"], given["wish_id"] is not None),
            ("--all", given["every"]),
            ("--timelapse", given["whole"]),
        )
        if there
    ]
    if len(asked) > 1:
        raise Failure(f"replay: {' and '.join(asked)}; expected one of them; leave one out")
    if given["every"]:
        return _every(given, out)
    return _one(given, out)


def _one(given: dict[str, Any], out: Output) -> int:
    """A wish, or the whole log, as one clip."""
    path = writable(given["path"], *FORMATS)
    require_format(path, given["size"], given["fps"])
    loaded = log_of(given["log"], out)
    number, trace = trace_of(loaded, given["wish_id"], given["log"])
    if given["whole"]:
        replay = Replay.of_log(loaded.world, loaded.traces)
    else:
        replay = Replay.of_wish(loaded.world, loaded.traces, number, given["descend"])
    order = Order(trace.wish_id, replay, path, given["fps"], given["seconds"])
    frames, begun = len(order.times), time.perf_counter()
    workers = workers_of(given, most=len(ranges(frames, given["size"])))
    require_tools(workers)
    with out.progress("frames", frames) as step:
        report = clip_of(order, _look(given), workers, step.many)
    clip = report.clips[order.name]
    row = _row(order.name, clip, given)
    for name in row["written"]:
        out.note(f"wrote {name}")
    drawn = _drawn(report, time.perf_counter() - begun)
    out.note(f"{frames} frames, {row['seconds']:.1f} s of clip; {drawn}")
    out.data(f"{path} {clip.digest}")
    row |= {"wish_id": None if given["whole"] else trace.wish_id}
    out.document({**row, "frames_drawn": report.drawn, "frames_kept": report.kept})
    return FINE


def _every(given: dict[str, Any], out: Output) -> int:
    """Every wish of a log as a clip in a folder."""
    folder, loaded = Path(given["path"]), log_of(given["log"], out)
    if folder.exists() and not folder.is_dir():
        raise Failure(f"{folder}: a file; expected a folder for --all; choose another path")
    trace_of(loaded, None, given["log"])
    require_format(Path(f"w.{given['ending']}"), given["size"], given["fps"])
    workers = workers_of(given)
    require_tools(workers)
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(
        len(frame_times(timeline(trace, given["descend"]).total_ms, given["fps"], given["seconds"]))
        for trace in loaded.traces
    )
    begun, parts = time.perf_counter(), ranges_folder(folder / "all")
    try:
        with workers, Ledger(folder / RECORD) as record, out.progress("frames", total) as step:
            orders = _orders(loaded, folder, given)
            report = make_clips(orders, _look(given), parts, workers, step.many, record)
    except KeyboardInterrupt:
        raise stopped(parts, total) from None
    took_s = time.perf_counter() - begun
    rows = [_row(name, clip, given) for name, clip in sorted(report.clips.items())]
    for row in rows:
        out.data(f"{row['written'][0]} {row['raw_frames_sha256']}")
    for name, why in report.failed.items():
        out.data(f"failed {name}: {why}")
    before = len(report.finished_before)
    out.note(f"{len(rows)} clips, {before} of them finished before; {_drawn(report, took_s)}")
    out.document(
        {
            "clips": rows,
            "failed": report.failed,
            "finished_before": report.finished_before,
            "frames_drawn": report.drawn,
            "frames_kept": report.kept,
        }
    )
    return DIFFERENT if report.failed else FINE


def require_tools(workers: Workers) -> None:
    """Without what draws and encodes, say so before there is a folder.

    Raises:
        MissingError: ffmpeg is missing, or OpenGL where this machine draws.
    """
    executable()
    if workers.scheduler is None:
        context()


def _orders(loaded: LoadedLog, folder: Path, given: dict[str, Any]) -> Iterator[Order]:
    """A clip per wish."""
    for number, trace in enumerate(loaded.traces):
        replay = Replay.of_wish(loaded.world, loaded.traces, number, given["descend"])
        path = folder / f"{trace.wish_id}.{given['ending']}"
        yield Order(trace.wish_id, replay, path, given["fps"], given["seconds"])


def _look(given: dict[str, Any]) -> Look:
    return Look(given["size"], int(given["samples"]), given["overlay"])


def _row(name: str, clip: Clip, given: dict[str, Any]) -> dict[str, Any]:
    """A clip for the JSON document."""
    words = clip.path.with_suffix(".vtt")
    return {
        "written": [str(file) for file in (clip.path, words) if file.is_file()],
        "wish_id": name,
        "size": list(given["size"]),
        "fps": given["fps"],
        "frames": clip.frames,
        "seconds": clip.frames / given["fps"],
        "raw_frames_sha256": clip.digest,
    }


def _drawn(report: Report, took_s: float) -> str:
    kept = f", {report.kept} were drawn before" if report.kept else ""
    return f"{report.drawn} frames drawn{kept}, {took_s:.1f} s"
