"""`godseed demo`: the main job on the embedded default, from a wish to a verdict."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
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
from godseed.render.ffmpeg import probe
from godseed.render.image import write_png
from godseed.render.renderer import Renderer
from godseed.sim.frame import Stage
from godseed.sim.trace import TraceLog, WishTrace, load
from godseed.sim.world import World

SIZE, STILL_MS = (1280, 720), 4000
CLIP_SECONDS, CLIP_FPS, CLIP_WISH = 10.0, 30, 3
"""The clip: its length, rate, and which wish it replays, counted from 1."""
MARK = ".godseed-demo"
"""Names a folder that a demo made and may make anew."""
CASE_FRAMES = [{"shot": "town", "t_s": 4.0}, {"shot": "world", "t_s": 4.0}]
CASE_SIZE = [480, 270]


@click.command("demo")
@click.option("--dir", "folder", default="godseed-demo", show_default=True, help="Where to put it.")
@output_options
@click.pass_context
def command(ctx: click.Context, folder: str) -> int:
    """Grant twelve wishes and make everything of them: log, stills, clip, sheet, golden check.

    \b
    Example:
      godseed demo --dir planet
    """
    out = output(ctx)
    context()  # a machine that cannot draw must not empty the folder of an earlier demo
    started = time.perf_counter()
    root = prepared(Path(folder))
    world, traces = granted(root / "world.jsonl", out)
    heading(out, "stills")
    pictures = stills(root, world, out)
    heading(out, "a replay")
    clip = replayed(root, world, traces, out)
    heading(out, "a contact sheet")
    tiles = tour(load(root / "world.jsonl"), len(traces))
    write_png(root / "sheet.png", draw_sheet(tiles, (480, 270), 4, 5, STILL_MS, out))
    out.data(f"  {root / 'sheet.png'}")
    heading(out, "golden images")
    passed, caught = golden(root, world, out)
    seconds = time.perf_counter() - started
    fine = passed.passed and not caught.passed
    out.data("")
    out.data(f"done in {seconds:.0f} s: {root}" if fine else "the golden check did not do its work")
    out.document(
        {
            "folder": str(root),
            "wishes": [report_of(trace) for trace in traces],
            "stills": pictures,
            "clip": clip,
            "sheet": str(root / "sheet.png"),
            "golden": {"passed": passed.to_dict(), "caught": caught.to_dict()},
            "seconds": round(seconds, 1),
        }
    )
    return FINE if fine else DIFFERENT


def prepared(root: Path) -> Path:
    """An empty folder for the demo; one that an earlier demo made is made anew.

    Raises:
        Failure: the folder holds something else.
    """
    if root.exists() and not (root / MARK).is_file() and (not root.is_dir() or any(root.iterdir())):
        raise Failure(f"{root}: holds other things; expected a new folder; choose one with --dir")
    root.mkdir(parents=True, exist_ok=True)
    for found in root.iterdir():
        if found.is_dir() and not found.is_symlink():
            shutil.rmtree(found)
        else:
            found.unlink()
    (root / MARK).write_text("made by godseed demo; a new demo replaces this folder\n")
    return root


def granted(path: Path, out: Output) -> tuple[World, list[WishTrace]]:
    """Grant the shipped wishes in a row into a log."""
    text = files("godseed.mind").joinpath("examples/wishes.txt").read_text("utf-8")
    wishes = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    heading(out, f"{len(wishes)} wishes")
    backend = create("mock")
    with TraceLog(path) as log:
        granter = Granter(log.world, [], backend, Planner(backend), 1, out, log.append)
        for wish in wishes:
            result = granter.grant(wish)
            if isinstance(result, Refusal):
                raise Failure(f"demo: {wish!r} was declined; expected it granted; report it")
        world, traces = log.world, granter.traces
    out.data(f"  {path}: {len(traces)} wishes, {len(world)} features, world {world.digest[:16]}")
    return world, traces


def stills(root: Path, world: World, out: Output) -> list[dict[str, Any]]:
    """The town and the world, at 1280x720."""
    rows = []
    renderer, stage = Renderer(SIZE), Stage(world.features)
    for shot in ("town", "world"):
        begun = time.perf_counter()
        frame, image = still(stage, shot, STILL_MS, renderer)
        path = root / f"{shot}.png"
        caption = save_still(path, world, stage, frame, image, renderer.fingerprint.key)
        ms = (time.perf_counter() - begun) * 1000
        out.data(f"  {path}: {SIZE[0]}x{SIZE[1]}, {ms:.0f} ms, pixels {image.digest[:16]}")
        rows.append({"path": str(path), "pixels": image.digest, "fingerprint": caption.fingerprint})
    out.data(f"  drawn by {renderer.fingerprint.renderer}: {renderer.fingerprint.key}")
    return rows


def replayed(root: Path, world: World, traces: list[WishTrace], out: Output) -> dict[str, Any]:
    """Ten seconds of one wish, 720p at 30 frames a second."""
    path = root / f"{traces[CLIP_WISH - 1].wish_id}.mp4"
    replay = Replay.of_wish(world, traces, CLIP_WISH - 1, descend=True)
    begun = time.perf_counter()
    with out.progress(
        "frames", len(frame_times(replay.timeline.total_ms, CLIP_FPS, CLIP_SECONDS))
    ) as step:
        clip = write_clip(replay, path, SIZE, 4, CLIP_FPS, CLIP_SECONDS, True, step)
    seconds = time.perf_counter() - begun
    found = probe(path)
    out.data(
        f"  {path}: {found.frames} frames at {float(found.fps):g}/s, {found.pixel_format}, "
        f"{path.stat().st_size // 1024} KiB, {seconds:.0f} s, raw frames {clip.digest[:16]}"
    )
    return {"path": str(path), "frames": found.frames, "raw_frames_sha256": clip.digest}


def golden(root: Path, world: World, out: Output) -> tuple[Report, Report]:
    """Approve two pictures, check them, then change one argument by hand and check again."""
    good, bad = root / "golden", root / "golden-changed"
    write_case(good / "scene" / "demo", world)
    update(good, None, "all")
    passed = check(good)
    for line in passed.lines:
        out.data(f"  {line}")
    out.data("  now one argument of one feature is changed by hand:")
    shutil.copytree(good, bad)
    write_case(bad / "scene" / "demo", changed(world))
    caught = check(bad)
    for line in caught.lines:
        out.data(f"  {line}")
    return passed, caught


def write_case(folder: Path, world: World) -> None:
    """A golden case of a whole world."""
    folder.mkdir(parents=True, exist_ok=True)
    case = {
        "world": {"features": [feature.to_dict() for feature in world.features]},
        "frames": CASE_FRAMES,
        "size": CASE_SIZE,
        "samples": 4,
    }
    (folder / "case.json").write_text(
        json.dumps(case, ensure_ascii=False, indent=1) + "\n", "utf-8"
    )


def changed(world: World) -> World:
    """The world with the last plants a little denser."""
    features = list(world.features)
    index = max(i for i, feature in enumerate(features) if feature.tool == "spawn_flora")
    args = dict(features[index].args)
    args["density"] = round(min(1.0, float(str(args["density"])) + 0.05), 4)
    features[index] = replace(features[index], args=args)
    return World(features)


def heading(out: Output, text: str) -> None:
    """A step's title."""
    out.data("")
    out.data(text)
