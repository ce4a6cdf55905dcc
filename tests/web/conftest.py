"""A real Chromium on this machine's Mesa, and the built page without a server behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from godseed.check.browser import FLAGS, GL_MODES, Site, chromium_path, client_site, serve
from godseed.mind.backends.mock import MockBackend
from godseed.mind.planner import Refusal, grant_wish
from godseed.sim.feature import wish_id
from godseed.sim.world import World

WISHES = (
    "a neighbourhood where every window is lit",
    "a road from the houses to the sea cliffs",
    "<script>document.title = 'taken'</script> & a <b>garden</b> of roses",
)
SIZE = (480, 270)

Opened = Callable[..., Page]


@dataclass
class Log:
    """Three granted wishes.

    Attributes:
        world: what came of them.
        lines: of the log.
    """

    world: World
    lines: list[bytes] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        """The log file."""
        return b"".join(line + b"\n" for line in self.lines)


@pytest.fixture(scope="session")
def log() -> Log:
    """A log of three wishes; one of them is written to hurt a page that trusts it."""
    log = Log(World.genesis())
    for number, text in enumerate(WISHES, start=1):
        log.world, made = grant_wish(log.world, text, MockBackend(), wish_id(number), t=number)
        assert not isinstance(made, Refusal)
        log.lines.append(made.to_line())
    return log


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file; a thread can drive one at a time."""
    with sync_playwright() as driver:
        args = [*FLAGS, *GL_MODES["mesa"]]
        browser = driver.chromium.launch(executable_path=chromium_path(), args=args)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(log: Log) -> Iterator[str]:
    """Address of the page on a static host, with the log beside it."""
    client = client_site()
    with serve(Site(client.folders, {"/wishes.jsonl": log.data})) as url:
        yield url


@pytest.fixture
def opened(browser: Browser, site: str) -> Iterator[Opened]:
    """Opens a page of the site in a new profile, and fails the test if anything fails in it."""
    contexts, failures = [], []

    def open_page(path: str, size: tuple[int, int] = SIZE, **options: Any) -> Page:
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(error.message))
        page.on("console", lambda said: failures.append(said.text) if _bad(said.text) else None)
        page.goto(site + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert failures == []


def _bad(text: str) -> bool:
    """Whether a line of the console tells of something that the page's policy stopped."""
    return "Content Security Policy" in text
