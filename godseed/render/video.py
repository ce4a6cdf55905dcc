"""Clips: frames streamed to ffmpeg, the same frames giving the same file on every run.

MP4 is H.264 in yuv420p, converted and tagged as BT.709, its index in front. x264 runs on one thread
and without CPU-specific code, as both change the decoded picture. GIF and WebP take a detour over
a lossless intermediate, so that memory stays bounded for any length.

A clip appears under its name only when it is whole: everything lies in a hidden folder beside it
until then. The digest of the raw frames is in its comment.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import numpy as np

from godseed.render.comment import write_comment
from godseed.render.errors import RenderError
from godseed.render.ffmpeg import command, complaint, run
from godseed.render.image import U8

FORMATS = (".mp4", ".gif", ".webp")
COMMENT = "godseed raw-frames sha256:"
PARTS = "encode-"
"""How the names of a writer's folders begin inside a folder that is named to it."""
MAX_FPS = 240
GIF_MAX_FPS = 50
"""GIF counts time in hundredths of a second, and players refuse one of them."""

EXACT = ("-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1")
ONE_THREAD = ("-threads", "1", "-filter_threads", "1")
TO_BT709 = (
    "scale=in_range=pc:out_range=tv:out_color_matrix=bt709"
    ":flags=bicubic+accurate_rnd+full_chroma_int+bitexact,format=yuv420p"
    ",setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709"
)
BT709_TAGS = (
    *("-color_primaries", "bt709", "-color_trc", "bt709"),
    *("-colorspace", "bt709", "-color_range", "tv"),
)
H264 = (
    *("-vf", TO_BT709, "-c:v", "libx264", "-preset", "medium", "-crf", "16"),
    *("-x264-params", "cpu-independent=1", *BT709_TAGS),
)
LOSSLESS = ("-c:v", "utvideo", "-pred", "median", "-pix_fmt", "gbrp")
"""Every frame alone, and four times faster than FFV1 for a third more bytes."""
DITHER = "paletteuse=dither=bayer:bayer_scale=4:diff_mode=none"


@dataclass(frozen=True)
class Clip:
    """A finished clip.

    Attributes:
        path: the file.
        frames: how many it holds.
        digest: SHA-256 of all frames' RGB8 rows from the top down, in order, hexadecimal.
    """

    path: Path
    frames: int
    digest: str


class VideoWriter:
    """Takes frames in order and makes a clip; a context manager that leaves nothing on failure.

    Args:
        path: of the clip; its extension chooses the format.
        size: width, height in pixels; both even for MP4.
        fps: whole frames per second.
        folder: where unfinished parts lie, on the disk of the clip; beside it if None.
    Raises:
        RenderError: the extension, size or rate does not fit, or the folder cannot be written.
        MissingFfmpegError: there is no ffmpeg.
    """

    def __init__(
        self, path: Path, size: tuple[int, int], fps: int, folder: Path | None = None
    ) -> None:
        self.path, self.size, self.fps = path, size, fps
        self.frames = 0
        self.clip: Clip | None = None
        self._digest = hashlib.sha256()
        self._format = require_format(path, size, fps)
        try:
            prefix = PARTS if folder else f".{path.name}."
            self._folder = Path(tempfile.mkdtemp(prefix=prefix, dir=folder or path.parent))
        except OSError as error:
            raise RenderError(
                f"{path}: {error.strerror}; expected a folder that can be written; "
                "choose another path"
            ) from None
        self._log: BinaryIO = (self._folder / "log").open("wb")
        self._process = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def write(self, pixels: U8) -> None:
        """Add a frame.

        Args:
            pixels: (h, w, 3) or (h, w, 4) uint8, rows from the top down; alpha is dropped.
        Raises:
            RenderError: the frame has another size, or ffmpeg gave up.
        """
        width, height = self.size
        if pixels.shape[:2] != (height, width):
            self.abort()
            raise RenderError(
                f"{self.path}: frame {self.frames} is {pixels.shape[1]}x{pixels.shape[0]}; "
                f"expected {width}x{height}; draw all frames at one size"
            )
        raw = np.ascontiguousarray(pixels[:, :, :3]).tobytes()
        self._digest.update(raw)
        try:
            if self._process.stdin is not None:
                self._process.stdin.write(raw)
        except OSError:
            self._fail()
        self.frames += 1

    def close(self) -> Clip:
        """Finish the clip and put it under its name; calling it again gives the same clip.

        Raises:
            RenderError: no frame was written, or ffmpeg gave up.
        """
        if self.clip is not None:
            return self.clip
        if self.frames == 0:
            self.abort()
            raise RenderError(f"{self.path}: no frames; expected at least one; check the range")
        try:
            self._end_input()
            if self._process.wait() != 0:
                self._fail()
            self._log.close()
            os.replace(self._finished(), self.path)
        except OSError as error:
            self.abort()
            raise RenderError(
                f"{self.path}: {error.strerror}; expected a file that can be replaced, and room on "
                "the disk; make room or choose another path"
            ) from None
        except BaseException:
            self.abort()
            raise
        shutil.rmtree(self._folder, ignore_errors=True)
        self.clip = Clip(self.path, self.frames, self._digest.hexdigest())
        return self.clip

    def abort(self) -> None:
        """Stop and remove what was made so far; a clip that was there before stays."""
        self._process.kill()
        self._end_input()
        self._process.wait()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> subprocess.Popen[bytes]:
        width, height = self.size
        source = [
            *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"),
            *("-r", str(self.fps), "-i", "pipe:0", "-an"),
        ]
        coder = H264 if self._format == ".mp4" else LOSSLESS
        arguments = [*source, *coder, *ONE_THREAD, *EXACT, str(self._stream)]
        try:
            whole = [part for part in command(arguments) if part != "-nostdin"]
            return subprocess.Popen(
                whole, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._log
            )
        except BaseException:
            self._log.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    @property
    def _stream(self) -> Path:
        return self._folder / ("stream.mp4" if self._format == ".mp4" else "stream.nut")

    def _finished(self) -> Path:
        """The clip as it is to be, from what was streamed."""
        done = self._folder / f"done{self._format}"
        source, comment = ("-i", str(self._stream)), COMMENT + self._digest.hexdigest()
        if self._format == ".mp4":
            copied = ["-c", "copy", "-movflags", "+faststart", *EXACT]
            last = [*copied, "-metadata", f"comment={comment}"]
            run([*source, *last, str(done)], str(self.path))
        elif self._format == ".gif":
            palette = str(self._folder / "palette.png")
            first = ["-vf", "palettegen=stats_mode=full", "-frames:v", "1", "-update", "1"]
            run([*source, *first, *ONE_THREAD, palette], str(self.path))
            both = [*source, "-i", palette, "-lavfi", DITHER, "-loop", "0"]
            run([*both, *ONE_THREAD, *EXACT, str(done)], str(self.path))
            write_comment(done, comment)
        else:
            coder = ["-c:v", "libwebp_anim", "-quality", "88", "-compression_level", "4"]
            run([*source, *coder, "-loop", "0", *ONE_THREAD, *EXACT, str(done)], str(self.path))
            write_comment(done, comment)
        return done

    def _end_input(self) -> None:
        """Close the pipe; what a dead ffmpeg did not take is reported by its exit code."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def _fail(self) -> None:
        """Report why ffmpeg ended early."""
        self._end_input()
        code = self._process.wait()
        self._log.close()
        log = (self._folder / "log").read_text("utf-8", "replace")
        self.abort()
        raise RenderError(complaint(str(self.path), code, log)) from None


def require_format(path: Path, size: tuple[int, int], fps: int) -> str:
    """The extension, if a clip of that format can have this size and rate.

    Raises:
        RenderError: it cannot; the text says which size or rate can.
    """
    found = path.suffix.lower()
    if found not in FORMATS:
        raise RenderError(
            f"{path}: extension {path.suffix!r}; expected one of {', '.join(FORMATS)}; rename it"
        )
    most = GIF_MAX_FPS if found == ".gif" else MAX_FPS
    if not 1 <= fps <= most:
        raise RenderError(
            f"{path}: {fps} frames per second; expected 1 to {most} for {found}; change the rate"
        )
    width, height = size
    if width < 1 or height < 1:
        raise RenderError(f"{path}: size {width}x{height}; expected 1x1 or more; change it")
    if found == ".mp4" and (width % 2 or height % 2):
        raise RenderError(
            f"{path}: size {width}x{height}; expected even sides, as MP4 halves the colours; "
            f"use {width + width % 2}x{height + height % 2}"
        )
    return found
