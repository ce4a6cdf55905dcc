"""ms per frame of the same client in Chromium, and of capturing its page by screenshots."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.timing import median_ms
from godseed.check.browser import GLMode, client_page
from godseed.check.client import Client
from godseed.check.parity_views import View
from godseed.sim.feature import Feature

# Reading one pixel waits until the frame is drawn; the whole picture is not read, which favours the
# client.
TIMED = """async ([times, shot, size, samples]) => {
  const gl = document.querySelector('canvas').getContext('webgl2');
  const pixel = new Uint8Array(4);
  const spent = [];
  for (const ms of times) {
    const begun = performance.now();
    await window.godseed.seek(ms, shot, size, samples);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    spent.push(performance.now() - begun);
  }
  return spent;
}"""


@dataclass(frozen=True)
class Timed:
    """What a browser took.

    Attributes:
        frame_ms: median of a frame.
        captured_ms: median of a frame and its screenshot; nan if none was taken.
        rasteriser: its name.
    """

    frame_ms: float
    captured_ms: float
    rasteriser: str


def client_times(
    features: Sequence[Feature],
    gl: GLMode,
    shot: str,
    size: tuple[int, int],
    samples: int,
    times_ms: Sequence[int],
    captures: int = 0,
) -> Timed:
    """Draw frames in a browser.

    Args:
        features: the world.
        gl: rasteriser; `default` is what headless Chromium takes by itself.
        shot, size, samples: of the frames.
        times_ms: one frame each; the first warms up.
        captures: how many frames to capture by screenshot as well.
    Raises:
        MissingBrowserError, PageError: there is no browser, or the client fails in it.
    """
    with client_page(gl) as page:
        client = Client(page)
        client.load(features, {})
        spent = page.evaluate(TIMED, [list(times_ms), shot, list(size), samples])
        captured = float("nan")
        if captures:
            moments = iter(range(10_000, 10_000 + 400 * (captures + 1), 400))

            def capture() -> None:
                client.seek(View(shot, next(moments), size, samples))
                page.screenshot(type="png")

            captured = median_ms(capture, captures)
        name = client.fingerprint(samples).renderer
    return Timed(statistics.median(spent[1:]), captured, name)
