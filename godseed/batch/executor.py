"""Where items are worked on: this process, a pool of processes, or a Dask cluster.

All three are a `concurrent.futures.Executor`. Processes are spawned, never forked, so an OpenGL
context or a model belongs to one process. Heavy state lives in the worker behind a
`functools.cache`, and every call in a worker runs on one and the same thread, also where a Dask
worker has many. Workers write nothing: what they made travels back with their result.

A stopped run leaves nothing behind: Ctrl-C and SIGTERM both arrive as KeyboardInterrupt, the pool
is killed, and a worker whose parent has died ends by itself.
"""

from __future__ import annotations

import importlib
import logging
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from multiprocessing import get_context, parent_process
from types import FrameType, TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from godseed.batch.errors import BatchError, MissingError

CONNECT_S, JOIN_S = 10, 30
"""Seconds until a scheduler has to answer, and until it has to have a worker."""
INSTALL_CLUSTER = "pip install 'godseed[cluster]'"
THREADS_VARIABLE = "LP_NUM_THREADS"
"""Threads of the software rasteriser; they do not change its pixels."""
P = ParamSpec("P")
T = TypeVar("T")


class Workers:
    """Hands out executors and replaces one that broke; a context manager.

    Attributes:
        count: how many items are worked on at once.
        scheduler: address of a Dask scheduler, None for this machine.
    """

    def __init__(self, count: int | None = None, scheduler: str | None = None) -> None:
        """Choose where to work; nothing starts before it is entered.

        Args:
            count: processes on this machine, None for as many as it has cores for us; 1 works in
                this process. On a cluster it is the cluster that decides.
            scheduler: address of a Dask scheduler, such as tcp://host:8786.
        Raises:
            BatchError: the count is under 1, or is given together with a scheduler.
        """
        if count is not None and count < 1:
            raise BatchError(f"workers: {count}; expected 1 or more; change the number")
        if count is not None and scheduler is not None:
            raise BatchError(
                f"workers: {count} and the scheduler {scheduler}; expected one of them, as a "
                "cluster has its own number; leave one out"
            )
        self.count = machine_cores() if count is None else count
        self.scheduler = scheduler
        self._executor: Executor | None = None
        self._client: Any = None
        self._handler: Any = None
        self._entered = False

    def __enter__(self) -> Self:
        """Connect, and let SIGTERM stop the run as Ctrl-C does.

        Raises:
            MissingError: Dask is not installed, the scheduler does not answer, or has no workers.
        """
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGTERM, _interrupt)
        try:
            if self.scheduler is not None:
                self._connect(self.scheduler)
        except BaseException:
            self._restore_signal()
            raise
        self._entered = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the workers; after an error at once, whatever they are at."""
        try:
            self._stop(at_once=kind is not None)
            if self._client is not None:
                with suppress(Exception):
                    self._client.close(timeout=CONNECT_S)
        finally:
            self._entered = False
            self._restore_signal()

    @property
    def here(self) -> bool:
        """Whether items are worked on in this process."""
        return self.scheduler is None and self.count == 1

    @property
    def executor(self) -> Executor:
        """The executor; made at the first use, or after `renew`."""
        if not self._entered:
            raise BatchError("workers: not entered; expected 'with Workers(...)'; enter it first")
        if self._executor is None:
            self._executor = self._make()
        return self._executor

    def renew(self) -> None:
        """Drop an executor whose workers died; the next use makes another."""
        self._stop(at_once=True)

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Hand one call to a worker; function and arguments must be picklable."""
        if self.here:
            return self.executor.submit(function, *args, **kwargs)
        call: Callable[[], T] = partial(_on_one_thread, partial(function, *args, **kwargs))
        return self.executor.submit(call)

    def _make(self) -> Executor:
        if self._client is not None:
            made: Executor = self._client.get_executor(pure=False)
            return made
        if self.count == 1:
            return HereExecutor()
        threads = max(1, machine_cores() // self.count)
        return ProcessPoolExecutor(
            self.count, get_context("spawn"), initializer=_begin, initargs=(threads,)
        )

    def _stop(self, at_once: bool) -> None:
        executor, self._executor = self._executor, None
        if executor is None:
            return
        processes = list((getattr(executor, "_processes", None) or {}).values())
        if at_once:
            for process in processes:
                process.kill()
        with suppress(Exception):  # a scheduler that is gone, say
            executor.shutdown(wait=self._client is None, cancel_futures=True)

    def _connect(self, address: str) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError as error:
            raise MissingError(
                f"--scheduler {address}: {error}; expected Dask; run '{INSTALL_CLUSTER}'"
            ) from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as error:
            raise MissingError(
                f"--scheduler {address}: {_line(error)}; expected a Dask scheduler that answers, "
                "such as tcp://host:8786; start one with 'dask scheduler'"
            ) from None
        try:
            self._client.wait_for_workers(1, timeout=JOIN_S)
        except Exception as error:
            self._client.close()
            raise MissingError(
                f"--scheduler {address}: no worker ({_line(error)}); expected at least one; "
                f"start 'dask worker {address} --nthreads 1' where godseed is installed"
            ) from None
        self.count = len(self._client.scheduler_info(n_workers=-1)["workers"])

    def _restore_signal(self) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGTERM, self._handler)
            self._handler = None


class HereExecutor(Executor):
    """Works in this process, at once; errors wait in the future, Ctrl-C does not."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do the work and give its finished future."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def machine_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _begin(threads: int) -> None:
    """Prepare a worker: Ctrl-C is its parent's affair, and it does not outlive its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault(THREADS_VARIABLE, str(threads))
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _on_one_thread(call: Callable[[], T]) -> T:
    """Run a call on the one thread of this process that does all the work."""
    return _thread().submit(call).result()


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "godseed-work")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _line(error: object) -> str:
    return " ".join(str(error).split()) or type(error).__name__
