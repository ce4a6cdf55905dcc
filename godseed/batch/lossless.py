"""Frames as a lossless stream: what workers send back, and what a run that is resumed reads.

Ut Video in NUT: every frame stands alone, and decoding gives the same bytes that went in.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from godseed.render.errors import RenderError
from godseed.render.ffmpeg import command, complaint
from godseed.render.image import U8
from godseed.render.video import EXACT, LOSSLESS

RAW = ("-f", "rawvideo", "-pix_fmt", "rgb24")
QUIET = ("-v", "error")


def encode(frames: Iterable[U8], size: tuple[int, int], what: str) -> bytes:
    """Frames as one stream.

    Args:
        frames: (h, w, 3) or (h, w, 4) uint8, rows from the top down; alpha is dropped.
        size: width, height in pixels.
        what: names the stream in errors.
    Raises:
        RenderError: ffmpeg gave up.
    """
    width, height = size
    source = [*RAW, "-s", f"{width}x{height}", "-r", "25", "-i", "pipe:0", "-an"]
    call = command([*QUIET, *source, *LOSSLESS, "-threads", "1", *EXACT, "-f", "nut", "pipe:1"])
    with TemporaryFile() as out, TemporaryFile() as log:  # nameless, so nothing can be left
        process = subprocess.Popen(
            [part for part in call if part != "-nostdin"],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=log,
        )
        try:
            with suppress(BrokenPipeError), process:
                assert process.stdin is not None
                for frame in frames:
                    process.stdin.write(np.ascontiguousarray(frame[:, :, :3]).data)
        finally:
            process.kill()
        out.seek(0)
        log.seek(0)
        if process.returncode != 0:
            said = log.read().decode("utf-8", "replace")
            raise RenderError(complaint(what, process.returncode, said))
        return out.read()


def decode(path: Path, size: tuple[int, int], count: int) -> Iterator[U8]:
    """Read the frames of a stream one by one.

    Args:
        size: width, height in pixels.
        count: how many frames there are.
    Yields:
        (h, w, 3) uint8, rows from the top down; read-only.
    Raises:
        RenderError: there are fewer frames, or ffmpeg gave up.
    """
    width, height = size
    call = command([*QUIET, "-threads", "1", "-i", str(path), *RAW, "pipe:1"])
    process = subprocess.Popen(
        call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    try:
        for number in range(count):
            raw = process.stdout.read(width * height * 3)
            if len(raw) != width * height * 3:
                raise RenderError(
                    f"{path}: {number} frames; expected {count} of {width}x{height}; delete it and "
                    "run the same command again"
                )
            yield np.frombuffer(raw, np.uint8).reshape(height, width, 3)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()
