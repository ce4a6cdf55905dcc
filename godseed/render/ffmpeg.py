"""Running the ffmpeg that comes with imageio-ffmpeg, and asking it what a clip holds."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from godseed.render.comment import read_comment
from godseed.render.errors import MissingFfmpegError, RenderError

SHOWN_LINES = 6
"""Last lines of ffmpeg's complaint that an error repeats."""


@dataclass(frozen=True)
class Probe:
    """What a clip holds.

    Attributes:
        size: width, height in pixels.
        frames: number of frames, counted by decoding.
        fps: frames per second as the container states it.
        pixel_format: such as `yuv420p(tv, bt709)`.
        comment: its comment, empty if none.
        codec: such as `h264`.
        duration_s: as the container states it, seconds; 0 if it does not.
        faststart: whether the index of an MP4 lies before its pictures, so that it plays while it
            loads; False for other containers.
    """

    size: tuple[int, int]
    frames: int
    fps: Fraction
    pixel_format: str
    comment: str
    codec: str
    duration_s: float
    faststart: bool


@cache
def executable() -> str:
    """Path of the ffmpeg that comes with imageio-ffmpeg.

    Raises:
        MissingFfmpegError: it is not there.
    """
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise MissingFfmpegError(
            f"render.video: {error}; expected the ffmpeg of imageio-ffmpeg; "
            "run 'pip install --force-reinstall imageio-ffmpeg'"
        ) from None


@cache
def version() -> str:
    """First line of what ffmpeg says about itself; encoded bytes depend on it.

    Raises:
        MissingFfmpegError: it is not there.
    """
    done = subprocess.run([executable(), "-version"], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace").partition("\n")[0].strip()


def run(arguments: Sequence[str], what: str) -> str:
    """Run ffmpeg to its end and give what it wrote on standard error.

    Args:
        arguments: after the executable and its quiet flags.
        what: names the clip in errors.
    Raises:
        RenderError: it failed; the text repeats its last lines.
    """
    done = subprocess.run(
        command(arguments), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    log = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0:
        raise RenderError(complaint(what, done.returncode, log))
    return log


def command(arguments: Sequence[str]) -> list[str]:
    """The command line of an ffmpeg call that asks nothing and shows no banner."""
    return [executable(), "-hide_banner", "-nostdin", "-y", *arguments]


def complaint(what: str, code: int, log: str) -> str:
    """The text of an error after ffmpeg failed."""
    lines = [line.strip() for line in log.splitlines() if line.strip()][-SHOWN_LINES:]
    return (
        f"{what}: ffmpeg ended with code {code}; expected 0; it said: "
        f"{' | '.join(lines) or 'nothing'}"
    )


def probe(path: Path) -> Probe:
    """Decode a clip and tell what it holds.

    Raises:
        RenderError: it is missing, or not a clip.
    """
    if not path.is_file():
        raise RenderError(f"{path}: no such file; expected a clip; check the path")
    log = run(["-i", str(path), "-map", "0:v:0", "-f", "null", "-"], str(path))
    stream = re.search(r"Stream #0:0.*?: Video: [^\n]*", log)
    size = re.search(r", (\d+)x(\d+)", stream[0]) if stream else None
    frames = re.findall(r"frame=\s*(\d+)", log)
    if stream is None or size is None or not frames:
        raise RenderError(f"{path}: no video stream; expected a clip; make it again")
    rate = re.search(r"([\d.]+) fps", stream[0])
    form = re.search(r"Video: [^,]*(?:\([^)]*\))?, (\w+(?:\([^)]*\))?)", stream[0])
    codec = re.search(r"Video: (\w+)", stream[0])
    said = re.search(r"Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)", log)
    comment = re.search(r"^\s*comment\s*:\s*(.*)$", log, re.MULTILINE)
    return Probe(
        (int(size[1]), int(size[2])),
        int(frames[-1]),
        Fraction(rate[1]) if rate else Fraction(0),
        form[1] if form else "",
        read_comment(path) or (comment[1].strip() if comment else ""),
        codec[1] if codec else "",
        int(said[1]) * 3600 + int(said[2]) * 60 + float(said[3]) if said else 0.0,
        "moov" in _boxes(path),
    )


def _boxes(path: Path) -> list[str]:
    """Names of an MP4's outermost boxes that come before its pictures; empty for other files."""
    names: list[str] = []
    with path.open("rb") as file:
        while len(head := file.read(8)) == 8:
            size, name = struct.unpack(">I4s", head)
            if name == b"mdat" or size < 8 or (not names and name != b"ftyp"):
                break
            names.append(name.decode("latin-1"))
            file.seek(size - 8, 1)
    return names
