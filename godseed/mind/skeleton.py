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
_MARKED = "\u0900-\u0963\u0966-\u0dff\u0e00-\u0eff"
"""Scripts whose vowel signs are no letters to `re`, without their full stops."""
_WORD = re.compile(rf"[\w{_MARKED}]+")
_PIECE = re.compile(rf"[\w*{_MARKED}]+")
_LETTER_RUN = re.compile(r"(?<!\S)\w(?: \w)+(?!\S)")
_CAPITALS = str.maketrans("ΖΗΜΝΡΥΧ", "ZHMNPYX")
"""Greek capitals that look like other Latin letters than their small forms do."""
_SPELLED = ("\u0900", "\u0eff")
"""Indic scripts, Thai and Lao: there, marks are vowels, and a word without them is another."""
_STRETCHERS = "\u0640\u093c\u09bc"
"""The Arabic tatweel, which only draws a word out, and the dots of borrowed sounds in Indic."""
_CYRILLIC = str.maketrans("abcehikmnoprtuxy03416@$", "авсенікмпоргтихуозчибас")
"""Latin letters, digits and signs as what they pass for in a Cyrillic word."""
_LIKE_I, _LIKE_L = re.compile(r"(?<=[A-Z])l(?=[A-Z])"), re.compile(r"(?<=[a-z])I+(?=[a-z]|\b)")
_LEET_WORD = re.compile(r"[\w@$€+!|(<*]+")
_COMMON_SHORT = frozenset(
    "a i o an as at am be by do go he if in is it me my no of oh on or so to up us we".split()
)


def plain(text: str) -> str:
    """NFKC, case-folded, marks and invisible characters removed."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in folded if not _is_dropped(c))


def skeletons(text: str) -> tuple[str, ...]:
    """The text with look-alikes and leetspeak as Latin letters, each reading of `1`, `!` and `|`.

    Separators stay, so that words can still be told apart; `*` stays too (a hidden letter).
    """
    shown = unicodedata.normalize("NFKC", text)
    readings = []
    upright = _LIKE_L.sub(lambda found: "l" * len(found[0]), _LIKE_I.sub("I", shown))
    for variant in dict.fromkeys((shown, shown.translate(_CAPITALS), upright)):
        letters = "".join(_latin(char) for char in plain(variant))
        readings += [_unleet(letters, bar, tail) for bar in "il" for tail in (False, True)]
    return tuple(dict.fromkeys(readings))


def cyrillic(text: str) -> str:
    """The plain text, with Latin letters and leetspeak as Cyrillic if it holds Cyrillic at all."""
    shown = plain(text)
    if not any("\u0430" <= char <= "\u045f" for char in shown):
        return shown
    return shown.translate(_CYRILLIC)


def words(text: str) -> Iterator[str]:
    """Every word that a reader could see in a text: as written, joined over separators
    inside a chunk (`f.o.o`), and joined over runs of very short pieces (`f o o`, `fo o`)."""
    for chunk in text.split():
        pieces = _PIECE.findall(chunk)
        yield from pieces
        if len(pieces) > 1:
            yield "".join(pieces)
        if "_" in chunk:
            yield from chunk.split("_")
            yield "".join(pieces).replace("_", "")
    yield from _joined_runs(_WORD.findall(text.replace("_", " ")))


def letters_only(text: str) -> str:
    """The text without anything but letters, their spacing marks, and digits."""
    return "".join(c for c in text if c.isalnum() or unicodedata.category(c) in ("Mc", "Mn"))


def spaced(text: str) -> str:
    """The words of a text separated by single blanks, for phrase patterns."""
    return " ".join(_WORD.findall(text.replace("_", " ")))


def closed_up(words: str) -> str:
    """Words from `spaced`, with letters that stand alone in a row joined: `k i l l them all`."""
    return _LETTER_RUN.sub(lambda found: found[0].replace(" ", ""), words)


def _joined_runs(pieces: Sequence[str]) -> Iterator[str]:
    """Joins of two or more neighbouring pieces of at most two letters each."""
    run: list[str] = []
    for piece in [*pieces, "..."]:
        if len(piece) <= 2:
            run.append(piece)
            continue
        if len(run) > 1 and all(len(part) == 1 for part in run):
            yield from ("".join(run[start:]) + piece for start in range(len(run) - 1))
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


def _is_dropped(char: str) -> bool:
    """Whether a character only decorates the letter before it, or is not seen."""
    if char in _STRETCHERS:
        return True
    category = unicodedata.category(char)
    if category == "Mn" and _SPELLED[0] <= char <= _SPELLED[1]:
        return False
    return category in ("Mn", "Me", "Cf", "Cc")


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
