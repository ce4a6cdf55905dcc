"""Smooth lines on the sphere through waypoints.

Twin: web/sim/spline.js
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from godseed.sim.maths import F64, PI
from godseed.sim.sphere import angle_rad, normalize, slerp

LONGEST_PIECE_RAD = 0.5
"""Waypoints farther apart get knots between them, on the great circle."""
COARSEST_RAD = 0.02
"""Largest distance at which the curve itself is evaluated."""
FINER = 4
"""How many times finer the curve is evaluated than it is sampled, before it is made even."""
SAME_RAD = 1e-9


def sample(waypoints: F64, step_rad: float, max_points: int) -> tuple[F64, F64]:
    """Sample a smooth curve through waypoints at even distances.

    The curve is a centripetal Catmull-Rom spline through the points as they lie in space, pushed
    out to the sphere: its direction is continuous, and it has no cusps and no loops of its own.

    Args:
        waypoints: (k, 3) unit vectors, k of 2 or more.
        step_rad: distance wanted between samples, above 0; the real one is a little less.
        max_points: 2 or more; where the step would need more samples they lie farther apart.
    Returns:
        points (m, 3), unit vectors, from the first waypoint to the last, with the others about
        half a step away or nearer; and arc (m,), ascending from 0: radians along the points.
    Raises:
        ValueError: too few waypoints or points, no step, or two neighbours equal or antipodal.
    """
    _check(waypoints, step_rad, max_points)
    knots = _knots(waypoints)
    rough_length = float(_arc(knots)[-1])
    fine_step = max(step_rad, rough_length / (max_points - 1)) / FINER
    curve = _catmull_rom(knots, min(fine_step, COARSEST_RAD))
    along = _arc(curve)
    length = float(along[-1])
    count = min(max(int(np.ceil(length / step_rad)) + 1, 2), max_points)
    points = resample(curve, along, np.arange(count, dtype=np.float64) * length / (count - 1))
    points[0], points[-1] = waypoints[0], waypoints[-1]
    return points, _arc(points)


def resample(points: F64, arc: F64, s: F64) -> F64:
    """Places on a sampled line at distances along it, on the great circle between samples.

    Args:
        points: (m, 3) unit vectors, m of 2 or more.
        arc: (m,) ascending, as `sample` gives it.
        s: (n,) distances; those outside of the line give its ends.
    Returns:
        (n, 3) unit vectors.
    """
    s = np.minimum(np.maximum(s, arc[0]), arc[-1])
    before = np.minimum(np.searchsorted(arc, s, side="right") - 1, len(arc) - 2)
    span = arc[before + 1] - arc[before]
    t = (s - arc[before]) / np.where(span > 0.0, span, 1.0)
    return slerp(points[before], points[before + 1], t)


def _check(waypoints: F64, step_rad: float, max_points: int) -> None:
    if len(waypoints) < 2:
        raise ValueError(
            f"sample.waypoints: {len(waypoints)}; expected 2 or more; add where the line goes"
        )
    if not step_rad > 0.0:
        raise ValueError(f"sample.step_rad: {step_rad}; expected above 0; give a distance")
    if max_points < 2:
        raise ValueError(f"sample.max_points: {max_points}; expected 2 or more; allow both ends")
    for i, angle in enumerate(angle_rad(waypoints[:-1], waypoints[1:])):
        if angle < SAME_RAD or angle > PI - SAME_RAD:
            fault = "equal" if angle < SAME_RAD else "antipodal"
            raise ValueError(
                f"sample.waypoints: {i} and {i + 1} are {fault}; "
                "expected one great circle between neighbours; move one"
            )


def _knots(waypoints: F64) -> F64:
    """The waypoints, with more on the great circle wherever two are far apart."""
    knots = [waypoints[0]]
    for a, b in pairwise(waypoints):
        pieces = max(int(np.ceil(float(angle_rad(a, b)) / LONGEST_PIECE_RAD)), 1)
        knots += [slerp(a, b, i / pieces) for i in range(1, pieces)]
        knots.append(b)
    return np.stack(knots)


def _catmull_rom(knots: F64, step_rad: float) -> F64:
    """Evaluate the spline about every step_rad, once at each knot."""
    chord = knots[1:] - knots[:-1]
    length = np.sqrt(
        chord[:, 0] * chord[:, 0] + chord[:, 1] * chord[:, 1] + chord[:, 2] * chord[:, 2]
    )
    duration = np.sqrt(length)
    slope = chord / duration[:, None]
    tangents = _tangents(slope, duration)
    curve = [knots[:1]]
    for i, size in enumerate(length):
        steps = max(int(np.ceil(float(size) / step_rad)), 2)
        t = (np.arange(1, steps + 1, dtype=np.float64) / steps)[:, None]
        start, end = tangents[i] * duration[i], tangents[i + 1] * duration[i]
        # Hermite form, from the start: 0 at t = 0, the chord at t = 1.
        bend = start + end - 2.0 * chord[i]
        lean = 3.0 * chord[i] - 2.0 * start - end
        curve.append(normalize(knots[i] + t * (start + t * (lean + t * bend))))
    return np.concatenate(curve)


def _tangents(slope: F64, duration: F64) -> F64:
    """Derivative at each knot: between its two slopes, and with no curvature at the ends."""
    tangents = np.empty((len(slope) + 1, 3))
    before, after = duration[:-1, None], duration[1:, None]
    tangents[1:-1] = (slope[:-1] * after + slope[1:] * before) / (before + after)
    tangents[0] = 1.5 * slope[0] - 0.5 * tangents[1] if len(slope) > 1 else slope[0]
    tangents[-1] = 1.5 * slope[-1] - 0.5 * tangents[-2] if len(slope) > 1 else slope[-1]
    return tangents


def _arc(points: F64) -> F64:
    return np.concatenate([np.zeros(1), np.cumsum(angle_rad(points[:-1], points[1:]))])
