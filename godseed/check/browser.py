"""A real Chromium that shows the web client, and the small local server that gives it its files.

The browser is the one installed on this machine, with a new empty profile, and reaches nothing but
that server.
"""

from __future__ import annotations

import functools
import mimetypes
import os
import re
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import unquote, urlsplit

import godseed
from godseed.render.errors import MissingError, RenderError
from godseed.spec import path as spec_path

if TYPE_CHECKING:
    from playwright.sync_api import Page

GLMode = Literal["mesa", "swiftshader", "default"]
GL_MODES: Final[Mapping[GLMode, tuple[str, ...]]] = {
    "mesa": ("--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"),
    "swiftshader": ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    "default": (),
}
"""Flags that choose the rasteriser: the machine's OpenGL through EGL, SwiftShader, or what the
browser takes by itself."""
FLAGS: Final = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_VARIABLE: Final = "GODSEED_CHROMIUM"
CLIENT: Final = Path(godseed.__file__).parent / "web_client"
"""Where `vite build` puts the client."""
BUILD_CLIENT: Final = "./do web build"
INSTALL_BROWSER: Final = "apt-get install chromium"
INSTALL_DRIVER: Final = "pip install 'godseed[web-test]'"
START_TIMEOUT_MS: Final = 120_000
WAIT_MS: Final = 1_000
TYPES: Final = {".js": "text/javascript", ".mjs": "text/javascript", ".glsl": "text/plain"}


class MissingBrowserError(MissingError):
    """This machine has no browser to drive, or no client to show in it."""


class PageError(RenderError):
    """The page did not come up, or something in it failed; the text says what."""


@dataclass(frozen=True)
class Site:
    """What the local server gives.

    Attributes:
        folders: URL prefix -> folder; the longest matching prefix wins.
        overrides: URL path -> bytes given in place of a file.
    """

    folders: Mapping[str, Path]
    overrides: Mapping[str, bytes] = field(default_factory=dict)


def client_site(overrides: Mapping[str, bytes] | None = None) -> Site:
    """Our own client and the specification.

    Args:
        overrides: URL path, such as `/spec/materials.json`, -> bytes in place of the file.
    Raises:
        MissingBrowserError: the client is not built.
    """
    if not (CLIENT / "index.html").is_file():
        raise MissingBrowserError(
            f"check.browser: no client in {CLIENT}; expected the built page; run '{BUILD_CLIENT}'"
        )
    folders = {"/": CLIENT, "/spec/": spec_path("tools.json").parent}
    return Site(folders, {} if overrides is None else overrides)


@contextmanager
def client_page(
    gl: GLMode = "mesa", url: str | None = None, overrides: Mapping[str, bytes] | None = None
) -> Iterator[Page]:
    """A page that answers `window.godseed`: the client at an address, or our own.

    Raises:
        MissingBrowserError, PageError: as in `client_site` and `browse`.
    """
    if url is not None:
        with browse(url, gl) as page:
            yield page
        return
    with serve(client_site(overrides)) as address, browse(f"{address}/?driven", gl) as page:
        yield page


def chromium_path() -> Path:
    """Where the browser is: the one that `GODSEED_CHROMIUM` names, or the first found by name.

    Raises:
        MissingBrowserError: there is none.
    """
    named = os.environ.get(BROWSER_VARIABLE)
    for name in (named,) if named else BROWSERS:
        if found := shutil.which(name):
            return Path(found)
    raise MissingBrowserError(
        f"check.browser: {named or 'Chromium'} is not here; expected Chromium or Chrome; run "
        f"'{INSTALL_BROWSER}' or set {BROWSER_VARIABLE} to its path"
    )


@contextmanager
def serve(site: Site) -> Iterator[str]:
    """Serve a site to this machine alone; gives its address, such as `http://127.0.0.1:40123`."""
    handler = functools.partial(_Handler, site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="site", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def browse(
    url: str,
    gl: GLMode = "mesa",
    ready: str = "window.godseed",
    size: tuple[int, int] = (1280, 720),
    flags: Sequence[str] = (),
) -> Iterator[Page]:
    """Open a page in a new browser and wait until `ready` holds in it.

    Args:
        url: of the page.
        gl: which rasteriser.
        ready: JavaScript; what it gives may have a promise `ready`, which is waited for.
        size: of the window's inside, pixels.
        flags: further flags for the browser.
    Raises:
        MissingBrowserError: no browser, or no library to drive it.
        PageError: the page failed before it was ready; the text holds its first error.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise MissingBrowserError(
            f"check.browser: Playwright is not installed; expected it to drive the browser; run "
            f'"{INSTALL_DRIVER}"'
        ) from None
    path = chromium_path()
    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(
                executable_path=path, args=[*FLAGS, *GL_MODES[gl], *flags]
            )
        except Error as error:
            raise MissingBrowserError(
                f"check.browser: {path} does not start: {first_line(error.message)}; expected "
                f"a working browser; run '{INSTALL_BROWSER}'"
            ) from None
        try:
            page = browser.new_page(viewport={"width": size[0], "height": size[1]})
            failures = _failures(page)
            try:
                page.goto(url, timeout=START_TIMEOUT_MS)
                _wait(page, ready, failures)
                page.evaluate(f"async () => void (await {ready}.ready)")
            except Error as error:
                said = failures[0] if failures else first_line(error.message)
                raise PageError(
                    f"{url}: {said}; expected a page that answers {ready}; open it in a browser "
                    "and read its console"
                ) from None
            yield page
        finally:
            browser.close()


def first_line(message: str) -> str:
    """First line of a driver's message, without the driver's own words before it."""
    return re.sub(r"^(?:Page|Frame)\.\w+: ", "", message.splitlines()[0])


def _failures(page: Page) -> list[str]:
    """What goes wrong in the page and nobody catches, as it happens."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(error.message))
    return found


def _wait(page: Page, ready: str, failures: Sequence[str]) -> None:
    """Wait until `ready` holds, no longer than until something fails."""
    from playwright.sync_api import TimeoutError as Waited

    for _ in range(START_TIMEOUT_MS // WAIT_MS):
        try:
            page.wait_for_function(f"() => Boolean({ready})", timeout=WAIT_MS)
            return
        except Waited:
            if failures:
                raise
    raise Waited(f"{ready} did not come up in {START_TIMEOUT_MS // 1000} s")


class _Handler(BaseHTTPRequestHandler):
    """Gives files of a site, nothing outside its folders."""

    def __init__(self, site: Site, *args: object) -> None:
        self.site = site
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with a file, or 404."""
        path = unquote(urlsplit(self.path).path)
        body = self.site.overrides.get(path)
        if body is None and (file := self._file(path)) is not None:
            body = file.read_bytes()
        if body is None:
            self.send_error(404)
            return
        suffix = Path(path).suffix or ".html"
        kind = TYPES.get(suffix) or mimetypes.types_map.get(suffix, "application/octet-stream")
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _file(self, path: str) -> Path | None:
        for prefix in sorted(self.site.folders, key=len, reverse=True):
            if not path.startswith(prefix):
                continue
            folder = self.site.folders[prefix].resolve()
            file = (folder / path.removeprefix(prefix).lstrip("/")).resolve()
            if file.is_dir():
                file = file / "index.html"
            if file.is_file() and file.is_relative_to(folder):
                return file
        return None
