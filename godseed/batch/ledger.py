"""The ledger of a run: which items are finished, what came out, and which files belong to them.

An append-only file of JSON lines, synced line by line, with one writer. An item is known by its
key alone, see `godseed.batch.keys`. It counts as finished once its line is on disk and for as long
as its files have the digests that the line states; a failed item runs again. What a crash leaves
is harmless: a torn last line is dropped, a file without a line is written anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self

from godseed.batch.errors import BatchError
from godseed.batch.keys import file_digest
from godseed.sim.line_file import LineFile, split_lines

PART = ".part"
"""Ending of a file that is being written."""


@dataclass(frozen=True)
class Row:
    """What is known of one item.

    Attributes:
        key: its content address.
        name: what people call it.
        value: what its work returned, anything that JSON holds.
        files: name relative to the ledger's folder -> SHA-256 of the file.
        error: why it failed, empty if it is finished.
    """

    key: str
    name: str
    value: Any = None
    files: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    def to_line(self) -> bytes:
        """The row as a line of the ledger."""
        found: dict[str, Any] = {"key": self.key, "name": self.name}
        found |= {"error": self.error} if self.error else {"value": self.value}
        if self.files:
            found["files"] = dict(self.files)
        text = json.dumps(found, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "surrogatepass")


class Ledger:
    """The one writer of a ledger; a context manager.

    Attributes:
        path: of the file; what belongs to items lies in its folder.
        notes: what had to be left out of the file, a sentence each.
    """

    def __init__(self, path: str | Path) -> None:
        """Lock and read a ledger, making it and its folder if there is none.

        Raises:
            LogLockedError: another run writes to it; the message names its process.
            OSError: it cannot be read or made.
        """
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = LineFile(self.path)
        self.notes: tuple[str, ...] = ()
        self._lines: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._verified: set[str] = set()
        try:
            self._index()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        """Where the files of items lie."""
        return self.path.parent

    def close(self) -> None:
        """Release the lock; closing twice is fine."""
        self._file.close()

    def finished(self, key: str) -> Row | None:
        """The row of an item if it is finished and its files are whole; their digests are checked
        at the first call."""
        row = self.row(key)
        if row is None or row.error:
            return None
        if key not in self._verified:
            for name, digest in row.files.items():
                file = self.folder / name
                if not file.is_file() or file_digest(file) != digest:
                    return None
            self._verified.add(key)
        return row

    def row(self, key: str) -> Row | None:
        """The latest row of an item, finished or failed."""
        if key not in self._lines:
            return None
        with self.path.open("rb") as file:
            return self._read(file.fileno(), key)

    def rows(self) -> Iterator[Row]:
        """The latest row of every item, in the order they came; read one by one."""
        with self.path.open("rb") as file:
            for key in list(self._lines):
                yield self._read(file.fileno(), key)

    def __len__(self) -> int:
        return len(self._lines)

    def record(self, key: str, name: str, value: Any, files: Mapping[str, bytes]) -> Row:
        """Put a finished item on disk: its files, whole or not at all, then its line.

        Args:
            files: name relative to the ledger's folder -> content.
        Raises:
            ValueError: a name leads out of the folder, or JSON does not hold the value.
            OSError: the disk is full or failing; the item is not finished.
        """
        for inner, data in files.items():
            _write(self._place(inner), data)
        digests = {inner: hashlib.sha256(data).hexdigest() for inner, data in files.items()}
        row = Row(key, name, value, digests)
        self._append(row)
        self._verified.add(key)
        return row

    def record_made(self, key: str, name: str, value: Any, files: Collection[str]) -> Row:
        """Put a finished item on disk whose work has written its files in place itself.

        Raises:
            ValueError, OSError: as `record` says.
        """
        digests = {inner: file_digest(self._place(inner)) for inner in files}
        row = Row(key, name, value, digests)
        self._append(row)
        return row

    def fail(self, key: str, name: str, error: str) -> Row:
        """Note that an item failed; it is not finished and runs again in the next run.

        Raises:
            OSError: the disk is full or failing.
        """
        row = Row(key, name, error=error or "unknown")
        self._append(row)
        self._verified.discard(key)
        return row

    def drop_files(self, keep: Collection[str]) -> int:
        """Delete the files of all items but those with these keys; returns how many went."""
        kept, found = set(keep), 0
        staying = {inner for row in self.rows() if row.key in kept for inner in row.files}
        for row in self.rows():
            for inner in set(row.files) - staying:
                if (self.folder / inner).is_file():
                    (self.folder / inner).unlink()
                    found += 1
            if row.key not in kept:
                self._verified.discard(row.key)
        return found

    def _index(self) -> None:
        """Find where each item's latest line lies; drop a torn end and half-written files."""
        data = self.path.read_bytes()
        lines, tail = split_lines(data)
        if tail:
            self._file.set_aside(len(data) - len(tail)).unlink()
        notes: list[str] = []
        for number, line in enumerate(lines, start=1):
            row = _parsed(line)
            if row is None:
                if line:
                    notes.append(f"{self.path}:{number}: not a row; left out, its item runs again")
            else:
                self._lines.pop(row.key, None)
                self._lines[row.key] = (self._end, len(line))
            self._end += len(line) + 1
        self.notes = tuple(notes)
        for half in self.folder.glob(f".*{PART}"):
            half.unlink(missing_ok=True)

    def _read(self, fd: int, key: str) -> Row:
        start, length = self._lines[key]
        row = _parsed(os.pread(fd, length, start))
        if row is None:
            raise BatchError(
                f"{self.path}: byte {start} is no longer a row; expected that only this run writes "
                "to it; start again"
            )
        return row

    def _append(self, row: Row) -> None:
        line = row.to_line()
        self._file.append(line)
        self._lines.pop(row.key, None)
        self._lines[row.key] = (self._end, len(line))
        self._end += len(line) + 1

    def _place(self, name: str) -> Path:
        pure = PurePosixPath(name)
        if not name or pure.is_absolute() or ".." in pure.parts:
            raise ValueError(
                f"{self.path}: file {name!r}; expected a name inside its folder; change it"
            )
        return self.folder / pure


def _parsed(line: bytes) -> Row | None:
    """A line as a row, None if it is not one."""
    try:
        found = json.loads(line.decode("utf-8", "surrogatepass"))
        key, name = found["key"], found["name"]
        files, error = found.get("files", {}), found.get("error", "")
        value = found.get("value")
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    if not all(isinstance(text, str) for text in (key, name, error)) or not isinstance(files, dict):
        return None
    return Row(key, name, value, files, error)


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}{PART}")
    try:
        with half.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
