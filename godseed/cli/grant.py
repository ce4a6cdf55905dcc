"""`godseed grant`: grant one wish or many."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from godseed.cli.clips import Replay, write_clip
from godseed.cli.options import output, output_options, writable
from godseed.cli.output import DIFFERENT, FINE, Failure, Output
from godseed.cli.worlds import save_still, still
from godseed.mind.backends import Backend, create
from godseed.mind.planner import Planner, Refusal, grant_wish
from godseed.render.renderer import Renderer
from godseed.sim.feature import wish_id
from godseed.sim.frame import Stage
from godseed.sim.timeline import timeline
from godseed.sim.trace import TraceLog, WishTrace
from godseed.sim.world import World

STILL_SIZE, CLIP_FPS, STILL_MS = (1280, 720), 30, 4000
RECENT = 3
"""How many earlier wishes the god is reminded of."""


@click.command("grant")
@click.argument("wish", required=False)
@click.option("--batch", type=click.Path(dir_okay=False, allow_dash=True), help="Grant every line.")
@click.option("--world", "log", default="world.jsonl", show_default=True, help="Log to append to.")
@click.option("--backend", default="mock", show_default=True, help="What plans.")
@click.option("--prompt", help="Prompt of the planner: a shipped name or a .md file.")
@click.option("--seed", type=click.IntRange(1, 2**31 - 1), default=1, show_default=True)
@click.option("--still", "still_path", metavar="PNG", help="Town still after the last wish.")
@click.option("--clip", "clip_path", metavar="FILE", help="Replay of the last wish.")
@click.option("-n", "--dry-run", is_flag=True, help="Plan, but write nothing to the log.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Grant a wish: the god reads it, plans, acts, and the trace is appended to the log.

    \b
    Examples:
      godseed grant "a lighthouse on a northern cape" --still cape.png
      godseed grant --batch wishes.txt --world town.jsonl
    """
    out = output(ctx)
    wishes = wishes_of(given["wish"], given["batch"])
    pictures = [
        writable(path, *endings)
        for path, endings in (
            (given["still_path"], (".png",)),
            (given["clip_path"], (".mp4", ".gif", ".webp")),
        )
        if path
    ]
    backend = create(given["backend"])
    planner = Planner(backend, given["prompt"]) if given["prompt"] else None
    rows: list[dict[str, Any]] = []
    with TraceLog(writable(given["log"], ".jsonl")) as log:
        for note in log.loaded.report.notes:
            out.note(f"note: {note}")
        world, traces = log.world, list(log.loaded.traces)
        for wish in wishes:
            world, result = grant_one(world, traces, wish, backend, given["seed"], planner, out)
            if isinstance(result, WishTrace):
                if not given["dry_run"]:
                    log.append(result)
                traces.append(result)
            rows.append(report_of(result))
    written = draw(world, traces, pictures, out) if traces else []
    out.document({"wishes": rows, "log": given["log"], "written": written})
    return FINE if all(row["granted"] for row in rows) else DIFFERENT


def wishes_of(wish: str | None, batch: str | None) -> list[str]:
    """The wishes of the command line: one, or the lines of a file without comments.

    Raises:
        Failure: neither or both were given, or the file holds none.
    """
    if (wish is None) == (batch is None):
        raise Failure("grant: a wish or --batch FILE expected, one of them; give one")
    if batch is None:
        return [str(wish)]
    piped = batch == "-"
    text = sys.stdin.buffer.read() if piped else Path(batch).read_bytes()
    try:
        lines = text.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise Failure(
            f"{batch}: byte {error.start} is not UTF-8; expected UTF-8; convert it"
        ) from None
    wishes = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not wishes:
        raise Failure(f"{batch}: no wishes; expected one a line; add one")
    return wishes


def grant_one(
    world: World,
    traces: list[WishTrace],
    wish: str,
    backend: Backend,
    seed: int,
    planner: Planner | None,
    out: Output,
) -> tuple[World, WishTrace | Refusal]:
    """Grant one wish and let the terminal follow.

    Args:
        traces: of the wishes before it; they number it and remind the god.
    """
    number = max((int(trace.wish_id[2:]) for trace in traces), default=0) + 1
    speech = Speech(out)
    stamp = 0.0 if backend.identity().get("clock") == "virtual" else time.time()
    grown, result = grant_wish(
        world,
        wish,
        backend,
        wish_id(number),
        seed,
        stamp,
        speech.hear,
        planner=planner,
        recent=[trace.text for trace in traces[-RECENT:]],
    )
    speech.end()
    if isinstance(result, Refusal):
        out.data(f"refused  {wish}\n         {result.reason}")
    else:
        for turn in result.turns:
            answer = turn.observation or ""
            if answer and ("->" in answer or not answer.startswith("ok")):
                out.note(f"  {answer}")
        ids = " ".join(result.feature_ids) or "nothing"
        out.data(f"{result.wish_id}  {ids}\n          “{result.epitaph}”")
    return grown, result


def report_of(result: WishTrace | Refusal) -> dict[str, Any]:
    """A wish's row of the JSON document."""
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
        "observations": [turn.observation for turn in result.turns if turn.observation],
        "feature_ids": list(result.feature_ids),
        "epitaph": result.epitaph,
        "ended": result.ended,
    }


def draw(world: World, traces: list[WishTrace], pictures: list[Path], out: Output) -> list[str]:
    """The still and the clip of the last wish."""
    for path in pictures:
        if path.suffix.lower() == ".png":
            renderer, stage = Renderer(STILL_SIZE), Stage(world.features)
            frame, image = still(stage, "town", STILL_MS, renderer)
            save_still(path, world, stage, frame, image, renderer.fingerprint.key)
        else:
            line = timeline(traces[-1])
            replay = Replay(Stage(world.features, line), line, traces[-1].text, len(traces))
            frames = -(-line.total_ms * CLIP_FPS // 1000)
            with out.progress("clip", frames) as step:
                write_clip(replay, path, STILL_SIZE, 4, CLIP_FPS, None, True, step)
        out.note(f"wrote {path}")
    return [str(path) for path in pictures]


class Speech:
    """The god's words on standard error as they come, calls and answers in between."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._turn: int | None = None

    def hear(self, event: Mapping[str, Any]) -> None:
        """Print one event."""
        if self._out.quiet:
            return
        kind = event["type"]
        if kind == "wish_started":
            click.secho(f"\n{event['text']}", fg="yellow", bold=True, err=True)
        elif kind == "thought_token":
            if self._turn not in (None, event["turn"]):
                self.end()
            click.secho(event["text"], nl=False, dim=event["turn"] >= 0, err=True)
            self._turn = event["turn"]
        elif kind == "tool_call":
            self.end()
            args = ", ".join(f"{k}={v}" for k, v in event["args"].items())
            click.secho(f"  {event['tool']}({args})", fg="cyan", err=True)

    def end(self) -> None:
        """Finish the line that is being spoken."""
        if self._turn is not None and not self._out.quiet:
            click.echo(err=True)
        self._turn = None
