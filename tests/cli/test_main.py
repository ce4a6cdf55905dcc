"""The program as a whole: help, exit codes, streams, and errors that are one line."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import click
import pytest

from godseed.cli.main import MODULES, explained, main
from godseed.cli.output import LONGEST_LINE
from godseed.render.errors import MissingGLError
from godseed.sim.trace import TraceLog


def every_command() -> list[tuple[str, ...]]:
    groups = {"golden": ("check", "update")}
    below = [(group, name) for group, names in groups.items() for name in names]
    return [*((name,) for name in MODULES), *below]


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_help_fits_80_columns_and_has_an_example(godseed: Any, words: tuple[str, ...]) -> None:
    shown = godseed(*words, "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    assert re.search(rf"Examples?:\n    *godseed {words[0]}", shown)
    assert godseed(*words, "-h").out == shown


def test_help_lists_every_command(godseed: Any) -> None:
    shown = godseed("--help").out
    assert re.findall(r"(?m)^  ([a-z]+) {2,}[A-Z]", shown) == list(MODULES)
    assert "Exit codes: 0 fine" in shown


def test_no_command_at_all_shows_the_help_and_fails(godseed: Any) -> None:
    ran = godseed(code=2)
    assert "Usage: godseed" in ran.err
    assert ran.out == ""


def test_version_is_printed(godseed: Any) -> None:
    assert re.fullmatch(r"godseed, version \d+\.\d+\.\d+\n", godseed("--version").out)


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_each_command_takes_json_and_quiet(words: tuple[str, ...]) -> None:
    found: click.Command = main
    for word in words:
        assert isinstance(found, click.Group)
        found = found.commands[word]
    if not isinstance(found, click.Group):
        assert {"json", "quiet"} <= {param.name for param in found.params}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["dance"], "No such command 'dance'; expected one of demo, grant"),
        (
            ["golden", "dance"],
            "No such command 'dance'; expected one of approve, check, new, prune, update",
        ),
        (["render"], "godseed render: Missing argument 'WORLD'; see 'godseed render --help'"),
        (["render", "genesis"], "Missing option '-o'"),
        (["render", "genesis", "--bogus"], "No such option '--bogus'"),
        (["render", "genesis", "-o", "a.png", "extra"], "unexpected extra argument"),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
        (["completion"], "Missing argument"),
    ],
)
def test_usage_errors_are_one_line_with_the_way_out(
    godseed: Any, words: list[str], said: str
) -> None:
    ran = godseed(*words, code=2)
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_errors_are_a_json_document_where_json_is_asked_for(godseed: Any) -> None:
    for words in (["inspect", "nowhere.jsonl"], ["render", "genesis"], ["dance"]):
        document = godseed(*words, "--json", code=2).json
        assert document["exit_code"] == 2
        assert document["error"]


def test_error_line_is_bounded_and_holds_no_control_characters(godseed: Any) -> None:
    ran = godseed("inspect", "\x1b[31m\n" + "x" * 5000 + ".jsonl", code=None)
    assert ran.code in (1, 2)
    assert len(ran.err) < LONGEST_LINE + 50
    assert ran.err.rstrip("\n").isprintable()


def test_missing_part_of_the_machine_is_exit_code_3() -> None:
    assert explained(MissingGLError("render.context: no EGL; run 'apt-get ...'")).exit_code == 3
    assert explained(ModuleNotFoundError("No module named 'x'")).exit_code == 3
    assert explained(MemoryError()).exit_code == 3


def test_fault_of_ours_asks_for_a_report() -> None:
    failure = explained(ZeroDivisionError("division by zero"))
    assert failure.exit_code == 1
    assert "ZeroDivisionError" in failure.message
    assert "--debug" in failure.message


def test_log_locked_by_another_writer_names_the_process(
    godseed: Any, spawn: Any, log: Path
) -> None:
    before = log.read_bytes()
    with TraceLog(log):
        ran = spawn("grant", "a tree", "--world", log, "--quiet", code=None)
        assert ran.code in (1, 2)
        assert f"process {os.getpid()} is writing to it" in ran.err
        godseed("inspect", log)
        godseed("grant", "a tree", "--world", log, "-n", "--quiet")
    assert log.read_bytes() == before


# --- streams -------------------------------------------------------------------------------------


def test_reader_that_leaves_early_is_no_error(start: Any, log: Path) -> None:
    process = start("inspect", log, "--json", "--features")
    assert process.stdout.readline() == b"{\n"
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(), err) == (0, b"")
    process.stderr.close()
    process.stdin.close()


def test_full_disk_behind_standard_output_is_an_error_not_a_traceback(
    spawn: Any, log: Path
) -> None:
    with open("/dev/full", "wb") as full:
        for words in (["inspect", log], ["inspect", log, "--json"], ["--help"]):
            ran = spawn(*words, stdout=full, code=1)
            assert re.fullmatch(r"error: output: No space left on device; .*\n", ran.err)
        assert spawn("inspect", "nowhere", "--json", stdout=full, code=2).err.startswith("error: ")
        spawn("inspect", "nowhere", stderr=full, code=2)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_do_not_stop_a_grant(spawn: Any, tmp_path: Path, closed: str) -> None:
    spawn("grant", "a tree", "--world", tmp_path / "w.jsonl", redirect=closed)
    assert (tmp_path / "w.jsonl").read_bytes().count(b"\n") == 1


@pytest.mark.parametrize(
    ("env", "encoding"),
    [
        ({"LC_ALL": "C"}, "utf-8"),
        ({"PYTHONIOENCODING": "ascii"}, "utf-8"),
        ({"PYTHONIOENCODING": "latin-1"}, "latin-1"),
        ({"PYTHONIOENCODING": "utf-16-le"}, "utf-16-le"),
    ],
)
def test_any_encoding_takes_any_wish(
    spawn: Any, tmp_path: Path, env: dict[str, str], encoding: str
) -> None:
    words = ["grant", "märkt 夜 🌙", "--world", tmp_path / "w.jsonl"]
    ran = spawn(*words, "--json", env={"COLUMNS": "40", **env}, encoding=encoding)
    assert json.loads(ran.out)["wishes"][0]["text"] == "märkt 夜 🌙"
    spawn(*words, env={"COLUMNS": "40", **env}, encoding=encoding)


def test_undecodable_words_are_answered_not_crashed_upon(spawn: Any, tmp_path: Path) -> None:
    wish = os.fsdecode(b"a \xff\xfe tree")
    for env in ({"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8"}):
        ran = spawn("grant", wish, "--world", tmp_path / "w.jsonl", "--json", env=env, code=1)
        assert json.loads(ran.out)["wishes"][0]["granted"] is False
        spawn("inspect", os.fsdecode(b"\xff.jsonl"), env=env, code=2)


def test_narrow_terminal_gets_whole_help(spawn: Any) -> None:
    shown = spawn("render", "--help", env={"COLUMNS": "40", "TERMINAL_WIDTH": "40"}).out
    assert "--samples" in shown


def test_missing_gl_is_exit_code_3_with_the_line_that_installs_it(
    spawn: Any, tmp_path: Path
) -> None:
    env = {"__EGL_VENDOR_LIBRARY_DIRS": str(tmp_path)}
    log = tmp_path / "w.jsonl"
    for words in (
        ["render", "genesis", "-o", tmp_path / "a.png"],
        ["grant", "a tree", "--world", log, "--still", tmp_path / "a.png"],
        ["doctor"],
    ):
        ran = spawn(*words, env=env, code=3)
        assert "apt-get install libegl1" in ran.err + ran.out
    assert not log.exists(), "granted a wish whose picture could not be drawn"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--gl", "vulkan"], "--gl: 'vulkan'; expected mesa, swiftshader, default"),
        (["nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["."], "no case in it"),
        (["--frames", "-1"], "'--frames': -1 is not in the range"),
    ],
)
def test_parity_names_what_is_wrong(
    godseed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in godseed("parity", *words, code=2).err


def test_parity_without_browser_or_node_is_exit_code_3(spawn: Any, tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "GODSEED_CHROMIUM": ""}
    for words in (["genesis", "--frames", "1"], ["--frames", "0", "--fuzz", "1"]):
        assert "install" in spawn("parity", *words, env=env, code=3).err
