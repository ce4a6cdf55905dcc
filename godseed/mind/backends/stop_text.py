"""Bytes of tokens as text that may be shown: whole characters, and nothing of a stop string."""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class StopText:
    """Decodes a generation piece by piece and ends it at the first stop string.

    Attributes:
        text: what was generated, the stop string and all behind it left out.
        raw: the same with what the last piece held of them.
        stopped: whether a stop string came.
    """

    def __init__(self, stop: Sequence[str]) -> None:
        """Args: stop: strings that end the text; empty ones are ignored."""
        self._stop = [end for end in stop if end]
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._shown = 0
        self.text = ""
        self.raw = ""
        self.stopped = False

    def feed(self, piece: bytes | str) -> str:
        """Take the next piece; return the text that may be shown now, often empty."""
        more = self._decoder.decode(piece) if isinstance(piece, bytes) else piece
        self.raw += more
        if self.stopped:
            return ""
        self.text += more
        # What was shown cannot be part of a stop string: its beginnings are held back.
        starts = [self.text.find(end, self._shown) for end in self._stop]
        found = [start for start in starts if start >= 0]
        if found:
            self.text = self.text[: min(found)]
            self.stopped = True
        return self._show(0 if self.stopped else self._held())

    def finish(self) -> str:
        """The rest, once no more pieces come."""
        more = self._decoder.decode(b"", final=True)
        self.raw += more
        if not self.stopped:
            self.text += more
        return self._show(0)

    def _held(self) -> int:
        """How many characters at the end may be the beginning of a stop string."""
        longest = 0
        for end in self._stop:
            for length in range(min(len(end) - 1, len(self.text)), longest, -1):
                if self.text.endswith(end[:length]):
                    longest = length
                    break
        return longest

    def _show(self, held: int) -> str:
        end = max(self._shown, len(self.text) - held)
        new = self.text[self._shown : end]
        self._shown = end
        return new
