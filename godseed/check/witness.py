"""An independent witness: pyrender draws the same triangles, and its depth must agree with ours.

pyrender knows nothing of our shaders. It gets the triangles that `godseed.render.solid_parts` works
out on the CPU and a camera, and gives a depth buffer; our renderer draws the frame with its own
shaders. Where the two agree, the shaders place things where the exported files say they are.

pyrender keeps its GL state to itself in a process of its own: two GL contexts in one process would
take each other's place. Depth is the distance along the view direction in planet radii.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from godseed.render.errors import MissingError, RenderError
from godseed.render.export import camera_matrix
from godseed.render.renderer import Renderer
from godseed.render.solid import Solid
from godseed.render.solid_parts import solids
from godseed.render.viewer import INSTALL
from godseed.sim.camera import Pose
from godseed.sim.frame import BufferView, Frame, Stage
from godseed.sim.genesis import genesis_features
from godseed.sim.kits import instance_rows, kit, kit_names
from godseed.sim.maths import F32, F64
from godseed.sim.sphere import direction, east_north

TOLERANCE = 1e-3
"""Planet radii by which two depths may differ."""
NEAR, FAR = 0.004, 60.0
SIZE = (240, 240)
SEED24 = 91.0
AWAY, FOV_DEG = 2.6, 30.0
"""Distance of the camera in sizes of the kit, and its field of view."""

GROUND_DEG = 22.0
"""How far round a kit the ground is drawn."""
MODULE = "godseed.check.witness"


class MissingWitnessError(MissingError):
    """pyrender is not installed, or cannot draw here."""


@dataclass(frozen=True)
class View:
    """What a witness is asked to draw: triangles, a camera and a picture size."""

    vertices: F64
    faces: npt.NDArray[np.uint32]
    both_sides: npt.NDArray[np.bool_]
    pose: Pose
    size: tuple[int, int]


@dataclass(frozen=True)
class Agreement:
    """How two depth buffers of one view compare.

    Attributes:
        pixels: that both cover.
        worst: largest difference over those, planet radii, jumps of depth left out: there a hair's
            breadth decides what is seen.
        disagreeing: share of the covered pixels that differ by more than TOLERANCE, jumps included.
        silhouette_iou: of what the two cover, 0..1.
    """

    pixels: int
    worst: float
    disagreeing: float
    silhouette_iou: float


def view_of(solid_list: Sequence[Solid], pose: Pose, size: tuple[int, int] = SIZE) -> View:
    """Solids as a view; what has no thickness is seen from both sides, as ours does."""
    first = np.cumsum([0, *(len(each.vertices) for each in solid_list[:-1])])
    faces = [each.faces + np.uint32(k) for each, k in zip(solid_list, first, strict=True)]
    thin = [
        np.full(len(each.faces), each.part in ("road", "water", "words")) for each in solid_list
    ]
    return View(
        np.concatenate([each.vertices for each in solid_list]),
        np.concatenate(faces).astype(np.uint32),
        np.concatenate(thin),
        pose,
        size,
    )


def kit_frame(name: str, azimuth_deg: float = 205.0) -> Frame:
    """One kit alone on the barren planet at a moment, with a camera that it fills.

    Args:
        name: one of `kit_names()`.
        azimuth_deg: compass bearing of the camera from the kit.
    Raises:
        KeyError: there is no such kit.
    """
    info = kit(name)
    up = direction(20.0, 30.0)
    east, north = east_north(up)
    rows = instance_rows(up[None], north[None], 1.0, np.zeros(1, np.int64), seed24=SEED24)
    stage = _stage()
    ground = stage.state(4000).ground()(up[None]).astype(np.float32)[:, None]
    turn = np.radians(azimuth_deg)
    side = east * np.sin(turn) + north * np.cos(turn)
    reach = max(info.height, 2.0 * info.half_width, 2.0 * info.half_depth)
    middle = up * (1.0 + float(ground[0, 0]) + 0.5 * info.height)
    eye = middle + (side + 0.35 * up) * reach * AWAY
    pose = Pose(eye, middle, up, FOV_DEG, 1.0, up)
    drawn = stage.frame(4000, pose, SIZE[0] / SIZE[1])
    view = BufferView(rows.astype(np.float32), ground, ground)
    return replace(drawn, buffers={f"kit:{name}": view})


def kit_solids(name: str, frame: Frame) -> tuple[Solid, Solid]:
    """The kit of a `kit_frame`, and the ground near it, which hides its foot."""
    scene = _stage().scene(len(genesis_features()))
    kit_solid = solids(frame, scene, parts=(kit(name).family,))[0]
    if kit_solid.name != name:
        raise RenderError(f"witness: {kit_solid.name!r}; expected {name!r}; use its kit_frame")
    return kit_solid, _ground_near(frame)


def kit_agreements(names: Sequence[str] = ()) -> dict[str, tuple[Agreement, float]]:
    """Every kit drawn by us and by pyrender.

    Args:
        names: of kits; all if empty.
    Returns:
        per kit how the depths of kit and ground agree, and the intersection over union of the
        kit's own silhouettes, 0..1.
    Raises:
        MissingWitnessError: no pyrender.
        RenderError: ours cannot draw.
    """
    chosen = tuple(names) or kit_names()
    frames = [kit_frame(name) for name in chosen]
    views = []
    for name, frame in zip(chosen, frames, strict=True):
        own, ground = kit_solids(name, frame)
        views += [view_of([own, ground], frame.pose), view_of([ground], frame.pose)]
    theirs, _ = witnessed(views)
    drawer = Renderer(SIZE, 0)
    found = {}
    for i, (name, frame) in enumerate(zip(chosen, frames, strict=True)):
        ours, together, ground_only = drawer.depth(frame), theirs[2 * i], theirs[2 * i + 1]
        shown = drawer.ids(frame) == 0
        seen = np.isfinite(together) & ~(together >= ground_only)
        overlap = float((shown & seen).sum() / max(int((shown | seen).sum()), 1))
        # Beyond the patch of ground only ours has a planet.
        known = np.where(np.isfinite(together) | shown, ours, np.float32(np.inf))
        found[name] = agreement(known, together), overlap
    drawer.release()
    return found


def witnessed(views: Sequence[View], repeats: int = 1) -> tuple[list[F32], list[float]]:
    """Draw views with pyrender.

    Args:
        views: what to draw.
        repeats: pictures of each; times are of the last, with everything on the GPU.
    Returns:
        per view its depth (h, w) float32, inf where nothing is, rows from the top; and the seconds
        of one picture with shading.
    Raises:
        MissingWitnessError: no pyrender, or no OpenGL for it.
    """
    if find_spec("pyrender") is None:
        raise MissingWitnessError(
            f"witness: pyrender is not installed; expected it to draw beside us; run: {INSTALL}"
        )
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "asked.npz"), Path(folder, "answered.npz")
        _save(asked, views, repeats)
        done = subprocess.run(
            [sys.executable, "-m", MODULE, str(asked), str(answered)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYOPENGL_PLATFORM": "egl"},
            check=False,
        )
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            raise MissingWitnessError(
                f"witness: pyrender: {last}; expected headless OpenGL (EGL); run 'godseed doctor'"
            )
        with np.load(answered) as found:
            depths = [np.asarray(found[f"depth_{i}"]) for i in range(len(views))]
            return depths, [float(x) for x in found["seconds"]]


def agreement(ours: F32, theirs: F32) -> Agreement:
    """Compare two depth buffers (h, w) of one view, inf where nothing is."""
    if ours.shape != theirs.shape:
        raise RenderError(f"witness: {ours.shape} and {theirs.shape}; expected one size; redraw")
    a, b = np.isfinite(ours), np.isfinite(theirs)
    both, either = a & b, a | b
    difference = np.abs(np.where(both, ours, 0.0) - np.where(both, theirs, 0.0))
    plain = both & ~(_jumps(ours) | _jumps(theirs))
    return Agreement(
        int(both.sum()),
        float(difference[plain].max()) if plain.any() else 0.0,
        float((difference[both] > TOLERANCE).mean()) if both.any() else 0.0,
        float(both.sum() / either.sum()) if either.any() else 1.0,
    )


def _ground_near(frame: Frame) -> Solid:
    """The ground round what a frame is about; worked out once for frames that share it."""
    if frame.planet.key not in _grounds:
        ground = solids(frame, _stage().scene(len(genesis_features())), parts=("ground",))[0]
        around = ground.vertices @ np.asarray(frame.pose.focus) > np.cos(np.radians(GROUND_DEG))
        _grounds.clear()
        _grounds[frame.planet.key] = ground.of(np.all(around[ground.faces], axis=1))
    return _grounds[frame.planet.key]


_grounds: dict[str, Solid] = {}


@cache
def _stage() -> Stage:
    return Stage(genesis_features())


def _jumps(depth: F32) -> npt.NDArray[np.bool_]:
    """Pixels (h, w) beside one that is much nearer or farther than the slope of a surface."""
    padded = np.pad(np.where(np.isfinite(depth), depth, np.float32(FAR)), 1, mode="edge")
    h, w = depth.shape
    near = [padded[y : y + h, x : x + w] for y in range(3) for x in range(3)]
    spread: npt.NDArray[np.bool_] = np.max(near, axis=0) - np.min(near, axis=0) > TOLERANCE
    return spread


def _save(path: Path, views: Sequence[View], repeats: int) -> None:
    arrays: dict[str, Any] = {"count": len(views), "repeats": repeats}
    for i, view in enumerate(views):
        arrays |= {
            f"vertices_{i}": view.vertices,
            f"faces_{i}": view.faces,
            f"both_sides_{i}": view.both_sides,
            f"matrix_{i}": camera_matrix(view.pose),
            f"fov_{i}": view.pose.fov_deg,
            f"size_{i}": view.size,
        }
    np.savez(path, **arrays)


def _draw_all(asked: Path, answered: Path) -> None:
    """What the process of the witness does."""
    import pyrender

    results: dict[str, Any] = {}
    seconds = []
    drawer = pyrender.OffscreenRenderer(*SIZE)
    with np.load(asked) as given:
        for i in range(int(given["count"])):
            scene = pyrender.Scene(ambient_light=(0.2, 0.2, 0.2))
            thin = given[f"both_sides_{i}"]
            for chosen in (thin, ~thin):
                if not chosen.any():
                    continue
                material = pyrender.MetallicRoughnessMaterial(
                    doubleSided=bool(chosen is thin), metallicFactor=0.0, baseColorFactor=np.ones(4)
                )
                corners = given[f"vertices_{i}"][given[f"faces_{i}"][chosen].reshape(-1)]
                normals = _flat_normals(corners)
                primitive = pyrender.Primitive(
                    positions=corners.astype(np.float32),
                    normals=normals.astype(np.float32),
                    material=material,
                )
                scene.add(pyrender.Mesh([primitive]))
            matrix, fov = given[f"matrix_{i}"], float(given[f"fov_{i}"])
            width, height = (int(x) for x in given[f"size_{i}"])
            focal = 0.5 * height / np.tan(np.radians(fov) / 2.0)
            camera = pyrender.IntrinsicsCamera(
                focal, focal, 0.5 * width, 0.5 * height, znear=NEAR, zfar=FAR
            )
            scene.add(camera, pose=matrix)
            scene.add(pyrender.DirectionalLight(intensity=3.0), pose=matrix)
            if (drawer.viewport_width, drawer.viewport_height) != (width, height):
                drawer.viewport_width, drawer.viewport_height = width, height
            drawer.render(scene, flags=pyrender.RenderFlags.DEPTH_ONLY)
            # Its depth is that of the first of several samples, which is not in the pixel's centre.
            x, y = _first_sample(drawer)
            camera.cx, camera.cy = 0.5 * width + x - 0.5, 0.5 * height - (y - 0.5)
            depth = drawer.render(scene, flags=pyrender.RenderFlags.DEPTH_ONLY)
            spent = 0.0
            for _ in range(int(given["repeats"])):
                begun = time.perf_counter()
                drawer.render(scene)
                spent = time.perf_counter() - begun
            results[f"depth_{i}"] = np.where(depth > 0.0, depth, np.inf).astype(np.float32)
            seconds.append(spent)
    drawer.delete()
    np.savez(answered, seconds=np.array(seconds), **results)


def _first_sample(drawer: Any) -> tuple[float, float]:
    """Where in a pixel the first sample lies, from its lower left, 0..1."""
    from OpenGL import GL

    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, drawer._renderer._main_fb_ms)
    place = np.zeros(2, np.float32)
    GL.glGetMultisamplefv(GL.GL_SAMPLE_POSITION, 0, place)
    return float(place[0]), float(place[1])


def _flat_normals(corners: F64) -> F64:
    """A normal for each corner (3 m, 3) of m triangles."""
    a, b, c = corners[0::3], corners[1::3], corners[2::3]
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-20)
    flat: F64 = np.repeat(normal, 3, axis=0)
    return flat


if __name__ == "__main__":
    _draw_all(Path(sys.argv[1]), Path(sys.argv[2]))
