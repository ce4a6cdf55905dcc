"""`godseed export`: a planet as a file for other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from godseed.cli.options import Seconds, output, output_options, writable
from godseed.cli.output import FINE, Failure
from godseed.cli.worlds import read
from godseed.render.export import FORMATS, exported
from godseed.render.solid import COARSEST, PARTS, finest_level
from godseed.render.solid_parts import solids
from godseed.sim.camera import SHOT_GRAMMAR, parse_shot
from godseed.sim.digest import geometry_digest
from godseed.sim.feature import Feature
from godseed.sim.frame import Stage

NO_SHOT = "none"
RADII = (1e-6, 1e9)


@click.command("export")
@click.argument("world")
@click.option(
    "-o", "--output", "path", required=True, metavar="FILE", help=f"{', '.join(FORMATS)}."
)
@click.option(
    "--shot",
    default=NO_SHOT,
    show_default=True,
    help=f"Camera to put into a GLB: {NO_SHOT}, or one of {SHOT_GRAMMAR}.",
)
@click.option(
    "--t", "seconds", type=Seconds(), default=4.0, show_default=True, help="Time of what moves."
)
@click.option(
    "--ground",
    "level",
    type=click.IntRange(COARSEST, finest_level()),
    help="Subdivisions of the ground; if not given, those of pictures, finer near the shot.",
)
@click.option(
    "--radius",
    type=float,
    default=1.0,
    show_default=True,
    help="Of the planet, in the file's units.",
)
@click.option("--only", multiple=True, type=click.Choice(PARTS), help="Export this; repeatable.")
@click.option("--without", multiple=True, type=click.Choice(PARTS), help="Leave out; repeatable.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Export a world as a GLB, PLY or STL file.

    GLB has one mesh per feature, named by its id, with colours and light. PLY is one coloured mesh.
    STL holds the closed bodies, for printing: windows, roads, water and words have no thickness.
    Sky, stars and weather are not exported.

    \b
    Examples:
      godseed export world.jsonl -o planet.glb --shot town
      godseed export world.jsonl -o planet.stl --radius 40 --without life
    """
    out = output(ctx)
    path = writable(given["path"], *FORMATS)
    radius, level = given["radius"], given["level"]
    if not RADII[0] <= radius <= RADII[1]:
        raise Failure(f"--radius: {radius:g}; expected {RADII[0]:g} to {RADII[1]:g}; try 1")
    shot = None if given["shot"] == NO_SHOT else given["shot"]
    if shot is not None:
        parse_shot(shot)
        if path.suffix.lower() != ".glb":
            raise Failure(f"--shot: {shot!r} for {path}; expected a .glb, which can hold a camera")
    loaded = read(given["world"], out)
    world, stage = loaded.world, Stage(loaded.world.features)
    frame = stage.frame(round(given["seconds"] * 1000), shot or "town")
    scene = stage.scene(len(world))
    wanted = [part for part in given["only"] or PARTS if part not in given["without"]]
    parts = solids(frame, scene, level, wanted)
    digest = geometry_digest(scene).total
    made = exported(
        parts,
        path.suffix.lower(),
        radius=radius,
        names={index: _words(feature) for index, feature in enumerate(world.features)},
        pose=frame.pose if shot else None,
        about={"world": world.digest, "geometry": digest},
    )
    _write(path, made.data)
    out.note(f"wrote {path}")
    if made.left_out:
        out.note(f"note: {made.left_out:,} triangles without thickness are not in {path.name}")
    out.data(f"{path} {made.triangles} triangles, {len(made.data)} bytes")
    out.document(
        {
            "written": [str(path)],
            "bytes": len(made.data),
            "triangles": made.triangles,
            "vertices": made.vertices,
            "meshes": made.meshes,
            "left_out": made.left_out,
            "bounds": made.bounds.tolist(),
            "parts": sorted({each.part for each in parts}, key=PARTS.index),
            "world": world.digest,
            "geometry": digest,
        }
    )
    return FINE


def _write(path: Path, data: bytes) -> None:
    """Write a file in one step: readers see the old one or the whole new one."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _words(feature: Feature) -> str:
    """What a feature is, for the name of its mesh."""
    kind = feature.args.get("kind") or feature.args.get("style") or ""
    return f"{feature.tool} {kind}".strip()
