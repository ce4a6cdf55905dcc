"""The ground: one analytic height for every direction, summed over features in feature order.

    height(dir) = base(dir) + sum over rows of amplitude * falloff(q) * (1 + roughness * noise(dir))

with q = (1 - cos angle) / (1 - cos radius), which is 0 at the centre and 1 at the edge. The falloff
is a gaussian windowed to exactly 0 at the edge, so places outside a feature are untouched to the
bit. The noise is four fixed fields over the sphere (`basis`), evaluated once per place; a feature
mixes them with weights from its seed, so adding a feature costs a few operations per place it
reaches.

Terrain row (12 columns): centre xyz, cos radius, amplitude, roughness, weights of the four fields,
    feature index, 0.

Twin: web/sim/terrain.js
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from godseed.sim.columns import Columns, Part
from godseed.sim.maths import DEG, F64, I64, cos, exp
from godseed.sim.noise import fbm4
from godseed.sim.rng import mix, uniform
from godseed.sim.sphere import direction
from godseed.spec import constants

TERRAIN_WIDTH = 12
RELIEF_PURPOSE = 0x7E44
REGION, BLOCK = 4096, 128
"""Places that rows are picked for, and places that are summed together; they change no sum."""


def relief_part(columns: Columns, amplitude: F64) -> Part:
    """Terrain rows of a batch of raise or lower features.

    Args:
        columns: n features with `lat lon radius_deg roughness`.
        amplitude: (n,) planet radii, positive up.
    Returns:
        rows (n, 12).
    """
    n = len(columns.index)
    seed = mix(columns.seed, RELIEF_PURPOSE)
    rows = np.zeros((n, TERRAIN_WIDTH))
    rows[:, 0:3] = direction(columns.numbers["lat"], columns.numbers["lon"])
    rows[:, 3] = cos(columns.numbers["radius_deg"] * DEG)
    rows[:, 4] = amplitude
    rows[:, 5] = columns.numbers["roughness"]
    # Two smooth fields set the lie of the land, two ridged ones its crests: every feature gets its
    # own mixture.
    for k, (low, high) in enumerate(((-0.55, 0.55), (-0.55, 0.55), (0.25, 0.95), (0.15, 0.75))):
        rows[:, 6 + k] = low + (high - low) * uniform(seed, k)
    rows[:, 10] = columns.index
    return Part(rows, columns.index)


def basis(dirs: F64) -> F64:
    """The four noise fields that all terrain is made of.

    Args:
        dirs: (n, 3) unit vectors.
    Returns:
        (n, 4) float64 in [-1, 1]: two plain, two ridged.
    """
    relief = constants()["relief"]
    return fbm4(dirs * relief["frequency"], int(relief["octaves"]), int(relief["seed"]))


def base_height(fields: F64) -> F64:
    """Height of the barren planet, before any feature.

    Args:
        fields: (n, 4) from `basis`.
    Returns:
        (n,) float64, planet radii, a few thousandths either way.
    """
    amplitude = constants()["relief"]["base_amplitude"]
    plain = fields[:, 0] * 0.7 + fields[:, 1] * 0.3
    ridge = fields[:, 2] * 0.6 + 0.2
    mask = np.minimum(np.maximum(fields[:, 1] * 1.5 + 0.5, 0.0), 1.0)
    height: F64 = amplitude * (plain + mask * ridge)
    return height


def falloff(q: F64) -> F64:
    """Windowed gaussian: 1 at q = 0, exactly 0 at q = 1, smooth in between.

    Args:
        q: (n,) in [0, 1].
    """
    window = 1.0 - q * q
    window *= window
    window *= exp(-2.5 * q)
    return window


def relief_sums(dirs: F64, fields: F64, terrain: F64) -> F64:
    """Sum what terrain rows add to the ground at many places.

    Args:
        dirs: (n, 3) unit vectors.
        fields: (n, 4) from `basis(dirs)`.
        terrain: (m, 12) rows in feature order.
    Returns:
        (n,) float64, planet radii; every place adds its rows in feature order, starting from 0.
    """
    total = np.zeros(len(dirs))
    if len(terrain) == 0 or len(dirs) == 0:
        return total
    # Neighbours go together, so that few rows reach a block; blocks do not mix sums.
    order = np.argsort(_morton(dirs), kind="stable") if len(dirs) > BLOCK else np.arange(len(dirs))
    for start in range(0, len(order), REGION):
        region = order[start : start + REGION]
        rows = _near(dirs[region], terrain)
        for first in range(0, len(region), BLOCK):
            block = region[first : first + BLOCK]
            total[block] = _block_sums(dirs[block], fields[block], _near(dirs[block], rows))
    return total


def relief_add(total: F64, dirs: F64, fields: F64, row: F64) -> None:
    """Add one terrain row to running sums, in place.

    Args:
        total: (n,) sums so far, changed where the row reaches.
        dirs: (n, 3) unit vectors.
        fields: (n, 4) from `basis(dirs)`.
        row: (12,) the next row in feature order.
    """
    along = _cosines(row, dirs)
    place = np.nonzero(along > row[3])[0]
    if len(place):
        there = fields[place]
        total[place] += _relief(along[place], lambda k: there[:, k], lambda k: row[k])


def ground(dirs: F64, terrain: F64) -> F64:
    """Height of the ground above radius 1 in given directions.

    Args:
        dirs: (n, 3) unit vectors.
        terrain: (m, 12) rows in feature order.
    Returns:
        (n,) float64, planet radii.
    """
    fields = basis(dirs)
    return base_height(fields) + relief_sums(dirs, fields, terrain)


def reaches(terrain: F64, dirs: F64) -> I64:
    """Which places a terrain row touches: indices into dirs (n, 3) with angle below the radius of
    row (12,)."""
    return np.nonzero(_cosines(terrain, dirs) > terrain[3])[0]


def _cosines(row: F64, dirs: F64) -> F64:
    """Cosine (n,) of the angle from a row's centre to each place."""
    along: F64 = dirs[:, 0] * row[0]
    along += dirs[:, 1] * row[1]
    along += dirs[:, 2] * row[2]
    return along


def _morton(dirs: F64) -> I64:
    """Number along a space-filling curve through 512 cells per axis: their bits interleaved."""
    code = np.zeros(len(dirs), np.int64)
    for axis in range(3):
        cell = np.minimum(np.floor((dirs[:, axis] + 1.0) * 256.0), 511.0).astype(np.int64)
        for shift, mask in ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249)):
            cell = (cell | (cell << shift)) & mask
        code |= cell << axis
    return code


def _near(dirs: F64, terrain: F64) -> F64:
    """The terrain rows that may reach any of some places; others would add nothing."""
    x, y, z = (dirs[:, k] - dirs[0, k] for k in range(3))
    spread = np.sqrt(np.max(x * x + y * y + z * z))
    reach = np.sqrt(np.maximum(2.0 - 2.0 * terrain[:, 3], 0.0)) + spread + 1e-9
    x, y, z = (terrain[:, k] - dirs[0, k] for k in range(3))
    kept: F64 = terrain[x * x + y * y + z * z < reach * reach]
    return kept


def _block_sums(dirs: F64, fields: F64, terrain: F64) -> F64:
    """Sums over rows for some places, all pairs at once."""
    if len(terrain) == 0:
        return np.zeros(len(dirs))
    along = terrain[:, 0, None] * dirs[None, :, 0]
    along += terrain[:, 1, None] * dirs[None, :, 1]
    along += terrain[:, 2, None] * dirs[None, :, 2]
    inside = along > terrain[:, 3, None]
    counts = np.count_nonzero(inside, axis=1)
    pair = np.nonzero(inside.reshape(-1))[0]
    place = pair - np.repeat(np.arange(len(terrain)) * len(dirs), counts)
    columns = np.ascontiguousarray(fields.T)
    relief = _relief(
        along.reshape(-1)[pair],
        lambda k: columns[k][place],
        lambda k: np.repeat(terrain[:, k], counts),
    )
    # bincount adds in input order: row after row, so features in order at every place.
    sums: F64 = np.bincount(place, weights=relief, minlength=len(dirs)).astype(np.float64)
    return sums


def _relief(along: F64, field: Callable[[int], F64], row: Callable[[int], F64]) -> F64:
    """One row's height at one place, elementwise; columns are asked for when they are needed.

    Args:
        along: (k,) cosines of the angle to the centre.
        field: number of a noise field -> (k,).
        row: number of a column of the terrain table -> (k,) or a number.
    """
    q = 1.0 - along
    q /= 1.0 - row(3)
    np.maximum(q, 0.0, out=q)
    height = falloff(np.minimum(q, 1.0, out=q))
    height *= row(4)
    factor = field(0) * row(6)
    for k in range(1, 4):
        factor += field(k) * row(6 + k)
    factor *= row(5)
    factor += 1.0
    height *= np.maximum(factor, 0.0)
    return height
