"""The mock over the shipped wishes: every tool, its texts, its places, and that it never varies."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.backends.mock import MockBackend
from godseed.mind.gbnf import matches, validate_gbnf
from godseed.mind.grammar import EPITAPH_MAX, THOUGHT_MAX, turn_grammar
from godseed.mind.mock_places import Dice, asked_bearing, read_town, waypoint
from godseed.mind.mock_scripts import MAX_CALLS, plan, subject
from godseed.mind.mock_themes import matching, themes
from godseed.mind.planner import grant_wish
from godseed.sim.arguments import TOOL_NAMES, TOOLS
from godseed.sim.sphere import angle_deg, direction
from godseed.sim.town import town_center
from godseed.sim.trace import WishTrace
from godseed.sim.world import World

SUMMARY = "The town of Lowmere stands near (14,38): 3 towers, a café, 12 houses."


def shipped(name: str) -> list[str]:
    source = files("godseed.mind").joinpath("examples", name)
    return source.read_text(encoding="utf-8").splitlines()


def granted(wishes: list[str], seed: int = 7) -> tuple[World, list[WishTrace]]:
    world, traces = World.genesis(), []
    for number, wish in enumerate(wishes, start=1):
        world, trace = grant_wish(world, wish, MockBackend(), f"w_{number:06d}", seed)
        assert isinstance(trace, WishTrace), wish
        traces.append(trace)
    return world, traces


@cache
def demo() -> tuple[World, list[WishTrace]]:
    return granted(shipped("wishes.txt"))


@cache
def everything() -> tuple[World, list[WishTrace]]:
    return granted(shipped("wishes.txt") + shipped("wishes-more.txt"))


def test_twelve_wishes_ship_and_forty_more() -> None:
    assert len(shipped("wishes.txt")) == 12
    assert len(shipped("wishes-more.txt")) >= 40


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_the_twelve_wishes_use(tool: str) -> None:
    assert any(feature.tool == tool for trace in demo()[1] for feature in trace.features)


def test_the_twelve_wishes_hold_a_clamp_a_rejection_and_an_early_ending() -> None:
    observations = [
        turn.observation or "" for trace in demo()[1] for turn in trace.turns if turn.call
    ]
    assert any(" -> " in text and text.startswith("ok:") for text in observations)
    assert any("unknown kind 'cactus'" in text for text in observations)
    assert min(len(trace.turns) for trace in demo()[1]) == 2
    assert all(trace.ended == "done" for trace in demo()[1])


def test_a_rejection_is_followed_by_another_attempt_at_the_same_place() -> None:
    for trace in everything()[1]:
        for turn, then in pairwise(trace.turns):
            if (turn.observation or "").startswith("rejected"):
                assert turn.call is not None
                assert then.call is not None
                assert then.call["tool"] == turn.call["tool"]
                assert then.call["args"]["lat"] == turn.call["args"]["lat"]
                assert (then.observation or "").startswith("ok:")


def test_every_turn_of_every_shipped_wish_obeys_the_grammar() -> None:
    rules = validate_gbnf(turn_grammar())
    for trace in everything()[1]:
        for turn in trace.turns:
            value = (
                {"thought": turn.thought, "call": turn.call}
                if turn.call
                else {"thought": turn.thought, "done": True, "epitaph": trace.epitaph}
            )
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            # The one turn that a constrained model could not have written.
            refused = "'cactus'" in (turn.observation or "")
            assert matches(rules, text) is not refused, text


def test_equal_runs_give_equal_traces_byte_for_byte() -> None:
    first = [trace.to_line() for trace in demo()[1]]
    assert [trace.to_line() for trace in granted(shipped("wishes.txt"))[1]] == first


def test_another_seed_gives_another_world() -> None:
    assert granted(shipped("wishes.txt")[:3], seed=8)[0].digest != demo()[0].at(3).digest


def test_delays_change_nothing_but_time() -> None:
    wish, world = shipped("wishes.txt")[-1], World.genesis()
    slow = grant_wish(world, wish, MockBackend(token_delay_s=0.001), "w_000001", 7)[1]
    assert slow == grant_wish(world, wish, MockBackend(), "w_000001", 7)[1]


def test_texts_stay_within_their_limits_and_say_nothing_forbidden() -> None:
    backend = MockBackend()
    for trace in everything()[1]:
        assert 0 < len(backend.tokenize(trace.reading)) <= 80
        assert 0 < len(trace.epitaph) <= EPITAPH_MAX
        spoken = [trace.reading, trace.epitaph, *(turn.thought for turn in trace.turns)]
        assert all(0 < len(turn.thought) <= THOUGHT_MAX for turn in trace.turns)
        assert not any(word in text.lower() for text in spoken for word in ("remember", "{", "}"))


def test_fifty_wishes_do_not_repeat_themselves() -> None:
    traces = everything()[1]
    assert len({trace.epitaph for trace in traces}) >= 0.75 * len(traces)
    assert len({trace.reading for trace in traces}) >= 0.8 * len(traces)


def test_buildings_stand_near_the_town_and_not_on_one_spot() -> None:
    world = demo()[0]
    built = [f for f in world.features if f.tool == "place_structure" and f.wish_id != "genesis"]
    points = [direction(f.args["lat"], f.args["lon"]) for f in built]  # type: ignore[arg-type]
    center = town_center(world.features)
    near = [float(angle_deg(center, point)) for point in points]
    assert sum(distance < 12 for distance in near) >= 0.6 * len(near)
    for i, point in enumerate(points):
        for other in points[i + 1 :]:
            assert float(angle_deg(point, other)) > 0.5


def test_every_theme_is_written_out() -> None:
    names = [theme.name for theme in themes()]
    assert len(set(names)) == len(names) >= 30
    for theme in themes():
        assert min(len(theme.reading), len(theme.epitaph)) >= 3
        assert theme.also
        assert theme.fallback == (theme.pattern is None)
        for row in theme.steps:
            assert row["tool"] in TOOLS
            assert len(row["say"]) >= 3


@pytest.mark.parametrize("theme", [theme.name for theme in themes() if not theme.fallback])
def test_every_theme_is_accepted_by_the_world(theme: str) -> None:
    row = next(item for item in themes() if item.name == theme)
    assert row.pattern is not None
    word = row.pattern.pattern.split("(?:")[1].split("|")[0]
    word = word.replace("\\w*", "").replace("\\s+", " ").replace("\\", "").split(")")[0]
    assert theme in {found.name for found in matching(f"a {word} somewhere")}
    for seed in range(3):
        trace = grant_wish(World.genesis(), f"a {word}", MockBackend(), "w_000001", seed + 1)[1]
        assert isinstance(trace, WishTrace)
        rejected = [t for t in trace.turns if (t.observation or "").startswith("rejected")]
        assert len(rejected) == (1 if theme == "desert" else 0), rejected


@given(st.text(min_size=1, max_size=140), st.integers(0, 2**31 - 1))
def test_any_wish_has_a_plan(wish: str, seed: int) -> None:
    made = plan(wish, SUMMARY, seed)
    assert 1 <= len(made.steps) <= MAX_CALLS
    assert made == plan(wish, SUMMARY, seed)


def test_the_compass_of_a_wish_is_obeyed() -> None:
    made = plan("a lake in the far north", SUMMARY, 3)
    assert made.steps[0].call["args"]["path"][0][0] > 24
    assert asked_bearing("south-western hills") == 225
    assert asked_bearing("an easterner") is None or asked_bearing("a hill") is None


def test_the_town_is_read_out_of_the_summary() -> None:
    town = read_town(SUMMARY)
    assert (town.name, town.built, town.districts) == ("Lowmere", 16, 0)
    assert waypoint(town.center) == (14, 38)
    assert waypoint(read_town("nothing at all").center) == (14, 38)


@pytest.mark.parametrize(
    ("wish", "about"),
    [
        ("Please make me a lake.", "a lake"),
        ("I wish for a town, with bells!", "a town, with bells"),
        ("let there be light", "light"),
        ("please", "please"),
    ],
)
def test_subject_leaves_out_the_asking(wish: str, about: str) -> None:
    assert subject(wish) == about


def test_dice_streams_are_independent() -> None:
    dice = Dice("a lake", 1)
    draws = np.array([dice.draw(f"purpose {n}") for n in range(2000)])
    assert abs(float(np.mean(draws)) - 0.5) < 0.03
    assert dice.draw("a") == Dice("a lake", 1).draw("a") != Dice("a lake", 2).draw("a")
