"""Where lines of text end: at spaces, after hyphens, and between letters of scripts without spaces.

Twin: web/sim/line_breaks.js
"""

from __future__ import annotations

from godseed.sim.glyph_pages import tables
from godseed.sim.glyphs import JOINED, LETTER, SPACE
from godseed.sim.scripts import within
from godseed.sim.shaping import Shape

BALANCE_STEPS = 7
"""Halvings in the search for the narrowest block."""
UNBREAKABLE = frozenset((0xA0, 0x2007, 0x202F))
"""Spaces at which a line never breaks."""
LINE_ENDS = frozenset((0x0A, 0x0B, 0x0C, 0x85, 0x2028, 0x2029))
"""Always end a line in `wrap`."""
BREAK_AFTER = frozenset((0x2D, 0x2010, 0x2012, 0x2013, 0x2014))
"""Hyphens and dashes: a line may break after them."""


def broken(line: Shape, limit: float) -> tuple[list[tuple[int, int]], int]:
    """Greedy lines as (first, end) code points, and how many words were cut."""
    lines: list[tuple[int, int]] = []
    cuts = 0
    first = _next_word(line, 0)
    while first < len(line.codes):
        end, following, cut = _one_line(line, first, limit)
        while end > first and _breakable(line, end - 1):
            end -= 1
        lines.append((first, end))
        cuts += cut
        first = _next_word(line, following)
    return lines, cuts


def balanced(line: Shape, limit: float) -> list[tuple[int, int]]:
    """The narrowest block with as many lines and cuts as the greedy one."""
    best, cuts = broken(line, limit)
    narrow, wide = limit * 0.5, limit
    for _ in range(BALANCE_STEPS if len(best) > 1 else 0):
        middle = (narrow + wide) * 0.5
        lines, more = broken(line, middle)
        if len(lines) == len(best) and more == cuts:
            best, wide = lines, middle
        else:
            narrow = middle
    return best


def string(line: Shape, first: int, end: int) -> str:
    """The text of the code points first..end-1."""
    return "".join(chr(code) for code in line.codes[first:end])


def _next_word(line: Shape, position: int) -> int:
    while position < len(line.codes) and _breakable(line, position):
        position += 1
    return position


def _breakable(line: Shape, position: int) -> bool:
    return line.kinds[position] == SPACE and line.codes[position] not in UNBREAKABLE


def _one_line(line: Shape, first: int, limit: float) -> tuple[int, int, int]:
    """End of the line that starts at `first`, where the next one starts, and 1 if a word is cut."""
    good = -1
    held = False
    for position in range(first, len(line.codes)):
        if line.codes[position] in LINE_ENDS:
            return position, position + 1, 0
        if _breakable(line, position):
            good = position
            continue
        if line.kinds[position] not in (SPACE, LETTER):
            good = position + 1 if good == position else good
            continue
        if held and _may_break(line, position):
            good = position
        end = line.ends[_last_of(line, position)]
        if held and end - line.letter_spacing_em - line.starts[first] > limit:
            return (good, good, 0) if good >= 0 else (position, position, 1)
        if line.codes[position] in BREAK_AFTER and held:
            good = position + 1
        held = True
    return len(line.codes), len(line.codes), 0


def _last_of(line: Shape, position: int) -> int:
    """Position of the last code point that is joined to a letter."""
    while position + 1 < len(line.kinds) and line.kinds[position + 1] not in (SPACE, LETTER):
        position += 1
    return position


def _may_break(line: Shape, position: int) -> bool:
    """Whether a line may end before a letter without a space there."""
    rules = tables()
    if line.codes[position] < rules["breaking"][0][0] and line.codes[position - 1] < 0x2E80:
        return False
    before = position - 1
    while before > 0 and line.kinds[before] not in (SPACE, LETTER, JOINED):
        before -= 1
    last, code = line.codes[before], line.codes[position]
    loose = within(last, rules["breaking"]) or within(code, rules["breaking"])
    return loose and last not in rules["no_end"] and code not in rules["no_start"]
