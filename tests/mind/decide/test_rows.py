"""Rows in, results out: what is refused by line, and what a killed run keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.decide import Decider, InputError
from godseed.mind.decide.results import ResultFile, model_key, read_results, result_of
from godseed.mind.decide.rows import json_object, parse_row, read_rows
from godseed.mind.decide.runtimes.mock import MockRuntime
from godseed.sim.line_file import LogLockedError

ROW = {
    "id": "r1",
    "state": {"message": "charged twice"},
    "question": "Which queue?",
    "options": [{"id": "a", "description": "A."}, {"id": "b", "description": "B."}],
}


def line(**changes: Any) -> bytes:
    value = {**ROW, **changes}
    return json.dumps({key: item for key, item in value.items() if item is not ...}).encode()


def test_shipped_examples_are_forty_labelled_rows_of_four_families(examples: bytes) -> None:
    rows = read_rows(examples, "examples")
    assert len(rows) == 40
    assert {row.family for row in rows} == {"queue", "claim", "wish", "urgency"}
    assert all(row.label for row in rows)


def test_extra_fields_and_empty_lines_are_left_alone() -> None:
    rows = read_rows(b"\n" + line(note="x") + b"\r\n\n" + line(id="r2") + b"\n", "in.jsonl")
    assert [row.id for row in rows] == ["r1", "r2"]


def test_description_may_be_left_out() -> None:
    assert parse_row({**ROW, "options": [{"id": "a"}, {"id": "b"}]}, "x").options[0].id == "a"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "in: no rows; expected a JSON object a line"),
        (b"{", "in:1: .*; expected a JSON object; correct it"),
        (b"[1]", "in:1: list; expected a JSON object"),
        (b"\xff{}", "in:1: .*utf-8.*; expected a JSON object"),
        (line(state=float("nan")), "in:1: NaN is not JSON; expected a JSON object"),
        (b'{"id": "a", "id": "b"}', "in:1: key 'id' twice; expected a JSON object"),
        (b"[" * 100_000, "in:1: nested too deep"),
        (line() + b"\n" + line(), "in:2: id 'r1' as in line 1; expected ids that differ"),
        (line() + b"\n" + line(id="r2", state=...), "in:2: no 'state'; expected id, state, quest"),
        (line(id=""), "in:1 id: ''; expected text"),
        (line(id=7), "in:1 id: 7; expected text"),
        (line(question=None), "in:1 question: None; expected text"),
        (line(state=""), "in:1 state: ''; expected evidence"),
        (line(state={}), "in:1 state: {}; expected evidence"),
        (line(options="ab"), "in:1 options: no list"),
        (line(options=[]), "in:1 options: 0 given; expected 2 to 16"),
        (line(options=[{"id": 1}, {"id": "b"}]), "in:1 options: .*; expected {id, description}"),
        (line(options=[{"id": "a", "description": 3}] * 2), "in:1 options: description 3"),
        (line(options=[{"id": "a"}, {"id": "a"}]), "in:1 options: 'a' twice"),
        (line(options=[{"id": str(i)} for i in range(17)]), "in:1 options: 17 given"),
        (line(label="c"), "in:1 label: 'c'; expected the id of an option"),
        (line(label=1), "in:1 label: 1; expected text"),
        (line(family=["x"]), r"in:1 family: \['x'\]; expected text"),
        (line(question="\ud800"), "in:1 question: a lone surrogate"),
        (line(state=["\udfff"]), "in:1 state: a lone surrogate"),
    ],
)
def test_bad_line_is_named_by_number_and_place(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=f"^{said}"):
        read_rows(data, "in")


@given(st.binary(max_size=60))
def test_any_bytes_are_rows_or_one_clear_error(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^in"):
        read_rows(data, "in")


def decided(row_id: str = "r1", **changes: Any) -> dict[str, Any]:
    row = parse_row({**ROW, "id": row_id, **changes}, "row")
    decider = Decider(MockRuntime())
    decision = decider.decide(row.state, row.question, row.options)
    return result_of(row, decision, model_key(decider.runtime.identity()))


def test_result_has_the_fields_of_the_bridge_first() -> None:
    found = decided(label="a", family="f")
    assert list(found)[:7] == [
        "id",
        "option_ids",
        "probabilities",
        "option_logprobs",
        "input_tokens",
        "prompt_sha256",
        "prompt_version",
    ]
    assert found["label"] == "a"
    assert found["family"] == "f"
    assert json.loads(found["model"]) == {"kind": "mock", "model": "mock-decisions-1"}


def test_finished_rows_are_kept_and_asked_again_under_other_settings(tmp_path: Path) -> None:
    path, decider = tmp_path / "out.jsonl", Decider(MockRuntime())
    model = model_key(decider.runtime.identity())
    results = ResultFile(path)
    results.append(decided())
    results.close()
    row = parse_row(ROW, "row")
    results = ResultFile(path)
    assert results.kept(row, decider, model)
    assert not results.kept(parse_row({**ROW, "id": "r2"}, "row"), decider, model)
    changed = parse_row({**ROW, "question": "Which one?"}, "row")
    for other, how in (
        ((changed, decider, model), "row_sha256"),
        ((parse_row({**ROW, "label": "a"}, "row"), decider, model), "label"),
        ((row, decider, "another"), "model"),
        ((row, Decider(MockRuntime(), "binary"), model), "prompt_version"),
        ((row, Decider(MockRuntime(), debias="cyclic"), model), "method"),
        ((row, decider.calibrated(2.0), model), "temperature"),
        ((row, Decider(MockRuntime(), flip=True), model), "--flip"),
    ):
        with pytest.raises(InputError, match=f"row 'r1': was decided with another {how}; expected"):
            results.kept(*other)
    results.close()


def test_torn_last_line_is_set_aside_and_the_rest_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    results = ResultFile(path)
    for name in ("r1", "r2"):
        results.append(decided(name))
    results.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    results = ResultFile(path)
    assert list(results.finished) == ["r1"]
    assert results.torn == tmp_path / "out.jsonl.torn-1"
    results.append(decided("r2"))
    results.close()
    assert path.read_bytes() == whole


def test_last_line_without_its_newline_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(json.dumps(decided()).encode())
    results = ResultFile(path)
    assert list(results.finished) == ["r1"]
    results.append(decided("r2"))
    results.close()
    assert len(read_results(path.read_bytes(), "out")) == 2


def test_file_of_something_else_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(b'{"wish_id": "w_000001"}\n')
    with pytest.raises(InputError, match=":1: no id, option_ids and option_logprobs"):
        ResultFile(path)
    assert path.read_bytes() == b'{"wish_id": "w_000001"}\n'


def test_second_writer_is_refused(tmp_path: Path) -> None:
    results = ResultFile(tmp_path / "out.jsonl")
    with pytest.raises(LogLockedError):
        ResultFile(tmp_path / "out.jsonl")
    results.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"option_ids": []}, "differ in length"),
        ({"option_logprobs": [1.0]}, "differ in length"),
        ({"option_logprobs": ["a", "b"]}, "option_logprobs: .*; expected what was written"),
        ({"option_logprobs": [1e300, 0]}, "option_logprobs: .*; expected what was written"),
        ({"option_logprobs": 3}, "differ in length"),
        ({"temperature": 0}, "temperature: 0; expected what was written"),
        ({"temperature": 10**400}, "temperature: 1000.*; expected what was written"),
        ({"input_tokens": "x"}, "input_tokens: 'x'; expected what was written"),
        ({"answer_mass": None}, "answer_mass: None; expected what was written"),
        ({"flipped": 1}, "flipped: 1; expected what was written"),
        ({"label": 7}, "label: 7; expected what was written"),
        ({"id": 3}, "no id, option_ids"),
        ({"option_ids": [1, 2]}, "differ in length"),
    ],
)
def test_result_line_that_is_none_is_named(change: dict[str, Any], said: str) -> None:
    data = json.dumps({**decided(), **change}).encode()
    with pytest.raises(InputError, match=f"out:1.*{said}"):
        read_results(data, "out")
    with pytest.raises(InputError, match="out:2: id 'r1' twice"):
        read_results(b"\n".join([json.dumps(decided()).encode()] * 2), "out")


def test_json_object_takes_a_byte_order_mark() -> None:
    assert json_object(b'\xef\xbb\xbf{"a": 1}', "x") == {"a": 1}
