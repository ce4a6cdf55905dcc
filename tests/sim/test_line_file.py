"""A file of lines: one writer, one synced write per line, cut back when the disk fails."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from godseed.sim.line_file import LineFile, LogLockedError, split_lines


def test_lines_are_appended_in_one_write_and_synced_before_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    events: list[str] = []
    write, fsync = os.write, os.fsync
    with LineFile(path) as file:
        monkeypatch.setattr(os, "write", lambda fd, data: events.append("write") or write(fd, data))
        monkeypatch.setattr(os, "fsync", lambda fd: events.append("fsync") or fsync(fd))
        file.append(b'{"a":1}')
        events.append("returned")
    assert events == ["write", "fsync", "returned"]
    assert path.read_bytes() == b'{"a":1}\n'


def test_making_a_file_syncs_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def recorded(fd: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{fd}"))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", recorded)
    with LineFile(tmp_path / "a.jsonl"):
        assert synced == [str(tmp_path)]


def test_a_missing_newline_is_mended_before_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo")
    with LineFile(path) as file:
        file.append(b"three")
    assert path.read_bytes() == b"one\ntwo\nthree\n"


def test_a_line_holds_no_newline(tmp_path: Path) -> None:
    with LineFile(tmp_path / "a.jsonl") as file, pytest.raises(ValueError, match="one line"):
        file.append(b"a\nb")


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_failing_disk_leaves_the_file_as_it_was(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    write = os.write
    with LineFile(path) as file:
        file.append(b"one")
        with monkeypatch.context() as patch:
            if call == "write":
                patch.setattr(os, "write", lambda fd, data: write(fd, data[:2]))
            else:
                patch.setattr(os, "fsync", _no_space)
            with pytest.raises(OSError):
                file.append(b"two")
        assert path.read_bytes() == b"one\n"
        file.append(b"three")
    assert path.read_bytes() == b"one\nthree\n"


def _no_space(fd: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_second_writer_in_the_process_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with LineFile(path), pytest.raises(LogLockedError, match=f"process {os.getpid()} is writing"):
        LineFile(path)
    with LineFile(path) as file:
        file.append(b"free again")


def test_a_second_process_is_refused_and_told_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    script = (
        "import sys; from pathlib import Path; from godseed.sim.line_file import LineFile\n"
        "with LineFile(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LogLockedError, match=f"process {holder.pid} is writing to it; "):
            LineFile(path)
        holder.kill()
        holder.wait()
    with LineFile(path) as file:
        file.append(b"the lock went with its holder")


def test_set_aside_moves_the_end_and_numbers_the_files(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntorn")
    with LineFile(path) as file:
        assert file.set_aside(4).name == "a.jsonl.torn-1"
        file.append(b"two")
        assert file.set_aside(6).name == "a.jsonl.torn-2"
    assert path.read_bytes() == b"one\ntw"
    assert (tmp_path / "a.jsonl.torn-1").read_bytes() == b"torn"
    assert (tmp_path / "a.jsonl.torn-2").read_bytes() == b"o\n"


def test_closing_twice_is_fine(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "a.jsonl")
    file.close()
    file.close()


def test_split_lines_keeps_the_unfinished_end_apart() -> None:
    assert split_lines(b"a\nb\nc") == ([b"a", b"b"], b"c")
    assert split_lines(b"a\n") == ([b"a"], b"")
    assert split_lines(b"") == ([], b"")
