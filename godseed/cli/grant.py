"""`godseed grant`: grant one wish or many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from godseed.cli.clips import Replay, frame_times, write_clip
from godseed.cli.granting import (
    Granter,
    backend_of,
    backend_options,
    judge_options,
    moderator_of,
    report_of,
)
from godseed.cli.options import output, output_options, read_input, writable
from godseed.cli.output import DIFFERENT, FINE, INTERRUPTED, Failure, Output
from godseed.cli.worlds import save_still, still
from godseed.mind.planner import Planner
from godseed.render.context import context
from godseed.render.renderer import Renderer
from godseed.render.video import FORMATS
from godseed.sim.frame import Stage
from godseed.sim.trace import LoadedLog, LoadReport, TraceLog, load
from godseed.sim.world import World

SIZE, SAMPLES, CLIP_FPS, STILL_MS = (1280, 720), 4, 30, 4000


@click.command("grant")
@click.argument("wish", required=False)
@click.option("--batch", metavar="FILE", help="Grant every line of a file; - is standard input.")
@click.option(
    "--world", "log", metavar="LOG", default="world.jsonl", show_default=True, help="Append to it."
)
@backend_options
@judge_options
@click.option("--prompt", help="Prompt of the planner: a shipped name or a .md file.")
@click.option(
    "--seed", type=click.IntRange(1, 2**31 - 1), default=1, show_default=True, help="Of sampling."
)
@click.option("--still", metavar="PNG", help="Draw the town after the last wish.")
@click.option("--clip", metavar="FILE", help="Replay the last wish: mp4, gif or webp.")
@click.option("-n", "--dry-run", is_flag=True, help="Plan, but leave the log alone.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Grant a wish, or a file of wishes.

    The god reads it aloud, plans, acts and observes; then the trace is appended to the log. In a
    file of wishes, empty lines and lines that begin with # are left out.

    \b
    Examples:
      godseed grant "a lighthouse on a northern cape" --still cape.png
      godseed grant --batch wishes.txt --world town.jsonl
      godseed grant "a lake" --backend llamacpp --model nemotron.gguf
    """
    out = output(ctx)
    wishes = wishes_of(given["wish"], given["batch"])
    still_path = writable(given["still"], ".png") if given["still"] else None
    clip_path = writable(given["clip"], *FORMATS) if given["clip"] else None
    if still_path or clip_path:
        context()  # without OpenGL, say so before anything is granted
    backend = backend_of(given)
    planner = Planner(backend, given["prompt"])
    moderator = moderator_of(given, backend, out)
    rows: list[dict[str, Any]] = []
    with opened(given["log"], given["dry_run"]) as (loaded, store):
        for note in loaded.report.notes:
            out.note(f"note: {note}")
        granter = Granter(
            loaded.world,
            list(loaded.traces),
            backend,
            planner,
            given["seed"],
            out,
            store,
            moderator,
        )
        try:
            for _, wish in wishes:
                rows.append(report_of(granter.grant(wish)))
        except KeyboardInterrupt:
            raise interrupted(given, wishes, len(rows)) from None
    written = []
    granted = [row for row in rows if row["granted"]]
    if granted and still_path:
        draw_still(granter.world, still_path)
        written.append(str(still_path))
    if granted and clip_path:
        draw_clip(granter, clip_path, out)
        written.append(str(clip_path))
    for name in written:
        out.note(f"wrote {name}")
    if given["dry_run"]:
        out.note("dry run: the log is as it was")
    out.document(
        {
            "log": given["log"],
            "dry_run": given["dry_run"],
            "wishes": rows,
            "features": len(granter.world),
            "epoch": granter.world.epoch,
            "world_digest": granter.world.digest,
            "written": written,
        }
    )
    return FINE if len(granted) == len(rows) else DIFFERENT


def wishes_of(wish: str | None, batch: str | None) -> list[tuple[int, str]]:
    """Line numbers and texts of the wishes: one, or the lines of a file without comments.

    Raises:
        Failure: neither or both were given, or the file holds none.
    """
    if (wish is None) == (batch is None):
        raise Failure("grant: expected either a wish or --batch FILE; give one of them")
    if batch is None:
        return [(1, str(wish))]
    wishes = []
    for number, line in enumerate(read_input(batch).split(b"\n"), start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise Failure(
                f"{batch}:{number}: byte {error.start + 1} is not UTF-8; expected UTF-8; convert it"
            ) from None
        if text and not text.startswith("#"):
            wishes.append((number, text))
    if not wishes:
        raise Failure(f"{batch}: no wishes; expected one a line; add one")
    return wishes


@contextmanager
def opened(path: str, dry_run: bool) -> Iterator[tuple[LoadedLog, Any]]:
    """A log as read, and what appends a trace to it; a dry run makes and locks nothing.

    Raises:
        LogError: another process writes to it, or it cannot be read.
    """
    checked = writable(path, ".jsonl")
    if not dry_run:
        with TraceLog(checked) as log:
            yield log.loaded, log.append
    elif checked.exists():
        yield load(checked), lambda trace: None
    else:
        yield LoadedLog(World.genesis(), (), LoadReport()), lambda trace: None


def interrupted(given: dict[str, Any], wishes: Sequence[tuple[int, str]], done: int) -> Failure:
    """What is kept after Ctrl-C, and how to go on."""
    log, batch = given["log"], given["batch"]
    kept = "the log is as it was" if given["dry_run"] or not done else f"what they made is in {log}"
    said = f"grant: stopped; {done} of {len(wishes)} wishes are done; {kept}"
    if batch and batch != "-" and not given["dry_run"]:
        line = wishes[done][0]
        said += f"; go on with: tail -n +{line} {batch} | godseed grant --batch - --world {log}"
    return Failure(said, INTERRUPTED)


def draw_still(world: World, path: Path) -> None:
    """The town as it is."""
    renderer, stage = Renderer(SIZE, SAMPLES), Stage(world.features)
    frame, image = still(stage, "town", STILL_MS, renderer)
    save_still(path, world, stage, frame, image, renderer.fingerprint.key)


def draw_clip(granter: Granter, path: Path, out: Output) -> None:
    """The last wish, as it happened."""
    traces = granter.traces
    replay = Replay.of_wish(granter.world, traces, len(traces) - 1, descend=True)
    times = frame_times(replay.timeline.total_ms, CLIP_FPS, None)
    with out.progress("frames", len(times)) as step:
        write_clip(replay, path, SIZE, SAMPLES, CLIP_FPS, None, True, step)
