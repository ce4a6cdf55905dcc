"""Seeded faults: each is caught, and named at its rung with its cause; and nothing else is."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow
from PIL.PngImagePlugin import PngInfo

from godseed.check.case_file import GoldenError
from godseed.check.cases import find_cases
from godseed.check.drawing import read_approved
from godseed.check.examine import Examiner
from godseed.check.golden import Report, Verdict, check, update
from godseed.check.verdict import RUNGS
from godseed.render.renderer import Renderer
from godseed.sim.feature import Feature, feature_id
from godseed.sim.frame import Stage
from godseed.sim.world import World

SIZE = [96, 54]
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("place_structure", {"lat": 14, "lon": 36, "kind": "lighthouse", "scale": 2, "hue": 40}),
    (
        "spawn_flora",
        {"lat": 13, "lon": 39, "radius_deg": 6, "kind": "trees", "density": 0.7, "hue": 120},
    ),
    ("place_structure", {"lat": 12, "lon": 40, "kind": "house", "scale": 2, "hue": 200}),
)
"""What stands around the monolith of genesis: f_000004, f_000005, f_000006."""


def town() -> list[Feature]:
    world = World.genesis()
    for i, (tool, args) in enumerate(CALLS):
        applied = world.apply({"tool": tool, "args": args}, "w_000001", i)
        assert applied.feature is not None, applied.observation
        world = applied.world
    return list(world.features)


def write_case(folder: Path, features: list[Feature] | None, **fields: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    inline = [feature.to_dict() for feature in features or ()]
    case = {
        "world": {"features": inline} if features else "genesis",
        "frames": [{"shot": "town", "t_s": 4.0}],
        "size": SIZE,
        "samples": 0,
        **fields,
    }
    (folder / "case.json").write_text(json.dumps(case), encoding="utf-8")


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("golden")
    write_case(root / "town", town())
    world = [{"shot": "world", "t_s": 0}, {"shot": "gaze:f_000002", "t_s": 1.5}]
    write_case(root / "genesis", None, frames=world)
    done = update(root, which="missing")
    assert not any(found.left for found in done), [found.summary for found in done]
    return root


@pytest.fixture
def root(approved: Path, tmp_path: Path) -> Path:
    shutil.copytree(approved, tmp_path / "golden")
    return tmp_path / "golden"


def image_of(root: Path, case: str = "town", picture: str = "town.t4000.png") -> Path:
    (found,) = (root / case).glob(f"*/{picture}")
    return found


def verdict(report: Report, case: str = "town") -> Verdict:
    (found,) = (v for v in report.cases if v.case == case)
    return found


def fails(root: Path, rung: str, case: str = "town") -> Verdict:
    """The verdict of the one case that fails, at this rung; all others pass."""
    report = check(root)
    assert not report.passed
    assert [(v.case, v.rung) for v in report.failed] == [(case, rung)]
    found = verdict(report, case)
    assert found.message
    assert found.mend
    assert found.summary.startswith(f"FAIL {case}: {rung}: ")
    return found


def repaint(file: Path, change: Callable[[Any], None]) -> None:
    """Change pixels of an approved image and nothing else about it."""
    image = read_approved(file, (SIZE[0], SIZE[1]))
    pixels = image.pixels.copy()
    change(pixels)
    info = PngInfo()
    with Pillow.open(file) as old:
        for key, value in old.info.items():
            if isinstance(value, str):
                info.add_itxt(key, value)
    Pillow.fromarray(pixels).save(file, pnginfo=info)


def test_what_was_approved_passes(root: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    report = check(root, on_progress=lambda done, total, v: seen.append((done, total, v.case)))
    assert report.passed
    assert report.lines == ("2 of 2 cases passed",)
    assert [v.rung for v in report.cases] == ["none", "none"]
    assert seen == [(1, 2, "genesis"), (2, 2, "town")]
    assert json.loads(report.to_json())["passed"] is True


def test_argument_changed_by_the_smallest_step_is_named(root: Path) -> None:
    features = town()
    args = {**features[4].args, "lat": float(np.nextafter(14.0, 15.0))}
    features[4] = replace(features[4], args=args)
    write_case(root / "town", features)
    found = fails(root, "world")
    assert found.message == "f_000004 place_structure: lat 14 -> 14.000000000000002"
    assert found.features[0].feature == "f_000004"
    assert found.frames[0].rung == "none" or "the camera moved" in found.frames[0].message


def test_changed_density_names_the_flora_and_its_pixels(root: Path) -> None:
    features = town()
    features[5] = replace(features[5], args={**features[5].args, "density": 0.2})
    write_case(root / "town", features)
    found = fails(root, "world")
    assert found.message == "f_000005 spawn_flora: density 0.7 -> 0.2"
    assert {c.feature for c in found.features if c.kind == "changed"} == {"f_000005"}
    buffers = {c.buffer: c for c in found.features[0].buffers}
    assert any(name.startswith("kit:") and c.rows for name, c in buffers.items())
    (frame,) = found.frames
    assert frame.attribution
    assert max(frame.attribution, key=lambda name: frame.attribution[name]).endswith(  # type: ignore[index]
        ("f_000005 spawn_flora", "ground")
    )
    assert "w_000001/f_000005 spawn_flora" in frame.attribution
    assert frame.measured is not None
    assert sum(frame.attribution.values()) == frame.measured.pixels


def test_removed_feature_is_named_once_with_the_pixels_it_left(root: Path) -> None:
    features = town()
    del features[4]
    write_case(root / "town", [replace(f, id=feature_id(i)) for i, f in enumerate(features)])
    found = fails(root, "world")
    assert found.message == "f_000004 place_structure: removed"
    assert "w_000001/f_000004 place_structure" in (found.frames[0].attribution or {})


def test_swapped_order_is_named_as_a_move(root: Path) -> None:
    features = town()
    features[4:6] = [replace(features[5], id="f_000004"), replace(features[4], id="f_000005")]
    write_case(root / "town", features)
    found = fails(root, "world")
    assert "moved from f_00000" in found.message


def test_hill_raised_under_the_town_names_the_hill_and_what_it_lifts(root: Path) -> None:
    hill = {"lat": 14, "lon": 36, "radius_deg": 10, "height": 0.05, "roughness": 0}
    features = town()
    added = World(features).apply({"tool": "raise_terrain", "args": hill}, "w_000002", 0)
    write_case(root / "town", list(added.world.features))
    found = fails(root, "world")
    assert found.message == "f_000007 raise_terrain: added"
    lifted = {c.feature: c for c in found.features if c.kind == "geometry"}
    assert lifted["f_000004"].buffers[0].offset == pytest.approx(0.05, abs=0.01)


def test_other_geometry_of_the_same_features_is_its_own_rung(root: Path) -> None:
    file = root / "town" / "geometry.json"
    value = json.loads(file.read_text())
    value["geometry"]["total"] = "0" * 64
    value["geometry"]["features"]["f_000005"] = dict.fromkeys(
        value["geometry"]["features"]["f_000005"], "0" * 64
    )
    file.write_text(json.dumps(value))
    found = fails(root, "geometry")
    assert found.message.startswith("f_000005 spawn_flora: kit:")
    assert "the features are the same, the code that builds them is not" in found.message
    assert [c.feature for c in found.features] == ["f_000005"]


def test_one_pixel_one_step_off_is_caught_and_attributed(root: Path) -> None:
    def nudge(pixels: Any) -> None:
        pixels[30, 40, 1] ^= 1

    repaint(image_of(root), nudge)
    found = fails(root, "pixels")
    (frame,) = found.frames
    assert frame.measured is not None
    assert (frame.measured.pixels, frame.measured.largest) == (1, 1)
    assert sum((frame.attribution or {}).values()) == 1
    assert "edited by another program" in frame.message
    assert "world and geometry are as approved" in frame.message


@pytest.mark.parametrize("keep", [0, 7, 60, 0.5, 0.99])
def test_truncated_image_is_an_error_with_the_line_that_mends_it(root: Path, keep: float) -> None:
    file = image_of(root)
    data = file.read_bytes()
    file.write_bytes(data[: int(keep if keep >= 1 else keep * len(data))])
    found = fails(root, "error")
    assert file.name in found.message
    assert found.mend == f"godseed golden update {root} -k town --failing"


def test_any_damage_to_an_image_is_an_error_or_a_difference_and_never_a_crash(root: Path) -> None:
    rng = random.Random(3)
    file = image_of(root)
    whole = read_approved(file, (SIZE[0], SIZE[1]))
    data = file.read_bytes()
    refused: list[str] = []
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 3])):
            damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        file.write_bytes(bytes(damaged[: rng.choice([len(data), rng.randrange(len(data))])]))
        try:
            found = read_approved(file, (SIZE[0], SIZE[1]))
        except GoldenError as error:
            refused.append(str(error))
        else:
            assert found.edited or np.array_equal(found.pixels, whole.pixels)
    assert len(refused) > 100
    assert all(text.startswith(str(file)) for text in refused)


def test_image_of_another_size_is_an_error(root: Path) -> None:
    file = image_of(root)
    write_case(root / "town", town(), size=[90, 54])
    found = fails(root, "error")
    assert "96x54; expected 90x54" in found.message
    assert file.exists()


def test_missing_image_fails_unless_allowed(root: Path) -> None:
    image_of(root).unlink()
    found = fails(root, "missing")
    assert found.mend.endswith("-k town --missing")
    report = check(root, allow_missing=True)
    assert report.passed
    assert verdict(report).rung == "missing"
    assert any("missing" in line for line in report.lines)


def test_missing_geometry_file_fails_unless_allowed(root: Path) -> None:
    (root / "town" / "geometry.json").unlink()
    fails(root, "missing")
    assert check(root, allow_missing=True).passed


def test_allowing_missing_does_not_allow_differences(root: Path) -> None:
    image_of(root, "genesis", "world.t0.png").unlink()

    def blot(pixels: Any) -> None:
        pixels[:9, :9] = 255

    repaint(image_of(root, "genesis", "gaze-f_000002.t1500.png"), blot)
    report = check(root, allow_missing=True)
    assert [v.case for v in report.failed] == ["genesis"]
    assert verdict(report, "genesis").rung == "pixels"


def test_unreadable_geometry_file_is_an_error(root: Path) -> None:
    (root / "town" / "geometry.json").write_text("{")
    found = fails(root, "error")
    assert "geometry.json: not JSON" in found.message


def test_foreign_rasteriser_within_gates_is_environment_and_no_pass(root: Path) -> None:
    folder = image_of(root).parent
    folder.rename(folder.with_name("other-gpu-s0"))
    found = fails(root, "environment")
    assert found.frames[0].against == "other-gpu-s0"
    assert "within the gates of other-gpu-s0" in found.message
    assert check(root, allow_missing=True).passed


def test_foreign_rasteriser_beyond_gates_is_perception(root: Path) -> None:
    def blot(pixels: Any) -> None:
        pixels[20:29, 20:29] = 255

    repaint(image_of(root), blot)
    folder = image_of(root).parent
    folder.rename(folder.with_name("other-gpu-s0"))
    found = fails(root, "perception")
    assert (
        "would pass with max_share 0.0157, window_share 0.3165; or with per_pixel" in found.message
    )
    assert not check(root, allow_missing=True).passed


def test_stale_image_is_not_taken_for_this_geometry(root: Path) -> None:
    file = image_of(root)
    old = file.read_bytes()
    features = town()
    features[5] = replace(features[5], args={**features[5].args, "density": 0.2})
    write_case(root / "town", features)
    update(root, which="failing")
    assert check(root).passed
    file.write_bytes(old)
    found = fails(root, "missing")
    assert "stale" in found.message
    file.parent.rename(file.parent.with_name("other-gpu-s0"))
    assert "stale, drawn of another one: other-gpu-s0" in fails(root, "missing").message


def test_stale_case_whose_world_file_moved_on_is_named(root: Path) -> None:
    folder = root / "town"
    log = folder / "world.json"
    log.write_text(json.dumps([feature.to_dict() for feature in town()]))
    case = json.loads((folder / "case.json").read_text())
    (folder / "case.json").write_text(json.dumps({**case, "world": {"file": "world.json"}}))
    assert check(root).passed
    rows = [feature.to_dict() for feature in town()]
    rows[6]["args"]["hue"] = 201
    log.write_text(json.dumps(rows))
    assert fails(root, "world").message == "f_000006 place_structure: hue 200 -> 201"


def test_unused_images_are_listed_and_do_not_fail(root: Path) -> None:
    file = image_of(root)
    shutil.copy(file, file.with_name("world.t4000.png"))
    report = check(root)
    assert report.passed
    assert report.unused == (f"town/{file.parent.name}/world.t4000.png",)
    assert f"unused image: {report.unused[0]}" in report.lines


def test_shot_of_a_feature_that_is_not_there_is_an_error(root: Path) -> None:
    write_case(root / "town", town(), frames=[{"shot": "gaze:f_000099", "t_s": 1}])
    found = fails(root, "error")
    assert "f_000099 is not in this world" in found.message
    (done,) = update(root, "town")
    assert done.left


def test_bad_case_file_fails_its_case_and_not_the_others(root: Path) -> None:
    (root / "town" / "case.json").write_text("{}")
    found = fails(root, "error")
    assert "case.json: no 'world'" in found.message
    (done,) = update(root, "town", "all")
    assert done.left


def test_repeated_checks_in_any_order_raise_no_false_alarm(root: Path, full: bool) -> None:
    rng = random.Random(8)
    examiner = Examiner()
    for turn in range(50 if full else 6):
        other = Stage(town()[: rng.randrange(5, 8)])
        size = rng.randrange(20, 90), 41
        Renderer(size, rng.choice([0, 4])).draw(other.frame(700, "world", size[0] / size[1]))
        chosen = find_cases(root) * 2
        rng.shuffle(chosen)
        for name, folder in chosen:
            fresh = examiner if rng.random() < 0.7 else Examiner()
            found = fresh.examine(root, name, folder, allow_missing=False).verdict
            assert (found.rung, found.passed) == ("none", True), (turn, found.lines)


def test_updating_failing_cases_leaves_passing_ones_alone(root: Path) -> None:
    files = [file for file in (root / "genesis").rglob("*") if file.is_file()]
    kept = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in files}
    features = town()
    features[4] = replace(features[4], args={**features[4].args, "hue": 41.0})
    write_case(root / "town", features)
    done = {found.case: found for found in update(root)}
    assert done["genesis"].summary == "kept genesis"
    assert done["town"].summary.startswith("updated town: world: f_000004 place_structure: hue 40")
    assert any(name.endswith("geometry.json") for name in done["town"].written)
    assert check(root).passed
    assert kept == {f: (f.stat().st_mtime_ns, f.read_bytes()) for f in kept}


def test_updating_missing_ones_refuses_where_the_world_changed(root: Path) -> None:
    features = town()
    features[4] = replace(features[4], args={**features[4].args, "hue": 41.0})
    write_case(root / "town", features)
    image_of(root).unlink()
    (done,) = update(root, "town", "missing")
    assert done.left
    assert done.written == ()
    assert done.summary.startswith("left town: world: f_000004")


def test_updating_missing_ones_does_not_approve_a_changed_picture(root: Path) -> None:
    def blot(pixels: Any) -> None:
        pixels[:9, :9] = 255

    repaint(image_of(root, "genesis", "world.t0.png"), blot)
    before = image_of(root, "genesis", "world.t0.png").read_bytes()
    image_of(root, "genesis", "gaze-f_000002.t1500.png").unlink()
    (done,) = update(root, "genesis", "missing")
    assert done.left
    assert [Path(name).name for name in done.written] == ["gaze-f_000002.t1500.png"]
    assert image_of(root, "genesis", "world.t0.png").read_bytes() == before
    fails(root, "pixels", "genesis")


def test_updating_everything_writes_nothing_where_nothing_differs(root: Path) -> None:
    assert [found.written for found in update(root, which="all")] == [(), ()]


def test_update_mends_truncated_images_and_geometry(root: Path) -> None:
    image_of(root).write_bytes(b"\x89PNG")
    (root / "town" / "geometry.json").write_text("")
    update(root)
    assert check(root).passed


def test_unknown_kind_of_update_is_refused(root: Path) -> None:
    with pytest.raises(ValueError, match="expected failing, missing, all"):
        update(root, which="some")


def test_empty_root_is_an_error_for_both(tmp_path: Path) -> None:
    with pytest.raises(GoldenError):
        check(tmp_path)
    with pytest.raises(GoldenError):
        update(tmp_path)


def test_rungs_of_verdicts_are_known(root: Path) -> None:
    report = check(root)
    frames = [frame.rung for v in report.cases for frame in v.frames]
    assert {*frames, *(v.rung for v in report.cases)} <= set(RUNGS)
