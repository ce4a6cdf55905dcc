"""Faults in the program itself, each put into a copy of it: named at its rung, with its cause and
its feature."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import godseed
from godseed.check.approve import case_text
from godseed.check.golden import update
from godseed.check.new_case import world_of
from godseed.sim.feature import Feature
from godseed.sim.world import World

Fault = Callable[[Path], None]
PACKAGE = Path(godseed.__file__).parent
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("place_structure", {"lat": 14, "lon": 36, "kind": "lighthouse", "scale": 2, "hue": 40}),
    ("set_weather", {"kind": "mist", "intensity": 0.6}),
)


def features() -> list[Feature]:
    world = World.genesis()
    for i, (tool, args) in enumerate(CALLS):
        world = world.apply({"tool": tool, "args": args}, "w_000001", i).world
    return list(world.features)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults") / "golden"
    (folder / "cape").mkdir(parents=True)
    frames = [{"shot": "town", "t_s": 4.0}]
    text = case_text(world_of(features()), frames=frames, size=[160, 90], samples=0)
    (folder / "cape" / "case.json").write_bytes(text)
    assert not any(row.left for row in update(folder, which="missing"))
    return folder


def in_json(name: str, change: Callable[[Any], None]) -> Fault:
    def fault(package: Path) -> None:
        file = package / "spec" / name
        document = json.loads(file.read_text("utf-8"))
        change(document)
        file.write_text(json.dumps(document), encoding="utf-8")

    return fault


def in_text(name: str, old: str, new: str) -> Fault:
    def fault(package: Path) -> None:
        file = package / name
        text = file.read_text("utf-8")
        assert old in text, f"{name} has no {old!r} any more; choose another place for the fault"
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    return fault


def palette(document: Any) -> None:
    document["palettes"]["void"]["zenith"][2] += 2 / 255


def weather(document: Any) -> None:
    document["weather"]["mist"]["haze_density"] += 0.1


def order(document: Any) -> None:
    rows = document["materials"]
    names = [row["name"] for row in rows]
    a, b = names.index("kit_glow"), names.index("sky")
    rows[a], rows[b] = rows[b], rows[a]


def vertex(document: Any) -> None:
    part = document["kits"]["lighthouse"]["parts"][0]
    length = next(name for name in ("h", "r_bottom", "w") if name in part)
    part[length] += 0.5


def blend(document: Any) -> None:
    row = next(row for row in document["materials"] if row["name"] == "kit_glow")
    row["state"] = next(row["state"] for row in document["materials"] if row["name"] == "sky")


def taller_lighthouses(package: Path) -> None:
    with (package / "sim/tools/place_structure.py").open("a", encoding="utf-8") as file:
        file.write(
            "\n\n_build = build\n\n\ndef build(columns, paths):\n"
            "    built = _build(columns, paths)\n"
            "    if 'kit:lighthouse' in built.parts:\n"
            "        built.parts['kit:lighthouse'].rows[:, 3] += 0.001\n"
            "    return built\n"
        )


@pytest.fixture
def checked(root: Path, tmp_path: Path) -> Callable[[Fault], dict[str, Any]]:
    """The verdict on the case when a copy of the program that has a fault checks it."""

    def run(fault: Fault) -> dict[str, Any]:
        copy = tmp_path / "godseed"
        left_out = shutil.ignore_patterns("__pycache__", "web_client", "mind", "*.npz")
        shutil.copytree(PACKAGE, copy, ignore=left_out)
        fault(copy)
        words = ["-m", "godseed", "golden", "check", str(root), "--json", "--quiet"]
        ran = subprocess.run(
            [sys.executable, *words],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            check=False,
            text=True,
        )
        assert ran.returncode == 1, ran.stdout + ran.stderr
        (verdict,) = json.loads(ran.stdout)["cases"]
        found: dict[str, Any] = verdict
        return found

    return run


def test_one_vertex_of_a_kit_is_geometry_of_the_feature_that_draws_it(
    checked: Callable[[Fault], dict[str, Any]],
) -> None:
    found = checked(in_json("kits/structures.json", vertex))
    assert found["rung"] == "geometry"
    assert "kit lighthouse: mesh changed" in found["message"]
    assert "vertices moved, largest offset 0.0005" in found["message"]
    assert "drawn by f_000004 place_structure" in found["message"]
    assert [change["feature"] for change in found["features"]] == ["f_000004"]


def test_palette_entry_off_by_two_of_255_is_pixels_of_the_sky_that_set_it(
    checked: Callable[[Fault], dict[str, Any]],
) -> None:
    found = checked(in_json("palettes.json", palette))
    assert found["rung"] == "pixels"
    assert "palettes.json palettes.void.zenith[2]" in found["message"]
    assert "(f_000000 set_sky)" in found["message"]
    assert max(found["frames"][0]["attribution"].items(), key=lambda item: item[1])[0] == "sky"


def test_weather_entry_names_the_weather_that_reads_it(
    checked: Callable[[Fault], dict[str, Any]],
) -> None:
    found = checked(in_json("palettes.json", weather))
    assert found["rung"] == "pixels"
    assert "palettes.json weather.mist.haze_density" in found["message"]
    assert "(f_000005 set_weather)" in found["message"]


def test_shader_constant_is_pixels_and_names_the_file(
    checked: Callable[[Fault], dict[str, Any]],
) -> None:
    found = checked(in_text("spec/glsl/output.frag", "0.0245786", "0.0275786"))
    assert found["rung"] == "pixels"
    assert "since then shader output.frag changed" in found["message"]
    assert found["frames"][0]["causes"] == ["shader output.frag changed"]


def test_draw_order_is_pixels_and_names_both_materials(
    checked: Callable[[Fault], dict[str, Any]],
) -> None:
    found = checked(in_json("materials.json", order))
    assert found["rung"] == "pixels"
    assert "draw order: sky and kit_glow changed places" in found["message"]
    frame = found["frames"][0]
    assert frame["causes"] == ["draw order: sky and kit_glow changed places"]
    assert sum(frame["attribution"].values()) == frame["measured"]["pixels"]


def test_state_of_a_material_is_pixels_and_names_it(
    checked: Callable[[Fault], dict[str, Any]],
) -> None:
    found = checked(in_json("materials.json", blend))
    assert found["rung"] == "pixels"
    assert "material kit_glow changed" in found["message"]


def test_code_that_builds_a_tool_is_geometry_with_rows_and_offset(
    checked: Callable[[Fault], dict[str, Any]],
) -> None:
    found = checked(taller_lighthouses)
    assert found["rung"] == "geometry"
    assert found["message"].startswith(
        "f_000004 place_structure: kit:lighthouse changed, 1 row, largest offset 0.001"
    )
    assert "the code that builds them is not" in found["message"]
    assert "w_000001/f_000004 place_structure" in found["frames"][0]["attribution"]
