"""GPU copies: kept while nobody can change the array, written anew otherwise, bounded."""

from __future__ import annotations

import moderngl
import numpy as np
import pytest

from godseed.render.buffers import Binding, Buffers, Mesh, quad
from godseed.render.context import rest
from godseed.render.materials import apply, state
from godseed.render.programs import Source, build

HEAD = "#version 300 es\nprecision highp float;\n"


def frozen(count: int, value: float = 1.0) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = np.full((count, 4), value, np.float32)
    rows.flags.writeable = False
    return rows


def test_read_only_array_is_uploaded_once(ctx: moderngl.Context) -> None:
    store, rows = Buffers(ctx), frozen(3)
    assert store.rows("a", rows) is store.rows("b", rows)
    assert store.kept_bytes == rows.nbytes


def test_longer_view_of_the_same_memory_is_another_buffer(ctx: moderngl.Context) -> None:
    store, rows = Buffers(ctx), frozen(4)
    assert store.rows("a", rows[:2]) is not store.rows("a", rows)


def test_writable_array_is_read_at_every_use(ctx: moderngl.Context) -> None:
    store, rows = Buffers(ctx), np.ones((2, 4), np.float32)
    first = store.rows("a", rows)
    rows[:] = 7.0
    again = store.rows("a", np.concatenate([rows, rows]))
    assert again is first
    assert np.frombuffer(again.read(), np.float32).tolist() == [7.0] * 16


def test_least_recently_used_copies_go_first_and_this_frame_stays(ctx: moderngl.Context) -> None:
    store = Buffers(ctx, limit_bytes=2 * frozen(4).nbytes)
    arrays = [frozen(4, float(i)) for i in range(4)]
    for array in arrays[:2]:
        store.rows("a", array)
    store.end_frame()
    held = [store.rows("a", array) for array in arrays[1:]]
    store.end_frame()
    assert store.kept_bytes == 3 * arrays[0].nbytes
    assert [np.frombuffer(b.read(), np.float32)[0] for b in held] == [1.0, 2.0, 3.0]
    store.end_frame()
    assert store.kept_bytes == 2 * arrays[0].nbytes


@pytest.mark.parametrize("limit", [0, 1 << 20])
def test_eviction_never_changes_what_is_drawn(ctx: moderngl.Context, limit: int) -> None:
    vertex = HEAD + (
        "in vec2 a_corner;\nin vec4 a_first;\nin vec4 a_last;\nout vec4 v_color;\n"
        "void main() { v_color = a_last; gl_Position = vec4(a_corner, a_first.x * 0.0, 1.0); }\n"
    )
    fragment = HEAD + "in vec4 v_color;\nout vec4 o_color;\nvoid main() { o_color = v_color; }\n"
    made = build(ctx, "t", Source(vertex, ()), Source(fragment, ()))
    target = ctx.framebuffer([ctx.renderbuffer((1, 1), 4)])
    store = Buffers(ctx, limit_bytes=limit)
    columns = (("a_first", 4), ("a_unread", 4), ("a_last", 4))
    for value in (1.0, 0.2, 1.0, 0.6):
        rows = np.full((1, 12), value, np.float32)
        rows.flags.writeable = False
        binding = Binding(store.rows("a", rows), columns, instanced=True)
        # State is a draw's own business: what ran before in this process may have left blending on.
        apply(ctx, target, state("screen"), blend=True)
        store.vertex_array(made, quad(ctx), (binding,)).render(instances=1)
        store.end_frame()
        assert target.read(components=1) == bytes([int(value * 255 + 0.5)])
    rest(ctx)


def test_mesh_without_corners_draws_its_vertices(ctx: moderngl.Context) -> None:
    vertex = HEAD + "in vec2 a_corner;\nvoid main() { gl_Position = vec4(a_corner, 0.0, 1.0); }\n"
    fragment = HEAD + "out vec4 o_color;\nvoid main() { o_color = vec4(1.0); }\n"
    made = build(ctx, "t", Source(vertex, ()), Source(fragment, ()))
    corners = np.array([[-1, -1], [3, -1], [-1, 3]], np.float32)
    mesh = Mesh(Binding(ctx.buffer(corners.tobytes()), (("a_corner", 2),), False), None)
    target = ctx.framebuffer([ctx.renderbuffer((2, 2), 1)])
    target.use()
    Buffers(ctx).vertex_array(made, mesh, ()).render()
    assert target.read(components=1, alignment=1) == b"\xff" * 4
    rest(ctx)
