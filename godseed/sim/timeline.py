"""The schedule of a replay: a pure function of a trace, in whole milliseconds.

The reading types at 28 characters a second; per turn the thought types, the gaze eases to the
target, the feature lands and rises; a rejected call shows its observation; then the epitaph card,
then the descent if wanted. Video, the Genesis Log page and the live page's gaze share it.

Twin: web/sim/timeline.js
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from godseed.sim.feature import Feature
from godseed.spec import constants


@dataclass(frozen=True)
class Event:
    """Something that happens from `start_ms` until `end_ms` (whole milliseconds).

    Attributes:
        kind: `reading`, `thought`, `gaze`, `land`, `observation`, `epitaph` or `descend`.
        text: what is read, thought, observed or inscribed; empty for camera events.
        turn: number of the turn, -1 outside the turns.
        feature: world index of the feature it is about, -1 for none.
    """

    start_ms: int
    end_ms: int
    kind: str
    text: str = ""
    turn: int = -1
    feature: int = -1


@dataclass(frozen=True)
class Timeline:
    """A whole replay.

    Attributes:
        events: ordered by start.
        landed_ms: world index of a feature -> when it lands.
        total_ms: when the last event ends.
        rise_ms: how long a feature takes to rise.
    """

    events: tuple[Event, ...]
    landed_ms: Mapping[int, int]
    total_ms: int
    rise_ms: int

    def at(self, ms: int, kind: str) -> Event | None:
        """The event of a kind that is going on at `ms`, or the last one that has begun."""
        current = None
        for event in self.events:
            if event.kind == kind and event.start_ms <= ms:
                current = event
        return current


class Turn(Protocol):
    """What a turn of a trace must offer."""

    thought: str
    observation: str | None


class Trace(Protocol):
    """What a trace must offer: reading, turns, epitaph, features in the order they landed."""

    reading: str
    epitaph: str

    @property
    def turns(self) -> Sequence[Turn]:
        """Turns in order."""

    @property
    def features(self) -> Sequence[Feature]:
        """Features in the order they landed."""


def timeline(trace: Trace, descend: bool = True) -> Timeline:
    """Lay out one wish.

    Args:
        trace: its recorded words, observations and features; a turn whose observation begins with
            `ok` landed the next feature.
        descend: end with the descent to the last feature.
    """
    clock = constants()["timeline"]
    rise = int(clock["rise_ms"])
    events: list[Event] = []
    landed: dict[int, int] = {}
    now = int(clock["lead_ms"])

    def add(kind: str, length: int, text: str = "", turn: int = -1, feature: int = -1) -> None:
        nonlocal now
        events.append(Event(now, now + length, kind, text, turn, feature))
        now += length

    add("reading", typing_ms(trace.reading), trace.reading)
    waiting = list(trace.features)
    last = -1
    for number, turn in enumerate(trace.turns):
        add("thought", typing_ms(turn.thought), turn.thought, number)
        observation = turn.observation or ""
        if observation.startswith("ok") and waiting:
            last = feature_index(waiting.pop(0))
            add("gaze", int(clock["gaze_ms"]), turn=number, feature=last)
            landed[last] = now
            add("land", rise, observation, number, last)
        elif observation:
            add("observation", int(clock["observation_ms"]), observation, number)
    add("epitaph", int(clock["epitaph_ms"]), trace.epitaph, feature=last)
    if descend and last >= 0:
        add("descend", int(clock["descend_ms"]), feature=last)
    return Timeline(tuple(events), landed, now, rise)


def timelapse(traces: Sequence[Trace]) -> Timeline:
    """Lay out a whole log: every wish compressed to its landings."""
    clock = constants()["timeline"]
    rise = int(clock["timelapse_rise_ms"])
    events: list[Event] = []
    landed: dict[int, int] = {}
    now = int(clock["lead_ms"])
    for trace in traces:
        for feature in trace.features:
            index = feature_index(feature)
            events.append(Event(now, now + rise, "land", trace.epitaph, -1, index))
            landed[index] = now
            now += rise
    return Timeline(tuple(events), landed, now + int(clock["epitaph_ms"]), rise)


def typing_ms(text: str) -> int:
    """How long a text takes to type and be read: characters at the typing rate, rounded up to a
    whole millisecond, plus a pause."""
    clock = constants()["timeline"]
    rate = int(clock["chars_per_second"])
    return (len(text) * 1000 + rate - 1) // rate + int(clock["pause_ms"]) if text else 0


def typed(event: Event, ms: int) -> str:
    """The part of an event's text that has been typed at `ms`."""
    rate = int(constants()["timeline"]["chars_per_second"])
    return event.text[: max(0, (ms - event.start_ms) * rate // 1000)]


def feature_index(feature: Feature) -> int:
    """World index of a feature, from its id."""
    return int(feature.id[2:])


def landing_times(count: int, landed_ms: Mapping[int, int], rise_ms: int) -> list[int]:
    """When each feature of a world begins to rise, in milliseconds; those that are not named have
    always been there.

    One group of features rises at a time: a feature that lands while another group is still rising
        waits for it, so the ground
    always moves between two exact states. Features that land together rise together.

    Returns:
        One whole number per feature, ascending; -1,000,000,000,000 for those that have always been
        there.
    """
    times: list[int] = []
    started, asked = ALWAYS, ALWAYS
    for i in range(count):
        wanted = max(landed_ms.get(i, asked), asked)
        if wanted != asked:
            started = max(wanted, started + rise_ms)
            asked = wanted
        times.append(started)
    return times


ALWAYS = -1_000_000_000_000
"""Landing time of what has always been there, milliseconds."""
