"""What a picture depends on besides geometry, kept at approval so that a change can be named.

`inputs.json` lies beside `geometry.json`: digests of shaders, materials and kit meshes, the draw
order, the palette and weather in force and the constants of the image chain as values, and the
uniforms of every picture. When pixels differ and geometry does not, whatever differs here is the
likely cause, by file and entry. It is evidence, not expectation: nothing fails because of it alone,
but for a kit's mesh, which is geometry.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from godseed.check.baseline import mesh_digests
from godseed.check.case_file import GoldenError, checked_object, one_of, read_json
from godseed.sim.feature import Feature
from godseed.sim.frame import Frame
from godseed.sim.scene import Scene
from godseed.spec import constants, load, path, text

INPUTS_FILE: Final = "inputs.json"
SCHEMA: Final = 1
FIELDS: Final = ("shaders", "draw_order", "materials", "spec", "meshes", "uniforms")
LONGEST_LIST: Final = 200
"""Characters of a list that is kept by value; of longer ones, a digest."""
Value = float | str | bool | None


@dataclass(frozen=True)
class Inputs:
    """What the pictures of a case depend on besides geometry.

    Attributes:
        shaders: file of `spec/glsl` -> digest.
        draw_order: names of materials.
        materials: material -> digest of its row and state.
        spec: `file path` -> value, of what is in force: palette, weather, image chain, cameras.
        meshes: kit -> digest.
        uniforms: picture -> uniform -> numbers.
    """

    shaders: Mapping[str, str]
    draw_order: tuple[str, ...]
    materials: Mapping[str, str]
    spec: Mapping[str, Value]
    meshes: Mapping[str, str]
    uniforms: Mapping[str, Mapping[str, tuple[float, ...]]]


def inputs_of(features: Sequence[Feature], scene: Scene, frames: Mapping[str, Frame]) -> Inputs:
    """The inputs of some pictures now.

    Args:
        features: the world.
        scene: built from all of them.
        frames: picture -> its composed frame.
    """
    order, rows = _materials()
    return Inputs(
        _shaders(),
        order,
        rows,
        dict(_in_force(features)),
        mesh_digests(scene),
        {name: dict(_uniforms(frame)) for name, frame in frames.items()},
    )


def causes(before: Inputs, now: Inputs, picture: str, features: Sequence[Feature]) -> list[str]:
    """What changed that can have changed a picture, one line each, data before code."""
    sky, weather = _last(features, "set_sky"), _last(features, "set_weather")
    owners = {"palettes.json palettes": sky, "palettes.json weather": weather}
    found = []
    for key in sorted({**before.spec, **now.spec}):
        old, new = before.spec.get(key), now.spec.get(key)
        if old != new:
            owner = next((f for start, f in owners.items() if key.startswith(start) and f), None)
            whose = f" ({owner.id} {owner.tool})" if owner else ""
            found.append(f"{key} {_text(old)} -> {_text(new)}{whose}")
    if before.draw_order != now.draw_order:
        found.append(_order_change(before.draw_order, now.draw_order))
    found += [f"material {name} {word}" for name, word in _apart(before.materials, now.materials)]
    found += [f"shader {name} {word}" for name, word in _apart(before.shaders, now.shaders)]
    found += [f"kit {name} {word}" for name, word in _apart(before.meshes, now.meshes)]
    old_values, values = before.uniforms.get(picture, {}), now.uniforms.get(picture, {})
    for name in sorted({**old_values, **values}):
        if old_values.get(name) != values.get(name):
            found.append(_uniform_change(name, old_values.get(name), values.get(name)))
    return found


def changed_meshes(before: Inputs | None, now: Inputs) -> list[str]:
    """Kits that both draw and whose meshes differ."""
    if before is None:
        return []
    both = sorted(set(before.meshes) & set(now.meshes))
    return [kit for kit in both if before.meshes[kit] != now.meshes[kit]]


def encode(inputs: Inputs) -> bytes:
    """The file's bytes: one entry to a line, so that a review shows what changed."""
    sections: dict[str, Any] = {
        "shaders": dict(sorted(inputs.shaders.items())),
        "draw_order": list(inputs.draw_order),
        "materials": dict(sorted(inputs.materials.items())),
        "spec": dict(sorted(inputs.spec.items())),
        "meshes": dict(sorted(inputs.meshes.items())),
    }
    lines = [f'  "schema": {SCHEMA}']
    for name, section in sections.items():
        if isinstance(section, dict):
            rows = [f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in section.items()]
            lines.append(f'  "{name}": {{\n' + ",\n".join(rows) + "\n  }")
        else:
            lines.append(f'  "{name}": {json.dumps(section)}')
    pictures = []
    for picture, uniforms in inputs.uniforms.items():
        rows = [f"      {json.dumps(k)}: {json.dumps(list(v))}" for k, v in uniforms.items()]
        pictures.append(f"    {json.dumps(picture)}: {{\n" + ",\n".join(rows) + "\n    }")
    lines.append('  "uniforms": {\n' + ",\n".join(pictures) + "\n  }")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def read_inputs(folder: Path) -> Inputs | None:
    """Read a case's inputs; None if it keeps none, or they cannot be read."""
    file = folder / INPUTS_FILE
    if not file.exists():
        return None
    try:
        row = checked_object("", read_json(file), ("schema", *FIELDS), ())
        one_of("schema", row["schema"], (SCHEMA,))
        return Inputs(
            dict(row["shaders"]),
            tuple(row["draw_order"]),
            dict(row["materials"]),
            dict(row["spec"]),
            dict(row["meshes"]),
            {p: {n: tuple(v) for n, v in rows.items()} for p, rows in row["uniforms"].items()},
        )
    except (GoldenError, ValueError, TypeError, AttributeError):
        return None


@cache
def _shaders() -> dict[str, str]:
    folder = path("materials.json").parent / "glsl"
    names = sorted(
        file.name for file in folder.iterdir() if file.suffix in (".glsl", ".vert", ".frag")
    )
    return {name: _digest(text(f"glsl/{name}")) for name in names}


@cache
def _materials() -> tuple[tuple[str, ...], dict[str, str]]:
    """Names of materials in draw order, and the digest of each row with its state."""
    document = load("materials.json")
    rows = document["materials"]
    states = document["states"]
    return tuple(row["name"] for row in rows), {
        row["name"]: _digest(json.dumps([row, states[row["state"]]], sort_keys=True))
        for row in rows
    }


def _in_force(features: Sequence[Feature]) -> Iterator[tuple[str, Value]]:
    """Leaves of the specification that this world's pictures read by value."""
    palettes = load("palettes.json")
    sky, weather = _last(features, "set_sky"), _last(features, "set_weather")
    if sky is not None:
        name = sky.args["palette"]
        yield from _leaves(f"palettes.json palettes.{name}", palettes["palettes"].get(str(name)))
    if weather is not None:
        name = weather.args["kind"]
        yield from _leaves(f"palettes.json weather.{name}", palettes["weather"].get(str(name)))
    yield from _leaves("postprocess.json", load("postprocess.json"))
    for section in ("camera", "timeline"):
        yield from _leaves(f"constants.json {section}", constants().get(section))


def _leaves(where: str, value: Any) -> Iterator[tuple[str, Value]]:
    """Numbers and texts inside a JSON value, by path; documentation is left out."""
    if isinstance(value, Mapping):
        for key in value:
            if key != "doc":
                join = " " if where.endswith(".json") else "."
                yield from _leaves(f"{where}{join}{key}", value[key])
    elif isinstance(value, (list, tuple)) and len(json.dumps(value)) > LONGEST_LIST:
        yield where, _digest(json.dumps(value))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _leaves(f"{where}[{i}]", item)
    else:
        yield where, value


def _uniforms(frame: Frame) -> Iterator[tuple[str, tuple[float, ...]]]:
    for name in sorted(frame.uniforms):
        value = frame.uniforms[name]
        yield name, value if isinstance(value, tuple) else (value,)


def _last(features: Sequence[Feature], tool: str) -> Feature | None:
    return next((feature for feature in reversed(features) if feature.tool == tool), None)


def _apart(before: Mapping[str, str], now: Mapping[str, str]) -> list[tuple[str, str]]:
    found = []
    for name in sorted({**before, **now}):
        if before.get(name) != now.get(name):
            word = "added" if name not in before else "removed" if name not in now else "changed"
            found.append((name, word))
    return found


def _order_change(before: Sequence[str], now: Sequence[str]) -> str:
    """What became of the draw order: two that changed places, one that moved, or the stretch."""
    places = [i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b]
    if len(before) == len(now) and len(places) == 2:
        return f"draw order: {before[places[0]]} and {before[places[1]]} changed places"
    if len(before) == len(now) and sorted(before) == sorted(now):
        for name in before:
            rest = [other for other in before if other != name]
            if rest == [other for other in now if other != name]:
                old, new = (_behind(name, order) for order in (before, now))
                return f"draw order: {name} moved from {old} to {new}"
    old, new = (", ".join(order[places[0] if places else 0 :]) for order in (before, now))
    return f"draw order: {old} -> {new}"


def _behind(name: str, order: Sequence[str]) -> str:
    place = list(order).index(name)
    return f"behind {order[place - 1]}" if place else "the first place"


def _uniform_change(name: str, old: tuple[float, ...] | None, new: tuple[float, ...] | None) -> str:
    if old is None or new is None:
        return f"uniform {name} {'added' if old is None else 'removed'}"
    if len(old) != len(new) or len(old) > 4:
        return f"uniform {name} changed"
    i = next(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b)
    where = f"{name}[{i}]" if len(old) > 1 else name
    return f"uniform {where} {old[i]:.6g} -> {new[i]:.6g}"


def _text(value: Value) -> str:
    if value is None:
        return "absent"
    short = isinstance(value, float) and float(f"{value:.9g}")
    return f"{short:.9g}" if short else json.dumps(value)


def _digest(words: str) -> str:
    return sha256(words.encode()).hexdigest()[:16]
