"""What code points are drawn as in their neighbourhood: joined letters, forms, direction.

Arabic letters take the form of their place in the word; letters of South and Southeast Asia join
by the table of forms in `glyph_pages.json`; lines that run from right to left are ordered by the
rules W, N1, N2, I and L of the Unicode bidirectional algorithm (UAX 9), without embeddings.

Twin: web/sim/scripts.js
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from godseed.sim.glyph_pages import tables

PLAIN, LEFT, UNDER, OVER_NEXT, HALF = 0, 1, 2, 3, 4
"""Roles of a unit: LEFT goes before its syllable, UNDER is a mark, OVER_NEXT a mark that waits for
the end of its syllable, HALF a letter that the next one leans on."""
FIRST_COMPLEX = 0x590
"""No code point below it joins, or runs from right to left."""
FIRST_FORM = 0x900
"""No code point below it has a form with the next one, but for Arabic."""
LONGEST_FORM = 4
PRIVATE = (0xE000, 0xF8FF)
"""Code points of forms in the atlas; in a text they mean nothing and are drawn as REPLACEMENT."""
REPLACEMENT = 0xFFFD
TATWEEL, ZWJ = 0x640, 0x200D


@dataclass(frozen=True)
class Unit:
    """Code points position .. position + count - 1 drawn as one.

    Attributes:
        code: what is drawn, a code point of the atlas; in LEFT what goes before.
        role: PLAIN, LEFT, UNDER, OVER_NEXT or HALF.
        after: LEFT: what is drawn behind the syllable too, 0 for nothing.
    """

    position: int
    count: int
    code: int
    role: int = PLAIN
    after: int = 0


def units(codes: Sequence[int]) -> list[Unit]:
    """What a line of code points is drawn as, in its order."""
    if not codes or max(codes) < FIRST_COMPLEX:
        return [Unit(i, 1, code) for i, code in enumerate(codes)]
    found = []
    position = 0
    while position < len(codes):
        unit = _form(codes, position) or _joined(codes, position)
        if unit is None:
            left = _table("left").get(str(codes[position]))
            private = PRIVATE[0] <= codes[position] <= PRIVATE[1]
            unit = Unit(position, 1, REPLACEMENT if private else codes[position])
            if left is not None:
                unit = Unit(position, 1, left[0], LEFT, left[1])
        found.append(unit)
        position += unit.count
    return found


def levels(codes: Sequence[int], level: int = -1) -> list[int]:
    """Embedding level of every code point; odd ones run from right to left.

    Args:
        codes: one line.
        level: of the paragraph, 0 or 1; -1 takes that of its first strong character.
    """
    kinds = [direction(code) for code in codes]
    base = paragraph_level(codes) if level < 0 else level
    if base == 0 and not any(kind in ("R", "AL", "AN") for kind in kinds):
        return [0] * len(codes)
    outer = "R" if base else "L"
    resolved = _neutrals(_weak(kinds, outer), outer)
    found = [_level(kind, base) for kind in resolved]
    trailing = len(codes)
    while trailing > 0 and kinds[trailing - 1] in ("WS", "B", "S", "BN"):
        trailing -= 1
        found[trailing] = base
    return found


def paragraph_level(codes: Sequence[int]) -> int:
    """1 if the first strong character runs from right to left, else 0."""
    for code in codes:
        kind = direction(code)
        if kind in ("L", "R", "AL"):
            return 0 if kind == "L" else 1
    return 0


def visual_order(found: Sequence[int]) -> list[int]:
    """Positions from left to right, given the levels from first to last (rule L2)."""
    order = list(range(len(found)))
    for level in range(max(found, default=0), 0, -1):
        start = 0
        while start < len(order):
            end = start
            while end < len(order) and found[order[end]] >= level:
                end += 1
            order[start:end] = order[start:end][::-1]
            start = max(end, start + 1)
    return order


def mirrored(code: int) -> int:
    """What a code point is drawn as where text runs from right to left."""
    return int(_table("mirror").get(str(code), code))


def forms_of(code: int) -> Sequence[int]:
    """The forms of an Arabic letter, 0 where it has none; of other characters nothing."""
    row: Sequence[int] = _table("joining").get(str(code), ())
    return row


@cache
def direction(code: int) -> str:
    """Bidirectional class of a code point."""
    if code > 0xFFFF:
        return "ON"
    for name, ranges in _table("bidi").items():
        if within(code, ranges):
            return str(name)
    return "L"


def within(code: int, ranges: Sequence[Sequence[int]]) -> bool:
    """Whether a code point lies in one of some [first, last] ranges, which ascend."""
    low, high = 0, len(ranges)
    while low < high:
        middle = (low + high) // 2
        if ranges[middle][1] < code:
            low = middle + 1
        else:
            high = middle
    return low < len(ranges) and ranges[low][0] <= code


@cache
def _table(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = tables()[name]
    return found


@cache
def _listed(name: str) -> frozenset[int]:
    return frozenset(tables()[name])


def _form(codes: Sequence[int], position: int) -> Unit | None:
    """The longest form that begins here."""
    forms = tables()["forms"]
    if codes[position] < FIRST_FORM:
        return None
    last = codes[position + 2] if position + 2 < len(codes) else 0
    over = " ".join(map(str, codes[position : position + 2]))
    if over in tables()["over_next"] and last >= FIRST_COMPLEX and last != ZWJ:
        return Unit(position, 2, tables()["over_next"][over], OVER_NEXT)
    for count in range(min(LONGEST_FORM, len(codes) - position), 1, -1):
        key = " ".join(map(str, codes[position : position + count]))
        if key in forms:
            role = UNDER if codes[position] in _listed("joiners") else PLAIN
            if codes[position + count - 1] in _listed("joiners"):
                # A letter that can go under this one leaves it whole.
                if f"{codes[position + count - 1]} {last}" in forms and count == 2:
                    return None
                role = HALF
            return Unit(position, count, forms[key], role)
    return None


def _joined(codes: Sequence[int], position: int) -> Unit | None:
    """An Arabic letter in the form of its place, or the ligature that begins here."""
    code = codes[position]
    row = forms_of(code)
    if not row:
        return None
    before = _joins_on(codes, position) and row[1] > 0
    pair = _table("joining").get(" ".join(map(str, codes[position : position + 2])))
    if position + 1 < len(codes) and pair is not None and pair[1 if before else 0]:
        return Unit(position, 2, pair[1 if before else 0])
    after = row[2] > 0 and _takes(codes, position)
    form = row[(3 if after else 1) if before else (2 if after else 0)]
    return Unit(position, 1, form or code)


def _joins_on(codes: Sequence[int], position: int) -> bool:
    """Whether what precedes reaches out to this letter."""
    at = position - 1
    while at >= 0 and within(codes[at], tables()["marks"]):
        at -= 1
    if at < 0:
        return False
    row = forms_of(codes[at])
    return codes[at] in (TATWEEL, ZWJ) or (len(row) > 2 and row[2] > 0)


def _takes(codes: Sequence[int], position: int) -> bool:
    """Whether what follows joins on to this letter."""
    at = position + 1
    while at < len(codes) and within(codes[at], tables()["marks"]):
        at += 1
    if at == len(codes):
        return False
    row = forms_of(codes[at])
    return codes[at] in (TATWEEL, ZWJ) or (len(row) > 1 and row[1] > 0)


def _weak(kinds: Sequence[str], outer: str) -> list[str]:
    """Rules W1 to W7."""
    found: list[str] = []
    strong = before = outer
    for kind in kinds:
        now = before if kind == "NSM" else kind
        before = now
        if now in ("L", "R", "AL"):
            strong = now
        if now == "EN" and strong == "AL":
            now = "AN"
        found.append("R" if now == "AL" else now)
    for i in range(1, len(found) - 1):
        around = found[i - 1]
        single = found[i] == "CS" or (found[i] == "ES" and around == "EN")
        if single and around == found[i + 1] and around in ("EN", "AN"):
            found[i] = around
    i = 0
    while i < len(found):
        end = i
        while end < len(found) and found[end] in ("ET", "BN"):
            end += 1
        beside = (i > 0 and found[i - 1] == "EN") or (end < len(found) and found[end] == "EN")
        if beside:
            found[i:end] = ["EN"] * (end - i)
        i = max(end, i + 1)
    strong = outer
    for i, kind in enumerate(found):
        if kind in ("ES", "ET", "CS"):
            found[i] = "ON"
        elif kind in ("L", "R"):
            strong = kind
        elif kind == "EN" and strong == "L":
            found[i] = "L"
    return found


def _neutrals(kinds: list[str], outer: str) -> list[str]:
    """Rules N1 and N2."""
    i = 0
    while i < len(kinds):
        end = i
        while end < len(kinds) and kinds[end] in ("B", "S", "WS", "ON", "BN"):
            end += 1
        before = _side(kinds[i - 1]) if i > 0 else outer
        after = _side(kinds[end]) if end < len(kinds) else outer
        kinds[i:end] = [before if before == after else outer] * (end - i)
        i = max(end, i + 1)
    return kinds


def _side(kind: str) -> str:
    return "L" if kind == "L" else "R"


def _level(kind: str, base: int) -> int:
    """Rules I1 and I2."""
    if base == 0:
        return {"L": 0, "R": 1}.get(kind, 2)
    return 1 if kind == "R" else 2
