"""How a road meets what was there first: it goes round buildings, ends at the gates of districts,
and joins earlier roads instead of running beside them.

A road is bent before it is paved. Every bend fades out along the road, so that it stays smooth, and
nothing is ever moved that an earlier feature laid.

Twin: web/sim/junctions.js
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from godseed.sim.district import GATE_INSET
from godseed.sim.maths import F64, I64, BoolArray, atan2, clamp, cos, sin, smoothstep
from godseed.sim.sphere import cross, dot, normalize, rotate
from godseed.sim.spline import resample
from godseed.sim.strip import line_tangents

AROUND = 0.0075
"""Room between the middle of a road and the ground of a building, planet radii."""
END_REACH = 0.045
"""An end this near to an earlier road is led to it."""
END_GAP = 0.0028
"""A led end stops this far from the middle of the road that it meets."""
SHARE_REACH = 0.016
"""Samples this near to an earlier road of about the same direction lie on it."""
SHARE_COSINE = 0.78
ALONG = 0.004
"""Shared samples lie this near to a sample of the earlier road, along it."""
SHORTEST_GAP = 5
"""Fewer samples than these between two shared stretches are shared too."""
FADE = 0.06
"""How far along the road a bend fades out, at least."""
CROSSING_REACH = 0.0085
"""Patches this near to an earlier road have neither kerb nor line."""
SHORTEST_REST = 8
"""What a district cuts off a run is left out if it has fewer samples than these."""
EDGE = 1e-6
"""Samples of a road may be this far behind a gate, radians."""
SAME_GATE_SAMPLES = 8
"""A shorter piece from a gate to the same gate is left out."""


@dataclass(frozen=True)
class Before:
    """What a road finds on the ground.

    Attributes:
        stands: (c, 3) unit vectors, earlier buildings, in feature order.
        stand_radius: (c,) radius of the ground that each one has.
        districts: (m, 3) centres of earlier districts.
        main_ways: (m, 3) unit tangents along their main streets.
        radii: (m,) radians.
        roads: (p, 3) samples of earlier roads, as they were paved.
        road_tangents: (p, 3).
    """

    stands: F64
    stand_radius: F64
    districts: F64
    main_ways: F64
    radii: F64
    roads: F64
    road_tangents: F64


@dataclass(frozen=True)
class Run:
    """A piece of a road outside of the districts.

    Attributes:
        points: (n, 3) unit vectors, n of 2 or more.
        shared: (n,) whether a sample lies on an earlier road.
        crossing: (n - 1,) whether the patch behind each sample touches an earlier road.
    """

    points: F64
    shared: BoolArray
    crossing: BoolArray


def runs_of(points: F64, step_rad: float, before: Before) -> list[Run]:
    """The pieces of a road that are paved, bent to meet what was there first.

    Args:
        points: (n, 3) samples of the road as it was asked for.
        step_rad: distance wanted between samples.
        before: what earlier features have built near it.
    """
    points = _round_buildings(points, before)
    owner = _district_of(points, before)
    changes = np.nonzero(owner[1:] != owner[:-1])[0] + 1
    starts = np.concatenate([np.zeros(1, np.int64), changes])
    ends = np.concatenate([changes, np.full(1, len(points), dtype=np.int64)])
    runs: list[Run] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if owner[start] >= 0:
            continue
        first = int(owner[start - 1]) if start > 0 else -1
        last = int(owner[end]) if end < len(points) else -1
        piece = _to_gates(points[start:end], first, last, step_rad, before)
        if len(piece) >= 2:
            runs += _outside(_joined(piece, first < 0, last < 0, before), before)
    return runs


def arc_of(points: F64) -> F64:
    """(n,) chords along sampled points (n, 3), added up."""
    gap = points[1:] - points[:-1]
    return np.concatenate([np.zeros(1), np.cumsum(np.sqrt(dot(gap, gap)))])


def _round_buildings(points: F64, before: Before) -> F64:
    """Samples pushed aside where a building stands in the way; the ends stay where they are."""
    last = len(points) - 1
    number = np.arange(len(points), dtype=np.float64)
    from_end = np.minimum(number, last - number) * 0.25
    for at, radius in zip(before.stands, before.stand_radius, strict=True):
        near = int(np.argmax(dot(points, at)))
        need = float(radius) + AROUND
        gap = at - points[near]
        if near in (0, last) or not dot(gap, gap) < need * need:
            continue
        ahead = normalize(points[near + 1] - points[near - 1])
        across = cross(points[near], ahead)
        lateral = float(dot(gap, across))
        push = (lateral if lateral < 0.0 else -lateral) + need
        way = -1.0 if lateral >= 0.0 else 1.0
        off = points - points[near]
        weight = 1.0 - smoothstep(0.0, 3.0 * need, np.sqrt(dot(off, off)))
        weight = weight * np.minimum(from_end, 1.0)
        points = normalize(points + (across * (way * push)) * weight[:, None])
    return points


def _district_of(points: F64, before: Before) -> I64:
    """(n,) which district each sample lies in, the earliest if several; -1 for none."""
    if len(before.radii) == 0:
        return np.full(len(points), -1, dtype=np.int64)
    inside = dot(points[:, None, :], before.districts[None, :, :]) > cos(before.radii)
    return np.where(np.any(inside, axis=1), np.argmax(inside, axis=1), -1).astype(np.int64)


def _to_gates(points: F64, first: int, last: int, step_rad: float, before: Before) -> F64:
    """A piece led to the gates of the districts before and behind it (-1 for none)."""
    if first < 0 and last < 0:
        return points
    share = 0.5 if first >= 0 and last >= 0 else 1.0
    sides: list[float] = []
    for number in (first, last):
        points = points[::-1]
        if number >= 0:
            side = 1.0 if float(dot(points[-1], before.main_ways[number])) >= 0.0 else -1.0
            points = _led(points, number, side, share, before)
            sides.append(side)
    if first == last and sides[0] == sides[1] and len(points) < SAME_GATE_SAMPLES:
        return points[:0]
    arc = arc_of(points)
    count = int(np.ceil(arc[-1] / step_rad)) + 1
    evenly = np.arange(count, dtype=np.float64) * arc[-1] / max(count - 1, 1)
    return resample(points, arc, evenly) if count > 1 else points[:0]


def _led(points: F64, number: int, side: float, share: float, before: Before) -> F64:
    """Samples turned round a district's centre until the last one meets a gate, and the gate."""
    center, radius = before.districts[number], float(before.radii[number])
    way = before.main_ways[number] * side
    angle = -float(atan2(float(dot(points[-1], cross(center, way))), float(dot(points[-1], way))))
    arc = arc_of(points)
    fade = min(FADE + 2.5 * abs(angle) * radius, share * float(arc[-1]))
    weight = smoothstep(0.0, 1.0, 1.0 - (arc[-1] - arc) / max(fade, 1e-6))
    turned = normalize(rotate(points, center, angle * weight))
    reach = radius - GATE_INSET
    gate = normalize(center * float(cos(reach)) + way * float(sin(reach)))
    return np.concatenate([turned, gate[None, :]])


def _joined(points: F64, free_start: bool, free_end: bool, before: Before) -> Run:
    """A piece whose free ends meet earlier roads, and that lies on them where it would run beside
    them."""
    if len(before.roads) == 0:
        return Run(points, np.zeros(len(points), bool), np.zeros(len(points) - 1, bool))
    for free in (free_start, free_end):
        points = points[::-1]
        if free:
            points = _end_joined(points, before.roads)
    index, chord = _nearest(points, before.roads)
    tangents = line_tangents(points, np.zeros(len(points), np.int64))
    same_way = np.abs(dot(tangents, before.road_tangents[index])) > SHARE_COSINE
    shared = _without_gaps((chord < SHARE_REACH) & same_way)
    foot, ahead = before.roads[index], before.road_tangents[index]
    along = clamp(dot(points - foot, ahead), -ALONG, ALONG)
    points = _onto(points, shared, normalize(foot + ahead * along[:, None]))
    chord = _nearest(points, before.roads)[1]
    return Run(points, shared, np.minimum(chord[1:], chord[:-1]) < CROSSING_REACH)


def _outside(run: Run, before: Before) -> list[Run]:
    """What is left of a run where bending has brought it into a district, behind its gates."""
    if len(before.radii) == 0:
        return [run]
    edge = cos(before.radii - (GATE_INSET + EDGE))
    along = dot(run.points[:, None, :], before.districts[None, :, :])
    deep = np.any(along > edge, axis=1)
    if not deep.any():
        return [run]
    changes = np.nonzero(deep[1:] != deep[:-1])[0] + 1
    stops = [0, *changes.tolist(), len(deep)]
    return [
        Run(run.points[a:b], run.shared[a:b], run.crossing[a : b - 1])
        for a, b in pairwise(stops)
        if not deep[a] and b - a >= SHORTEST_REST
    ]


def _end_joined(points: F64, roads: F64) -> F64:
    """Samples bent so that the last one meets the nearest road, if that is near."""
    index, chord = _nearest(points[-1:], roads)
    arc = arc_of(points)
    apart = float(chord[0])
    if not (END_GAP < apart < END_REACH) or arc[-1] < 2.0 * apart:
        return points
    step = (roads[index[0]] - points[-1]) * (1.0 - END_GAP / apart)
    fade = min(max(FADE, 3.0 * apart), float(arc[-1]))
    weight = smoothstep(0.0, 1.0, 1.0 - (arc[-1] - arc) / fade)
    return normalize(points + step * weight[:, None])


def _nearest(points: F64, roads: F64) -> tuple[I64, F64]:
    """The road sample nearest to each point (n,), the earliest if several, and the chord to it."""
    along = points[:, 0, None] * roads[None, :, 0]
    along = along + points[:, 1, None] * roads[None, :, 1]
    along = along + points[:, 2, None] * roads[None, :, 2]
    index = np.argmax(along, axis=1)
    gap = points - roads[index]
    return index.astype(np.int64), np.sqrt(dot(gap, gap))


def _without_gaps(shared: BoolArray) -> BoolArray:
    """Short stretches between shared ones are shared too."""
    filled = shared.copy()
    own = np.nonzero(shared)[0]
    for a, b in pairwise(own.tolist()):
        if b - a <= SHORTEST_GAP:
            filled[a:b] = True
    return filled


def _onto(points: F64, shared: BoolArray, targets: F64) -> F64:
    """Shared samples at their targets (n, 3); the others follow those at the ends of their
    stretch."""
    if not shared.any():
        return points
    arc = arc_of(points)
    moved = np.where(shared[:, None], targets, points)
    step = moved - points
    edges = np.nonzero(shared[1:] != shared[:-1])[0] + 1
    stops = [0, *edges.tolist(), len(points)]
    for start, end in pairwise(stops):
        if shared[start]:
            continue
        left, right = start - 1, end
        both = left >= 0 and right < len(points)
        stretch = float(arc[min(right, len(points) - 1)] - arc[max(left, 0)])
        fade = max(min(FADE, stretch * (0.5 if both else 1.0)), 1e-6)
        for edge in (left, right):
            if 0 <= edge < len(points):
                away = np.abs(arc[start:end] - arc[edge])
                weight = 1.0 - smoothstep(0.0, fade, away)
                moved[start:end] = moved[start:end] + step[edge] * weight[:, None]
    return normalize(moved)
