"""The planet's mesh: conforming, watertight, and the same bytes whatever was drawn before."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from godseed.check.generate import generated_world
from godseed.sim.planet import (
    LIGHT_WIDTH,
    GroundRows,
    light_falloff,
    planet_mesh,
    planet_view,
    snap,
)
from godseed.sim.scene import Scene
from godseed.sim.sphere import direction, icosphere


@pytest.mark.parametrize("focus", [None, 0, 11, 100, 641])
def test_refined_mesh_is_closed_and_conforming(focus: int | None) -> None:
    mesh = planet_mesh(focus)
    shape = trimesh.Trimesh(mesh.dirs, mesh.faces.astype(np.int64), process=False)
    assert shape.is_watertight
    assert shape.is_winding_consistent
    assert shape.euler_number == 2
    assert 4.18 < shape.volume < 4.19
    assert len(np.unique(mesh.faces)) == len(mesh.dirs)


def test_refined_mesh_begins_with_the_plain_icosphere() -> None:
    plain = icosphere(6).vertices
    assert planet_mesh(7).dirs[: len(plain)].tobytes() == plain.tobytes()


def test_refined_mesh_is_four_times_finer_near_its_focus() -> None:
    mesh = planet_mesh(42)
    center = icosphere(3).vertices[42]
    corners = mesh.dirs[mesh.faces]
    near = (corners.mean(axis=1) @ center) > np.cos(np.radians(20))
    edge = np.linalg.norm(corners[near][:, 0] - corners[near][:, 1], axis=1)
    assert edge.max() < 0.0065


def test_snap_picks_the_nearest_anchor_and_the_first_of_equals() -> None:
    anchors = icosphere(3).vertices
    for i in (0, 5, 300):
        assert snap(anchors[i]) == i
    assert snap(None) is None


def test_planet_vertices_do_not_depend_on_what_was_asked_before() -> None:
    features = generated_world(21, 30).features
    scenes = [Scene.build(features[:n]) for n in (34, 12, 20, 34)]
    focus = direction(14.0, 38.0)
    fresh = [_fresh(scene, focus) for scene in scenes]
    again = [
        planet_view(focus, s.ground_rows(), s.ground_rows()).vertices for s in reversed(scenes)
    ]
    for a, b in zip(fresh, reversed(again), strict=True):
        assert a.tobytes() == b.tobytes()


def test_lights_reach_exactly_the_vertices_within_their_radius() -> None:
    lights = np.zeros((2, LIGHT_WIDTH))
    for row, (lat, lon, radius) in enumerate(((10.0, 20.0, 0.05), (80.0, -170.0, 0.2))):
        lights[row, 0:3] = direction(lat, lon)
        lights[row, 3] = radius
        lights[row, 4:8] = (1.0, 0.5, 0.25, 2.0)
    view = planet_view(
        None, GroundRows(np.zeros((0, 12)), lights), GroundRows(np.zeros((0, 12)), lights)
    )
    dirs = icosphere(6).vertices
    expected = np.zeros(len(dirs))
    for row in lights:
        q = (1.0 - dirs @ row[0:3]) / (1.0 - np.cos(row[3]))
        expected += np.where(q < 1.0, light_falloff(np.clip(q, 0.0, 1.0)) * 2.0, 0.0)
    np.testing.assert_allclose(view.vertices[:, 16], expected, atol=1e-6)
    np.testing.assert_allclose(view.vertices[:, 17], expected * 0.5, atol=1e-6)


def _fresh(scene: Scene, focus: np.ndarray) -> np.ndarray:
    from godseed.sim import planet

    planet._views.clear()
    for memo in (planet._sums, planet._reliefs, planet._glows):
        memo.known.clear()
    return planet_view(focus, scene.ground_rows(), scene.ground_rows()).vertices
