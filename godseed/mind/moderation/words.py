"""Layer 2: words, phrases and drawings, in every reading of a text.

A *reading* is the text as written, or its skeleton with look-alikes and leetspeak as Latin letters
(`godseed.mind.skeleton`). The lists are data: `godseed/mind/data/wordlist*.toml`.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from godseed.mind import skeleton
from godseed.mind.moderation.verdict import Verdict, refuse

FILES: Final = ("wordlist.toml", "wordlist-languages.toml")
"""The lists, in the folder `godseed/mind/data`; categories are asked in the order of the files."""
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


def check_words(text: str) -> Verdict | None:
    """The refusal of a text that says, or asks to draw, what is listed; None if it does not."""
    for reading in _readings(text):
        cleared = _without_allowed(reading)
        spaced = skeleton.spaced(cleared)
        phrases = dict.fromkeys((spaced, skeleton.closed_up(spaced)))
        joined = skeleton.letters_only(cleared)
        seen = [word for word in skeleton.words(cleared) if word not in _allowed_words()]
        for category in _categories():
            if any(w in joined or w in joined[::-1] or w in cleared for w in category.anywhere):
                return refuse("words", category.name)
            if any(_is_listed(word, category) for word in seen):
                return refuse("words", category.name)
            if any(pattern.search(phrase) for pattern in category.patterns for phrase in phrases):
                return refuse("patterns", category.name)
            if any(pattern.search(joined) for pattern in category.joined):
                return refuse("patterns", category.name)
    return None


def _readings(text: str) -> tuple[str, ...]:
    """What a text may be read as, each once."""
    read = (skeleton.plain(text), skeleton.cyrillic(text), *skeleton.skeletons(text))
    return tuple(dict.fromkeys(read))


@dataclass(frozen=True, slots=True)
class _Category:
    """Compiled lists of one category."""

    name: str
    exact: tuple[str, ...]
    stems: tuple[str, ...]
    words: re.Pattern[str]
    anywhere: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]
    joined: tuple[re.Pattern[str], ...]


def _is_listed(word: str, category: _Category) -> bool:
    """Whether a word is on the list; each `*` in it stands for one hidden letter."""
    if word.startswith("*"):
        word = word.strip("*")  # emphasis, not a hidden letter
    shown = word.replace("*", "")
    if not shown:
        return False
    if category.words.fullmatch(shown) is not None:
        return True
    if shown.endswith("zz") and category.words.fullmatch(shown.rstrip("z")) is not None:
        return True
    if "*" not in word or len(word) < 4 or len(word.replace("*", "")) < 2:
        return False
    masked = re.escape(word).replace(r"\*", r"\w")
    return any(re.fullmatch(masked, entry) for entry in category.exact) or any(
        len(entry) <= len(word)
        and all(hidden in ("*", shown) for hidden, shown in zip(word, entry, strict=False))
        for entry in category.stems
    )


def _without_allowed(text: str) -> str:
    for pattern in _allowed_phrases():
        text = pattern.sub(" ", text)
    return text


@cache
def _lists() -> Mapping[str, Mapping[str, Any]]:
    """All lists of each category, those of later files behind those of earlier ones."""
    folder = files("godseed.mind").joinpath("data")
    merged: dict[str, dict[str, Any]] = {}
    for name in FILES:
        for category, table in tomllib.loads(folder.joinpath(name).read_text("utf-8")).items():
            into = merged.setdefault(category, {})
            for key, value in table.items():
                old = into.get(key)
                glue = " " if isinstance(value, str) else []
                into[key] = value if old is None else old + glue + value
    return merged


@cache
def _categories() -> tuple[_Category, ...]:
    return tuple(_category(name, table) for name, table in _lists().items() if name != "allow")


def _category(name: str, table: Mapping[str, Any]) -> _Category:
    exact, stems = _decoded(table.get("exact", "")), _decoded(table.get("stems", ""))
    return _Category(
        name=name,
        exact=exact,
        stems=stems,
        words=_word_pattern(exact, stems),
        anywhere=_decoded(table.get("anywhere", "")),
        patterns=_compiled(table.get("patterns", ())),
        joined=_compiled(table.get("joined", ())),
    )


def _compiled(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_decode(pattern)) for pattern in patterns)


@cache
def _allowed_words() -> frozenset[str]:
    return frozenset(_decoded(_lists()["allow"]["words"]))


@cache
def _allowed_phrases() -> tuple[re.Pattern[str], ...]:
    phrases = [_decode(phrase).replace(" ", r"[\s-]+") for phrase in _lists()["allow"]["phrases"]]
    words = "|".join(sorted(_allowed_words()))
    return tuple(re.compile(rf"\b(?:{phrase})\b") for phrase in [*phrases, words])


def _word_pattern(exact: Sequence[str], stems: Sequence[str]) -> re.Pattern[str]:
    if not exact and not stems:
        return re.compile(r"(?!)")
    whole = "|".join(_stretched(word) for word in exact)
    begun = "|".join(_stretched(word) for word in stems)
    return re.compile(rf"(?:{whole})|(?:{begun})\w*" if begun else rf"(?:{whole})")


def _stretched(word: str) -> str:
    """A pattern in which each letter may be repeated but never dropped."""
    return "".join(f"{re.escape(char)}+" for char in word)


def _decoded(words: str) -> tuple[str, ...]:
    return tuple(skeleton.plain(_decode(word)) for word in words.split())


def _decode(text: str) -> str:
    plain = codecs.decode(text, "rot13")
    return _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), plain)
