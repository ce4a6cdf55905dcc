"""The page of a report: one file, no network, strict about what it may run.

All pictures are on the page without its script; the script adds flicker, slider and filters. The
page's own policy allows its one style and one script by their digests and images from data alone.
"""

from __future__ import annotations

import shlex
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

from godseed.check.evidence import Evidence, Shown
from godseed.check.verdict import (
    ALLOWED_MISSING,
    NONE,
    RUNGS,
    FrameVerdict,
    Report,
    Verdict,
)

LISTED: Final = 40
"""Most features and attributions that the page lists of one case or picture."""
MODES: Final = (
    ("side", "side by side"),
    ("slide", "slider"),
    ("flicker", "flicker"),
    ("difference", "difference"),
    ("flip", "FLIP"),
)
CAPTIONS: Final = {
    "expected": "expected",
    "actual": "actual",
    "difference": "difference, amplified",
    "flip": "FLIP: how different it looks",
}


def page(report: Report, evidence: Mapping[str, Evidence], data: str, name: str) -> str:
    """The whole page.

    Args:
        report: what was found.
        evidence: by case.
        data: the report's JSON document, ASCII.
        name: of the file that it goes into, for the commands that it shows.
    """
    style, script = _resource("report.css"), _resource("report.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; "
        f"script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
    )
    noted = [verdict for verdict in report.cases if verdict.rung != NONE or not verdict.passed]
    fine = [verdict for verdict in report.cases if verdict.rung == NONE and verdict.passed]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(report.summary)} · godseed golden</title>",
        f"<style>{style}</style></head><body>",
        *_head(report),
        *_bar(report),
        "<main>",
        *(line for verdict in noted for line in _case(verdict, evidence, name, report.root)),
        *_unused(report.unused),
        *(['<h2 class="mark">As approved</h2>', '<div class="passing">'] if fine else []),
        *(line for verdict in fine for line in _fine(verdict, evidence)),
        *(["</div>"] if fine else []),
        "</main>",
        "<footer>One file, no network. Approve on any machine with the commands above: the "
        "pictures of this check are inside.</footer>",
        f'<script type="application/json" id="godseed-report">{_embedded(data)}</script>',
        f"<script>{script}</script>",
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def data_uri(data: bytes) -> str:
    """A PNG file as the address of an image."""
    return "data:image/png;base64," + b64encode(data).decode()


def _head(report: Report) -> Iterator[str]:
    keys = list(dict.fromkeys(v.fingerprint for v in report.cases if v.fingerprint))
    title = "All is as approved" if report.passed else "Not as approved"
    yield '<header><p class="mark">godseed</p>'
    yield f"<h1>{title}</h1>"
    yield f'<p class="quiet">{escape(report.summary)}</p><div class="facts">'
    yield f"<span>folder <b class='mono'>{escape(report.root)}</b></span>"
    for key in keys:
        yield f"<span>fingerprint <b class='mono'>{escape(key)}</b></span>"
    seconds = sum(verdict.seconds for verdict in report.cases)
    yield f"<span>drawn in <b>{seconds:.1f} s</b></span></div>"
    for note in report.notes:
        yield f'<p class="quiet">{escape(note)}</p>'
    yield "</header>"


def _bar(report: Report) -> Iterator[str]:
    rungs = [verdict.rung for verdict in report.cases]
    yield '<nav class="bar js-only" aria-label="Which cases to show">'
    yield '<button type="button" data-rung="all" aria-pressed="true">all '
    yield f"<b>{len(rungs)}</b></button>"
    for rung in RUNGS:
        if rung in rungs:
            word = "as approved" if rung == NONE else rung
            yield f'<button type="button" data-rung="{rung}" aria-pressed="false">{word} '
            yield f"<b>{rungs.count(rung)}</b></button>"
    yield '<span class="hint"><kbd>j</kbd> <kbd>k</kbd> cases · <kbd>1</kbd>–<kbd>5</kbd> '
    yield "how to look</span></nav>"


def _case(
    verdict: Verdict, evidence: Mapping[str, Evidence], name: str, root: str
) -> Iterator[str]:
    """A case with something to say."""
    kind = "note" if verdict.passed else "bad"
    yield f'<details class="case" open data-kind="{verdict.rung}">'
    yield f'<summary><span class="rung {kind}">{escape(verdict.rung)}</span>'
    yield f"<h2>{escape(verdict.case)}</h2>"
    yield f'<span class="why">{escape(verdict.message)}</span></summary><div class="body">'
    found = evidence.get(verdict.case)
    if found is not None and found.files:
        words = ["godseed", "golden", "approve", name, verdict.case]
        yield from _accept(shlex.join(words))
    elif verdict.mend:
        yield f'<p class="quiet">{escape(verdict.mend)}</p>'
    yield from _features(verdict)
    for frame in verdict.frames:
        shown = found.shown.get(frame.picture) if found is not None else None
        yield from _frame(verdict, frame, shown)
    yield "</div></details>"


def _accept(command: str) -> Iterator[str]:
    yield f'<div class="accept"><code>{escape(command)}</code>'
    yield '<button type="button" class="js-only" data-copy>copy</button></div>'


def _features(verdict: Verdict) -> Iterator[str]:
    """What changed in world and geometry."""
    if not verdict.features:
        return
    yield '<h3>What changed</h3><ul class="plain">'
    for change in verdict.features[:LISTED]:
        yield f"<li>{escape(change.text)}</li>"
        if change.kind != "geometry" and change.buffers:
            yield f'<li class="sub">draws: {escape(change.buffers_text)}</li>'
    yield from _more(len(verdict.features), "features")
    yield "</ul>"


def _frame(verdict: Verdict, frame: FrameVerdict, shown: Shown | None) -> Iterator[str]:
    """One picture: what was found, the pictures, and who drew the differing pixels."""
    kind = "ok" if frame.rung == NONE else "note" if frame.rung in ALLOWED_MISSING else "bad"
    word = "as approved" if frame.rung == NONE else frame.rung
    yield f'<section class="frame"><h3>{escape(frame.picture)} '
    yield f'<span class="rung {kind}">{word}</span></h3>'
    if frame.message and frame.message not in verdict.message:
        yield f'<p class="said">{escape(frame.message)}</p>'
    if shown is not None:
        yield from _viewer(f"{verdict.case} {frame.picture}", shown)
    yield '<div class="tables">'
    yield from _measured(frame)
    yield from _attribution(frame)
    yield "</div>"
    if frame.causes:
        yield '<h3>Changed since it was approved</h3><ul class="plain">'
        yield from (f"<li>{escape(cause)}</li>" for cause in frame.causes[:LISTED])
        yield from _more(len(frame.causes), "more")
        yield "</ul>"
    yield "</section>"


def _viewer(title: str, shown: Shown) -> Iterator[str]:
    pictures = {
        "expected": shown.expected,
        "actual": shown.actual,
        "difference": shown.difference,
        "flip": shown.flip,
    }
    there = {name: data for name, data in pictures.items() if data is not None}
    yield '<div class="viewer" data-mode="side">'
    if shown.expected is not None:
        yield '<fieldset class="modes js-only"><legend>look</legend>'
        for mode, word in MODES:
            if mode in there or mode not in pictures:
                checked = " checked" if mode == "side" else ""
                group = escape(f"look {title}", quote=True)
                yield f'<label><input type="radio" name="{group}" value="{mode}"{checked}>'
                yield f"{word}</label>"
        yield '<button type="button" data-toggle="wide" aria-pressed="false">pixels ×3</button>'
        yield "</fieldset>"
    yield f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(title, True)}">'
    yield '<div class="stage">'
    for name, data in there.items():
        alt = escape(f"{title}, {CAPTIONS[name]}", quote=True)
        yield f'<figure class="{name}"><img src="{data_uri(data)}" alt="{alt}">'
        yield f"<figcaption>{CAPTIONS[name]}</figcaption></figure>"
    yield "</div></div>"
    if shown.expected is not None:
        label = escape(f"Where {title} is cut: expected to the left, actual to the right", True)
        yield '<input class="slide js-only" type="range" min="0" max="100" step="0.5" value="50"'
        yield f' aria-label="{label}">'
        yield '<button type="button" class="swap js-only">show the other one · <span>both'
        yield "</span></button>"
    yield "</div>"


def _measured(frame: FrameVerdict) -> Iterator[str]:
    """How far apart, and which gates would pass."""
    found = frame.measured
    if found is None:
        return
    x, y = found.window_at
    rows = [
        ("against", frame.against),
        ("differing pixels", f"{found.pixels} of {found.total}"),
        ("largest difference", f"{found.largest}/255"),
        ("over tolerance", f"{found.over} ({found.share:.4%})"),
        ("worst window", f"{found.window_share:.1%} at ({x}, {y})"),
        ("FLIP mean", "not measured" if frame.flip is None else f"{frame.flip:.4f}"),
        ("gates that would pass", found.would_pass.removeprefix("would pass with ")),
    ]
    yield '<table><caption class="quiet">How far apart</caption>'
    for name, value in rows:
        yield f'<tr><th scope="row">{name}</th><td>{escape(value)}</td></tr>'
    yield "</table>"


def _attribution(frame: FrameVerdict) -> Iterator[str]:
    """Who drew the differing pixels."""
    counts = list((frame.attribution or {}).items())
    if not counts:
        return
    total = sum(count for _, count in counts)
    yield '<table><caption class="quiet">What drew the differing pixels</caption>'
    yield '<tr><th scope="col">feature</th><th scope="col" class="number">pixels</th>'
    yield '<th scope="col">share</th></tr>'
    for what, count in counts[:LISTED]:
        yield f'<tr><td class="mono">{escape(what)}</td><td class="number">{count}</td>'
        yield f'<td><meter min="0" max="{total}" value="{count}">{count / total:.1%}</meter>'
        yield "</td></tr>"
    yield "</table>"
    if len(counts) > LISTED:
        yield f'<p class="quiet">and {len(counts) - LISTED} more</p>'


def _fine(verdict: Verdict, evidence: Mapping[str, Evidence]) -> Iterator[str]:
    """A case that is as approved: its first picture on the lid, the others inside."""
    found = evidence.get(verdict.case)
    shown = list(found.shown.items()) if found is not None else []
    pictures = [
        f'<img src="{data_uri(one.actual)}" alt="{escape(f"{verdict.case} {name}", quote=True)}">'
        for name, one in shown
    ]
    title = escape(verdict.case).replace("/", "/<wbr>").replace("_", "_<wbr>")
    more = f" · {len(shown)} pictures" if len(shown) > 1 else ""
    yield f'<details class="case" data-kind="{NONE}"><summary>{"".join(pictures[:1])}'
    yield f'<h2>{title}</h2><span class="quiet">{verdict.seconds:.1f} s{more}</span></summary>'
    yield '<div class="body"><div class="stage">'
    for (name, _), picture in list(zip(shown, pictures, strict=True))[1:]:
        yield f"<figure>{picture}"
        yield f'<figcaption class="mono">{escape(name)}</figcaption></figure>'
    yield "</div></div></details>"


def _unused(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield "<h2>Images without use</h2><ul class='plain'>"
        yield from (f"<li>{escape(name)}</li>" for name in names)
        yield "</ul>"
        yield from _accept("godseed golden prune")


def _more(count: int, what: str) -> Iterator[str]:
    if count > LISTED:
        yield f'<li class="sub">and {count - LISTED} {what}</li>'


def _embedded(data: str) -> str:
    """JSON that cannot end its script element."""
    return data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


@cache
def _resource(name: str) -> str:
    found: str = files("godseed.check").joinpath(f"report_page/{name}").read_text("utf-8")
    return found
