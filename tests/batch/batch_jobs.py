"""Work that a test hands to workers; workers import it by this name."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

from godseed.batch.work import Made


class Odd(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} {two}")


def square(number: int) -> Made:
    return Made({"square": number * number}, {f"{number}.bin": bytes([number]) * 1000})


def where(number: int) -> Made:
    return Made([os.getpid(), threading.get_ident()])


def fussy(number: int) -> Made:
    if number == 2:
        raise ValueError("number: 2; expected another")
    if number == 3:
        raise Odd("out of", "order")
    if number == 4:
        return Made(object())
    return Made(number)


def mortal(number: int, folder: str, deaths: int) -> Made:
    """Dies the first `deaths` times that it is asked for 5."""
    died = Path(folder, "deaths")
    found = len(died.read_text()) if died.exists() else 0
    if number == 5 and found < deaths:
        with died.open("a") as file:
            file.write("x")
        os.kill(os.getpid(), signal.SIGKILL)
    return square(number)


def slow(number: int, folder: str) -> Made:
    Path(folder, f"begun-{number}").touch()
    time.sleep(60)
    return square(number)


def counted(number: int, folder: str) -> Made:
    with Path(folder, "calls").open("a") as file:
        file.write(f"{number}\n")
    return square(number)
