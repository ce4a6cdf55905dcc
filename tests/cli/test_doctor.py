"""`godseed doctor`, and the completion scripts of three shells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from godseed.cli import doctor
from godseed.cli.completion import SHELLS
from godseed.cli.doctor import Finding

NEEDED = {"python", "godseed", "spec", "gl", "ffmpeg", "mock mind", "folder"}


def test_healthy_machine_is_exit_code_0(godseed: Any) -> None:
    document = godseed("doctor", "--json").json
    assert document["healthy"] is True
    rows = {row["name"]: row for row in document["findings"]}
    assert set(rows) >= NEEDED
    assert all(rows[name]["state"] == "ok" for name in NEEDED)
    shown = godseed("doctor").out
    assert all(name in shown for name in rows)


def test_what_is_optional_has_the_line_that_brings_it(godseed: Any) -> None:
    for row in godseed("doctor", "--json").json["findings"]:
        assert row["state"] in ("ok", "optional")
        assert bool(row["mend"]) == (row["state"] == "optional")


def test_missing_part_is_exit_code_3(godseed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Finding("gl", "missing", "no EGL", "apt-get install libegl1")
    monkeypatch.setattr(doctor, "examine", lambda: [row])
    assert "-> apt-get install libegl1" in godseed("doctor", code=3).out
    assert godseed("doctor", "--json", code=3).json["healthy"] is False


def test_part_that_fails_in_an_unknown_way_is_reported_not_raised(
    godseed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Finding:
        raise ZeroDivisionError("of the\ndriver")

    monkeypatch.setattr(doctor, "_gl", broken)
    rows = {row["name"]: row for row in godseed("doctor", "--json", code=3).json["findings"]}
    assert (rows["gl"]["state"], rows["gl"]["detail"]) == ("missing", "of the driver")


def test_llama_that_dies_of_its_processor_is_told_with_the_line_that_builds_it(
    godseed: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A real process that dies of a real illegal instruction."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -ILL $$\n")
    python.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    rows = {row["name"]: row for row in godseed("doctor", "--json").json["findings"]}
    row = rows["llama.cpp mind"]
    assert row["detail"].startswith("broken: llama.cpp ends with an illegal instruction")
    assert "-DGGML_NATIVE=OFF" in row["mend"]
    assert "--force-reinstall" in row["mend"]


def test_llama_without_its_model_is_told(
    godseed: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GODSEED_GGUF", str(tmp_path / "nowhere.gguf"))
    rows = {row["name"]: row for row in godseed("doctor", "--json").json["findings"]}
    assert "no such file" in rows["llama.cpp mind"]["detail"]
    assert rows["llama.cpp mind"]["mend"]


def test_folder_that_takes_no_file_is_reported(
    godseed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/proc")
    rows = {row["name"]: row for row in godseed("doctor", "--json", code=3).json["findings"]}
    assert rows["folder"]["state"] == "missing"


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_script_is_one_of_that_shell(godseed: Any, tmp_path: Path, shell: str) -> None:
    script = godseed("completion", shell).out
    assert f"_GODSEED_COMPLETE={shell}_complete" in script
    assert godseed("completion", shell, "--json").json == {"shell": shell, "script": script[:-1]}
    found = shutil.which(shell)
    if found:
        path = tmp_path / "script"
        path.write_text(script)
        subprocess.run([found, "-n", path], check=True)


def test_completion_offers_commands_and_options(spawn: Any) -> None:
    for words, expected in (("godseed re", ["render", "replay"]), ("godseed golden u", ["update"])):
        count = len(words.split()) - 1
        env = {
            "_GODSEED_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(count),
        }
        told = [line.split(",")[1] for line in spawn(env=env).out.splitlines()]
        assert told == expected
