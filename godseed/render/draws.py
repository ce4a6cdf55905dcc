"""What a material draws of a frame: meshes, instances and the uniforms of each kit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import moderngl
import numpy as np

from godseed.render.buffers import Binding, Buffers, Mesh, buffers, quad, triangle
from godseed.render.materials import Material
from godseed.sim.kits import kit, kit_mesh, kit_names
from godseed.sim.scene import buffer_format
from godseed.spec import load

if TYPE_CHECKING:
    from godseed.sim.frame import BufferView, Frame

KITS, STANDING = "kit:*", "kit:standing"
"""All kits, and those that stand where they are."""
MOVING = ("life", "needle")
"""Families of the other kits."""


@dataclass(frozen=True)
class Draw:
    """One draw call.

    Attributes:
        mesh: its vertices.
        instances: columns that advance once per instance.
        count: number of instances.
        uniforms: those of this call alone.
    """

    mesh: Mesh
    instances: tuple[Binding, ...]
    count: int
    uniforms: Mapping[str, float]


def draws(ctx: moderngl.Context, frame: Frame, material: Material) -> Iterator[Draw]:
    """The draw calls of a material, kits in `kit_names` order; none if it has nothing to draw."""
    store = buffers(ctx)
    if material.mesh == "planet":
        yield Draw(_planet_mesh(store, frame), (), 1, {})
    elif not material.buffers:
        yield Draw(triangle(ctx), (), 1, {})
    for name in buffer_names(frame, material):
        view = frame.buffers.get(name) if material.mesh != "planet" else None
        if view is None or len(view.rows) == 0:
            continue
        mesh: Mesh | None = quad(ctx)
        uniforms: dict[str, float] = {}
        if name.startswith("kit:"):
            stem = name.removeprefix("kit:")
            if material.mesh in ("kit", "kit_glow"):
                mesh = _kit_mesh(store, stem, glow=material.mesh == "kit_glow")
            else:
                uniforms = {"u_footprint": kit(stem).footprint}
                mesh = mesh if kit(stem).footprint > 0.0 else None
        if mesh is not None:
            yield Draw(mesh, _instances(store, name, view), len(view.rows), uniforms)


def buffer_names(frame: Frame, material: Material) -> Iterator[str]:
    """Names of the frame's buffers that a material draws. From afar, what stands on the ground
    throws no shadow: it would be scratches."""
    for name in material.buffers:
        if name == KITS:
            yield from (f"kit:{stem}" for stem in kit_names())
        elif name == STANDING:
            standing = (stem for stem in kit_names() if kit(stem).family not in MOVING)
            yield from (f"kit:{stem}" for stem in standing if frame.near)
        else:
            yield name


def _planet_mesh(store: Buffers, frame: Frame) -> Mesh:
    planet = frame.planet
    vertices = store.kept(("planet", planet.key), lambda: planet.vertices)
    faces = store.kept(("planet faces", planet.key), lambda: planet.faces)
    return Mesh(Binding(vertices, _attributes("planet_vertex"), instanced=False), faces)


def _kit_mesh(store: Buffers, stem: str, glow: bool) -> Mesh | None:
    rows, faces = kit_mesh(stem, glow=glow)
    if len(faces) == 0:
        return None
    vertices = store.kept(("kit", stem, glow), lambda: rows.astype(np.float32))
    corners = store.kept(("kit faces", stem, glow), lambda: faces)
    return Mesh(Binding(vertices, _attributes("kit_vertex"), instanced=False), corners)


def _instances(store: Buffers, name: str, view: BufferView) -> tuple[Binding, ...]:
    form = buffer_format(name)
    columns = tuple((attribute, int(width)) for attribute, width in form["attributes"])
    bindings = [Binding(store.rows(name, view.rows), columns, instanced=True)]
    grounds = (("a_ground_before", view.ground_before), ("a_ground", view.ground))
    for attribute, ground in grounds:
        if ground is not None:
            held = store.rows(f"{name} {attribute}", ground)
            bindings.append(Binding(held, ((attribute, int(form["ground"])),), instanced=True))
    return tuple(bindings)


def _attributes(form: str) -> tuple[tuple[str, int], ...]:
    rows = load("materials.json")["formats"][form]["attributes"]
    return tuple((attribute, int(width)) for attribute, width in rows)
