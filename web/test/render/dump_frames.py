"""Write frames of the simulation as JSON and binary files, for the browser to draw.

    python web/test/render/dump_frames.py FOLDER [--features FILE] [--seed N --count N] SHOT@MS ...

Each frame becomes `<i>.json`: uniforms, and where each array lies in `<i>.bin`. With these,
differences between the renderers show without the geometry twin.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from godseed.check.generate import generated_world
from godseed.sim.feature import Feature
from godseed.sim.frame import Frame, Stage
from godseed.sim.genesis import genesis_features

Array = npt.NDArray[Any]
NOT_DRAWN = {"pose", "shot", "time_ms"}
"""Parts of a frame that no renderer reads."""


class Store:
    """Arrays end to end in one file, and where each lies."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def put(self, array: Array) -> dict[str, Any]:
        """Add an array; gives its place."""
        data = np.ascontiguousarray(array).tobytes()
        place = {"at": self.size, "length": int(array.size), "type": str(array.dtype)}
        self.parts.append(data)
        self.size += len(data)
        return place

    def write(self, stem: Path, document: Mapping[str, Any]) -> None:
        """Write both files."""
        stem.with_suffix(".bin").write_bytes(b"".join(self.parts))
        stem.with_suffix(".json").write_text(json.dumps(document), encoding="utf-8")


def write_frame(stem: Path, frame: Frame) -> None:
    """Write one frame."""
    store = Store()
    buffers = {
        name: {
            "rows": store.put(view.rows),
            "groundBefore": None if view.ground_before is None else store.put(view.ground_before),
            "ground": None if view.ground is None else store.put(view.ground),
        }
        for name, view in frame.buffers.items()
    }
    planet = {
        "vertices": store.put(frame.planet.vertices),
        "faces": store.put(frame.planet.faces),
        "key": frame.planet.key,
    }
    document = {
        "uniforms": dict(frame.uniforms),
        "ages": store.put(frame.ages),
        "buffers": buffers,
        "planet": planet,
        "near": frame.near,
    }
    missing = {field.name for field in fields(Frame)} - set(document) - NOT_DRAWN
    if missing:
        raise SystemExit(
            f"dump_frames: {sorted(missing)} of a frame; expected it in the dump; add it"
        )
    store.write(stem, document)


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("frames", nargs="+", help="SHOT@MS")
    parser.add_argument("--features", type=Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--size", default="640x360")
    options = parser.parse_args()
    if options.features:
        rows = json.loads(options.features.read_text(encoding="utf-8"))
        features = tuple(Feature.from_dict(row) for row in rows)
    elif options.seed is not None:
        features = tuple(generated_world(options.seed, options.count).features)
    else:
        features = genesis_features()
    width, height = map(int, options.size.split("x"))
    options.folder.mkdir(parents=True, exist_ok=True)
    stage = Stage(features)
    for i, text in enumerate(options.frames):
        shot, _, ms = text.rpartition("@")
        write_frame(options.folder / str(i), stage.frame(int(ms), shot, width / height))


if __name__ == "__main__":
    main()
