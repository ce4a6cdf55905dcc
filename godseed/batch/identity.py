"""What decides the pixels of a worker: the code that it runs, and its rasteriser.

Frames of one clip may come from many workers, and a killed run goes on with frames of an earlier
one. Both are sound only where code and rasteriser are the same, so both are part of every key.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import godseed
from godseed.batch.errors import BatchError
from godseed.render.context import context, fingerprint

DRAWING = ("spec", "sim", "render", "batch")
"""Packages whose files decide what is drawn."""
SOURCES = (".py", ".json", ".png", ".vert", ".frag", ".glsl")


@dataclass(frozen=True)
class Identity:
    """Who draws.

    Attributes:
        code: digest of the code that draws, see `code_digest`.
        fingerprint: key of rasteriser and sample count.
    """

    code: str
    fingerprint: str


def identity(samples: int) -> Identity:
    """This process as one that draws.

    Raises:
        MissingGLError: it has no OpenGL.
    """
    return Identity(code_digest(DRAWING), fingerprint(context(), samples).key)


@cache
def code_digest(packages: tuple[str, ...]) -> str:
    """SHA-256 of the files of some of our packages, data and shaders included, hexadecimal.

    Args:
        packages: names inside `godseed`.
    """
    root, digest = Path(godseed.__file__).parent, hashlib.sha256(godseed.__version__.encode())
    for package in packages:
        for file in sorted((root / package).rglob("*")):
            if file.suffix in SOURCES:
                data = file.read_bytes()
                name = file.relative_to(root).as_posix()
                digest.update(f"\n{name} {len(data)}\n".encode())
                digest.update(data)
    return digest.hexdigest()


def require_same(mine: Identity, expected: Identity) -> None:
    """Refuse to draw for others who would draw otherwise.

    Raises:
        BatchError: code or rasteriser differ; the message names both.
    """
    if mine.code != expected.code:
        raise BatchError(
            f"worker: runs other code of godseed ({mine.code[:12]}); expected {expected.code[:12]}"
            "; install one version of godseed on all workers"
        )
    if mine != expected:
        raise BatchError(
            f"worker: draws with {mine.fingerprint}; expected {expected.fingerprint}; use workers "
            "with one rasteriser, as others give other pixels"
        )
