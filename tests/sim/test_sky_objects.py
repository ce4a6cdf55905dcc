"""Stars, aurora and particles: constant tables with the spread that they promise."""

from __future__ import annotations

import hashlib

import numpy as np

from godseed.sim.sky_objects import CURTAIN_PIECES, CURTAINS, PARTICLES, STARS, sky_buffers
from godseed.spec import load


def test_tables_have_the_widths_of_their_formats_and_are_read_only() -> None:
    formats = load("materials.json")["formats"]
    tables = sky_buffers()
    assert tables is sky_buffers()
    for name, table in tables.items():
        assert table.shape[1] == formats[name]["width"]
        assert table.dtype == np.float32
        assert not table.flags.writeable
        assert np.isfinite(table).all()
    assert len(tables["star"]) == STARS
    assert len(tables["aurora"]) == CURTAIN_PIECES * len(CURTAINS)
    assert len(tables["particle"]) == PARTICLES


def test_stars_are_on_the_sphere_few_bright_and_many_faint() -> None:
    stars = sky_buffers()["star"].astype(np.float64)
    length = (stars[:, 0:3] ** 2).sum(axis=1)
    assert np.allclose(length, 1.0, atol=1e-6)
    brightness = stars[:, 4:7].max(axis=1)
    assert (brightness > 0.8).mean() < 0.06
    assert (brightness < 0.35).mean() > 0.6
    # Either half of the sky has its share.
    for axis in range(3):
        assert 0.35 < (stars[:, axis] > 0.0).mean() < 0.65


def test_ranks_are_even_so_that_density_is_a_share_of_the_stars() -> None:
    for table, column in (("star", 7), ("particle", 3)):
        rank = sky_buffers()[table][:, column].astype(np.float64)
        assert np.all(np.diff(rank) > 0.0)
        for density in (0.25, 0.5, 0.9):
            assert abs((rank < density).mean() - density) < 0.001


def test_curtain_pieces_meet() -> None:
    table = sky_buffers()["aurora"].reshape(len(CURTAINS), CURTAIN_PIECES, 8)
    assert np.array_equal(table[:, :-1, 1], table[:, 1:, 0])
    assert np.all(table[:, 0, 0] == 0.0)
    assert np.all(table[:, -1, 1] == 1.0)


def test_particles_are_even_in_every_direction() -> None:
    table = sky_buffers()["particle"].astype(np.float64)
    for k in range(3):
        counts = np.histogram(table[:, k], 8, (0.0, 1.0))[0] / len(table)
        assert np.all(np.abs(counts - 0.125) < 0.03)


def test_tables_are_pinned() -> None:
    found = hashlib.sha256()
    for name in sorted(sky_buffers()):
        found.update(sky_buffers()[name].astype("<f4").tobytes())
    assert found.hexdigest()[:16] == "3ad73f6f6232ff9a"
