"""One frame: scene, time and shot -> the uniforms and buffers a renderer draws, and nothing it has
to work out.

Twin: web/sim/frame.js
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from godseed.sim.camera import (
    Ground,
    Pose,
    Shot,
    ShotError,
    Subject,
    above_ground,
    axes,
    blend_poses,
    descend_pose,
    free_pose,
    gaze_pose,
    parse_shot,
    subject_of,
    town_pose,
    view_projection,
    world_pose,
)
from godseed.sim.environment import Environment, blend, environment
from godseed.sim.feature import Feature
from godseed.sim.framing import gaze_framing, glide_of, town_framing
from godseed.sim.life import poses
from godseed.sim.maths import DEG, F32, F64, cos, sin, smoothstep
from godseed.sim.planet import PlanetView, planet_view
from godseed.sim.scene import Buffer, Scene
from godseed.sim.shadow import shadow_window
from godseed.sim.sky_objects import sky_buffers
from godseed.sim.sphere import cross, normalize, slerp
from godseed.sim.terrain import ground
from godseed.sim.timeline import ALWAYS, Event, Timeline, landing_times
from godseed.sim.tools.inscribe_wish import RING_SPEED
from godseed.spec import constants

SETTLED_S = 60.0
"""Age of a feature that has long been there, seconds."""
DESIGN_RISE_MS = 2000.0
"""Shaders pace growth for a rise of two seconds; other lengths scale the ages."""
SCENES_KEPT = 24


@dataclass(frozen=True)
class BufferView:
    """Rows of one buffer and the ground under their anchors, before and after the rising feature.

    Attributes:
        rows: (r, width) float32.
        ground_before: (r, g) float32 or None where the format has no anchors.
        ground: (r, g) float32 or None.
    """

    rows: F32
    ground_before: F32 | None
    ground: F32 | None


@dataclass(frozen=True)
class Frame:
    """Everything the renderer needs for one picture.

    Attributes:
        uniforms: name -> number, or tuple of numbers (matrices column-major), all exactly
            representable in float32.
        ages: (n,) float32 seconds since each feature landed.
        buffers: name -> rows, only those that are drawn.
        planet: vertices and faces of the planet.
        near: whether the camera stands near the ground: its mesh is finer, and what stands on it
            throws shadows.
        pose: the camera, for overlays and tests.
        shot: canonical text of the shot, empty for a pose of the timeline.
        time_ms: time of the frame.
    """

    uniforms: Mapping[str, float | tuple[float, ...]]
    ages: F32
    buffers: Mapping[str, BufferView]
    planet: PlanetView
    near: bool
    pose: Pose
    shot: str
    time_ms: int


class Stage:
    """A feature list with landing times: gives the frame at any time, in any order, for any shot.

    Scenes of prefixes are kept and extended, so playing forward costs what each feature costs; what
    is returned never depends on what was asked before.
    """

    def __init__(self, features: Sequence[Feature], timeline: Timeline | None = None) -> None:
        self.features = features
        self.timeline = timeline
        self.rise_ms = timeline.rise_ms if timeline else int(DESIGN_RISE_MS)
        self.landing_ms = landing_times(
            len(features), timeline.landed_ms if timeline else {}, self.rise_ms
        )
        self._scenes: OrderedDict[int, Scene] = OrderedDict()

    def scene(self, count: int) -> Scene:
        """The scene of the first `count` features."""
        found = self._scenes.get(count)
        if found is None:
            base = max((n for n in self._scenes if n < count), default=0)
            start = self._scenes[base] if base else Scene.empty()
            found = start.extended(self.features[len(start.features) : count])
            self._scenes[count] = found
            while len(self._scenes) > SCENES_KEPT:
                self._scenes.popitem(last=False)
        self._scenes.move_to_end(count)
        return found

    def state(self, time_ms: int) -> State:
        """What has landed and what is rising at a time."""
        count = sum(1 for landing in self.landing_ms if landing <= time_ms)
        after = self.scene(count)
        if count == 0 or self.landing_ms[count - 1] + self.rise_ms <= time_ms:
            return State(after, after, 1.0, count, 1.0)
        newest = self.landing_ms[count - 1]
        first = self.landing_ms.index(newest)
        x = (time_ms - newest) / self.rise_ms
        rest = 1.0 - x
        return State(self.scene(first), after, 1.0 - rest * rest * rest, count, x)

    def frame(self, time_ms: int, shot: str | Pose, aspect: float = 16.0 / 9.0) -> Frame:
        """Compose a frame.

        Args:
            time_ms: whole milliseconds.
            shot: a shot's text, or a pose.
            aspect: width over height.
        Raises:
            ShotError: the shot does not parse or names a feature that the world does not have.
        """
        state = self.state(time_ms)
        time_s = time_ms / 1000.0
        pose = self.pose(time_ms, parse_shot(shot)) if isinstance(shot, str) else shot
        sky = state.environment()
        buffers = dict(self._buffers(state, time_s, pose))
        near = pose.near_town > constants()["planet"]["fine_near_town"]
        light = sky.uniforms(state.town(), time_s)
        planet = planet_view(
            pose.focus if near else None,
            state.before.ground_rows(),
            state.after.ground_rows(),
        )
        uniforms = {
            **_camera_uniforms(pose, aspect),
            **light,
            **shadow_window(pose.focus, near, np.array(light["u_sun"])),
            "u_time_s": time_s,
            "u_rise": state.rise,
            "u_near_town": pose.near_town,
            "u_ring_turn": (float(cos(RING_SPEED * time_s)), float(sin(RING_SPEED * time_s))),
        }
        return Frame(
            {name: _float32(value) for name, value in uniforms.items()},
            self._ages(state.count, time_ms),
            {name: view for name, view in buffers.items() if len(view.rows)},
            planet,
            near,
            pose,
            shot if isinstance(shot, str) else "",
            time_ms,
        )

    def pose(self, time_ms: int, shot: Shot) -> Pose:
        """The camera of a shot at a time."""
        state, time_s = self.state(time_ms), time_ms / 1000.0
        if shot.kind == "town":
            return state.town_pose(time_s)
        if shot.kind == "world":
            return world_pose(state.town(), state.ground(), time_s)
        if shot.kind == "free":
            return free_pose(shot.numbers, state.ground())
        subject = self.subject(shot.feature)
        if shot.kind == "gaze":
            return state.gaze_pose(subject, time_s)
        length = constants()["timeline"]["descend_ms"] / 1000.0
        seconds = shot.seconds if shot.seconds is not None else length / 2.0
        progress = min(max(seconds / length, 0.0), 1.0)
        return state.descend_pose(subject, progress, state.town_pose(time_s))

    def subject(self, index: int) -> Subject:
        """What the camera turns to for a feature.

        Raises:
            ShotError: no such feature.
        """
        if not 0 <= index < len(self.features):
            raise ShotError(
                f"shot: feature f_{index:06d} is not in this world; "
                f"expected f_000000 to f_{len(self.features) - 1:06d}; "
                "list them with 'godseed inspect WORLD --features'"
            )
        feature = self.features[index]
        return subject_of(feature.tool, feature.args)

    def replay_pose(self, time_ms: int) -> Pose:
        """The camera of the timeline: town, then gaze after gaze, then the descent and back."""
        if self.timeline is None:
            return self.pose(time_ms, Shot("town"))
        state, time_s = self.state(time_ms), time_ms / 1000.0
        begun = [
            event
            for event in self.timeline.events
            if event.start_ms <= time_ms and event.kind in ("gaze", "descend")
        ]
        # Nothing is left of what came before a finished gaze.
        done = max((i for i, e in enumerate(begun) if _is_done(e, time_ms)), default=-1)
        if done < 0:
            pose = state.town_pose(time_s)
        else:
            pose = state.gaze_pose(self.subject(begun[done].feature), time_s)
        for event in begun[done + 1 :]:
            x = (time_ms - event.start_ms) / max(1, event.end_ms - event.start_ms)
            subject = self.subject(event.feature)
            if event.kind == "gaze":
                gaze = state.gaze_pose(subject, time_s)
                pose = state.above_ground(blend_poses(pose, gaze, float(smoothstep(0.0, 1.0, x))))
            else:
                pose = state.descend_pose(subject, min(x, 1.0), pose)
        return pose

    def _ages(self, count: int, time_ms: int) -> F32:
        landing = np.array(self.landing_ms[:count], dtype=np.float64)
        ages = (time_ms - landing) * (DESIGN_RISE_MS / self.rise_ms) / 1000.0
        return np.where(landing == ALWAYS, SETTLED_S, np.minimum(ages, SETTLED_S)).astype(
            np.float32
        )

    def _buffers(self, state: State, time_s: float, pose: Pose) -> Mapping[str, BufferView]:
        views: dict[str, BufferView] = {}
        for name, buffer in state.after.buffers.items():
            if name not in ("terrain", "light", "life"):
                views[name] = _view(buffer, state.before.buffers.get(name))
        moving: dict[str, list[F64]] = {}
        if "life" in state.after.buffers:
            rows = state.after.buffers["life"].rows.view
            for name, posed in poses(rows.astype(np.float64), state.after.paths, time_s).items():
                moving.setdefault(name, []).append(posed)
        moving.setdefault("kit:needle", []).append(_needle_row(state, pose, time_s))
        for name, blocks in moving.items():
            views[name] = _with_moving(views.get(name), np.concatenate(blocks), state)
        for name, table in sky_buffers().items():
            views[name] = BufferView(table, None, None)
        return views


@dataclass(frozen=True)
class State:
    """The world at a time: the scene before and after what is rising, how far it has risen (0..1),
    how many features there are, and the share of the rising's time that is over (0..1)."""

    before: Scene
    after: Scene
    rise: float
    count: int
    progress: float

    def town(self) -> F64:
        """(3,) town centre, moving smoothly while a feature rises."""
        if self.before is self.after:
            return self.after.town
        return slerp(self.before.town, self.after.town, self.rise)

    def ground(self) -> Ground:
        """Height of the ground at this moment."""
        if self.before is self.after:
            return lambda dirs: ground(dirs, self.after.terrain)
        return lambda dirs: (
            ground(dirs, self.before.terrain) * (1.0 - self.rise)
            + ground(dirs, self.after.terrain) * self.rise
        )

    def floor(self) -> Ground:
        """Least height of a camera over what stands, at this moment."""
        if self.before is self.after:
            return self.after.skyline.floor
        return lambda dirs: (
            self.before.skyline.floor(dirs) * (1.0 - self.rise)
            + self.after.skyline.floor(dirs) * self.rise
        )

    def above_ground(self, pose: Pose) -> Pose:
        """The pose, pushed up where it would be in the ground or in a building."""
        return above_ground(pose, self.ground(), self.floor())

    def town_pose(self, time_s: float) -> Pose:
        """The town view; between two scenes it moves as the newest feature rises."""

        def one(scene: Scene, heights: Ground) -> Pose:
            framing = town_framing(scene.town, heights, scene.skyline)
            return town_pose(scene.town, self.ground(), time_s, framing)

        return self._between(one)

    def gaze_pose(self, subject: Subject, time_s: float) -> Pose:
        """The gaze at a subject."""

        def one(scene: Scene, heights: Ground) -> Pose:
            framing = gaze_framing(subject, scene.town, heights, scene.skyline)
            return gaze_pose(subject, scene.town, self.ground(), time_s, framing)

        return self._between(one)

    def descend_pose(self, subject: Subject, progress: float, rest: Pose) -> Pose:
        """A descent to a subject, from a resting pose and back to it."""

        def one(scene: Scene, heights: Ground) -> Pose:
            glide = glide_of(subject, scene.town, heights, scene.skyline)
            return descend_pose(subject, scene.town, self.ground(), progress, rest, glide)

        return self._between(one)

    def _between(self, one: Callable[[Scene, Ground], Pose]) -> Pose:
        """A pose of the scene before and the one after, blended as the newest feature rises."""
        pose = one(self.after, lambda dirs: ground(dirs, self.after.terrain))
        if self.before is not self.after:
            then = one(self.before, lambda dirs: ground(dirs, self.before.terrain))
            pose = blend_poses(then, pose, self.rise)
        return self.above_ground(pose)

    def environment(self) -> Environment:
        """Sky and weather, crossfading while a feature rises."""
        new = environment(self.after.features)
        if self.before is self.after:
            return new
        return blend(environment(self.before.features), new, self.rise)


def _is_done(event: Event, time_ms: int) -> bool:
    return event.kind == "gaze" and time_ms >= event.end_ms


def _view(buffer: Buffer, before: Buffer | None) -> BufferView:
    """Rows with their ground after, and before where the row was there already."""
    rows = buffer.rows.view
    if not buffer.anchors:
        return BufferView(rows, None, None)
    now = buffer.ground()
    if before is None or before.sums is buffer.sums:
        return BufferView(rows, now, now)
    then = now.copy()
    earlier = before.ground()
    then[: len(earlier)] = earlier
    return BufferView(rows, then, now)


def _with_moving(view: BufferView | None, rows: F64, state: State) -> BufferView:
    """A view with posed rows behind it, standing on the ground of this moment."""
    dirs = rows[:, 0:3]
    now = ground(dirs, state.after.terrain).astype(np.float32)[:, None]
    then = (
        now
        if state.before is state.after
        else ground(dirs, state.before.terrain).astype(np.float32)[:, None]
    )
    posed = rows.astype(np.float32)
    if view is None or view.ground is None or view.ground_before is None:
        return BufferView(posed, then, now)
    return BufferView(
        np.concatenate([view.rows, posed]),
        np.concatenate([view.ground_before, then]),
        np.concatenate([view.ground, now]),
    )


def _needle_row(state: State, pose: Pose, time_s: float) -> F64:
    """The instrument above the town: prominent from afar and while it writes, small and high at
    rest near the ground. It writes where the newest feature rises."""
    needle = constants()["needle"]
    near, p = pose.near_town, state.progress
    writing = float(smoothstep(0.0, 0.22, p) * (1.0 - smoothstep(0.7, 1.0, p)))
    rest = needle["far_scale"] + (needle["near_scale"] - needle["far_scale"]) * near
    scale = rest + (needle["writing_scale"] - rest) * writing * (1.0 - 0.75 * near)
    lift = needle["far_lift"] + (needle["near_lift"] - needle["far_lift"]) * near
    lift = lift + (needle["writing_lift"] - lift) * writing * near
    bob = needle["bob"] * float(sin(time_s * needle["bob_rad_s"]))
    up = state.town()
    if writing > 0.0:
        newest = state.after.features[state.count - 1]
        place = subject_of(newest.tool, newest.args).dir
        up = up if place is None else slerp(up, place, writing)
    side = np.array([up[2], 0.0, -up[0]]) if abs(up[1]) < 0.999 else np.array([1.0, 0.0, 0.0])
    side = normalize(side)
    turn = time_s * needle["turn_rad_s"]
    front = side * float(cos(turn)) + cross(up, side) * float(sin(turn))
    tint = needle["tint"]
    return np.array([[*up, scale, *front, 1.0, *tint, 1.0, 0.0, lift + bob, 0.0, 0.0]])


def _camera_uniforms(pose: Pose, aspect: float) -> dict[str, float | tuple[float, ...]]:
    matrix = view_projection(pose, aspect)
    right, up, forward = axes(pose)
    half = pose.fov_deg * 0.5 * DEG
    tangent = float(sin(half)) / float(cos(half))
    return {
        "u_view_projection": tuple(float(matrix[i, j]) for j in range(4) for i in range(4)),
        "u_eye": tuple(map(float, pose.eye)),
        "u_right": tuple(map(float, right)),
        "u_up": tuple(map(float, up)),
        "u_forward": tuple(map(float, forward)),
        "u_lens": (tangent * aspect, tangent),
    }


def _float32(value: float | tuple[float, ...]) -> float | tuple[float, ...]:
    """Round once to float32, so that both twins hand the same bits to the shader."""
    if isinstance(value, tuple):
        return tuple(float(np.float32(x)) for x in value)
    return float(np.float32(value))
