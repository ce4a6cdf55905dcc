"""The workflows and the composite action: they parse, and what they run exists and works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from godseed.check.new_case import new_case
from godseed.cli.golden import check_command
from godseed.sim.genesis import genesis_features

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / ".github/actions/golden/action.yml"
WORKFLOWS = (
    ROOT / ".github/workflows/golden.yml",
    ROOT / "examples/golden-sample/.github/workflows/golden.yml",
)


def parsed(file: Path) -> Any:
    return yaml.safe_load(file.read_text("utf-8"))


def steps(file: Path) -> list[dict[str, Any]]:
    document = parsed(file)
    jobs = document.get("jobs", {"only": document.get("runs")})
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("file", WORKFLOWS)
def test_workflow_is_pinned_bounded_in_rights_and_keeps_the_report(file: Path) -> None:
    document = parsed(file)
    assert document["permissions"] == {"contents": "read"}
    (job,) = document["jobs"].values()
    assert re.fullmatch(r"ubuntu-\d\d\.\d\d", job["runs-on"])
    used = [step["uses"] for step in steps(file) if "uses" in step]
    assert used[0].startswith("actions/checkout@v")
    keeps = "./.github/actions/golden" in used or any("upload-artifact" in one for one in used)
    assert keeps


@pytest.mark.parametrize("file", [ACTION, *WORKFLOWS])
def test_actions_come_from_one_owner_and_have_versions(file: Path) -> None:
    for step in steps(file):
        if "uses" in step and not step["uses"].startswith("./"):
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])


def test_every_input_of_the_action_is_used_and_every_used_one_is_declared() -> None:
    text, document = ACTION.read_text("utf-8"), parsed(ACTION)
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(document["inputs"])
    assert all("shell" in step for step in steps(ACTION) if "run" in step)
    given = next(step for step in steps(WORKFLOWS[0]) if step["uses"].startswith("./"))["with"]
    assert set(given) <= set(document["inputs"])


def test_options_that_the_action_passes_exist() -> None:
    (script,) = (step["run"] for step in steps(ACTION) if step.get("id") == "check")
    used = set(re.findall(r"(?<=[( ])--?[a-z][\w-]*", script.split("tee")[0])) - {"-n"}
    known = {name for param in check_command.params for name in param.opts}
    assert isinstance(check_command, click.Command)
    assert used <= known, used - known
    assert {"--report", "--junit", "--workers", "-k", "--allow-missing"} <= used


@pytest.mark.parametrize("broken", [False, True])
def test_check_step_of_the_action_passes_and_fails_with_a_report(
    tmp_path: Path, broken: bool
) -> None:
    new_case(tmp_path / "golden", "one", genesis_features(), [("town", 4.0)], (64, 36), 0)
    program = tmp_path / "bin/godseed"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m godseed "$@"\n')
    program.chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "FOLDER": "golden",
        "PATTERN": "one or none",
        "WORKERS": "1",
        "ALLOW_MISSING": str(not broken).lower(),
        "PYTHONPATH": str(ROOT),
    }
    (script,) = (step["run"] for step in steps(ACTION) if step.get("id") == "check")
    ran = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=tmp_path,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == int(broken), ran.stdout + ran.stderr
    assert (tmp_path / "golden-report.html").is_file()
    assert (tmp_path / "golden.xml").is_file()
    assert "missing" in (tmp_path / "golden.txt").read_text()
    assert (tmp_path / "output").read_text() == "report=golden-report.html\n"
