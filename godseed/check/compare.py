"""Two images of one size: where they differ, whether gates hold, and which feature drew what.

Gates judge images of different rasterisers only; on the same rasteriser nothing may differ. A mean
is never a gate: it lets a wrong lamp drown in a large sky. Rasterisers put an edge elsewhere
within a pixel, so the gates count what a shift of one pixel does not explain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from godseed.check.case_file import Gates
from godseed.sim.maths import F32, BoolArray

U8 = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]

GROUND: Final = "ground"
SKY: Final = "sky"


@dataclass(frozen=True)
class Measured:
    """How far apart two images are.

    Attributes:
        pixels: number of pixels that differ at all.
        total: number of pixels.
        largest: largest difference of a channel, 0..255.
        over: number of pixels with a channel over the gate `per_pixel`, edges that lie a pixel
            aside not counted.
        share: over / total.
        window_share: share of pixels over the gate in the worst window.
        window_at: left and top of that window, pixels.
        passing: gate values that would pass: `max_share` and `window_share` at the `per_pixel` in
            force, and the `per_pixel` that would do at the shares in force.
    """

    pixels: int
    total: int
    largest: int
    over: int
    share: float
    window_share: float
    window_at: tuple[int, int]
    passing: Mapping[str, float]

    def within(self, gates: Gates) -> bool:
        """Whether the gates that it was measured with hold."""
        return self.share <= gates.max_share and self.window_share <= gates.window_share

    @property
    def text(self) -> str:
        """One line for people."""
        x, y = self.window_at
        return (
            f"{self.pixels} of {self.total} px differ, largest difference {self.largest}/255, "
            f"{self.over} px over tolerance ({self.share:.4%}), "
            f"worst window {self.window_share:.1%} at ({x},{y})"
        )

    @property
    def would_pass(self) -> str:
        """The gate values that would pass, in words."""
        shares = ", ".join(
            f"{name} {self.passing[name]:g}" for name in ("max_share", "window_share")
        )
        return f"would pass with {shares}; or with per_pixel {self.passing['per_pixel']:g}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {**asdict(self), "window_at": list(self.window_at), "passing": dict(self.passing)}


def difference(before: U8, after: U8) -> U8:
    """Largest difference of any channel per pixel.

    Args:
        before, after: (h, w, 4) uint8.
    Returns:
        (h, w) uint8.
    """
    apart = np.maximum(before, after) - np.minimum(before, after)
    largest: U8 = apart.max(axis=2)
    return largest


def perceived(before: U8, after: U8) -> U8:
    """What is left of the difference where an edge may lie one pixel aside.

    A pixel differs by as much as it lies outside of what the other image shows in the 3x3 pixels
    around it, looked at both ways, so that what is missing from either image still counts.

    Args:
        before, after: (h, w, 4) uint8.
    Returns:
        (h, w) uint8, nowhere more than `difference`.
    """
    return np.maximum(_outside(before, after), _outside(after, before))


def measure(apart: U8, gates: Gates, seen: U8 | None = None) -> Measured:
    """Measure two images against gates.

    Args:
        apart: (h, w) their `difference`.
        gates: of another rasteriser's image.
        seen: (h, w) what the gates judge, `perceived`; by default `apart`.
    """
    seen = apart if seen is None else seen
    over = seen > gates.per_pixel
    share, window_share, at = _shares(over, gates.window)

    def holds(per_pixel: int) -> bool:
        total, worst, _ = _shares(seen > per_pixel, gates.window)
        return total <= gates.max_share and worst <= gates.window_share

    passing = {
        "max_share": max(gates.max_share, _rounded_up(share)),
        "window_share": max(gates.window_share, _rounded_up(window_share)),
        "per_pixel": _lowest(holds, gates.per_pixel, int(seen.max(initial=0))),
    }
    return Measured(
        pixels=int(np.count_nonzero(apart)),
        total=apart.size,
        largest=int(apart.max(initial=0)),
        over=int(np.count_nonzero(over)),
        share=share,
        window_share=window_share,
        window_at=at,
        passing=passing,
    )


def attribute(
    differs: BoolArray,
    ids: I32,
    ids_before: I32,
    depth: F32,
    culprits: BoolArray,
    culprits_before: BoolArray,
) -> tuple[dict[int, int], dict[int, int], int, int]:
    """Count differing pixels by what drew them; every pixel is counted once.

    A pixel belongs to a feature that changed if one drew it before or draws it now, else to what
    draws it now, else to what drew it before, else to the ground or the sky.

    Args:
        differs: (h, w) which pixels differ.
        ids: (h, w) world index of the feature that draws each pixel now, -1 for none.
        ids_before: the same for the expected world.
        depth: (h, w) distance now, infinite where nothing is.
        culprits: (n,) which features of the world now changed.
        culprits_before: (m,) which features of the expected world changed or are gone.
    Returns:
        counts by index in the world now, counts by index in the expected world, pixels of the
        ground, pixels of the sky.
    """
    new, old, far = ids[differs], ids_before[differs], ~np.isfinite(depth[differs])
    new_changed = _flags(culprits, new)
    old_changed = _flags(culprits_before, old)
    by_new = new_changed | (~old_changed & (new >= 0))
    by_old = ~by_new & (old >= 0)
    rest = ~by_new & ~by_old
    return (
        _counts(new[by_new]),
        _counts(old[by_old]),
        int(np.count_nonzero(rest & ~far)),
        int(np.count_nonzero(rest & far)),
    )


def _outside(image: U8, other: U8) -> U8:
    """How far each pixel lies outside the range of the 3x3 pixels around it in another image."""
    padded = np.pad(other, ((1, 1), (1, 1), (0, 0)), mode="edge")
    low, high = _extreme(np.minimum, padded), _extreme(np.maximum, padded)
    furthest: U8 = (np.maximum(image, high) - high + (low - np.minimum(image, low))).max(axis=2)
    return furthest


def _extreme(pick: Callable[[U8, U8], U8], padded: U8) -> U8:
    """The least or the most of each 3x3 pixels; one pixel smaller on every side."""
    across = pick(pick(padded[:, :-2], padded[:, 1:-1]), padded[:, 2:])
    return pick(pick(across[:-2], across[1:-1]), across[2:])


def _shares(over: BoolArray, window: int) -> tuple[float, float, tuple[int, int]]:
    """Share of true pixels overall, in the worst window, and that window's left and top."""
    height, width = over.shape
    tall, wide = min(window, height), min(window, width)
    table = np.zeros((height + 1, width + 1), np.int64)
    table[1:, 1:] = over.astype(np.int64).cumsum(axis=0).cumsum(axis=1)
    inside = table[tall:, wide:] - table[:-tall, wide:] - table[tall:, :-wide]
    inside = inside + table[:-tall, :-wide]
    top, left = np.unravel_index(int(np.argmax(inside)), inside.shape)
    worst = float(inside[top, left]) / (tall * wide)
    return float(table[-1, -1]) / over.size, worst, (int(left), int(top))


def _lowest(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Lowest tolerance from `low` on that holds; `high` always does."""
    high = max(low, high)
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _rounded_up(share: float) -> float:
    """A share with four decimals that is not below it."""
    return float(np.ceil(share * 10_000.0)) / 10_000.0


def _flags(flags: BoolArray, index: I32) -> BoolArray:
    """flags[index], false outside."""
    inside = (index >= 0) & (index < len(flags))
    found = np.zeros(len(index), np.bool_)
    found[inside] = flags[index[inside]]
    return found


def _counts(index: I32) -> dict[int, int]:
    found, counts = np.unique(index, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))
