"""The `openai` backend against llama-cpp-python's own server, and against worse ones."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from godseed.mind.backends import (
    BackendError,
    Generation,
    GenerationCancelled,
    Message,
    MissingError,
    ModelError,
    Sampling,
)
from godseed.mind.backends.openai import OpenAIBackend
from godseed.mind.gbnf import Gbnf, matches
from godseed.mind.planner import Planner, grant_wish
from godseed.mind.prompts import Prompt
from godseed.sim.trace import WishTrace
from godseed.sim.world import World

KEY = "sk-a-key-that-nobody-may-see"
MESSAGES: list[Message] = [
    {"role": "system", "content": "You are a small god."},
    {"role": "user", "content": "A lake, please."},
]
ANSWER = Gbnf(
    'root ::= "{\\"answer\\":\\"" ("yes" | "no") "\\"}"\n',
    {
        "type": "object",
        "properties": {"answer": {"enum": ["yes", "no"]}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server(smollm_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server of llama-cpp-python with SmolLM2 and a key."""
    port = free_port()
    words = ["--model", str(smollm_path), "--port", str(port), "--n_ctx", "2048"]
    words += ["--n_threads", "1", "--n_threads_batch", "1", "--api_key", KEY]
    heard = tmp_path_factory.mktemp("server") / "log.txt"
    with heard.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server", *words], stdout=log, stderr=log
        )
        url = f"http://127.0.0.1:{port}/v1"
        for _ in range(600):
            assert process.poll() is None, heard.read_text()
            try:
                httpx.get(f"{url}/models", headers={"Authorization": f"Bearer {KEY}"})
                break
            except httpx.HTTPError:
                time.sleep(0.2)
        yield url
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def remote(server: str) -> OpenAIBackend:
    return OpenAIBackend(url=server, api_key=KEY)


def written(
    backend: OpenAIBackend, grammar: str | None = None, limit: int = 24, stop: tuple[str, ...] = ()
) -> Generation:
    pieces: list[str] = []
    sampling = Sampling(3, max_tokens=limit)
    made = backend.generate(backend.render(MESSAGES), grammar, stop, sampling, pieces.append)
    assert "".join(pieces) == made.text
    return made


def test_the_server_is_found_to_take_a_grammar(remote: OpenAIBackend) -> None:
    identity = remote.identity()
    assert (identity["kind"], identity["constraint"], identity["grammar"]) == (
        "openai",
        "gbnf",
        "gbnf",
    )
    assert "SmolLM2" in identity["model"]
    assert KEY not in json.dumps(dict(identity))


def test_text_is_streamed_and_counted(remote: OpenAIBackend) -> None:
    made = written(remote)
    assert made.text
    assert made.tokens_in > 10
    assert 0 < made.tokens_out <= 24


def test_same_seed_gives_the_same_text(remote: OpenAIBackend) -> None:
    assert written(remote).text == written(remote).text


def test_a_generation_follows_the_grammar(remote: OpenAIBackend) -> None:
    assert matches(str(ANSWER), written(remote, ANSWER, 40).text)


def test_a_generation_follows_the_json_schema(server: str) -> None:
    backend = OpenAIBackend(url=server, api_key=KEY, constraint="json_object")
    value = json.loads(written(backend, ANSWER, 40).text)
    assert value in ({"answer": "yes"}, {"answer": "no"})


def test_a_cut_and_a_stop_are_told(remote: OpenAIBackend) -> None:
    whole = written(remote, limit=16)
    assert whole.finish == "length"
    end = whole.text[5:8]
    cut = written(remote, limit=16, stop=(end,))
    assert end not in cut.text
    assert cut.finish == "stop"


def test_tokens_come_from_the_server(remote: OpenAIBackend) -> None:
    tokens = remote.tokenize("a lake")
    assert len(tokens) == 2
    assert remote.detokenize(tokens) == "a lake"


def test_a_template_of_ones_own_is_rendered_here(server: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jinja"
    path.write_text("{% for m in messages %}{{ m.content }}\n{% endfor %}>")
    backend = OpenAIBackend(url=server, api_key=KEY, template=path, constraint="gbnf")
    assert backend.render(MESSAGES) == "You are a small god.\nA lake, please.\n>"
    assert matches(str(ANSWER), written(backend, ANSWER, 40).text)


def test_a_wish_is_granted_over_http(remote: OpenAIBackend, tiny_prompt: Prompt) -> None:
    planner = Planner(remote, tiny_prompt, max_turns=1)
    trace = grant_wish(World.genesis(), "a lake", remote, "w_000001", seed=4, planner=planner)[1]
    assert isinstance(trace, WishTrace)
    assert (trace.backend, trace.ended) == ("openai", "done")
    assert len(trace.turns) == 1


def test_a_cancelled_generation_lets_go_of_the_server(remote: OpenAIBackend) -> None:
    def cancel(piece: str) -> None:
        raise GenerationCancelled

    with pytest.raises(GenerationCancelled):
        remote.generate(remote.render(MESSAGES), None, [], Sampling(1), cancel)
    assert written(remote, limit=4).text


def test_logits_are_not_to_be_had(remote: OpenAIBackend) -> None:
    with pytest.raises(BackendError, match=r"no logits over this interface.*llamacpp"):
        remote.logits("a")


def test_a_wrong_key_is_told_without_showing_it(server: str) -> None:
    with pytest.raises(BackendError, match=r"HTTP 401.*GODSEED_OPENAI_KEY") as caught:
        OpenAIBackend(url=server, api_key="sk-wrong-key")
    assert "sk-wrong-key" not in str(caught.value)


def test_a_prompt_that_does_not_fit_is_told(remote: OpenAIBackend) -> None:
    told = remote.render([{"role": "user", "content": "word " * 3000}])
    with pytest.raises(BackendError, match="context"):
        remote.generate(told, None, [], Sampling(1), lambda piece: None)


Handler = Callable[[BaseHTTPRequestHandler], None]
EVENT = b'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n'


@pytest.fixture
def stub() -> Iterator[Callable[[Handler], str]]:
    """A server whose answer to a POST is a function of the test's."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: Handler) -> str:
        class Stub(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                send(self, 200, b'{"data":[{"id":"tiny"}]}')

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.mark.parametrize(
    ("status", "said"),
    [(400, "HTTP 400"), (403, "may use this model"), (404, "ends in /v1"), (500, "logged")],
)
def test_errors_have_their_name_and_never_the_key(stub: Any, status: int, said: str) -> None:
    url = stub(lambda handler: send(handler, status, f"no, {KEY} will not do".encode()))
    backend = OpenAIBackend(url=url, api_key=KEY, constraint="none")
    with pytest.raises(BackendError, match=said) as caught:
        written(backend)
    assert KEY not in str(caught.value)
    assert "***" in str(caught.value)


def test_a_busy_server_is_asked_again(stub: Any) -> None:
    asked: list[int] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if not handler.path.endswith("/chat/completions"):
            send(handler, 404, b"")
            return
        asked.append(1)
        if len(asked) < 3:
            send(handler, 503, b"later", Retry_After="0")
        else:
            send(handler, 200, EVENT + b"data: [DONE]\n\n")

    assert written(OpenAIBackend(url=stub(answer), constraint="none")).text == "hi"
    assert len(asked) == 3


def test_a_server_that_stays_busy_is_told(stub: Any) -> None:
    url = stub(lambda handler: send(handler, 429, b"too many", Retry_After="0"))
    with pytest.raises(BackendError, match=r"HTTP 429: too many.*ask for less"):
        written(OpenAIBackend(url=url, constraint="none"))


def test_a_server_that_falls_silent_is_told(stub: Any) -> None:
    done = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send(handler, 200, EVENT)
        handler.wfile.flush()
        done.wait(10)

    backend = OpenAIBackend(url=stub(answer), constraint="none", timeout_s=0.3)
    with pytest.raises(BackendError, match=r"fell silent \(ReadTimeout\)"):
        written(backend)
    done.set()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "ended before the answer did"),
        (b"data: {not json}\n\n", "expected JSON"),
        (b'data: {"error":{"message":"out of memory"}}\n\n', "out of memory"),
    ],
)
def test_a_stream_that_breaks_is_told(stub: Any, body: bytes, said: str) -> None:
    url = stub(lambda handler: send(handler, 200, EVENT + body))
    with pytest.raises(BackendError, match=said):
        written(OpenAIBackend(url=url, constraint="none"))


def test_a_server_that_follows_nothing_is_found_out(stub: Any) -> None:
    body = json.dumps({"choices": [{"message": {"content": "a word"}}]}).encode()
    backend = OpenAIBackend(url=stub(lambda handler: send(handler, 200, body)))
    assert backend.identity()["constraint"] == "none"


def test_no_server_is_an_error_of_the_environment() -> None:
    with pytest.raises(MissingError, match=r"no server there.*--url"):
        OpenAIBackend(url=f"http://127.0.0.1:{free_port()}/v1")


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://a/v1", "http:///v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ModelError, match=r"openai.url: .*expected http://"):
        OpenAIBackend(url=url)


def test_secrets_in_the_address_are_not_shown(stub: Any) -> None:
    url = stub(lambda handler: send(handler, 500, b"no")).replace("://", "://me:secret@")
    backend = OpenAIBackend(url=url, constraint="none")
    assert "secret" not in json.dumps(dict(backend.identity()))


@pytest.mark.parametrize("options", [{"constraint": "regex"}, {"api_key": "nöt"}])
def test_options_that_are_none_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ModelError, match=r"openai\.(constraint|api_key)"):
        OpenAIBackend(url="http://127.0.0.1:9/v1", **options)  # type: ignore[arg-type]
