"""What the twins are asked to draw: worlds, and views of them in every kind of shot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from godseed.check.generate import generated_world
from godseed.sim.feature import Feature
from godseed.sim.genesis import genesis_features

VIEWS_PER_WORLD: Final = 4
SIZES: Final = ((320, 180), (321, 203), (199, 113), (256, 256))
LARGE_SIZES: Final = ((1280, 720), (1281, 961), (1037, 783), (1440, 810))
"""For another rasteriser: where edges lie within a pixel is its own choice, and in a picture of a
few thousand pixels most of them are edges."""
SAMPLES: Final = (4, 0)


@dataclass(frozen=True)
class View:
    """One picture to compare: a shot's text, whole milliseconds, pixels, samples per pixel."""

    shot: str
    time_ms: int
    size: tuple[int, int]
    samples: int

    @property
    def text(self) -> str:
        """One line for people."""
        return f"{self.shot} at {self.time_ms} ms, {self.size[0]}x{self.size[1]}, {self.samples}x"


@dataclass(frozen=True)
class Subject:
    """A world and the views of it.

    Attributes:
        name: for people.
        features: the world.
        landed_ms: world index -> when it lands; the others have long been there.
        views: what to draw.
    """

    name: str
    features: tuple[Feature, ...]
    landed_ms: Mapping[int, int]
    views: tuple[View, ...]

    def sized(self, size: tuple[int, int]) -> Subject:
        """The same views in another size."""
        return replace(self, views=tuple(replace(view, size=size) for view in self.views))


def subjects(
    frames: int, seed: int = 1, sizes: Sequence[tuple[int, int]] = SIZES
) -> Iterator[Subject]:
    """Worlds whose views are `frames` in all: genesis, then generated ones of 2 to 24 features, the
    last of them rising, seen in every kind of shot.

    Args:
        frames: at least 1.
        seed: chooses the worlds.
        sizes: of the pictures, pixels, in turn.
    """
    made = 0
    for number in range(-(-frames // VIEWS_PER_WORLD)):
        features: tuple[Feature, ...] = genesis_features()
        if number > 0:
            features = tuple(generated_world(seed * 1000 + number, 2 + 7 * number % 23).features)
        last = len(features) - 1
        shots = ("town", "world", f"gaze:f_{last:06d}", f"descend:f_{last:06d}@3")
        views = tuple(
            View(
                shot, 3000 + 700 * number + 400 * i, sizes[(made + i) % len(sizes)], SAMPLES[i % 2]
            )
            for i, shot in enumerate(shots[: frames - made])
        )
        landed = {last: views[0].time_ms - 300} if number % 2 else {}
        yield Subject(f"world {number}" if number else "genesis", features, landed, views)
        made += len(views)


def views_of(features: Sequence[Feature]) -> tuple[View, ...]:
    """A world from the town, from afar, and from near its last feature."""
    last = f"f_{len(features) - 1:06d}"
    shots = ("town", "world", f"gaze:{last}", f"descend:{last}@3")
    return tuple(
        View(shot, 4000 + 700 * i, (640, 360), SAMPLES[i % 2]) for i, shot in enumerate(shots)
    )
