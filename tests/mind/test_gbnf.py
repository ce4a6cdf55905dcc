"""The GBNF reader: what it refuses, and what it recognises."""

from __future__ import annotations

import pytest

from godseed.mind.gbnf import GrammarError, matches, parse_gbnf, validate_gbnf

REFUSED = {
    "no root": ('start ::= "a"\n', "no rule `root`"),
    "underscore in a name": ('root ::= a_b\na_b ::= "x"\n', "letters, digits and dashes"),
    "underscore in a definition": ('root_x ::= "x"\n', "letters, digits and dashes"),
    "undefined reference": ("root ::= missing\n", "undefined rule 'missing'"),
    "unused rule": ('root ::= "a"\nspare ::= "b"\n', "never used"),
    "defined twice": ('root ::= "a"\nroot ::= "b"\n', "defined twice"),
    "left recursion": ('root ::= root "a" | "b"\n', "left recursion"),
    "left recursion through another": ('root ::= b\nb ::= root "x"\n', "left recursion"),
    "left recursion behind an empty item": ('root ::= "a"? root "b" | "c"\n', "left recursion"),
    "star": ('root ::= "a"*\n', "unbounded"),
    "plus": ('root ::= [ \\t]+ "a"\n', "unbounded"),
    "open repeat": ('root ::= "a"{2,}\n', "unbounded"),
    "repeat above the limit": ('root ::= "a"{0,2001}\n', "<= 2000"),
    "repeat backwards": ('root ::= "a"{3,2}\n', "m <= n"),
    "bad repeat": ('root ::= "a"{x}\n', "not {m}"),
    "open literal": ('root ::= "a\n', "does not end on its line"),
    "open class": ("root ::= [a\n", "does not end on its line"),
    "open group": ('root ::= ("a"\n', "without `\\)`"),
    "backward range": ("root ::= [z-a]\n", "backwards"),
    "unknown escape": ('root ::= "\\q"\n', "unknown escape"),
    "not ascii": ('root ::= "é"\n', "outside ASCII"),
    "no arrow": ('root "a"\n', "expected `::=`"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_validate_refuses(case: str) -> None:
    grammar, reason = REFUSED[case]
    with pytest.raises(GrammarError, match=reason):
        validate_gbnf(grammar)


@pytest.mark.parametrize(
    ("grammar", "accepted", "refused"),
    [
        ('root ::= "ab" | "c"\n', ["ab", "c"], ["a", "abc", ""]),
        ("root ::= [a-c]{2,3}\n", ["ab", "abc"], ["a", "abca", "ad"]),
        ("root ::= [^a\\x00-\\x1F]\n", ["b", "é", "🙂"], ["a", "\n", ""]),
        ('root ::= ("x" | "y")? "z"\n', ["z", "xz", "yz"], ["x", "xyz"]),
        ('root ::= item ("," item){0,2}\nitem ::= [0-9]\n', ["1", "1,2,3"], ["1,", "1,2,3,4"]),
        ('# a comment\nroot ::= "\\"" # another\n', ['"'], ["\\"]),
        ('root ::= (\n  "a" |\n  "b"\n)\n', ["a", "b"], ["ab"]),
        ("root ::= .\n", ["x"], ["", "xy"]),
        ('root ::= "a" root "b" | ""\n', ["", "ab", "aabb"], ["aab", "ba"]),
        ("root ::= [a-]\n", ["a", "-"], ["b"]),
    ],
)
def test_matches_recognises(grammar: str, accepted: list[str], refused: list[str]) -> None:
    for text in accepted:
        assert matches(grammar, text), text
    for text in refused:
        assert not matches(grammar, text), text


def test_nested_repeats_take_no_exponential_time() -> None:
    rules = parse_gbnf('root ::= (("a"){0,40}){0,40} "b"\n')
    assert not matches(rules, "a" * 200)
