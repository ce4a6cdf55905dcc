"""Where the mock puts things: seeded draws, and places round the town by distance and bearing.

The town grows from its middle: landmarks on a sunflower spiral, which keeps them apart however
many there are; round them quarters, opposite each other so that the centre stays where it is; then
single things; then nature, each in sectors of its own. What already stands, as the summary counts
it, says which spot is next.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from godseed.sim.arguments import Waypoint
from godseed.sim.maths import DEG, F64, atan2, cos, round_half_up, sin
from godseed.sim.rng import crc32, mix, uniform
from godseed.sim.sphere import angle_deg, direction, dot, east_north, lat_lon, offset

GOLDEN_DEG = 137.50776405003785
FALLBACK_TOWN = (14.0, 38.0)
SPIRAL_DEG = 1.1
"""Landmark n stands at this times the square root of n + 2 from the centre."""
DISTANCES_DEG = {
    "town": (0.0, 0.0),
    "block": (6.7, 7.2),
    "edge": (9.8, 11.2),
    "around": (11.2, 12.4),
    "far": (24.0, 29.0),
}
"""Distance from the centre by name of a place: of `town`, beyond the spiral; of `around`, to the
nearer rim."""
SECTORS_DEG = {
    "edge": (180, 0, 300, 120, 60, 240),
    "around": (210, 330, 90, 150, 30, 270),
    "far": (270, 90, 30, 210, 330, 250),
}
"""Bearings in turn; nature lies between the single buildings, not on them."""
SIDES = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
_SIDE = re.compile(r"\b(north|south)?[ -]?(east|west)?(?:ern|ward|wards)?\b")
_CENTRE = re.compile(r"\((-?\d+(?:\.\d+)?), ?(-?\d+(?:\.\d+)?)\)")
_TOWN = re.compile(r"\btown of (\w[\w'-]*)")
_COUNT = re.compile(r"\b(\d+|an?|one) (\w+)")
_BUILDING = re.compile(
    r"house|tower|caf|bank|market|warehouse|village|shrine|arch|beacon|lighthouse|monolith"
)
_EPOCH = re.compile(r"\bepoch (\d+)", re.IGNORECASE)


class Dice:
    """Seeded draws, one independent stream per purpose, so that a new draw moves no other."""

    def __init__(self, wish: str, seed: int) -> None:
        """Args: wish, seed: together they fix every draw."""
        self._seed = mix(crc32(wish), seed & 0x7FFFFFFF)

    def draw(self, purpose: str) -> float:
        """A number in [0, 1)."""
        return float(uniform(mix(self._seed, crc32(purpose)), 0))

    def between(self, low: float, high: float, purpose: str) -> float:
        """A number in [low, high)."""
        return low + (high - low) * self.draw(purpose)

    def choose(self, options: Sequence[str], purpose: str) -> str:
        """One of the options."""
        return options[int(self.draw(purpose) * len(options))]


@dataclass(frozen=True, slots=True)
class Town:
    """What the mock reads out of the summary.

    Attributes:
        name: of the town, or `the town`.
        center: unit vector (3,).
        built: buildings counted in the summary.
        districts: districts counted in the summary.
        epoch: wishes granted so far.
    """

    name: str
    center: F64
    built: int
    districts: int
    epoch: int


def read_town(summary: str) -> Town:
    """Find name, centre and size of the town in the text of a summary, whatever its wording."""
    name = _TOWN.search(summary)
    center = _CENTRE.search(summary)
    lat, lon = (float(center[1]), float(center[2])) if center else FALLBACK_TOWN
    epoch = _EPOCH.search(summary)
    counts = [(int(n) if n.isdigit() else 1, noun) for n, noun in _COUNT.findall(summary)]
    built = sum(count for count, noun in counts if _BUILDING.match(noun))
    districts = sum(count for count, noun in counts if noun.startswith("district"))
    return Town(
        name=name[1] if name else "the town",
        center=direction(lat, lon),
        built=built,
        districts=districts,
        epoch=int(epoch[1]) if epoch else built + districts,
    )


def asked_bearing(wish: str) -> float | None:
    """The compass bearing that a wish names, degrees, or None."""
    for found in _SIDE.finditer(wish.casefold()):
        if found[1] or found[2]:
            side = "-".join(part for part in (found[1], found[2]) if part)
            return 45.0 * SIDES.index(side)
    return None


def ring_bearing(name: str, count: int) -> float:
    """Bearing of the next thing on a ring that holds `count` things, degrees."""
    if name == "town":
        return 25.0 + GOLDEN_DEG * count
    if name == "block":
        return 60.0 + 180.0 * (count % 2) + 67.5 * (count // 2)
    sectors = SECTORS_DEG[name]
    return sectors[count % len(sectors)] + 20.0 * (count // len(sectors))


def ring_distance(name: str, count: int, draw: float) -> float:
    """Distance of the next thing on a ring that holds `count` things; `draw` is in [0, 1)."""
    low, high = DISTANCES_DEG[name]
    spiral = SPIRAL_DEG * math.sqrt(count + 2.0) if name == "town" else 0.0
    return spiral + low + (high - low) * draw


def away(start: F64, bearing_deg: float, distance_deg: float) -> F64:
    """The point at a great-circle distance from `start` in a compass bearing; unit vector (3,)."""
    length = distance_deg * DEG
    angle = bearing_deg * DEG
    return offset(start, length * float(sin(angle)), length * float(cos(angle)))


def bearing(start: F64, end: F64) -> float:
    """Compass bearing from one point to another, degrees 0..360; 0 when they coincide."""
    east, north = east_north(start)
    return float(atan2(dot(end, east), dot(end, north))) / DEG % 360.0


def side(start: F64, end: F64) -> str:
    """The bearing in words: `north-east`."""
    return SIDES[int((bearing(start, end) + 22.5) / 45.0) % 8]


def distance(start: F64, end: F64) -> float:
    """Great-circle distance, degrees."""
    return float(angle_deg(start, end))


def waypoint(point: F64) -> Waypoint:
    """Latitude and longitude to a hundredth of a degree, as a model would write them."""
    lat, lon = lat_lon(point)
    return _hundredths(float(lat)), _hundredths(float(lon))


def _hundredths(value: float) -> float:
    return float(round_half_up(value * 100.0)) / 100.0 + 0.0
