"""Primitives are watertight, wound outward, of the right volume, and stand on y = 0."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim import mesh
from godseed.sim.mesh import Mesh
from godseed.sim.sphere import dot, icosphere, normalize

POLYGON_7 = 3.5 * math.sin(math.tau / 7)  # area of a regular 7-gon of radius 1
DOME = sum(
    (math.cos(a) ** 2 + math.cos(a) * math.cos(b) + math.cos(b) ** 2)
    * (math.sin(b) - math.sin(a))
    / 3
    for a, b in ((k * math.pi / 8, (k + 1) * math.pi / 8) for k in range(4))
)
# name -> mesh, volume, width along x, height, depth along z, holes
CLOSED: dict[str, tuple[Mesh, float, float, float, float, int]] = {
    "box": (mesh.box(1, 2, 3), 6.0, 1, 2, 3, 0),
    "gable": (mesh.gable(1, 2, 3), 3.0, 1, 2, 3, 0),
    "wedge": (mesh.wedge(1, 2, 3), 3.0, 1, 2, 3, 0),
    "drum": (mesh.cylinder(2, 2, 3, 4), 24.0, 4, 3, 4, 0),
    "tapered": (mesh.cylinder(2, 1, 3, 4), 14.0, 4, 3, 4, 0),
    "cone": (mesh.cylinder(1, 0, 3, 7), POLYGON_7, 1.9498558243636472, 3, 1.9009688679024191, 0),
    "dome": (mesh.dome(1, 8, 4), DOME * 4 * math.sin(math.tau / 8), 2, 1, 2, 0),
    "ring": (mesh.ring(2, 1, 3, 4), 18.0, 4, 3, 4, 1),
    "octahedron": (mesh.octahedron(1.5), 4.5, 3, 3, 3, 0),
}


@pytest.mark.parametrize("name", CLOSED)
def test_primitive_is_closed_and_wound_outward(name: str) -> None:
    made, volume, width, height, depth, holes = CLOSED[name]
    solid = trimesh.Trimesh(made.vertices, made.faces, process=False)
    assert solid.is_watertight
    assert solid.is_winding_consistent
    assert solid.euler_number == 2 - 2 * holes
    assert solid.volume == pytest.approx(volume)
    assert solid.bounds[1] - solid.bounds[0] == pytest.approx([width, height, depth])
    assert len(np.unique(made.faces)) == len(made.vertices)
    assert len(np.unique(made.vertices, axis=0)) == len(made.vertices)
    assert (solid.area_faces > 1e-9).all()


@pytest.mark.parametrize("name", CLOSED)
def test_primitive_stands_on_the_ground_without_minus_zeros(name: str) -> None:
    vertices = CLOSED[name][0].vertices
    assert vertices[:, 1].min() == 0.0
    assert not (np.signbit(vertices) & (vertices == 0.0)).any()
    assert vertices.dtype == np.float64
    assert CLOSED[name][0].faces.dtype == np.uint32


def test_ball_is_the_icosphere_resting_on_the_ground() -> None:
    made = mesh.ball(2.0, 3)
    solid = trimesh.Trimesh(made.vertices, made.faces, process=False)
    assert solid.is_watertight
    assert solid.volume == pytest.approx(4 / 3 * math.pi * 8, rel=0.02)
    assert solid.bounds == pytest.approx(np.array([[-2, 0, -2], [2, 4, 2]]), abs=0.02)
    assert made.faces.tobytes() == icosphere(3).faces.tobytes()


def test_plane_is_one_open_rectangle_that_faces_up() -> None:
    made = mesh.plane(2, 3)
    assert made.face_normals().tolist() == [[0.0, 1.0, 0.0]] * 2
    solid = trimesh.Trimesh(made.vertices, made.faces, process=False)
    assert solid.area == 6.0
    assert not solid.is_watertight


def test_gable_has_its_ridge_along_x_and_wedge_its_edge_at_the_back() -> None:
    ridge = mesh.gable(1, 2, 3).vertices
    assert ridge[ridge[:, 1] == 2.0].tolist() == [[-0.5, 2.0, 0.0], [0.5, 2.0, 0.0]]
    edge = mesh.wedge(1, 2, 3).vertices
    assert edge[edge[:, 1] == 2.0].tolist() == [[-0.5, 2.0, -1.5], [0.5, 2.0, -1.5]]


@given(st.integers(3, 24), st.integers(1, 6), st.floats(0.01, 5), st.floats(0.01, 5))
def test_round_primitives_are_closed_for_every_count(
    sides: int, rings: int, a: float, b: float
) -> None:
    for made in (
        mesh.cylinder(a, b, 1.0, sides),
        mesh.cylinder(a, 0.0, b, sides),
        mesh.dome(a, sides, rings),
        mesh.ring(a + b, a, b, sides),
    ):
        edges = made.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64)
        there, back = (edges[:, i] * 10**6 + edges[:, 1 - i] for i in (0, 1))
        assert np.unique(there).tolist() == np.sort(back).tolist()
        corners = made.vertices[made.faces]
        across = np.cross(corners[:, 1], corners[:, 2])
        assert (corners[:, 0] * across).sum() > 0.0


def test_normals_point_away_from_the_middle_and_have_unit_length() -> None:
    made = mesh.octahedron(1.0)
    outward = made.vertices - np.array([0.0, 1.0, 0.0])
    assert made.normals() == pytest.approx(outward, abs=1e-15)
    assert abs(dot(made.face_normals(), made.face_normals()) - 1.0).max() < 1e-15


def test_vertex_normals_weigh_faces_by_area() -> None:
    # A large face in the ground and a small upright one share an edge.
    vertices = np.array([[0, 0, 0], [0, 0, 1], [3, 0, 0], [0, 1, 0]], float)
    faces = np.array([[0, 1, 2], [0, 3, 1]], np.uint32)
    normals = Mesh(vertices, faces).normals()
    expected = np.array([1.0, 3.0, 0.0]) / math.sqrt(10)
    assert normals[0] == pytest.approx(expected)
    assert normals[1] == pytest.approx(expected)
    assert normals[2].tolist() == [0.0, 1.0, 0.0]


def test_vertex_normals_add_in_face_order() -> None:
    """The same additions one by one give the same bits."""
    sphere = icosphere(2)
    vertices = sphere.vertices * (1.0 + 0.1 * sphere.vertices[:, :1])
    totals = [[0.0, 0.0, 0.0] for _ in vertices]
    for face in sphere.faces.tolist():
        a, b, c = (vertices[i].tolist() for i in face)
        e, f = ([p - q for p, q in zip(end, a, strict=True)] for end in (b, c))
        normal = [e[i - 2] * f[i - 1] - e[i - 1] * f[i - 2] for i in range(3)]
        for corner in face:
            totals[corner] = [x + y for x, y in zip(totals[corner], normal, strict=True)]
    expected = normalize(np.array(totals)) + 0.0
    assert mesh.vertex_normals(vertices, sphere.faces).tobytes() == expected.tobytes()


def test_normals_of_nothing_are_zero() -> None:
    vertices = np.zeros((4, 3))
    faces = np.array([[0, 1, 2]], np.uint32)
    assert mesh.vertex_normals(vertices, faces).tolist() == [[0.0] * 3] * 4
    assert Mesh(vertices, faces).face_normals().tolist() == [[0.0] * 3]


def test_exploded_mesh_has_flat_faces() -> None:
    made = mesh.box(1, 2, 3)
    flat, normals = mesh.explode(made)
    assert flat.vertices.shape == normals.shape == (36, 3)
    assert flat.vertices.reshape(-1, 3, 3).tolist() == made.vertices[made.faces].tolist()
    assert normals.tolist() == np.repeat(made.face_normals(), 3, axis=0).tolist()
    assert flat.normals().tolist() == normals.tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mesh.box(0, 1, 1), r"box\.w: 0; expected above 0; make it a length"),
        (lambda: mesh.gable(1, -2, 1), r"gable\.h: -2; expected above 0"),
        (lambda: mesh.wedge(1, 1, math.nan), r"wedge\.d: nan; expected above 0"),
        (lambda: mesh.cylinder(1, -1, 1, 5), r"cylinder\.r_top: -1; expected 0 or more"),
        (lambda: mesh.cylinder(0, 1, 1, 5), r"cylinder\.r_bottom: 0; expected above 0"),
        (lambda: mesh.cylinder(1, 1, 1, 2), r"cylinder\.sides: 2; expected 3 or more; add sides"),
        (lambda: mesh.dome(1, 5, 0), r"dome\.rings: 0; expected 1 or more; add rings"),
        (lambda: mesh.ring(1, 1, 1, 5), r"ring\.r_outer: 1; expected more than r_inner 1"),
        (lambda: mesh.ball(-1, 1), r"ball\.r: -1; expected above 0"),
        (lambda: mesh.plane(1, 0), r"plane\.d: 0; expected above 0"),
        (lambda: mesh.octahedron(0), r"octahedron\.r: 0; expected above 0"),
    ],
)
def test_primitive_rejects_sizes_that_make_no_body(make: Callable[[], Mesh], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
