"""Makes every picture of the page "How it looks" with the commands that a reader has.

    python docs/images/make.py            # all of them; minutes
    python docs/images/make.py gallery    # or only: gallery, heroes, before-after, clip

The pictures in `before/` show the look before it was refined; they are kept, not made.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
EARLIER = HERE / "before"
EXAMPLES = ("wishes.txt", "wishes-more.txt")
FEW, MANY = 12, 40
TILE = "384x216"
HALF = (640, 360)
QUALITY = 84
CLIP_WISH, CLIP_S, CLIP_FPS, CLIP_SIZE = "w_000002", "10", "24", "640x360"
CLIP_LIMIT_BYTES = 2_000_000

Calls = tuple[tuple[str, dict[str, object]], ...]


def sky(palette: str, stars: float = 0.7, moons: int = 1) -> Calls:
    """A sky and clear weather over whatever the wishes asked for."""
    return (
        ("set_sky", {"palette": palette, "star_density": stars, "moons": moons}),
        ("set_weather", {"kind": "clear", "intensity": 0}),
    )


STORM: Calls = (*sky("night", 0.3), ("set_weather", {"kind": "storm", "intensity": 0.85}))
HEROES: dict[str, tuple[str, Calls]] = {
    "town-dusk": ("town", sky("dusk")),
    "world-aurora": ("world", sky("aurora", 0.8)),
    "storm": ("town", STORM),
    "gold": ("town", sky("gold", 0.4)),
}
"""Name -> shot, and what is asked of the sky."""


def main(names: list[str]) -> int:
    """Make the named groups, or all."""
    groups: dict[str, Callable[[Path], None]] = {
        "gallery": gallery,
        "heroes": heroes,
        "before-after": before_after,
        "clip": clip,
    }
    unknown = [name for name in names if name not in groups]
    if unknown:
        print(f"make: {unknown[0]!r}; expected of {', '.join(groups)}", file=sys.stderr)
        return 2
    for name in names or groups:
        with tempfile.TemporaryDirectory() as folder:
            groups[name](Path(folder))
    return 0


def gallery(folder: Path) -> None:
    """A sheet per section."""
    godseed("sheet", "--gallery", "-o", str(folder / "sheets"), "--size", TILE)
    for sheet in sorted((folder / "sheets").glob("*.png")):
        keep(sheet, f"look-{sheet.stem}")


def heroes(folder: Path) -> None:
    """Four stills of a town of forty wishes."""
    for name, (shot, calls) in HEROES.items():
        still = folder / f"{name}.png"
        godseed("render", str(world(folder, MANY, calls)), "--shot", shot, "-o", str(still))
        keep(still, f"look-{name}")


def before_after(folder: Path) -> None:
    """Pairs of the same world and shot: before on the left, now on the right."""
    now: dict[str, Path] = {}
    for name, (shot, calls) in HEROES.items():
        now[name] = folder / f"{name}.png"
        godseed("render", str(world(folder, FEW, calls)), "--shot", shot, "-o", str(now[name]))
    for shot in ("town", "world"):
        name = f"{shot}-forty"
        now[name] = folder / f"{name}.png"
        log = world(folder, MANY, sky("night"))
        godseed("render", str(log), "--shot", shot, "-o", str(now[name]))
    gap = 6
    paper = Image.new("RGB", (2 * HALF[0] + gap, len(now) * (HALF[1] + gap) - gap), (9, 8, 13))
    for row, (name, picture) in enumerate(now.items()):
        y = row * (HALF[1] + gap)
        with Image.open(EARLIER / f"{name}.webp") as old, Image.open(picture) as new:
            paper.paste(old.convert("RGB"), (0, y))
            shrunk = new.convert("RGB").resize(HALF, Image.Resampling.LANCZOS)
            paper.paste(shrunk, (HALF[0] + gap, y))
    paper.save(folder / "pairs.png")
    keep(folder / "pairs.png", "look-before-after")


def clip(folder: Path) -> None:
    """One wish from the reading to the descent."""
    log, made = world(folder, FEW, ()), folder / "look-clip.mp4"
    words = ("--seconds", CLIP_S, "--fps", CLIP_FPS, "--size", CLIP_SIZE)
    godseed("replay", str(log), CLIP_WISH, "-o", str(made), *words)
    size = made.stat().st_size
    if size > CLIP_LIMIT_BYTES:
        raise SystemExit(f"make: the clip has {size} bytes; expected at most {CLIP_LIMIT_BYTES}")
    (HERE / made.name).write_bytes(made.read_bytes())
    print(HERE / made.name, size)


def world(folder: Path, count: int, calls: Calls) -> Path:
    """A log of the first wishes that the package brings along, and a few calls behind them."""
    plain = folder / f"{count}.jsonl"
    if not plain.exists():
        examples = files("godseed.mind").joinpath("examples")
        text = "\n".join(examples.joinpath(name).read_text("utf-8") for name in EXAMPLES)
        wishes = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        asked = folder / "wishes.txt"
        asked.write_text("\n".join(wishes[:count]) + "\n", encoding="utf-8")
        godseed("grant", "--batch", str(asked), "--world", str(plain))
    if not calls:
        return plain
    log = folder / f"{count}-{calls[0][1]['palette']}-{len(calls)}.jsonl"
    log.write_bytes(plain.read_bytes())
    lines = [
        json.dumps(
            {"wish_id": f"w_{count + 1:06d}", "call_index": i, "tool": tool, "args": arguments}
        )
        for i, (tool, arguments) in enumerate(calls)
    ]
    (folder / "calls.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    godseed("apply", str(folder / "calls.jsonl"), "-o", str(log))
    return log


def keep(picture: Path, name: str) -> None:
    """A picture of the docs, small enough to commit."""
    with Image.open(picture) as opened:
        made = HERE / f"{name}.webp"
        opened.convert("RGB").save(made, quality=QUALITY, method=6)
        print(made, made.stat().st_size)


def godseed(*words: str) -> None:
    """Run a command line of this checkout."""
    subprocess.run(
        [sys.executable, "-m", "godseed", *words, "--quiet"], check=True, stdout=subprocess.DEVNULL
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
