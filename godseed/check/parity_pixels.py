"""Rungs 1 to 3 between the headless renderer and a web client: the same worlds, shots and times
drawn by both, and what differs named.

The client is whatever answers `window.godseed`, protocol 1; see docs/reference/protocol.md.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from godseed.check.browser import PageError
from godseed.check.case_file import Gates
from godseed.check.compare import Measured, attribute, difference, measure
from godseed.check.generate import generated_world
from godseed.render.context import Fingerprint, fingerprint_of
from godseed.render.renderer import Renderer
from godseed.sim.digest import Change, GeometryDigest, compare, geometry_digest
from godseed.sim.feature import Feature
from godseed.sim.frame import DESIGN_RISE_MS, Stage
from godseed.sim.genesis import genesis_features
from godseed.sim.timeline import Timeline
from godseed.spec import text

if TYPE_CHECKING:
    from playwright.sync_api import Page

PROTOCOL: Final = 1
RISE_MS: Final = int(DESIGN_RISE_MS)
VIEWS_PER_WORLD: Final = 4
SIZES: Final = ((320, 180), (321, 203), (199, 113), (256, 256))
SAMPLES: Final = (4, 0)
LISTED: Final = 6

Array = npt.NDArray[Any]


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


@dataclass(frozen=True)
class Compared:
    """What came of one view.

    Attributes:
        subject: name of the world.
        view: what was drawn.
        rung: `same`, or the lowest rung that broke: `pixels` or `perception`; `within` where
            another rasteriser's pixels differ within the gates.
        measured: how far apart the pictures are.
        drawn_by: what drew the differing pixels, `w_000004/f_000017 spawn_flora` -> pixels.
    """

    subject: str
    view: View
    rung: str
    measured: Measured
    drawn_by: Mapping[str, int]


@dataclass
class PixelReport:
    """Everything compared with one client.

    Attributes:
        ours, theirs: rasterisers.
        same_rasteriser: whether rung 2 applies.
        gates: of rung 3.
        compared: views in order.
        geometry: world name -> changes of rung 1, only worlds that have some.
        causes: differences of the specification that the client has read.
    """

    ours: Fingerprint
    theirs: Fingerprint
    same_rasteriser: bool
    gates: Gates
    compared: list[Compared] = field(default_factory=list)
    geometry: dict[str, list[Change]] = field(default_factory=dict)
    causes: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether no rung broke."""
        broken = any(one.rung not in ("same", "within") for one in self.compared)
        return not broken and not self.geometry and not self.causes

    def lines(self) -> Iterator[str]:
        """The report for people, lowest rung first."""
        yield f"ours:   {self.ours.renderer}"
        yield f"theirs: {self.theirs.renderer}"
        for cause in self.causes:
            yield f"specification: {cause}"
        for name, changes in self.geometry.items():
            yield f"rung 1: {name}: geometry differs: {_change_list(changes)}"
        worst = max(self.compared, key=lambda one: one.measured.share, default=None)
        differing = [one for one in self.compared if one.measured.pixels]
        total = sum(one.measured.total for one in self.compared)
        count = sum(one.measured.pixels for one in self.compared)
        label = "rung 2" if self.same_rasteriser else "rung 3"
        yield (
            f"{label}: {len(self.compared)} frames, {count} of {total} px differ "
            f"in {len(differing)} frames"
        )
        if not self.same_rasteriser and worst is not None:
            verdict = "within" if worst.measured.within(self.gates) else "beyond"
            yield f"rung 3: worst frame {verdict} the gates: {worst.measured.text}"
            yield f"        {worst.measured.would_pass}"
        for one in [o for o in self.compared if o.rung not in ("same", "within")][:LISTED]:
            yield f"{one.rung}: {one.subject}, {one.view.text}: {one.measured.text}"
            for what, pixels in list(one.drawn_by.items())[:LISTED]:
                yield f"    {what}: {pixels} px"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object."""
        return {
            "agrees": self.agrees,
            "ours": self.ours.key,
            "theirs": self.theirs.key,
            "same_rasteriser": self.same_rasteriser,
            "causes": self.causes,
            "geometry": {name: _change_list(changes) for name, changes in self.geometry.items()},
            "frames": [
                {
                    "world": one.subject,
                    "shot": one.view.shot,
                    "time_ms": one.view.time_ms,
                    "size": list(one.view.size),
                    "samples": one.view.samples,
                    "rung": one.rung,
                    "measured": one.measured.to_dict(),
                    "drawn_by": dict(one.drawn_by),
                }
                for one in self.compared
            ],
        }


class Client:
    """A page that answers `window.godseed`, protocol 1."""

    def __init__(self, page: Page) -> None:
        """Raises:
        PageError: the page speaks another protocol.
        """
        self._page = page
        found = page.evaluate("window.godseed.protocol")
        if found != PROTOCOL:
            raise PageError(
                f"{page.url}: window.godseed.protocol is {found!r}; expected {PROTOCOL}; "
                "update the client or this package"
            )

    def load(self, features: Sequence[Feature], landed_ms: Mapping[int, int]) -> None:
        """Show a world; `landed_ms` as in `Timeline`."""
        landing = {"landed_ms": {str(i): ms for i, ms in landed_ms.items()}, "rise_ms": RISE_MS}
        self._call("load", [feature.to_dict() for feature in features], landing)

    def seek(self, view: View) -> None:
        """Draw one view."""
        self._call("seek", view.time_ms, view.shot, list(view.size), view.samples)

    def geometry(self) -> GeometryDigest | None:
        """Digest of the world's geometry; None from a client that has none."""
        found = self._call("geometry")
        return None if found is None else GeometryDigest.from_dict(found)

    def pixels(self, view: View) -> npt.NDArray[np.uint8]:
        """(h, w, 4) uint8 of the view drawn last, rows from the top down."""
        return self._array("pixels", np.dtype(np.uint8), (view.size[1], view.size[0], 4))

    def ids(self, view: View) -> npt.NDArray[np.int32]:
        """(h, w) int32 feature index per pixel, -1 for none."""
        return self._array("ids", np.dtype("<i4"), (view.size[1], view.size[0])).astype(np.int32)

    def fingerprint(self, samples: int) -> Fingerprint:
        """The browser's rasteriser; unknown where the client does not tell."""
        known = self._page.evaluate("typeof window.godseed.fingerprint === 'function'")
        found = self._call("fingerprint") if known else {"renderer": "unknown", "version": ""}
        return fingerprint_of(str(found["renderer"]), str(found["version"]), samples)

    def spec(self) -> Mapping[str, str]:
        """Texts of the specification that the client has read; none where it does not tell."""
        known = self._page.evaluate("typeof window.godseed.spec === 'function'")
        return dict(self._call("spec")) if known else {}

    def _call(self, method: str, *arguments: object) -> Any:
        from playwright.sync_api import Error

        try:
            return self._page.evaluate(
                "([method, values]) => window.godseed[method](...values)", [method, arguments]
            )
        except Error as error:
            raise PageError(
                f"godseed.{method}: {_said(error.message)}; expected an answer as in "
                "protocol 1; look at the page's console"
            ) from None

    def _array(self, method: str, kind: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        raw = np.frombuffer(base64.b64decode(self._call(method)), kind)
        if raw.size != np.prod(shape):
            raise PageError(
                f"godseed.{method}: {raw.size} numbers; expected {shape}; answer base64 of all rows"
            )
        return raw.reshape(shape)


def subjects(frames: int, seed: int = 1) -> Iterator[Subject]:
    """Worlds whose views are `frames` in all: genesis, then generated ones of 2 to 24 features, the
    last of them rising, seen in every kind of shot.

    Args:
        frames: at least 1.
        seed: chooses the worlds.
    """
    made = 0
    for number in range(-(-frames // VIEWS_PER_WORLD)):
        features: tuple[Feature, ...] = genesis_features()
        if number > 0:
            features = tuple(generated_world(seed * 1000 + number, 2 + 7 * number % 23).features)
        last = len(features) - 1
        shots = ("town", "world", f"gaze:f_{last:06d}", f"descend:f_{last:06d}@3")
        views = tuple(
            View(shot, 3000 + 700 * number + 400 * i, SIZES[(made + i) % 4], SAMPLES[i % 2])
            for i, shot in enumerate(shots[: frames - made])
        )
        landed = {last: views[0].time_ms - 300} if number % 2 else {}
        yield Subject(f"world {number}" if number else "genesis", features, landed, views)
        made += len(views)


def compare_client(
    page: Page, worlds: Iterable[Subject], gates: Gates | None = None
) -> PixelReport:
    """Draw worlds with both renderers and compare.

    Args:
        page: shows the client.
        worlds: what to draw.
        gates: of rung 3; by default those of golden cases.
    Raises:
        PageError: the client fails or answers in another form.
        RenderError, MissingGLError: ours does.
    """
    client = Client(page)
    renderers: dict[tuple[tuple[int, int], int], Renderer] = {}
    report: PixelReport | None = None
    for subject in worlds:
        timeline = Timeline((), subject.landed_ms, 0, RISE_MS) if subject.landed_ms else None
        stage = Stage(subject.features, timeline)
        client.load(subject.features, subject.landed_ms)
        for view in subject.views:
            key = (view.size, view.samples)
            if key not in renderers:
                renderers[key] = Renderer(view.size, view.samples)
            if report is None:
                report = _report(client, renderers[key], gates or Gates())
            report.compared.append(_compared(client, renderers[key], subject, stage, view, report))
        if report is not None:
            changes = _geometry_changes(client, stage)
            if changes:
                report.geometry[subject.name] = changes
    for renderer in renderers.values():
        renderer.release()
    if report is None:
        raise ValueError("parity: no frames; expected at least one; ask for more")
    if not report.agrees:
        report.causes = spec_differences(client.spec())
    return report


def same_rasteriser(ours: Fingerprint, theirs: Fingerprint) -> bool:
    """Whether two renderer strings name one rasteriser; a browser names only LLVM's version of
    Mesa's."""
    pattern = re.compile(r"llvmpipe \(LLVM [\d.]+,? \d+ bits\)")
    mine, other = pattern.search(ours.renderer), pattern.search(theirs.renderer)
    if mine and other:
        return mine[0].replace(",", "") == other[0].replace(",", "")
    return ours.renderer == theirs.renderer


def spec_differences(theirs: Mapping[str, str]) -> list[str]:
    """Where the specification that a client has read differs from ours, one line each.

    Args:
        theirs: file name -> text.
    """
    found: list[str] = []
    for name in sorted(theirs):
        mine = text(name)
        if mine == theirs[name]:
            continue
        if name.endswith(".json"):
            found += [
                f"{name}: {line}" for line in _apart("", json.loads(mine), json.loads(theirs[name]))
            ]
        else:
            found.append(f"{name}: {_first_line(mine, theirs[name])}")
    return found


def _said(message: str) -> str:
    """First line of a driver's message, without the driver's own words before it."""
    return message.splitlines()[0].removeprefix("Page.evaluate: ")


def _report(client: Client, renderer: Renderer, gates: Gates) -> PixelReport:
    ours = renderer.fingerprint
    theirs = client.fingerprint(ours.samples)
    return PixelReport(ours, theirs, same_rasteriser(ours, theirs), gates)


def _compared(
    client: Client,
    renderer: Renderer,
    subject: Subject,
    stage: Stage,
    view: View,
    report: PixelReport,
) -> Compared:
    frame = stage.frame(view.time_ms, view.shot, view.size[0] / view.size[1])
    client.seek(view)
    apart = difference(renderer.draw(frame).pixels, client.pixels(view))
    measured = measure(apart, report.gates)
    if measured.pixels == 0:
        return Compared(subject.name, view, "same", measured, {})
    if report.same_rasteriser:
        rung = "pixels"
    else:
        rung = "within" if measured.within(report.gates) else "perception"
    none = np.zeros(len(subject.features), np.bool_)
    over = apart > (0 if report.same_rasteriser else report.gates.per_pixel)
    by_ours, by_theirs, ground, sky = attribute(
        over, renderer.ids(frame), client.ids(view), renderer.depth(frame), none, none
    )
    counts = {"ground": ground, "sky and what glows over it": sky}
    for index in {*by_ours, *by_theirs}:
        feature = subject.features[index]
        label = f"{feature.wish_id}/{feature.id} {feature.tool}"
        counts[label] = by_ours.get(index, 0) + by_theirs.get(index, 0)
    ordered = sorted((-count, name) for name, count in counts.items() if count)
    return Compared(subject.name, view, rung, measured, {name: -n for n, name in ordered})


def _geometry_changes(client: Client, stage: Stage) -> list[Change]:
    theirs = client.geometry()
    if theirs is None:
        return []
    ours = geometry_digest(stage.scene(len(stage.features)))
    return compare(ours, theirs) if ours.total != theirs.total else []


def _change_list(changes: Sequence[Change]) -> str:
    named = [f"{change.feature or 'the planet'} {change.buffer}" for change in changes]
    rest = len(named) - LISTED
    return ", ".join(named[:LISTED]) + (f" and {rest} more" if rest > 0 else "")


def _apart(where: str, mine: Any, other: Any) -> Iterator[str]:
    """Paths at which two JSON values differ; rows that have names are paired by them."""
    if isinstance(mine, dict) and isinstance(other, dict):
        for key in sorted({*mine, *other}):
            path = f"{where}.{key}" if where else key
            yield from _apart(path, mine.get(key), other.get(key))
    elif _names(mine) and _names(other):
        if _names(mine) != _names(other):
            yield f"{where} are {', '.join(_names(mine))} here and {', '.join(_names(other))} there"
        theirs = {row["name"]: row for row in other}
        for row in mine:
            if row["name"] in theirs:
                yield from _apart(f"{where}[{row['name']}]", row, theirs[row["name"]])
    elif isinstance(mine, list) and isinstance(other, list) and len(mine) == len(other):
        for i, (a, b) in enumerate(zip(mine, other, strict=True)):
            yield from _apart(f"{where}[{i}]", a, b)
    elif mine != other:
        yield f"{where} is {json.dumps(mine)} here and {json.dumps(other)} there"


def _names(value: Any) -> list[str]:
    if (
        isinstance(value, list)
        and value
        and all(isinstance(v, dict) and "name" in v for v in value)
    ):
        return [str(row["name"]) for row in value]
    return []


def _first_line(mine: str, other: str) -> str:
    a, b = mine.splitlines(), other.splitlines()
    number = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    here, there = (lines[number].strip() if number < len(lines) else "" for lines in (a, b))
    return f"line {number + 1} is {here!r} here and {there!r} there"
