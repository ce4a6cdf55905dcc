"""The ledger knows what is finished, whatever happened to the run that wrote it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from godseed.batch.ledger import Ledger, Row
from godseed.sim.line_file import LogLockedError


def test_finished_items_are_known_to_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "run" / "ledger.jsonl"
    with Ledger(path) as ledger:
        assert ledger.finished("a") is None
        ledger.record("a", "first", {"x": 1.5, "text": "ü\ud800"}, {"deep/a.bin": b"123"})
        ledger.fail("b", "second", "it broke")
    with Ledger(path) as ledger:
        row = ledger.finished("a")
        assert row is not None
        assert (row.name, row.value) == ("first", {"x": 1.5, "text": "ü\ud800"})
        assert (tmp_path / "run/deep/a.bin").read_bytes() == b"123"
        assert ledger.finished("b") is None
        assert ledger.row("b") == Row("b", "second", error="it broke")
        assert [row.key for row in ledger.rows()] == ["a", "b"]
        assert len(ledger) == 2


def test_item_that_failed_and_then_succeeded_is_finished(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.jsonl") as ledger:
        ledger.fail("a", "item", "no")
        ledger.record("a", "item", 2, {})
        assert ledger.finished("a") == Row("a", "item", 2)
        assert [row.value for row in ledger.rows()] == [2]


@pytest.mark.parametrize("harm", ["changed", "missing", "shorter"])
def test_item_whose_file_is_not_as_recorded_is_not_finished(tmp_path: Path, harm: str) -> None:
    with Ledger(tmp_path / "l.jsonl") as ledger:
        ledger.record("a", "item", 1, {"a.bin": b"12345678"})
    file = tmp_path / "a.bin"
    if harm == "missing":
        file.unlink()
    else:
        file.write_bytes(b"12345679" if harm == "changed" else b"1234567")
    with Ledger(tmp_path / "l.jsonl") as ledger:
        assert ledger.finished("a") is None
        ledger.record("a", "item", 1, {"a.bin": b"12345678"})
        assert ledger.finished("a") is not None


def test_every_torn_end_is_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    with Ledger(path) as ledger:
        ledger.record("a", "first", "ü", {})
        kept = path.stat().st_size
        ledger.record("b", "second", "ü", {})
    whole = path.read_bytes()
    for cut in range(kept, len(whole)):
        path.write_bytes(whole[:cut])
        with Ledger(path) as ledger:
            assert ledger.finished("a") is not None
            assert ledger.finished("b") is None
            ledger.record("b", "second", "ü", {})
            assert ledger.finished("b") is not None
        assert path.read_bytes() == whole
    assert sorted(file.name for file in tmp_path.iterdir()) == ["l.jsonl", "l.jsonl.lock"]


@pytest.mark.parametrize("line", ["{", "[]", "3", '{"key":1,"name":"x"}', '{"key":"a"}', "\udcff"])
def test_line_that_is_no_row_is_noted_and_its_item_runs_again(tmp_path: Path, line: str) -> None:
    path = tmp_path / "l.jsonl"
    with Ledger(path) as ledger:
        ledger.record("a", "first", 1, {})
        ledger.record("b", "second", 2, {})
    lines = path.read_bytes().split(b"\n")
    lines[0] = line.encode("utf-8", "surrogateescape")
    path.write_bytes(b"\n".join(lines))
    with Ledger(path) as ledger:
        assert ledger.notes == (f"{path}:1: not a row; left out, its item runs again",)
        assert ledger.finished("a") is None
        assert ledger.finished("b") == Row("b", "second", 2)


def test_second_writer_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    code = f"from godseed.batch.ledger import Ledger; Ledger({str(path)!r})"
    with Ledger(path):
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert b"LogLockedError" in ran.stderr
        with pytest.raises(LogLockedError, match=r"process \d+ is writing to it"):
            Ledger(path)
    Ledger(path).close()


def test_half_written_files_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".a.bin.part").write_bytes(b"half")
    with Ledger(tmp_path / "l.jsonl"):
        assert not (tmp_path / ".a.bin.part").exists()


def test_files_of_items_that_are_no_longer_wanted_go(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.jsonl") as ledger:
        for key in ("a", "b", "c"):
            ledger.record(key, key, 0, {f"{key}.bin": key.encode()})
        assert ledger.drop_files(["b"]) == 2
        assert (tmp_path / "b.bin").exists()
        assert ledger.finished("a") is None
        assert ledger.finished("b") is not None


@pytest.mark.parametrize("name", ["../a", "/a", "", "x/../../a"])
def test_file_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with (
        Ledger(tmp_path / "l.jsonl") as ledger,
        pytest.raises(ValueError, match="expected a name inside its folder"),
    ):
        ledger.record("a", "item", 1, {name: b""})


def test_value_that_json_does_not_hold_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.jsonl") as ledger:
        ledger.record("a", "item", 1, {})
        for value in (object(), float("nan")):
            with pytest.raises((TypeError, ValueError)):
                ledger.record("b", "item", value, {})
    assert len((tmp_path / "l.jsonl").read_text().splitlines()) == 1


def test_lines_are_plain_json(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.jsonl") as ledger:
        ledger.record("k", "item", {"a": [1, "ü"]}, {"f": b""})
    (line,) = (tmp_path / "l.jsonl").read_text("utf-8").splitlines()
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert json.loads(line) == {
        "key": "k",
        "name": "item",
        "value": {"a": [1, "ü"]},
        "files": {"f": empty},
    }
