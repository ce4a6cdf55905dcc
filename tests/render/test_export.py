"""Planets as files, read back by trimesh."""

from __future__ import annotations

import io
import json
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import trimesh

from godseed.render.errors import RenderError
from godseed.render.export import (
    FORMATS,
    Exported,
    MissingExportError,
    camera_matrix,
    exported,
    palette,
)
from godseed.render.solid import Solid
from godseed.render.solid_parts import solids
from godseed.sim.frame import Frame, Stage

Make = Callable[..., Exported]


@pytest.fixture(scope="module")
def found(stage: Stage, town: Frame) -> list[Solid]:
    return solids(town, stage.scene(len(stage.features)), 3)


def opened(made: Exported, ending: str) -> Any:
    return trimesh.load(io.BytesIO(made.data), file_type=ending[1:], process=False)


def tree_of(glb: bytes) -> dict[str, Any]:
    """The JSON of a GLB."""
    length = struct.unpack("<I", glb[12:16])[0]
    tree: dict[str, Any] = json.loads(glb[20 : 20 + length])
    return tree


@pytest.mark.parametrize("ending", FORMATS)
def test_file_opens_with_its_triangles_and_bounds(found: list[Solid], ending: str) -> None:
    made = exported(found, ending, radius=40.0)
    scene = opened(made, ending)
    meshes = list(scene.geometry.values()) if hasattr(scene, "geometry") else [scene]
    assert sum(len(mesh.faces) for mesh in meshes) == made.triangles
    assert np.allclose(scene.bounds, made.bounds, atol=1e-4)
    assert len(meshes) == made.meshes
    assert made.bounds[1, 0] > 39.0
    left = 0 if ending != ".stl" else sum(int((~each.closed).sum()) for each in found)
    assert made.left_out == left
    assert exported(found, ending, radius=40.0).data == made.data, "same bytes again"


def test_stl_holds_closed_bodies_only(found: list[Solid]) -> None:
    mesh = opened(exported(found, ".stl"), ".stl")
    mesh.merge_vertices(digits_vertex=7)
    edges, counts = np.unique(mesh.edges_sorted, axis=0, return_counts=True)
    assert (counts % 2 == 0).mean() > 0.999, "every edge has a face on both sides"
    assert len(edges)


def test_glb_names_every_feature_and_keeps_colour_and_light(found: list[Solid]) -> None:
    names = {2: "place_structure monolith"}
    made = exported(found, ".glb", names=names, about={"world": "abc"})
    tree = tree_of(made.data)
    meshes = {mesh["name"] for mesh in tree["meshes"]}
    assert {"ground", "needle lit", "f_000002 place_structure monolith"} <= meshes
    assert "f_000002 place_structure monolith lit" in meshes
    assert tree["asset"]["extras"] == {"world": "abc"}
    assert tree["extensionsUsed"] == ["KHR_materials_emissive_strength"]
    for mesh in tree["meshes"]:
        (primitive,) = mesh["primitives"]
        assert {"POSITION", "NORMAL", "COLOR_0"} <= set(primitive["attributes"])
        material = tree["materials"][primitive["material"]]
        assert material["pbrMetallicRoughness"]["metallicFactor"] == 0.0
        assert ("emissiveTexture" in material) == mesh["name"].endswith(" lit")
        if "emissiveTexture" in material:
            strength = material["extensions"]["KHR_materials_emissive_strength"]
            assert strength["emissiveStrength"] > 1.0
            assert "TEXCOORD_0" in primitive["attributes"]


def test_glb_holds_the_camera_of_the_shot(found: list[Solid], town: Frame) -> None:
    tree = tree_of(exported(found, ".glb", radius=2.0, pose=town.pose).data)
    (camera,) = tree["cameras"]
    assert np.degrees(camera["perspective"]["yfov"]) == pytest.approx(town.pose.fov_deg, abs=1e-6)
    node = next(node for node in tree["nodes"] if "camera" in node)
    matrix = np.array(node["matrix"]).reshape(4, 4).T
    assert np.allclose(matrix, camera_matrix(town.pose, 2.0), atol=1e-6)
    assert "cameras" not in tree_of(exported(found, ".glb").data)


def test_camera_looks_at_its_target(town: Frame) -> None:
    matrix = camera_matrix(town.pose)
    towards = town.pose.target - town.pose.eye
    assert np.allclose(-matrix[:3, 2], towards / np.linalg.norm(towards))
    assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1.0)


def test_palette_gives_every_vertex_its_light_back() -> None:
    rng = np.random.default_rng(4)
    lights = [rng.random((40, 3)) * 3.0, np.zeros((3, 3)), np.full((2, 3), 0.5)]
    picture, places, strength = palette(lights)
    assert picture.shape[1] % 4 == 0, "rows of whole words, or some programs read them askew"
    for light, uv in zip(lights, places, strict=True):
        x = np.floor(uv[:, 0] * picture.shape[1]).astype(int)
        y = np.floor((1.0 - uv[:, 1]) * picture.shape[0]).astype(int)
        coded = picture[y, x] / 255.0
        linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
        assert np.abs(linear * strength - light).max() < 0.02


def test_unknown_ending_and_nothing_to_write_are_refused(found: list[Solid]) -> None:
    with pytest.raises(RenderError, match=r"export: '.obj'; expected one of .glb, .ply, .stl"):
        exported(found, ".obj")
    words = [each for each in found if each.part == "words"]
    assert words
    with pytest.raises(RenderError, match="export: nothing to write"):
        exported(words, ".stl")
    with pytest.raises(RenderError, match="export: nothing to write"):
        exported([], ".glb")


def test_missing_trimesh_is_named_with_the_line_that_installs_it(
    found: list[Solid], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingExportError, match=r"run: pip install 'godseed\[export\]'"):
        exported(found, ".glb")
