"""`godseed demo`: the main job on the embedded default, from a wish to a verdict."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from godseed.check.golden import Report, check, update
from godseed.cli.clips import Replay, frame_times, write_clip
from godseed.cli.granting import Granter, report_of
from godseed.cli.options import output, output_options
from godseed.cli.output import DIFFERENT, FINE, Failure, Output
from godseed.cli.sheet import draw_sheet, tour
from godseed.cli.worlds import save_still, still
from godseed.mind.backends import create
from godseed.mind.planner import Planner, Refusal
from godseed.render.context import context
from godseed.render.ffmpeg import executable, probe
from godseed.render.image import write_png
from godseed.render.renderer import Renderer
from godseed.sim.digest import geometry_digest
from godseed.sim.frame import Stage
from godseed.sim.trace import TraceLog, WishTrace, load
from godseed.sim.world import World

SIZE, SAMPLES, STILL_MS = (1280, 720), 4, 4000
CLIP_SECONDS, CLIP_FPS, CLIP_WISH = 10.0, 30, 2
"""The clip: its length, rate, and which wish it replays, counted from 1."""
TILE_SIZE, COLUMNS = (480, 270), 5
MARK = ".godseed-demo"
"""Names a folder that a demo made and may make anew."""
CASE = {
    "world": {"log": "world.jsonl"},
    "frames": [{"shot": "town", "t_s": 4.0}, {"shot": "world", "t_s": 4.0}],
    "size": [480, 270],
    "samples": 4,
}
SHORT = 16
"""Characters of a digest that people see."""


@click.command("demo")
@click.option(
    "--dir", "folder", default="godseed-demo", show_default=True, help="Folder to put it in."
)
@output_options
@click.pass_context
def command(ctx: click.Context, folder: str) -> int:
    """Grant twelve wishes, draw, replay and check them.

    Makes a folder with the log, two stills, a clip, a contact sheet and golden images; then
    changes one argument of one feature and shows that the golden check names it. A second run makes
    the folder anew.

    \b
    Example:
      godseed demo --dir planet
    """
    out = output(ctx)
    begun = time.perf_counter()
    context(), executable()  # what cannot draw must not empty the folder of an earlier demo
    root = prepared(Path(folder))
    world, traces = granted(root / "world.jsonl", out)
    pictures = stills(root, world, out)
    clip = replayed(root, world, traces, out)
    with part(out, "a contact sheet"):
        sheet = root / "sheet.png"
        tiles = tour(load(root / "world.jsonl"), len(traces))
        pixels = draw_sheet(tiles, TILE_SIZE, SAMPLES, COLUMNS, STILL_MS, out)
        write_png(sheet, pixels)
        out.data(f"  {sheet}: {pixels.shape[1]}x{pixels.shape[0]}, {len(tiles)} pictures")
    passed, caught, change = golden(root, world, out)
    fine = passed.passed and not caught.passed and change[0] in " ".join(caught.lines)
    seconds = time.perf_counter() - begun
    out.data("")
    verdict = "all is well" if fine else "the golden check did not do its work"
    out.data(f"{verdict}: {root}/ after {seconds:.0f} s")
    out.document(
        {
            "folder": str(root),
            "log": str(root / "world.jsonl"),
            "world_digest": world.digest,
            "wishes": [report_of(trace) for trace in traces],
            "stills": pictures,
            "clip": clip,
            "sheet": str(sheet),
            "golden": {
                "passed": passed.to_dict(),
                "changed": {"feature": change[0], "argument": change[1]},
                "caught": caught.to_dict(),
            },
            "seconds": round(seconds, 1),
            "fine": fine,
        }
    )
    return FINE if fine else DIFFERENT


def prepared(root: Path) -> Path:
    """An empty folder for the demo; what an earlier demo left in it is removed.

    Raises:
        Failure: the folder holds something else.
    """
    if root.exists() and not root.is_dir():
        raise Failure(f"{root}: a file; expected a new folder; choose one with --dir")
    if root.is_dir() and any(root.iterdir()) and not (root / MARK).is_file():
        raise Failure(f"{root}: holds other things; expected a new folder; choose one with --dir")
    root.mkdir(parents=True, exist_ok=True)
    mark = root / MARK
    mark.write_text("made by godseed demo; the next demo empties this folder\n", encoding="utf-8")
    for found in root.iterdir():
        if found.is_dir() and not found.is_symlink():
            shutil.rmtree(found)
        elif found != mark:
            found.unlink()
    return root


def granted(path: Path, out: Output) -> tuple[World, list[WishTrace]]:
    """Grant the shipped wishes in a row into a log."""
    text = files("godseed.mind").joinpath("examples/wishes.txt").read_text("utf-8")
    wishes = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    backend = create("mock")
    with part(out, f"{len(wishes)} wishes"), TraceLog(path) as log:
        granter = Granter(log.world, [], backend, Planner(backend), 1, out, log.append)
        for wish in wishes:
            if isinstance(granter.grant(wish), Refusal):
                raise Failure(f"demo: {wish!r} was declined; expected it granted; report it")
        out.note()
        found = f"{len(wishes)} wishes, {len(log.world)} features"
        out.data(f"  {path}: {found}, world {log.world.digest[:SHORT]}")
    return log.world, granter.traces


def stills(root: Path, world: World, out: Output) -> list[dict[str, Any]]:
    """The town and the world."""
    rows = []
    with part(out, "two stills"):
        renderer, stage = Renderer(SIZE, SAMPLES), Stage(world.features)
        geometry = geometry_digest(stage.scene(len(world))).total
        for shot in ("town", "world"):
            begun = time.perf_counter()
            path = root / f"{shot}.png"
            frame, image = still(stage, shot, STILL_MS, renderer)
            ms = (time.perf_counter() - begun) * 1000
            caption = save_still(path, world, stage, frame, image, renderer.fingerprint.key)
            out.data(f"  {path}: {_size(SIZE)}, {ms:.0f} ms, pixels {image.digest[:SHORT]}")
            rows.append(
                {
                    "path": str(path),
                    "size": list(SIZE),
                    "ms": round(ms),
                    "pixels": image.digest,
                    "geometry": caption.geometry,
                    "fingerprint": caption.fingerprint,
                }
            )
        out.data(f"  geometry {geometry[:SHORT]}, drawn by {renderer.fingerprint.renderer}")
        out.data(f"  fingerprint {renderer.fingerprint.key}")
        renderer.release()
    return rows


def replayed(root: Path, world: World, traces: list[WishTrace], out: Output) -> dict[str, Any]:
    """Ten seconds of one wish."""
    path = root / f"{traces[CLIP_WISH - 1].wish_id}.mp4"
    with part(out, f"a replay of “{traces[CLIP_WISH - 1].text}”"):
        replay = Replay.of_wish(world, traces, CLIP_WISH - 1, descend=True)
        times = frame_times(replay.timeline.total_ms, CLIP_FPS, CLIP_SECONDS)
        with out.progress("frames", len(times)) as step:
            clip = write_clip(replay, path, SIZE, SAMPLES, CLIP_FPS, CLIP_SECONDS, True, step)
        found = probe(path)
        out.data(
            f"  {path}: {_size(found.size)}, {found.frames} frames at {float(found.fps):g}/s, "
            f"{path.stat().st_size // 1024} KiB, raw frames {clip.digest[:SHORT]}"
        )
    return {
        "path": str(path),
        "size": list(found.size),
        "frames": found.frames,
        "fps": float(found.fps),
        "pixel_format": found.pixel_format,
        "raw_frames_sha256": clip.digest,
    }


def golden(root: Path, world: World, out: Output) -> tuple[Report, Report, tuple[str, str]]:
    """Approve two pictures, check them, then change one argument in a copy of the log and check
    again.

    Returns:
        Both reports, and feature and argument that were changed.
    """
    good, bad = root / "golden", root / "golden-changed"
    with part(out, "golden images"):
        case = good / "demo"
        case.mkdir(parents=True)
        (case / "case.json").write_text(json.dumps(CASE, indent=2) + "\n", encoding="utf-8")
        shutil.copyfile(root / "world.jsonl", case / "world.jsonl")
        for row in update(good, None, "missing"):
            out.data(f"  {row.summary}")
        passed = check(good)
        out.data(f"  checked again: {passed.summary}")
        shutil.copytree(good, bad)
        change = change_one(bad / "demo" / "world.jsonl", world)
        out.data(f"  now {' '.join(change)} is changed by hand in a copy of the log:")
        caught = check(bad)
        for line in caught.lines:
            out.data(f"  {line}")
    return passed, caught, change


def change_one(log: Path, world: World) -> tuple[str, str]:
    """Make the last plants a little sparser, in the text of a log.

    Returns:
        The feature's id, and the name of its argument.
    """
    feature = [feature for feature in world.features if feature.tool == "spawn_flora"][-1]
    was = feature.to_json()
    row = feature.to_dict()
    row["args"]["density"] = round(row["args"]["density"] - 0.05, 4)
    now = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    text = log.read_text("utf-8")
    if text.count(was) != 1:
        raise Failure(f"{log}: no line holds {feature.id} as granted; expected one; report it")
    log.write_text(text.replace(was, now), encoding="utf-8")
    return feature.id, "density"


@contextmanager
def part(out: Output, title: str) -> Iterator[None]:
    """One part of the demo: its title, and how long it took."""
    out.data("")
    out.data(title)
    begun = time.perf_counter()
    yield
    out.data(f"  {time.perf_counter() - begun:.1f} s")


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"
