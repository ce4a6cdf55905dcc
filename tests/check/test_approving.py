"""Reports and what is done with them: read, shown, approved from, on this machine or another; and
new, several, stale and unused images."""

from __future__ import annotations

import json
import shutil
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image as Pillow
from PIL.PngImagePlugin import PngInfo

from godseed.check.baseline import read_baseline
from godseed.check.case_file import GoldenError, read_case
from godseed.check.cases import read_expected
from godseed.check.drawing import read_approved
from godseed.check.from_report import approve_report
from godseed.check.golden import check, examine_all, update
from godseed.check.inputs import read_inputs
from godseed.check.junit import junit_xml
from godseed.check.new_case import new_case
from godseed.check.prune import prune
from godseed.check.report import write_report
from godseed.check.verdict import Report, Verdict
from godseed.sim.feature import Feature
from godseed.sim.genesis import genesis_features
from godseed.sim.world import World

SIZE = (96, 54)
TOWER = {"lat": 13, "lon": 40, "kind": "tower", "scale": 1.5, "hue": 200}


def features(**args: Any) -> tuple[Feature, ...]:
    applied = World.genesis().apply(
        {"tool": "place_structure", "args": {**TOWER, **args}}, "w_000001", 0
    )
    return tuple(applied.world.features)


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("approving") / "golden"
    new_case(root, "place/tower", features(), [("town", 4.0), ("world", 0.0)], SIZE, 0)
    new_case(root, "genesis", genesis_features(), [("town", 4.0)], SIZE, 0)
    assert not any(row.left for row in update(root, which="missing"))
    return root


@pytest.fixture
def root(approved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(approved, tmp_path / "golden"))


def change(root: Path, **args: Any) -> None:
    """Another world in the case."""
    shutil.rmtree(root / "scratch", ignore_errors=True)
    new_case(root / "scratch", "x", features(**args), [("town", 4.0), ("world", 0.0)], SIZE, 0)
    shutil.move(root / "scratch/x/case.json", root / "place/tower/case.json")
    shutil.rmtree(root / "scratch")


def repaint(file: Path, change: Callable[[Any], None]) -> None:
    pixels = read_approved(file, SIZE).pixels.copy()
    change(pixels)
    info = PngInfo()
    with Pillow.open(file) as old:
        for key, value in old.info.items():
            if isinstance(value, str):
                info.add_itxt(key, value)
    Pillow.fromarray(pixels).save(file, pnginfo=info)


def blot(pixels: Any) -> None:
    pixels[:9, :9, :3] = 255


def reported(root: Path, name: str = "r.html", pattern: str | None = None) -> Path:
    report, evidence = examine_all(root, pattern, evidence=True)
    path = root.parent / name
    write_report(path, report, evidence)
    return path


def image_of(root: Path, case: str = "place/tower", picture: str = "town.t4000.png") -> Path:
    (found,) = (root / case).glob(f"*/{picture}")
    return found


@pytest.mark.parametrize("name", ["r.html", "r.json"])
def test_what_a_report_drew_can_be_approved(root: Path, name: str) -> None:
    change(root, hue=20)
    path = reported(root, name)
    before = image_of(root, "genesis").read_bytes()
    (done,) = approve_report(path)
    assert done.case == "place/tower"
    assert {Path(file).name for file in done.written} == {
        *("town.t4000.png", "world.t0.png"),
        *("geometry.json", "geometry.npz"),
    }
    assert check(root).passed
    assert image_of(root, "genesis").read_bytes() == before
    assert approve_report(path)[0].written == ()


def test_report_of_another_machine_is_approved_into_this_checkout(
    root: Path, tmp_path: Path
) -> None:
    there = Path(shutil.copytree(root, tmp_path / "there"))
    image_of(there).unlink()
    image_of(root).unlink()
    path = reported(there)
    shutil.rmtree(there)
    with pytest.raises(GoldenError, match="name it with --dir"):
        approve_report(path)
    (done,) = approve_report(path, ["place/tower"], root)
    assert [Path(file).name for file in done.written] == ["town.t4000.png"]
    assert check(root).passed


def test_case_that_changed_since_the_report_is_left_alone(root: Path) -> None:
    change(root, hue=20)
    path = reported(root)
    change(root, hue=30)
    (done,) = approve_report(path)
    assert done.left
    assert "changed since the report was made" in done.message


def test_damaged_report_writes_nothing(root: Path) -> None:
    change(root, hue=20)
    path = reported(root, "r.json")
    whole = path.read_text()

    def spoilt(edit: Callable[[Any], None]) -> str:
        document = json.loads(whole)
        edit(document["evidence"]["place/tower"])
        path.write_text(json.dumps(document))
        kept = {file: file.read_bytes() for file in root.rglob("*") if file.is_file()}
        (done,) = approve_report(path)
        assert done.left
        assert kept == {file: file.read_bytes() for file in root.rglob("*") if file.is_file()}
        return done.message

    def other_pixels(row: Any) -> None:
        file = root.parent / "x.png"
        file.write_bytes(b64decode(row["images"]["town.t4000.png"]))
        repaint(file, blot)
        row["images"]["town.t4000.png"] = b64encode(file.read_bytes()).decode()

    def outside(row: Any) -> None:
        row["files"]["../../evil.json"] = row["files"]["geometry.json"]

    def climbing(row: Any) -> None:
        row["images"] = {"../up.png": row["images"]["town.t4000.png"]}

    def cut(row: Any) -> None:
        row["images"]["town.t4000.png"] = row["images"]["town.t4000.png"][:400]

    def mixed(row: Any) -> None:
        text = (root / "genesis/geometry.json").read_bytes()
        row["files"]["geometry.json"] = b64encode(text).decode()

    assert "not as it was drawn" in spoilt(other_pixels)
    assert "file '../../evil.json'" in spoilt(outside)
    assert "name '../up.png'" in spoilt(climbing)
    assert "town.t4000.png" in spoilt(cut)
    assert "of another geometry" in spoilt(mixed)


def test_what_is_no_report_is_named(root: Path, tmp_path: Path) -> None:
    for text, said in (
        ("", "not a golden report"),
        ("<html>", "not a golden report"),
        ("[1]", "not a golden report"),
        (check(root).to_json(), "verdicts and no pictures"),
    ):
        file = tmp_path / "r.json"
        file.write_text(text)
        with pytest.raises(GoldenError, match=said):
            approve_report(file)
    with pytest.raises(GoldenError, match="No such file"):
        approve_report(tmp_path / "none.html")
    with pytest.raises(GoldenError, match="no case 'x'"):
        approve_report(reported(root), ["x"])


def test_several_images_of_one_rasteriser_all_count(root: Path) -> None:
    file = image_of(root)
    drawn = file.read_bytes()
    repaint(file, blot)
    path = reported(root)
    (done,) = approve_report(path, also=True)
    assert f"place/tower/{file.parent.name}/town.t4000+2.png" in done.written
    report = check(root)
    assert report.passed
    assert report.unused == ()
    second = read_approved(file.with_name("town.t4000+2.png"), SIZE)
    file.write_bytes(drawn)
    assert np.array_equal(read_approved(file, SIZE).pixels, second.pixels)
    assert approve_report(path, also=True)[0].written == ()
    repaint(file, blot)
    repaint(file.with_name("town.t4000+2.png"), lambda pixels: pixels.__setitem__((0, 0, 0), 9))
    (verdict,) = check(root).failed
    assert "town.t4000+2.png is the nearest of 2 approved images" in verdict.message


def test_id_buffer_of_the_approved_picture_travels_in_its_file(root: Path) -> None:
    image = read_approved(image_of(root), SIZE)
    assert image.ids is not None
    assert image.ids.shape == (SIZE[1], SIZE[0])
    assert 4 in image.ids
    repaint(image_of(root), lambda pixels: None)
    assert read_approved(image_of(root), SIZE).ids is None


def test_attribution_uses_the_id_buffer_that_was_approved(root: Path) -> None:
    change(root, lat=10, lon=36)
    (verdict,) = check(root).failed
    counts = verdict.frames[0].attribution or {}
    assert counts["w_000001/f_000004 place_structure"] > 20
    assert verdict.rung == "world"


def test_case_without_rows_or_inputs_is_judged_the_same(root: Path) -> None:
    folder = root / "place/tower"
    expected = read_expected(folder)
    assert expected is not None
    assert read_baseline(folder, expected.geometry.total) is not None
    assert read_baseline(folder, "0" * 64) is None
    (folder / "geometry.npz").write_bytes(b"PK damaged")
    (folder / "inputs.json").write_text('{"schema": 9}')
    assert read_baseline(folder, expected.geometry.total) is None
    assert read_inputs(folder) is None
    assert check(root).passed
    (folder / "geometry.npz").unlink()
    (folder / "inputs.json").unlink()
    assert check(root).passed
    update(root, which="all")
    assert read_baseline(folder, expected.geometry.total) is not None
    assert read_inputs(folder) is not None


def test_approving_writes_the_same_bytes_twice(root: Path) -> None:
    kept = {file: file.read_bytes() for file in root.rglob("*") if file.name == "geometry.npz"}
    assert len(kept) == 2
    for file in kept:
        file.unlink()
    update(root, which="all")
    assert kept == {file: file.read_bytes() for file in kept}


def test_workers_give_the_same_report_as_one_process(root: Path) -> None:
    image_of(root).unlink()
    repaint(image_of(root, "genesis"), blot)
    one, two = check(root), check(root, workers=2)

    def timeless(report: Report) -> list[Verdict]:
        return [replace(verdict, seconds=0.0) for verdict in report.cases]

    assert timeless(one) == timeless(two)
    assert one.unused == two.unused
    assert one.lines == two.lines


def test_worker_that_dies_costs_time_and_nothing_else(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    startup = tmp_path / "sitecustomize.py"
    startup.write_text(
        "import os, sys\n"
        "if '--multiprocessing-fork' in sys.argv or 'spawn_main' in ' '.join(sys.orig_argv):\n"
        f"    try:\n        os.unlink({str(mark)!r})\n"
        "    except FileNotFoundError:\n        pass\n"
        "    else:\n        os.kill(os.getpid(), 9)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    report = check(root, workers=2)
    assert not mark.exists()
    assert report.passed, report.lines


def test_junit_has_one_test_per_case_and_the_rung_as_type(root: Path) -> None:
    change(root, hue=20)
    report = check(root)
    suite = ElementTree.fromstring(junit_xml(report)).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    rows = {(row.get("classname"), row.get("name")): row for row in suite.findall("testcase")}
    assert rows["godseed.golden", "genesis"].find("failure") is None
    failure = rows["godseed.golden.place", "tower"].find("failure")
    assert failure is not None
    assert failure.get("type") == "world"
    assert "hue 200 -> 20" in str(failure.get("message"))


def test_junit_holds_whatever_a_message_holds() -> None:
    verdict = Verdict("a/b", "error", False, "bell \x07 & <tag> \ufffe \U0001f30d")
    text = junit_xml(Report("golden", (verdict,), ("x\x00.png",)))
    error = ElementTree.fromstring(text).find("testsuite/testcase/error")
    assert error is not None
    assert error.get("message") == "error: bell \ufffd & <tag> \ufffd \U0001f30d"


def test_prune_removes_what_nothing_looks_at_and_keeps_what_others_wrote(root: Path) -> None:
    file = image_of(root)
    shutil.copy(file, file.with_name("town.t9000.png"))
    Pillow.new("RGB", (4, 4)).save(root / "place/tower/notes.png")
    gone = Path(shutil.copytree(root / "genesis", root / "old/gone"))
    (gone / "case.json").unlink()
    report = check(root)
    assert report.passed
    assert len(report.unused) == 3
    rows = {row.file: row for row in prune(root, dry_run=True)}
    assert file.with_name("town.t9000.png").exists()
    assert {row.file: row for row in prune(root)} == rows
    kept = [row for row in rows.values() if not row.removed]
    assert [row.file for row in kept] == ["place/tower/notes.png"]
    assert "another program wrote it" in kept[0].why
    assert not (root / "old").exists()
    assert check(root).unused == ("place/tower/notes.png",)


def test_prune_removes_stale_images_but_nothing_of_a_case_it_cannot_read(root: Path) -> None:
    file = image_of(root)
    stale = file.read_bytes()
    change(root, hue=20)
    update(root)
    file.with_name("town.t4000+2.png").write_bytes(stale)
    (row,) = prune(root)
    assert row.file.endswith("town.t4000+2.png")
    assert "geometry that is no longer expected" in row.why
    (root / "place/tower/case.json").write_text("{")
    shutil.copy(file, file.with_name("town.t9000.png"))
    assert prune(root) == []


def test_new_case_is_refused_without_a_trace_where_it_is_not_valid(root: Path) -> None:
    for name, said in (
        ("genesis", "is there already"),
        ("genesis/inner", "is there already"),
        ("../up", "expected letters"),
        ("", "expected letters"),
    ):
        with pytest.raises(GoldenError, match=said):
            new_case(root, name, features(), [("town", 4.0)])
    with pytest.raises(GoldenError, match="frames"):
        new_case(root, "a/b", features(), [("sideways", 4.0)])
    assert not (root / "a").exists()


def test_feature_that_lands_is_seen_rising(root: Path) -> None:
    times = [("town", 0.9), ("town", 1.5), ("town", 9.0)]
    case = new_case(root, "growth", features(), times, SIZE, 0, {"f_000004": 1.0})
    assert read_case("growth", case.folder).landed_ms == {4: 1000}
    update(root, "growth", "missing")
    before, rising, after = (
        read_approved(image_of(root, "growth", f"town.t{ms}.png"), SIZE).ids
        for ms in (900, 1500, 9000)
    )
    assert before is not None
    assert rising is not None
    assert after is not None
    assert not (before == 4).any()
    assert 0 < np.count_nonzero(rising == 4) < np.count_nonzero(after == 4)
    assert check(root, "growth").passed
