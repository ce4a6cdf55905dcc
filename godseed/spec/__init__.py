"""The data that both twins read, and the single door to it.

Everything here ships in the wheel and is served at `/spec/`; there is no second copy anywhere. The
objects that `load` returns are cached and shared: read them, never change them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

__all__ = ["constants", "load", "path", "text"]


@cache
def load(name: str) -> Any:
    """Read one JSON file of the specification.

    Args:
        name: path inside the specification, such as `tools.json`.
    Returns:
        The parsed JSON, cached for the life of the process and shared by all callers.
    Raises:
        FileNotFoundError: there is no such file.
    """
    return json.loads(text(name))


@cache
def text(name: str) -> str:
    """Read one text file of the specification, such as `glsl/planet.vert`, as UTF-8.

    Raises:
        FileNotFoundError: there is no such file.
    """
    return path(name).read_text(encoding="utf-8")


def path(name: str) -> Path:
    """Where a file of the specification lies on disk.

    Raises:
        FileNotFoundError: there is no such file.
    """
    found = Path(str(files("godseed.spec").joinpath(name)))
    if not found.is_file():
        raise FileNotFoundError(
            f"spec.path: no file {name!r}; expected a file of godseed/spec; check the name"
        )
    return found


def constants() -> Mapping[str, Mapping[str, Any]]:
    """The numbers that both twins share: section name -> constant name -> value."""
    sections: Mapping[str, Mapping[str, Any]] = load("constants.json")
    return sections
