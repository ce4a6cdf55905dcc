"""The Genesis Log in a real Chromium, from static files alone: list, replay, links, bad logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, expect

from godseed.check.browser import Site, client_site, serve
from godseed.check.compare import difference
from godseed.render.image import read_png
from godseed.render.renderer import Renderer
from godseed.sim.frame import Stage
from godseed.sim.timeline import timeline
from godseed.sim.wish_trace import parse_line

Opened = Callable[..., Page]
SIZE = (480, 270)
WAIT = 60_000


def replaying(page: Page, wish_id: str) -> Page:
    """Wait until a replay is open."""
    expect(page.locator("#number")).to_have_text(wish_id, timeout=WAIT)
    page.wait_for_selector("body.replaying")
    return page


def seek(page: Page, ms: int) -> None:
    """Move the replay's time as a visitor does, by its slider."""
    page.evaluate(
        "(ms) => { const time = document.getElementById('time'); time.step = 1; time.value = ms;"
        " time.dispatchEvent(new Event('input')); }",
        ms,
    )


def test_log_lists_what_was_granted_with_pictures(opened: Opened, log: Any) -> None:
    page = opened("/book.html")
    page.wait_for_selector("canvas[data-drawn]", timeout=WAIT)
    traces = [parse_line(line) for line in log.lines]
    epitaphs = page.locator(".entry .said-last").all_inner_texts()
    assert epitaphs == [trace.epitaph for trace in reversed(traces)]
    assert page.locator(".epoch-line").all_inner_texts() == ["Epoch 3", "Epoch 2", "Epoch 1"]
    bright = page.evaluate(
        "() => { const c = document.querySelector('canvas[data-drawn]');"
        " const { data } = c.getContext('2d').getImageData(0, 0, 432, 243);"
        " return data.reduce((most, x, i) => (i % 4 < 3 ? Math.max(most, x) : most), 0); }"
    )
    assert bright > 100


def test_log_is_searched_by_words(opened: Opened) -> None:
    page = opened("/book.html")
    page.wait_for_selector(".entry", timeout=WAIT)
    page.fill("#find", "SEA road")
    assert page.locator(".entry:visible").count() == 1
    page.fill("#find", "zzz")
    expect(page.locator("#none")).to_have_text("No wish with these words.")


def test_replay_equals_the_replay_of_the_command(opened: Opened, log: Any, tmp_path: Path) -> None:
    page = replaying(opened("/book.html?still=0#w_000002", bypass_csp=True), "w_000002")
    trace = parse_line(log.lines[1])
    clock = timeline(trace)
    count = sum(len(parse_line(line).features) for line in log.lines[:2])
    features = log.world.features[: 4 + count]
    stage = Stage(features, clock)
    page.add_style_tag(content="#stage { display: none !important }")
    last = [event for event in clock.events if event.kind == "land"][-1]
    for ms in (last.start_ms + 700, clock.total_ms - 3000):
        seek(page, ms)
        page.screenshot(path=tmp_path / "seen.png")
        seen = np.asarray(read_png(tmp_path / "seen.png")[0])[..., :3]
        frame = stage.frame(ms, stage.replay_pose(ms), SIZE[0] / SIZE[1])
        drawn = Renderer(SIZE, 4).draw(frame).pixels[..., :3]
        assert np.count_nonzero(difference(seen, drawn)) == 0


def test_replay_types_the_recorded_thoughts_and_ends_with_the_epitaph(
    opened: Opened, log: Any
) -> None:
    page = replaying(opened("/book.html?still=0#w_000001"), "w_000001")
    trace = parse_line(log.lines[0])
    clock = timeline(trace)
    thought = next(event for event in clock.events if event.kind == "thought")
    seek(page, thought.start_ms + 1000)
    expect(page.locator("#thought")).to_have_text(trace.turns[0].thought[:28].strip())
    seek(page, thought.end_ms - 1)
    expect(page.locator("#thought")).to_have_text(trace.turns[0].thought)
    seek(page, clock.total_ms)
    expect(page.locator("#epitaph")).to_have_text(trace.epitaph)
    expect(page.locator("#play")).to_have_text("again")
    said = page.locator("#said p").all_inner_texts()
    assert trace.turns[0].thought in said
    assert trace.epitaph in said


def test_link_to_a_wish_opens_and_closes_by_keyboard(opened: Opened) -> None:
    page = opened("/book.html?still=0")
    page.wait_for_selector(".entry", timeout=WAIT)
    page.locator(".entry").first.focus()
    page.keyboard.press("Enter")
    replaying(page, "w_000003")
    assert page.url.endswith("#w_000003")
    assert page.locator("#later").is_hidden()
    page.click("#earlier")
    replaying(page, "w_000002")
    page.click("#tell")
    expect(page.locator("#told")).to_contain_text("a road from the houses to the sea cliffs")
    page.keyboard.press("Escape")
    expect(page.locator("#told")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("() => document.activeElement.hash") == "#w_000002"
    page.go_back()
    replaying(page, "w_000002")


def test_replay_plays_by_itself_and_pauses(opened: Opened) -> None:
    page = replaying(opened("/book.html#w_000001"), "w_000001")
    page.wait_for_selector("#thought:not(:empty)", timeout=WAIT)
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("play")
    time = page.input_value("#time")
    assert int(time) > 0
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("pause")


def test_unknown_wish_and_bad_lines_are_told(browser: Browser, log: Any) -> None:
    torn = log.data + b'{"wish_id": "w_000004", "tex'
    client = client_site()
    with serve(Site(client.folders, {"/torn.jsonl": torn, "/empty.jsonl": b""})) as url:
        page = browser.new_page()
        page.goto(f"{url}/book.html?log=torn.jsonl")
        expect(page.locator("#notice")).to_have_text(
            "1 line of the log could not be read.", timeout=WAIT
        )
        assert page.locator(".entry").count() == 3
        page.goto(f"{url}/book.html?log=torn.jsonl#w_000009")
        expect(page.locator("#notice")).to_have_text("w_000009 is not in this log.", timeout=WAIT)
        page.goto(f"{url}/book.html?log=empty.jsonl")
        expect(page.locator("#none")).to_have_text("Nothing has been wished for yet.", timeout=WAIT)
        page.goto(f"{url}/book.html")
        expect(page.locator("#notice")).to_contain_text(
            "wishes.jsonl beside this page", timeout=WAIT
        )
        page.close()


def test_built_in_log_is_what_the_mock_mind_grants(repo_root: Path) -> None:
    log = json.loads((repo_root / "web/mock/log.json").read_text())
    state = json.loads((repo_root / "web/mock/state.json").read_text())
    made = [feature for trace in log["traces"] for feature in trace["features"]]
    assert made[: len(state["world"]["features"]) - 4] == state["world"]["features"][4:]
    assert all(trace["reading"] and trace["epitaph"] for trace in log["traces"])
