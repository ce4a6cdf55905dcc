"""The report in a real browser: from disk, without network, and its approve command works."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from godseed.check.browser import browse
from godseed.check.golden import check, examine_all, update
from godseed.check.new_case import new_case
from godseed.check.report import write_report
from godseed.cli.main import main
from godseed.sim.genesis import genesis_features
from godseed.sim.world import World

SIZE = (160, 90)
OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with one failing case and one that passes, beside its cases."""
    root = tmp_path_factory.mktemp("report") / "golden"
    world = World.genesis()
    new_case(root, "genesis", genesis_features(), [("town", 4.0)], SIZE, 0)
    for hue in (200, 20):
        args = {"lat": 13, "lon": 40, "kind": "tower", "scale": 2, "hue": hue}
        made = world.apply({"tool": "place_structure", "args": args}, "w_000001", 0).world
        (root / "place/tower/case.json").unlink(missing_ok=True)
        new_case(root, "place/tower", tuple(made.features), [("town", 4.0)], SIZE, 0)
        if hue == 200:
            update(root, which="missing")
    path = root.parent / "golden report.html"
    write_report(path, *examine_all(root, evidence=True))
    return path


@pytest.fixture(scope="module")
def page(report: Path) -> Iterator[Any]:
    with browse(report.as_uri(), ready="document.querySelector('.viewer')", flags=OFFLINE) as page:
        yield page


def test_report_shows_both_cases_and_nothing_is_refused_or_fetched(report: Path, page: Any) -> None:
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_selector(".js .viewer")
    assert said == []
    assert {url.split(":")[0] for url in asked} <= {"file", "data"}
    assert page.inner_text("h1") == "Not as approved"
    assert "hue 200 -> 20" in page.inner_text("details.case[data-kind=world]")
    loaded = "() => [...document.images].every(i => i.complete && i.naturalWidth === 160)"
    page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    page.wait_for_function(loaded)
    assert page.locator("figure.difference, figure.expected, figure.actual").count() == 3
    assert "f_000004 place_structure" in page.inner_text(".tables")


def test_every_way_of_looking_is_reached_by_the_keyboard(page: Any) -> None:
    viewer = "document.querySelector('.viewer').dataset.mode"
    assert not page.is_visible(".slide")
    assert not page.is_visible(".swap")
    page.focus("fieldset.modes input[value=side]")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(viewer) == "slide"
    page.focus(".slide")
    page.keyboard.press("Home")
    cut = "getComputedStyle(document.querySelector('.actual img')).clipPath"
    assert "0%" in page.evaluate(cut) or page.evaluate(cut) == "inset(0px)"
    page.keyboard.press("End")
    assert "100%" in page.evaluate(cut)
    page.keyboard.press("3")
    assert page.evaluate(viewer) == "flicker"
    page.focus(".swap")
    page.keyboard.press("Enter")
    assert page.inner_text(".swap span") == "actual"
    assert not page.is_visible(".expected img")
    page.keyboard.press("Enter")
    assert page.inner_text(".swap span") == "expected"
    assert not page.is_visible(".actual img")
    page.keyboard.press("4")
    assert page.is_visible(".difference img")
    assert not page.is_visible(".actual img")
    page.keyboard.press("1")
    assert page.is_visible(".actual img")


def test_cases_are_filtered_and_walked_through(page: Any) -> None:
    page.click("button[data-rung=none]")
    assert page.locator("details.case:visible").count() == 1
    page.click("button[data-rung=all]")
    assert page.locator("details.case:visible").count() == 2
    page.keyboard.press("j")
    focused = "document.activeElement.innerText"
    assert "place/tower" in page.evaluate(focused)
    page.keyboard.press("j")
    assert "genesis" in page.evaluate(focused)
    page.keyboard.press("k")
    assert "place/tower" in page.evaluate(focused)


def test_command_that_is_copied_approves(
    report: Path, page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.evaluate("() => { navigator.clipboard.writeText = async (t) => { window.copied = t; }; }")
    page.click("[data-copy]")
    page.wait_for_function("() => window.copied")
    command = shlex.split(page.evaluate("window.copied"))
    assert command[:3] == ["godseed", "golden", "approve"]
    there = Path(shutil.copytree(report.parent, tmp_path / "there"))
    monkeypatch.chdir(there)
    assert not check("golden").passed
    ran = CliRunner().invoke(main, [*command[1:], "--dir", "golden"])
    assert ran.exit_code == 0, ran.output
    assert check("golden").passed


def test_report_without_script_still_shows_every_picture(report: Path) -> None:
    text = report.read_text()
    body = text[text.index("<main>") : text.index("</main>")]
    assert body.count("<img") >= 4
    assert "style=" not in body
    assert "http://" not in text.split("godseed-report")[0]
    assert "https://" not in text.split("godseed-report")[0]
