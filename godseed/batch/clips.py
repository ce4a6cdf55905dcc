"""Clips from replays, on any number of workers: the same frames, resumed after any end.

Drawn ranges lie in a hidden folder with a ledger until their clip is whole. A run that is stopped
leaves that folder if something in it is finished, and the next run of the same command goes on
from there; nothing else is ever left.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from godseed.batch.assembly import Assembly
from godseed.batch.errors import BatchError
from godseed.batch.executor import Workers
from godseed.batch.frames import Look, draw_range, file_of, range_items, ranges
from godseed.batch.identity import Identity, identity
from godseed.batch.keys import item_key
from godseed.batch.ledger import Ledger
from godseed.batch.replay import FrameTimes, Replay, captions, frame_times
from godseed.batch.work import Item, work
from godseed.render.errors import RenderError
from godseed.render.ffmpeg import version
from godseed.render.video import PARTS, Clip

LEDGER = "ledger.jsonl"


@dataclass(frozen=True)
class Order:
    """A clip to make.

    Attributes:
        name: for people, such as the id of its wish.
        replay: what it shows.
        path: of the clip; its ending chooses the format.
        fps: frames per second.
        seconds: its length, None for the timeline's own.
    """

    name: str
    replay: Replay
    path: Path
    fps: int
    seconds: float | None = None

    @property
    def times(self) -> FrameTimes:
        """Time on the timeline of every frame."""
        return frame_times(self.replay.timeline.total_ms, self.fps, self.seconds)

    @property
    def captions_path(self) -> Path:
        """Where its captions lie, if it has any."""
        return self.path.with_suffix(".vtt")


@dataclass
class Report:
    """What came of the orders.

    Attributes:
        clips: name of an order -> its clip, also of those that were finished before.
        failed: name of an order -> why it has no clip.
        finished_before: names of orders that had nothing to do.
        drawn: frames drawn in this run.
        kept: frames that an earlier run had drawn.
    """

    clips: dict[str, Clip] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    finished_before: list[str] = field(default_factory=list)
    drawn: int = 0
    kept: int = 0


def make_clips(
    orders: Iterable[Order],
    look: Look,
    folder: Path,
    workers: Workers,
    on_frames: Callable[[int], None] = lambda count: None,
    record: Ledger | None = None,
) -> Report:
    """Draw and encode clips, with WebVTT captions beside each.

    Args:
        orders: read one by one, so that there may be any number.
        look: of all frames.
        folder: where ranges lie until their clip is whole; gone when all are.
        workers: entered.
        on_frames: hears how many frames have been added.
        record: skips orders that it knows as finished, and learns of new ones; its folder is that
            of the clips.
    Raises:
        LogLockedError: another run uses the folder.
        BatchError: the folder cannot be used, or the cluster is gone.
        MissingGLError: a worker cannot draw.
    """
    drawer = workers.submit(identity, look.samples).result()
    with _ranges_ledger(folder) as ledger:
        run = _Run(look, drawer, folder, on_frames, record)
        try:
            for done in work(run.items(orders), draw_range, ledger, workers):
                run.take(done.item, done.row.error, done.skipped)
        except BaseException:
            run.abort()
            raise
    if not run.report.failed:
        shutil.rmtree(folder, ignore_errors=True)
    return run.report


def kept_frames(folder: Path) -> int:
    """How many frames a stopped run has left in its folder for the next."""
    if not (folder / LEDGER).is_file():
        return 0
    with Ledger(folder / LEDGER) as ledger:
        rows = list(ledger.rows())
    return sum(
        row.value
        for row in rows
        if not row.error and all((folder / n).is_file() for n in row.files)
    )


class _Run:
    """The clips of one call that are on their way."""

    def __init__(
        self,
        look: Look,
        drawer: Identity,
        folder: Path,
        on_frames: Callable[[int], None],
        record: Ledger | None,
    ) -> None:
        self.report = Report()
        self._look, self._drawer, self._folder = look, drawer, folder
        self._on_frames, self._record = on_frames, record
        self._owners: dict[int, _Maker] = {}
        self._open: list[_Maker] = []

    def items(self, orders: Iterable[Order]) -> Iterator[Item]:
        """The ranges of all clips, clip by clip."""
        for order in orders:
            packed = order.replay.packed()
            key = self._clip_key(order, packed)
            row = self._record.finished(key) if self._record is not None else None
            if row is not None and order.path.name in row.files:
                self.report.clips[order.name] = Clip(order.path, *row.value)
                self.report.finished_before.append(order.name)
                self._on_frames(len(order.times))
                continue
            maker = _Maker(order, key, self._look.size, self._folder)
            self._open.append(maker)
            for item in range_items(order.name, packed, order.times, self._look, self._drawer):
                if maker.over:
                    break
                self._owners[id(item)] = maker
                yield item

    def take(self, item: Item, error: str, skipped: bool) -> None:
        """Hear that a range is over."""
        maker, part = self._owners.pop(id(item)), item.arguments[3]
        if error:
            self._fail(maker, f"{item.name}: {error}")
            return
        self.report.kept += part.count if skipped else 0
        self.report.drawn += 0 if skipped else part.count
        self._on_frames(part.count)
        if maker.over:
            return
        try:
            maker.add(part.first, self._folder / file_of(item.key))
            if maker.complete:
                self._finish(maker)
        except (RenderError, OSError) as failure:
            self._fail(maker, str(failure))

    def abort(self) -> None:
        """Stop the encoders."""
        for maker in self._open:
            maker.abort()

    def _finish(self, maker: _Maker) -> None:
        """Put a clip under its name, and its captions beside it."""
        order, clip = maker.order, maker.finish()
        self._open.remove(maker)
        self.report.clips[order.name] = clip
        names = [order.path.name]
        words = captions(order.replay.timeline, clip.frames / order.fps)
        if words:
            order.captions_path.write_text(words, encoding="utf-8")
            names.append(order.captions_path.name)
        if self._record is not None:
            self._record.record_made(maker.key, order.name, [clip.frames, clip.digest], names)
        for file in maker.files:
            file.unlink(missing_ok=True)

    def _fail(self, maker: _Maker, why: str) -> None:
        """Give a clip up; what was drawn of it stays for the next run."""
        if not maker.over:
            maker.abort()
            self._open.remove(maker)
            self.report.failed[maker.order.name] = why

    def _clip_key(self, order: Order, packed: bytes) -> str:
        look, times = self._look, order.times
        parts: dict[str, Any] = {
            "kind": "clip",
            "replay": hashlib.sha256(packed).hexdigest(),
            "total_ms": times.total_ms,
            "frames": times.frames,
            "fps": order.fps,
            "size": look.size,
            "samples": look.samples,
            "overlay": look.overlay,
            "code": self._drawer.code,
            "fingerprint": self._drawer.fingerprint,
            "encoder": version(),
            "file": order.path.name,
        }
        return item_key(parts)


class _Maker:
    """One clip on its way."""

    def __init__(self, order: Order, key: str, size: tuple[int, int], folder: Path) -> None:
        self.order, self.key = order, key
        self.files: list[Path] = []
        self.over = False
        parts = ranges(len(order.times), size)
        self._assembly = Assembly(order.path, size, order.fps, parts, folder)

    @property
    def complete(self) -> bool:
        """Whether every frame is there."""
        return self._assembly.complete

    def add(self, first: int, file: Path) -> None:
        """Take a range.

        Raises:
            RenderError: the clip cannot be begun.
        """
        self.files.append(file)
        self._assembly.add(first, file)

    def finish(self) -> Clip:
        """Put the clip under its name.

        Raises:
            RenderError: it could not be encoded.
        """
        clip = self._assembly.finish()
        self.over = True
        return clip

    def abort(self) -> None:
        """Stop the encoder."""
        self.over = True
        self._assembly.abort()


@contextmanager
def _ranges_ledger(folder: Path) -> Iterator[Ledger]:
    """The ledger of a folder of ranges; the folder goes if nothing in it serves another run."""
    try:
        ledger = Ledger(folder / LEDGER)
    except OSError as error:
        raise BatchError(
            f"{folder.parent}: {error.strerror}; expected a folder that can be written; choose "
            "another place for the clip"
        ) from None
    try:
        with ledger:
            for left in folder.glob(f"{PARTS}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield ledger
    finally:
        if not any(folder.glob("*.nut")):
            shutil.rmtree(folder, ignore_errors=True)
