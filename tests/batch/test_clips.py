"""A clip has the same frames however it comes to be: here, on workers, on a cluster, in pieces."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from godseed.batch import frames as frames_module
from godseed.batch.clips import Order, Report, kept_frames, make_clips
from godseed.batch.errors import BatchError
from godseed.batch.executor import Workers
from godseed.batch.frames import Look, Range, drawn, range_items, ranges
from godseed.batch.identity import Identity, identity, require_same
from godseed.batch.ledger import Ledger
from godseed.batch.lossless import decode, encode
from godseed.batch.replay import Replay, frame_times
from godseed.mind.backends import create
from godseed.mind.planner import Refusal, grant_wish
from godseed.render.errors import RenderError
from godseed.render.ffmpeg import probe
from godseed.sim.trace import WishTrace
from godseed.sim.world import World

WISHES = ("a lighthouse on a northern cape", "ein Märchenwald aus 夜")
LOOK = Look((64, 48), 0, True)
FPS, SECONDS, COUNT, LENGTH = 6, 4.0, 24, 4
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six ranges to a clip instead of one."""
    monkeypatch.setattr(frames_module, "LONGEST", LENGTH)


@pytest.fixture(scope="module")
def granted() -> tuple[World, list[WishTrace]]:
    world, backend, traces = World.genesis(), create("mock"), []
    for number, wish in enumerate(WISHES, start=1):
        world, result = grant_wish(world, wish, backend, f"w_{number:06d}", 1)
        assert not isinstance(result, Refusal)
        traces.append(result)
    return world, traces


@pytest.fixture(scope="module")
def replay(granted: tuple[World, list[WishTrace]]) -> Replay:
    return Replay.of_wish(*granted, 1, descend=True)


@pytest.fixture(scope="module")
def truth(replay: Replay) -> str:
    """Digest of the frames, drawn one after the other and never encoded."""
    digest = hashlib.sha256()
    times = frame_times(replay.timeline.total_ms, FPS, SECONDS)
    for pixels in drawn(replay, times[:], LOOK):
        digest.update(np.ascontiguousarray(pixels[:, :, :3]))
    return digest.hexdigest()


def make(replay: Replay, folder: Path, workers: Workers, name: str = "a.mp4") -> Report:
    order = Order("w_000002", replay, folder / name, FPS, SECONDS)
    with workers:
        return make_clips([order], LOOK, folder / ".frames", workers)


@pytest.mark.parametrize("count", [1, 2])
def test_clip_has_the_frames_that_are_drawn_one_by_one(
    replay: Replay, truth: str, tmp_path: Path, count: int
) -> None:
    report = make(replay, tmp_path, Workers(count))
    assert report.clips["w_000002"].digest == truth
    assert (report.drawn, report.kept, report.failed) == (COUNT, 0, {})
    found = probe(tmp_path / "a.mp4")
    assert (found.frames, found.fps, found.duration_s) == (COUNT, FPS, SECONDS)
    assert truth in found.comment
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.mp4", "a.vtt"]


def test_cluster_whose_worker_is_killed_gives_the_same_file(
    replay: Replay, truth: str, tmp_path: Path, cluster: Any
) -> None:
    make(replay, tmp_path, Workers(1), "serial.mp4")
    killed = False

    def kill(count: int) -> None:
        nonlocal killed
        if not killed:
            cluster.kill_worker()
            killed = True

    order = Order("w_000002", replay, tmp_path / "a.mp4", FPS, SECONDS)
    with Workers(scheduler=cluster.address) as workers:
        report = make_clips([order], LOOK, tmp_path / ".frames", workers, kill)
    assert report.clips["w_000002"].digest == truth
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "serial.mp4").read_bytes()
    assert not (tmp_path / ".frames").exists()


def test_ranges_drawn_backwards_and_decoded_are_the_frames(replay: Replay, truth: str) -> None:
    times = frame_times(replay.timeline.total_ms, FPS, SECONDS)
    found: dict[int, bytes] = {}
    for part in reversed(ranges(COUNT, LOOK.size)):
        chunk = [*drawn(replay, times[part.first : part.first + part.count], LOOK)]
        found[part.first] = b"".join(pixels[:, :, :3].tobytes() for pixels in chunk)
    data = b"".join(found[first] for first in sorted(found))
    assert hashlib.sha256(data).hexdigest() == truth


def test_packed_replay_is_the_replay(
    replay: Replay, granted: tuple[World, list[WishTrace]]
) -> None:
    again = Replay.unpacked(replay.packed())
    assert again.timeline == replay.timeline
    assert again.traces == replay.traces
    assert again.stage.features == replay.stage.features
    whole = Replay.of_log(*granted)
    assert Replay.unpacked(whole.packed()).timeline == whole.timeline


@pytest.mark.parametrize(
    ("number", "count"),
    [(signal.SIGKILL, 2), (signal.SIGKILL, 1), (signal.SIGTERM, 2), (signal.SIGINT, 1)],
)
def test_stopped_clip_goes_on_where_it_was(
    replay: Replay, truth: str, tmp_path: Path, number: signal.Signals, count: int
) -> None:
    (tmp_path / "a.mp4").write_bytes(b"earlier")
    (tmp_path / "packed").write_bytes(replay.packed())
    process = _start(tmp_path, count)
    while not (tmp_path / "ready").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    process.wait(timeout=60)
    _wait_until_gone(process.pid)
    assert (tmp_path / "a.mp4").read_bytes() == b"earlier"
    kept = kept_frames(tmp_path / ".frames")
    assert 2 * LENGTH <= kept < COUNT
    report = make(replay, tmp_path, Workers(3 - count))
    assert report.clips["w_000002"].digest == truth
    assert report.kept >= kept
    assert report.drawn == COUNT - report.kept
    left = {file.name for file in tmp_path.iterdir()} - {"ready", "packed"}
    assert left == {"a.mp4", "a.vtt"}


def test_run_stopped_before_anything_is_finished_leaves_nothing(
    replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("godseed.batch.frames.encode", stop)
    with pytest.raises(KeyboardInterrupt):
        make(replay, tmp_path, Workers(1))
    assert list(tmp_path.iterdir()) == []


def test_frames_of_other_options_are_not_taken(replay: Replay, truth: str, tmp_path: Path) -> None:
    times, packed, me = frame_times(60_000, FPS, SECONDS), replay.packed(), identity(0)
    changed = [
        ("packed", packed + b"x", times, LOOK, me),
        ("times", packed, frame_times(61_000, FPS, SECONDS), LOOK, me),
        ("size", packed, times, Look((48, 64), 0, True), me),
        ("samples", packed, times, Look((64, 48), 4, True), me),
        ("overlay", packed, times, Look((64, 48), 0, False), me),
        ("code", packed, times, LOOK, Identity("other", me.fingerprint)),
        ("fingerprint", packed, times, LOOK, Identity(me.code, "other")),
    ]
    base = {item.key for item in range_items("a", packed, times, LOOK, me)}
    assert {item.key for item in range_items("b", packed, times, LOOK, me)} == base
    for name, *arguments in changed:
        keys = {item.key for item in range_items("a", *arguments)}  # type: ignore[arg-type]
        assert not keys & base, name


def test_damaged_range_is_drawn_again(replay: Replay, truth: str, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(count: int) -> None:
        raise Stop

    order = Order("w_000002", replay, tmp_path / "a.mp4", FPS, SECONDS)
    with pytest.raises(Stop), Workers(1) as workers:
        make_clips([order], LOOK, tmp_path / ".frames", workers, stop)
    (file,) = (tmp_path / ".frames").glob("*.nut")
    file.write_bytes(file.read_bytes()[:-100] + bytes(100))
    report = make(replay, tmp_path, Workers(1))
    assert report.clips["w_000002"].digest == truth
    assert report.drawn == COUNT


def test_every_wish_becomes_a_clip_and_a_second_run_draws_nothing(
    granted: tuple[World, list[WishTrace]], tmp_path: Path
) -> None:
    def orders() -> Iterator[Order]:
        for number, trace in enumerate(granted[1]):
            replay = Replay.of_wish(*granted, number, descend=False)
            yield Order(trace.wish_id, replay, tmp_path / f"{trace.wish_id}.mp4", FPS, 2.0)

    def run() -> Report:
        with Workers(2) as workers, Ledger(tmp_path / "clips.jsonl") as record:
            return make_clips(orders(), LOOK, tmp_path / ".frames", workers, record=record)

    first = run()
    assert (first.drawn, first.finished_before) == (24, [])
    again = run()
    assert (again.drawn, again.finished_before) == (0, ["w_000001", "w_000002"])
    assert again.clips == first.clips
    (tmp_path / "w_000001.mp4").write_bytes(b"changed by hand")
    third = run()
    assert (third.drawn, third.finished_before) == (12, ["w_000002"])
    assert third.clips == first.clips


def test_worker_with_other_code_or_rasteriser_is_named() -> None:
    me = identity(0)
    require_same(me, me)
    with pytest.raises(BatchError, match=r"runs other code of godseed .*; install one version"):
        require_same(me, Identity("0" * 64, me.fingerprint))
    with pytest.raises(BatchError, match=r"draws with .*; expected other-s0; use workers with one"):
        require_same(me, Identity(me.code, "other-s0"))


def test_failing_range_fails_its_clip_alone(
    granted: tuple[World, list[WishTrace]], replay: Replay, truth: str, tmp_path: Path
) -> None:
    (tmp_path / "bad.mp4").mkdir()
    bad = Order("bad", replay, tmp_path / "bad.mp4", FPS, 1.0)
    good = Order("w_000002", replay, tmp_path / "a.mp4", FPS, SECONDS)
    with Workers(1) as workers:
        report = make_clips([bad, good], LOOK, tmp_path / ".frames", workers)
    assert report.clips["w_000002"].digest == truth
    assert list(report.failed) == ["bad"]


def test_lossless_stream_gives_back_every_byte(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for size in ((64, 48), (33, 17), (16, 1)):
        pixels = rng.integers(0, 256, (5, size[1], size[0], 4), np.uint8)
        stream = encode(iter(pixels), size, "noise")
        assert stream == encode(iter(pixels), size, "noise")
        (tmp_path / "a.nut").write_bytes(stream)
        found = np.stack([*decode(tmp_path / "a.nut", size, 5)])
        assert np.array_equal(found, pixels[:, :, :, :3])
        with pytest.raises(RenderError, match=r"a\.nut: 5 frames; expected 6"):
            list(decode(tmp_path / "a.nut", size, 6))


@pytest.mark.parametrize(
    ("size", "length"), [((64, 48), 48), ((1280, 720), 34), ((1920, 1080), 15), ((3840, 2160), 4)]
)
def test_ranges_are_some_seconds_long_and_cover_the_clip(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], length: int
) -> None:
    monkeypatch.setattr(frames_module, "LONGEST", 48)
    found = ranges(100, size)
    assert found[0] == Range(0, length)
    assert [n for part in found for n in range(part.first, part.first + part.count)] == [
        *range(100)
    ]


def _start(folder: Path, count: int) -> subprocess.Popen[bytes]:
    """A process that makes the clip and says when two ranges are finished."""
    code = f"""
from pathlib import Path
from godseed.batch import frames
from godseed.batch.clips import Order, Workers, make_clips
from godseed.batch.frames import Look
from godseed.batch.replay import Replay
frames.LONGEST = {LENGTH}
folder, seen = Path({str(folder)!r}), []
def hear(count):
    seen.append(count)
    if len(seen) == 2:
        (folder / "ready").touch()
replay = Replay.unpacked((folder / "packed").read_bytes())
order = Order("w_000002", replay, folder / "a.mp4", {FPS}, {SECONDS})
with Workers({count}) as workers:
    make_clips([order], Look({LOOK.size}, 0, True), folder / ".frames", workers, hear)
"""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _wait_until_gone(group: int) -> None:
    """Until no process of a session is left."""
    for _ in range(400):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("workers outlived the run")
