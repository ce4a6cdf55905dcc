"""Planets as files for other programs: GLB with materials and light, PLY with colours, STL for
printing.

Through trimesh. Lengths are planet radii unless scaled, y is north, latitude 0 and longitude 0 is
+z. The same solids give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow

from godseed import __version__
from godseed.render.errors import MissingError, RenderError
from godseed.render.solid import Solid, joined
from godseed.sim.camera import axes
from godseed.sim.feature import feature_id
from godseed.sim.maths import F64

if TYPE_CHECKING:
    from godseed.sim.camera import Pose

FORMATS = (".glb", ".ply", ".stl")
INSTALL = "pip install 'godseed[export]'"
THIN = ("road", "water", "words")
"""Parts without thickness: seen from both sides."""
ROUGHNESS = {"ground": 0.82, "water": 0.12, "needle": 0.35}
MATTE = 0.92
"""Roughness of what ROUGHNESS does not name."""
PALETTE_LEVELS = 255.0
ALIGNED = 4
"""Texels of a palette's row are a multiple of this, as some programs read rows of four bytes."""
ASPECT = 16.0 / 9.0

U8 = npt.NDArray[np.uint8]


class MissingExportError(MissingError):
    """trimesh is not installed."""


@dataclass(frozen=True)
class Exported:
    """A file's content and what it holds.

    Attributes:
        data: the bytes.
        triangles, vertices: how many.
        bounds: (2, 3) lowest and highest corner, in the file's units.
        meshes: meshes of a GLB; 1 otherwise.
        left_out: triangles that the format has no room for.
    """

    data: bytes
    triangles: int
    vertices: int
    bounds: F64
    meshes: int
    left_out: int


def exported(
    solids: Sequence[Solid],
    ending: str,
    *,
    radius: float = 1.0,
    names: Mapping[int, str] | None = None,
    pose: Pose | None = None,
    about: Mapping[str, str] | None = None,
) -> Exported:
    """The file of some solids.

    Args:
        solids: as `godseed.render.solid_parts.solids` gives them.
        ending: one of FORMATS. A GLB has one mesh per feature and what it is made of; a PLY is one
            mesh with sRGB vertex colours; an STL holds the closed bodies only.
        radius: of the planet in the file's units.
        names: words for a feature behind its id, by world index.
        pose: puts a camera into a GLB.
        about: what the world is, kept in a GLB's `asset.extras`.
    Raises:
        RenderError: an unknown ending, or nothing to write.
        MissingExportError: trimesh is not installed.
    """
    trimesh = _trimesh()
    if ending not in FORMATS:
        raise RenderError(f"export: {ending!r}; expected one of {', '.join(FORMATS)}; choose one")
    total = sum(len(each.faces) for each in solids)
    if ending == ".stl":
        solids = [each.of(each.closed) for each in solids]
    solids = [each for each in solids if len(each.faces)]
    if not solids:
        raise RenderError("export: nothing to write; expected a part or more; leave out fewer")
    if ending == ".glb":
        scene = _scene(trimesh, solids, radius, names or {})
        if pose is not None:
            _add_camera(trimesh, scene, pose, radius)
        data = _glb(scene, solids, about or {})
        meshes = len(scene.geometry)
    else:
        data = _one_mesh(trimesh, solids, radius).export(file_type=ending[1:])
        meshes = 1
    points = np.concatenate([each.vertices for each in solids]) * radius
    triangles = sum(len(each.faces) for each in solids)
    vertices = triangles * 3 if ending == ".stl" else len(points)
    bounds = np.stack([points.min(axis=0), points.max(axis=0)])
    return Exported(bytes(data), triangles, vertices, bounds, meshes, total - triangles)


def palette(lights: Sequence[F64]) -> tuple[U8, list[F64], float]:
    """The colours of light as a picture, for materials that cannot have light per vertex.

    Args:
        lights: (n, 3) linear light of several solids.
    Returns:
        picture (k, k, 3) uint8 sRGB, a colour per texel, for each solid (n, 2) where its
        vertices find theirs (from the lower left, 0..1), and the strength that texel 255 stands
        for.
    """
    everything = np.concatenate(lights)
    strength = float(max(everything.max(), 1e-6))
    coded = _srgb8(everything / strength)
    distinct, index = np.unique(coded, axis=0, return_inverse=True)
    side = -(-int(np.ceil(np.sqrt(len(distinct)))) // ALIGNED) * ALIGNED
    picture = np.zeros((side * side, 3), np.uint8)
    picture[: len(distinct)] = distinct
    index = index.reshape(-1)
    u, v = (index % side + 0.5) / side, 1.0 - (index // side + 0.5) / side
    places = np.stack([u, v], axis=1)
    ends = np.cumsum([len(each) for each in lights])[:-1]
    return picture.reshape(side, side, 3), np.split(places, ends), strength


def camera_matrix(pose: Pose, radius: float = 1.0) -> F64:
    """Where a camera is, (4, 4): its axes right, up and backwards, and its eye."""
    right, up, forward = axes(pose)
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2] = right, up, -np.asarray(forward)
    matrix[:3, 3] = np.asarray(pose.eye) * radius
    return matrix


def _scene(trimesh: Any, solids: Sequence[Solid], radius: float, names: Mapping[int, str]) -> Any:
    """One geometry per feature, kit and material, named for whoever opens the file."""
    peak = float(np.ceil(max(each.colors.max() for each in solids) * 255.0) / 255.0) or 1.0
    shining = [each.of(_shines(each)) for each in solids if _shines(each).any()]
    picture, places, strength = palette([each.light for each in shining] or [np.zeros((1, 3))])
    image = Pillow.fromarray(picture)
    scene = trimesh.Scene()

    def add(each: Solid, uv: F64 | None) -> None:
        material = trimesh.visual.material.PBRMaterial(
            name=f"{each.part}, lit" if uv is not None else each.part,
            baseColorFactor=[peak, peak, peak, 1.0],
            metallicFactor=0.0,
            roughnessFactor=ROUGHNESS.get(each.part, MATTE),
            doubleSided=each.part in THIN,
            **({"emissiveTexture": image, "emissiveFactor": [1.0] * 3} if uv is not None else {}),
        )
        visual = trimesh.visual.TextureVisuals(uv=uv, material=material)
        linear = np.clip(each.colors / peak, 0.0, 1.0)
        opaque = np.ones((len(linear), 1))
        visual.vertex_attributes["color"] = _eighth(np.concatenate([linear, opaque], axis=1))
        mesh = trimesh.Trimesh(
            each.vertices * radius,
            each.faces.astype(np.int64),
            vertex_normals=each.normals,
            visual=visual,
            process=False,
            validate=False,
        )
        maker = int(each.feature[0])
        words = [feature_id(maker), names.get(maker, "")] if maker >= 0 else []
        if each.name not in " ".join(words):
            words.append(each.name)
        if uv is not None:
            words.append("lit")
        name = " ".join(word for word in words if word)
        scene.add_geometry(mesh, node_name=name, geom_name=name)

    for each in solids:
        dark = ~_shines(each)
        if dark.any():
            for _, part in each.of(dark).by_feature():
                add(part, None)
    for each, uv in zip(shining, places, strict=False):
        for maker in np.unique(each.feature).tolist():
            chosen = each.feature == maker
            add(each.of(chosen), uv[np.unique(each.faces[chosen].reshape(-1))])
    scene.metadata["godseed_emissive_strength"] = strength
    return scene


def _glb(scene: Any, solids: Sequence[Solid], about: Mapping[str, str]) -> bytes:
    """The scene's bytes, with how strong its light is and who made it."""
    strength = scene.metadata.pop("godseed_emissive_strength")

    def finish(tree: dict[str, Any]) -> None:
        tree["asset"] = {
            "version": "2.0",
            "generator": f"godseed {__version__}",
            "extras": dict(about),
        }
        extension = "KHR_materials_emissive_strength"
        for material in tree.get("materials", ()):
            if "emissiveTexture" in material:
                material.setdefault("extensions", {})[extension] = {"emissiveStrength": strength}
                tree["extensionsUsed"] = sorted({*tree.get("extensionsUsed", ()), extension})

    data: bytes = scene.export(
        file_type="glb", include_normals=True, unitize_normals=True, tree_postprocessor=finish
    )
    return data


def _add_camera(trimesh: Any, scene: Any, pose: Pose, radius: float) -> None:
    tangent = np.tan(np.radians(pose.fov_deg) / 2.0)
    across = float(np.degrees(2.0 * np.arctan(tangent * ASPECT)))
    scene.camera = trimesh.scene.Camera(
        name="camera", resolution=(1280, 720), fov=(across, pose.fov_deg), z_near=0.004 * radius
    )
    scene.camera_transform = camera_matrix(pose, radius)


def _one_mesh(trimesh: Any, solids: Sequence[Solid], radius: float) -> Any:
    """Everything in one mesh, coloured as it looks by lamplight."""
    whole = joined(solids, "ground", "planet")
    if whole is None:
        raise RenderError("export: nothing to write; expected a part or more; leave out fewer")
    seen = _srgb8(np.clip(whole.colors + whole.light, 0.0, 1.0))
    opaque = np.full((len(seen), 1), 255, np.uint8)
    return trimesh.Trimesh(
        whole.vertices * radius,
        whole.faces.astype(np.int64),
        vertex_normals=whole.normals,
        vertex_colors=np.concatenate([seen, opaque], axis=1),
        process=False,
        validate=False,
    )


def _shines(each: Solid) -> npt.NDArray[np.bool_]:
    """Which faces (m,) give light at any corner."""
    found: npt.NDArray[np.bool_] = np.any(each.light[each.faces] > 0.0, axis=(1, 2))
    return found


def _srgb8(linear: F64) -> U8:
    low, high = linear * 12.92, 1.055 * np.maximum(linear, 1e-9) ** (1.0 / 2.4) - 0.055
    return _eighth(np.where(linear <= 0.0031308, low, high))


def _eighth(values: F64) -> U8:
    return np.floor(np.clip(values, 0.0, 1.0) * PALETTE_LEVELS + 0.5).astype(np.uint8)


def _trimesh() -> Any:
    try:
        import trimesh
        import trimesh.visual.material
    except ImportError:
        raise MissingExportError(
            f"export: trimesh is not installed; expected it for files of planets; run: {INSTALL}"
        ) from None
    return trimesh
