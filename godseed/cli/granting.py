"""Granting wishes for the command line: one after another, each on disk before it is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click

from godseed.cli.output import Output, one_line
from godseed.mind.backends import Backend, available, create
from godseed.mind.moderation import ON_WEAK, Moderator, open_judge
from godseed.mind.planner import Acted, Event, Planner, Refusal
from godseed.sim.feature import wish_id
from godseed.sim.grapheme import clean_line
from godseed.sim.summary import summary
from godseed.sim.trace import WishTrace
from godseed.sim.world import World

Command = TypeVar("Command", bound=Callable[..., Any])


def backend_options(command: Command) -> Command:
    """The options that choose a mind: `backend`, `model`, `template` and `url`."""
    for option in (
        click.option("--url", help="Of the server, up to /v1, for --backend openai."),
        click.option("--template", metavar="FILE", help="A chat template instead of the model's."),
        click.option(
            "--model", help="A GGUF file, owner/repository on the hub, default, or a server's name."
        ),
        click.option(
            "--backend",
            envvar="GODSEED_BACKEND",
            default="mock",
            show_default=True,
            help=f"What plans: {', '.join(available())}.",
        ),
    ):
        command = option(command)
    return command


def backend_of(given: Mapping[str, Any]) -> Backend:
    """The backend that `backend_options` chose, tried out if it could take this process down.

    Raises:
        UnknownBackendError: no such backend, or it takes no such option.
        ModelError: its model or template cannot be used.
        MissingError: it needs something that is not here.
    """
    name = given["backend"]
    chosen = {key: given[key] for key in ("model", "template", "url") if given[key] is not None}
    if name == "llamacpp":
        from godseed.mind.backends.llama_probe import ensure_works
        from godseed.mind.backends.model_files import find_model

        chosen["model"] = find_model(chosen.get("model"))
        ensure_works(chosen["model"])
    return create(name, **chosen)


def judge_options(command: Command) -> Command:
    """The option that says what a weak judge means: `on_weak_judge`."""
    return click.option(
        "--on-weak-judge",
        envvar="GODSEED_ON_WEAK_JUDGE",
        type=click.Choice(ON_WEAK),
        default="deny",
        show_default=True,
        help="If the model is not fit to judge wishes: grant none, or go by words alone.",
    )(command)


def moderator_of(given: Mapping[str, Any], backend: Backend, out: Output) -> Moderator:
    """All layers of moderation for a backend; a judge that is not fit is told at once.

    Args:
        given: `on_weak_judge`.
    """
    policy = given["on_weak_judge"]
    judge = open_judge(backend)
    if judge is not None and not judge.fit:
        told = "wishes are judged by words alone" if policy == "lexical" else "no wish will pass"
        out.note(f"note: the judge is {judge.status}: {judge.evidence}; {told}")
        if policy == "deny":
            out.note(
                "      use a larger --model, or go by words alone with --on-weak-judge lexical"
            )
    return Moderator(judge, policy)


@dataclass
class Granter:
    """Grants wishes on a growing world.

    Attributes:
        world: after the last wish.
        traces: of all wishes so far; they number the next one and its summary quotes them.
        backend, planner: what plans.
        seed: of sampling, 1..2**31-1.
        out: hears the god as it speaks.
        store: puts a trace on disk; called before anybody is told that the wish is granted.
        moderator: decides which wishes are planned at all.
    """

    world: World
    traces: list[WishTrace]
    backend: Backend
    planner: Planner
    seed: int
    out: Output
    store: Callable[[WishTrace], object] = field(default=lambda trace: None)
    moderator: Moderator = field(default_factory=Moderator)

    def grant(self, wish: str) -> WishTrace | Refusal:
        """Moderate and grant one wish.

        Raises:
            LogError, OSError: it could not be stored, and is not granted.
        """
        number = max((int(trace.wish_id[2:]) for trace in self.traces), default=0) + 1
        name, verdict = wish_id(number), self.moderator.moderate(wish)
        if not verdict.allowed:
            self.out.data(f"declined  {one_line(wish)}\n          {verdict.reason}")
            return Refusal(name, wish, verdict.reason, verdict)
        virtual = self.backend.identity().get("clock") == "virtual"
        stamp = 0.0 if virtual else time.time()
        grown = self.world.granted(name)
        speech, calls = Speech(self.out), 0

        async def act(call: dict[str, Any]) -> Acted:
            nonlocal grown, calls
            applied = grown.apply(call, name, calls, stamp)
            calls += 1
            grown = applied.world
            speech.answer(applied.observation)
            return Acted(applied.observation, applied.feature)

        async def emit(event: Event) -> None:
            speech.hear(event)

        async def commit(trace: WishTrace) -> None:
            self.store(trace)

        trace = asyncio.run(
            self.planner.grant(
                clean_line(wish),
                summary(self.world, [trace.text for trace in self.traces]),
                act,
                emit,
                wish_id=name,
                seed=self.seed,
                epoch=grown.epoch,
                submitted_at=stamp,
                verdict=verdict,
                commit=commit,
            )
        )
        self.world = grown
        self.traces.append(trace)
        ids = " ".join(trace.feature_ids) or "nothing"
        self.out.data(f"{name}  {ids}")
        if trace.epitaph:
            self.out.data(f"          “{trace.epitaph}”")
        if trace.ended != "done":
            self.out.note(f"note: {name} ended early: {trace.ended}")
        return trace


class Speech:
    """The god's words on standard error as they come, calls and answers in between."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._turn: int | None = None

    def hear(self, event: Event) -> None:
        """Print one event of a wish."""
        kind = event["type"]
        if kind == "thought_token":
            if self._turn not in (None, event["turn"]):
                self._end()
            if self._turn is None and event["turn"] >= 0:
                self._out.note("  ", end="")
            self._turn = event["turn"]
            self._out.note(event["text"], end="", italic=True, dim=event["turn"] >= 0)
            return
        self._end()
        if kind == "wish_started":
            self._out.note()
            self._out.note(event["text"], fg="yellow", bold=True)
        elif kind == "tool_call":
            args = ", ".join(f"{name}={value}" for name, value in event["args"].items())
            self._out.note(f"    {event['tool']}({args})", fg="cyan")

    def answer(self, observation: str) -> None:
        """Print what the world answered to a call."""
        self._out.note(f"    {observation}", fg="green" if observation[:3] == "ok:" else "red")

    def _end(self) -> None:
        """Finish the line that is being spoken."""
        if self._turn is not None:
            self._out.note()
        self._turn = None


def report_of(result: WishTrace | Refusal) -> dict[str, Any]:
    """A wish as a row of a JSON document."""
    if isinstance(result, Refusal):
        return {
            "granted": False,
            "text": result.text,
            "reason": result.reason,
            "moderation": result.verdict.record(),
        }
    return {
        "granted": True,
        "wish_id": result.wish_id,
        "text": result.text,
        "reading": result.reading,
        "turns": [
            {"thought": turn.thought, "call": turn.call, "observation": turn.observation}
            for turn in result.turns
        ],
        "feature_ids": list(result.feature_ids),
        "epitaph": result.epitaph,
        "ended": result.ended,
    }
