"""Where the mock puts things: seeded draws, and places round the town by distance and bearing.

Bearings advance by the golden angle with what already stands, so that one wish after another fills
the town evenly and nothing is built on the same spot twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from godseed.sim.arguments import Waypoint
from godseed.sim.maths import DEG, F64, atan2, cos, round_half_up, sin
from godseed.sim.rng import crc32, mix, uniform
from godseed.sim.sphere import angle_deg, direction, dot, east_north, lat_lon, offset

GOLDEN_DEG = 137.50776405003785
FALLBACK_TOWN = (14.0, 38.0)
DISTANCES_DEG = {
    "heart": (2.0, 2.9),
    "town": (3.2, 4.2),
    "block": (6.8, 7.8),
    "edge": (7.6, 9.0),
    "around": (13.0, 16.0),
    "far": (24.0, 29.0),
}
"""Distance from the centre of the town, by name of a place."""
STARTS_DEG = {"heart": 25, "town": 95, "block": 60, "edge": 128, "around": 200, "far": 300}
"""First bearing of each ring, so that the rings do not line up."""
SIDES = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
_SIDE = re.compile(r"\b(north|south)?[ -]?(east|west)?(?:ern|ward|wards)?\b")
_CENTRE = re.compile(r"\((-?\d+(?:\.\d+)?), ?(-?\d+(?:\.\d+)?)\)")
_TOWN = re.compile(r"\btown of (\w[\w'-]*)")
_COUNT = re.compile(r"\b(\d+|an?|one) (\w+)")
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
        built: buildings and districts counted in the summary.
        epoch: wishes granted so far.
    """

    name: str
    center: F64
    built: int
    epoch: int


def read_town(summary: str) -> Town:
    """Find name, centre and size of the town in the text of a summary, whatever its wording."""
    name = _TOWN.search(summary)
    center = _CENTRE.search(summary)
    lat, lon = (float(center[1]), float(center[2])) if center else FALLBACK_TOWN
    epoch = _EPOCH.search(summary)
    counts = [int(n) if n.isdigit() else 1 for n, _ in _COUNT.findall(summary)]
    return Town(
        name=name[1] if name else "the town",
        center=direction(lat, lon),
        built=sum(count for count in counts if count < 1000),
        epoch=int(epoch[1]) if epoch else sum(counts),
    )


def asked_bearing(wish: str) -> float | None:
    """The compass bearing that a wish names, degrees, or None."""
    for found in _SIDE.finditer(wish.casefold()):
        if found[1] or found[2]:
            side = "-".join(part for part in (found[1], found[2]) if part)
            return 45.0 * SIDES.index(side)
    return None


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
