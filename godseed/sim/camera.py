"""Cameras: pure functions of the world and time that give an eye, a target and an up vector.

A *shot* names one in a small grammar that the command line, case files, recipes and the page all
parse:

    town | world | gaze:FEATURE | descend:FEATURE[@SECONDS] | free:LAT,LON,ALT,HEADING,PITCH,FOV

FEATURE is a feature id (`f_000017`) or its number (`17`). Angles are degrees, ALT is planet radii
above the ground. All arithmetic is float64 and cast once, when the frame's uniforms are written.

Twin: web/sim/camera.js
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from godseed.sim.kits import kit
from godseed.sim.maths import DEG, F64, cos, lerp, sin, smoothstep
from godseed.sim.sphere import (
    angle_rad,
    cross,
    direction,
    dot,
    east_north,
    normalize,
    rotate,
    slerp,
)
from godseed.spec import constants

Ground = Callable[[F64], F64]
"""Directions (n, 3) -> height of the ground (n,), planet radii."""

HOUSE_KIT = "house_a"
"""All houses are about as high as this one."""
SHOT_GRAMMAR = (
    "town, world, gaze:FEATURE, descend:FEATURE[@SECONDS] or free:LAT,LON,ALT,HEADING,PITCH,FOV"
)


@dataclass(frozen=True)
class Pose:
    """Where the camera is and what it looks at.

    Attributes:
        eye: (3,) planet radii.
        target: (3,) planet radii.
        up: (3,) unit, roughly up; made orthogonal when the matrix is built.
        fov_deg: vertical field of view.
        near_town: 0 far out .. 1 standing in the town; the needle and the finer planet mesh follow
            it.
        focus: (3,) unit direction of what the shot is about.
    """

    eye: F64
    target: F64
    up: F64
    fov_deg: float
    near_town: float
    focus: F64


@dataclass(frozen=True)
class Shot:
    """A parsed shot: its kind, and the feature or the six numbers it names."""

    kind: str
    feature: int = -1
    seconds: float | None = None
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True)
class Subject:
    """What a feature offers to the camera: its direction (3,), angular radius in radians, and how
    high it stands in planet radii; sky-wide ones have no direction."""

    dir: F64 | None
    radius_rad: float
    height: float = 0.0


@dataclass(frozen=True)
class Framing:
    """How a camera stands to what it shows.

    Attributes:
        azimuth_deg: compass way from the subject to the camera.
        elevation_deg: of the camera above the subject's horizon.
        distance: planet radii.
        lift: of the middle of the picture above the ground.
        fov_deg: vertical field of view.
    """

    azimuth_deg: float
    elevation_deg: float
    distance: float
    lift: float
    fov_deg: float


@dataclass(frozen=True)
class Glide:
    """The way of a descent: its compass heading, how far beside its subject it passes (radians),
    and its height above radius 1."""

    heading_deg: float
    aside: float
    altitude: float


class ShotError(ValueError):
    """A shot that does not parse or names a feature that is not there."""


def parse_shot(text: str) -> Shot:
    """Parse a shot.

    Raises:
        ShotError: with what came, the grammar and an example.
    """
    kind, _, rest = text.strip().partition(":")
    if kind in ("town", "world") and not rest and ":" not in text:
        return Shot(kind)
    if kind in ("gaze", "descend"):
        found = re.fullmatch(r"(?:f_)?(\d{1,9})(?:@(\d+(?:\.\d+)?))?", rest)
        if found and not (kind == "gaze" and found[2]):
            return Shot(kind, int(found[1]), float(found[2]) if found[2] else None)
    if kind == "free":
        return Shot(kind, numbers=_free_numbers(text, rest))
    raise ShotError(f"shot: {text!r}; expected {SHOT_GRAMMAR}; try 'town' or 'gaze:f_000004'")


def format_shot(shot: Shot) -> str:
    """The shot's canonical text, such that parsing it gives the shot again."""
    if shot.kind == "free":
        return "free:" + ",".join(f"{x:g}" for x in shot.numbers)
    if shot.feature < 0:
        return shot.kind
    return f"{shot.kind}:f_{shot.feature:06d}" + (
        f"@{shot.seconds:g}" if shot.seconds is not None else ""
    )


def town_pose(center: F64, ground: Ground, time_s: float, framing: Framing) -> Pose:
    """Low and close over the town, which fills the frame; sways a little."""
    rig = constants()["camera"]["town"]
    sway = rig["sway_deg"] * float(sin(time_s * rig["sway_rad_s"]))
    return orbit_pose(center, ground, framing, sway)


def world_pose(center: F64, ground: Ground, time_s: float) -> Pose:
    """The whole lit sphere from far out, turning slowly."""
    rig = constants()["camera"]["world"]
    east, north = east_north(center)
    pole = normalize(north + np.array([0.0, 1.0, 0.0]) * 0.35)
    turned = rotate(center, pole, (rig["offset_deg"] + rig["turn_deg_s"] * time_s) * DEG)
    out = normalize(turned + normalize(pole) * rig["height"])
    target = normalize(pole) * rig["target"] + east * 0.0
    return Pose(out * rig["distance"], target, normalize(pole), rig["fov_deg"], 0.0, center)


def gaze_pose(
    subject: Subject, center: F64, ground: Ground, time_s: float, framing: Framing
) -> Pose:
    """Turn to a feature within the town zoom; sky-wide features lift the view above the town."""
    rig = constants()["camera"]["gaze"]
    sway = rig["sway_deg"] * float(sin(time_s * rig["sway_rad_s"]))
    return orbit_pose(center if subject.dir is None else subject.dir, ground, framing, sway)


def descend_pose(
    subject: Subject, center: F64, ground: Ground, progress: float, rest: Pose, glide: Glide
) -> Pose:
    """Swoop from a resting pose to just above the ground, glide an arc over the target and ease
    back.

    Args:
        progress: 0..1 over the whole descent.
        rest: pose before and after.
        glide: its way.
    """
    rig = constants()["camera"]["descend"]
    target = center if subject.dir is None else subject.dir
    middle, axis = _glide_axis(target, glide.heading_deg, glide.aside)
    arc = rig["arc_deg"] * DEG
    ahead = rig["look_ahead_deg"] * DEG
    at = arc * (float(smoothstep(0.0, 1.0, progress)) - 0.5)
    eye = rotate(middle, axis, at) * (1.0 + glide.altitude)
    look_dir = rotate(middle, axis, at + ahead)
    # Past a subject the camera looks towards it.
    look_dir = normalize(look_dir + (target - middle) * 0.8)
    look = look_dir * (1.0 + float(ground(look_dir[None, :])[0]) + rig["look_lift"])
    low = Pose(eye, look, normalize(eye), rig["fov_deg"], 1.0, target)
    down = float(smoothstep(0.0, rig["ease"], progress)) * (
        1.0 - float(smoothstep(1.0 - rig["ease"], 1.0, progress))
    )
    return blend_poses(rest, low, down)


def glide_dirs(target: F64, heading_deg: float, aside: float, count: int) -> F64:
    """Places (count, 3) under a glide, from a little before its start to a little behind its
    end."""
    middle, axis = _glide_axis(target, heading_deg, aside)
    arc = constants()["camera"]["descend"]["arc_deg"] * DEG * 1.2
    share = np.arange(count, dtype=np.float64) / (count - 1) - 0.5
    return rotate(np.broadcast_to(middle, (count, 3)), axis, arc * share)


def free_pose(numbers: tuple[float, ...], ground: Ground) -> Pose:
    """Latitude, longitude, altitude above the ground, compass heading, pitch above the horizon,
    field of view."""
    lat, lon, altitude, heading, pitch, fov = numbers
    up = direction(lat, lon)
    east, north = east_north(up)
    level = north * float(cos(heading * DEG)) + east * float(sin(heading * DEG))
    look = level * float(cos(pitch * DEG)) + up * float(sin(pitch * DEG))
    eye = up * (1.0 + float(ground(up[None, :])[0]) + altitude)
    near = 1.0 - float(smoothstep(0.4, 1.6, altitude))
    lens_up = up if abs(pitch) < 89.0 else level
    return Pose(eye, eye + look, lens_up, fov, near, up)


def blend_poses(a: Pose, b: Pose, x: float) -> Pose:
    """Between two poses: directions along great circles, radii straight, and higher in the middle
    of a long way."""
    if x <= 0.0:
        return a
    if x >= 1.0:
        return b
    eye_a, eye_b = normalize(a.eye), normalize(b.eye)
    way = float(angle_rad(eye_a, eye_b))
    bump = 0.35 * way * 4.0 * x * (1.0 - x)
    radius = float(lerp(_length(a.eye), _length(b.eye), x)) + bump
    target = slerp(normalize(a.target), normalize(b.target), x) * float(
        lerp(_length(a.target), _length(b.target), x)
    )
    if _length(a.target) < 0.5 or _length(b.target) < 0.5:
        target = a.target + (b.target - a.target) * x
    return Pose(
        slerp(eye_a, eye_b, x) * radius,
        target,
        slerp(a.up, b.up, x),
        float(lerp(a.fov_deg, b.fov_deg, x)),
        float(lerp(a.near_town, b.near_town, x)),
        slerp(a.focus, b.focus, x),
    )


def above_ground(pose: Pose, ground: Ground, floor: Ground) -> Pose:
    """The pose with its eye pushed up where it would be under the ground plus clearance, or too
    near over a building.

    Args:
        floor: least height of a camera over what stands there, like `ground`.
    """
    up = normalize(pose.eye)
    terrain = float(ground(up[None, :])[0]) + constants()["camera"]["clearance"]
    least = 1.0 + max(terrain, float(floor(up[None, :])[0]))
    if _length(pose.eye) >= least:
        return pose
    return Pose(up * least, pose.target, pose.up, pose.fov_deg, pose.near_town, pose.focus)


def subject_of(tool: str, args: Any) -> Subject:
    """What a camera turns to for a feature: centre and angular radius of its place, or no place at
    all."""
    path = args.get("path")
    if path:
        points = direction(
            np.array([p[0] for p in path], np.float64), np.array([p[1] for p in path], np.float64)
        )
        total = np.zeros(3)
        for point in points:
            total = total + point
        middle = normalize(total) if _length(total) > 1e-6 else points[0]
        spread = float(np.max(angle_rad(points, np.broadcast_to(middle, points.shape))))
        return Subject(middle, min(spread, 0.6))
    if "lat" not in args:
        return Subject(None, 0.0)
    height = 0.0
    if tool == "place_structure":
        name = HOUSE_KIT if args["kind"] == "house" else args["kind"]
        height = kit(name).height * float(args.get("scale", 1.0))
    radius = float(args.get("radius_deg", 0.0)) * DEG
    return Subject(direction(args["lat"], args["lon"]), radius, height)


def orbit_pose(focus: F64, ground: Ground, framing: Framing, sway_deg: float) -> Pose:
    """Stand off a place on the ground as a framing says, and look at it."""
    east, north = east_north(focus)
    target = focus * (1.0 + float(ground(focus[None, :])[0]) + framing.lift)
    azimuth, elevation = (framing.azimuth_deg + sway_deg) * DEG, framing.elevation_deg * DEG
    level = north * float(cos(azimuth)) + east * float(sin(azimuth))
    away = level * float(cos(elevation)) + focus * float(sin(elevation))
    return Pose(target + away * framing.distance, target, focus, framing.fov_deg, 1.0, focus)


def axes(pose: Pose) -> tuple[F64, F64, F64]:
    """Orthonormal right, up and forward of a pose, each (3,)."""
    forward = normalize(pose.target - pose.eye)
    right = normalize(cross(forward, pose.up))
    return right, cross(right, forward), forward


def view_projection(pose: Pose, aspect: float) -> F64:
    """Clip-from-world matrix (4, 4), row-major, OpenGL clip space."""
    camera = constants()["camera"]
    near, far = camera["near"], camera["far"]
    right, up, forward = axes(pose)
    half = pose.fov_deg * 0.5 * DEG
    scale = float(cos(half)) / float(sin(half))
    rows = np.zeros((4, 4))
    for i, (axis, factor) in enumerate(((right, scale / aspect), (up, scale))):
        rows[i, :3] = axis * factor
        rows[i, 3] = -float(dot(axis, pose.eye)) * factor
    depth = -float(dot(forward, pose.eye))
    a, b = (far + near) / (far - near), -2.0 * far * near / (far - near)
    rows[2, :3] = forward * a
    rows[2, 3] = depth * a + b
    rows[3, :3] = forward
    rows[3, 3] = depth
    return rows


def _glide_axis(target: F64, heading_deg: float, aside: float) -> tuple[F64, F64]:
    """Middle of a glide, and the axis that it turns about."""
    east, north = east_north(target)
    heading = heading_deg * DEG
    along = north * float(cos(heading)) + east * float(sin(heading))
    axis = normalize(cross(target, along))
    middle = rotate(target, along, aside)
    return middle, normalize(cross(middle, along)) if aside != 0.0 else axis


def _free_numbers(text: str, rest: str) -> tuple[float, ...]:
    limits = (
        ("lat", -90, 90),
        ("lon", -360, 360),
        ("alt", 0.001, 50),
        ("heading", -360, 360),
        ("pitch", -90, 90),
        ("fov", 1, 150),
    )
    try:
        numbers = tuple(float(x) for x in rest.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != len(limits):
        raise ShotError(
            f"shot: {text!r}; expected free:LAT,LON,ALT,HEADING,PITCH,FOV; "
            "try 'free:14,38,0.3,20,-25,45'"
        )
    for (name, low, high), value in zip(limits, numbers, strict=True):
        if not low <= value <= high:
            raise ShotError(
                f"shot.{name}: {value:g} in {text!r}; expected {low:g} to {high:g}; change it"
            )
    return numbers


def _length(v: F64) -> float:
    return float(np.sqrt(dot(v, v)))
