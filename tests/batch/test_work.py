"""Items are worked through once, wherever they run and whoever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from godseed.batch.errors import BatchError, MissingError
from godseed.batch.executor import Workers
from godseed.batch.keys import item_key
from godseed.batch.ledger import Ledger
from godseed.batch.work import Done, Item, Made, work


def items(count: int, *more: object) -> Iterator[Item]:
    for number in range(count):
        yield Item(item_key({"number": number}), f"number {number}", (number, *more))


def run(
    folder: Path,
    function: Callable[..., Made],
    count: int,
    workers: Workers,
    *more: object,
) -> list[Done]:
    with workers, Ledger(folder / "ledger.jsonl") as ledger:
        return list(work(items(count, *more), function, ledger, workers))


def results(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Everything that a run left, without the order in which it came."""
    with Ledger(folder / "ledger.jsonl") as ledger:
        rows = {row.key: (row.name, row.value, dict(row.files), row.error) for row in ledger.rows()}
    return rows, {file.name: file.read_bytes() for file in folder.glob("*.bin")}


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        from batch_jobs import square
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("serial")
    run(folder, square, 12, Workers(1))
    return folder


def test_two_processes_give_the_rows_and_bytes_of_one(
    jobs: ModuleType, serial: Path, tmp_path: Path
) -> None:
    done = run(tmp_path, jobs.square, 12, Workers(2))
    assert sorted(one.item.name for one in done) == sorted(f"number {i}" for i in range(12))
    assert not any(one.skipped or one.row.error for one in done)
    assert results(tmp_path) == results(serial)


def test_second_run_begins_nothing(jobs: ModuleType, tmp_path: Path) -> None:
    for skipped in (False, True):
        done = run(tmp_path, jobs.counted, 6, Workers(1), str(tmp_path))
        assert [one.skipped for one in done] == [skipped] * 6
    assert len((tmp_path / "calls").read_text().splitlines()) == 6


def test_failed_items_are_told_recorded_and_begun_again(jobs: ModuleType, tmp_path: Path) -> None:
    for _ in range(2):
        done = {one.item.name: one for one in run(tmp_path, jobs.fussy, 6, Workers(2))}
        assert done["number 2"].row.error == "number: 2; expected another"
        assert done["number 3"].row.error == "Odd: out of order"
        assert done["number 4"].row.error.startswith("TypeError: Object of type object is not JSON")
        assert [done[f"number {i}"].row.value for i in (0, 1, 5)] == [0, 1, 5]
        assert not any(done[f"number {i}"].skipped for i in (2, 3, 4))


@pytest.mark.parametrize("deaths", [1, 2])
def test_killed_worker_costs_only_time(
    jobs: ModuleType, serial: Path, tmp_path: Path, deaths: int
) -> None:
    done = run(tmp_path, jobs.mortal, 12, Workers(2), str(tmp_path), deaths)
    assert not any(one.row.error for one in done)
    assert len((tmp_path / "deaths").read_text()) == deaths
    assert results(tmp_path) == results(serial)


def test_item_that_kills_its_workers_is_given_up_alone(jobs: ModuleType, tmp_path: Path) -> None:
    done = run(tmp_path, jobs.mortal, 12, Workers(2), str(tmp_path), 99)
    failed = [one for one in done if one.row.error]
    assert [one.item.name for one in failed] == ["number 5"]
    assert failed[0].row.error.startswith("its worker died 3 times; expected it to live")
    assert len(done) == 12


def test_each_worker_works_on_one_thread(jobs: ModuleType, tmp_path: Path) -> None:
    done = run(tmp_path, jobs.where, 12, Workers(2))
    seen = {tuple(one.row.value) for one in done}
    assert len(seen) == len({process for process, _ in seen}) <= 2
    assert os.getpid() not in {process for process, _ in seen}


def test_list_of_items_is_not_read_ahead(jobs: ModuleType, tmp_path: Path) -> None:
    begun = 0

    def counting() -> Iterator[Item]:
        nonlocal begun
        for item in items(50):
            begun += 1
            yield item

    with Workers(1) as workers, Ledger(tmp_path / "l.jsonl") as ledger:
        for number, _ in enumerate(work(counting(), jobs.square, ledger, workers)):
            assert begun <= number + 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopped_run_leaves_no_worker_and_goes_on(
    jobs: ModuleType, tmp_path: Path, number: signal.Signals
) -> None:
    code = (
        "import batch_jobs; from test_work import *\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "run(folder, batch_jobs.square, 4, Workers(1))\n"
        f"run(folder, batch_jobs.slow, 8, Workers(2), {str(tmp_path)!r})\n"
    )
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not (tmp_path / "begun-4").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    process.wait(timeout=60)
    _wait_until_gone(process.pid)
    done = run(tmp_path, jobs.square, 8, Workers(1))
    assert [one.skipped for one in done] == [True] * 4 + [False] * 4
    assert not list(tmp_path.glob(".*"))


def test_cluster_gives_the_rows_and_bytes_of_one_process(
    jobs: ModuleType, serial: Path, tmp_path: Path, cluster: Any
) -> None:
    done = run(tmp_path, jobs.square, 12, Workers(scheduler=cluster.address))
    assert not any(one.row.error for one in done)
    assert results(tmp_path) == results(serial)


def test_cluster_workers_work_on_one_thread_each(
    jobs: ModuleType, tmp_path: Path, cluster: Any
) -> None:
    done = run(tmp_path, jobs.where, 20, Workers(scheduler=cluster.address))
    seen = {tuple(one.row.value) for one in done}
    assert len(seen) == len({process for process, _ in seen}) <= 2


def test_killed_cluster_worker_costs_only_time(
    jobs: ModuleType, serial: Path, tmp_path: Path, cluster: Any
) -> None:
    with (
        Workers(scheduler=cluster.address) as workers,
        Ledger(tmp_path / "ledger.jsonl") as ledger,
    ):
        for number, one in enumerate(work(items(12), jobs.square, ledger, workers)):
            assert not one.row.error
            if number == 2:
                cluster.kill_worker()
    assert results(tmp_path) == results(serial)


def test_cluster_errors_are_told_as_here(jobs: ModuleType, tmp_path: Path, cluster: Any) -> None:
    done = run(tmp_path, jobs.fussy, 5, Workers(scheduler=cluster.address))
    errors = {one.item.name: one.row.error for one in done if one.row.error}
    assert errors.pop("number 4").startswith("TypeError: ")
    assert errors == {
        "number 2": "number: 2; expected another",
        "number 3": "Odd: out of order",
    }


def test_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("godseed.batch.executor.CONNECT_S", 1)
    with (
        pytest.raises(MissingError, match=r"--scheduler tcp://127\.0\.0\.1:9: .*'dask scheduler'"),
        Workers(scheduler="tcp://127.0.0.1:9"),
    ):
        pass


def test_missing_dask_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MissingError, match=r"expected Dask; run 'pip install 'godseed\[cluster\]''"),
        Workers(scheduler="tcp://127.0.0.1:9"),
    ):
        pass


def test_workers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BatchError, match="workers: 0; expected 1 or more"):
        Workers(0)
    with pytest.raises(BatchError, match="2 and the scheduler tcp://a:1; expected one of them"):
        Workers(2, "tcp://a:1")
    with pytest.raises(BatchError, match="not entered"):
        Workers(1).submit(len, "a")


def _wait_until_gone(group: int) -> None:
    """Until no process of a session is left."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("workers outlived the run")
