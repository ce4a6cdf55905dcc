"""The replay schedule: whole milliseconds, one thing rising at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.feature import Feature
from godseed.sim.timeline import ALWAYS, landing_times, timelapse, timeline, typed, typing_ms


@dataclass
class Turn:
    thought: str
    observation: str | None = None


@dataclass
class Trace:
    reading: str
    epitaph: str
    turns: list[Turn] = field(default_factory=list)
    features: list[Feature] = field(default_factory=list)


def weather(index: int) -> Feature:
    return Feature(
        f"f_{index:06d}", "w_000001", "set_weather", {"kind": "rain", "intensity": 0.5}, 1
    )


def example() -> Trace:
    turns = [
        Turn("first the rain", "ok: weather set"),
        Turn("then a mistake", "rejected: unknown kind 'cactus'; one of ..."),
        Turn("more rain", "ok: weather set"),
        Turn("enough"),
    ]
    return Trace("a wish for rain", "It rained.", turns, [weather(4), weather(5)])


def test_a_wish_is_read_thought_gazed_at_landed_and_ended() -> None:
    line = timeline(example())
    assert [event.kind for event in line.events] == [
        *("reading", "thought", "gaze", "land", "thought", "observation"),
        *("thought", "gaze", "land", "thought", "epitaph", "descend"),
    ]
    assert line.total_ms == line.events[-1].end_ms
    assert set(line.landed_ms) == {4, 5}


def test_events_follow_each_other_without_gap_or_overlap() -> None:
    events = timeline(example()).events
    for one, two in pairwise(events):
        assert one.end_ms == two.start_ms
        assert isinstance(one.end_ms, int)


def test_the_reading_types_at_28_characters_a_second() -> None:
    event = timeline(Trace("x" * 56, "e")).events[0]
    assert typed(event, event.start_ms + 1000) == "x" * 28
    assert typed(event, event.start_ms + 2000) == "x" * 56
    assert typed(event, event.start_ms - 5) == ""
    assert typing_ms("x" * 28) == 1000 + 600
    assert typing_ms("") == 0


def test_the_descent_is_optional_and_needs_something_to_descend_to() -> None:
    assert "descend" not in [e.kind for e in timeline(example(), descend=False).events]
    assert "descend" not in [e.kind for e in timeline(Trace("r", "e", [Turn("t")])).events]


def test_a_time_lapse_lands_every_feature_once_in_order() -> None:
    line = timelapse([example(), Trace("", "", [], [weather(6)])])
    assert list(line.landed_ms) == [4, 5, 6]
    assert sorted(line.landed_ms.values()) == list(line.landed_ms.values())


@given(st.lists(st.integers(0, 20_000), max_size=12), st.integers(1, 3000))
def test_one_group_rises_at_a_time(times: list[int], rise: int) -> None:
    landing = landing_times(len(times) + 3, {i + 3: t for i, t in enumerate(times)}, rise)
    assert landing[:3] == [ALWAYS] * 3
    assert landing == sorted(landing)
    moments = sorted(set(landing[3:]))
    for one, two in pairwise(moments):
        assert two - one >= rise
    for i, t in enumerate(times):
        assert landing[i + 3] >= t


def test_features_that_land_together_rise_together() -> None:
    assert landing_times(4, {1: 500, 2: 500, 3: 900}, 2000) == [ALWAYS, 500, 500, 2500]
