"""Arrays that grow at the end and share storage with their shorter selves.

Twin: web/sim/growing.js
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


class Growing:
    """An immutable view of the first rows of a shared array; `append` gives a longer one.

    Appending to the longest view writes behind it in place (amortised O(rows added)); appending to
    a shorter one copies, so no view ever sees another's rows.
    """

    __slots__ = ("_length", "_store")

    def __init__(self, store: _Store, length: int) -> None:
        self._store = store
        self._length = length

    @staticmethod
    def of(rows: npt.NDArray[Any]) -> Growing:
        """Start from existing rows (n, ...)."""
        return Growing(_Store(rows, len(rows)), len(rows))

    @property
    def view(self) -> npt.NDArray[Any]:
        """The rows, read-only."""
        rows = self._store.data[: self._length]
        rows.flags.writeable = False
        return rows

    def __len__(self) -> int:
        return self._length

    def append(self, rows: npt.NDArray[Any]) -> Growing:
        """A view that is longer by `rows` (k, ...); this one stays as it is."""
        store, length = self._store, self._length + len(rows)
        if store.used != self._length or length > len(store.data):
            data = np.empty((max(2 * length, 16), *store.data.shape[1:]), store.data.dtype)
            data[: self._length] = store.data[: self._length]
            store = _Store(data, self._length)
        store.data[self._length : length] = rows
        store.used = length
        return Growing(store, length)

    def changed(self, where: npt.NDArray[np.int64], rows: npt.NDArray[Any]) -> Growing:
        """A copy with room to grow in which some rows (k,) are others; this one stays as it is."""
        data = np.empty_like(self._store.data)
        data[: self._length] = self._store.data[: self._length]
        data[where] = rows
        return Growing(_Store(data, self._length), self._length)


class _Store:
    """Capacity and how much of it is taken."""

    __slots__ = ("data", "used")

    def __init__(self, data: npt.NDArray[Any], used: int) -> None:
        self.data = data
        self.used = used
