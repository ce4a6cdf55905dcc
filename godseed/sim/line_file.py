"""An append-only file of lines that survives crashes: one writer, one write per line, synced.

A line counts only once the disk has it.

The lock is advisory and lies beside the file (`wishes.jsonl.lock`), with the number of the process
that holds it; the system releases it when that process ends, however it ends.
"""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Final

NEWLINE: Final = b"\n"


class LogError(Exception):
    """Something is wrong with a log; the message says where, what, and what to do."""


class LogLockedError(LogError):
    """Another process is writing to the log."""


class LineFile:
    """The writer's end of a file of lines; holds the lock until it is closed."""

    def __init__(self, path: Path) -> None:
        """Lock a file for writing, making it if there is none.

        Raises:
            LogLockedError: another writer holds it; the message names its process.
            OSError: the system cannot make or open it.
        """
        self.path = path
        self._lock = _acquire(path)
        try:
            made = not path.exists()
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            if made:
                _sync_folder(path.parent)
        except OSError:
            os.close(self._lock)
            raise

    def __enter__(self) -> LineFile:
        """Use as a context manager; leaving closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    def append(self, line: bytes) -> None:
        """Add one line in one write and wait until the disk has it.

        On failure the file is cut back to what it was.

        Args:
            line: without its newline.
        Raises:
            ValueError: it contains a newline.
            OSError: the disk is full or failing.
        """
        if NEWLINE in line:
            raise ValueError("line_file.append: a newline inside a line; expected one line")
        size = os.fstat(self._fd).st_size
        mended = size > 0 and os.pread(self._fd, 1, size - 1) != NEWLINE
        data = (NEWLINE if mended else b"") + line + NEWLINE
        try:
            written = os.write(self._fd, data)
            if written != len(data):
                raise OSError(errno.ENOSPC, f"wrote {written} of {len(data)} bytes", str(self.path))
            os.fsync(self._fd)
        except OSError:
            os.ftruncate(self._fd, size)
            raise

    def set_aside(self, start: int) -> Path:
        """Move everything from byte `start` on to `<name>.torn-<n>`.

        Returns:
            Path of the new file.
        """
        size = os.fstat(self._fd).st_size
        torn = os.pread(self._fd, size - start, start)
        number = 1
        while True:
            aside = self.path.with_name(f"{self.path.name}.torn-{number}")
            try:
                fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
                break
            except FileExistsError:
                number += 1
        try:
            os.write(fd, torn)
            os.fsync(fd)
        finally:
            os.close(fd)
        _sync_folder(self.path.parent)
        os.ftruncate(self._fd, start)
        os.fsync(self._fd)
        return aside

    def close(self) -> None:
        """Release file and lock; closing twice is fine."""
        if self._fd >= 0:
            os.close(self._fd)
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._fd = self._lock = -1


def split_lines(data: bytes) -> tuple[list[bytes], bytes]:
    """Split a file's bytes into whole lines and what follows the last newline."""
    *lines, tail = data.split(NEWLINE)
    return lines, tail


def _acquire(path: Path) -> int:
    beside = path.with_name(path.name + ".lock")
    fd = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(fd)
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        raise LogLockedError(
            f"{path}: process {holder} is writing to it; expected to be the only writer; "
            "stop that process or use another log"
        ) from None
    os.ftruncate(fd, 0)
    os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
    return fd


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
