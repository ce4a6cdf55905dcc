"""What visitors see of a text while it is still being written.

A model streams `{"thought":"The sea firs` in pieces that may split anywhere, even inside an escape.
Visitors should see the words at once, never the braces, and never a word that moderation declines.
"""

from __future__ import annotations

import re

from godseed.mind.moderation import screen

_OPENING = re.compile(r'\s*\{\s*"thought"\s*:\s*"')
_OPENING_MAX = 64
_HELD_MAX = 24
_ESCAPES = {"n": " ", "t": " ", "r": " ", "b": "", "f": " "}


class ThoughtStream:
    """Incremental decoder of the `thought` string of one turn."""

    def __init__(self, limit: int) -> None:
        """Args: limit: characters after which nothing more is shown."""
        self._pending = ""
        self._left = limit
        self._inside = False
        self._closed = False

    def feed(self, piece: str) -> str:
        """Take the next piece of raw output; return the new visible text, often empty."""
        if self._closed:
            return ""
        self._pending += piece
        if not self._inside:
            opening = _OPENING.match(self._pending)
            if opening is None:
                self._closed = len(self._pending) > _OPENING_MAX
                return ""
            self._inside = True
            self._pending = self._pending[opening.end() :]
        shown = self._decode()[: self._left]
        self._left -= len(shown)
        self._closed = self._closed or self._left <= 0
        return shown

    def _decode(self) -> str:
        """Decode what is complete; an unfinished escape stays pending."""
        chars: list[str] = []
        text, at = self._pending, 0
        while at < len(text):
            char = text[at]
            if char == '"':
                self._closed = True
                break
            if char != "\\":
                chars.append(char if char.isprintable() else " ")
                at += 1
                continue
            length = 6 if text[at + 1 : at + 2] == "u" else 2
            if at + length > len(text):
                break
            chars.append(_unescape(text[at : at + length]))
            at += length
        self._pending = text[at:]
        return "".join(chars)


class ScreenedStream:
    """Holds back the word being written, and falls silent at one that moderation declines."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._said = ""
        self._held = ""
        self._silent = False

    def feed(self, piece: str) -> str:
        """Take more text; return the whole words that may be shown now, often empty."""
        self._held += "".join(char if char.isprintable() else " " for char in piece)
        whole, blank, rest = self._held.rpartition(" ")
        if len(rest) > _HELD_MAX:
            whole, rest = self._held, ""
        self._held = rest
        return self._shown(whole + blank)

    def finish(self) -> str:
        """The last word, if it may be shown."""
        rest, self._held = self._held, ""
        return self._shown(rest)

    def _shown(self, text: str) -> str:
        if text and not self._silent:
            self._said += text
            self._silent = not screen(self._said).allowed
        return "" if self._silent else text


def _unescape(escape: str) -> str:
    if escape[1] != "u":
        return _ESCAPES.get(escape[1], escape[1])
    try:
        char = chr(int(escape[2:], 16))
    except ValueError:
        return ""
    return char if char.isprintable() else ""
