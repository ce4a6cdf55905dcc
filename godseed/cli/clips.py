"""One clip for a command: drawn here, range by range, so that a stopped run can go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from godseed.batch.clips import Order, Report, kept_frames, make_clips
from godseed.batch.executor import Workers
from godseed.batch.frames import Look
from godseed.batch.replay import Replay, captions, frame_times, overlay_at
from godseed.cli.output import DIFFERENT, INTERRUPTED, Failure
from godseed.render.video import Clip

__all__ = [
    "Replay",
    "captions",
    "clip_of",
    "frame_times",
    "overlay_at",
    "ranges_folder",
    "stopped",
    "write_clip",
]


def write_clip(
    replay: Replay,
    path: Path,
    size: tuple[int, int],
    samples: int,
    fps: int,
    seconds: float | None,
    overlay: bool,
    on_frame: Callable[[], None],
) -> Clip:
    """Draw a replay into a clip in this process, with captions beside it.

    Raises:
        RenderError: it cannot be drawn or written.
        Failure: it was stopped, or failed; the message says what is kept.
    """
    order = Order(path.name, replay, path, fps, seconds)
    step = _each(on_frame)
    return clip_of(order, Look(size, samples, overlay), Workers(1), step).clips[order.name]


def clip_of(order: Order, look: Look, workers: Workers, on_frames: Callable[[int], None]) -> Report:
    """Make one clip.

    Raises:
        Failure: it was stopped, or failed; the message says what is kept.
    """
    folder = ranges_folder(order.path)
    try:
        with workers:
            report = make_clips([order], look, folder, workers, on_frames)
    except KeyboardInterrupt:
        raise stopped(folder, len(order.times)) from None
    for why in report.failed.values():
        raise Failure(f"{order.path}: {why}", DIFFERENT)
    return report


def ranges_folder(path: Path) -> Path:
    """Where the frames of an unfinished clip lie: a hidden folder beside it."""
    return path.with_name(f".{path.name}.frames")


def stopped(folder: Path, total: int) -> Failure:
    """What is kept after Ctrl-C, and how to go on."""
    kept = kept_frames(folder)
    if not kept:
        return Failure("replay: stopped; nothing was finished, nothing is left", INTERRUPTED)
    return Failure(
        f"replay: stopped; {kept} of {total} frames are kept in {folder}; run the same command to "
        "go on",
        INTERRUPTED,
    )


def _each(on_frame: Callable[[], None]) -> Callable[[int], None]:
    def step(count: int) -> None:
        for _ in range(count):
            on_frame()

    return step
