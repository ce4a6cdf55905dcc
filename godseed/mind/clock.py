"""Where a trace's milliseconds come from: the machine, or the token counts."""

from __future__ import annotations

import time
from typing import Protocol

TOKEN_IN_MS = 0.25
TOKEN_OUT_MS = 20.0


class Clock(Protocol):
    """A source of milliseconds for one planner."""

    def now_ms(self) -> float:
        """Milliseconds since some fixed moment."""

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        """Told after each generation; a virtual clock moves by it."""


class WallClock:
    """The machine's monotonic clock."""

    def now_ms(self) -> float:
        """Milliseconds of the monotonic clock."""
        return time.monotonic() * 1000.0

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        """Real time passes by itself."""


class VirtualClock:
    """Time as a function of the tokens alone: equal runs give equal traces, byte for byte."""

    def __init__(self) -> None:
        self._ms = 0.0

    def now_ms(self) -> float:
        """Milliseconds spent so far."""
        return self._ms

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        """Move on by the time that a small model would need for these tokens."""
        self._ms += tokens_in * TOKEN_IN_MS + tokens_out * TOKEN_OUT_MS
