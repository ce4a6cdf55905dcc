"""Replays: what a clip shows at any time, as a pure function of a trace.

A replay travels to workers as bytes, so a frame can be drawn anywhere and comes out the same.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from godseed.render.overlay import OverlayState
from godseed.sim.feature import Feature
from godseed.sim.frame import Stage
from godseed.sim.timeline import Event, Timeline, feature_index, timelapse, timeline, typed
from godseed.sim.trace import WishTrace
from godseed.sim.wish_trace import parse_line
from godseed.sim.world import World
from godseed.spec import constants

FADE_MS = 700
"""How long the epitaph card takes to appear and to go."""


@dataclass(frozen=True)
class Replay:
    """What is replayed.

    Attributes:
        stage: features and their landing times.
        timeline: the schedule.
        traces: the wishes it shows, in order.
        epoch: of the first of them, counted from 1.
        descend: whether a single wish ends with the descent.
        whole: whether it is a time-lapse of all traces.
    """

    stage: Stage
    timeline: Timeline
    traces: tuple[WishTrace, ...]
    epoch: int
    descend: bool = True
    whole: bool = False

    @staticmethod
    def of_wish(world: World, traces: Sequence[WishTrace], number: int, descend: bool) -> Replay:
        """One wish of a log.

        Args:
            world: at the end of the log.
            number: of the wish, counted from 0.
            descend: end with the descent.
        """
        line = timeline(traces[number], descend)
        stage = Stage(world.at(number + 1).features, line)
        return Replay(stage, line, (traces[number],), number + 1, descend)

    @staticmethod
    def of_log(world: World, traces: Sequence[WishTrace]) -> Replay:
        """A whole log as a time-lapse."""
        line = timelapse(traces)
        return Replay(Stage(world.features, line), line, tuple(traces), 1, whole=True)

    def packed(self) -> bytes:
        """Everything that its frames depend on, as bytes for a worker."""
        value = {
            "features": [feature.to_dict() for feature in self.stage.features],
            "traces": [trace.to_line().decode("utf-8") for trace in self.traces],
            "epoch": self.epoch,
            "descend": self.descend,
            "whole": self.whole,
        }
        return zlib.compress(json.dumps(value, separators=(",", ":")).encode())

    @staticmethod
    def unpacked(data: bytes) -> Replay:
        """The replay that was packed."""
        value = json.loads(zlib.decompress(data))
        features = tuple(Feature.from_dict(one) for one in value["features"])
        traces = tuple(parse_line(line.encode("utf-8")) for line in value["traces"])
        line = timelapse(traces) if value["whole"] else timeline(traces[0], value["descend"])
        stage = Stage(features, line)
        return Replay(stage, line, traces, value["epoch"], value["descend"], value["whole"])


@dataclass(frozen=True)
class FrameTimes(Sequence[int]):
    """Times on a timeline, evenly spread; counted rather than listed, so that no clip is too long.

    Attributes:
        total_ms: length of the timeline.
        frames: how many.
    """

    total_ms: int
    frames: int

    def __len__(self) -> int:
        return self.frames

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.frames))]
        return range(self.frames)[index] * self.total_ms // self.frames


def frame_times(total_ms: int, fps: int, seconds: float | None) -> FrameTimes:
    """Time on the timeline of every frame, whole milliseconds.

    Args:
        total_ms: length of the timeline.
        fps: frames per second.
        seconds: length of the clip, None for the timeline's own.
    """
    length_ms = total_ms if seconds is None else round(seconds * 1000)
    return FrameTimes(total_ms, max(1, -(-length_ms * fps // 1000)))


def overlay_at(replay: Replay, ms: int, size: tuple[int, int]) -> OverlayState:
    """What the overlay says at a time: the words as they type and what the world answered, then
    the epitaph card; in a time-lapse the wish that is landing."""
    if replay.whole:
        return _lapse_overlay(replay, ms, size)
    line = replay.timeline
    said = _latest(line, ms, ("reading", "thought"))
    answer = _latest(line, ms, ("land", "observation"))
    card = line.at(ms, "epitaph")
    if card is not None:
        said = answer = None
    elif answer is not None and said is not None and answer.start_ms < said.start_ms:
        answer = None
    return OverlayState(
        size=size,
        wish=replay.traces[0].text,
        ticker_text=said.text if said else "",
        ticker_shown=len(typed(said, ms)) if said else None,
        epoch=replay.epoch,
        granted=replay.epoch if card else replay.epoch - 1,
        observation=answer.text if answer else "",
        epitaph=card.text if card else "",
        epitaph_fade=_fade(line, card, ms) if card else 0.0,
    )


def captions(schedule: Timeline, seconds: float) -> str:
    """WebVTT captions of the reading, the thoughts and the epitaph; empty if there are none.

    Args:
        seconds: length of the clip, into which the timeline is compressed.
    """
    scale = seconds / schedule.total_ms
    blocks: list[str] = []
    for event in schedule.events:
        if event.kind in ("reading", "thought", "epitaph") and event.text:
            span = f"{_stamp(event.start_ms * scale)} --> {_stamp(event.end_ms * scale)}"
            text = event.text.replace("&", "&amp;").replace("<", "&lt;").replace("-->", "->")
            blocks.append(f"{span}\n{text}")
    return "\n\n".join(["WEBVTT", *blocks]) + "\n" if blocks else ""


def _lapse_overlay(replay: Replay, ms: int, size: tuple[int, int]) -> OverlayState:
    """Which wish is landing, and how many have."""
    landing = replay.timeline.at(ms, "land")
    number = -1
    if landing is not None:
        owners = (
            feature_index(trace.features[-1]) if trace.features else -1 for trace in replay.traces
        )
        number = next(i for i, last in enumerate(owners) if last >= landing.feature)
    wish = replay.traces[number].text if number >= 0 else ""
    return OverlayState(size, wish, epoch=number + 1, granted=number + 1)


def _latest(schedule: Timeline, ms: int, kinds: tuple[str, ...]) -> Event | None:
    found = [event for event in schedule.events if event.kind in kinds and event.start_ms <= ms]
    return found[-1] if found else None


def _fade(schedule: Timeline, card: Event, ms: int) -> float:
    """The card comes, and goes where something follows it."""
    appeared = (ms - card.start_ms) / FADE_MS
    if card is schedule.events[-1]:
        return min(1.0, appeared)
    held_ms = card.end_ms + int(constants()["timeline"]["pause_ms"])
    return max(0.0, min(1.0, appeared, (held_ms - ms) / FADE_MS))


def _stamp(seconds: float) -> str:
    ms = round(seconds * 1000)
    hours, minutes = ms // 3_600_000, ms // 60_000 % 60
    return f"{hours:02d}:{minutes:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}"
