"""The planet page in a real Chromium: its pixels, by keyboard, with less motion, on a phone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from godseed.check.compare import difference
from godseed.render.image import read_png
from godseed.render.renderer import Renderer
from godseed.sim.digest import geometry_digest
from godseed.sim.frame import Stage

AXE = Path(__file__).resolve().parents[2] / "web/node_modules/axe-core/axe.min.js"
SIZE = (480, 270)
SIZES = {"desktop": (1280, 720), "tablet": (820, 1180), "phone": (390, 844), "side": (740, 360)}
PHONE = {"has_touch": True, "is_mobile": True}
STILL = "/?still=4000&quality=best"
HIDE = "body > :not(main), main > :not(canvas) { display: none !important }"

Opened = Callable[..., Page]


def live(page: Page) -> Page:
    """Wait until the page shows its world."""
    expect(page.locator("#epoch")).to_have_text("Epoch 3", timeout=60_000)
    return page


def shown(page: Page) -> dict[str, Any]:
    """What the page says that it shows."""
    found = page.evaluate("async () => JSON.stringify(await window.godseed.shown())")
    return json.loads(found)  # type: ignore[no-any-return]


def canvas_pixels(page: Page, path: Path) -> Any:
    """What stands on the screen where the canvas is, with the text put away."""
    page.evaluate("() => new Promise((done) => setTimeout(done, 400))")
    page.screenshot(path=path)
    return np.asarray(read_png(path)[0])[..., :3]


def rendered(features: Any, shot: str) -> Any:
    """What the headless renderer draws of it."""
    frame = Stage(tuple(features)).frame(4000, shot, SIZE[0] / SIZE[1])
    return Renderer(SIZE, 4).draw(frame).pixels[..., :3]


def test_page_shows_what_the_headless_renderer_draws(
    opened: Opened, log: Any, tmp_path: Path
) -> None:
    page = live(opened(STILL, bypass_csp=True))
    page.add_style_tag(content=HIDE)
    assert [row["id"] for row in shown(page)["features"]] == [f.id for f in log.world.features]
    seen = canvas_pixels(page, tmp_path / "town.png")
    assert np.count_nonzero(difference(seen, rendered(log.world.features, "town"))) == 0
    page.evaluate("() => document.getElementById('view').click()")
    seen = canvas_pixels(page, tmp_path / "world.png")
    assert np.count_nonzero(difference(seen, rendered(log.world.features, "world"))) == 0


def test_wishes_of_a_log_are_shown_as_text(opened: Opened) -> None:
    page = opened("/book.html")
    expect(page.locator(".asked").first).to_contain_text("<script>", timeout=60_000)
    assert page.title() == "Genesis Log · GODSEED"
    assert page.locator(".entries script, .entries b").count() == 0


def test_lost_graphics_come_back_with_the_same_picture(opened: Opened, tmp_path: Path) -> None:
    page = live(opened(STILL, bypass_csp=True))
    page.add_style_tag(content=HIDE)
    before = canvas_pixels(page, tmp_path / "before.png")
    assert before.max() > 100
    page.evaluate(
        "() => { const gl = document.getElementById('planet').getContext('webgl2');"
        " window.lose = gl.getExtension('WEBGL_lose_context'); window.lose.loseContext(); }"
    )
    page.wait_for_selector("#away:not([hidden])", state="attached")
    page.evaluate("() => window.lose.restoreContext()")
    page.wait_for_selector("#away[hidden]", state="attached")
    after = canvas_pixels(page, tmp_path / "after.png")
    assert np.count_nonzero(difference(before, after)) == 0


def test_phone_draws_fewer_plants_of_the_same_scene(
    opened: Opened, log: Any, tmp_path: Path
) -> None:
    phone, desktop = live(opened(STILL, **PHONE)), live(opened(STILL))
    drawn = [canvas_pixels(page, tmp_path / f"{i}.png") for i, page in enumerate((phone, desktop))]
    assert np.count_nonzero(difference(*drawn)) > 100
    for page in (phone, desktop):
        features = json.dumps(shown(page)["features"])
        total = page.evaluate(
            "async (text) => { await window.godseed.load(JSON.parse(text));"
            " return (await window.godseed.geometry()).total; }",
            features,
        )
        assert total == geometry_digest(Stage(log.world.features).scene(len(log.world))).total


def test_less_motion_stands_still_and_cuts(opened: Opened, tmp_path: Path) -> None:
    page = live(opened("/?quality=best", reduced_motion="reduce"))
    first = canvas_pixels(page, tmp_path / "first.png")
    second = canvas_pixels(page, tmp_path / "second.png")
    assert np.count_nonzero(difference(first, second)) == 0
    page.click("#view")
    world = canvas_pixels(page, tmp_path / "world.png")
    assert np.count_nonzero(difference(second, world)) > 10_000
    assert np.count_nonzero(difference(world, canvas_pixels(page, tmp_path / "again.png"))) == 0


def test_page_is_usable_by_keyboard_alone(opened: Opened) -> None:
    page = live(opened(STILL))
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "view"
    page.keyboard.press("Enter")
    expect(page.locator("#view")).to_contain_text("return to")
    assert shown(page)["view"] == "world"
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "log"
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Genesis Log")


@pytest.mark.parametrize(
    "path", ["/?mock=1&still=4000", "/book.html", "/book.html?still=0#w_000001"]
)
def test_nothing_is_cut_off_or_covered_on_any_screen(opened: Opened, path: str) -> None:
    page = opened(path)
    page.wait_for_selector("#epoch:not(:empty):visible, .entry:visible", timeout=60_000)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        outside = page.evaluate(
            "() => [...document.querySelectorAll('a, button, input, h1, .counter')].filter((e) => {"
            " const r = e.getBoundingClientRect();"
            " return r.width > 0 && (r.left < 0 || r.right > innerWidth + 1); }).map((e) => e.id)"
        )
        assert outside == [], (width, height)
        covered = page.evaluate(
            "() => [...document.querySelectorAll('.bottom a, .bottom button')].filter((e) => {"
            " const r = e.getBoundingClientRect(); if (r.width === 0) return false;"
            " const hit = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);"
            " return !e.contains(hit); }).map((e) => e.id)"
        )
        assert covered == [], (width, height)


@pytest.mark.parametrize("path", ["/?still=4000", "/book.html", "/book.html?still=0#w_000001"])
def test_accessibility_checker_finds_nothing_serious(opened: Opened, path: str) -> None:
    page = opened(path)
    page.wait_for_selector("#epoch:not(:empty), .entry", timeout=60_000, state="attached")
    page.evaluate(AXE.read_text())
    found = page.evaluate("async () => (await window.axe.run()).violations")
    serious = [
        f"{row['id']}: {row['help']} ({row['nodes'][0]['html']})"
        for row in found
        if row["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_policy_allows_no_inline_script(opened: Opened) -> None:
    page = live(opened(STILL))
    policy = page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content") or ""
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert page.locator("script:not([src])").count() == 0
    assert page.locator("[style], [onclick]").count() == 0
