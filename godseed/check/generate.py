"""Generated worlds: valid features over all tools, kinds and ranges, from a seed; for fuzzing,
parity and benchmarks.

The same seed gives the same world on every machine, and a longer world begins with the shorter one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from godseed.sim.feature import Feature
from godseed.sim.rng import Mulberry32
from godseed.sim.world import World
from godseed.spec import load

EXTREME_SHARE = 0.15
"""Share of numbers that take an end of their range exactly."""
TEXTS = (
    "let there be a harbour",
    "SPEAK",
    "тихий свет над холмом",
    "λάμψη",
    "small • gold • rain",
    "a",
    "né à l’aube — №7",
    "W" * 60,
    "静かな海に灯台を、夜ごと。",
    "给晚归的人一盏灯",
    "늦게 돌아오는 이를 위한 등대",
    "منارة لمن يعود متأخرًا 12",
    "מגדלור (קטן) לשבים הביתה",
    "देर से लौटने वालों के लिए एक दीपस्तंभ",
    "ประภาคารสำหรับผู้ที่กลับบ้านดึก",
    "ܐ ᚠ ᠠ ༀ ☼ ﷽ \ue000 🌱 e\u0361o",
)


def generated_world(seed: int, count: int, tools: tuple[str, ...] = ()) -> World:
    """Genesis and `count` features more.

    Args:
        seed: any uint32.
        count: features behind genesis.
        tools: names to draw from; all eleven if empty.
    """
    world = World.genesis()
    return world.extended(generated_features(seed, count, len(world), tools))


def generated_features(
    seed: int, count: int, start: int, tools: tuple[str, ...] = ()
) -> list[Feature]:
    """`count` features with ids from `start` on, three to a wish.

    Args:
        seed: any uint32.
        count: how many.
        start: world index of the first.
        tools: names to draw from; all eleven if empty.
    """
    rows = [row for row in load("tools.json")["tools"] if not tools or row["name"] in tools]
    rng = Mulberry32(seed)
    features = []
    for i in range(count):
        row = rows[int(rng.next() * len(rows))]
        args = _arguments(row, rng)
        own_seed = int(rng.next() * 0x7FFFFFFF)
        features.append(
            Feature(
                f"f_{start + i:06d}", f"w_{1 + i // 3:06d}", row["name"], args, own_seed, float(i)
            )
        )
    return features


def _arguments(row: Mapping[str, Any], rng: Mulberry32) -> dict[str, Any]:
    """Arguments of one feature, each within its range, in canonical form."""
    args: dict[str, Any] = {}
    for arg in row["args"]:
        name, kind = arg["name"], arg["type"]
        if kind == "enum":
            args[name] = arg["values"][int(rng.next() * len(arg["values"]))]
        elif kind == "text":
            args[name] = TEXTS[int(rng.next() * len(TEXTS))]
        elif kind == "path":
            pool = args.get("kind") == "pool"
            low = 1 if pool else max(2, int(arg["min_items"]))
            count = 1 if pool else low + int(rng.next() * (int(arg["max_items"]) - low + 1))
            args[name] = _waypoints(count, rng)
        elif kind == "integer":
            args[name] = float(arg["min"] + int(rng.next() * (arg["max"] - arg["min"] + 1)))
        elif name == "radius_deg" and args.get("kind") == "stream":
            rng.next()
        else:
            args[name] = _number(arg["min"], arg["max"], rng)
    return args


def _number(low: float, high: float, rng: Mulberry32) -> float:
    """A number in the range with few decimals, or one of its ends."""
    u, end = rng.next(), rng.next()
    if end < EXTREME_SHARE:
        return float(low if end < EXTREME_SHARE / 2 else high)
    step = (high - low) / 1000.0
    value = low + step * int(u * 1000.0)
    return min(max(round(value, 4), float(low)), float(high))


def _waypoints(count: int, rng: Mulberry32) -> tuple[tuple[float, float], ...]:
    """A walk of waypoints a few degrees apart, never equal or antipodal neighbours."""
    lat, lon = rng.next() * 150.0 - 75.0, rng.next() * 360.0 - 180.0
    points = []
    for _ in range(count):
        points.append((round(lat, 3), round(lon, 3)))
        lat = min(max(lat + (rng.next() - 0.5) * 18.0 + 0.7, -84.0), 84.0)
        lon = (lon + 1.0 + rng.next() * 12.0 + 180.0) % 360.0 - 180.0
    return tuple(points)
