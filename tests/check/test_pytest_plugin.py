"""The fixture `golden`, in projects of their own that pytest runs, and in the sample project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import godseed.check.report  # noqa: F401  # what the inner runs share with this process is imported before
from godseed.check.golden import check
from godseed.check.pytest_plugin import _own_report, _slug

pytest_plugins = ["pytester"]
TEST = """
from godseed.sim.world import World

HUE = 200


def tower(hue):
    args = {"lat": 13, "lon": 40, "kind": "tower", "scale": 1.5, "hue": hue}
    return World.genesis().apply({"tool": "place_structure", "args": args}, "w_000001", 0).world


def test_tower(golden):
    verdict = golden.check(tower(HUE), shot="town", t=4.0, size=(96, 54), samples=0)
    assert verdict.passed


def test_genesis_twice(golden):
    golden.check("genesis", shot=["town", "world"], t=[0, 2], size=(64, 36), samples=0)
    golden.check(tower(10), name="other", size=(64, 36), samples=0)
"""


@dataclass(frozen=True)
class Ran:
    """How pytest ended, and what it said."""

    code: int
    text: str


def start(folder: Path, *words: str) -> Ran:
    """Run pytest as a process of its own."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**env, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
        text=True,
    )
    return Ran(ran.returncode, ran.stdout + ran.stderr)


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run pytest in a folder, inside this process."""

    def inner(folder: Path, *words: str) -> Ran:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        ran = pytester.runpytest_inprocess("-q", "-p", "no:cacheprovider", *words)
        return Ran(int(ran.ret), ran.stdout.str() + ran.stderr.str())

    return inner


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose pictures were approved."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "tests").mkdir()
    (folder / "tests/test_towers.py").write_text(TEST)
    missing = start(folder)
    assert missing.code == 1, missing.text
    assert "missing: no geometry.json; nothing was ever approved" in missing.text
    assert "--golden-update=missing" in missing.text
    approved = start(folder, "--golden-update=missing")
    assert approved.code == 0, approved.text
    assert "updated tests/golden/test_towers/test_tower" in approved.text
    return folder


def edited(project: Path, to: Path, old: str, new: str) -> Path:
    folder = Path(shutil.copytree(project, to / "project"))
    test = folder / "tests/test_towers.py"
    assert old in test.read_text()
    test.write_text(test.read_text().replace(old, new))
    return folder


def test_approved_pictures_pass_and_the_command_line_knows_them_as_cases(
    run: Callable[..., Ran], project: Path
) -> None:
    again = run(project)
    assert again.code == 0, again.text
    report = check(project / "tests/golden")
    assert report.passed, report.lines
    assert [verdict.case for verdict in report.cases] == [
        "test_towers/test_genesis_twice",
        "test_towers/test_genesis_twice/other",
        "test_towers/test_tower",
    ]
    assert len(report.cases[0].frames) == 4


def test_changed_world_fails_with_argument_report_and_the_command_that_accepts(
    run: Callable[..., Ran], project: Path, tmp_path: Path
) -> None:
    folder = edited(project, tmp_path, "HUE = 200", "HUE = 190")
    failed = run(folder, "--golden-report=r.html")
    assert failed.code == 1
    assert "world: f_000004 place_structure: hue 200 -> 190" in failed.text
    assert "1 failed, 1 passed" in failed.text
    accept = re.search(r"to accept: godseed golden approve (\S+)", failed.text)
    assert accept is not None
    words = ["golden", "approve", accept[1]]
    ran = subprocess.run(
        [sys.executable, "-m", "godseed", *words], cwd=folder, check=False, capture_output=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    case = json.loads((folder / "tests/golden/test_towers/test_tower/case.json").read_text())
    assert case["world"]["features"][4]["args"]["hue"] == 190
    assert run(folder).code == 0


def test_update_missing_leaves_a_changed_world_failing_and_update_failing_accepts_it(
    run: Callable[..., Ran], project: Path, tmp_path: Path
) -> None:
    folder = edited(project, tmp_path, "HUE = 200", "HUE = 190")
    assert run(folder, "--golden-update=missing").code == 1
    assert run(folder, "--golden-update=failing").code == 0
    assert run(folder).code == 0
    assert check(folder / "tests/golden").passed


def test_missing_picture_fails_unless_allowed(
    run: Callable[..., Ran], project: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(project, tmp_path / "project"))
    (image,) = (folder / "tests/golden/test_towers/test_tower").glob("*/*.png")
    image.unlink()
    assert run(folder, "-k", "tower").code == 1
    assert run(folder, "-k", "tower", "--golden-allow-missing").code == 0


def test_folder_of_all_cases_can_be_chosen(
    run: Callable[..., Ran], project: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(project, tmp_path / "project"))
    (folder / "pytest.ini").write_text("[pytest]\ngolden_dir = pictures\n")
    assert run(folder, "--golden-update=missing", "-k", "tower").code == 0
    assert (folder / "pictures/test_towers/test_tower/case.json").is_file()


def test_bad_argument_is_one_line_of_advice(
    run: Callable[..., Ran], project: Path, tmp_path: Path
) -> None:
    folder = edited(project, tmp_path, 'shot="town"', 'shot="sideways"')
    failed = run(folder, "-k", "tower")
    assert "shot: 'sideways'; expected town, world" in failed.text


def test_sample_project_draws_holds_and_catches(
    run: Callable[..., Ran], repo_root: Path, tmp_path: Path
) -> None:
    left_out = shutil.ignore_patterns("golden", "__pycache__")
    source = repo_root / "examples/golden-sample"
    folder = Path(shutil.copytree(source, tmp_path / "sample", ignore=left_out))
    first = run(folder, "--golden-update=missing")
    assert first.code == 0, first.text
    assert run(folder).code == 0
    file = folder / "village.py"
    file.write_text(file.read_text().replace("HUE = 45", "HUE = 50"))
    failed = run(folder)
    assert failed.code == 1
    assert "f_000007 place_structure: hue 45 -> 50" in failed.text


def test_names_of_cases_are_folders_on_every_system() -> None:
    assert _slug("test_x[town-1.5/a b]") == "test_x-town-1.5-a-b"
    assert _slug("...") == "case"


def test_workers_of_xdist_write_reports_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    assert _own_report(Path("out/r.html")) == Path("out/r-gw1.html")
    monkeypatch.delenv("PYTEST_XDIST_WORKER")
    assert _own_report(Path("out/r.html")) == Path("out/r.html")
