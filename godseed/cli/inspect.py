"""`godseed inspect`: what a world is."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from godseed.cli.options import output, output_options
from godseed.cli.output import FINE, one_line
from godseed.cli.worlds import read
from godseed.sim.digest import geometry_digest
from godseed.sim.scene import Scene
from godseed.sim.sphere import lat_lon
from godseed.sim.summary import summary
from godseed.sim.town import town_center, town_name

SHORT = 16
"""Characters of a digest that people see."""


@click.command("inspect")
@click.argument("world")
@click.option("--features", "per_feature", is_flag=True, help="One line per feature.")
@click.option("--salvage", is_flag=True, help="Skip and list bad lines of a log.")
@output_options
@click.pass_context
def command(ctx: click.Context, world: str, per_feature: bool, salvage: bool) -> int:
    """Describe a world: summary, town, counts, wishes, digests.

    Two people who see the same digests have the same planet.

    \b
    Examples:
      godseed inspect world.jsonl --features
      godseed inspect genesis --json
    """
    out = output(ctx)
    loaded = read(world, out, salvage)
    found, texts = loaded.world, [trace.text for trace in loaded.traces]
    geometry = geometry_digest(Scene.build(found.features))
    center = town_center(found.features)
    lat, lon = (float(angle) for angle in lat_lon(center))
    tools = Counter(feature.tool for feature in found.features)
    words = summary(found, texts)
    out.data(words)
    out.data("")
    out.data(f"town      {town_name(center)} ({lat:.2f}, {lon:.2f})")
    out.data(f"epoch     {found.epoch}")
    out.data(f"features  {len(found)}: " + ", ".join(f"{n} {tool}" for tool, n in tools.items()))
    out.data(f"world     {found.digest}")
    out.data(f"geometry  {geometry.total}")
    if loaded.traces:
        out.data("")
        for trace in loaded.traces:
            out.data(f"{trace.wish_id}  {one_line(trace.text) or '(calls without a wish)'}")
    rows: list[dict[str, Any]] = []
    if per_feature:
        out.data("")
        for feature in found.features:
            slices = geometry.features.get(feature.id, {})
            rows.append({**feature.to_dict(), "geometry": dict(slices)})
            held = " ".join(f"{name}={digest[:SHORT]}" for name, digest in slices.items())
            args = ", ".join(f"{name}={value}" for name, value in feature.args.items())
            out.data(f"{feature.id} {feature.wish_id} {feature.tool}({args}) {held}".rstrip())
    out.document(
        {
            "summary": words,
            "town": {"name": town_name(center), "lat": lat, "lon": lon},
            "epoch": found.epoch,
            "features": len(found),
            "tools": dict(tools),
            "salvaged": list(loaded.report.skipped),
            "wishes": [
                {"wish_id": trace.wish_id, "text": trace.text, "epitaph": trace.epitaph}
                for trace in loaded.traces
            ],
            "world_digest": found.digest,
            "geometry_digest": geometry.total,
            "buffers": dict(geometry.buffers),
            **({"feature_list": rows} if per_feature else {}),
        }
    )
    return FINE
