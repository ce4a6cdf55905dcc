"""Shader files are put together as both twins do it, and complaints name the line to edit."""

from __future__ import annotations

from collections.abc import Mapping

import moderngl
import pytest

from godseed.render.errors import RenderError
from godseed.render.materials import Material, casters, materials
from godseed.render.programs import HEADER, OUTPUTS, Source, assemble, build, located, program

VERT = "in vec2 a_corner;\nvoid main() { gl_Position = vec4(a_corner, 0.0, 1.0); }\n"
FILES = {
    "good.vert": VERT,
    "good.frag": "out vec4 o_color;\nuniform float u_a;\nuniform vec2 u_b[2];\n"
    "void main() { o_color = vec4(u_a, u_b[1], 1.0); }\n",
    "bad.frag": '// one\n#include "part.glsl"  // said twice\n\nout vec4 o_color;\n'
    "void main() { o_color = vec4(shade(), missing); }\n",
    "deep.frag": '#include "outer.glsl"\nout vec4 o_color;\nvoid main() { o_color = inner(); }\n',
    "part.glsl": "vec3 shade() { return vec3(1.0); }\n",
    "outer.glsl": '// two lines\n// before\n#include "inner.glsl"\n',
    "inner.glsl": "vec4 inner() {\n  return nowhere;\n}\n",
    "loop.glsl": '#include "pool.glsl"\n',
    "pool.glsl": '#include "loop.glsl"\n',
    "lost.frag": '#include "gone.glsl"\n',
}


def source(file: str, files: Mapping[str, str] = FILES) -> Source:
    return assemble(file, read=files.__getitem__)


def test_header_and_definitions_come_first() -> None:
    made = assemble("good.vert", "IDS", ("TAPS 3",), FILES.__getitem__)
    assert made.text.splitlines()[:6] == [*HEADER, "#define OUTPUT_IDS", "#define TAPS 3"]
    assert made.text.startswith("#version 300 es\n")


def test_every_line_knows_its_file() -> None:
    made = source("bad.frag")
    assert len(made.lines) == len(made.text.splitlines())
    where = dict(zip(made.text.splitlines(), made.lines, strict=True))
    assert where["vec3 shade() { return vec3(1.0); }"] == "part.glsl:1"
    assert where["out vec4 o_color;"] == "bad.frag:4"
    assert where["#version 300 es"] == ""


def test_error_names_file_and_line_of_the_shader(ctx: moderngl.Context) -> None:
    with pytest.raises(RenderError, match=r"^bad\.frag:5: .*missing"):
        build(ctx, "bad", source("good.vert"), source("bad.frag"))


def test_error_inside_a_nested_include_names_the_included_file(ctx: moderngl.Context) -> None:
    with pytest.raises(RenderError, match=r"^inner\.glsl:2: .*nowhere"):
        build(ctx, "deep", source("good.vert"), source("deep.frag"))


def test_error_in_the_vertex_shader_is_not_taken_for_the_fragment_shader(
    ctx: moderngl.Context,
) -> None:
    broken = {"v.vert": "in vec2 a_corner;\n\nvoid main() { gl_Position = a_corner; }\n"}
    with pytest.raises(RenderError, match=r"^v\.vert:3: "):
        build(ctx, "v", source("v.vert", broken), source("good.frag"))


def test_link_error_names_the_program(ctx: moderngl.Context) -> None:
    fragment = (
        "in vec3 v_never;\nout vec4 o_color;\nvoid main() { o_color = vec4(v_never, 1.0); }\n"
    )
    with pytest.raises(RenderError, match=r"^linked: .*v_never"):
        build(ctx, "linked", source("good.vert"), source("f.frag", {"f.frag": fragment}))


@pytest.mark.parametrize("line", ["0:9(30): error: x", "ERROR: 0:9: x", "0(9) : error x", "0:9: x"])
def test_line_numbers_of_every_driver_are_understood(line: str) -> None:
    made = source("bad.frag")
    log = f"GLSL Compiler failed\n\nfragment_shader\n===============\n{line}\n"
    assert located("bad", log, source("good.vert"), made).startswith(f"{made.lines[8]}: ")


def test_files_that_include_each_other_are_refused() -> None:
    with pytest.raises(RenderError, match=r"break loop\.glsl -> pool\.glsl -> loop\.glsl"):
        source("loop.glsl")


def test_missing_include_names_who_wants_it() -> None:
    with pytest.raises(RenderError, match=r"^lost\.frag: no shader file 'gone\.glsl'"):
        source("lost.frag")


def test_missing_shader_of_the_specification_is_named() -> None:
    with pytest.raises(RenderError, match=r"no shader file 'nothing\.vert'"):
        assemble("nothing.vert")


def test_uniform_without_a_value_is_named(ctx: moderngl.Context) -> None:
    made = build(ctx, "good", source("good.vert"), source("good.frag"))
    with pytest.raises(RenderError, match=r"^good: nothing gives uniform 'u_a'"):
        made.set({"u_b": ((0.0, 0.0), (0.0, 0.0))})


def test_uniform_of_the_wrong_length_is_named(ctx: moderngl.Context) -> None:
    made = build(ctx, "good", source("good.vert"), source("good.frag"))
    with pytest.raises(RenderError, match=r"'u_b' came with 3 numbers; expected 4"):
        made.set({"u_a": 1.0, "u_b": (1.0, 2.0, 3.0)})


def test_first_mapping_wins(ctx: moderngl.Context) -> None:
    made = build(ctx, "good", source("good.vert"), source("good.frag"))
    made.set({"u_a": 2.0}, {"u_a": 3.0, "u_b": (0.0, 0.0, 0.0, 0.0)})
    uniform = made.linked["u_a"]
    assert isinstance(uniform, moderngl.Uniform)
    assert uniform.value == 2.0


@pytest.mark.parametrize("stem", sorted({material.program for material in materials()}))
def test_scene_programs_compile_for_every_output(ctx: moderngl.Context, stem: str) -> None:
    for output in OUTPUTS:
        assert program(ctx, stem, output).name == stem


@pytest.mark.parametrize("caster", casters(), ids=lambda caster: caster.name)
def test_casters_compile_with_the_vertex_shader_of_what_casts(
    ctx: moderngl.Context, caster: Material
) -> None:
    made = program(ctx, caster.program, vertex=caster.vertex)
    assert made.name == "shadow"
    assert made.samplers in ((), ("u_ages",))
