"""`godseed inspect`, and the ways in which any command reads a world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from godseed.sim.digest import geometry_digest
from godseed.sim.scene import Scene
from godseed.sim.trace import load
from godseed.sim.world import World


def test_inspect_shows_town_counts_and_digests(godseed: Any, log: Path) -> None:
    world = load(log).world
    shown = godseed("inspect", log).out
    assert world.digest in shown
    assert geometry_digest(Scene.build(world.features)).total in shown
    assert "a lighthouse" in shown


def test_inspect_lists_every_feature_with_its_digests(godseed: Any, log: Path) -> None:
    features = load(log).world.features
    shown = godseed("inspect", log, "--features").out
    document = godseed("inspect", log, "--features", "--json").json
    for feature, row in zip(features, document["feature_list"], strict=True):
        assert f"{feature.id} {feature.wish_id} {feature.tool}(" in shown
        assert (row["id"], row["seed"], row["args"]) == (
            feature.id,
            feature.seed,
            json.loads(json.dumps(feature.to_dict()["args"])),
        )


def test_genesis_is_a_world_everywhere(godseed: Any, log: Path) -> None:
    document = godseed("inspect", "genesis", "--json").json
    assert document["world_digest"] == World.genesis().digest
    assert document["epoch"] == 0


def test_standard_input_takes_a_log_or_a_feature_list(godseed: Any, log: Path) -> None:
    expected = godseed("inspect", log, "--json").json
    as_log = godseed("inspect", "-", "--json", stdin=log.read_bytes()).json
    features = json.dumps([feature.to_dict() for feature in load(log).world.features])
    as_list = godseed("inspect", "-", "--json", stdin=features).json
    for name in ("world_digest", "geometry_digest", "features"):
        assert as_log[name] == as_list[name] == expected[name]


def test_feature_list_files_of_each_form_are_read(godseed: Any, log: Path) -> None:
    rows = [feature.to_dict() for feature in load(log).world.features]
    for value in (rows, {"features": rows}, {"world": {"features": rows}}):
        Path("list.json").write_text(json.dumps(value))
        document = godseed("inspect", "list.json", "--json").json
        assert document["world_digest"] == load(log).world.digest


def test_empty_log_is_genesis(godseed: Any, log: Path) -> None:
    Path("empty.jsonl").write_bytes(b"")
    document = godseed("inspect", "empty.jsonl", "--json").json
    assert document["world_digest"] == World.genesis().digest


@pytest.mark.parametrize("command", ["inspect", "render", "sheet", "replay"])
def test_bad_line_is_named_by_file_and_line(godseed: Any, log: Path, command: str) -> None:
    lines = log.read_bytes().split(b"\n")
    log.write_bytes(lines[0] + b"\n{}\n" + lines[1] + b"\n")
    ending = "a.mp4" if command == "replay" else "a.png"
    words = [] if command == "inspect" else ["-o", ending, "--size", "32x32"]
    ran = godseed(command, log, *words, code=2)
    assert ran.err.startswith(f"error: {log}:2: wish_id: ")
    assert not Path(ending).exists()


def test_salvage_skips_and_lists_the_bad_line(godseed: Any, log: Path) -> None:
    lines = log.read_bytes().split(b"\n")
    log.write_bytes(lines[0] + b"\ngarbage\n" + lines[1] + b"\n")
    ran = godseed("inspect", log, "--salvage", "--json")
    assert f"note: {log}:2: " in ran.err
    assert ran.json["epoch"] == 2


def test_torn_line_is_set_aside_once_and_told(godseed: Any, log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-40])
    first = godseed("inspect", log, "--json")
    assert "torn-1" in first.err
    assert first.json["epoch"] == 1
    assert godseed("inspect", log, "--json").err == ""


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere.jsonl", "nowhere.jsonl: No such file"),
        ("nowhere.json", "nowhere.json: No such file"),
        ("", "Is a directory"),
        (".", ".: Is a directory"),
        ("broken.json", "broken.json: not JSON"),
        ("number.json", "number.json: 3; expected a list of features"),
        ("row.json", "row.json: features[0]: "),
        ("picture.png", "picture.png: not JSON"),
    ],
)
def test_what_is_no_world_is_named(
    godseed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text("[1,")
    Path("number.json").write_text("3")
    Path("row.json").write_text('[{"id": 3}]')
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert said in godseed("inspect", source, code=2).err
