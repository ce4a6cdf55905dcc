"""A small GBNF reader: parse a grammar, refuse a dangerous one, recognise a text.

llama.cpp's own loader checks little: a rule name with an underscore, an undefined rule or left
recursion ends the process at generation time, and a repeat above 2,000 silently becomes unbounded.
`validate_gbnf` finds all of these before a model sees the grammar. `matches` says whether a text is
a sentence of the grammar, which is how tests prove that every turn of the mock could have been
written by a constrained model.

Source: the GBNF notation of llama.cpp (grammars/README.md), the subset that generators need.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

MAX_REPEAT = 2000
UNBOUNDED = -1
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_ANY_NAME = re.compile(r"[A-Za-z0-9_-]+")
_REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "[": "[", "]": "]"}
_HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}


class Gbnf(str):
    """A grammar text that also knows its JSON schema, for servers that take only that.

    Attributes:
        schema: accepts the objects that the grammar spells, and perhaps more.
    """

    schema: Mapping[str, Any]

    def __new__(cls, text: str, schema: Mapping[str, Any]) -> Gbnf:
        """Args: text: GBNF. schema: JSON Schema of an object."""
        made = super().__new__(cls, text)
        made.schema = schema
        return made


class GrammarError(ValueError):
    """A grammar that must not reach a model; the message names rule and reason."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An exact text."""

    text: str


@dataclass(frozen=True, slots=True)
class CharClass:
    """One character in (or, negated, outside) inclusive code point ranges."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool

    def accepts(self, char: str) -> bool:
        """Whether one character belongs to the class."""
        code = ord(char)
        return any(low <= code <= high for low, high in self.ranges) != self.negated


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of another rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """An item, at least `minimum` and at most `maximum` times (`UNBOUNDED` for no limit)."""

    item: Node
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, each a sequence of items."""

    sequences: tuple[tuple[Node, ...], ...]


Node = Literal | CharClass | Reference | Repeat | Choice
Grammar = Mapping[str, Choice]


def parse_gbnf(text: str) -> Grammar:
    """Read a grammar into rules by name.

    Raises:
        GrammarError: not GBNF, a rule defined twice, or a rule name that llama.cpp cannot take.
    """
    return _Parser(text).grammar()


def validate_gbnf(text: str) -> Grammar:
    """Refuse every grammar that is unsafe or unbounded; return the parsed rules.

    Checked: ASCII, `root` present, names, references, unused rules, left recursion, repeats
    bounded by 2,000, no unbounded repeat (so that no model can run away in white space).

    Raises:
        GrammarError: `grammar.<rule>: what came; what was expected`.
    """
    if not text.isascii():
        raise GrammarError("grammar: a character outside ASCII; write it as an escape")
    grammar = parse_gbnf(text)
    if "root" not in grammar:
        raise GrammarError("grammar: no rule `root`; add one")
    for name, rule in grammar.items():
        for node in _walk(rule):
            if isinstance(node, Reference) and node.name not in grammar:
                raise GrammarError(f"grammar.{name}: undefined rule {node.name!r}; define it")
            if isinstance(node, Repeat):
                _check_repeat(name, node)
    used = reachable(grammar)
    for name in grammar:
        if name not in used:
            raise GrammarError(f"grammar.{name}: never used; remove it")
    _check_left_recursion(grammar)
    return grammar


def reachable(grammar: Grammar) -> frozenset[str]:
    """Names of the rules that a derivation from `root` can use."""
    found = {"root"}
    stack = ["root"]
    while stack:
        for node in _walk(grammar[stack.pop()]):
            if isinstance(node, Reference) and node.name in grammar and node.name not in found:
                found.add(node.name)
                stack.append(node.name)
    return frozenset(found)


def matches(grammar: Grammar | str, text: str) -> bool:
    """Whether `text` as a whole is a sentence of the grammar, starting at `root`."""
    rules = validate_gbnf(grammar) if isinstance(grammar, str) else grammar
    return len(text) in _Matcher(rules, text).ends(rules["root"], 0)


@lru_cache(maxsize=16)
def longest(grammar: str) -> int:
    """Bytes of UTF-8 that the longest sentence of a grammar takes.

    Raises:
        GrammarError: a rule contains itself, or a repeat has no limit; there is no longest.
    """
    rules = validate_gbnf(grammar)
    known: dict[str, int] = {}

    def rule(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise GrammarError(f"grammar.{name}: contains itself; expected a bounded rule")
        if name not in known:
            known[name] = node(rules[name], (*above, name))
        return known[name]

    def node(part: Node, above: tuple[str, ...]) -> int:
        if isinstance(part, Literal):
            return len(part.text.encode())
        if isinstance(part, CharClass):
            highest = (
                0x10FFFF if part.negated else max((high for _, high in part.ranges), default=0)
            )
            return len(chr(highest).encode("utf-8", "surrogatepass"))
        if isinstance(part, Reference):
            return rule(part.name, above)
        if isinstance(part, Repeat):
            return part.maximum * node(part.item, above)
        return max(sum(node(item, above) for item in row) for row in part.sequences)

    return rule("root", ())


class _Parser:
    """Recursive descent over the grammar text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._rule = ""

    def grammar(self) -> Grammar:
        rules: dict[str, Choice] = {}
        self._skip(newlines=True)
        while self._at < len(self._text):
            name = self._name()
            self._rule = name
            if name in rules:
                raise self._error("defined twice; keep one")
            self._skip()
            if not self._text.startswith("::=", self._at):
                raise self._error("expected `::=` after the name")
            self._at += 3
            self._skip(newlines=True)
            rules[name] = self._choice(nested=False)
            self._skip(newlines=True)
        return rules

    def _choice(self, nested: bool) -> Choice:
        sequences = [self._sequence(nested)]
        while self._peek() == "|":
            self._at += 1
            self._skip(newlines=True)
            sequences.append(self._sequence(nested))
        return Choice(tuple(sequences))

    def _sequence(self, nested: bool) -> tuple[Node, ...]:
        items: list[Node] = []
        while (char := self._peek()) and char not in "|)\n":
            items.append(self._repeated(self._item(char)))
            self._skip(newlines=nested)
        return tuple(items)

    def _item(self, char: str) -> Node:
        if char == '"':
            return Literal(self._literal())
        if char == "[":
            return self._char_class()
        if char == ".":
            self._at += 1
            return CharClass((), negated=True)
        if char == "(":
            self._at += 1
            self._skip(newlines=True)
            choice = self._choice(nested=True)
            if self._peek() != ")":
                raise self._error("`(` without `)`")
            self._at += 1
            return choice
        return Reference(self._name())

    def _repeated(self, item: Node) -> Node:
        char = self._peek()
        if char in ("*", "+", "?"):
            self._at += 1
            minimum, maximum = {"*": (0, UNBOUNDED), "+": (1, UNBOUNDED), "?": (0, 1)}[char]
            return Repeat(item, minimum, maximum)
        if char == "{":
            found = _REPEAT.match(self._text, self._at)
            if found is None:
                raise self._error("a repeat that is not {m}, {m,} or {m,n}")
            self._at = found.end()
            minimum = int(found[1])
            maximum = minimum if found[2] is None else int(found[3] or UNBOUNDED)
            return Repeat(item, minimum, maximum)
        return item

    def _literal(self) -> str:
        self._at += 1
        chars: list[str] = []
        while self._peek() != '"':
            chars.append(self._char())
        self._at += 1
        return "".join(chars)

    def _char_class(self) -> CharClass:
        self._at += 1
        negated = self._peek() == "^"
        self._at += int(negated)
        ranges: list[tuple[int, int]] = []
        while self._peek() != "]":
            low = high = ord(self._char())
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high = ord(self._char())
            if high < low:
                raise self._error("a character range that runs backwards")
            ranges.append((low, high))
        self._at += 1
        return CharClass(tuple(ranges), negated)

    def _char(self) -> str:
        char = self._peek()
        if char in ("", "\n"):
            raise self._error("a literal or class that does not end on its line")
        self._at += 1
        if char != "\\":
            return char
        escape = self._peek()
        self._at += 1
        if escape in _HEX_ESCAPES:
            digits = self._text[self._at : self._at + _HEX_ESCAPES[escape]]
            self._at += len(digits)
            if re.fullmatch(r"[0-9A-Fa-f]+", digits) and int(digits, 16) < 0x110000:
                return chr(int(digits, 16))
        elif escape in _ESCAPES:
            return _ESCAPES[escape]
        raise self._error(f"unknown escape \\{escape}")

    def _name(self) -> str:
        found = _ANY_NAME.match(self._text, self._at)
        if found is None:
            raise self._error(f"unexpected {self._peek()!r}")
        if not _NAME.fullmatch(found[0]):
            raise self._error(f"rule name {found[0]!r}; use letters, digits and dashes only")
        self._at = found.end()
        return found[0]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, newlines: bool = False) -> None:
        blank = " \t\r\n" if newlines else " \t\r"
        while (char := self._peek()) and (char in blank or char == "#"):
            if char == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            else:
                self._at += 1

    def _error(self, reason: str) -> GrammarError:
        line = self._text.count("\n", 0, self._at) + 1
        return GrammarError(f"grammar.{self._rule or '?'} (line {line}): {reason}")


def _walk(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, Choice):
        for sequence in node.sequences:
            for item in sequence:
                yield from _walk(item)
    elif isinstance(node, Repeat):
        yield from _walk(node.item)


def _check_repeat(name: str, node: Repeat) -> None:
    if node.maximum == UNBOUNDED:
        raise GrammarError(f"grammar.{name}: an unbounded repeat; give it {{m,n}}")
    if node.maximum > MAX_REPEAT or node.minimum > node.maximum:
        raise GrammarError(
            f"grammar.{name}: repeat {{{node.minimum},{node.maximum}}}; "
            f"expected m <= n <= {MAX_REPEAT}"
        )


def _check_left_recursion(grammar: Grammar) -> None:
    nullable: set[str] = set()
    while True:
        found = {name for name, rule in grammar.items() if _is_nullable(rule, nullable)}
        if found == nullable:
            break
        nullable = found
    first = {name: set(_left_references(rule, nullable)) for name, rule in grammar.items()}
    for name in grammar:
        seen: set[str] = set()
        stack = [name]
        while stack:
            for other in first[stack.pop()]:
                if other == name:
                    raise GrammarError(f"grammar.{name}: left recursion; put a symbol before it")
                if other not in seen:
                    seen.add(other)
                    stack.append(other)


def _is_nullable(node: Node, nullable: set[str]) -> bool:
    if isinstance(node, Literal):
        return node.text == ""
    if isinstance(node, CharClass):
        return False
    if isinstance(node, Reference):
        return node.name in nullable
    if isinstance(node, Repeat):
        return node.minimum == 0 or _is_nullable(node.item, nullable)
    return any(all(_is_nullable(item, nullable) for item in s) for s in node.sequences)


def _left_references(node: Node, nullable: set[str]) -> Iterator[str]:
    if isinstance(node, Reference):
        yield node.name
    elif isinstance(node, Repeat):
        yield from _left_references(node.item, nullable)
    elif isinstance(node, Choice):
        for sequence in node.sequences:
            for item in sequence:
                yield from _left_references(item, nullable)
                if not _is_nullable(item, nullable):
                    break


class _Matcher:
    """Every position at which a node can end; memoised, so no text takes exponential time."""

    def __init__(self, grammar: Grammar, text: str) -> None:
        self._grammar = grammar
        self._text = text
        self._seen: dict[tuple[int, int], frozenset[int]] = {}

    def ends(self, node: Node, start: int) -> frozenset[int]:
        if isinstance(node, Literal):
            found = self._text.startswith(node.text, start)
            return frozenset((start + len(node.text),)) if found else frozenset()
        if isinstance(node, CharClass):
            inside = start < len(self._text) and node.accepts(self._text[start])
            return frozenset((start + 1,)) if inside else frozenset()
        if isinstance(node, Reference):
            return self.ends(self._grammar[node.name], start)
        key = (id(node), start)
        if key not in self._seen:
            repeat = isinstance(node, Repeat)
            self._seen[key] = self._repeat(node, start) if repeat else self._choice(node, start)
        return self._seen[key]

    def _choice(self, node: Node, start: int) -> frozenset[int]:
        assert isinstance(node, Choice)
        found: set[int] = set()
        for sequence in node.sequences:
            at = {start}
            for item in sequence:
                at = {end for position in at for end in self.ends(item, position)}
            found |= at
        return frozenset(found)

    def _repeat(self, node: Node, start: int) -> frozenset[int]:
        assert isinstance(node, Repeat)
        at = {start}
        found = {start} if node.minimum == 0 else set()
        count = 0
        while at and count != node.maximum:
            count += 1
            at = {end for position in at for end in self.ends(node.item, position)}
            if count >= node.minimum:
                if at <= found:
                    break
                found |= at
        return frozenset(found)
