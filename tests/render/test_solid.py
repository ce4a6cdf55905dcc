"""Frames as plain triangles: closed where they should be, and where the pictures have them."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from godseed.render.errors import RenderError
from godseed.render.glyph_outline import OUTLINE, field_of, glyph_triangles
from godseed.render.solid import NOBODY, PARTS, Solid, finest_level, ground_solid
from godseed.render.solid_parts import OPEN_SHAPES, solids
from godseed.sim.frame import Frame, Stage
from godseed.sim.glyph_pages import page_glyph
from godseed.sim.glyphs import face
from godseed.sim.kits import kit_names, pieces
from godseed.sim.terrain import ground
from godseed.sim.world import World


def mesh_of(solid: Solid) -> trimesh.Trimesh:
    return trimesh.Trimesh(solid.vertices, solid.faces.astype(np.int64), process=False)


@pytest.fixture(scope="module")
def found(stage: Stage, town: Frame) -> list[Solid]:
    return solids(town, stage.scene(len(stage.features)))


@pytest.mark.parametrize("level", [None, 2, 4, finest_level()])
def test_ground_is_watertight_at_every_level(town: Frame, level: int | None) -> None:
    mesh = mesh_of(ground_solid(town.planet, 1.0, level))
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume == pytest.approx(4.19, abs=0.15)


def test_ground_level_outside_the_range_is_refused(town: Frame) -> None:
    with pytest.raises(RenderError, match=r"ground: level 1; expected 2 to \d+; choose one"):
        ground_solid(town.planet, 1.0, 1)


@pytest.mark.parametrize("name", kit_names())
def test_every_body_of_a_kit_is_watertight(name: str) -> None:
    """All shapes but panes and planes, which are sheets by design; glow is light, not a body."""
    closed = 0
    for piece in pieces(name):
        if piece.row.get("glow", False) or piece.row.get("shape") in OPEN_SHAPES:
            continue
        mesh = trimesh.Trimesh(
            piece.mesh.vertices, piece.mesh.faces.astype(np.int64), process=False
        )
        assert mesh.is_watertight, piece.row
        assert mesh.is_winding_consistent, piece.row
        assert mesh.volume > 0.0, piece.row
        closed += 1
    assert closed, f"{name} has no body"


def test_solids_are_well_formed_and_cover_what_the_world_has(found: list[Solid]) -> None:
    parts = {each.part for each in found}
    assert {"ground", "structure", "road", "water", "words", "needle"} <= parts <= set(PARTS)
    for each in found:
        n, m = len(each.vertices), len(each.faces)
        assert each.faces.max() < n
        assert each.feature.shape == each.closed.shape == (m,)
        assert np.isfinite(each.vertices).all()
        assert np.allclose(np.linalg.norm(each.normals, axis=1), 1.0, atol=1e-5)
        assert each.colors.min() >= 0.0
        assert each.colors.max() <= 1.0
        assert each.light.min() >= 0.0
        made_by_nobody = each.part in ("ground", "needle")
        assert (each.feature == NOBODY).all() == made_by_nobody


def test_faces_look_outward(found: list[Solid]) -> None:
    """The normal of a face and those of its corners agree, or it would be black elsewhere."""
    for each in found:
        a, b, c = (each.vertices[each.faces[:, k]] for k in range(3))
        along = np.sum(np.cross(b - a, c - a) * each.normals[each.faces[:, 0]], axis=1)
        size = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        assert (along[size > 1e-12] > 0.0).mean() > 0.98, each.name


def test_roads_and_water_lie_on_the_ground_and_never_under_it(
    stage: Stage, found: list[Solid]
) -> None:
    terrain = stage.scene(len(stage.features)).terrain
    for each in found:
        if each.part in ("road", "water"):
            away = np.linalg.norm(each.vertices, axis=1)
            above = away - 1.0 - ground(each.vertices / away[:, None], terrain)
            assert above.min() > 0.0004, each.part
            assert above.max() < 0.0025, each.part


def test_solid_of_some_faces_keeps_only_their_vertices(found: list[Solid]) -> None:
    some = found[0].of(np.arange(len(found[0].faces)) < 10)
    assert len(some.faces) == 10
    assert len(np.unique(some.faces)) == len(some.vertices) < 31
    whole = found[0].vertices[found[0].faces[:10]]
    assert np.array_equal(some.vertices[some.faces], whole)


def test_fireflies_are_bodies_and_lanterns_of_carts_are_not() -> None:
    world = World.genesis()
    for kind, count in (("fireflies", 3), ("carts", 4)):
        args = {"lat": 14, "lon": 40, "radius_deg": 4, "kind": kind, "count": count, "hue": 60}
        applied = world.apply({"tool": "spawn_life", "args": args}, "w_000001", 0)
        world = applied.world
    stage = Stage(world.features)
    found = solids(stage.frame(4000, "town"), stage.scene(len(world)))
    flies = next(each for each in found if each.name == "firefly")
    assert set(flies.feature.tolist()) == {4}
    assert mesh_of(flies).is_watertight
    assert any(each.name == "cart" for each in found)


@pytest.mark.parametrize("letter", "MoiЖλ•夜ঘ")
def test_letters_have_the_area_of_their_ink(letter: str) -> None:
    glyph = face("serif").glyphs.get(ord(letter)) or page_glyph(ord(letter))
    assert glyph is not None
    assert glyph.uv is not None
    points, faces = glyph_triangles(glyph.uv, glyph.page)
    a, b, c = (points[faces[:, k]] for k in range(3))
    area = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    assert (area > -1e-12).all(), "counter-clockwise"
    ink = float((field_of(glyph.uv, glyph.page, 0.005) > OUTLINE).mean()) * 4.0
    assert area.sum() == pytest.approx(ink, rel=0.1)
    assert np.abs(points).max() <= 1.0


def test_words_of_another_script_are_exported_from_their_page() -> None:
    world = World.genesis()
    for text, style in (("夜の森", "orbit"), ("夜の森", "stone")):
        call = {"tool": "inscribe_wish", "args": {"text": text, "style": style}}
        world = world.apply(call, "w_000001", 0).world
    stage = Stage(world.features)
    found = solids(stage.frame(4000, "town"), stage.scene(len(world)), parts=("words",))
    made_by = {int(k): int((found[0].feature == k).sum()) for k in np.unique(found[0].feature)}
    assert set(made_by) == {3, 4, 5}
    assert min(made_by.values()) > 200
    away = np.linalg.norm(found[0].of(found[0].feature == 4).vertices, axis=1)
    assert away.min() > 1.1, "a ring goes round the world"
    away = np.linalg.norm(found[0].of(found[0].feature == 5).vertices, axis=1)
    assert away.max() < 1.15, "a stone stands on the ground"
