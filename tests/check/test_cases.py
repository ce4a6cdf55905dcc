"""Finding cases, what they are expected to be, and images that nothing looks at."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from godseed.check.case_file import GoldenError, read_case
from godseed.check.cases import (
    Expected,
    encode_expected,
    find_cases,
    fingerprints,
    matches,
    read_expected,
    unused_images,
    write_file,
)
from godseed.sim.digest import geometry_digest
from godseed.sim.feature import world_digest
from godseed.sim.genesis import genesis_features
from godseed.sim.scene import Scene


def write_expected(folder: Path, expected: Expected) -> bool:
    return write_file(folder / "geometry.json", encode_expected(expected))


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).mkdir(parents=True)
        text = '{"world": "genesis", "frames": [{"shot": "town", "t_s": 1}]}'
        (root / name / "case.json").write_text(text)


def genesis_expected() -> Expected:
    features = genesis_features()
    return Expected(world_digest(features), geometry_digest(Scene.build(features)), features)


def test_cases_are_found_in_name_order_at_any_depth(tmp_path: Path) -> None:
    make(tmp_path, "b", "a/two", "a/one/deep")
    assert [name for name, _ in find_cases(tmp_path)] == ["a/one/deep", "a/two", "b"]


def test_a_case_folder_is_a_root_of_one(tmp_path: Path) -> None:
    make(tmp_path, "a")
    assert find_cases(tmp_path / "a") == [("a", tmp_path / "a")]


def test_a_whole_name_means_that_case_alone(tmp_path: Path) -> None:
    make(tmp_path, "town", "town_night")
    assert [name for name, _ in find_cases(tmp_path, "town")] == ["town"]
    assert len(find_cases(tmp_path, "tow")) == 2


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("flora", True),
        ("road", False),
        ("road or grove", True),
        ("not grove", False),
        ("not road", True),
        ("spawn_*/grove", True),
        ("*_road/*", False),
        ("", True),
        (None, True),
    ],
)
def test_patterns_take_parts_globs_or_and_not(pattern: str | None, expected: bool) -> None:
    assert matches("spawn_flora/grove", pattern) is expected


def test_nothing_to_check_is_an_error_and_never_green(tmp_path: Path) -> None:
    with pytest.raises(GoldenError, match="no such folder"):
        find_cases(tmp_path / "none")
    with pytest.raises(GoldenError, match="no case in it"):
        find_cases(tmp_path)
    make(tmp_path, "a", "b")
    with pytest.raises(GoldenError, match="no case matches 'z'; expected a part of one of a, b"):
        find_cases(tmp_path, "z")


def test_expected_survives_the_disk_and_is_not_written_twice(tmp_path: Path) -> None:
    assert read_expected(tmp_path) is None
    assert write_expected(tmp_path, genesis_expected())
    assert read_expected(tmp_path) == genesis_expected()
    assert not write_expected(tmp_path, genesis_expected())


def test_geometry_file_has_one_feature_to_a_line(tmp_path: Path) -> None:
    write_expected(tmp_path, genesis_expected())
    lines = (tmp_path / "geometry.json").read_text().splitlines()
    assert sum('"tool":"' in line for line in lines) == 4


def test_empty_world_can_be_expected(tmp_path: Path) -> None:
    nothing = Expected(world_digest(()), geometry_digest(Scene.empty()), ())
    write_expected(tmp_path, nothing)
    assert read_expected(tmp_path) == nothing


def test_geometry_file_edited_by_hand_is_refused(tmp_path: Path) -> None:
    write_expected(tmp_path, genesis_expected())
    file = tmp_path / "geometry.json"
    file.write_text(file.read_text().replace('"seed":11', '"seed":12'))
    with pytest.raises(GoldenError, match="the file was edited"):
        read_expected(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": 2}', "\x00"])
def test_unreadable_geometry_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "geometry.json").write_text(text)
    with pytest.raises(GoldenError, match=r"geometry\.json: "):
        read_expected(tmp_path)


def test_later_schema_is_refused(tmp_path: Path) -> None:
    write_expected(tmp_path, genesis_expected())
    file = tmp_path / "geometry.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "schema": 2}))
    with pytest.raises(GoldenError, match="schema: 2; expected 1"):
        read_expected(tmp_path)


def test_images_without_use_are_listed(tmp_path: Path) -> None:
    make(tmp_path, "a", "a/inner")
    for name in (
        "a/soft/town.t1000.png",
        "a/soft/world.t1000.png",
        "a/stray.png",
        "a/inner/soft/town.t1000.png",
        "a/soft/old/town.t1000.png",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"png")
    cases = [read_case(name, folder) for name, folder in find_cases(tmp_path)]
    assert unused_images(tmp_path, cases) == [
        "a/soft/old/town.t1000.png",
        "a/soft/world.t1000.png",
        "a/stray.png",
    ]
    assert fingerprints(tmp_path / "a") == ["soft"]


def test_written_file_is_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "file"
    assert write_file(file, b"one")
    assert not write_file(file, b"one")
    assert write_file(file, b"two")
    assert file.read_bytes() == b"two"
    assert os.listdir(file.parent) == ["file"]


def test_unwritable_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(GoldenError, match="expected a writable folder"):
        write_file(tmp_path / "file" / "below", b"data")


def test_a_feature_that_draws_nothing_keeps_its_line(tmp_path: Path) -> None:
    expected = genesis_expected()
    geometry = replace(expected.geometry, features={**expected.geometry.features})
    write_expected(tmp_path, replace(expected, geometry=geometry))
    found = read_expected(tmp_path)
    assert found is not None
    assert found.geometry.features["f_000000"] == {}
