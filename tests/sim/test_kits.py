"""Kits: complete, closed, to scale, and the same bytes everywhere."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
import trimesh

from godseed.sim import kits
from godseed.sim.kits import instance_rows, kit, kit_mesh, kit_names, light_rows, pieces, seed24_of
from godseed.spec import load

OPEN = {"pane", "plane", "spill", "beam"}
STRUCTURES = tuple(load("kits/structures.json")["kits"])
KINDS = next(
    arg["values"]
    for row in load("tools.json")["tools"]
    if row["name"] == "place_structure"
    for arg in row["args"]
    if arg["name"] == "kind"
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_structure_kind_has_a_kit(kind: str) -> None:
    names = [f"house_{letter}" for letter in "abcd"] if kind == "house" else [kind]
    assert set(names) <= set(kit_names())


def test_kits_keep_the_order_of_their_files() -> None:
    nature = tuple(load("kits/nature.json")["kits"])
    assert kit_names() == STRUCTURES + nature


@pytest.mark.parametrize("name", kit_names())
@pytest.mark.parametrize("glow", [False, True])
def test_mesh_rows_are_sound(name: str, glow: bool) -> None:
    rows, faces = kit_mesh(name, glow)
    assert rows.shape == (len(rows), 16)
    assert faces.dtype == np.uint32
    assert np.all(np.isfinite(rows))
    assert not np.any(np.signbit(rows[rows == 0.0]))
    if len(faces):
        assert faces.max() < len(rows)
        lengths = np.sqrt((rows[:, 4:7] ** 2).sum(axis=1))
        assert lengths == pytest.approx(1.0, abs=1e-9)
        assert np.all((rows[:, 7] >= 0.0) & (rows[:, 7] <= 1.0))
        assert np.all((rows[:, 8:11] >= 0.0) & (rows[:, 8:11] <= 1.0))
        assert np.all((rows[:, 11] >= 0.0) & (rows[:, 11] <= 1.0))
        assert np.all((rows[:, 13] >= 0.0) & (rows[:, 13] <= 1.0))
        assert set(np.unique(rows[:, 14])) <= set(range(len(kits.MODES)))


@pytest.mark.parametrize("name", STRUCTURES)
def test_solid_pieces_are_closed_and_face_outwards(name: str) -> None:
    for piece in pieces(name):
        if piece.row["shape"] not in OPEN:
            solid = trimesh.Trimesh(piece.mesh.vertices, piece.mesh.faces, process=True)
            assert solid.is_watertight, piece.row
            assert solid.volume > 0.0, piece.row


@pytest.mark.parametrize("name", STRUCTURES)
def test_height_is_that_of_the_mesh(name: str) -> None:
    rows, _ = kit_mesh(name)
    assert rows[:, 1].max() == pytest.approx(kit(name).height, rel=0.12, abs=8e-4)


@pytest.mark.parametrize("name", [name for name in STRUCTURES if name != "needle"])
def test_footprint_suits_what_stands_on_it(name: str) -> None:
    info = kit(name)
    half_diagonal = np.sqrt(info.half_width**2 + info.half_depth**2)
    assert 0.55 * half_diagonal < info.footprint < 1.6 * half_diagonal


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("house_a", 0.011, 0.016),
        ("house_c", 0.015, 0.020),
        ("tower", 0.055, 0.070),
        ("lighthouse", 0.055, 0.065),
        ("beacon", 0.036, 0.044),
        ("arch", 0.032, 0.040),
        ("monolith", 0.084, 0.086),
    ],
)
def test_kinds_keep_their_scale(name: str, low: float, high: float) -> None:
    assert low <= kit(name).height <= high


@pytest.mark.parametrize("name", [n for n in STRUCTURES if n not in ("needle", "stall", "bench")])
def test_buildings_reach_into_the_ground(name: str) -> None:
    if name != "well":
        assert kit_mesh(name)[0][:, 1].min() <= -0.004


def test_windows_are_panes_with_corners_in_order() -> None:
    rows, _ = kit_mesh("house_a")
    windows = rows[rows[:, 14] == kits.MODES.index("window")]
    assert len(windows) == 4 * 8
    assert windows[:4, 15].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert len(np.unique(windows[:, 12])) == 8, "each window is lit or dark by itself"


def test_beams_turn_and_fade_outwards() -> None:
    rows, faces = kit_mesh("lighthouse", glow=True)
    beam = rows[rows[:, 14] == kits.MODES.index("rotate")]
    assert len(faces)
    far = np.sqrt(beam[:, 0] ** 2 + beam[:, 2] ** 2) > 0.1
    assert np.all(beam[far, 15] == 0.0)
    assert np.all(beam[~far, 15] == 1.0)


def test_repeats_nest_with_the_first_changing_fastest() -> None:
    row = [{"count": 2, "step": [1, 0, 0]}, {"count": 3, "step": [0, 1, 0]}]
    numbers = [tuple(k for _, k in copy) for copy in kits._copies(row)]
    assert numbers == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]


def test_turns_are_right_handed_and_in_order_x_y_z() -> None:
    turned = kits._turned(np.array([[0.0, 0.0, 1.0]]), (0, 90, 0))
    assert turned[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)
    turned = kits._turned(np.array([[0.0, 0.0, 1.0]]), (-90, 0, 90))
    assert turned[0] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-15)


def test_meshes_are_read_only() -> None:
    rows, faces = kit_mesh("lamp")
    assert not rows.flags.writeable
    assert not faces.flags.writeable


def test_unknown_kit_is_named_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="kits: 'barn'; expected one of lighthouse, monolith"):
        kit_mesh("barn")


def test_instance_rows_follow_the_format() -> None:
    one = np.array([[0.0, 1.0, 0.0]])
    front = np.array([[0.0, 0.0, 1.0]])
    row = instance_rows(one, front, 2.0, np.array([9]), stretch=1.5, seed24=3.0, phase=0.5)[0]
    assert row.tolist() == [0, 1, 0, 2, 0, 0, 1, 1.5, 1, 1, 1, 3, 0, 0, 0.5, 9]
    lamp = light_rows(one, 0.1, (1.0, 0.5, 0.2), 0.7, np.array([9]))[0]
    assert lamp.tolist() == [0, 1, 0, 0.1, 1, 0.5, 0.2, 0.7, 0, 9, 0, 0]


def test_seeds_fit_a_float32() -> None:
    assert seed24_of(np.array([0.0, 1.0 - 2.0**-32])).tolist() == [0.0, 16777215.0]


def test_meshes_are_pinned_to_the_bit() -> None:
    whole = hashlib.sha256()
    for name in ("tower", "arch", "lighthouse", "house_b"):
        for glow in (False, True):
            rows, faces = kit_mesh(name, glow)
            whole.update(rows.astype("<f4").tobytes() + faces.astype("<u4").tobytes())
    assert whole.hexdigest() == PINNED


PINNED = "acddac60e5fc4ce6e8c5b1c7a77ebe2b269cd58ef82aba78b612728b49c3389e"
