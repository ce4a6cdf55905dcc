"""`godseed compare`, and what `godseed golden` does besides checking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image as Pillow

SIZE = ("--size", "64x48", "--samples", "0")


def test_two_stills_of_one_world_are_told_apart_with_features_and_report(
    godseed: Any, log: Path
) -> None:
    for name, words in (("a", ["--t", "1"]), ("b", ["--t", "9"])):
        godseed("render", log, "-o", f"{name}.png", "--ids", f"{name}-ids.png", *SIZE, *words)
    assert godseed("compare", "a.png", "a.png").out.startswith("equal: 0 pixels differ")
    words = ("--ids", "a-ids.png", "b-ids.png", "--world", log, "--report", "r.html")
    ran = godseed("compare", "a.png", "b.png", *words, code=1)
    assert "one geometry" in ran.out or "shots town" in ran.out
    assert Path("r.html").read_text().startswith("<!doctype html>")
    document = godseed("compare", "a.png", "b.png", *words, "--json", code=1).json
    assert document["rung"] == "pixels"
    counts = document["attribution"]
    assert sum(counts.values()) == document["measured"]["pixels"]


def test_bad_images_and_gates_are_one_line(godseed: Any, log: Path) -> None:
    Pillow.new("RGB", (8, 8)).save("a.png")
    Pillow.new("RGB", (8, 9)).save("b.png")
    assert "expected one size" in godseed("compare", "a.png", "b.png", code=1).out
    assert "c.png: No such file" in godseed("compare", "a.png", "c.png", code=2).err
    ran = godseed("compare", "a.png", "a.png", "--max-share", "2", code=2)
    assert "gates.max_share: 2; expected a number 0 to 1" in ran.err
    ran = godseed("compare", "a.png", "a.png", "--ids", "b.png", "b.png", code=2)
    assert "b.png: 8x9; expected 8x8" in ran.err


def test_new_check_report_approve_prune_from_the_command_line(godseed: Any, log: Path) -> None:
    new = ("golden", "new", "place/one", "--world", log, "--wishes", "1", *SIZE)
    assert "updated place/one" in godseed(*new).out
    assert "is there already" in godseed(*new, code=2).err
    files = ("--report", "r.html", "--junit", "j.xml", "--workers", "2")
    godseed("golden", "check", *files)
    assert "All is as approved" in Path("r.html").read_text()
    assert "<testsuites" in Path("j.xml").read_text()
    (image,) = Path("golden/place/one").glob("*/*.png")
    image.write_bytes(b"\x89PNG")
    godseed("golden", "check", *files, code=1)
    assert "updated place/one: error" in godseed("golden", "approve", "r.html", "place/one").out
    godseed("golden", "check")
    image.with_name("town.t9.png").write_bytes(image.read_bytes())
    assert "would be removed" in godseed("golden", "prune", "--dry-run").out
    document = godseed("golden", "prune", "--json").json
    assert [row["removed"] for row in document["files"]] == [True]
    assert "0 files removed" in godseed("golden", "prune").out


def test_new_case_takes_landing_times_and_refuses_what_is_none(godseed: Any, log: Path) -> None:
    new = ("golden", "new", "growth", "--world", log, *SIZE, "--t", "1.5", "--t", "2", "--no-draw")
    ran = godseed(*new, "--landed", "soon", code=2)
    assert "--landed: 'soon'; expected FEATURE=SECONDS" in ran.err
    assert "landed_s: 'f_000099'" in godseed(*new, "--landed", "99=1", code=2).err
    assert not Path("golden/growth").exists()
    godseed(*new, "--landed", "f_000004=1")
    case = json.loads(Path("golden/growth/case.json").read_text())
    assert case["landed_s"] == {"f_000004": 1.0}
    assert len(case["frames"]) == 2
    ran = godseed("golden", "new", "x", "--world", log, "--wishes", "99", code=2)
    assert "--wishes: 99; expected at most" in ran.err
