"""A folder of work that workers can import, and a Dask cluster of two workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of work; its folder is on the path of this process and of those it spawns."""
    monkeypatch.syspath_prepend(str(HERE))
    import batch_jobs

    module: ModuleType = batch_jobs
    return module


@dataclass
class Cluster:
    """A scheduler and its workers, each a process of its own."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]
    env: dict[str, str]

    def start_worker(self) -> subprocess.Popen[bytes]:
        words = ["worker", self.address, "--nthreads", "2", "--no-nanny", "--no-dashboard"]
        worker = _dask([*words, "--worker-port", "0", "--host", "127.0.0.1"], self.env)
        self.workers.append(worker)
        return worker

    def kill_worker(self) -> None:
        """Kill the first worker and start another."""
        worker = self.workers.pop(0)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        self.start_worker()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A real scheduler with two workers on loopback."""
    folder = tmp_path_factory.mktemp("dask")
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])]),
        "DASK_TEMPORARY_DIRECTORY": str(folder),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "3",
    }
    words = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    scheduler = _dask(["scheduler", "--scheduler-file", str(folder / "at.json"), *words[1:]], env)
    made = Cluster(_address(folder / "at.json", scheduler), scheduler, [], env)
    try:
        made.start_worker()
        made.start_worker()
        yield made
    finally:
        for process in (*made.workers, scheduler):
            process.terminate()
        for process in (*made.workers, scheduler):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(file: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """Where a scheduler listens, once it has said so."""
    for _ in range(1200):
        if scheduler.poll() is not None:
            break
        with suppress(OSError, ValueError):
            return str(json.loads(file.read_text("utf-8"))["address"])
        time.sleep(0.1)
    pytest.fail(f"the scheduler did not say where it is; exit code {scheduler.poll()}")


def _dask(words: list[str], env: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
