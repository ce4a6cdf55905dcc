"""Write the case.json of the golden cases that ship, and the log that some of them share.

    python tools/make_golden_cases.py           # writes every case.json anew
    python tools/make_golden_cases.py --check   # says which differ instead
    python tools/make_golden_cases.py --log     # grants the shared log anew, with the mock mind

Cases written by hand lie beside these and are left alone. Pictures come from
`godseed golden update`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from godseed.check.approve import case_text
from godseed.check.new_case import world_of
from godseed.sim.feature import Feature
from godseed.sim.trace import load
from godseed.sim.world import World
from godseed.spec import load as spec

ROOT: Final = Path(__file__).resolve().parent.parent / "golden"
LOG: Final = "stages/town.jsonl"
SIZE: Final = (320, 180)
NEAR: Final = "free:6,38,0.16,0,-36,48"
"""A camera south of the first town that looks north over it."""
WISHES: Final = (
    "a watchtower on the ridge",
    "a market under lanterns",
    "a quiet pool with reeds",
    "another street of houses, close together",
    "a stream that runs down to the town",
    "a grove of old trees behind the shrine",
    "fireflies over the water",
    "a warehouse by the road",
    "birds in the morning",
    "a hill to look down from",
    "a café at the corner",
    "mushrooms where nobody walks",
    "a village beyond the hill",
    "a lighthouse for ships that are only stories",
    "carts on every road",
    "a beacon at the pass",
    "flowers along the road",
    "a second district by the lake",
    "an arch that leads into the fields",
    "a tower for the clock",
)
"""Granted after the wishes that ship with the mock mind: 300 features and more."""
Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Made:
    """One case.

    Attributes:
        name: folder under `golden/`.
        world: its `world`.
        frames: shot and seconds.
        fields: `size`, `samples`, `landed_s` where they are not the usual.
    """

    name: str
    world: Any
    frames: tuple[tuple[str, float], ...]
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> bytes:
        """Bytes of its `case.json`."""
        frames = [{"shot": shot, "t_s": seconds} for shot, seconds in self.frames]
        size = list(self.fields.get("size", SIZE))
        samples = self.fields.get("samples", 4)
        landed = self.fields.get("landed_s")
        return case_text(self.world, frames=frames, landed_s=landed, size=size, samples=samples)


def main(argv: list[str] | None = None) -> int:
    """Write, or compare, every case.

    Returns:
        0, or 1 if `--check` found a difference.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--log", action="store_true", help="grant the shared log anew first")
    given = parser.parse_args(argv)
    if given.log:
        grant_log(ROOT / LOG)
    differing = 0
    for case in cases():
        file = ROOT / case.name / "case.json"
        if file.is_file() and file.read_bytes() == case.text:
            continue
        differing += 1
        print(f"{'differs' if given.check else 'wrote'}: golden/{case.name}/case.json")
        if not given.check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(case.text)
    return int(given.check and differing > 0)


def cases() -> Iterator[Made]:
    """Every case that this script writes."""
    yield from _tools()
    yield from _skies()
    yield from _cameras()
    yield from _growth()
    yield from _stages()
    yield from _edges()


def world(*calls: tuple[str, Mapping[str, Any]]) -> Any:
    """Genesis and some tool calls, as the `world` of a case.

    Raises:
        ValueError: a call is refused.
    """
    return world_of(features(*calls))


def features(*calls: tuple[str, Mapping[str, Any]]) -> tuple[Feature, ...]:
    """Genesis and what some tool calls made.

    Raises:
        ValueError: a call is refused.
    """
    found = World.genesis()
    for i, (tool, args) in enumerate(calls):
        applied = found.apply({"tool": tool, "args": dict(args)}, "w_000001", i)
        if applied.feature is None:
            raise ValueError(f"{tool} {args}: {applied.observation}; expected a feature")
        found = applied.world
    return tuple(found.features)


def grant_log(path: Path) -> None:
    """Grant wishes with the mock mind into a new log."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        batch = Path(folder, "wishes.txt")
        batch.write_text("\n".join([*_shipped_wishes(), *WISHES]) + "\n", encoding="utf-8")
        words = ["grant", "--backend", "mock", "--batch", str(batch), "--world", str(path)]
        subprocess.run([sys.executable, "-m", "godseed", *words, "--quiet"], check=True)
    found = load(path).world
    print(f"golden/{LOG}: {found.epoch} wishes, {len(found)} features")


def _shipped_wishes() -> list[str]:
    """The wishes that the mock mind has scripts for."""
    examples = files("godseed.mind").joinpath("examples")
    lines = [
        line
        for name in ("wishes.txt", "wishes-more.txt")
        for line in examples.joinpath(name).read_text("utf-8").splitlines()
    ]
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _tools() -> Iterator[Made]:
    """What the cases written by hand leave out of each tool."""
    yield Made(
        "build_district/village_green",
        world(_district(12, 40, 4, 0.2, 30), _road((16, 36), (13, 39), (12, 40))),
        (("town", 4.0),),
    )
    yield Made(
        "build_district/two_that_meet",
        world(_district(13, 35, 6, 1, 210), _district(12, 43, 6, 0.7, 20)),
        ((NEAR, 4.0),),
    )
    yield Made(
        "inscribe_wish/long_stone",
        world(
            (
                "inscribe_wish",
                {"text": "may whoever reads this be home before dark", "style": "stone"},
            ),
            ("inscribe_wish", {"text": "a stone beside a stone", "style": "stone"}),
        ),
        (("gaze:f_000004", 3.0), ("gaze:f_000005", 3.0)),
    )
    yield Made(
        "inscribe_wish/rings",
        world(
            _inscription("the first ring", "orbit"),
            _inscription("the second ring turns slower", "orbit"),
            _inscription("the third", "orbit"),
        ),
        (("world", 0.0), ("world", 20.0)),
    )
    yield Made(
        "lower_terrain/valleys",
        world(
            *(("lower_terrain", _terrain(12, lon, 6, "depth", 0.05, 0.2)) for lon in (30, 38, 46))
        ),
        (("free:-2,38,0.45,0,-48,40", 2.0), ("world", 2.0)),
    )
    yield Made(
        "raise_terrain/steep_and_gentle",
        world(
            ("raise_terrain", _terrain(16, 32, 5, "height", 0.12, 1)),
            ("raise_terrain", _terrain(14, 45, 16, "height", 0.05, 0)),
        ),
        ((NEAR, 2.0), ("world", 2.0)),
    )
    yield Made(
        "place_road/winding",
        world(
            ("raise_terrain", _terrain(14, 40, 8, "height", 0.06, 0.6)),
            _road((8, 32), (13, 34), (9, 38), (15, 40), (10, 43), (15, 47)),
        ),
        ((NEAR, 3.0),),
    )
    yield Made(
        "place_structure/scales",
        world(
            *(
                _structure(13, 31 + 3.4 * i, "tower", scale, 40 * i)
                for i, scale in enumerate((0.5, 0.8, 1, 1.4, 2))
            )
        ),
        ((NEAR, 3.0),),
    )
    yield Made(
        "place_structure/hues",
        world(
            *(
                _structure(15 - 4 * (i // 4), 32 + 4 * (i % 4), "house", 1.6, 45 * i)
                for i in range(8)
            )
        ),
        ((NEAR, 3.0),),
    )
    yield Made(
        "place_water/pools",
        world(
            *(
                ("place_water", {"kind": "pool", "path": [[lat, lon]], "radius_deg": r, "hue": hue})
                for lat, lon, r, hue in ((15, 31, 1.5, 170), (12, 36, 3, 200), (13, 45, 5, 250))
            )
        ),
        ((NEAR, 3.0), ("town", 9.0)),
    )
    yield Made("spawn_flora/forest", world(_flora(13, 38, 9, "trees", 1, 110)), ((NEAR, 3.0),))
    yield Made(
        "spawn_flora/meadow",
        world(
            _flora(14, 34, 6, "flowers", 0.9, 330),
            _flora(12, 42, 6, "glowgrass", 0.3, 170),
            _flora(10, 37, 4, "reeds", 0.6, 90),
        ),
        ((NEAR, 3.0),),
    )
    yield Made(
        "spawn_life/flock_and_carts",
        world(
            _road((9, 30), (13, 36), (12, 42), (15, 47)),
            ("spawn_life", _life(12, 38, 8, "carts", 12, 20)),
            ("spawn_life", _life(14, 40, 10, "birds", 12, 220)),
        ),
        ((NEAR, 2.0), ("town", 6.0)),
    )


def _skies() -> Iterator[Made]:
    """Every palette, and every weather, strong and faint."""
    hamlet = (
        _structure(14, 36, "lighthouse", 1.4, 40),
        _structure(11, 40, "house", 1.2, 20),
        _flora(12, 38, 6, "trees", 0.6, 120),
    )
    for i, palette in enumerate(spec("palettes.json")["palettes"]):
        sky = ("set_sky", {"palette": palette, "star_density": 0.8, "moons": i % 4})
        yield Made(f"palettes/{palette}", world(*hamlet, sky), (("town", 4.0), ("world", 4.0)))
    for kind in spec("palettes.json")["weather"]:
        strong = ("set_weather", {"kind": kind, "intensity": 1})
        yield Made(f"weather/{kind}", world(*hamlet, strong), (("town", 2.5), ("world", 2.5)))
        if kind != "clear":
            faint = ("set_weather", {"kind": kind, "intensity": 0.25})
            yield Made(f"weather/{kind}_faint", world(*hamlet, faint), (("town", 7.0),))


def _cameras() -> Iterator[Made]:
    """Every shot, and sizes and sample counts that others do not use, of one village."""
    village = world(
        _structure(14, 36, "lighthouse", 1.6, 40),
        _district(12, 41, 5, 0.6, 30),
        _road((14, 36), (12, 41), (9, 45)),
        ("place_water", {"kind": "pool", "path": [[10, 36]], "radius_deg": 2, "hue": 200}),
        _flora(15, 42, 5, "trees", 0.7, 120),
    )
    times = (0.0, 5.0, 40.0)
    yield Made("cameras/town", village, tuple(("town", t) for t in times))
    yield Made("cameras/world", village, tuple(("world", t) for t in times))
    yield Made("cameras/gaze", village, tuple((f"gaze:f_{i:06d}", 4.0) for i in (4, 5, 7)))
    yield Made(
        "cameras/descend", village, tuple((f"descend:f_000004@{s}", 4.0) for s in (0.5, 2, 4, 7))
    )
    yield Made(
        "cameras/free",
        village,
        (("free:14,30,0.05,80,-12,60", 4.0), ("free:-20,60,1.5,320,-50,40", 4.0)),
    )
    yield Made("cameras/portrait", village, (("town", 4.0),), {"size": (180, 320)})
    yield Made("cameras/odd_size", village, (("town", 4.0),), {"size": (321, 203)})
    yield Made("cameras/wide", village, (("town", 4.0),), {"size": (480, 270)})
    yield Made("cameras/no_samples", village, (("town", 4.0), ("world", 4.0)), {"samples": 0})


def _growth() -> Iterator[Made]:
    """What rises, at four moments after it landed."""
    rising = {
        "mountain": (("raise_terrain", _terrain(13, 42, 9, "height", 0.1, 0.7)),),
        "tower": (_structure(14, 36, "tower", 2, 200),),
        "district": (_district(12, 40, 6, 0.8, 30),),
        "forest": (_flora(13, 38, 8, "trees", 0.8, 120),),
        "stream": (
            ("place_water", {"kind": "stream", "path": [[16, 32], [13, 37], [10, 44]], "hue": 200}),
        ),
        "road": (_road((15, 32), (12, 38), (14, 45)),),
        "inscription": (_inscription("it rises", "orbit"),),
    }
    for name, calls in rising.items():
        shot = "world" if name == "inscription" else NEAR
        frames = tuple((shot, t) for t in (1.2, 1.6, 2.2, 3.4))
        yield Made(f"growth/{name}", world(*calls), frames, {"landed_s": {"f_000004": 1.0}})


def _stages() -> Iterator[Made]:
    """A town that the mock mind granted, wish by wish."""
    whole = load(ROOT / LOG).world
    for wishes in (1, 4, 12, 30, whole.epoch):
        name = f"stages/after_{wishes:02d}"
        shots = (("town", 4.0),) if wishes < whole.epoch else (("town", 4.0), ("world", 4.0))
        yield Made(name, {"log": "../town.jsonl", "wishes": wishes}, shots)


def _edges() -> Iterator[Made]:
    """Where coordinates fold, and where arguments end."""
    yield Made(
        "edges/pole",
        world(
            _structure(85, 0, "lighthouse", 2, 40),
            _flora(84, 120, 6, "trees", 0.8, 120),
            _road((80, -90), (84, 0), (81, 90)),
        ),
        (("gaze:f_000004", 4.0), ("descend:f_000004@4", 4.0)),
    )
    yield Made(
        "edges/date_line",
        world(
            _district(0, 180, 6, 0.8, 30),
            _road((2, 175), (0, 180), (-2, -175)),
            ("place_water", {"kind": "pool", "path": [[3, -179]], "radius_deg": 2, "hue": 200}),
        ),
        (("gaze:f_000004", 4.0),),
    )
    yield Made(
        "edges/largest",
        world(
            ("raise_terrain", _terrain(-15, 30, 45, "height", 0.12, 1)),
            ("lower_terrain", _terrain(50, 60, 45, "depth", 0.1, 0)),
            _flora(14, 40, 30, "mushrooms", 1, 360),
        ),
        (("town", 4.0), ("world", 4.0)),
    )


def _terrain(
    lat: float, lon: float, radius_deg: float, what: str, value: float, roughness: float
) -> dict[str, Any]:
    where = {"lat": lat, "lon": lon, "radius_deg": radius_deg}
    return {**where, what: value, "roughness": roughness}


def _structure(lat: float, lon: float, kind: str, scale: float, hue: float) -> Call:
    return "place_structure", {"lat": lat, "lon": lon, "kind": kind, "scale": scale, "hue": hue}


def _district(lat: float, lon: float, radius_deg: float, density: float, hue: float) -> Call:
    where = {"lat": lat, "lon": lon, "radius_deg": radius_deg}
    return "build_district", {**where, "density": density, "hue": hue}


def _flora(
    lat: float, lon: float, radius_deg: float, kind: str, density: float, hue: float
) -> Call:
    where = {"lat": lat, "lon": lon, "radius_deg": radius_deg}
    return "spawn_flora", {**where, "kind": kind, "density": density, "hue": hue}


def _life(
    lat: float, lon: float, radius_deg: float, kind: str, count: int, hue: float
) -> dict[str, Any]:
    where = {"lat": lat, "lon": lon, "radius_deg": radius_deg}
    return {**where, "kind": kind, "count": count, "hue": hue}


def _inscription(text: str, style: str) -> Call:
    return "inscribe_wish", {"text": text, "style": style}


def _road(*path: tuple[float, float]) -> Call:
    return "place_road", {"path": [list(point) for point in path]}


if __name__ == "__main__":
    sys.exit(main())
