"""Replays: a timeline drawn frame by frame into a clip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from godseed.render.overlay import OverlayState, build_overlay
from godseed.render.renderer import Renderer
from godseed.render.video import Clip, VideoWriter
from godseed.sim.frame import Stage
from godseed.sim.timeline import Event, Timeline, typed
from godseed.spec import constants

FADE_MS = 700
"""How long the epitaph card takes to appear and to go."""


@dataclass(frozen=True)
class Replay:
    """What is replayed.

    Attributes:
        stage: features and their landing times.
        timeline: the schedule.
        wish: text of the wish, empty for a time-lapse.
        epoch: number of the wish, counted from 1.
    """

    stage: Stage
    timeline: Timeline
    wish: str
    epoch: int


def frame_times(total_ms: int, fps: int, seconds: float | None) -> list[int]:
    """Time on the timeline of every frame, whole milliseconds.

    Args:
        total_ms: length of the timeline.
        fps: frames per second.
        seconds: length of the clip, None for the timeline's own.
    """
    length_ms = total_ms if seconds is None else round(seconds * 1000)
    count = max(1, -(-length_ms * fps // 1000))
    return [i * total_ms // count for i in range(count)]


def write_clip(
    replay: Replay,
    path: Path,
    size: tuple[int, int],
    samples: int,
    fps: int,
    seconds: float | None,
    overlay: bool,
    on_frame: Callable[[], None],
) -> Clip:
    """Draw a replay into a clip.

    Raises:
        RenderError: it cannot be drawn or written.
    """
    times = frame_times(replay.timeline.total_ms, fps, seconds)
    with VideoWriter(path, size, fps) as writer:
        renderer = Renderer(size, samples)
        for ms in times:
            frame = replay.stage.frame(ms, replay.stage.replay_pose(ms), size[0] / size[1])
            laid = build_overlay(overlay_at(replay, ms, size)) if overlay else None
            writer.write(renderer.draw(frame, laid).pixels)
            on_frame()
        renderer.release()
    assert writer.clip is not None
    return writer.clip


def overlay_at(replay: Replay, ms: int, size: tuple[int, int]) -> OverlayState:
    """What the overlay says at a time: the reading and thoughts as they type, then the card."""
    line = replay.timeline
    said = _latest(line, ms, ("reading", "thought"))
    answer = _latest(line, ms, ("land", "observation"))
    card = line.at(ms, "epitaph")
    observed = answer is not None and (said is None or answer.start_ms >= said.start_ms)
    shown = said is not None and card is None
    return OverlayState(
        size=size,
        wish=replay.wish,
        ticker_text=said.text if shown and said else "",
        ticker_shown=len(typed(said, ms)) if shown and said else None,
        epoch=replay.epoch,
        granted=replay.epoch if card else replay.epoch - 1,
        observation=answer.text if observed and answer and shown else "",
        epitaph=card.text if card else "",
        epitaph_fade=_fade(card, ms) if card else 0.0,
    )


def captions(timeline: Timeline, scale: float) -> str:
    """WebVTT captions of the reading, the thoughts and the epitaph.

    Args:
        scale: seconds of the clip per millisecond of the timeline.
    """
    blocks = ["WEBVTT"]
    for event in timeline.events:
        if event.kind in ("reading", "thought", "epitaph") and event.text:
            span = f"{_stamp(event.start_ms * scale)} --> {_stamp(event.end_ms * scale)}"
            blocks.append(f"{span}\n{event.text.replace('-->', '->')}")
    return "\n\n".join(blocks) + "\n"


def _latest(timeline: Timeline, ms: int, kinds: tuple[str, ...]) -> Event | None:
    found = [event for event in timeline.events if event.kind in kinds and event.start_ms <= ms]
    return found[-1] if found else None


def _fade(card: Event, ms: int) -> float:
    """The card comes and goes; it is gone when the descent begins."""
    held = card.end_ms + int(constants()["timeline"]["pause_ms"])
    return max(0.0, min(1.0, (ms - card.start_ms) / FADE_MS, (held - ms) / FADE_MS))


def _stamp(seconds: float) -> str:
    ms = round(seconds * 1000)
    hours, minutes = ms // 3_600_000, ms // 60_000 % 60
    return f"{hours:02d}:{minutes:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}"
