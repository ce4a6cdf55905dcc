"""Working through items: skip what is finished, hand out the rest, record what comes back.

Few items are in flight at a time, so the list may be a generator and memory does not grow with it.
A worker that dies costs time: its items are handed out again, and one that is there at every death
works alone at last, so that it takes nobody with it, and is then given up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass, field
from typing import Any

from godseed.batch.errors import BatchError
from godseed.batch.executor import Workers
from godseed.batch.ledger import Ledger, Row

AHEAD = 2
"""Items in flight per worker: one that is worked on, one that waits."""
ATTEMPTS = 3
"""How often an item is begun before it is given up because its worker died."""


@dataclass(frozen=True)
class Item:
    """One piece of work.

    Attributes:
        key: its content address, see `godseed.batch.keys.item_key`.
        name: what people call it.
        arguments: of the function that does it; picklable and small.
    """

    key: str
    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Made:
    """What a function made of an item.

    Attributes:
        value: for the ledger's row, anything that JSON holds.
        files: name relative to the ledger's folder -> content.
    """

    value: Any = None
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """An item that is over.

    Attributes:
        item: which.
        row: as it stands in the ledger; with an `error` if it failed.
        skipped: whether it had been finished before this run.
    """

    item: Item
    row: Row
    skipped: bool


def work(
    items: Iterable[Item],
    function: Callable[..., Made],
    ledger: Ledger,
    workers: Workers,
    attempts: int = ATTEMPTS,
) -> Iterator[Done]:
    """Work through items, each finished one recorded before it is yielded.

    Args:
        items: in the order in which they are begun; they are yielded as they finish.
        function: module-level; called in a worker with an item's arguments.
        ledger: what is finished, before and after.
        workers: entered.
        attempts: how often an item whose worker dies is begun.
    Raises:
        BatchError: the cluster is gone.
        OSError: the ledger cannot be written.
    """
    waiting = iter(items)
    again: deque[tuple[Item, int]] = deque()
    suspects: deque[tuple[Item, int]] = deque()
    flying: dict[Future[Made | str], tuple[Item, int]] = {}
    width = 1 if workers.here else AHEAD * workers.count
    while True:
        while len(flying) < width:
            item, deaths = again.popleft() if again else (next(waiting, None), 0)
            if item is None and suspects and not flying:
                item, deaths = suspects.popleft()
            if item is None:
                break
            row = ledger.finished(item.key)
            if row is not None:
                yield Done(item, row, skipped=True)
                continue
            future = _begun(workers, function, item)
            if future is None:
                again.appendleft((item, deaths))
                break
            flying[future] = (item, deaths)
        if not flying and not again:
            return
        broken = not flying
        for future in wait(flying, return_when=FIRST_COMPLETED).done if flying else ():
            lost = not future.cancelled() and isinstance(future.exception(), BrokenExecutor)
            broken = broken or lost
        if broken:
            wait(flying)
        for future in [future for future in flying if future.done()]:
            item, deaths = flying.pop(future)
            made = _result(future, item, workers)
            if isinstance(made, Made):
                yield Done(item, _recorded(ledger, item, made), skipped=False)
            elif isinstance(made, str):
                yield Done(item, ledger.fail(item.key, item.name, made), skipped=False)
            elif deaths + 1 < attempts:
                (suspects if deaths + 2 == attempts else again).append((item, deaths + 1))
            else:
                error = f"its worker died {attempts} times; expected it to live; see its memory"
                yield Done(item, ledger.fail(item.key, item.name, error), skipped=False)
        if broken:
            workers.renew()


def _begun(
    workers: Workers, function: Callable[..., Made], item: Item
) -> Future[Made | str] | None:
    """An item's future; None if the executor broke before it took the item."""
    try:
        return workers.submit(_attempt, function, *item.arguments)
    except BrokenExecutor:
        return None


def _recorded(ledger: Ledger, item: Item, made: Made) -> Row:
    """The row of what was made; a result that no ledger can hold is a failure of its item alone."""
    try:
        return ledger.record(item.key, item.name, made.value, made.files)
    except (TypeError, ValueError) as error:
        return ledger.fail(item.key, item.name, _told(error))


def _attempt(function: Callable[..., Made], *arguments: Any) -> Made | str:
    """Do the work; an error becomes a line here, as not every exception can travel."""
    try:
        return function(*arguments)
    except Exception as error:
        return _told(error)


def _result(future: Future[Made | str], item: Item, workers: Workers) -> Made | str | None:
    """What came of an item: what it made, why it failed, or None if its worker died.

    Raises:
        BatchError: the cluster is gone.
    """
    try:
        return future.result()
    except BrokenExecutor:
        return None
    except CancelledError:
        raise BatchError(
            f"--scheduler {workers.scheduler}: gone in the middle of {item.name}; expected it to "
            "stay; start it, and run the same command to go on"
        ) from None
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            return (
                f"its workers died again and again; expected them to live; see their logs: {error}"
            )
        return _told(error)


def _told(error: Exception) -> str:
    """An error as one line, with its kind where it is not meant for readers."""
    said = " ".join(str(error).split())
    ours = type(error).__module__.startswith("godseed.") or isinstance(error, OSError | ValueError)
    return said if ours and said else f"{type(error).__name__}: {said}"
