"""Whether llama.cpp works on this processor, found out in a process that may die of it.

A library that was built for another processor ends the process with an illegal instruction at the
first evaluation, so nothing can be caught where it happens. `python -m` this module with the name
of a model evaluates one token; `reason` runs that and says what came of it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from godseed.mind.backends import MissingError
from godseed.mind.backends.llama_engine import INSTALL, Context, Weights, library
from godseed.mind.backends.model_files import find_model

TIMEOUT_S: Final = 300
MEND: Final = INSTALL.replace("install", "install --force-reinstall --no-cache-dir")
DEATHS: Final = {
    signal.SIGILL: "an illegal instruction: it was built for another processor",
    signal.SIGSEGV: "a segmentation fault",
    signal.SIGABRT: "an abort of its own",
    signal.SIGKILL: "being killed: there was not enough memory, most likely",
}


def reason(model: Path) -> str:
    """What keeps llama.cpp from evaluating one token of a model; empty if nothing does."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "godseed.mind.backends.llama_probe", str(model)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {TIMEOUT_S} s"
    if done.returncode < 0:
        death = signal.Signals(-done.returncode)
        return f"llama.cpp ends with {DEATHS.get(death, death.name)}"
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return "" if done.returncode == 0 else (said[-1] if said else f"exit {done.returncode}")


def ensure_works(model: Path) -> None:
    """Probe the library once per build and processor; a file in the user's cache tells the rest.

    Raises:
        MissingError: it does not work here; the text has the line that builds it anew.
    """
    mark = _mark()
    if mark.exists():
        return
    found = reason(model)
    if found:
        raise MissingError(f"llama.cpp: {found}; expected it to evaluate a token; run: {MEND}")
    with suppress(OSError):  # a home that cannot be written to costs a second each time
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def _mark() -> Path:
    """A file name that another build or another processor does not share."""
    folder = Path(library().__file__).parent
    parts = [platform.machine(), platform.processor(), library().__version__]
    parts += [
        f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}"
        for path in sorted(folder.glob("lib/*.so*"))
    ]
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        parts += sorted({line for line in lines if line.startswith(("flags", "Features"))})
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "godseed" / f"llama-works-{digest}"


def _evaluate(model: Path) -> None:
    weights = Weights(model)
    Context(weights, 64, 1).read(weights.tokenize("behold")[:4])


if __name__ == "__main__":
    try:
        _evaluate(find_model(sys.argv[1]))
    except Exception as error:
        print(error, file=sys.stderr)
        sys.exit(1)
