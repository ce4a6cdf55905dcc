"""pyrender beside our renderer: every kit at the same depth, with the same silhouette."""

from __future__ import annotations

import numpy as np
import pytest

from godseed.check import witness
from godseed.check.witness import (
    SIZE,
    TOLERANCE,
    MissingWitnessError,
    agreement,
    kit_agreements,
    kit_frame,
    kit_solids,
    view_of,
    witnessed,
)
from godseed.render.errors import RenderError
from godseed.render.renderer import Renderer
from godseed.render.solid import Solid
from godseed.render.solid_parts import solids
from godseed.sim.frame import Stage
from godseed.sim.kits import kit_names
from godseed.sim.world import World


def test_depth_and_silhouette_of_every_kit_agree_with_pyrender() -> None:
    """Depth along the view direction in planet radii; jumps of depth are a pixel or two wide."""
    found = kit_agreements()
    assert tuple(found) == kit_names()
    for name, (depth, silhouette) in found.items():
        assert depth.pixels > 5000, name
        assert depth.worst <= TOLERANCE, f"{name}: {depth}"
        assert depth.disagreeing <= 5e-4, f"{name}: {depth}"
        assert depth.silhouette_iou >= 0.999, f"{name}: {depth}"
        assert silhouette >= 0.99, f"{name}: {silhouette}"


def test_depth_of_a_town_agrees_with_pyrender() -> None:
    """Many instances at once, each with its own front, scale, sway and optional parts."""
    world = World.genesis()
    for tool, args in (
        (
            "build_district",
            {"lat": 14, "lon": 36, "radius_deg": 6, "density": 0.9, "hue": 40},
        ),
        (
            "spawn_flora",
            {"lat": 10, "lon": 38, "radius_deg": 5, "kind": "trees", "density": 0.6, "hue": 90},
        ),
        (
            "spawn_life",
            {"lat": 14, "lon": 38, "radius_deg": 6, "kind": "birds", "count": 9, "hue": 20},
        ),
    ):
        world = world.apply({"tool": tool, "args": args}, "w_000001", 0).world
    stage, size = Stage(world.features), (320, 180)
    frame = stage.frame(5300, "town", size[0] / size[1])
    opaque = [
        each
        for each in solids(frame, stage.scene(len(world)))
        if each.part not in ("road", "water", "words")
    ]
    (theirs,), _ = witnessed([view_of(opaque, frame.pose, size)])
    drawer = Renderer(size, 0)
    ours, ids = drawer.depth(frame), drawer.ids(frame)
    drawer.release()
    tools = np.array([feature.tool for feature in world.features])
    flat = np.isin(ids, np.nonzero(np.isin(tools, ["place_road", "inscribe_wish"]))[0])
    found = agreement(np.where(flat, np.float32(np.inf), ours), theirs)
    assert found.pixels > 20_000
    assert found.disagreeing < 0.01, found
    plain = ~flat & np.isfinite(theirs) & np.isfinite(ours)
    assert np.median(np.abs(ours[plain] - theirs[plain])) < 1e-5


def test_kit_that_is_moved_is_caught() -> None:
    frame = kit_frame("house_a")
    own, ground = kit_solids("house_a", frame)
    moved = Solid(**{**vars(own), "vertices": own.vertices * 1.004})
    (theirs,), _ = witnessed([view_of([moved, ground], frame.pose)])
    drawer = Renderer(SIZE, 0)
    found = agreement(drawer.depth(frame), theirs)
    drawer.release()
    assert found.disagreeing > 0.01
    assert found.worst > TOLERANCE


def test_buffers_of_two_sizes_are_refused() -> None:
    with pytest.raises(RenderError, match=r"witness: \(2, 2\) and \(2, 3\); expected one size"):
        agreement(np.ones((2, 2), np.float32), np.ones((2, 3), np.float32))


def test_missing_pyrender_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(witness, "find_spec", lambda name: None)
    with pytest.raises(MissingWitnessError, match=r"run: pip install 'godseed\[view\]'"):
        witnessed([])
