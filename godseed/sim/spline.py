"""Smooth lines on the sphere through waypoints.

Twin: web/sim/spline.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.columns import items
from godseed.sim.maths import F64, I64, PI, BoolArray
from godseed.sim.sphere import angle_rad, dot, normalize, slerp

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
    starts = np.array([0, len(waypoints)], np.int64)
    points, arc, _ = sample_lines(waypoints, starts, step_rad, max_points)
    return points, arc


def sample_lines(
    waypoints: F64, starts: I64, step_rad: float, max_points: int
) -> tuple[F64, F64, I64]:
    """`sample` for n lines at once: the same points as line by line.

    Args:
        waypoints: (k, 3) unit vectors, line after line.
        starts: (n + 1,) ascending; line i has waypoints starts[i] to starts[i + 1].
        step_rad, max_points: as for one line.
    Returns:
        points (m, 3) and arc (m,), line after line, and how many of them each line has (n,).
    Raises:
        ValueError: as for one line.
    """
    _check(waypoints, starts, step_rad, max_points)
    if len(starts) == 1:
        return np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.int64)
    knots, knot_starts = _knots(waypoints, starts)
    rough_length = _arcs(knots, knot_starts)[knot_starts[1:] - 1]
    fine_step = np.maximum(step_rad, rough_length / (max_points - 1)) / FINER
    curve, curve_starts = _catmull_rom(knots, knot_starts, np.minimum(fine_step, COARSEST_RAD))
    along = _arcs(curve, curve_starts)
    length = along[curve_starts[1:] - 1]
    wanted = np.ceil(length / step_rad).astype(np.int64) + 1
    counts = np.minimum(np.maximum(wanted, 2), max_points)
    line, k = items(counts)
    s = k * length[line] / (counts - 1)[line]
    ends = np.cumsum(counts)
    before = np.empty(len(s), np.int64)
    for i, end in enumerate(ends):
        own = slice(end - counts[i], end)
        before[own] = _segments(along[curve_starts[i] : curve_starts[i + 1]], s[own])
    points = _between(curve, along, before + curve_starts[line], s)
    points[ends - counts], points[ends - 1] = waypoints[starts[:-1]], waypoints[starts[1:] - 1]
    return points, _arcs(points, np.concatenate([np.zeros(1, np.int64), ends])), counts


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
    return _between(points, arc, _segments(arc, s), s)


def _check(waypoints: F64, starts: I64, step_rad: float, max_points: int) -> None:
    counts = starts[1:] - starts[:-1]
    if len(counts) and counts.min() < 2:
        raise ValueError(
            f"sample.waypoints: {counts.min()}; expected 2 or more; add where the line goes"
        )
    if not step_rad > 0.0:
        raise ValueError(f"sample.step_rad: {step_rad}; expected above 0; give a distance")
    if max_points < 2:
        raise ValueError(f"sample.max_points: {max_points}; expected 2 or more; allow both ends")
    if len(counts) == 0:
        return
    angle = angle_rad(waypoints[:-1], waypoints[1:])
    for j in np.nonzero(_inner(starts) & ((angle < SAME_RAD) | (angle > PI - SAME_RAD)))[0]:
        i = j - starts[np.searchsorted(starts, j, side="right") - 1]
        fault = "equal" if angle[j] < SAME_RAD else "antipodal"
        raise ValueError(
            f"sample.waypoints: {i} and {i + 1} are {fault}; "
            "expected one great circle between neighbours; move one"
        )


def _inner(starts: I64) -> BoolArray:
    """Whether points i and i + 1 are on the same line, (points - 1,)."""
    inner = np.ones(starts[-1] - 1, bool)
    inner[starts[1:-1] - 1] = False
    return inner


def _arcs(points: F64, starts: I64) -> F64:
    """Distance along its line of each point."""
    angle = angle_rad(points[:-1], points[1:])
    arc = np.zeros(len(points))
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        np.cumsum(angle[start : end - 1], out=arc[start + 1 : end])
    return arc


def _knots(waypoints: F64, starts: I64) -> tuple[F64, I64]:
    """The waypoints, with more on the great circle wherever two are far apart."""
    first = np.nonzero(_inner(starts))[0]
    angle = angle_rad(waypoints[first], waypoints[first + 1])
    pieces = np.maximum(np.ceil(angle / LONGEST_PIECE_RAD).astype(np.int64), 1)
    segment, k = items(pieces)
    a, b = waypoints[first[segment]], waypoints[first[segment] + 1]
    knots = slerp(a, b, (k + 1) / pieces[segment])
    knots = np.where((k + 1 == pieces[segment])[:, None], b, knots)
    return _headed(waypoints[starts[:-1]], knots, _line_of(first, starts)[segment])


def _line_of(point: I64, starts: I64) -> I64:
    """The line that each point (m,) is on."""
    return np.searchsorted(starts, point, side="right") - 1


def _headed(heads: F64, points: F64, line: I64) -> tuple[F64, I64]:
    """Lines (m, 3) behind their first points (n, 3), and where each one starts (n + 1,)."""
    owner = np.concatenate([np.arange(len(heads)), line])
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(len(heads) + 1))
    return np.concatenate([heads, points])[order], starts.astype(np.int64)


def _catmull_rom(knots: F64, starts: I64, step_rad: F64) -> tuple[F64, I64]:
    """Evaluate the splines about every step_rad (n,), once at each knot."""
    first = np.nonzero(_inner(starts))[0]
    chord = knots[first + 1] - knots[first]
    length = np.sqrt(dot(chord, chord))
    duration = np.sqrt(length)
    slope = chord / duration[:, None]
    line = _line_of(first, starts)
    leave, arrive = _tangents(slope, duration, line)
    steps = np.maximum(np.ceil(length / step_rad[line]).astype(np.int64), 2)
    start, end = leave * duration[:, None], arrive * duration[:, None]
    # Hermite form, from the start: 0 at t = 0, the chord at t = 1.
    bend = start + end - 2.0 * chord
    lean = 3.0 * chord - 2.0 * start - end
    i, k = items(steps)
    t = ((k + 1) / steps[i])[:, None]
    curve = normalize(knots[first[i]] + t * (start[i] + t * (lean[i] + t * bend[i])))
    return _headed(knots[starts[:-1]], curve, line[i])


def _tangents(slope: F64, duration: F64, line: I64) -> tuple[F64, F64]:
    """Derivative at the start and at the end of each segment (s, 3): between the slopes of two
    neighbours, and with no curvature at the ends of the line."""
    leave, arrive = slope.copy(), slope.copy()
    joint = np.nonzero(line[:-1] == line[1:])[0]
    before, after = duration[joint, None], duration[joint + 1, None]
    leave[joint + 1] = (slope[joint] * after + slope[joint + 1] * before) / (before + after)
    arrive[joint] = leave[joint + 1]
    opens = np.concatenate([np.ones(1, bool), line[:-1] != line[1:]])[: len(line)]
    closes = np.concatenate([line[:-1] != line[1:], np.ones(1, bool)])[: len(line)]
    head, tail = np.nonzero(opens & ~closes)[0], np.nonzero(closes & ~opens)[0]
    leave[head] = 1.5 * slope[head] - 0.5 * arrive[head]
    arrive[tail] = 1.5 * slope[tail] - 0.5 * leave[tail]
    return leave, arrive


def _segments(arc: F64, s: F64) -> I64:
    """The piece of a line, by its first point, in which each distance (n,) lies."""
    return np.minimum(np.searchsorted(arc, s, side="right") - 1, len(arc) - 2)


def _between(points: F64, arc: F64, before: I64, s: F64) -> F64:
    """Places at distances (n,) along pieces of lines that start at points `before` (n,)."""
    span = arc[before + 1] - arc[before]
    t = (s - arc[before]) / np.where(span > 0.0, span, 1.0)
    return slerp(points[before], points[before + 1], t)
