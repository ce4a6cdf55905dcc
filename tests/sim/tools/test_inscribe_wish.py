"""Inscriptions: letters that never touch, stones that stand free and face whoever looks."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from godseed.sim.columns import Built, Columns, Paths
from godseed.sim.kits import kit
from godseed.sim.maths import F64
from godseed.sim.plots import plot_paths, touches
from godseed.sim.sphere import angle_deg, cross, direction, dot, east_north
from godseed.sim.tools.inscribe_wish import (
    FACE_HEIGHT,
    FACE_WIDTH,
    GLYPH_WIDTH,
    RING_LEVELS,
    RING_RADIUS,
    RING_STEP,
    STONE_SIZE,
    build,
)
from godseed.spec import constants

Row = tuple[str, str]
STYLES = ("orbit", "stone")
WORDS: list[Row] = [
    ("speak, and it will be made", "orbit"),
    ("a town that keeps its lamps lit for whoever comes late", "stone"),
    ("θάλασσα", "orbit"),
    ("O", "stone"),
    ("x" * 90, "orbit"),
    ("да будет свет, и тёплый хлеб, и тихая вода у каждого порога", "stone"),
]
TOWN = direction(14.0, 38.0)


def columns(rows: list[Row], first: int = 0) -> Columns:
    index = np.arange(first, first + len(rows), dtype=np.int64)
    return Columns(
        index,
        (index * 2654435761 % 2**31).astype(np.uint32),
        enums={"style": np.array([STYLES.index(s) for _, s in rows], dtype=np.int64)},
        texts={"text": tuple(text for text, _ in rows)},
        town=np.broadcast_to(TOWN, (len(rows), 3)).copy(),
        ordinal=index,
    )


def inscribe(rows: list[Row], first: int = 0, paths: Paths | None = None) -> Built:
    return build(columns(rows, first), paths or Paths.empty())


def ring_angles(rows: F64) -> tuple[F64, F64]:
    """Turn of each letter about its axis from the first, and half the angle that it takes."""
    axis, offset = rows[0, 20:23], rows[:, 4:7]
    flat = offset - axis * dot(offset, np.broadcast_to(axis, offset.shape))[:, None]
    radius = np.sqrt(dot(flat, flat))
    side = cross(np.broadcast_to(axis, flat.shape), np.broadcast_to(flat[0], flat.shape))
    turn = np.arctan2(dot(flat, side) / radius[0], dot(flat, np.broadcast_to(flat[0], flat.shape)))
    half = np.sqrt(dot(rows[:, 8:11], rows[:, 8:11])) / radius
    return np.mod(turn, 2.0 * np.pi), half


def test_batch_is_the_same_bytes_as_one_by_one() -> None:
    together = inscribe(WORDS).parts
    alone = [inscribe([row], i).parts for i, row in enumerate(WORDS)]
    for name, part in together.items():
        rows = np.concatenate([parts[name].rows for parts in alone if name in parts])
        assert part.rows.tobytes() == rows.tobytes(), name
        assert np.array_equal(part.feature, np.sort(part.feature))


@settings(max_examples=25, deadline=None)
@given(
    text=st.text(st.sampled_from("abcdefghij klmnop,.!?WMil'"), min_size=1, max_size=90),
    seed=st.integers(0, 1000),
)
def test_ring_letters_never_overlap(text: str, seed: int) -> None:
    parts = inscribe([(text, "orbit")], seed).parts
    if not text.strip():
        assert "glyph_ring" not in parts
        return
    rows = parts["glyph_ring"].rows
    turn, half = ring_angles(rows)
    order = np.argsort(turn)
    gap = np.diff(np.append(turn[order], turn[order][0] + 2.0 * np.pi))
    # Quads carry a margin of 0.15 em on each side for the glow; ink does not meet ink.
    widths = half[order] + np.append(half[order][1:], half[order][0])
    assert np.all(gap > 0.0)
    assert np.all(gap > 0.25 * widths)


def test_rings_that_follow_each_other_cross_instead_of_covering() -> None:
    rows = [inscribe([WORDS[0]], i).parts["glyph_ring"].rows for i in range(5)]
    for one, two in pairwise(rows):
        assert angle_deg(one[0, 20:23], two[0, 20:23]) > 9.0


def test_ring_letters_stand_on_one_circle_and_face_outward() -> None:
    for seed in range(20):
        rows = inscribe([WORDS[0]], seed).parts["glyph_ring"].rows
        assert rows.shape[1] == GLYPH_WIDTH
        axis = np.broadcast_to(rows[0, 20:23], (len(rows), 3))
        height = dot(rows[:, 4:7], axis)
        flat = rows[:, 4:7] - axis * height[:, None]
        radius = np.sqrt(dot(flat, flat))
        assert np.allclose(radius, radius[0])
        levels = RING_RADIUS + RING_STEP * np.arange(RING_LEVELS)
        assert np.min(np.abs(levels - radius[0])) < 1e-9
        assert np.all(np.abs(height) < 0.06)
        outward = cross(rows[:, 8:11], rows[:, 12:15])
        assert np.all(dot(outward, flat) > 0.0)
        # The ring leans away from the town: its near side passes to the north of it.
        assert dot(axis[0], TOWN) < -0.2


def test_letters_appear_one_after_another() -> None:
    for name, row in (("glyph_ring", WORDS[0]), ("glyph_plaque", WORDS[1])):
        delay = inscribe([row]).parts[name].rows[:, 7]
        assert np.all(np.diff(delay) > 0.0)
        assert delay[-1] - delay[0] <= 2.4


def test_stone_stands_near_the_town_and_faces_its_camera() -> None:
    azimuth = np.radians(constants()["camera"]["town"]["azimuth_deg"])
    for seed in range(40):
        row = inscribe([WORDS[1]], seed).parts["kit:plaque"].rows[0]
        assert 3.5 - 1e-9 <= angle_deg(row[0:3], TOWN) <= 6.0 + 1e-9
        east, north = east_north(row[0:3])
        camera = north * np.cos(azimuth) + east * np.sin(azimuth)
        assert dot(row[4:7], camera) > np.cos(np.radians(9.5))


def test_stone_moves_to_where_nothing_stands() -> None:
    taken = inscribe([WORDS[1]], 3).parts["kit:plaque"].rows[0, 0:3]
    one = np.zeros(1, np.int64)
    house = plot_paths(taken[None, :], np.array([0.015]), one, one)
    moved = inscribe([WORDS[1]], 3, house).parts["kit:plaque"].rows[:, 0:3]
    assert not touches(moved, np.array([STONE_SIZE]), house.points, house.half_width)[0]
    later = plot_paths(taken[None, :], np.array([0.015]), one + 9, one)
    same = inscribe([WORDS[1]], 3, later).parts["kit:plaque"].rows[0, 0:3]
    assert same.tobytes() == taken.tobytes()


@pytest.mark.parametrize("text", [text for text, style in WORDS if style == "stone"])
def test_words_fit_the_face_of_the_stone(text: str) -> None:
    rows = inscribe([(text, "stone")]).parts["glyph_plaque"].rows
    at = rows[:, 0:3]
    front = inscribe([(text, "stone")]).parts["kit:plaque"].rows[0, 4:7]
    right = cross(at, np.broadcast_to(front, at.shape))
    x = np.abs(dot(rows[:, 4:7], right))
    assert np.all(x < 0.5 * FACE_WIDTH)
    height = dot(rows[:, 4:7], at)
    assert np.all(height > 0.0)
    assert np.all(height < kit("plaque").height)
    assert height.max() - height.min() < FACE_HEIGHT
    # Before the slab, never in it.
    assert np.all(dot(rows[:, 4:7], np.broadcast_to(front, at.shape)) > 0.00297)


def test_geometry_is_pinned() -> None:
    built = inscribe(WORDS)
    found = hashlib.sha256()
    for name in sorted(built.parts):
        found.update(built.parts[name].rows.astype("<f4").tobytes())
    assert found.hexdigest()[:16] == "1697688d6963e9d9"
