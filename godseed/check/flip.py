"""FLIP, NVIDIA's measure of how different two pictures look: reported, never a gate.

Its maps are not the same to the last bit on every machine, and a mean hides a wrong lamp in a large
sky. The package `flip-evaluator` is optional.

Source: Andersson et al., "FLIP: A Difference Evaluator for Alternating Images", HPG 2020;
https://github.com/NVlabs/flip
"""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Final

import numpy as np

from godseed.check.compare import U8
from godseed.sim.maths import F32

INSTALL: Final = "pip install 'godseed[flip]'"
MISSING_LINE: Final = f"FLIP was not measured: flip-evaluator is not installed; run {INSTALL}"


@cache
def available() -> bool:
    """Whether FLIP can be measured here."""
    return importlib.util.find_spec("flip_evaluator") is not None


def flip_map(expected: U8, actual: U8) -> F32 | None:
    """How different each pixel looks, at 67 pixels per degree.

    Args:
        expected, actual: (h, w, 4) uint8 sRGB; alpha is not looked at.
    Returns:
        (h, w) float32, 0 equal .. 1, or None where the package is missing.
    """
    if not available():
        return None
    from flip_evaluator import evaluate

    before, after = (
        np.ascontiguousarray(pixels[:, :, :3].astype(np.float32) / np.float32(255.0))
        for pixels in (expected, actual)
    )
    found, _, _ = evaluate(before, after, "LDR", applyMagma=False)
    values: F32 = np.asarray(found, np.float32).reshape(*before.shape[:2], -1)[:, :, 0]
    return values
