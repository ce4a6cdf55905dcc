"""Shader programs: GLSL files of the specification, includes resolved, compiled once per context.

Both twins put the same lines before a shader (`HEADER`, then `OUTPUT_` and other definitions) and
resolve the same `#include "file"` lines. A compile error names the file and line to edit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import moderngl
import numpy as np

from godseed.render.errors import RenderError
from godseed.spec import text

HEADER = (
    "#version 300 es",
    "precision highp float;",
    "precision highp int;",
    "precision highp sampler2D;",
)
OUTPUTS = ("COLOR", "IDS", "DEPTH")
INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"\s*(?://.*)?$')
SAMPLERS = (0x8B5E, 0x8B62, 0x8DD2, 0x8DCA, 0x8DC1)
"""GL_SAMPLER_2D, GL_SAMPLER_2D_SHADOW, GL_UNSIGNED_INT_SAMPLER_2D, GL_INT_SAMPLER_2D,
GL_SAMPLER_2D_ARRAY."""
# Mesa, Intel and ANGLE: "0:37(12): error", "ERROR: 0:37:"; NVIDIA: "0(37) : error".
LOCATION = re.compile(r"^(?:ERROR:\s*)?\d+[:(](\d+)\)?(?:\(\d+\))?\s*:\s*(.*)$")

UniformValue = float | int | Sequence[float] | Sequence[Sequence[float]]
Reader = Callable[[str], str]


@dataclass(frozen=True)
class Source:
    """One shader ready to compile. `lines[i]` is where line i + 1 of `text` comes from, "" for the
    lines put before it."""

    text: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Slot:
    """An active uniform: its numbers are floats or 32-bit integers, `count` of them."""

    uniform: moderngl.Uniform
    floats: bool
    count: int


@dataclass(frozen=True)
class Program:
    """A linked program and what it reads.

    Attributes:
        name: for messages.
        linked: the program.
        uniforms: the active ones but samplers.
        samplers: names of the active textures; their unit is their position here.
        attributes: names of the active vertex attributes.
    """

    name: str
    linked: moderngl.Program
    uniforms: tuple[Slot, ...]
    samplers: tuple[str, ...]
    attributes: frozenset[str]

    def set(self, *values: Mapping[str, UniformValue]) -> None:
        """Write every active uniform from the first mapping that has it.

        Raises:
            RenderError: a uniform has no value, or one of the wrong size.
        """
        for slot in self.uniforms:
            name = slot.uniform.name
            found = next((v[name] for v in values if name in v), None)
            if found is None:
                raise RenderError(
                    f"{self.name}: nothing gives uniform {name!r}; expected a value in the frame; "
                    "add it there or remove it from the shader"
                )
            flat = np.asarray(found, dtype=np.float32 if slot.floats else np.int32).ravel()
            if flat.size != slot.count:
                raise RenderError(
                    f"{self.name}: uniform {name!r} came with {flat.size} numbers; "
                    f"expected {slot.count}; correct the frame"
                )
            slot.uniform.write(flat.tobytes())


@cache
def program(
    ctx: moderngl.Context,
    name: str,
    output: str = "COLOR",
    vertex: str | None = None,
    defines: tuple[str, ...] = (),
) -> Program:
    """The program of `<vertex or name>.vert` and `<name>.frag`, compiled at the first call.

    Args:
        ctx: the context.
        name: stem of the fragment shader.
        output: `COLOR`, `IDS` or `DEPTH`.
        vertex: stem of the vertex shader where it differs.
        defines: further definitions, such as `TAPS 3`.
    Raises:
        RenderError: a file is missing or does not compile.
    """
    return build(
        ctx,
        name,
        assemble(f"{vertex or name}.vert", output, defines),
        assemble(f"{name}.frag", output, defines),
    )


def assemble(
    file: str, output: str = "COLOR", defines: tuple[str, ...] = (), read: Reader | None = None
) -> Source:
    """A shader file with its header and includes.

    Args:
        file: name in `glsl/` of the specification.
        output: `COLOR`, `IDS` or `DEPTH`.
        defines: further definitions.
        read: gives the text of a file; by default from the specification.
    Raises:
        RenderError: a file is missing, or files include each other in a circle.
    """
    lines: list[str] = [*HEADER, *(f"#define {d}" for d in (f"OUTPUT_{output}", *defines))]
    origins: list[str] = [""] * len(lines)
    _expand(file, read or _read_spec, (), lines, origins)
    return Source("\n".join(lines) + "\n", tuple(origins))


def build(ctx: moderngl.Context, name: str, vertex: Source, fragment: Source) -> Program:
    """Compile and link two shaders.

    Raises:
        RenderError: they do not; the text holds `file:line: reason` for each complaint.
    """
    try:
        linked = ctx.program(vertex_shader=vertex.text, fragment_shader=fragment.text)
    except moderngl.Error as error:
        raise RenderError(located(name, str(error), vertex, fragment)) from None
    slots: list[Slot] = []
    samplers: list[str] = []
    attributes: list[str] = []
    for member in (linked[key] for key in linked):
        if isinstance(member, moderngl.Attribute):
            attributes.append(member.name)
        elif isinstance(member, moderngl.Uniform):
            details: Any = member  # these fields are missing from the library's type hints
            if details.gl_type in SAMPLERS:
                samplers.append(member.name)
            else:
                count = member.dimension * member.array_length
                slots.append(Slot(member, details.fmt.endswith("f"), count))
    samplers.sort()
    for unit, sampler in enumerate(samplers):
        linked[sampler] = unit
    return Program(name, linked, tuple(slots), tuple(samplers), frozenset(attributes))


def located(name: str, log: str, vertex: Source, fragment: Source) -> str:
    """A driver's log with its line numbers turned into `file:line`."""
    source, found = fragment, []
    for line in (raw.strip() for raw in log.splitlines()):
        if line in ("vertex_shader", "fragment_shader"):
            source = vertex if line == "vertex_shader" else fragment
        elif match := LOCATION.match(line):
            number = int(match[1])
            known = 0 < number <= len(source.lines) and source.lines[number - 1]
            found.append(f"{known or name}: {match[2]}")
        elif line and not line.startswith(("===", "GLSL ", "Program")):
            found.append(f"{name}: {line}")
    return "\n".join(found) or f"{name}: the driver refused the program without a reason"


def _read_spec(file: str) -> str:
    return text(f"glsl/{file}")


def _expand(
    file: str, read: Reader, inside: tuple[str, ...], lines: list[str], origins: list[str]
) -> None:
    if file in inside:
        raise RenderError(
            f"{inside[-1]}: includes {file!r}, which includes it; expected no circle; "
            f"break {' -> '.join((*inside, file))}"
        )
    try:
        body = read(file)
    except (FileNotFoundError, KeyError):
        where = inside[-1] if inside else "render.programs"
        raise RenderError(
            f"{where}: no shader file {file!r}; expected it in godseed/spec/glsl; check the name"
        ) from None
    for number, line in enumerate(body.splitlines(), 1):
        if match := INCLUDE.match(line):
            _expand(match[1], read, (*inside, file), lines, origins)
        else:
            lines.append(line)
            origins.append(f"{file}:{number}")
