"""The repository keeps its own promises: links lead somewhere, documented commands exist, and no
file names a machine."""

from __future__ import annotations

import importlib
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).resolve().parents[1]
ADR_SECTIONS = ["Context", "Decision", "Rejected alternatives", "Consequences", "Check"]
PUBLIC_INDEX = {"https://pypi.org/simple", "https://registry.npmjs.org"}
PUBLIC_FILES = ("https://files.pythonhosted.org/packages/", "https://registry.npmjs.org/")

# A folder of somebody's machine. A path after a letter, dot, colon or slash is part of a URL.
MACHINE_PATH = re.compile(r"(?<![\w./:$}-])/(?:home|root|tmp|work|Users|opt|mnt|farm)/[\w.]")
PRIVATE_HOST = re.compile(
    r"https?://(?:[^/\s\"']*@|[\w.-]+\.(?:internal|local|lan|corp|intra)\b"
    r"|10\.\d|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
)
INDEX_SETTING = re.compile(
    r"(?:index-url|extra-index-url|default-index|registry)[\"']?\s*[=: ]\s*[\"']?(https?://[^\s\"']+)"
)


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git knows or would add; outside git, every file not in a hidden folder."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode == 0:
        names = [name.decode() for name in listing.stdout.split(b"\0") if name]
    else:
        paths = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        names = [path.as_posix() for path in paths if not path.parts[0].startswith(".")]
    return tuple(path for name in sorted(names) if (path := ROOT / name).is_file())


def texts() -> Iterator[tuple[str, int, str]]:
    """(file, line number, line) of every tracked text file."""
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data[:8192]:
            for number, line in enumerate(data.decode("utf-8").splitlines(), 1):
                yield path.relative_to(ROOT).as_posix(), number, line


def matches(pattern: re.Pattern[str], leave_out: str = "") -> list[str]:
    return [
        f"{file}:{number}: {line.strip()[:120]}"
        for file, number, line in texts()
        if file != leave_out and pattern.search(line)
    ]


def markdown() -> list[Path]:
    return [path for path in tracked() if path.suffix == ".md"]


def prose(path: Path) -> str:
    """The text of a Markdown file without its fenced blocks and inline code."""
    text = re.sub(r"(?ms)^\s*```.*?^\s*```\s*$", "", path.read_text("utf-8"))
    return re.sub(r"`[^`\n]*`", "", text)


def shell_lines(path: Path) -> list[str]:
    """The lines of a Markdown file's shell blocks, comments and prompts removed."""
    blocks = re.findall(
        r"(?ms)^\s*```(?:sh|bash|shell|console)\n(.*?)^\s*```", path.read_text("utf-8")
    )
    return [
        line.split(" #")[0].strip().removeprefix("$ ") for b in blocks for line in b.splitlines()
    ]


def slug(heading: str) -> str:
    """The anchor that GitHub and MkDocs give to a heading."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def adrs() -> list[Path]:
    return sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


def test_no_file_names_a_folder_of_one_machine() -> None:
    assert not (found := matches(MACHINE_PATH)), "\n".join(found)


def test_no_file_names_a_private_host() -> None:
    assert not (found := matches(PRIVATE_HOST, "uv.lock")), "\n".join(found)


def test_every_package_index_is_the_public_default() -> None:
    found = {
        f"{file}:{number}: {url}"
        for file, number, line in texts()
        for url in INDEX_SETTING.findall(line)
        if url.rstrip("/") not in PUBLIC_INDEX
    }
    assert not found, "\n".join(sorted(found))


def test_lock_file_fetches_from_the_public_index_alone() -> None:
    lock = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))
    for package in lock["package"]:
        source = package["source"]
        assert source == {"editable": "."} or source.get("registry") in PUBLIC_INDEX, package[
            "name"
        ]
        for file in [*package.get("wheels", []), *filter(None, [package.get("sdist")])]:
            assert "url" not in file or file["url"].startswith(PUBLIC_FILES), file


def test_lock_file_covers_every_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lock = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))
    (own,) = (package for package in lock["package"] if package["name"] == "godseed")
    locked = {row["name"] for row in own["metadata"]["requires-dist"]}
    extras = project["optional-dependencies"]
    declared = [*project["dependencies"], *(row for rows in extras.values() for row in rows)]
    assert locked == {re.split(r"[<>=!~;\[ ]", row)[0].lower() for row in declared}
    assert sorted(own["metadata"]["provides-extras"]) == sorted(extras)


@pytest.mark.parametrize("path", markdown(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_markdown_links_resolve(path: Path) -> None:
    lost = []
    for target in re.findall(r"\]\(\s*<?([^)\s>]+)", prose(path)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        aim = (path.parent / name).resolve() if name else path
        if not aim.exists():
            lost.append(target)
        elif anchor and aim.suffix == ".md":
            headings = re.findall(r"(?m)^#+\s+(.*)$", prose(aim).replace("`", ""))
            if anchor not in map(slug, headings):
                lost.append(target)
    assert not lost, f"{path.relative_to(ROOT)}: {lost}"


def test_decisions_are_numbered_once_each() -> None:
    numbers = [int(path.name[:4]) for path in adrs()]
    assert numbers == sorted(set(numbers))
    assert all(re.fullmatch(r"\d{4}(-[a-z0-9]+)+\.md", path.name) for path in adrs())


def test_decisions_index_lists_each_decision() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")
    assert re.findall(r"\]\((\d{4}[\w-]*\.md)\)", index) == [path.name for path in adrs()]


@pytest.mark.parametrize("path", adrs(), ids=lambda path: path.stem)
def test_decision_has_its_five_sections(path: Path) -> None:
    parts = re.split(r"(?m)^## +(.+?) *$", path.read_text("utf-8"))
    assert parts[1::2] == ADR_SECTIONS
    assert all(body.strip() for body in parts[2::2]), "a section is empty"


@pytest.mark.parametrize("path", adrs(), ids=lambda path: path.stem)
def test_decision_names_a_test_that_holds_it(path: Path) -> None:
    check = path.read_text("utf-8").split("## Check")[1]
    named = re.findall(r"(?:tests|web)/[\w/.-]+\.(?:py|js|mjs)", check)
    assert named, "the Check section names no test file"
    assert not (lost := [name for name in named if not (ROOT / name).exists()]), lost


def test_changelog_fragments_are_one_sentence_each() -> None:
    fragments = [path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    assert fragments
    for path in fragments:
        assert re.fullmatch(r"\d+(-[a-z]+)?\.(change|fix|breaking)\.md", path.name), path.name
        text = path.read_text("utf-8").strip()
        assert re.fullmatch(r"[A-Z`].{20,400}\.", text, re.DOTALL), f"{path.name}: {text!r}"
        assert not re.search(r"[.!?]\s+[A-Z]", text), f"{path.name}: more than one sentence"


def test_documented_do_jobs_exist() -> None:
    script = (ROOT / "do").read_text("utf-8")
    jobs = set(re.findall(r"(?m)^    ([a-z]+)(?: \|[^)]*)?\)", script))
    assert {"demo", "test", "lint", "bench", "docs", "help"} <= jobs
    for path in markdown():
        used = set(re.findall(r"\./do ([a-z]+)", path.read_text("utf-8")))
        assert used <= jobs, f"{path.relative_to(ROOT)}: ./do {used - jobs}"


def test_do_help_names_every_job() -> None:
    shown = subprocess.run([ROOT / "do", "help"], capture_output=True, text=True, check=True).stdout
    for job in ["demo", "test", "lint", "bench", "docs", "help"]:
        assert re.search(rf"(?m)^  {job}\b", shown), job


def test_do_refuses_an_unknown_job_with_the_way_out() -> None:
    ran = subprocess.run([ROOT / "do", "dance"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "unknown job 'dance'; expected demo, test, lint, bench, web, docs or help" in ran.stderr


def test_documented_commands_and_options_exist() -> None:
    main = importlib.import_module("godseed.cli.main").main
    lost = []
    for path in markdown():
        for line in shell_lines(path):
            for words in re.findall(r"(?:^|\| ?|&& ?)(?:uv run )?godseed +([^|&>]*)", line):
                lost += [
                    f"{path.relative_to(ROOT)}: godseed {words}: {reason}"
                    for reason in _unknown_words(main, words.split())
                ]
    assert not lost, "\n".join(lost)


def _unknown_words(command: click.Command, words: list[str]) -> Iterator[str]:
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            yield f"no command {words[0]!r}"
            return
        command = command.commands[words.pop(0)]
    known = {"--help", "--version"} | {
        name for p in command.params for name in p.opts + p.secondary_opts
    }
    yield from (
        f"no option {word}"
        for word in words
        if re.match(r"-{1,2}[a-z]", word) and word.split("=")[0] not in known
    )
