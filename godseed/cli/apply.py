"""`godseed apply`: raw tool calls into a log, without a mind."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from godseed.cli.options import output, output_options, writable
from godseed.cli.output import DIFFERENT, FINE, Failure
from godseed.sim.trace import TraceLog, Turn, WishTrace
from godseed.sim.world import World


@click.command("apply")
@click.argument("calls", type=click.Path(allow_dash=True))
@click.option("-o", "--output", "log", required=True, metavar="LOG", help="Log to append to.")
@output_options
@click.pass_context
def command(ctx: click.Context, calls: str, log: str) -> int:
    """Apply tool calls, one JSON object a line: wish_id, call_index, tool, args.

    Prints what the world answers to each. Calls of one wish stand together.

    \b
    Example:
      godseed apply calls.jsonl -o world.jsonl
    """
    out = output(ctx)
    groups = grouped(read_calls(calls))
    rows: list[dict[str, Any]] = []
    with TraceLog(writable(log, ".jsonl")) as traces:
        for wish, found in groups:
            world, trace, answers = applied(traces.world, wish, found)
            del world
            traces.append(trace)
            for call, answer in zip(found, answers, strict=True):
                out.data(f"{wish}:{call['call_index']} {answer}")
                rows.append(
                    {"wish_id": wish, "call_index": call["call_index"], "observation": answer}
                )
    out.document({"log": log, "calls": rows})
    return FINE if all(row["observation"].startswith("ok") for row in rows) else DIFFERENT


def read_calls(source: str) -> list[dict[str, Any]]:
    """The calls of a file, each checked for its four fields.

    Raises:
        Failure: a line is not such a call; names file, line and field.
    """
    raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    calls: list[dict[str, Any]] = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{source}:{number}"
        try:
            call = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Failure(f"{where}: {error}; expected one JSON object a line; repair it") from None
        if not isinstance(call, dict):
            raise Failure(f"{where}: {type(call).__name__}; expected a JSON object; repair it")
        for name, kind in (("wish_id", str), ("call_index", int)):
            value = call.get(name)
            if not isinstance(value, kind) or isinstance(value, bool):
                raise Failure(f"{where}.{name}: {value!r}; expected {kind.__name__}; add it")
        if call["call_index"] < 0:
            raise Failure(
                f"{where}.call_index: {call['call_index']}; expected 0 or more; change it"
            )
        calls.append(call)
    if not calls:
        raise Failure(f"{source}: no calls; expected one JSON object a line; add one")
    return calls


def grouped(calls: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Calls by wish, in order."""
    groups: list[tuple[str, list[dict[str, Any]]]] = []
    for call in calls:
        if not groups or groups[-1][0] != call["wish_id"]:
            groups.append((call["wish_id"], []))
        groups[-1][1].append(call)
    return groups


def applied(
    world: World, wish: str, calls: list[dict[str, Any]]
) -> tuple[World, WishTrace, list[str]]:
    """The calls of one wish, as a trace of a wish that nobody spoke."""
    start, answers, turns = len(world), [], []
    for call in calls:
        request = {key: call[key] for key in ("tool", "args") if key in call}
        world, answer, _ = world.apply(request, wish, call["call_index"])
        answers.append(answer)
        turns.append(Turn(thought="", call=request, observation=answer))
    features = tuple(world.features[start:])
    trace = WishTrace(
        wish_id=wish, text="", turns=tuple(turns), features=features, model="none", backend="apply"
    )
    return world, trace, answers
