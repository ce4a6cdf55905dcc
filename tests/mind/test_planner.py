"""The planner: the order of events, the trace, and that no backend can break a wish."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.backends import (
    BackendError,
    Generation,
    GenerationCancelled,
    Message,
    ModelError,
    OnToken,
    Sampling,
)
from godseed.mind.backends.mock import MockBackend
from godseed.mind.planner import Acted, Planner, Refusal, grant_wish
from godseed.sim.maths import F32
from godseed.sim.trace import TraceLog, WishTrace, load
from godseed.sim.world import World

WISH = "a lighthouse on a northern cape"
SKY = {"tool": "set_sky", "args": {"palette": "dusk", "star_density": 0.5, "moons": 1}}
TURN = json.dumps({"thought": "evening", "call": SKY})
DONE = '{"thought":"enough","done":true,"epitaph":"It stands."}'
Answer = str | Exception | object


class Scripted:
    """A backend that answers what the test says: the reading first, then turn after turn."""

    def __init__(self, *answers: Answer, then: Answer = "") -> None:
        self.answers = list(answers)
        self.then = then
        self.resets = 0
        self.seen: list[tuple[str, str | None, Sampling]] = []

    def render(self, messages: Sequence[Message]) -> str:
        return "\n".join(f"{item['role']}: {item['content']}" for item in messages)

    def tokenize(self, text: str) -> list[int]:
        return [ord(char) for char in text]

    def detokenize(self, tokens: Sequence[int]) -> str:
        return "".join(map(chr, tokens))

    def reset(self) -> None:
        self.resets += 1

    def generate(
        self,
        prompt: str,
        grammar: str | None,
        stop: Sequence[str],
        sampling: Sampling,
        on_token: OnToken,
    ) -> Any:
        self.seen.append((prompt, grammar, sampling))
        answer = self.answers.pop(0) if self.answers else self.then
        if isinstance(answer, Exception):
            raise answer
        if not isinstance(answer, str):
            return answer
        for char in answer[:5000]:
            on_token(char)
        return Generation(answer, len(prompt), len(answer))

    def logits(self, prompt: str) -> F32:
        return np.zeros(2, np.float32)

    def identity(self) -> Mapping[str, Any]:
        return {"kind": "scripted", "model": "none", "clock": "virtual"}


def grant(backend: Any, wish: str = WISH) -> tuple[World, WishTrace, list[dict[str, Any]]]:
    events: list[dict[str, Any]] = []
    world, trace = grant_wish(World.genesis(), wish, backend, "w_000001", 5, 12.5, events.append)
    assert isinstance(trace, WishTrace)
    return world, trace, events


def test_events_come_in_the_order_of_the_protocol() -> None:
    world, trace, events = grant(MockBackend())
    kinds = [event["type"] for event in events]
    assert kinds[0] == "wish_started"
    assert kinds[-1] == "wish_granted"
    calls = [event for event in events if event["type"] == "tool_call"]
    assert [event["call_index"] for event in calls] == list(range(len(calls)))
    for event in calls:
        assert kinds[events.index(event) + 1] == "world_delta"
    assert events[-1] == {
        "type": "wish_granted",
        "wish_id": "w_000001",
        "epitaph": trace.epitaph,
        "epoch": 1,
    }
    assert world.epoch == 1
    json.dumps(events)


def test_streamed_words_are_the_reading_and_the_thoughts() -> None:
    _, trace, events = grant(MockBackend())
    streamed = "".join(event["text"] for event in events if event["type"] == "thought_token")
    assert streamed == trace.reading + "".join(turn.thought for turn in trace.turns)


def test_trace_holds_what_a_reader_needs() -> None:
    world, trace, _ = grant(MockBackend())
    assert tuple(trace.features) == tuple(world.features)[4:]
    assert trace.feature_ids == tuple(feature.id for feature in trace.features)
    assert (trace.schema_version, trace.seed, trace.submitted_at) == (1, 5, 12.5)
    assert (trace.backend, trace.model, trace.ended) == ("mock", "mock-1", "done")
    assert trace.prompt_sha256 == Planner(MockBackend()).prompt.sha256
    assert json.loads(trace.to_line())["moderation"]["judge"] == "absent"
    assert all(turn.ms > 0 and turn.tokens_in > 0 < turn.tokens_out for turn in trace.turns)
    assert trace.ms_total >= sum(turn.ms for turn in trace.turns)


def test_traces_rebuild_the_world_from_the_log(tmp_path: Any) -> None:
    world, trace, _ = grant(MockBackend())
    with TraceLog(tmp_path / "w.jsonl") as log:
        log.append(trace)
    assert load(tmp_path / "w.jsonl").world.digest == world.digest


def test_conversation_only_grows_and_holds_every_observation() -> None:
    backend = Scripted("A reading.", TURN, TURN, DONE)
    _, trace, _ = grant(backend)
    prompts = [prompt for prompt, _, _ in backend.seen]
    for before, after in pairwise(prompts):
        assert after.startswith(before)
    assert prompts[-1].count("ok: sky is now dusk") == 2
    assert [len(t.observation or "") > 0 for t in trace.turns] == [True, True, False]


def test_each_wish_begins_with_an_empty_context() -> None:
    backend = Scripted("A reading.", DONE, "A reading.", DONE)
    for expected in (1, 2):
        grant(backend)
        assert backend.resets == expected


def test_a_backend_that_takes_no_conversation_is_refused_before_a_wish() -> None:
    class Bare(Scripted):
        def render(self, messages: Sequence[Message]) -> str:
            raise ModelError("model 'x': it has no chat template")

    with pytest.raises(ModelError, match="no chat template"):
        Planner(Bare())


def test_reading_is_free_and_short_and_turns_are_constrained() -> None:
    backend = Scripted("A reading.", TURN, DONE)
    grant(backend)
    assert [grammar is None for _, grammar, _ in backend.seen] == [True, False, False]
    assert backend.seen[0][2].max_tokens == 80
    assert {sampling.seed for _, _, sampling in backend.seen} == {5}


def test_the_last_turn_may_only_end() -> None:
    backend = Scripted("A reading.", *[TURN] * 6, DONE)
    _, trace, _ = grant(backend)
    assert (len(trace.turns), trace.epitaph, trace.ended) == (7, "It stands.", "done")
    assert '\\"call' not in str(backend.seen[-1][1])
    assert "the last" in backend.seen[-1][0].splitlines()[-1]


def test_a_model_that_never_ends_is_ended() -> None:
    world, trace, events = grant(Scripted("A reading.", then=TURN))
    assert (trace.ended, trace.epitaph) == ("turn limit", "")
    assert len(trace.turns) == len(trace.features) == 7
    assert events[-1]["type"] == "wish_granted"
    assert world.epoch == 1


def test_one_bad_answer_is_asked_again_with_another_seed() -> None:
    backend = Scripted("A reading.", "I would rather not.", TURN, DONE)
    _, trace, _ = grant(backend)
    assert trace.ended == "done"
    assert trace.turns[0].call is None
    assert trace.turns[0].observation == "unreadable: not a JSON object"
    assert trace.turns[1].call == SKY
    assert "could not be read" in backend.seen[2][0]
    assert backend.seen[1][2].seed != backend.seen[2][2].seed


BROKEN: dict[str, tuple[Callable[[], Scripted], str]] = {
    "junk": (lambda: Scripted("r", then="blah } { [ \x00 \ud800"), "unreadable"),
    "silence": (lambda: Scripted(then=""), "unreadable"),
    "huge": (lambda: Scripted("r", then="{" + "x" * 1_000_000), "unreadable"),
    "deep": (lambda: Scripted("r", then="[" * 100_000), "unreadable"),
    "wrong enum, cut off": (lambda: Scripted("r", then=TURN[: TURN.index("sk")]), "unreadable"),
    "endless call": (
        lambda: Scripted("r", then=TURN.replace("dusk", "d" * 9000)),
        "unreadable: a call of more than",
    ),
    "raises": (lambda: Scripted("r", then=OSError("no disk")), "backend failed: OSError: no disk"),
    "raises ours": (lambda: Scripted(then=BackendError("no model")), "backend failed: no model"),
    "gives nothing": (lambda: Scripted("r", then=object()), "backend failed: a object came"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_backend_ends_the_wish_and_the_trace_says_so(case: str) -> None:
    make, ended = BROKEN[case]
    world, trace, events = grant(make())
    assert (trace.ended or "").startswith(ended), trace.ended
    assert len(trace.turns) == 2
    assert (trace.turns[-1].observation or "").startswith(ended.split(":")[0])
    assert events[-1]["type"] == "wish_granted"
    assert len(world) == 4
    assert WishTrace.model_validate_json(trace.to_line()) == trace


def test_what_was_granted_before_the_break_stays() -> None:
    world, trace, _ = grant(Scripted("A reading.", TURN, then="?"))
    assert len(trace.features) == 1
    assert len(world) == 5


def test_a_wrong_enum_is_rejected_by_the_world_and_told() -> None:
    backend = Scripted("A reading.", TURN.replace("dusk", "noon"), TURN, DONE)
    _, trace, _ = grant(backend)
    assert (trace.turns[0].observation or "").startswith("rejected: unknown palette 'noon'")
    assert "rejected: unknown palette 'noon'" in backend.seen[2][0]
    assert len(trace.features) == 1
    assert trace.features[0].seed != World.genesis().apply(SKY, "w_000001", 0).feature.seed  # type: ignore[union-attr]


def test_repairs_are_recorded() -> None:
    _, trace, _ = grant(Scripted("A reading.", f"Sure: {TURN} ok?", DONE))
    assert json.loads(trace.to_line())["turns"][0]["repairs"] == ["first object"]


def test_a_model_cannot_write_what_a_visitor_may_not() -> None:
    word = "".join(reversed("akitsaws"))
    turn = {"thought": f"a {word}", "call": {"tool": "inscribe_wish", "args": {}}}
    turn["call"]["args"] = {"text": f"the {word} forest", "style": "stone"}  # type: ignore[index]
    done = {"thought": "x", "done": True, "epitaph": word}
    _, trace, events = grant(Scripted(f"A {word} reading.", json.dumps(turn), json.dumps(done)))
    assert word not in trace.to_line().decode()
    assert word not in json.dumps(events)
    assert (trace.turns[0].observation or "").startswith("rejected: text")


def test_a_declined_wish_leaves_the_world_alone() -> None:
    events: list[dict[str, Any]] = []
    world = World.genesis()
    same, refusal = grant_wish(world, "x" * 200, MockBackend(), "w_000001", on_event=events.append)
    assert same is world
    assert isinstance(refusal, Refusal)
    assert events == [
        {"type": "wish_rejected", "wish_id": "w_000001", "reason": refusal.reason},
    ]


@given(st.lists(st.text(max_size=80), max_size=10))
def test_no_text_makes_a_grant_raise(answers: list[str]) -> None:
    _, trace, _ = grant(Scripted(*answers))
    assert trace.ended


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_no_argument_makes_a_grant_raise(value: Any) -> None:
    args = {"palette": value, "star_density": value, "moons": value, "x": value}
    turn = json.dumps({"thought": "t", "call": {"tool": "set_sky", "args": args}})
    _, trace, _ = grant(Scripted("r", turn, DONE))
    assert trace.ended


def test_commit_comes_before_anybody_is_told() -> None:
    order: list[str] = []

    async def act(call: dict[str, Any]) -> Acted | str:
        return "ok: nothing"

    async def emit(event: dict[str, Any]) -> None:
        order.append(event["type"])

    async def commit(trace: WishTrace) -> None:
        order.append(f"commit {trace.wish_id}")

    planner = Planner(Scripted("r", TURN, DONE))
    trace = asyncio.run(
        planner.grant(WISH, "calm", act, emit, wish_id="w_000009", seed=1, commit=commit)
    )
    assert order[-2:] == ["commit w_000009", "wish_granted"]
    assert trace.features == ()
    assert trace.turns[0].observation == "ok: nothing"


def test_errors_of_the_caller_are_not_swallowed() -> None:
    async def act(call: dict[str, Any]) -> Acted | str:
        raise KeyError("engine")

    async def emit(event: dict[str, Any]) -> None:
        pass

    planner = Planner(Scripted("r", TURN, DONE))
    with pytest.raises(KeyError, match="engine"):
        asyncio.run(planner.grant(WISH, "calm", act, emit, wish_id="w_000001", seed=1))


def test_a_grant_that_is_cancelled_stops_the_backend() -> None:
    stopped: list[bool] = []

    class Endless(Scripted):
        def generate(
            self, prompt: str, grammar: Any, stop: Any, sampling: Any, on_token: Any
        ) -> Any:
            try:
                while True:
                    on_token("word ")
            except GenerationCancelled:
                stopped.append(True)
                raise

    async def act(call: dict[str, Any]) -> Acted | str:
        return ""

    async def emit(event: dict[str, Any]) -> None:
        await asyncio.sleep(0)

    async def run() -> None:
        planner = Planner(Endless())
        grant = planner.grant(WISH, "calm", act, emit, wish_id="w_000001", seed=1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(grant, 0.05)

    asyncio.run(run())
    assert stopped == [True]


def test_grant_wish_works_inside_a_running_loop() -> None:
    async def notebook() -> WishTrace:
        return grant(MockBackend())[1]

    assert asyncio.run(notebook()) == grant(MockBackend())[1]


@pytest.mark.parametrize("turns", [0, 8])
def test_planner_refuses_a_number_of_turns(turns: int) -> None:
    with pytest.raises(ValueError, match=r"expected 1\.\.7"):
        Planner(MockBackend(), max_turns=turns)


def test_planner_with_one_turn_ends_at_once() -> None:
    planner = Planner(MockBackend(), max_turns=1)
    trace = grant_wish(World.genesis(), WISH, MockBackend(), "w_000001", planner=planner)[1]
    assert isinstance(trace, WishTrace)
    assert [turn.call for turn in trace.turns] == [None]
