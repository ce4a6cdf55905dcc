"""`godseed moderate`: verdicts on a text and on files, and how they end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from godseed.sim.trace import load


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_wish_passes_or_is_refused_with_layer_and_reason(godseed: Any) -> None:
    assert godseed("moderate", "a killer view").out == "passes   a killer view\n"
    ran = godseed("moderate", "kill all humans", code=1)
    assert ran.out.startswith(
        "refused  kill all humans\n         layer 2 (patterns), violence: The"
    )
    assert "layer 1 (length), form" in godseed("moderate", "a" * 141, code=1).out


def test_a_file_is_judged_line_by_line(godseed: Any, folder: Path) -> None:
    Path("w.txt").write_text("a lake\r\n\nkill all humans\n灯台\n", "utf-8")
    ran = godseed("moderate", "--file", "w.txt", code=1)
    assert re.findall(r"^(passes|refused)", ran.out, re.MULTILINE) == [
        "passes",
        "refused",
        "passes",
    ]
    assert "2 pass, 1 refused: violence 1" in ran.err
    told = godseed("moderate", "--file", "w.txt", "--json", code=1).json
    assert [row["line"] for row in told["wishes"]] == [1, 3, 4]
    assert [row["layer_number"] for row in told["wishes"]] == [0, 2, 0]
    assert (told["passed"], told["refused"], told["judge"]) == (2, 1, {"status": "absent"})
    assert godseed("moderate", "--file", "-", stdin="a lake\n").out == "passes   a lake\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "moderate: expected either a text or --file LINES.txt; give one of them"),
        (["a", "--file", "w.txt"], "moderate: expected either a text or --file .*"),
        (["--file", "empty.txt"], "empty.txt: no wishes; expected one a line; add one"),
        (["--file", "latin.txt"], "latin.txt:1: byte 2 is not UTF-8; expected UTF-8; convert it"),
        (["--file", "none.txt"], ".*none.txt.*"),
    ],
)
def test_bad_input_is_exit_code_2(godseed: Any, folder: Path, words: list[str], said: str) -> None:
    Path("empty.txt").write_text("\n \n")
    Path("latin.txt").write_bytes("m\xe4rkt\n".encode("latin-1"))
    assert re.fullmatch(f"error: {said}\n", godseed("moderate", *words, code=2).err)


def test_a_weak_judge_decides_as_its_owner_says(
    godseed: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("moderate", "a lake", "--backend", "llamacpp", "--json")
    denied = godseed(*words, code=1)
    assert "note: the judge is weak" in denied.err
    assert "--on-weak-judge lexical" in denied.err
    (row,) = denied.json["wishes"]
    assert (row["layer"], row["category"], row["judge"]) == ("judge", "weak", "weak")
    monkeypatch.setenv("GODSEED_ON_WEAK_JUDGE", "lexical")
    told = godseed(*words).json
    assert (told["on_weak_judge"], told["judge"]["status"]) == ("lexical", "weak")


def test_a_trace_says_that_its_judge_was_absent(godseed: Any, folder: Path) -> None:
    godseed("grant", "a lake", "--quiet")
    (trace,) = load("world.jsonl").traces
    assert trace.moderation.model_dump()["judge"] == "absent"


def test_doctor_says_whether_the_model_is_fit_to_judge(godseed: Any) -> None:
    rows = {row["name"]: row for row in godseed("doctor", "--json").json["findings"]}
    assert rows["judge"]["state"] == "optional"
    assert rows["judge"]["detail"].startswith("weak: 2 of 4 obvious questions right")
    assert "--on-weak-judge lexical" in rows["judge"]["mend"]
