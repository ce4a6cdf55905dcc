"""GPU copies of arrays, and the vertex arrays that feed them to programs.

Arrays that nobody can write are uploaded once and kept, the least recently used ones dropped beyond
a limit of bytes; the others are uploaded at every use into a buffer of their own slot.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import moderngl
import numpy as np
import numpy.typing as npt

from godseed.render.programs import Program

Array = npt.NDArray[Any]
LIMIT_BYTES = 384 << 20
VERTEX_ARRAYS_KEPT = 1024


@dataclass(frozen=True)
class Binding:
    """A buffer and what its columns are.

    Attributes:
        buffer: on the GPU, tightly packed float32.
        attributes: name and number of columns of each, in column order.
        instanced: advance once per instance instead of once per vertex.
    """

    buffer: moderngl.Buffer
    attributes: tuple[tuple[str, int], ...]
    instanced: bool


@dataclass(frozen=True)
class Mesh:
    """Triangles on the GPU: vertices and, where they are indexed, uint32 corners."""

    vertices: Binding
    corners: moderngl.Buffer | None


class Buffers:
    """All GPU copies of one context."""

    def __init__(self, ctx: moderngl.Context, limit_bytes: int = LIMIT_BYTES) -> None:
        self.ctx = ctx
        self.limit_bytes = limit_bytes
        self._kept: OrderedDict[Hashable, tuple[moderngl.Buffer, Array]] = OrderedDict()
        self._slots: dict[str, moderngl.Buffer] = {}
        self._vertex_arrays: OrderedDict[Hashable, moderngl.VertexArray] = OrderedDict()
        self._used: set[Hashable] = set()

    @property
    def kept_bytes(self) -> int:
        """Bytes of the arrays that are kept."""
        return sum(buffer.size for buffer, _ in self._kept.values())

    def kept(self, key: Hashable, make: Callable[[], Array]) -> moderngl.Buffer:
        """The copy of the array that `key` names; `make` gives it when there is none."""
        self._used.add(key)
        found = self._kept.get(key)
        if found is None:
            array = make()
            found = self.ctx.buffer(np.ascontiguousarray(array).tobytes()), array
            self._kept[key] = found
        self._kept.move_to_end(key)
        return found[0]

    def rows(self, slot: str, array: Array) -> moderngl.Buffer:
        """A copy of `array` (n > 0 rows): the kept one if it is read-only, else that of the slot,
        written anew.

        A kept array is known by where its memory lies, which stays its own as the cache holds on
        to it.
        """
        if not array.flags.writeable and array.flags.c_contiguous:
            place = array.__array_interface__["data"][0]
            return self.kept((place, array.shape, array.dtype.str), lambda: array)
        data = np.ascontiguousarray(array).tobytes()
        buffer = self._slots.get(slot)
        if buffer is None:
            buffer = self._slots[slot] = self.ctx.buffer(data)
            return buffer
        buffer.orphan(len(data))
        buffer.write(data)
        return buffer

    def vertex_array(
        self, program: Program, mesh: Mesh, instances: Sequence[Binding]
    ) -> moderngl.VertexArray:
        """What draws a mesh with a program and the columns that the program reads."""
        bindings = (mesh.vertices, *instances)
        corners = mesh.corners
        key = (
            program.linked.glo,
            corners.glo if corners else 0,
            *((b.buffer.glo, b.attributes) for b in bindings),
        )
        found = self._vertex_arrays.get(key)
        if found is None:
            content = [entry for b in bindings if (entry := _content(program, b))]
            found = self.ctx.vertex_array(program.linked, content, index_buffer=corners)
            self._vertex_arrays[key] = found
            while len(self._vertex_arrays) > VERTEX_ARRAYS_KEPT:
                self._vertex_arrays.popitem(last=False)[1].release()
        self._vertex_arrays.move_to_end(key)
        return found

    def end_frame(self) -> None:
        """Drop what has not been used for longest, beyond the limit; never what this frame used."""
        spare = self.kept_bytes - self.limit_bytes
        dropped = False
        for key in [key for key in self._kept if key not in self._used]:
            if spare <= 0:
                break
            buffer, _ = self._kept.pop(key)
            spare -= buffer.size
            buffer.release()
            dropped = True
        if dropped:
            # Names of released buffers come back for new ones, so no vertex array may outlive them.
            for vertex_array in self._vertex_arrays.values():
                vertex_array.release()
            self._vertex_arrays.clear()
        self._used.clear()


@cache
def buffers(ctx: moderngl.Context) -> Buffers:
    """The GPU copies of a context."""
    return Buffers(ctx)


@cache
def quad(ctx: moderngl.Context) -> Mesh:
    """The square [-1, 1]² as two counter-clockwise triangles, attribute `a_corner`."""
    corners = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)
    order = np.array([[0, 1, 2], [2, 1, 3]], np.uint32)
    return _corners(ctx, corners, order)


@cache
def triangle(ctx: moderngl.Context) -> Mesh:
    """One triangle that covers the square [-1, 1]², attribute `a_corner`."""
    corners = np.array([[-1, -1], [3, -1], [-1, 3]], np.float32)
    return _corners(ctx, corners, np.array([[0, 1, 2]], np.uint32))


def _corners(
    ctx: moderngl.Context, corners: npt.NDArray[np.float32], order: npt.NDArray[np.uint32]
) -> Mesh:
    binding = Binding(ctx.buffer(corners.tobytes()), (("a_corner", 2),), instanced=False)
    return Mesh(binding, ctx.buffer(order.tobytes()))


def _content(program: Program, binding: Binding) -> tuple[Any, ...] | None:
    """ModernGL's description of a binding, None where the program reads none of it."""
    names = [name for name, _ in binding.attributes if name in program.attributes]
    if not names:
        return None
    parts = (
        f"{width}f" if name in program.attributes else f"{width}x4"
        for name, width in binding.attributes
    )
    form = " ".join(parts) + ("/i" if binding.instanced else "")
    return (binding.buffer, form, *names)
