"""The weather leaves no geometry behind; `tests/sim/test_environment.py` holds what it does."""

from __future__ import annotations

from godseed.check.generate import generated_world
from godseed.sim.scene import Scene


def test_weathers_add_no_rows() -> None:
    world = generated_world(3, 12, ("set_weather",))
    genesis = Scene.build(world.features[:4])
    scene = Scene.build(world.features)
    assert len(scene.features) > 4
    for name, buffer in scene.buffers.items():
        assert buffer.rows.view.tobytes() == genesis.buffers[name].rows.view.tobytes()
