"""The planner: read a wish aloud, then plan, act and observe until it is granted.

One wish is one append-only conversation, so that a backend may keep its prefix: system, the world
and the wish, the reading, then one JSON turn after another, each followed by what the world
answered. The engine owns all state; the planner sees it only as text. Whatever a model writes, a
wish ends with a trace, and the trace says how (`ended`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from godseed.mind.backends import Backend, Message, Sampling
from godseed.mind.clock import Clock, VirtualClock, WallClock
from godseed.mind.moderation import Moderator, Verdict
from godseed.mind.prompts import DEFAULT_PROMPT, Prompt, load_prompt
from godseed.mind.wish_run import Act, Acted, Emit, Event, WishRun
from godseed.sim.grapheme import clean_line
from godseed.sim.summary import summary
from godseed.sim.trace import Moderation, WishTrace
from godseed.sim.world import World

MAX_TURNS = 7
RECORDED = ("model_sha256", "template_sha256", "constraint")
"""What of a backend's identity goes into the trace beside its kind and model."""
_CONVERSATION: tuple[Message, ...] = (
    {"role": "system", "content": "A system message."},
    {"role": "user", "content": "A question."},
    {"role": "assistant", "content": "An answer."},
    {"role": "user", "content": "Another question."},
)
"""The shape of a wish; a template that refuses it should say so before a wish is made."""

__all__ = ["MAX_TURNS", "Act", "Acted", "Emit", "Event", "Planner", "Refusal", "grant_wish"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A wish that moderation declined; it has no trace and no place in the log.

    Attributes:
        wish_id: the id that it would have had; the next wish may use it.
        text: the wish.
        reason: what the visitor reads.
        verdict: layer and category.
    """

    wish_id: str
    text: str
    reason: str
    verdict: Verdict


class Planner:
    """Grants wishes with one backend and one prompt; one wish at a time."""

    def __init__(
        self,
        backend: Backend,
        prompt: Prompt | str | None = None,
        *,
        max_turns: int = MAX_TURNS,
        temperature: float = 0.7,
        top_p: float = 0.95,
        clock: Callable[[], Clock] | None = None,
    ) -> None:
        """Args:
            backend: what writes.
            prompt: a loaded prompt, the name of a shipped one, or a path ending in `.md`.
            max_turns: turns of one wish, the last of which must end it; 1..7.
            clock: makes the clock of one wish; by default as the backend's identity says.
        Raises:
            PromptError: no such prompt.
            ModelError: the model has no chat template, or it takes no such conversation.
            ValueError: `max_turns` is out of range.
        """
        if not 1 <= max_turns <= MAX_TURNS:
            raise ValueError(f"planner.max_turns: {max_turns}; expected 1..{MAX_TURNS}")
        self._backend = backend
        self._prompt = (
            prompt if isinstance(prompt, Prompt) else load_prompt(prompt or DEFAULT_PROMPT)
        )
        self._max_turns = max_turns
        self._temperature = temperature
        self._top_p = top_p
        virtual = backend.identity().get("clock") == "virtual"
        self._clock = clock or (VirtualClock if virtual else WallClock)
        backend.render(_CONVERSATION)

    @property
    def prompt(self) -> Prompt:
        """The prompt in use."""
        return self._prompt

    async def grant(
        self,
        wish: str,
        world_summary: str,
        act: Act,
        emit: Emit,
        *,
        wish_id: str,
        seed: int,
        epoch: int = 0,
        submitted_at: float = 0.0,
        verdict: Verdict | None = None,
        commit: Callable[[WishTrace], Awaitable[None]] | None = None,
    ) -> WishTrace:
        """Grant one wish that moderation has let pass.

        Args:
            wish: as moderated, one line.
            world_summary: `godseed.sim.summary.summary` of the world as it is.
            act: carries out `{"tool", "args"}`; called once per call, in order, also for calls
                that the world rejects. Its caller emits `world_delta`.
            emit: takes the events of this wish, in order.
            wish_id: `w_%06d`.
            seed: of sampling; recorded.
            epoch: the world's epoch once this wish is granted, for `wish_granted`.
            submitted_at: Unix seconds.
            verdict: recorded as `moderation`.
            commit: stores the trace; awaited before anybody is told that the wish is granted.
        Returns:
            The trace, also when the model failed: `ended` says how.
        Raises:
            Exception: only what `act`, `emit` or `commit` raise.
        """
        clock = self._clock()
        started_ms = clock.now_ms()
        sampling = Sampling(seed=seed, temperature=self._temperature, top_p=self._top_p)
        run = WishRun(
            self._backend,
            self._prompt,
            clock,
            sampling,
            self._max_turns,
            wish,
            wish_id,
            act,
            emit,
        )
        await emit({"type": "wish_started", "wish_id": wish_id, "text": wish})
        self._backend.reset()
        reading = await run.read(world_summary)
        await run.take_turns()
        identity = self._backend.identity()
        decided = verdict or Verdict(True, "passed")
        trace = WishTrace(
            wish_id=wish_id,
            text=wish,
            submitted_at=submitted_at,
            moderation=Moderation(**decided.record()),
            reading=reading,
            turns=tuple(run.turns),
            epitaph=run.epitaph,
            feature_ids=tuple(feature.id for feature in run.features),
            features=tuple(run.features),
            model=str(identity["model"]),
            backend=str(identity["kind"]),
            ms_total=round(clock.now_ms() - started_ms),
            prompt_sha256=self._prompt.sha256,
            seed=seed,
            ended=run.ended,
            **{key: identity[key] for key in RECORDED if identity.get(key)},
        )
        if commit is not None:
            await commit(trace)
        done = {"wish_id": wish_id, "epitaph": trace.epitaph, "epoch": epoch}
        await emit({"type": "wish_granted", **done})
        return trace


def grant_wish(
    world: World,
    wish: str,
    backend: Backend,
    wish_id: str,
    seed: int = 1,
    t: float = 0.0,
    on_event: Callable[[Event], None] | None = None,
    *,
    planner: Planner | None = None,
    recent: Sequence[str] = (),
    moderator: Moderator | None = None,
) -> tuple[World, WishTrace | Refusal]:
    """Moderate and grant one wish, start to end, without an event loop of one's own.

    Args:
        world: as it is.
        wish: one line, at most 140 characters.
        backend: what writes; ignored when a planner is given.
        wish_id: `w_%06d`.
        seed: of sampling.
        t: Unix seconds, of the submission and of every feature.
        on_event: called with each event as it happens (the seed's SSE events).
        planner: to use another prompt or other limits.
        recent: texts of the wishes granted before, oldest first, for the summary.
        moderator: with a judge; by default layers 1 and 2 alone.
    Returns:
        The world with the wish in it and its trace; or, declined, the same world and a `Refusal`.
    """
    verdict = (moderator or Moderator()).moderate(wish)
    tell = on_event or (lambda event: None)
    if not verdict.allowed:
        tell({"type": "wish_rejected", "wish_id": wish_id, "reason": verdict.reason})
        return world, Refusal(wish_id, wish, verdict.reason, verdict)
    current = world.granted(wish_id)
    calls = 0

    async def act(call: dict[str, Any]) -> Acted:
        nonlocal current, calls
        applied = current.apply(call, wish_id, calls, float(t))
        calls += 1
        current = applied.world
        if applied.feature is not None:
            tell({"type": "world_delta", "feature": applied.feature.to_dict()})
        return Acted(applied.observation, applied.feature)

    async def emit(event: Event) -> None:
        tell(event)

    chosen = planner or Planner(backend)
    trace = _run_to_end(
        lambda: chosen.grant(
            clean_line(wish),
            summary(world, recent),
            act,
            emit,
            wish_id=wish_id,
            seed=seed,
            epoch=current.epoch,
            submitted_at=float(t),
            verdict=verdict,
        )
    )
    return current, trace


def _run_to_end(start: Callable[[], Any]) -> WishTrace:
    """Run a coroutine to its end, also where a loop is running already (a notebook)."""

    async def whole() -> WishTrace:
        trace: WishTrace = await start()
        return trace

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(whole())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, whole()).result()
