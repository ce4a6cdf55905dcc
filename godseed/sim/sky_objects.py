"""Stars, aurora and weather particles: tables that are the same in every world.

How many of them show, where the aurora hangs and what falls is decided by uniforms, so none of
this depends on features.

    star (8 columns): dir xyz, size (pixels at 720 rows) | rgb linear, rank 0..1 (drawn where the
        star density exceeds it; also the phase of its twinkling)
    aurora (8): start and end of a piece of curtain, 0..1 along it, radius of its ring (rad),
        height (R) | phase, waviness (rad), colour 0..1, strength
    particle (4): turn 0..1, share of the cap's area 0..1, place along the fall 0..1, rank 0..1

Twin: web/sim/sky_objects.js
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np

from godseed.sim.maths import F32, F64, TAU, cos, sin
from godseed.sim.rng import uniform
from godseed.sim.sphere import normalize

STARS, STAR_DRAWS, STAR_SEED = 2400, 6, 0x57A2
BAND_SHARE = 0.42
"""Share of the stars that gather along a band, like a galaxy seen from inside."""
BAND_POLE = (0.42, 0.62, 0.66)
BAND_WIDTH = 0.17
BRIGHTEST, FAINTEST = 2.0, 0.72
STAR_COLORS = ((0.62, 0.74, 1.0), (0.92, 0.94, 1.0), (1.0, 0.90, 0.72), (1.0, 0.70, 0.46))
"""From hot to cool; most lie in the middle."""
CURTAINS = ((0.36, 0.210, 0.0, 0.045, 0.0, 1.0), (0.45, 0.160, 1.9, 0.060, 0.55, 0.6))
"""Ring radius (rad), height (R), phase, waviness (rad), colour, strength of each aurora curtain."""
CURTAIN_PIECES = 192
PARTICLES, PARTICLE_SEED = 2600, 0x3A91


@cache
def sky_buffers() -> Mapping[str, F32]:
    """The tables by buffer name, read-only float32, the same object each time."""
    tables = {"star": stars(), "aurora": aurora(), "particle": particles()}
    rounded = {name: table.astype(np.float32) for name, table in tables.items()}
    for table in rounded.values():
        table.flags.writeable = False
    return MappingProxyType(rounded)


def stars() -> F64:
    """(STARS, 8): few bright ones and many faint, part of them along a band."""
    i = np.arange(STARS)

    def draw(k: int) -> F64:
        return uniform(STAR_SEED, i * STAR_DRAWS + k)

    y = 2.0 * draw(0) - 1.0
    turn = TAU * draw(1)
    level = np.sqrt(np.maximum(1.0 - y * y, 0.0))
    anywhere = np.stack([level * sin(turn), y, level * cos(turn)], axis=1)
    pole = normalize(np.array(BAND_POLE))
    off = anywhere[:, 0] * pole[0] + anywhere[:, 1] * pole[1] + anywhere[:, 2] * pole[2]
    # Pull towards the band by shrinking the height above it; more for some than for others.
    kept = BAND_WIDTH + (1.0 - BAND_WIDTH) * draw(2)
    banded = normalize(anywhere - pole * (off * (1.0 - kept * kept))[:, None])
    in_band = draw(3) < BAND_SHARE
    # Fourth and sixteenth powers: many faint ones, a few that are bright.
    bright = draw(4)
    bright = bright * bright
    bright = bright * bright
    brightest = bright * bright
    brightest = brightest * brightest
    rows = np.zeros((STARS, 8))
    rows[:, 0:3] = np.where(in_band[:, None], banded, anywhere)
    rows[:, 3] = FAINTEST + (BRIGHTEST - FAINTEST) * brightest
    brightness = 0.24 + 0.40 * bright + 0.62 * brightest
    rows[:, 4:7] = _star_color(draw(5)) * brightness[:, None]
    rows[:, 7] = (i + 0.5) / STARS
    return rows


def aurora() -> F64:
    """(pieces, 8) of the curtains, neighbours sharing their ends."""
    blocks = []
    for radius, height, phase, waviness, color, strength in CURTAINS:
        rows = np.zeros((CURTAIN_PIECES, 8))
        k = np.arange(CURTAIN_PIECES, dtype=np.float64)
        rows[:, 0] = k / CURTAIN_PIECES
        rows[:, 1] = (k + 1.0) / CURTAIN_PIECES
        rows[:, 2:8] = (radius, height, phase, waviness, color, strength)
        blocks.append(rows)
    return np.concatenate(blocks)


def particles() -> F64:
    """(PARTICLES, 4) of independent numbers in 0..1; the rank is the order of the rows."""
    i = np.arange(PARTICLES)
    rows = np.zeros((PARTICLES, 4))
    for k in range(3):
        rows[:, k] = uniform(PARTICLE_SEED, i * 3 + k)
    rows[:, 3] = (i + 0.5) / PARTICLES
    return rows


def _star_color(warmth: F64) -> F64:
    """Colours (n, 3) between the four of STAR_COLORS, for warmth (n,) in 0..1."""
    table = np.array(STAR_COLORS)
    at = warmth * (len(table) - 1)
    low = np.minimum(np.floor(at), len(table) - 2.0)
    share = (at - low)[:, None]
    k = low.astype(np.int64)
    mixed: F64 = table[k] * (1.0 - share) + table[k + 1] * share
    return mixed
