"""Moderation before execution: length and characters, then words, phrases and drawings.

Default deny: an error inside this module is a refusal too. Layer 3, the model's own judgement, is
not built yet, and every verdict says so (`judge: "absent"`, `policy: "lexical"`).
"""

from __future__ import annotations

import codecs
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from godseed.mind import skeleton

WISH_MAX = 140
Layer = Literal["length", "characters", "words", "patterns", "passed", "error"]
_JOINERS = "\u200d\ufe0f\ufe0e"
_REFUSED_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")
_DECLINED = "The god declines this wish."
_REASONS = {
    "slur": f"{_DECLINED} No stone here will carry such a word.",
    "sexual": f"{_DECLINED} Its hands make hills and lamps, nothing else.",
    "hate": f"{_DECLINED} No ground here will take that shape.",
    "harm": f"{_DECLINED} If it is heavy where you are, speak to someone close by tonight.",
    "error": f"{_DECLINED} It could not be heard clearly.",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What moderation decided.

    Attributes:
        allowed: whether the wish may be granted.
        layer: the layer that decided, "passed" when none objected.
        category: None, or form, slur, sexual, hate, harm, error.
        reason: what the visitor reads; empty when allowed.
        judge: the model's judgement; "absent" until a backend offers one.
        policy: what decides while the judge is absent.
    """

    allowed: bool
    layer: Layer
    category: str | None = None
    reason: str = ""
    judge: str = "absent"
    policy: str = "lexical"

    def record(self) -> dict[str, Any]:
        """The `moderation` field of a trace."""
        return {
            "allowed": self.allowed,
            "category": self.category,
            "layer": self.layer,
            "judge": self.judge,
            "policy": self.policy,
        }


def moderate(text: str) -> Verdict:
    """Judge a wish; never raises.

    Args:
        text: as typed; at most 140 characters after NFKC and stripping.
    """
    try:
        return _form(text) or _content(text)
    except Exception:
        return _refuse("error", "error")


def screen(text: str) -> Verdict:
    """Judge a text that a model wrote: words, phrases and drawings, without the form rules."""
    try:
        return _content(text)
    except Exception:
        return _refuse("error", "error")


@dataclass(frozen=True, slots=True)
class _Category:
    """Compiled lists of one category."""

    name: str
    exact: tuple[str, ...]
    stems: tuple[str, ...]
    words: re.Pattern[str]
    anywhere: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]


def _form(text: str) -> Verdict | None:
    """Layer 1: something, not too much, and nothing invisible."""
    shown = unicodedata.normalize("NFKC", text).strip()
    if not any(unicodedata.category(char)[0] in "LNS" for char in shown):
        return Verdict(False, "length", "form", f"{_DECLINED} There is no word in it.")
    if len(shown) > WISH_MAX:
        reason = f"{_DECLINED} It hears {WISH_MAX} characters; this is {len(shown)}."
        return Verdict(False, "length", "form", reason)
    for char in text.strip():
        if char not in _JOINERS and unicodedata.category(char) in _REFUSED_CATEGORIES:
            reason = f"{_DECLINED} It holds a mark that cannot be read (U+{ord(char):04X})."
            return Verdict(False, "characters", "form", reason)
    return None


def _content(text: str) -> Verdict:
    """Layer 2, on every reading of the text."""
    readings = dict.fromkeys((skeleton.plain(text), *skeleton.skeletons(text)))
    for reading in readings:
        cleared = _without_allowed(reading)
        spaced = skeleton.spaced(cleared)
        joined = skeleton.letters_only(cleared)
        seen = [word for word in skeleton.words(cleared) if word not in _allowed_words()]
        for category in _categories():
            if any(w in joined or w in joined[::-1] or w in cleared for w in category.anywhere):
                return _refuse("words", category.name)
            if any(_is_listed(word, category) for word in seen):
                return _refuse("words", category.name)
            if any(pattern.search(spaced) for pattern in category.patterns):
                return _refuse("patterns", category.name)
    return Verdict(True, "passed")


def _is_listed(word: str, category: _Category) -> bool:
    """Whether a word is on the list; each `*` in it stands for one hidden letter."""
    if category.words.fullmatch(word.replace("*", "")) is not None:
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


def _refuse(layer: Layer, category: str) -> Verdict:
    return Verdict(False, layer, category, _REASONS[category])


@cache
def _lists() -> Mapping[str, Mapping[str, Any]]:
    source = files("godseed.mind").joinpath("data", "wordlist.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def _categories() -> tuple[_Category, ...]:
    return tuple(_category(name, table) for name, table in _lists().items() if name != "allow")


def _category(name: str, table: Mapping[str, Any]) -> _Category:
    exact, stems = _decoded(table["exact"]), _decoded(table["stems"])
    return _Category(
        name=name,
        exact=exact,
        stems=stems,
        words=_word_pattern(exact, stems),
        anywhere=_decoded(table["anywhere"]),
        patterns=tuple(re.compile(_decode(pattern)) for pattern in table["patterns"]),
    )


@cache
def _allowed_words() -> frozenset[str]:
    return frozenset(_decoded(_lists()["allow"]["words"]))


@cache
def _allowed_phrases() -> tuple[re.Pattern[str], ...]:
    phrases = [_decode(phrase).replace(" ", r"[\s-]+") for phrase in _lists()["allow"]["phrases"]]
    words = "|".join(sorted(_allowed_words()))
    return tuple(re.compile(rf"\b(?:{phrase})\b") for phrase in [*phrases, words])


def _word_pattern(exact: Sequence[str], stems: Sequence[str]) -> re.Pattern[str]:
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
