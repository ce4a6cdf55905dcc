"""Where commands get worlds, logs and pictures from."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from godseed.cli.output import Failure, Output
from godseed.render.image import Caption, Image, write_png
from godseed.render.overlay import OverlayState, build_overlay
from godseed.render.renderer import Renderer
from godseed.sim.digest import geometry_digest
from godseed.sim.feature import wish_id as format_wish_id
from godseed.sim.frame import Frame, Stage
from godseed.sim.trace import (
    LoadedLog,
    LoadReport,
    TraceError,
    WishTrace,
    load,
    read_world,
)
from godseed.sim.world import World

PIPED = "standard input"
"""How errors and notes call what came through `-`."""


def read(source: str, out: Output, salvage: bool = False) -> LoadedLog:
    """What a WORLD argument names: a log with its traces, or a world that has none.

    Args:
        source: `genesis`, a log, a feature list, or `-` for either on standard input.
        salvage: skip and list bad lines of a log.
    Raises:
        TraceError: it cannot be read.
    """
    if source.endswith(".jsonl"):
        return log_of(source, out, salvage)
    if source == "-":
        data = sys.stdin.buffer.read()
        return _piped(data, _is_log(data), out, salvage)
    return LoadedLog(read_world(source, salvage), (), LoadReport())


def log_of(source: str, out: Output, salvage: bool = False) -> LoadedLog:
    """A log with its traces, from a file or standard input; what reading had to mend is noted.

    Raises:
        TraceError: it cannot be read.
    """
    if source == "-":
        return _piped(sys.stdin.buffer.read(), True, out, salvage)
    loaded = load(Path(source), salvage)
    for note in (*loaded.report.notes, *loaded.report.skipped):
        out.note(f"note: {note}")
    return loaded


def trace_of(loaded: LoadedLog, wish: str | None, source: str) -> tuple[int, WishTrace]:
    """Number and trace of a wish; the last one if none is named.

    Raises:
        Failure: the log is empty or has no such wish.
    """
    if not loaded.traces:
        raise Failure(f"{source}: no wish in this log; expected one; grant a wish first")
    if wish is None:
        return len(loaded.traces) - 1, loaded.traces[-1]
    plain = wish.isascii() and wish.isdecimal() and len(wish) < 10
    name = format_wish_id(int(wish)) if plain else wish
    for number, trace in enumerate(loaded.traces):
        if trace.wish_id == name:
            return number, trace
    first, last = loaded.traces[0].wish_id, loaded.traces[-1].wish_id
    raise Failure(
        f"{source}: no wish {wish!r}; expected one of {len(loaded.traces)}, {first} to {last}; "
        "list them with 'godseed inspect'"
    )


def still(
    stage: Stage, shot: str, time_ms: int, renderer: Renderer, overlay: OverlayState | None = None
) -> tuple[Frame, Image]:
    """One picture of a stage.

    Raises:
        ShotError: the shot does not parse or fit.
        RenderError: it cannot be drawn.
    """
    width, height = renderer.size
    frame = stage.frame(time_ms, shot, width / height)
    return frame, renderer.draw(frame, build_overlay(overlay) if overlay else None)


def save_still(
    path: Path, world: World, stage: Stage, frame: Frame, image: Image, key: str
) -> Caption:
    """Write a picture with what it shows in its text chunks.

    Args:
        key: of the rasteriser's fingerprint.
    """
    caption = Caption(
        world=world.digest,
        geometry=geometry_digest(stage.scene(len(world))).total,
        fingerprint=key,
        shot=frame.shot,
        time_ms=frame.time_ms,
    )
    write_png(path, image.pixels, caption)
    return caption


def _piped(data: bytes, is_log: bool, out: Output, salvage: bool) -> LoadedLog:
    """Read standard input as the file that it might have been."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, PIPED)
        path.write_bytes(data)
        try:
            if not is_log:
                return LoadedLog(read_world(path), (), LoadReport())
            loaded = load(path, salvage)
        except TraceError as error:
            raise TraceError(str(error).replace(str(path), PIPED)) from None
    for note in loaded.report.skipped:
        out.note(f"note: {note.replace(str(path), PIPED)}")
    if loaded.report.torn:
        out.note(f"note: {PIPED}: a torn last line was left out")
    return loaded


def _is_log(data: bytes) -> bool:
    """Whether the first line is a whole JSON object with the text of a wish."""
    try:
        first = json.loads(data.split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "wish_id" in first and "text" in first
