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
        bar: what it should reach, None where nothing is asked for.
        at_least: whether more is better: the bar is a floor, not a ceiling.
        note: how it was measured, or why it was not.
    """

    group: str
    name: str
    value: float
    unit: str
    bar: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """`holds`, `misses`, or nothing where there is no bar or no figure."""
        if self.bar is None or self.value != self.value:
            return ""
        good = self.value >= self.bar if self.at_least else self.value <= self.bar
        return "holds" if good else "misses"

    @property
    def line(self) -> str:
        """The row for people."""
        figure = "not measured" if self.value != self.value else f"{self.value:,.3f} {self.unit}"
        text = f"  {self.name:46} {figure:>16}"
        if self.bar is not None:
            text += f"   bar {'>=' if self.at_least else '<='} {self.bar:g} {self.unit:2}"
            text += f"  {self.verdict:6}"
        return f"{text}  {self.note}".rstrip()


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
