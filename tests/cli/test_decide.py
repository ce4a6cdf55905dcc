"""`godseed decide`: every command on the shipped rows, with the mock, and what is refused."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = str(files("godseed.mind.decide").joinpath("examples", "town-hall.jsonl"))
MOCK = ("--runtime", "mock")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_ask_prints_shares_and_marks_the_choice(godseed: Any) -> None:
    ran = godseed("decide", "ask", "charged", "-o", "a=charged", "-o", "b=b", *MOCK, "--flip")
    assert re.match(r"\* a  0\.\d{4}  █+\n  b  0\.\d{4}( +█+)?\n", ran.out)
    assert "reversed the same answer" in ran.out
    found = godseed("decide", "ask", "charged", "-o", "a=charged", "-o", "b", *MOCK, "--json").json
    assert found["choice"] == "a"
    assert found["prompt_version"] == "direct-options-v1"
    assert sum(found["probabilities"]) == pytest.approx(1.0)


def test_ask_without_options_asks_true_or_false(godseed: Any) -> None:
    found = godseed("decide", "ask", "it rains", "-q", "Is it wet?", *MOCK, "--json").json
    assert found["option_ids"] == ["true", "false"]
    binary = godseed("decide", "ask", "it rains", *MOCK, "--contract", "binary")
    assert binary.out.count("alone 0.") == 2


def test_ask_takes_json_and_standard_input(godseed: Any) -> None:
    words = ("decide", "ask", "-", *MOCK, "--json")
    told = godseed(*words, "--json-state", stdin='{"a": [1, "夜"]}').json
    assert told["row_sha256"] != godseed(*words, stdin='{"a": [1, "夜"]}').json["row_sha256"]


def test_rows_report_verify_and_calibrate_go_together(godseed: Any, folder: Path) -> None:
    made = godseed("decide", "rows", EXAMPLES, "-o", "a.jsonl", "--flip", *MOCK, "--json").json
    assert (made["decided"], made["kept"], made["refused"]) == (40, 0, [])
    assert made["readout"]["status"] == "passed"
    ran = godseed("decide", "report", "a.jsonl", "-o", "r.json", "--plot", "r.svg")
    assert "reversed options change" in ran.out
    assert re.search(r"^all +40 +0\.\d{4}", ran.out, re.MULTILINE)
    assert Path("r.svg").read_bytes().startswith(b"<?xml")
    assert godseed("decide", "verify", "r.json", "a.jsonl").out.startswith("verified")
    godseed("decide", "calibrate", "a.jsonl", "-o", "c.json")
    words = ("decide", "rows", EXAMPLES, "-o", "b.jsonl", *MOCK, "--calibration", "c.json")
    godseed(*words, "--quiet")
    first = json.loads(Path("b.jsonl").read_bytes().splitlines()[0])
    assert first["temperature"] == json.loads(Path("c.json").read_bytes())["temperature"]
    godseed(*words[:4], "x.jsonl", *MOCK, "--contract", "binary", "--calibration", "c.json", code=2)


def test_verify_is_exit_code_1_for_a_report_that_was_touched(godseed: Any, folder: Path) -> None:
    godseed("decide", "rows", EXAMPLES, "-o", "a.jsonl", *MOCK, "--quiet")
    godseed("decide", "report", "a.jsonl", "-o", "r.json", "--quiet")
    told = json.loads(Path("r.json").read_text())
    told["overall"]["accuracy"] = 1.0
    Path("r.json").write_text(json.dumps(told))
    ran = godseed("decide", "verify", "r.json", "a.jsonl", code=1)
    assert ran.out.startswith("report.overall.accuracy: 1.0; the rows give 0.")
    assert not godseed("decide", "verify", "r.json", "a.jsonl", "--json", code=1).json["verified"]


def test_killed_run_goes_on_and_ends_with_the_same_bytes(
    godseed: Any, start: Any, folder: Path
) -> None:
    godseed("decide", "rows", EXAMPLES, "-o", "whole.jsonl", *MOCK, "--quiet")
    process = start("decide", "rows", EXAMPLES, "-o", "cut.jsonl", *MOCK)
    line = b""
    while not line.startswith(b"rows "):
        line = process.stderr.readline()
        assert line
    process.kill()
    process.communicate(timeout=60)
    kept = Path("cut.jsonl").read_bytes().count(b"\n")
    made = godseed("decide", "rows", EXAMPLES, "-o", "cut.jsonl", *MOCK, "--json").json
    assert made["kept"] >= kept > 0
    assert made["kept"] + made["decided"] == 40
    assert Path("cut.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_refused_row_is_told_left_out_and_tried_again(godseed: Any, folder: Path) -> None:
    lines = Path(EXAMPLES).read_text().splitlines()[:3]
    bad = json.loads(lines[1])
    bad["state"] = "<|end|> yes"
    Path("in.jsonl").write_text("\n".join([lines[0], json.dumps(bad), lines[2]]))
    ran = godseed("decide", "rows", "in.jsonl", "-o", "a.jsonl", *MOCK, code=1)
    assert f"refused {bad['id']}: holds the text of a control token" in ran.err
    Path("in.jsonl").write_text("\n".join(lines))
    made = godseed("decide", "rows", "in.jsonl", "-o", "a.jsonl", *MOCK, "--json").json
    assert (made["decided"], made["kept"]) == (1, 2)
    long = godseed(
        "decide", "rows", "in.jsonl", "-o", "b.jsonl", *MOCK, "--max-input-tokens", "9", code=1
    )
    assert "never cut" in long.err
    assert Path("b.jsonl").read_bytes() == b""


def test_check_prints_what_was_proved(godseed: Any) -> None:
    ran = godseed("decide", "check", *MOCK)
    assert "slots      'A'=65 'B'=66" in ran.out
    assert "readout    passed: 4 of 4" in ran.out
    assert len(godseed("decide", "check", *MOCK, "--json").json["slots"]) == 16


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ask", "x", "-o", "a=1", *MOCK], 2, "ask options: 1 given; expected 2 to 16; .*"),
        (["ask", "", *MOCK], 2, "ask state: ''; expected evidence; give some"),
        (["ask", "x", "-o", "=1", *MOCK], 2, "option '=1': no id; expected ID=TEXT; .*"),
        (["ask", "{", "--json-state", *MOCK], 2, "state: .*; expected a JSON object; .*"),
        (["ask", "x", "--model", "m", *MOCK], 2, "runtime mock: takes no 'model'; .*"),
        (["ask", "x", "--url", "http://h", *MOCK], 2, "runtime mock: a --url; .*"),
        (["ask", "x", "--runtime", "http"], 2, "runtime http: no --url; .*"),
        (["ask", "x", "--runtime", "http", "--url", "nope"], 2, "url: 'nope'; expected http.*"),
        (
            ["ask", "x", "--runtime", "http", "--url", "http://127.0.0.1:9"],
            3,
            "GET http://127.0.0.1:9/v1/models: .*; expected a running server; start it",
        ),
        (["ask", "x", "--model", "no.gguf"], 2, "model 'no.gguf': no such file; .*"),
        (["ask", "x", *MOCK, "--calibration", "no.json"], 2, "no.json: No such file.*"),
        (["ask", "x", *MOCK, "--debias", "cyclic", "--contract", "binary"], 2, "debias: .*"),
        (["rows", "no.jsonl", "-o", "a.jsonl", *MOCK], 2, "no.jsonl: No such file.*"),
        (["rows", EXAMPLES, "-o", "a.txt", *MOCK], 2, "a.txt: ends in '.txt'; .*"),
        (["rows", EXAMPLES, "-o", "log.jsonl", *MOCK], 2, "log.jsonl:1: no id, option_ids.*"),
        (["report", "log.jsonl"], 2, "log.jsonl:1: no id, option_ids and option_logprobs; .*"),
        (["verify", "log.jsonl", "log.jsonl"], 2, "report: version None; expected .*"),
        (["calibrate", "log.jsonl", "-o", "c.json"], 2, "log.jsonl:1: no id, .*"),
    ],
)
def test_what_is_wrong_is_one_line_and_an_exit_code(
    godseed: Any, folder: Path, words: list[str], code: int, said: str
) -> None:
    Path("log.jsonl").write_text('{"wish_id": "w_000001"}\n')
    ran = godseed("decide", *words, code=code)
    assert re.fullmatch(f"error: {said}\n", ran.err), ran.err
    assert ran.out == ""
