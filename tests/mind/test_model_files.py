"""Names of models: paths, packages, and a hub that is a real server on this machine."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from godseed.mind.backends import MissingError, ModelError
from godseed.mind.backends.model_files import PACKAGED, find_model, sha256_of

FILES = {
    "model.Q8_0.gguf": b"GGUF eight",
    "model.Q4_K_M.gguf": b"GGUF four",
    "big-00001-of-00002.gguf": b"GGUF part",
    "README.md": b"# read me",
}


class Hub(BaseHTTPRequestHandler):
    """The three answers of a hub that downloading a file takes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, *_: Any) -> None:
        pass

    def _answer(self, body: bool) -> None:
        path = self.path.partition("?")[0]
        name = path.rpartition("/")[2]
        if path.startswith("/api/models/owner/good"):
            rows = [
                {"type": "file", "path": name, "size": len(data), "oid": "b" * 40}
                for name, data in FILES.items()
            ]
            data = json.dumps(rows).encode()
            self._send(200, data, body, {"Content-Type": "application/json"})
        elif path.startswith("/owner/good/resolve/") and name in FILES:
            etag = hashlib.sha256(FILES[name]).hexdigest()
            headers = {"ETag": f'"{etag}"', "X-Repo-Commit": "a" * 40}
            self._send(200, FILES[name], body, headers)
        elif "owner/good" in path:
            self._send(404, b"", body, {"X-Error-Code": "EntryNotFound"})
        else:
            self._send(404, b"", body, {"X-Error-Code": "RepoNotFound"})

    def _send(self, status: int, data: bytes, body: bool, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(key, value)
        self.end_headers()
        if body:
            self.wfile.write(data)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The hub's client, told of a server here."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", url)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    yield url
    server.shutdown()
    server.server_close()


def test_default_is_the_packaged_model(smollm_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GODSEED_GGUF", raising=False)
    assert find_model() == find_model("smollm2-135m") == smollm_path
    assert smollm_path.name == "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_the_environment_names_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setenv("GODSEED_GGUF", str(path))
    assert find_model() == path
    monkeypatch.setenv("GODSEED_GGUF", str(tmp_path / "other.gguf"))
    with pytest.raises(ModelError, match=r"other.gguf.*no such file"):
        find_model()


@pytest.mark.parametrize("name", ["nowhere.gguf", "/no/such.gguf", "./a/b", "a b", "", "x/y.gguf"])
def test_a_name_that_is_none_of_these_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GODSEED_GGUF", "")
    if name:
        with pytest.raises(ModelError, match=r"no such file; expected a GGUF file, owner/repo"):
            find_model(name)


def test_a_package_that_is_not_installed_comes_with_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(PACKAGED, "default", ("no_such_package", "pip install it"))  # type: ignore[arg-type]
    with pytest.raises(MissingError, match=r"no_such_package is not installed.*pip install it"):
        find_model("default")


def test_hub_gives_the_preferred_file_and_keeps_it(hub: str) -> None:
    path = find_model("owner/good")
    assert (path.name, path.read_bytes()) == ("model.Q4_K_M.gguf", b"GGUF four")
    assert find_model("owner/good:Q8_0").read_bytes() == b"GGUF eight"
    assert find_model("owner/good/model.Q8_0.gguf").read_bytes() == b"GGUF eight"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("owner/good:Q2_K", r"no GGUF file of 'Q2_K'; expected one of model.Q4_K_M.gguf"),
        ("owner/good/other.gguf", r"EntryNotFoundError.*check the name"),
        ("owner/none", r"RepositoryNotFoundError.*check the name"),
    ],
)
def test_hub_that_has_no_such_file_is_told(hub: str, name: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        find_model(name)


def test_hub_out_of_reach_is_an_error_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "empty"))
    with pytest.raises(MissingError, match=r"hub cannot be reached.*GODSEED_GGUF"):
        find_model("owner/good")


def test_hub_out_of_reach_gives_what_was_downloaded(
    hub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = find_model("owner/good/model.Q8_0.gguf")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert find_model("owner/good/model.Q8_0.gguf") == path


def test_sha256_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one")
    assert sha256_of(path) == hashlib.sha256(b"one").hexdigest()
    path.write_bytes(b"other")
    assert sha256_of(path) == hashlib.sha256(b"other").hexdigest()
