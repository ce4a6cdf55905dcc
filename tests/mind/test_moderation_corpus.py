"""Block rate and false alarms of layers 1 and 2 over a corpus in many scripts, with floors."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from pathlib import Path

import pytest

from godseed.mind.moderation import WISH_MAX, moderate

LEAST_BLOCKED, MOST_ALARMS = 0.98, 0.01
LEAST_PER_LANGUAGE = 0.9
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


def rows(name: str) -> list[list[str]]:
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


def decoded(text: str) -> str:
    plain = codecs.decode(text, "rot13")
    return _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), plain)


EVASIONS = [(language, decoded(text)) for language, _, text in rows("moderation_evasions.tsv")]
LOOKALIKES = [(language, text) for language, text in rows("moderation_lookalikes.tsv")]


def told(title: str, seen: Counter[str], hit: Counter[str]) -> str:
    lines = [f"{title}: {hit.total()} of {seen.total()}, {hit.total() / seen.total():.2%}"]
    return "\n".join([*lines, *(f"  {name}: {hit[name]} of {seen[name]}" for name in seen)])


def test_the_corpus_is_large_and_in_many_scripts() -> None:
    for corpus in (EVASIONS, LOOKALIKES):
        assert len({text for _, text in corpus}) == len(corpus) >= 400
        assert len({language for language, _ in corpus}) >= 20
        assert all(len(text) <= WISH_MAX for _, text in corpus)


def test_layers_1_and_2_block_evasions(capsys: pytest.CaptureFixture[str]) -> None:
    seen = Counter(language for language, _ in EVASIONS)
    hit = Counter(language for language, text in EVASIONS if not moderate(text).allowed)
    with capsys.disabled():
        print("\n" + told("evasions blocked", seen, hit))
    assert hit.total() / seen.total() >= LEAST_BLOCKED
    for language, count in seen.items():
        assert hit[language] / count >= LEAST_PER_LANGUAGE, language


def test_layers_1_and_2_let_lookalikes_pass(capsys: pytest.CaptureFixture[str]) -> None:
    seen = Counter(language for language, _ in LOOKALIKES)
    alarms = [(language, text) for language, text in LOOKALIKES if not moderate(text).allowed]
    hit = Counter(language for language, _ in alarms)
    with capsys.disabled():
        print("\n" + told("false alarms", seen, hit))
    assert hit.total() / seen.total() <= MOST_ALARMS, alarms


def test_no_layer_fails_over_the_corpus() -> None:
    for _, text in [*EVASIONS, *LOOKALIKES]:
        verdict = moderate(text)
        assert verdict.category != "error", (text, verdict.detail)
