"""The mock's plans as data: `data/themes/*.toml`, read and matched to a wish.

A theme is a table of texts and steps.

    name, words      words of a wish that call for it; a trailing `*` matches any ending, `_` is a
                     blank inside a phrase
    air, fallback    it rides along with a place; it stands in when nothing matched
    reading, epitaph, also   variants; `also` is added to the reading of another theme
    steps            each a tool with arguments, `say` (variants of the thought), `at`, `road` or
                     `path` (where, see `mock_scripts.py`), `big` (arguments when the wish asks for
                     very much) and `instead` (arguments after a rejection)

An argument that is a list of two numbers is drawn between them; a list of texts is chosen from.
Texts may hold `{town}`, `{side}` (the compass side of the first place) and `{wish}`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_MINOR = ("quiet",)
_PLACE = re.compile(r"\bthe (?:town|city|village|world)\b")


@dataclass(frozen=True, slots=True)
class Theme:
    """One theme of the mock."""

    name: str
    pattern: re.Pattern[str] | None
    air: bool
    fallback: bool
    reading: Sequence[str]
    epitaph: Sequence[str]
    also: Sequence[str]
    steps: Sequence[Mapping[str, Any]]


@cache
def themes() -> tuple[Theme, ...]:
    """All themes, by file name and then in file order."""
    folder = files("godseed.mind").joinpath("data", "themes")
    texts = sorted((item.name, item.read_text(encoding="utf-8")) for item in folder.iterdir())
    return tuple(_theme(row) for _, text in texts for row in tomllib.loads(text)["theme"])


def matching(wish: str) -> list[Theme]:
    """Themes that a wish calls for: places in order of mention, then what is in the air.

    A theme whose every word is also one of an earlier theme is left out, and so are small ones
    beside others; `the town` is where, not what.
    """
    text = wish.casefold()
    found = _found(_PLACE.sub(" ", text)) or _found(text)
    chosen: list[Theme] = []
    taken: set[int] = set()
    for starts, theme in found:
        if not starts <= taken:
            taken |= starts
            chosen.append(theme)
    major = [theme for theme in chosen if theme.name not in _MINOR]
    return major or chosen


def _found(text: str) -> list[tuple[set[int], Theme]]:
    """Where each theme's words begin in a text, in the order in which themes are chosen."""
    found: list[tuple[set[int], Theme]] = []
    for theme in themes():
        starts = {match.start() for match in theme.pattern.finditer(text)} if theme.pattern else ()
        if starts:
            found.append((set(starts), theme))
    return sorted(found, key=lambda entry: (entry[1].air, min(entry[0])))


def _theme(row: Mapping[str, Any]) -> Theme:
    words = row.get("words", "").split()
    spelled = "|".join(_spelled(word) for word in words)
    return Theme(
        name=row["name"],
        pattern=re.compile(rf"(?<!\w)(?:{spelled})(?!\w)") if words else None,
        air=row.get("air", False),
        fallback=row.get("fallback", False),
        reading=row["reading"],
        epitaph=row["epitaph"],
        also=row["also"],
        steps=row["steps"],
    )


def _spelled(word: str) -> str:
    return re.escape(word).replace(r"\*", r"\w*").replace("_", r"\s+")
