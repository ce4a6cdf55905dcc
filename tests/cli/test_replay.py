"""`godseed replay`: clips whole or not at all."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

import pytest

from godseed.cli.clips import frame_times
from godseed.render.ffmpeg import probe
from godseed.sim.trace import load

SMALL = ("--size", "64x48", "--samples", "0", "--fps", "5", "--seconds", "2")


@pytest.mark.parametrize("ending", ["mp4", "gif", "webp", "MP4"])
def test_replay_makes_a_clip_of_each_format(godseed: Any, log: Path, ending: str) -> None:
    path = Path(f"clip.{ending}")
    document = godseed("replay", log, "w_000001", "-o", path, *SMALL, "--json").json
    assert (document["frames"], document["fps"], document["seconds"]) == (10, 5, 2.0)
    assert document["wish_id"] == "w_000001"
    assert document["written"][0] == str(path)
    assert path.stat().st_size > 0
    if ending == "mp4":
        found = probe(path)
        assert found.frames == 10
        assert found.pixel_format.startswith("yuv420p(tv, bt709")


def test_same_command_gives_the_same_clip_and_captions(godseed: Any, log: Path) -> None:
    told = [godseed("replay", log, "-o", name, *SMALL) for name in ("a.mp4", "b.mp4")]
    assert Path("a.mp4").read_bytes() == Path("b.mp4").read_bytes()
    assert Path("a.vtt").read_bytes() == Path("b.vtt").read_bytes()
    assert re.fullmatch(r"a.mp4 [0-9a-f]{64}\n", told[0].out)


def test_captions_hold_what_the_god_says_within_the_clip(godseed: Any, log: Path) -> None:
    godseed("replay", log, "-o", "a.mp4", *SMALL)
    trace = load(log).traces[-1]
    text = Path("a.vtt").read_text("utf-8")
    assert text.startswith("WEBVTT\n\n")
    assert trace.reading.split()[0] in text
    assert trace.epitaph in text
    ends = [float(found) for found in re.findall(r"--> 00:00:(\d\d\.\d{3})", text)]
    assert ends == sorted(ends)
    assert 0.0 < ends[-1] <= 2.0


def test_last_wish_is_replayed_if_none_is_named(godseed: Any, log: Path) -> None:
    last = godseed("replay", log, "-o", "a.mp4", *SMALL, "--json").json
    named = godseed("replay", log, "2", "-o", "b.mp4", *SMALL, "--json").json
    assert last["wish_id"] == named["wish_id"] == "w_000002"
    assert last["raw_frames_sha256"] == named["raw_frames_sha256"]


def test_options_change_the_frames(godseed: Any, log: Path) -> None:
    size = ("--size", "160x90", "--samples", "0", "--fps", "2", "--seconds", "3")
    digests = {
        godseed("replay", log, *more, "-o", "a.mp4", *size, "--json").json["raw_frames_sha256"]
        for more in ([], ["--no-overlay"], ["--no-descend"], ["--timelapse"])
    }
    assert len(digests) == 4


def test_calls_that_nobody_spoke_are_replayed_too(godseed: Any, log: Path) -> None:
    call = (
        '{"wish_id":"w_000001","call_index":0,"tool":"place_structure",'
        '"args":{"lat":20,"lon":30,"kind":"lighthouse","scale":1.2,"hue":40}}\n'
        '{"wish_id":"w_000002","call_index":0,"tool":"dance","args":{}}\n'
    )
    godseed("apply", "-", "-o", "own.jsonl", stdin=call, code=1)
    for words in (["w_000001"], ["w_000002"], ["--timelapse"]):
        godseed("replay", "own.jsonl", *words, "-o", "a.mp4", *SMALL)


def test_log_from_standard_input_is_replayed_alike(godseed: Any, log: Path) -> None:
    expected = godseed("replay", log, "-o", "a.mp4", *SMALL, "--json").json
    piped = godseed("replay", "-", "-o", "b.mp4", *SMALL, "--json", stdin=log.read_bytes()).json
    assert piped["raw_frames_sha256"] == expected["raw_frames_sha256"]
    ran = godseed("replay", "-", "-o", "c.mp4", *SMALL, stdin=b"{}\n", code=2)
    assert ran.err.startswith("error: standard input:1: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["w_000099"], "town.jsonl: no wish 'w_000099'; expected one of 2, w_000001 to w_000002"),
        (["foo"], "town.jsonl: no wish 'foo'"),
        (["٢"], "town.jsonl: no wish '٢'"),
        (["w_000001", "--timelapse"], "--timelapse; expected one of them"),
        (["--size", "33x48"], "size 33x48; expected even sides, as MP4 halves the colours; use"),
        (["--seconds", "0"], "0; expected more than 0"),
        (["--seconds", "nan"], "'nan'; expected 0 to"),
        (["--fps", "0"], "'--fps': 0 is not in the range"),
        (["-o", "a.gif", "--fps", "60"], "a.gif: 60 frames per second; expected 1 to 50"),
        (["-o", "a.avi"], "a.avi: ends in '.avi'; expected .mp4, .gif, .webp"),
        (["-o", "no/a.mp4"], "no/a.mp4: no folder 'no'"),
        (["-o", "/proc/a.mp4"], "/proc: "),
        (["--all", "--timelapse"], "replay: --all and --timelapse; expected one of them"),
        (["--all", "w_000001"], "replay: w_000001 and --all; expected one of them"),
        (["--all", "-o", "town.jsonl"], "town.jsonl: a file; expected a folder for --all"),
        (["--workers", "0"], "'--workers': 0 is not in the range"),
        (["--workers", "2", "--scheduler", "tcp://a:1"], "workers: 2 and the scheduler tcp://a:1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_replay_names_what_is_wrong_and_the_way_out(
    godseed: Any, log: Path, words: list[str], said: str
) -> None:
    place = [] if "-o" in words else ["-o", "a.mp4"]
    ran = godseed("replay", log, *place, *SMALL, *words, code=2)
    assert said in ran.err
    assert not list(Path().glob("*.mp4")) + list(Path().glob(".a.*"))


def test_log_without_wishes_is_refused(godseed: Any, log: Path) -> None:
    Path("empty.jsonl").write_bytes(b"")
    for words in ([], ["--timelapse"]):
        ran = godseed("replay", "empty.jsonl", *words, "-o", "a.mp4", *SMALL, code=2)
        assert "empty.jsonl: no wish in this log" in ran.err


def test_ctrl_c_leaves_the_earlier_clip_and_the_same_command_goes_on(
    godseed: Any, start: Any, log: Path
) -> None:
    Path("a.mp4").write_bytes(b"earlier")
    words = ("replay", log, "-o", "a.mp4", *SMALL, "--fps", "60", "--workers", "1")
    process = start(*words)
    assert process.stderr.readline().startswith(b"frames ")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"Traceback" not in err
    kept = re.search(rb"(\d+) of 120 frames are kept in \.a\.mp4\.frames; run the same", err)
    assert kept is not None
    assert Path("a.mp4").read_bytes() == b"earlier"
    document = godseed(*words, "--json").json
    assert document["frames"] == 120
    assert document["frames_kept"] >= int(kept[1]) >= 48
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []


def test_all_wishes_become_clips_and_a_second_run_leaves_them_alone(
    godseed: Any, log: Path
) -> None:
    words = ("replay", log, "--all", "-o", "clips", *SMALL, "--workers", "1", "--json")
    first, again = godseed(*words).json, godseed(*words).json
    assert [row["wish_id"] for row in first["clips"]] == ["w_000001", "w_000002"]
    assert (first["frames_drawn"], first["finished_before"]) == (20, [])
    assert (again["frames_drawn"], again["finished_before"]) == (0, ["w_000001", "w_000002"])
    assert again["clips"] == first["clips"]
    seen = [path.name for path in Path("clips").iterdir() if not path.name.startswith(".")]
    endings = ("w_000001.mp4", "w_000001.vtt", "w_000002.mp4", "w_000002.vtt")
    assert sorted(seen) == list(endings)
    single = godseed("replay", log, "w_000001", "-o", "one.mp4", *SMALL, "--json").json
    assert Path("one.mp4").read_bytes() == Path("clips/w_000001.mp4").read_bytes()
    assert single["raw_frames_sha256"] == first["clips"][0]["raw_frames_sha256"]


def test_scheduler_that_does_not_answer_is_exit_code_3(godseed: Any, log: Path) -> None:
    ran = godseed("replay", log, "-o", "a.mp4", *SMALL, "--scheduler", "tcp://127.0.0.1:9", code=3)
    assert "--scheduler tcp://127.0.0.1:9: " in ran.err
    assert not list(Path().glob("*.mp4")) + list(Path().glob(".a.*"))


def test_times_of_a_clip_of_any_length_are_counted_not_listed() -> None:
    times = frame_times(60_000, 240, 1e7)
    assert len(times) == 2_400_000_000
    assert (times[0], times[-1]) == (0, 59_999)
    assert list(frame_times(1000, 4, None)) == [0, 250, 500, 750]
    assert frame_times(1000, 2, 2.0)[1:] == [250, 500, 750]
    assert list(frame_times(1000, 30, 1e-9)) == [0]
