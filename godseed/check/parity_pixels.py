"""Rungs 1 to 3 between the headless renderer and a web client: the same worlds, shots and times
drawn by both, and what differs named.

The client is whatever answers `window.godseed`, protocol 1; see docs/reference/protocol.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from godseed.check.case_file import Gates
from godseed.check.client import RISE_MS, Client
from godseed.check.compare import Measured, attribute, difference, measure, perceived
from godseed.check.parity_views import Subject, View
from godseed.check.spec_differences import spec_differences
from godseed.render.context import Fingerprint
from godseed.render.renderer import Renderer
from godseed.sim.digest import Change, compare, geometry_digest
from godseed.sim.frame import Stage
from godseed.sim.timeline import Timeline

if TYPE_CHECKING:
    from playwright.sync_api import Page

LISTED: Final = 6


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


def compare_client(
    page: Page,
    worlds: Iterable[Subject],
    gates: Gates | None = None,
    step: Callable[[], None] = lambda: None,
) -> PixelReport:
    """Draw worlds with both renderers and compare.

    Args:
        page: shows the client.
        worlds: what to draw.
        gates: of rung 3; by default those of golden cases.
        step: called after each picture.
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
            step()
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
    mine, other = renderer.draw(frame).pixels, client.pixels(view)
    apart = difference(mine, other)
    seen = apart if report.same_rasteriser else perceived(mine, other)
    measured = measure(apart, report.gates, seen)
    if measured.pixels == 0:
        return Compared(subject.name, view, "same", measured, {})
    if report.same_rasteriser:
        rung = "pixels"
    else:
        rung = "within" if measured.within(report.gates) else "perception"
    none = np.zeros(len(subject.features), np.bool_)
    over = seen > (0 if report.same_rasteriser else report.gates.per_pixel)
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
