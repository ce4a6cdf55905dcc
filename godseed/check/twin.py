"""The JavaScript twin as a long-lived Node process that is asked in JSON lines.

It runs `web/sim/bridge.js`, which says what can be asked.
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np

from godseed import spec
from godseed.sim.digest import GeometryDigest
from godseed.sim.feature import Feature
from godseed.sim.maths import F32

BRIDGE = Path(__file__).resolve().parents[2] / "web" / "sim" / "bridge.js"
ANSWER_S = 120.0


class BridgeError(RuntimeError):
    """The other twin cannot be asked, or failed; the message says what to do."""


class Bridge:
    """A Node process with the JavaScript twin loaded; close it, or use it as a context manager."""

    def __init__(self, node: str = "node", script: Path = BRIDGE) -> None:
        """Start Node.

        Raises:
            BridgeError: there is no Node, or no script.
        """
        if not script.is_file():
            raise BridgeError(f"bridge: no file {script}; expected a checkout with web/sim")
        folder = spec.path("tools.json").parent
        try:
            self._process = subprocess.Popen(
                [node, str(script), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except OSError as error:
            raise BridgeError(f"bridge: {node}: {error}; install Node 20 or newer") from None

    def __enter__(self) -> Bridge:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait(ANSWER_S)

    def ask(self, operation: str, features: Sequence[Feature] = (), **more: Any) -> Any:
        """Ask for one thing.

        Args:
            operation: such as `digest`, see `web/sim/bridge.js`.
            features: a whole world, where the operation wants one.
            more: further fields of the request.
        Raises:
            BridgeError: the other side failed, with its words.
        """
        self.send(operation, features, **more)
        return self.receive()

    def send(self, operation: str, features: Sequence[Feature], **more: Any) -> None:
        """Write a request; `receive` gets its answer, in order."""
        request = {"op": operation, "features": [f.to_dict() for f in features], **more}
        stream: IO[bytes] = _pipe(self._process.stdin)
        try:
            stream.write(json.dumps(request).encode() + b"\n")
            stream.flush()
        except OSError as error:
            raise BridgeError(f"bridge: it is gone ({error}); see its words above") from None

    def receive(self) -> Any:
        """Read the next answer.

        Raises:
            BridgeError: the other side failed, or ended.
        """
        line = _pipe(self._process.stdout).readline()
        if not line:
            raise BridgeError("bridge: it ended without an answer; see its words above")
        answer = json.loads(line)
        if "error" in answer:
            raise BridgeError(f"bridge: {answer['error']}")
        return answer["ok"]

    def digest(self, features: Sequence[Feature]) -> GeometryDigest:
        """The other twin's geometry digest."""
        return GeometryDigest.from_dict(self.ask("slices", features))

    def rows(self, features: Sequence[Feature], buffer: str) -> tuple[F32, list[int]]:
        """The other twin's rows with the ground behind them, (r, width + g), and their owners."""
        table = self.ask("rows", features, buffer=buffer)
        rows = _floats(table["rows"], table["width"])
        ground = _floats(table["ground"], table["anchors"])
        if table["anchors"]:
            rows = np.concatenate([rows, ground], axis=1)
        return rows, table["feature"]


def _floats(text: str, width: int) -> F32:
    numbers = np.frombuffer(base64.b64decode(text), "<f4").astype(np.float32)
    return numbers.reshape(-1, width) if width else numbers.reshape(0, 0)


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
