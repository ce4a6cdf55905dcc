"""`godseed demo`: what it may empty, its parts, and under --full the whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from godseed.cli import demo
from godseed.cli.demo import MARK, change_one, granted, prepared
from godseed.cli.output import Output
from godseed.render.ffmpeg import probe
from godseed.sim.trace import load


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folder_that_holds_other_things_is_refused_and_left_alone(godseed: Any) -> None:
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("precious")
    Path("file").write_text("")
    assert "mine: holds other things" in godseed("demo", "--dir", "mine", code=2).err
    assert "file" in godseed("demo", "--dir", "file", code=2).err
    assert [path.name for path in Path("mine").iterdir()] == ["thesis.txt"]
    assert Path("mine/thesis.txt").read_text() == "precious"


def test_folder_that_cannot_be_made_is_an_error(godseed: Any) -> None:
    assert "/proc/demo" in godseed("demo", "--dir", "/proc/demo", code=2).err
    Path("file").write_text("")
    assert "file" in godseed("demo", "--dir", "file/demo", code=2).err


def test_earlier_demo_is_emptied_but_not_what_it_links_to() -> None:
    Path("kept").mkdir()
    Path("kept/a.txt").write_text("precious")
    root = prepared(Path("new/demo"))
    (root / "golden").mkdir()
    (root / "golden/a.png").write_text("old")
    (root / "link").symlink_to(Path("kept").resolve())
    prepared(root)
    assert [path.name for path in root.iterdir()] == [MARK]
    assert Path("kept/a.txt").read_text() == "precious"


def test_demo_may_live_in_the_current_folder_or_behind_a_link() -> None:
    prepared(Path())
    Path("old.png").write_text("")
    prepared(Path())
    assert [path.name for path in Path().iterdir()] == [MARK]
    Path("real").mkdir()
    Path("link").symlink_to("real")
    prepared(Path("link"))
    assert prepared(Path("link")).is_symlink()


def test_demo_grants_every_shipped_wish_and_the_same_way() -> None:
    world, traces = granted(Path("a.jsonl"), Output(quiet=True))
    granted(Path("b.jsonl"), Output(quiet=True))
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    assert len(traces) == 12
    assert all(trace.ended == "done" and trace.features for trace in traces)
    assert load("a.jsonl").world.digest == world.digest


def test_changed_log_differs_in_the_one_argument_it_names() -> None:
    world, _ = granted(Path("a.jsonl"), Output(quiet=True))
    name, argument = change_one(Path("a.jsonl"), world)
    changed = load("a.jsonl").world
    pairs = zip(world.features, changed.features, strict=True)
    differing = [(was, now) for was, now in pairs if was != now]
    assert [was.id for was, _ in differing] == [name.split()[0]]
    ((was, now),) = differing
    assert [key for key in was.args if was.args[key] != now.args[key]] == [argument]


def test_demo_without_gl_leaves_an_earlier_demo_alone(spawn: Any, folder: Path) -> None:
    Path("demo").mkdir()
    Path("demo", MARK).write_text("")
    Path("demo/town.png").write_text("precious")
    Path("egl").mkdir()
    env = {"__EGL_VENDOR_LIBRARY_DIRS": str(folder / "egl")}
    spawn("demo", "--dir", "demo", env=env, code=3)
    assert Path("demo/town.png").read_text() == "precious"


@pytest.fixture
def scale(full: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[tuple[int, int], int]:
    """Size and frames of the demo's clip: real ones under --full, else everything in little."""
    if not full:
        monkeypatch.setattr(demo, "SIZE", (64, 48))
        monkeypatch.setattr(demo, "SAMPLES", 0)
        monkeypatch.setattr(demo, "TILE_SIZE", (32, 24))
        monkeypatch.setattr(demo, "CLIP_SECONDS", 0.5)
        monkeypatch.setattr(demo, "CASE", {**demo.CASE, "size": [64, 48], "samples": 0})
    return demo.SIZE, round(demo.CLIP_SECONDS * demo.CLIP_FPS)


def test_demo_makes_everything_and_catches_the_change(
    godseed: Any, scale: tuple[tuple[int, int], int]
) -> None:
    document = godseed("demo", "--dir", "planet", "--json", "--quiet").json
    for row in [*document["stills"], document["clip"], {"path": document["sheet"]}]:
        assert Path(row["path"]).stat().st_size > 0
    found = probe(Path(document["clip"]["path"]))
    assert (found.size, found.frames) == scale
    assert [row["granted"] for row in document["wishes"]] == [True] * 12
    golden = document["golden"]
    assert golden["passed"]["passed"] is True
    assert golden["caught"]["passed"] is False
    changed = golden["changed"]["feature"].split()[0]
    assert changed in json.dumps(golden["caught"])

    first = {path: path.read_bytes() for path in Path("planet").rglob("*.png")}
    shown = godseed("demo", "--dir", "planet", "--quiet").out
    assert {path: path.read_bytes() for path in Path("planet").rglob("*.png")} == first
    assert "planet/world.jsonl" in shown
    assert changed in shown
