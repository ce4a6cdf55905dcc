"""A web client that answers `window.godseed`, protocol 1; see docs/reference/protocol.md."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from godseed.check.browser import PageError, first_line
from godseed.check.parity_views import View
from godseed.render.context import Fingerprint, fingerprint_of
from godseed.sim.digest import GeometryDigest
from godseed.sim.feature import Feature
from godseed.sim.frame import DESIGN_RISE_MS

if TYPE_CHECKING:
    from playwright.sync_api import Page

PROTOCOL: Final = 1
RISE_MS: Final = int(DESIGN_RISE_MS)

Array = npt.NDArray[Any]


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
                f"godseed.{method}: {first_line(error.message)}; expected an answer as in "
                "protocol 1; look at the page's console"
            ) from None

    def _array(self, method: str, kind: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        raw = np.frombuffer(base64.b64decode(self._call(method)), kind)
        if raw.size != np.prod(shape):
            raise PageError(
                f"godseed.{method}: {raw.size} numbers; expected {shape}; answer base64 of all rows"
            )
        return raw.reshape(shape)
