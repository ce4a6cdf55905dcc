"""Contiguous ranges of a clip's frames, each drawn by whoever is free.

A frame depends on its time alone, so a range is known by its content: the replay, the times, the
picture's options, and who draws. Where the ranges lie does not depend on the number of workers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from godseed.batch.identity import Identity, identity, require_same
from godseed.batch.keys import item_key
from godseed.batch.lossless import encode
from godseed.batch.replay import FrameTimes, Replay, overlay_at
from godseed.batch.work import Item, Made
from godseed.render.image import U8
from godseed.render.overlay import build_overlay
from godseed.render.renderer import Renderer

RANGE_BYTES = 96_000_000
"""Raw bytes of a range at most: 34 frames of 1280x720, some seconds of drawing."""
SHORTEST, LONGEST = 4, 48
"""Frames of a range."""
_renderers: dict[tuple[tuple[int, int], int], Renderer] = {}


@dataclass(frozen=True)
class Look:
    """How the frames of a clip are drawn.

    Attributes:
        size: width, height in pixels.
        samples: per pixel.
        overlay: whether ticker, counter and card are drawn over it.
    """

    size: tuple[int, int]
    samples: int
    overlay: bool


@dataclass(frozen=True)
class Range:
    """Frames `first` to `first + count - 1` of a clip."""

    first: int
    count: int


def ranges(frames: int, size: tuple[int, int]) -> list[Range]:
    """A clip's frames in ranges; the last may be shorter."""
    length = max(SHORTEST, min(LONGEST, RANGE_BYTES // (size[0] * size[1] * 3)))
    return [Range(first, min(length, frames - first)) for first in range(0, frames, length)]


def range_items(
    name: str, packed: bytes, times: FrameTimes, look: Look, drawer: Identity
) -> Iterator[Item]:
    """The work of a clip, in the order of its frames.

    Args:
        name: of the clip, for people.
        packed: what is replayed, see `Replay.packed`.
        drawer: who has to draw it.
    """
    source = hashlib.sha256(packed).hexdigest()
    for one in ranges(len(times), look.size):
        parts = {
            "kind": "frames",
            "replay": source,
            "times": times[one.first : one.first + one.count],
            "size": look.size,
            "samples": look.samples,
            "overlay": look.overlay,
            "code": drawer.code,
            "fingerprint": drawer.fingerprint,
        }
        label = f"{name}, frames {one.first} to {one.first + one.count - 1}"
        key = item_key(parts)
        yield Item(key, label, (key, packed, times, one, look, drawer))


def file_of(key: str) -> str:
    """Name of the file that holds a range's frames."""
    return f"{key[:24]}.nut"


def draw_range(
    key: str, packed: bytes, times: FrameTimes, part: Range, look: Look, drawer: Identity
) -> Made:
    """Draw a range; this is what workers do.

    Raises:
        BatchError: this worker would draw other pixels than the rest.
        RenderError: it cannot be drawn.
    """
    require_same(identity(look.samples), drawer)
    frames = drawn(_replay(packed), times[part.first : part.first + part.count], look)
    return Made(part.count, {file_of(key): encode(frames, look.size, "frames")})


def drawn(replay: Replay, times: list[int], look: Look) -> Iterator[U8]:
    """The frames of a replay at some times.

    Yields:
        (h, w, 4) uint8, rows from the top down.
    """
    renderer, (width, height) = _renderer(look.size, look.samples), look.size
    for ms in times:
        frame = replay.stage.frame(ms, replay.stage.replay_pose(ms), width / height)
        laid = build_overlay(overlay_at(replay, ms, look.size)) if look.overlay else None
        yield renderer.draw(frame, laid).pixels


@lru_cache(maxsize=2)
def _replay(packed: bytes) -> Replay:
    return Replay.unpacked(packed)


def _renderer(size: tuple[int, int], samples: int) -> Renderer:
    """The renderer of this process; another size takes its place, as each holds its targets."""
    found = _renderers.get((size, samples))
    if found is None:
        for other in _renderers.values():
            other.release()
        _renderers.clear()
        found = _renderers[size, samples] = Renderer(size, samples)
    return found
