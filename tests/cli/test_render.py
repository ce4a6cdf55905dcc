"""`godseed render` and `godseed sheet`: small pictures, and every refusal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from godseed.sim.trace import load

SMALL = ("--size", "64x48", "--samples", "0")
SHOTS = "town, world, gaze:FEATURE, descend:FEATURE"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def chunks(path: str) -> dict[str, str]:
    with Image.open(path) as picture:
        picture.load()
        return dict(picture.text)


@pytest.mark.parametrize(
    "shot",
    ["town", "world", "gaze:f_000004", "gaze:4", "descend:4@3.5", "free:10,20,0.2,90,-20,50"],
)
def test_each_shot_is_drawn_and_named_in_the_picture(godseed: Any, log: Path, shot: str) -> None:
    ran = godseed("render", log, "--shot", shot, "-o", "a.png", *SMALL, "--json")
    document = ran.json
    with Image.open("a.png") as picture:
        assert picture.size == (64, 48)
    written = chunks("a.png")
    for name in ("pixels", "world", "geometry", "fingerprint"):
        assert document[name] in written.values(), name
    assert document["world"] == load(log).world.digest
    assert document["written"] == ["a.png"]


def test_same_command_gives_the_same_file(godseed: Any, log: Path) -> None:
    for name in ("a.png", "b.png"):
        godseed("render", log, "-o", name, *SMALL)
    assert Path("a.png").read_bytes() == Path("b.png").read_bytes()
    shown = godseed("render", log, "-o", "c.png", *SMALL, "--t", "9")
    assert Path("c.png").read_bytes() != Path("a.png").read_bytes()
    assert re.fullmatch(r"c.png [0-9a-f]{64}\n", shown.out)


def test_ids_and_depth_are_written_under_their_names(godseed: Any, folder: Path) -> None:
    words = ["render", "genesis", "--shot", "world", "-o", "a.png", "--ids", "i.PNG"]
    document = godseed(*words, "--depth", "d.NPY", *SMALL, "--json").json
    assert document["written"] == ["a.png", "i.PNG", "d.NPY"]
    assert sorted(path.name for path in folder.iterdir()) == ["a.png", "d.NPY", "i.PNG"]
    depth = np.load("d.NPY")
    assert depth.shape == (48, 64)
    assert np.isfinite(depth[24, 32])
    with Image.open("i.PNG") as ids:
        assert ids.size == (64, 48)


def test_overlay_changes_the_picture(godseed: Any, folder: Path) -> None:
    size = ("--size", "320x180", "--samples", "0")
    plain = godseed("render", "genesis", "-o", "a.png", *size, "--json").json["pixels"]
    laid = godseed("render", "genesis", "-o", "a.png", *size, "--overlay", "--json").json["pixels"]
    assert laid != plain


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "1280"], "'--size': '1280'; expected WIDTHxHEIGHT, each 16 to 7680; try"),
        (["--size", "8x64"], "'8x64'; expected WIDTHxHEIGHT, each 16 to 7680"),
        (["--size", "64x7681"], "'64x7681'; expected WIDTHxHEIGHT"),
        (["--size", "-64x64"], "'-64x64'; expected WIDTHxHEIGHT"),
        (["--size", "٦٤x٦٤"], "expected WIDTHxHEIGHT"),
        (["--size", "64x64x64"], "expected WIDTHxHEIGHT"),
        (["--samples", "3"], "'3' is not one of '0', '2', '4', '8'"),
        (["--t", "nan"], "'nan'; expected 0 to 1e+07 seconds"),
        (["--t", "-1"], "'-1'; expected 0 to 1e+07 seconds"),
        (["--t", "inf"], "'inf'; expected 0 to 1e+07 seconds"),
        (["--t", "soon"], "'soon'; expected 0 to 1e+07 seconds"),
        (["--shot", "moon"], f"shot: 'moon'; expected {SHOTS}"),
        (["--shot", "gaze:"], f"shot: 'gaze:'; expected {SHOTS}"),
        (["--shot", "gaze:f_999999"], "shot: feature f_999999 is not in this world"),
        (["--shot", "free:91,0,1,0,0,50"], "shot.lat: 91"),
        (["--shot", "free:nan,0,1,0,0,50"], "shot.lat: nan"),
        (["--shot", "free:0,0,1"], "expected"),
        (["-o", "no/a.png"], "no/a.png: no folder 'no'"),
        (["-o", "."], ".: a folder"),
        (["-o", ""], "expected a file name"),
        (["-o", "a.jpg"], "a.jpg: ends in '.jpg'; expected .png"),
        (["-o", "a"], "a: ends in 'nothing'; expected .png"),
        (["-o", "/proc/a.png"], "/proc/a.png: "),
        (["--ids", "a.png"], "a.png: "),
        (["--ids", "no/i.png"], "no/i.png: no folder"),
        (["--depth", "d.txt"], "d.txt: ends in '.txt'; expected .npy"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_render_names_what_is_wrong_and_the_way_out(
    godseed: Any, folder: Path, words: list[str], said: str
) -> None:
    place = [] if "-o" in words else ["-o", "a.png"]
    ran = godseed("render", "genesis", *place, *SMALL, *words, code=2)
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert list(folder.iterdir()) == []


def test_world_from_standard_input_is_drawn_alike(godseed: Any, log: Path) -> None:
    expected = godseed("render", log, "-o", "a.png", *SMALL, "--json").json["pixels"]
    piped = godseed("render", "-", "-o", "b.png", *SMALL, "--json", stdin=log.read_bytes()).json
    assert piped["pixels"] == expected


def test_sheet_holds_a_picture_for_each_shot(godseed: Any, log: Path) -> None:
    document = godseed("sheet", log, "-o", "s.png", *SMALL, "--json").json
    assert document["written"] == ["s.png"]
    godseed("sheet", log, "-o", "t.png", *SMALL, "--shot", "town", "--columns", "1")
    with Image.open("s.png") as many, Image.open("t.png") as one:
        assert one.width < many.width
        assert one.height >= 48
    assert b"wrote s.png" not in Path("s.png").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--shot", "moon"], "shot: 'moon'"),
        (["--shot", "gaze:99"], "f_000099 is not in this world"),
        (["--columns", "0"], "'--columns': 0 is not in the range"),
        (["-o", "s.gif"], "s.gif: ends in '.gif'"),
    ],
)
def test_sheet_names_what_is_wrong(godseed: Any, folder: Path, words: list[str], said: str) -> None:
    place = [] if "-o" in words else ["-o", "s.png"]
    assert said in godseed("sheet", "genesis", *place, *SMALL, *words, code=2).err
    assert list(folder.iterdir()) == []
