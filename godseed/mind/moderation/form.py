"""Layer 1: something, not too much, and nothing that cannot be seen."""

from __future__ import annotations

import unicodedata
from typing import Final

from godseed.mind.moderation.verdict import DECLINED, Verdict

WISH_MAX: Final = 140
"""Characters of a wish after NFKC and stripping."""
_EMOJI_JOINERS: Final = "\u200d\ufe0f\ufe0e"
_LETTER_JOINERS: Final = "\u200c\u200d"
_JOINED_SCRIPTS: Final = ("ARABIC", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA")
_JOINED_SCRIPTS_MORE: Final = ("TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "MONGOLIAN")
_REFUSED_CATEGORIES: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def check_form(text: str) -> Verdict | None:
    """The refusal of a text that has no word, is too long, or hides a mark; None if it is fine.

    Persian and Indic scripts spell with invisible joiners; there, and only there, they pass.
    """
    shown = unicodedata.normalize("NFKC", text).strip()
    if not any(unicodedata.category(char)[0] in "LNS" for char in shown):
        return Verdict(False, "length", "form", f"{DECLINED} There is no word in it.")
    if len(shown) > WISH_MAX:
        reason = f"{DECLINED} It hears {WISH_MAX} characters; this is {len(shown)}."
        return Verdict(False, "length", "form", reason)
    stripped = text.strip()
    for place, char in enumerate(stripped):
        if char in _EMOJI_JOINERS or unicodedata.category(char) not in _REFUSED_CATEGORIES:
            continue
        if char in _LETTER_JOINERS and _joins(stripped[:place], stripped[place + 1 :]):
            continue
        reason = f"{DECLINED} It holds a mark that cannot be read (U+{ord(char):04X})."
        return Verdict(False, "characters", "form", reason)
    return None


def _joins(before: str, after: str) -> bool:
    """Whether a joiner stands between two letters of a script that is spelled with it."""
    scripts = _JOINED_SCRIPTS + _JOINED_SCRIPTS_MORE
    return all(unicodedata.name(char, "").startswith(scripts) for char in (before[-1:], after[:1]))
