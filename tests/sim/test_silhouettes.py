"""Kinds of plants are told apart by their outlines alone, at 96 px and from any side."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageDraw

from godseed.sim.kits import kit_mesh
from godseed.sim.tools.spawn_flora import SPECIES

PX = 96
TURNS = (0.0, 0.8, 1.6)
ALIKE = 0.8


@cache
def silhouette(stem: str, turn: float) -> npt.NDArray[np.bool_]:
    """Outline (96, 96) of a kit seen level, as large as fits, standing on the lower edge."""
    rows, faces = kit_mesh(stem, glow=False)
    points = np.asarray(rows, dtype=np.float64)[:, 0:3]
    x = points[:, 0] * np.cos(turn) + points[:, 2] * np.sin(turn)
    y = np.maximum(points[:, 1], 0.0)
    scale = (PX - 4) / max(np.ptp(x), y.max())
    at = np.stack([(x - (x.min() + x.max()) / 2) * scale + PX / 2, PX - 2 - y * scale], axis=1)
    picture = Image.new("1", (PX, PX))
    draw = ImageDraw.Draw(picture)
    for face in faces:
        draw.polygon([tuple(at[i]) for i in face], fill=1)
    return np.array(picture)


@pytest.mark.parametrize(("one", "other"), list(combinations(SPECIES, 2)))
def test_kinds_of_plants_differ_in_outline(one: str, other: str) -> None:
    for a, b in product(SPECIES[one].kits, SPECIES[other].kits):
        for turn_a, turn_b in product(TURNS, TURNS):
            first, second = silhouette(a, turn_a), silhouette(b, turn_b)
            alike = np.sum(first & second) / np.sum(first | second)
            assert alike < ALIKE, f"{a} at {turn_a} and {b} at {turn_b}"


@pytest.mark.parametrize("stem", [stem for species in SPECIES.values() for stem in species.kits])
def test_plants_fill_enough_of_their_box_to_be_seen_at_40_px(stem: str) -> None:
    outline = silhouette(stem, 0.0)
    small = np.array(Image.fromarray(outline).convert("L").resize((40, 40), Image.Resampling.BOX))
    assert np.sum(small > 96) >= 40, f"{stem} is thinner than a line"
