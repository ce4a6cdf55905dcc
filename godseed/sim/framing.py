"""Which way cameras stand so that their subject is the subject: nothing large before the lens, no
hill and no tower between it and what it shows, and a free way for descents.

A framing is chosen once per scene among a few candidates, by what each one costs; the first of
equals wins. It is a pure function of the scene.

Twin: web/sim/framing.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.camera import Framing, Glide, Ground, Pose, Subject, axes, glide_dirs, orbit_pose
from godseed.sim.maths import DEG, F64, clamp, cos, sin
from godseed.sim.skyline import Skyline
from godseed.sim.sphere import dot, normalize
from godseed.spec import constants

OWN_REACH = 0.035
"""What stands this near to a subject is the subject."""
SIGHT_SAMPLES = 8
GLIDE_SAMPLES = 25
HEADINGS = 24
ASIDE = (0.0, 0.05, -0.05)
"""How far beside their subject descents may glide, radians."""


def town_framing(center: F64, ground: Ground, skyline: Skyline) -> Framing:
    """How the town view stands: as far off as the town is wide, past what would be in the way."""
    if "town" not in skyline.chosen:
        rig = constants()["camera"]["town"]
        extent = skyline.extent(center)
        wanted = rig["distance"] + rig["per_extent"] * (extent - rig["usual_extent"])
        distance = float(clamp(wanted, rig["min_distance"], rig["max_distance"]))
        share = distance / rig["distance"]
        rise = rig["per_distance_deg"] * (distance - rig["distance"])
        first = Framing(
            rig["azimuth_deg"],
            rig["elevation_deg"] + rise,
            distance,
            rig["lift"] * share,
            rig["fov_deg"],
        )
        skyline.chosen["town"] = _best(first, center, ground, skyline, 0.0)
    framing: Framing = skyline.chosen["town"]
    return framing


def gaze_framing(subject: Subject, center: F64, ground: Ground, skyline: Skyline) -> Framing:
    """How a gaze stands: so that all of its subject is seen, and past what would be in the way."""
    key = ("gaze", *_key(subject))
    if key not in skyline.chosen:
        rig = constants()["camera"]["gaze"]
        azimuth = constants()["camera"]["town"]["azimuth_deg"]
        if subject.dir is None:
            first = Framing(
                azimuth,
                rig["sky_elevation_deg"],
                rig["sky_distance"],
                rig["sky_lift"],
                rig["sky_fov_deg"],
            )
            focus = center
        else:
            wanted = rig["distance"] + rig["per_radius"] * subject.radius_rad
            wanted = max(wanted, rig["per_height"] * subject.height)
            distance = float(clamp(wanted, rig["distance"], rig["max_distance"]))
            lift = max(rig["lift"], 0.42 * subject.height)
            first = Framing(azimuth, rig["elevation_deg"], distance, lift, rig["fov_deg"])
            focus = subject.dir
        own = OWN_REACH if subject.height > 0.0 else 0.0
        skyline.chosen[key] = _best(first, focus, ground, skyline, own)
    framing: Framing = skyline.chosen[key]
    return framing


def glide_of(subject: Subject, center: F64, ground: Ground, skyline: Skyline) -> Glide:
    """How a descent glides over or past its subject: the way on which it can stay lowest."""
    key = ("glide", *_key(subject))
    if key not in skyline.chosen:
        rig = constants()["camera"]["descend"]
        target = center if subject.dir is None else subject.dir
        ways = [(rig["heading_deg"] + k * (360.0 / HEADINGS), k) for k in range(HEADINGS)]
        tried = [(heading, aside, k) for aside in ASIDE for heading, k in ways]
        dirs = [glide_dirs(target, heading, aside, GLIDE_SAMPLES) for heading, aside, _ in tried]
        everywhere = np.concatenate(dirs)
        terrain = np.max(ground(everywhere).reshape(len(tried), -1), axis=1) + rig["clearance"]
        floor = np.max(skyline.floor(everywhere).reshape(len(tried), -1), axis=1)
        best, least = None, np.inf
        for i, (heading, aside, k) in enumerate(tried):
            altitude = max(rig["radius"] - 1.0, float(terrain[i]), float(floor[i]))
            cost = altitude + 0.3 * abs(aside) + 1e-4 * k
            if cost < least:
                best, least = Glide(heading, aside, altitude), cost
        skyline.chosen[key] = best
    glide: Glide = skyline.chosen[key]
    return glide


def _key(subject: Subject) -> tuple[float, ...]:
    if subject.dir is None:
        return ()
    return (*map(float, subject.dir), float(subject.radius_rad), float(subject.height))


def _best(first: Framing, focus: F64, ground: Ground, skyline: Skyline, own: float) -> Framing:
    """The candidate around a framing from which least is in the way; the nearest, if several."""
    choice = constants()["camera"]["choice"]
    best, least = first, np.inf
    for raised, raise_cost in zip(choice["raise_deg"], choice["raise_cost"], strict=True):
        for turned, turn_cost in zip(choice["turn_deg"], choice["turn_cost"], strict=True):
            candidate = Framing(
                first.azimuth_deg + turned,
                first.elevation_deg + raised,
                first.distance,
                first.lift,
                first.fov_deg,
            )
            if not raise_cost + turn_cost < least:
                continue
            pose = orbit_pose(focus, ground, candidate, 0.0)
            cost = raise_cost + turn_cost + _in_the_way(pose, focus, ground, skyline, own)
            if cost < least:
                best, least = candidate, cost
    return best


def _in_the_way(pose: Pose, focus: F64, ground: Ground, skyline: Skyline, own: float) -> float:
    """What stands between a camera and its subject, and how much of the picture it takes."""
    right, up, forward = axes(pose)
    half = pose.fov_deg * 0.5 * DEG
    tall = float(sin(half)) / float(cos(half))
    wide = tall * (16.0 / 9.0)
    gap = skyline.dirs - focus
    others = np.nonzero(np.sqrt(dot(gap, gap)) > skyline.reach + own)[0]
    dirs, low = skyline.dirs[others], skyline.ground[others]
    foot = dirs * (1.0 + low)[:, None] - pose.eye
    top = dirs * (1.0 + low + skyline.height[others])[:, None] - pose.eye
    to_subject = pose.target - pose.eye
    distance = float(np.sqrt(dot(to_subject, to_subject)))
    depth, depth_top = dot(foot, forward), dot(top, forward)
    before = (np.minimum(depth, depth_top) > 0.01) & (depth < 0.8 * distance)
    depth, depth_top = np.where(before, depth, 1.0), np.where(before, depth_top, 1.0)
    x = np.abs(dot(top, right)) / (depth_top * wide)
    y_foot, y_top = dot(foot, up) / (depth * tall), dot(top, up) / (depth_top * tall)
    before = before & (x < 1.1) & (y_top > -1.0)
    large = np.maximum(0.5 * (y_top - y_foot) - 0.3, 0.0) * 4.0
    middle = np.maximum(y_top + 0.15, 0.0) * np.maximum(1.0 - x / 0.5, 0.0) * 2.0
    cut = np.where(y_foot < -1.0, 0.25 + np.maximum(y_top + 1.0, 0.0), 0.0)
    costs = np.where(before, large + middle + cut, 0.0)
    total = float(np.cumsum(costs)[-1]) if len(costs) else 0.0
    share = np.arange(1.0, SIGHT_SAMPLES + 1.0) / (SIGHT_SAMPLES + 2.0)
    sight = pose.eye + to_subject * share[:, None]
    over = np.sqrt(dot(sight, sight)) - 1.0 - ground(normalize(sight))
    for height in over.tolist():
        total += max(0.006 - height, 0.0) * 60.0
    return total
