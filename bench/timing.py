"""How the benchmarks measure: medians of several runs, and named rows of a table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        group: what is measured.
        name: which part or size of it.
        value: the number.
        unit: of the number; ratios have `x`.
    """

    group: str
    name: str
    value: float
    unit: str


def median_ms(work: Callable[[], object], runs: int, warm_up: int = 1) -> float:
    """Median time of a piece of work in milliseconds."""
    for _ in range(warm_up):
        work()
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1000.0


def once_s(work: Callable[[], object]) -> float:
    """Time of one run in seconds."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
