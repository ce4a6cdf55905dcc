"""Normalise a text so that disguised spellings of a word become the word.

Two readings of a text come out: the *plain* one (NFKC, case-folded, accents removed, its own script
kept) and the *skeleton* one (look-alike letters and leetspeak mapped to Latin). Words are compared
in both, because a Cyrillic word and a Latin word in Cyrillic letters need different treatment.

Source: the idea of a confusable skeleton is that of Unicode UTS 39; the tables are ours.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

_LEET = {"0": "o", "3": "e", "4": "a", "5": "s", "6": "g", "7": "t", "8": "b", "9": "g", "2": "z"}
_LEET |= {"@": "a", "$": "s", "€": "e", "+": "t", "(": "c", "<": "c"}
_BARS = "1!|"
_LATIN_NAME = re.compile(
    r"(?:LATIN (?:SMALL |CAPITAL )?LETTER|LATIN LETTER SMALL CAPITAL|SYMBOL LETTER)"
    r"(?: (?:SCRIPT|TURNED|REVERSED|OPEN|LONG|DOTLESS|INSULAR|CLOSED|STIRRUP|SMALL|CAPITAL))*"
    r" ([A-Z])(?: WITH .*)?$"
)
_WORD = re.compile(r"\w+")
_LEET_WORD = re.compile(r"[\w@$€+!|(<*]+")
_COMMON_SHORT = frozenset(
    "a i o an as at am be by do go he if in is it me my no of oh on or so to up us we".split()
)


def plain(text: str) -> str:
    """NFKC, case-folded, marks and invisible characters removed."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in folded if unicodedata.category(c) not in ("Mn", "Me", "Cf", "Cc"))


def skeletons(text: str) -> tuple[str, ...]:
    """The text with look-alikes and leetspeak as Latin letters, each reading of `1`, `!` and `|`.

    Separators stay, so that words can still be told apart; `*` stays too (a hidden letter).
    """
    letters = "".join(_latin(char) for char in plain(text))
    readings = (_unleet(letters, bar, tail) for bar in "il" for tail in (False, True))
    return tuple(dict.fromkeys(readings))


def words(text: str) -> Iterator[str]:
    """Every word that a reader could see in a text: as written, joined over separators
    inside a chunk (`f.o.o`), and joined over runs of very short pieces (`f o o`, `fo o`)."""
    for chunk in text.split():
        pieces = re.findall(r"[\w*]+", chunk)
        yield from pieces
        if len(pieces) > 1:
            yield "".join(pieces)
        if "_" in chunk:
            yield from chunk.split("_")
            yield "".join(pieces).replace("_", "")
    yield from _joined_runs(_WORD.findall(text.replace("_", " ")))


def letters_only(text: str) -> str:
    """The text without anything but letters and digits."""
    return "".join(char for char in text if char.isalnum())


def spaced(text: str) -> str:
    """The words of a text separated by single blanks, for phrase patterns."""
    return " ".join(_WORD.findall(text.replace("_", " ")))


def _joined_runs(pieces: Sequence[str]) -> Iterator[str]:
    """Joins of two or more neighbouring pieces of at most two letters each."""
    run: list[str] = []
    for piece in [*pieces, "..."]:
        if len(piece) <= 2:
            run.append(piece)
            continue
        for start in range(len(run)):
            for end in range(start + 2, len(run) + 1):
                window = run[start:end]
                joined = "".join(window)
                if not all(part in _COMMON_SHORT for part in window):
                    yield joined
                    if not joined.isalpha() and not joined.isdigit():
                        yield from (_letters(joined, bar) for bar in "il")
        run = []


def _unleet(text: str, bar: str, tail: bool) -> str:
    """Map digits and signs inside words that also hold a letter; numbers alone stay numbers.

    Args:
        bar: what `1`, `!` and `|` stand for.
        tail: also at the end of a word, where `!` is usually just an exclamation.
    """

    def word(found: re.Match[str]) -> str:
        chunk = found[0]
        if not any(char.isalpha() for char in chunk):
            return chunk
        body = chunk if tail else chunk.rstrip("!")
        return _letters(body, bar) + chunk[len(body) :]

    return _LEET_WORD.sub(word, text)


def _letters(word: str, bar: str) -> str:
    return "".join(bar if char in _BARS else _LEET.get(char, char) for char in word)


@cache
def _latin(char: str) -> str:
    """The Latin letter that a character is or looks like, or the character itself."""
    if char.isascii():
        return char
    known = _confusables().get(char)
    if known is not None:
        return known
    found = _LATIN_NAME.search(unicodedata.name(char, ""))
    return found[1].lower() if found else char


@cache
def _confusables() -> dict[str, str]:
    source = files("godseed.mind").joinpath("data", "confusables.toml")
    table = tomllib.loads(source.read_text(encoding="utf-8"))
    return {char.casefold(): letter for letter, chars in table.items() for char in chars}
