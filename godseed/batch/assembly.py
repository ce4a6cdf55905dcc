"""A clip put together while its frames are drawn: ranges are taken in the order of the frames, as
soon as they are there, and encoded on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from godseed.batch.frames import Range
from godseed.batch.lossless import decode
from godseed.render.video import Clip, VideoWriter


class _Stopped(Exception):
    """The clip is no longer wanted."""


class Assembly:
    """Takes files of ranges in any order and makes a clip of them.

    Args:
        path: of the clip.
        size: width, height in pixels.
        fps: frames per second.
        parts: all ranges, in the order of the frames.
        folder: where unfinished parts may lie.
    """

    def __init__(
        self, path: Path, size: tuple[int, int], fps: int, parts: list[Range], folder: Path
    ) -> None:
        self.path, self.size, self.fps, self.parts = path, size, fps, parts
        self._folder = folder
        self._waiting: dict[int, Path] = {}
        self._next = 0
        self._ready: SimpleQueue[tuple[Path, Range] | None] = SimpleQueue()
        self._writer: VideoWriter | None = None
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._stopped = threading.Event()

    @property
    def complete(self) -> bool:
        """Whether every range is there."""
        return self._next == len(self.parts)

    def add(self, first: int, file: Path) -> None:
        """Take the range that begins with frame `first`.

        Raises:
            RenderError: the clip cannot be begun.
        """
        self._waiting[first] = file
        while not self.complete and self.parts[self._next].first in self._waiting:
            part = self.parts[self._next]
            self._begin()
            self._ready.put((self._waiting.pop(part.first), part))
            self._next += 1

    def finish(self) -> Clip:
        """Wait for the encoder and put the clip under its name.

        Raises:
            RenderError: it could not be encoded; nothing is left of it.
        """
        self._ready.put(None)
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._writer is not None
        return self._writer.close()

    def abort(self) -> None:
        """Stop, and leave a clip that was there before."""
        self._stopped.set()
        self._ready.put(None)
        if self._writer is not None:
            self._writer.abort()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join()

    def _begin(self) -> None:
        if self._writer is None:
            self._writer = VideoWriter(self.path, self.size, self.fps, self._folder)
            self._thread = threading.Thread(target=self._encode, args=(self._writer,), daemon=True)
            self._thread.start()

    def _encode(self, writer: VideoWriter) -> None:
        take: Callable[[], tuple[Path, Range] | None] = self._ready.get
        try:
            for file, part in iter(take, None):
                for frame in decode(file, self.size, part.count):
                    if self._stopped.is_set():
                        raise _Stopped
                    writer.write(frame)
        except BaseException as error:
            self._error = error
            if not self._stopped.is_set():
                writer.abort()
