"""Make the mock world and its scripted feed from the mock mind; the same files at every run.

    python web/mock/make_mock.py

`state.json` is an answer of `/api/state`: genesis and ten wishes that use every tool. `feed.json`
is what `/api/stream` would say while three more are granted, each event with the millisecond at
which it is due, paced like a replay. `log.json` holds the traces of all thirteen wishes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from godseed.mind.backends.mock import MockBackend
from godseed.mind.planner import Refusal, grant_wish
from godseed.sim.feature import wish_id
from godseed.sim.trace import WishTrace
from godseed.sim.world import World
from godseed.spec import constants, load

FOLDER = Path(__file__).parent
GRANTED = (
    "a neighbourhood where every window is lit",
    "a road from the houses to the sea cliffs",
    "a market that smells of spices, and carts coming in at dusk",
    "a river that goes round the town and is in no hurry",
    "the tallest mountain, far to the west",
    "a forest of old pines with mushrooms underneath",
    "a deep canyon with mist at the bottom",
    "a tower and a bank, with streets of houses round them",
    "a garden of roses with a thousand fireflies over it",
    "an aurora, and in the sky the words: nobody here is a stranger",
)
LIVE = (
    "a lighthouse on a northern cape, with gulls",
    "a small cafe where the road bends",
    "let it be quiet now, so that everyone can sleep",
)
BETWEEN_MS = 5200
EPITAPH_MS = 9000
"""Long enough to read the card and to ask for the descent."""
EPOCH_S = 1_718_200_000.0


def main() -> None:
    """Grant the wishes and write both files."""
    world, traces = World.genesis(), []
    for text in GRANTED:
        world, trace = granted(world, text, len(traces) + 1, [])
        traces.append(trace)
    used = {feature.tool for feature in world.features}
    missing = {row["name"] for row in load("tools.json")["tools"]} - used
    if missing:
        sys.exit(f"make_mock: no wish uses {', '.join(sorted(missing))}; change GRANTED")
    state = {
        "world": {
            "version": len(world.features),
            "epoch": world.epoch,
            "features": [feature.to_dict() for feature in world.features],
        },
        "queue": {"length": 0, "current": None},
        "wishes_recent": [
            {"wish_id": t.wish_id, "text": t.text, "epitaph": t.epitaph} for t in traces
        ],
    }
    write("state.json", state)
    events, later = feed(world, len(traces))
    write("feed.json", {"events": events})
    write("log.json", {"traces": [shown(trace) for trace in [*traces, *later]]})


def granted(
    world: World, text: str, number: int, events: list[dict[str, Any]]
) -> tuple[World, WishTrace]:
    """Grant one wish; a refusal ends the script."""
    after, made = grant_wish(
        world, text, MockBackend(), wish_id(number), t=EPOCH_S + number, on_event=events.append
    )
    if isinstance(made, Refusal):
        sys.exit(f"make_mock: {text!r} was declined; change the list")
    return after, made


def shown(trace: WishTrace) -> dict[str, Any]:
    """What a replay reads of a trace; times differ from run to run."""
    row = trace.model_dump(mode="json", by_alias=True)
    turns = [
        {key: turn[key] for key in ("thought", "call", "observation")} for turn in row["turns"]
    ]
    kept = ("wish_id", "text", "reading", "epitaph", "features", "backend", "model")
    return {**{key: row[key] for key in kept}, "turns": turns}


def feed(world: World, count: int) -> tuple[list[list[Any]], list[WishTrace]]:
    """[milliseconds, event] of the live wishes in order, and their traces."""
    traces: list[WishTrace] = []
    pace = constants()["timeline"]
    now = 1500
    hello = {"type": "hello", "world_version": len(world.features), "epoch": world.epoch}
    rows: list[list[Any]] = [[now, hello]]
    for i, text in enumerate(LIVE):
        events: list[dict[str, Any]] = []
        number = count + 1 + i
        current = {"wish_id": wish_id(number), "text_preview": text}
        now += BETWEEN_MS
        rows.append([now, {"type": "queue", "length": len(LIVE) - i, "current": current}])
        world, trace = granted(world, text, number, events)
        traces.append(trace)
        for event in events:
            kind = event["type"]
            if kind == "tool_call":
                now += pace["pause_ms"]
            if kind == "world_delta":
                now += pace["gaze_ms"]
            rows.append([now, event])
            if kind == "thought_token":
                now += len(event["text"]) * 1000 // pace["chars_per_second"]
            elif kind == "wish_started":
                now += pace["lead_ms"]
            elif kind == "world_delta":
                now += pace["rise_ms"] + pace["pause_ms"]
            elif kind == "wish_granted":
                now += EPITAPH_MS
    rows.append([now, {"type": "queue", "length": 0, "current": None}])
    return rows, traces


def write(name: str, document: Any) -> None:
    """Write compact JSON."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
