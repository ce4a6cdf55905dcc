"""`godseed grant`: what is told is on disk, and whatever stops a batch loses nothing."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from godseed.sim.trace import load

SMALL = """---
name: small
---
## system
You are a god. {max_turns} turns.
## reading
World: {summary} Wish: {wish} Say what you will make.
## turn
Turn 1.
## observation
{observation} End with done.
## last
End with done.
## retry
{reason}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(path: str | Path) -> int:
    return Path(path).read_bytes().count(b"\n")


def test_grant_appends_a_trace_and_names_what_it_made(godseed: Any, folder: Path) -> None:
    ran = godseed("grant", "a lighthouse on a northern cape")
    (trace,) = load("world.jsonl").traces
    assert ran.out.startswith(f"{trace.wish_id}  {' '.join(trace.feature_ids)}\n")
    assert trace.epitaph in ran.out
    assert trace.reading in ran.err
    for turn in trace.turns:
        assert turn.thought in ran.err
        assert turn.call is None or f"{turn.call['tool']}(" in ran.err


def test_grant_prints_one_json_document(godseed: Any, folder: Path) -> None:
    document = godseed("grant", "ein Märchen 夜", "--json").json
    (row,) = document["wishes"]
    (trace,) = load("world.jsonl").traces
    assert (row["granted"], row["wish_id"], row["text"]) == (True, "w_000001", "ein Märchen 夜")
    assert row["feature_ids"] == list(trace.feature_ids)


def test_quiet_grant_says_nothing_but_data(godseed: Any, folder: Path) -> None:
    ran = godseed("grant", "a tree", "--quiet")
    assert ran.err == ""
    assert ran.out.startswith("w_000001  f_")


def test_same_wish_seed_and_world_give_the_same_log(godseed: Any, folder: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        for wish in ("a tree by the lake", "a road to the tree"):
            godseed("grant", wish, "--world", name, "--seed", "7", "--quiet")
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    godseed("grant", "a tree by the lake", "--world", "c.jsonl", "--seed", "8", "--quiet")
    assert Path("c.jsonl").read_bytes().split(b"\n")[0] not in Path("a.jsonl").read_bytes()


def test_dry_run_answers_alike_and_writes_nothing(godseed: Any, folder: Path) -> None:
    dry = godseed("grant", "a tree", "-n", "--json").json["wishes"]
    assert list(folder.iterdir()) == []
    assert godseed("grant", "a tree", "--json").json["wishes"] == dry
    before = Path("world.jsonl").read_bytes()
    assert godseed("grant", "a lake", "--dry-run", "--json").json["wishes"][0]["granted"]
    assert Path("world.jsonl").read_bytes() == before


@pytest.mark.parametrize("wish", ["", "   ", "x" * 141, "a\x1b[31mred\nlamp"])
def test_refused_wish_is_exit_code_1_and_leaves_the_log_as_it_was(
    godseed: Any, log: Path, wish: str
) -> None:
    before = log.read_bytes()
    ran = godseed("grant", wish, "--world", log, code=1)
    assert "declines" in ran.out
    assert "\x1b" not in ran.out
    assert ran.out.count("\n") == 2
    (row,) = godseed("grant", wish, "--world", log, "--json", code=1).json["wishes"]
    assert not row["granted"]
    assert row["reason"]
    assert log.read_bytes() == before


def test_batch_grants_each_line_but_comments(godseed: Any, folder: Path) -> None:
    text = "\ufeff# wishes\r\na tree\r\n\r\n  # of mine\r\nein kleiner See 夜\r\na road".encode()
    Path("wishes.txt").write_bytes(text)
    godseed("grant", "--batch", "wishes.txt", "--world", "a.jsonl", "--quiet")
    godseed("grant", "--batch", "-", "--world", "b.jsonl", "--quiet", stdin=text)
    assert [t.text for t in load("a.jsonl").traces] == ["a tree", "ein kleiner See 夜", "a road"]
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()


def test_batch_goes_on_after_a_refused_wish_and_says_so(godseed: Any, folder: Path) -> None:
    ran = godseed("grant", "--batch", "-", "--json", stdin=f"a tree\n{'x' * 141}\na lake\n", code=1)
    assert [row["granted"] for row in ran.json["wishes"]] == [True, False, True]
    assert [trace.wish_id for trace in load("world.jsonl").traces] == ["w_000001", "w_000002"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "grant: .*--batch FILE; give one of them"),
        (["a tree", "--batch", "wishes.txt"], "grant: .*--batch FILE; give one of them"),
        (["--batch", "nowhere.txt"], "nowhere.txt: No such file or directory; .*"),
        (["--batch", "."], r"\.: Is a directory; .*"),
        (["--batch", "empty.txt"], "empty.txt: no wishes; expected one a line; add one"),
        (["--batch", "latin.txt"], "latin.txt.*: byte .* is not UTF-8; .*"),
        (["a", "--backend", "nope"], "backend: 'nope'; expected one of llamacpp, mock, .*"),
        (["a", "--model", "x.gguf"], "backend 'mock': it takes no model; expected .*"),
        (["a", "--backend", "llamacpp", "--model", "no.gguf"], "model 'no.gguf': no such file.*"),
        (
            ["a", "--backend", "llamacpp", "--model", "latin.txt"],
            "model '.*latin.txt': begins with .*",
        ),
        (["a", "--backend", "openai", "--url", "x"], "openai.url: 'x'; expected http://.*"),
        (["a", "--prompt", "nowhere.md"], "prompt 'nowhere.md': no such file; .*planner-v1"),
        (["a", "--prompt", "nope"], "prompt 'nope': .*planner-v1.*"),
        (["a", "--seed", "0"], ".*'--seed': 0 is not in the range.*"),
        (["a", "--seed", "x"], ".*'--seed': 'x' is not a valid integer.*"),
        (["a", "--world", "."], r"\.: a folder; expected a file name; add one"),
        (["a", "--world", ""], ".*: .*; expected a file name; .*"),
        (["a", "--world", "no/w.jsonl"], "no/w.jsonl: no folder 'no'; .*"),
        (["a", "--world", "w.txt"], r"w.txt: ends in '.txt'; expected .jsonl; change the name"),
        (["a", "--still", "a.jpg"], r"a.jpg: ends in '.jpg'; expected .png; change the name"),
        (["a", "--still", "no/a.png"], "no/a.png: no folder 'no'; .*"),
        (["a", "--clip", "a.avi"], "a.avi: ends in '.avi'; expected .mp4, .gif, .webp; .*"),
    ],
)
def test_grant_names_what_is_wrong_and_the_way_out(
    godseed: Any, folder: Path, words: list[str], said: str
) -> None:
    Path("empty.txt").write_bytes(b"# nothing\n\n")
    Path("latin.txt").write_bytes("m\xe4rkt\n".encode("latin-1"))
    ran = godseed("grant", *words, code=2)
    assert re.fullmatch(f"error: {said}\n", ran.err), ran.err
    assert ran.out == ""
    assert not list(folder.glob("*.jsonl"))


def test_a_wish_is_granted_with_a_real_model(godseed: Any, folder: Path) -> None:
    words = ["--backend", "llamacpp", "--prompt", "small.md", "--world", "real.jsonl"]
    Path("small.md").write_text(SMALL)
    ran = godseed("grant", "a lake", *words, code=1)
    assert "no wish will pass" in ran.err
    assert load("real.jsonl").traces == ()
    ran = godseed("grant", "a lake", *words, "--on-weak-judge", "lexical")
    (trace,) = load("real.jsonl").traces
    assert trace.backend == "llamacpp"
    told = trace.moderation.model_dump()
    assert (told["judge"], told["policy"]) == ("weak", "lexical")
    assert "obvious" in told["detail"]
    assert trace.ended == "done"
    assert trace.wish_id in ran.out


def test_a_model_without_a_template_is_refused_before_a_wish(godseed: Any, folder: Path) -> None:
    words = ["--backend", "llamacpp", "--model", "gemma3-270m"]
    ran = godseed("grant", "a lake", *words, code=2)
    assert re.search(r"no chat template.*--template FILE", ran.err)
    assert not Path("world.jsonl").exists() or lines("world.jsonl") == 0


def test_no_server_is_exit_code_3(godseed: Any, folder: Path) -> None:
    ran = godseed("grant", "a", "--backend", "openai", "--url", "http://127.0.0.1:9/v1", code=3)
    assert "no server there" in ran.err


def test_bad_line_of_the_log_is_named_before_anything_is_granted(godseed: Any, log: Path) -> None:
    first, second, _ = log.read_bytes().split(b"\n")
    log.write_bytes(first + b"\n{" + second[2:] + b"\n" + second + b"\n")
    before = log.read_bytes()
    ran = godseed("grant", "a tree", "--world", log, code=2)
    assert ran.err.startswith(f"error: {log}:2: ")
    assert log.read_bytes() == before


def test_torn_end_of_the_log_is_set_aside_and_told(godseed: Any, log: Path) -> None:
    whole = log.read_bytes()
    log.write_bytes(whole[:-100])
    ran = godseed("grant", "a tree", "--world", log)
    assert "note: " in ran.err
    assert "torn-1" in ran.err
    assert Path(f"{log}.torn-1").read_bytes() == whole.split(b"\n")[1][:-99]
    assert [trace.text for trace in load(log).traces][-1] == "a tree"


def wait_for(process: Any, wishes: int) -> list[str]:
    """Read until so many wishes were told."""
    told: list[str] = []
    while len(told) < wishes:
        line = process.stdout.readline().decode()
        assert line, "the batch ended too early"
        told += re.findall(r"^w_\d+", line)
    return told


def test_ctrl_c_keeps_the_wishes_that_were_told(godseed: Any, start: Any, folder: Path) -> None:
    Path("many.txt").write_text("".join(f"tree number {i}\n" for i in range(500)))
    process = start("grant", "--batch", "many.txt")
    told = wait_for(process, 3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    told += re.findall(r"(?m)^w_\d+", out.decode())
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert err.splitlines()[-1].startswith(b"error: ")
    stored = [trace.wish_id for trace in load("world.jsonl").traces]
    assert stored[: len(told)] == told
    assert len(told) <= len(stored) <= len(told) + 1
    assert len(stored) < 500


def test_killed_batch_has_stored_what_it_told_and_goes_on(
    godseed: Any, start: Any, folder: Path
) -> None:
    wishes = "".join(f"tree number {i}\n" for i in range(500))
    Path("many.txt").write_text(wishes)
    process = start("grant", "--batch", "many.txt", "--quiet")
    told = wait_for(process, 3)
    process.kill()
    out, _ = process.communicate(timeout=60)
    told += re.findall(r"(?m)^w_\d+", out.decode())
    done = len(load("world.jsonl").traces)
    assert done >= len(told)
    rest = "".join(wishes.splitlines(keepends=True)[done : done + 2])
    godseed("grant", "--batch", "-", "--quiet", stdin=rest)
    texts = [trace.text for trace in load("world.jsonl").traces]
    assert texts == wishes.splitlines()[: done + 2]


def test_lost_reader_does_not_stop_a_batch(start: Any, folder: Path) -> None:
    Path("many.txt").write_text("".join(f"tree number {i}\n" for i in range(8)))
    process = start("grant", "--batch", "many.txt")
    process.stdout.readline()
    process.stdout.close()
    process.stderr.read()
    assert process.wait(timeout=60) == 0
    assert lines("world.jsonl") == 8
    process.stderr.close()
    process.stdin.close()


def test_trace_is_plain_json_of_the_documented_fields(log: Path) -> None:
    for line in log.read_bytes().splitlines():
        assert {"wish_id", "text", "reading", "turns", "epitaph", "features"} <= set(
            json.loads(line)
        )
