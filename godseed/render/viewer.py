"""A window to walk round a planet: pyrender's interactive viewer over the solids of a frame.

Its lamps and shading are pyrender's, not those of pictures: it is for looking at shapes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from godseed.render.errors import MissingError
from godseed.render.export import ROUGHNESS, THIN, camera_matrix, palette
from godseed.render.solid import Solid

if TYPE_CHECKING:
    from godseed.sim.camera import Pose

INSTALL = "pip install 'godseed[view]'"
NIGHT = (0.008, 0.007, 0.013, 1.0)
AMBIENT = (0.10, 0.09, 0.12)
KEY, FILL = 5.0, 1.2
"""Light from the sun and from behind the eye."""
FRAMES_PER_S = 30.0


class MissingViewerError(MissingError):
    """pyrender, or a display to open a window on, is missing."""


def viewer_scene(solids: Sequence[Solid], pose: Pose, sun: tuple[float, ...]) -> Any:
    """A pyrender scene of some solids, lit and with a camera.

    Args:
        solids: as `godseed.render.solid_parts.solids` gives them.
        pose: of the camera.
        sun: (3,) unit vector towards the sun.
    Raises:
        MissingViewerError: pyrender is not installed.
    """
    pyrender = _pyrender()
    scene = pyrender.Scene(bg_color=NIGHT, ambient_light=AMBIENT)
    for each in solids:
        if len(each.faces):
            scene.add(pyrender.Mesh([_primitive(pyrender, each)]), name=each.name)
    yfov = float(np.radians(pose.fov_deg))
    scene.add(
        pyrender.PerspectiveCamera(yfov=yfov, znear=0.004, zfar=60.0), pose=camera_matrix(pose)
    )
    for towards, strength in ((np.array(sun), KEY), (np.asarray(pose.eye), FILL)):
        light = pyrender.DirectionalLight(color=np.ones(3), intensity=strength)
        scene.add(light, pose=_looking(-towards / np.linalg.norm(towards)))
    return scene


def open_viewer(
    solids: Sequence[Solid],
    pose: Pose,
    sun: tuple[float, ...],
    size: tuple[int, int],
    title: str,
    seconds: float | None = None,
) -> None:
    """Show a window until it is closed.

    Args:
        solids, pose, sun: see `viewer_scene`.
        size: of the window, pixels.
        title: of the window.
        seconds: close by itself after this long.
    Raises:
        MissingViewerError: there is no pyrender or no display.
    """
    require_display()
    pyrender = _pyrender()
    import pyglet

    scene = viewer_scene(solids, pose, sun)
    if seconds is not None:
        pyglet.clock.schedule_once(lambda _: pyglet.app.exit(), seconds)
    try:
        pyrender.Viewer(
            scene,
            viewport_size=size,
            render_flags={"shadows": False},
            viewer_flags={
                "window_title": title,
                "refresh_rate": FRAMES_PER_S,
                "view_center": np.asarray(pose.target, np.float64),
                "use_direct_lighting": False,
            },
        )
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if kinds & {"NoSuchDisplayException", "NoSuchConfigException", "ContextException"}:
            raise MissingViewerError(
                f"view: {str(error) or type(error).__name__}; expected a display with OpenGL; "
                "run it on a desktop, or: xvfb-run godseed view WORLD"
            ) from None
        raise


def require_display() -> None:
    """Refuse where no window can open.

    Raises:
        MissingViewerError: with what is missing and the line that mends it.
    """
    if find_spec("pyrender") is None or find_spec("pyglet") is None:
        raise MissingViewerError(
            f"view: pyrender is not installed; expected it for the window; run: {INSTALL}"
        )
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise MissingViewerError(
            "view: no display (DISPLAY is not set); expected a desktop; use 'godseed render' for a "
            "picture, 'godseed export' for a file, or run: xvfb-run godseed view WORLD"
        )


def _primitive(pyrender: Any, each: Solid) -> Any:
    """One kit or surface with its colours, and its light through a texture of colours."""
    shines = bool((each.light > 0.0).any())
    glow: dict[str, Any] = {}
    uv = None
    if shines:
        picture, places, _ = palette([each.light])
        uv = np.stack([places[0][:, 0], places[0][:, 1]], axis=1).astype(np.float32)
        texture = pyrender.Texture(source=picture, source_channels="RGB")
        glow = {"emissiveTexture": texture, "emissiveFactor": np.ones(3)}
    material = pyrender.MetallicRoughnessMaterial(
        baseColorFactor=np.ones(4),
        metallicFactor=0.0,
        roughnessFactor=ROUGHNESS.get(each.part, 0.92),
        doubleSided=each.part in THIN,
        **glow,
    )
    opaque = np.ones((len(each.colors), 1))
    return pyrender.Primitive(
        positions=each.vertices.astype(np.float32),
        normals=each.normals.astype(np.float32),
        texcoord_0=uv,
        color_0=np.concatenate([each.colors, opaque], axis=1).astype(np.float32),
        indices=each.faces.astype(np.uint32),
        material=material,
    )


def _looking(forward: Any) -> Any:
    """A pose (4, 4) whose -z looks along a unit vector."""
    up = np.array([0.0, 1.0, 0.0]) if abs(forward[1]) < 0.99 else np.array([1.0, 0.0, 0.0])
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2] = right, np.cross(right, forward), -forward
    return matrix


def _pyrender() -> Any:
    """pyrender, with the NumPy name that it still asks for."""
    names: dict[str, Callable[..., Any] | float] = vars(np)
    names.setdefault("infty", np.inf)
    try:
        import pyrender
    except ImportError:
        raise MissingViewerError(
            f"view: pyrender is not installed; expected it for the window; run: {INSTALL}"
        ) from None
    return pyrender
