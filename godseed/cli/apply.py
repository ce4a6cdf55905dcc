"""`godseed apply`: raw tool calls into a log, without a mind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from godseed.cli.options import output, output_options, read_input, writable
from godseed.cli.output import DIFFERENT, FINE, Failure
from godseed.sim.arguments import quoted
from godseed.sim.feature import GENESIS_WISH, check_wish_id
from godseed.sim.trace import TraceLog, Turn, WishTrace
from godseed.sim.world import World

FIELDS = ("wish_id", "call_index", "tool", "args")


@dataclass(frozen=True)
class Call:
    """One line: the wish and number of a call, and the call as a model would write it."""

    wish_id: str
    index: int
    request: dict[str, Any]


@click.command("apply")
@click.argument("calls", metavar="CALLS")
@click.option("-o", "--output", "log", metavar="LOG", help="Append to it; without, only answer.")
@output_options
@click.pass_context
def command(ctx: click.Context, calls: str, log: str | None) -> int:
    """Apply raw tool calls, without a mind.

    CALLS has one JSON object a line: wish_id, call_index, tool, args. Calls of one wish stand
    together, call_index counts up. Prints what the world answers to each; exit code 1 if one was
    rejected.

    \b
    Example:
      godseed apply calls.jsonl -o world.jsonl
    """
    out = output(ctx)
    groups = grouped(calls, read_calls(calls))
    rows: list[dict[str, Any]] = []
    if log is None:
        world = World.genesis()
        for found in groups:
            world, trace = applied(world, found)
            rows += answers_of(found, trace)
    else:
        with TraceLog(writable(log, ".jsonl")) as traces:
            for note in traces.loaded.report.notes:
                out.note(f"note: {note}")
            refuse_known(log, traces.world, groups)
            for found in groups:
                _, trace = applied(traces.world, found)
                world = traces.append(trace)
                rows += answers_of(found, trace)
    for row in rows:
        out.data(f"{row['wish_id']}:{row['call_index']} {row['observation']}")
    out.document(
        {
            "log": log,
            "calls": rows,
            "features": len(world),
            "epoch": world.epoch,
            "world_digest": world.digest,
        }
    )
    rejected = sum(1 for row in rows if row["feature_id"] is None)
    if rejected:
        out.note(f"note: {rejected} of {len(rows)} calls rejected")
    return DIFFERENT if rejected else FINE


def read_calls(source: str) -> list[tuple[int, Call]]:
    """Line numbers and calls of a file.

    Raises:
        Failure: a line is not a call, or there is none; names file, line and field.
    """
    calls = []
    for number, line in enumerate(read_input(source).split(b"\n"), start=1):
        if line.strip():
            try:
                calls.append((number, _call(json.loads(line))))
            except RecursionError:
                raise Failure(f"{source}:{number}: too deep; expected a flat call") from None
            except ValueError as error:
                raise Failure(
                    f"{source}:{number}: {' '.join(str(error).split())}; "
                    "expected one JSON object a line; correct it"
                ) from None
    if not calls:
        raise Failure(f"{source}: no calls; expected one JSON object a line; add one")
    return calls


def grouped(source: str, calls: list[tuple[int, Call]]) -> list[list[Call]]:
    """Calls by wish, in order.

    Raises:
        Failure: calls of a wish stand apart, or their numbers do not rise.
    """
    groups: list[list[Call]] = []
    seen: set[str] = set()
    for number, call in calls:
        if groups and groups[-1][0].wish_id == call.wish_id:
            last = groups[-1][-1].index
            if call.index <= last:
                raise Failure(
                    f"{source}:{number}: call_index {call.index} after {last}; "
                    "expected them to rise; number the calls of a wish from 0 on"
                )
            groups[-1].append(call)
        elif call.wish_id in seen:
            raise Failure(
                f"{source}:{number}: {call.wish_id} again; expected the calls of a wish together; "
                "move the line"
            )
        else:
            groups.append([call])
            seen.add(call.wish_id)
    return groups


def refuse_known(log: str, world: World, groups: list[list[Call]]) -> None:
    """Refuse wishes that a log holds already, before anything is written.

    Raises:
        Failure: there is one.
    """
    known = set(world.wish_ids)
    for found in groups:
        if found[0].wish_id in known:
            raise Failure(
                f"{log}: {found[0].wish_id} is in it already; expected new wishes; "
                "choose another log or other wish ids"
            )


def applied(world: World, calls: list[Call]) -> tuple[World, WishTrace]:
    """The calls of one wish, and the trace of a wish that nobody spoke."""
    start, turns = len(world), []
    for call in calls:
        world, answer, _ = world.apply(call.request, call.wish_id, call.index)
        turns.append(Turn(thought="", call=call.request, observation=answer))
    features = tuple(world.features[start:])
    trace = WishTrace(
        wish_id=calls[0].wish_id,
        text="",
        turns=tuple(turns),
        features=features,
        model="none",
        backend="apply",
    )
    return world.granted(trace.wish_id), trace


def answers_of(calls: list[Call], trace: WishTrace) -> list[dict[str, Any]]:
    """A row per call: its number, what the world answered, and the feature if one landed."""
    features = iter(trace.features)
    rows = []
    for call, turn in zip(calls, trace.turns, strict=True):
        answer = turn.observation or ""
        landed = next(features).id if answer.startswith("ok") else None
        rows.append(
            {
                "wish_id": call.wish_id,
                "call_index": call.index,
                "observation": answer,
                "feature_id": landed,
            }
        )
    return rows


def _call(value: object) -> Call:
    """Check one line; tool and arguments are the world's to judge.

    Raises:
        ValueError: it is not a call.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{quoted(value)} is not an object")
    unknown = [name for name in value if name not in FIELDS]
    if unknown:
        raise ValueError(f"unknown field {quoted(unknown[0])}, known are {', '.join(FIELDS)}")
    wish, index = value.get("wish_id"), value.get("call_index")
    check_wish_id(wish)
    if wish == GENESIS_WISH:
        raise ValueError("wish_id: genesis takes no calls")
    if type(index) is not int or index < 0:
        raise ValueError(f"call_index: {quoted(index)}, a whole number from 0 is needed")
    request = {key: value[key] for key in ("tool", "args") if key in value}
    Turn(thought="", call=request).model_dump_json()  # what no log can hold is refused here
    return Call(str(wish), index, request)
