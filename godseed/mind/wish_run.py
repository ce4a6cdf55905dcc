"""One wish being granted: the conversation, its turns, and what came of each.

Kept apart from `planner.py`, which is what callers use. Nothing that a backend writes or raises
leaves this module as an exception; it ends the wish and is recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from godseed.mind.backends import (
    Backend,
    BackendError,
    Generation,
    GenerationCancelled,
    Message,
    Sampling,
)
from godseed.mind.clock import Clock
from godseed.mind.gbnf import longest
from godseed.mind.grammar import THOUGHT_MAX, turn_grammar
from godseed.mind.moderation import screen
from godseed.mind.prompts import Prompt
from godseed.mind.thought_stream import ScreenedStream, ThoughtStream
from godseed.mind.turns import Turn, UnreadableTurn, read_turn, spoken
from godseed.sim.feature import Feature
from godseed.sim.trace import Turn as TraceTurn

READING_TOKENS = 80
READING_MAX = 600
TURN_TOKENS = 640
ATTEMPTS = 2
SEED_STEP = 7919
MAX_SEED = 0x7FFFFFFF
SILENCED = "The words would not hold."

Event = dict[str, Any]
Emit = Callable[[Event], Awaitable[None]]


class Acted(NamedTuple):
    """What came of a call: the observation, and the feature if one landed."""

    observation: str
    feature: Feature | None


Act = Callable[[dict[str, Any]], Awaitable[Acted | str]]


class WishRun:
    """The state of one wish.

    Attributes:
        turns: as they go into the trace, failed attempts included.
        features: what has landed, in order.
        epitaph: empty until the god is done.
        ended: `done`, `turn limit`, `unreadable: ...` or `backend failed: ...`.
    """

    def __init__(
        self,
        backend: Backend,
        prompt: Prompt,
        clock: Clock,
        sampling: Sampling,
        max_turns: int,
        wish: str,
        wish_id: str,
        act: Act,
        emit: Emit,
    ) -> None:
        """Args: sampling: its seed, 1..2**31-1, is the wish's; a second attempt uses another."""
        self._backend = backend
        self._prompt = prompt
        self._clock = clock
        self._sampling = sampling
        self._max_turns = max_turns
        self._wish = wish
        self._wish_id = wish_id
        self._act = act
        self._emit = emit
        self._messages: list[Message] = []
        self._speaking = -1
        self._first_ms: float | None = None
        self._by_grammar = backend.identity().get("grammar") == "gbnf"
        self.turns: list[TraceTurn] = []
        self.features: list[Feature] = []
        self.epitaph = ""
        self.ended = "turn limit"

    async def read(self, world_summary: str) -> str:
        """The reading, streamed; empty when the backend could not give one."""
        limit = self._max_turns
        self._say("system", self._prompt.fill("system", max_turns=limit))
        self._say("user", self._prompt.fill("reading", summary=world_summary, wish=self._wish))
        try:
            made = await self._generate(None, READING_TOKENS, None, 0)
            reading = _screened(spoken(made.text.rpartition("</think>")[2], READING_MAX))
        except BackendError:
            # The turns that follow will fail the same way, and say so.
            reading = ""
        self._say("assistant", reading or "...")
        self._say("user", self._prompt.fill("turn", max_turns=limit))
        return reading

    async def take_turns(self) -> None:
        """Plan, act and observe until done, unreadable, or out of turns."""
        for number in range(1, self._max_turns + 1):
            turn = await self._turn(number)
            if turn is None:
                return
            if turn.call is None:
                self.epitaph = turn.epitaph
                self.ended = "done"
                return
            call = dict(turn.call)
            named = {"call_index": number - 1, "tool": call["tool"], "args": call["args"]}
            await self._emit({"type": "tool_call", "wish_id": self._wish_id, **named})
            observation = await self._carry_out(call)
            self.turns[-1] = self.turns[-1].model_copy(update={"observation": observation})
            self._observe(observation, number + 1)

    async def _turn(self, number: int) -> Turn | None:
        """One readable turn, within two attempts; None ends the wish."""
        problem = ""
        self._speaking = number - 1
        for attempt in range(ATTEMPTS):
            before_ms = self._clock.now_ms()
            made, turn = Generation("", 0, 0), None
            grammar = turn_grammar(number == self._max_turns)
            # A token is at least a byte, so a turn that must follow the grammar is never cut.
            limit = longest(grammar) if self._by_grammar else TURN_TOKENS
            try:
                thought = ThoughtStream(THOUGHT_MAX)
                made = await self._generate(grammar, limit, thought, attempt)
                turn = _silenced(read_turn(made.text))
            except UnreadableTurn as error:
                problem = f"unreadable: {error}"
            except BackendError as error:
                problem = f"backend failed: {spoken(str(error), 200)}"
            self.turns.append(self._recorded(turn, problem, made, before_ms))
            if turn is not None:
                self._say("assistant", made.text)
                return turn
            if attempt + 1 < ATTEMPTS:
                self._say("assistant", spoken(made.text, READING_MAX) or "...")
                self._say("user", self._prompt.fill("retry", reason=problem, turn=number))
        self.ended = problem
        return None

    def _recorded(
        self, turn: Turn | None, problem: str, made: Generation, before_ms: float
    ) -> TraceTurn:
        more: dict[str, Any] = {"repairs": list(turn.repairs)} if turn and turn.repairs else {}
        if made.tokens_reused:
            more["tokens_reused"] = made.tokens_reused
        if self._first_ms:
            more["first_token_ms"] = round(self._first_ms)
        return TraceTurn(
            thought=turn.thought if turn else "",
            call=dict(turn.call) if turn and turn.call is not None else None,
            observation=None if turn else problem,
            ms=round(self._clock.now_ms() - before_ms),
            tokens_in=made.tokens_in,
            tokens_out=made.tokens_out,
            **more,
        )

    async def _carry_out(self, call: dict[str, Any]) -> str:
        result = await self._act(call)
        if isinstance(result, str):
            return result
        if result.feature is not None:
            self.features.append(result.feature)
        return result.observation

    def _observe(self, observation: str, number: int) -> None:
        """Tell the model what the world answered, and which turn comes next."""
        section = "last" if number == self._max_turns else "observation"
        turns = {"turn": number, "max_turns": self._max_turns}
        self._say("user", self._prompt.fill(section, observation=observation, **turns))

    async def _generate(
        self, grammar: str | None, max_tokens: int, thought: ThoughtStream | None, attempt: int
    ) -> Generation:
        """Run the backend in a thread of its own and emit what it says, in order.

        Args:
            thought: decodes a JSON turn; None for free text.
            attempt: 0 draws with the seed of the wish, later ones with others.
        Raises:
            BackendError: whatever the backend raised, or no text came.
        """
        seed = (self._sampling.seed - 1 + attempt * SEED_STEP) % MAX_SEED + 1
        sampling = replace(self._sampling, seed=seed, max_tokens=max_tokens)
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        cancelled = False

        def on_token(piece: str) -> None:
            if cancelled:
                raise GenerationCancelled
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

        def work() -> Generation:
            try:
                prompt = self._backend.render(self._messages)
                return _checked(self._backend.generate(prompt, grammar, [], sampling, on_token))
            except BackendError:
                raise
            except Exception as error:
                raise BackendError(f"{type(error).__name__}: {error}") from error
            finally:
                loop.call_soon_threadsafe(pieces.put_nowait, None)

        task = loop.run_in_executor(None, work)
        spoken_aloud = ScreenedStream()
        before_ms = self._clock.now_ms()
        self._first_ms = None
        try:
            while (piece := await pieces.get()) is not None:
                if self._first_ms is None:
                    self._first_ms = self._clock.now_ms() - before_ms
                await self._utter(spoken_aloud.feed(thought.feed(piece) if thought else piece))
            await self._utter(spoken_aloud.finish())
            made = await task
        except BaseException:
            cancelled = True
            # Nobody waits for the answer any more, but somebody must look at how it ended.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise
        self._clock.spend(made.tokens_in, made.tokens_out)
        return made

    async def _utter(self, text: str) -> None:
        if text:
            said = {"wish_id": self._wish_id, "turn": self._speaking, "text": text}
            await self._emit({"type": "thought_token", **said})

    def _say(self, role: Literal["system", "user", "assistant"], content: str) -> None:
        self._messages.append({"role": role, "content": content})


def _checked(made: object) -> Generation:
    if not isinstance(made, Generation) or not isinstance(made.text, str):
        raise BackendError(f"a {type(made).__name__} came; expected a Generation with text")
    return made


def _screened(text: str) -> str:
    return text if screen(text).allowed else SILENCED


def _silenced(turn: Turn) -> Turn:
    """The turn without words that moderation declines; the world then refuses an empty text."""
    thought, epitaph = _screened(turn.thought), _screened(turn.epitaph)
    call = turn.call
    if call is not None:
        args = {
            name: "" if isinstance(value, str) and not screen(value).allowed else value
            for name, value in call["args"].items()
        }
        call = {"tool": call["tool"], "args": args}
    made = replace(turn, thought=thought, call=call, epitaph=epitaph)
    return made if made == turn else replace(made, repairs=(*turn.repairs, "silenced"))
