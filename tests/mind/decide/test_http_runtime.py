"""HTTP runtimes against a server of our own on loopback: llama.cpp's endpoints, or vLLM's.

Where numbers matter they come from the real model in this process, so that what comes back over
HTTP can be compared with what the in-process runtime says.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from godseed.mind.backends import MissingError
from godseed.mind.backends.llamacpp import LlamaCppBackend
from godseed.mind.decide import (
    ContractError,
    Decider,
    InputError,
    Option,
    TooLongError,
    TransportError,
    create,
)
from godseed.mind.decide.runtimes.http import LlamaServerRuntime, VllmRuntime, open_http
from godseed.mind.decide.runtimes.llamacpp import LlamaRuntime
from godseed.mind.decide.scoring import log_softmax

VOCABULARY = 49_152
STATE = "I was charged twice."
QUESTION = "Which queue?"
PAIR = [Option("billing", "Charges and refunds."), Option("garden", "Trees and hedges.")]


@dataclass
class Loopback:
    """What the server knows, and how it is told to misbehave.

    Attributes:
        runtime: of the real model, or a made one, whose next token never depends on the prompt.
        answers: by path, a reply in place of the right one: status and text.
        most: longest list of likely tokens that it gives.
        requests: path and JSON of what was asked.
        headers: Authorization of each request.
    """

    runtime: Any
    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    most: int = 1_000_000
    vllm: bool = False
    by_id: bool = False
    requests: list[tuple[str, Any]] = field(default_factory=list)
    headers: list[str | None] = field(default_factory=list)

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        model, runtime = "smol", self.runtime
        if path == "/v1/models":
            entry: dict[str, Any] = {"id": model, "meta": {"n_vocab": VOCABULARY}}
            if self.vllm:
                entry = {"id": model, "max_model_len": 2048}
            return 200, {"data": [entry]}
        if path == "/props" and not self.vllm:
            return 200, {"default_generation_settings": {"n_ctx": 2048}, "build_info": "b1"}
        if path == "/apply-template" and not self.vllm:
            assert body["chat_template_kwargs"] == {"enable_thinking": False}
            return 200, {"prompt": runtime.render(body["messages"])}
        if path == "/tokenize":
            assert body["add_special_tokens" if self.vllm else "add_special"] is False
            text = body["prompt" if self.vllm else "content"]
            if not body.get("parse_special", True):
                text = text.replace("<|", "< |")
            return 200, {"tokens": runtime.tokenize(text)}
        if path == "/detokenize":
            return 200, {"prompt" if self.vllm else "content": runtime.detokenize(body["tokens"])}
        if path == "/completion" and not self.vllm:
            return 200, {"completion_probabilities": [{"top_logprobs": self.llamacpp(body)}]}
        if path == "/v1/completions" and self.vllm:
            return self.completions(body)
        return 404, {"error": "no such path"}

    def shares(self, ids: list[int]) -> Any:
        if isinstance(self.runtime, LlamaRuntime):
            return log_softmax(self.runtime.blocks.logits(ids))
        return log_softmax(np.arange(400.0) / 40.0)

    def llamacpp(self, body: Any) -> list[dict[str, Any]]:
        assert body["n_predict"] == 1
        assert body["post_sampling_probs"] is False
        shares = self.shares(body["prompt"])
        likely = np.argsort(-shares)[: min(body["n_probs"], self.most)]
        return [{"id": int(i), "token": "?", "logprob": float(shares[i])} for i in likely]

    def completions(self, body: Any) -> tuple[int, Any]:
        if body["logprobs"] > self.most:
            return 400, {"message": f"logprobs {body['logprobs']} exceeds {self.most}"}
        shares = self.shares(body["prompt"])
        ids = [int(i) for i in np.argsort(-shares)[: body["logprobs"]]]
        ids += body["logprob_token_ids"] if self.by_id else []
        top = {f"token_id:{i}": float(shares[i]) for i in ids}
        return 200, {"choices": [{"logprobs": {"top_logprobs": [top]}}]}


@pytest.fixture(scope="module")
def local(loaded_smollm: LlamaCppBackend) -> LlamaRuntime:
    return LlamaRuntime(loaded_smollm)


@pytest.fixture
def serve(made: Any) -> Iterator[Callable[..., tuple[Loopback, str]]]:
    started: list[ThreadingHTTPServer] = []

    def start(**given: Any) -> tuple[Loopback, str]:
        loopback = Loopback(**{"runtime": made(), **given})

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.reply(None)

            def do_POST(self) -> None:
                self.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def reply(self, body: Any) -> None:
                loopback.requests.append((self.path, body))
                loopback.headers.append(self.headers["Authorization"])
                given_ = loopback.answers.get(self.path)
                status, text = given_ or (0, "")
                if given_ is None:
                    status, value = loopback.answer(self.path, body)
                    text = json.dumps(value)
                self.send_response(status)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: Any) -> None:
                """Keep quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return loopback, f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def test_server_of_llamacpp_gives_the_numbers_of_the_model_in_process(
    serve: Any, local: LlamaRuntime
) -> None:
    loopback, url = serve(runtime=local)
    runtime = create("http", url=f"{url}/v1/")
    assert isinstance(runtime, LlamaServerRuntime)
    over_http = Decider(runtime).decide(STATE, QUESTION, PAIR)
    here = Decider(local).decide(STATE, QUESTION, PAIR)
    assert over_http.prompt_sha256 == here.prompt_sha256
    assert over_http.input_tokens == here.input_tokens
    assert over_http.option_logprobs == pytest.approx(here.option_logprobs, abs=1e-9)
    assert runtime.identity()["build"] == "b1"
    assert runtime.describe()["renders_locally"] is False
    sizes = [body["n_probs"] for path, body in loopback.requests if path == "/completion"]
    assert sizes[0] == 64
    assert sizes == sorted(sizes)
    with pytest.raises(InputError, match=r"control token, '<\|im_end\|>'"):
        Decider(runtime).decide("<|im_end|>", QUESTION, PAIR)


def test_vllm_gives_the_same_with_a_template_rendered_here(
    serve: Any, local: LlamaRuntime, tmp_path: Path
) -> None:
    template = local._backend.template
    assert template is not None
    (tmp_path / "t.jinja").write_text(template.source)
    here = Decider(local, "binary").decide(STATE, QUESTION, PAIR)
    for by_id in (False, True):
        loopback, url = serve(runtime=local, vllm=True, by_id=by_id)
        runtime = create("http", url=url, template=str(tmp_path / "t.jinja"))
        assert isinstance(runtime, VllmRuntime)
        found = Decider(runtime, "binary").decide(STATE, QUESTION, PAIR)
        assert found.prompt_sha256 == here.prompt_sha256
        assert found.option_logprobs == pytest.approx(here.option_logprobs, abs=1e-9)
        assert runtime.describe()["renders_locally"] is True
        sizes = [body["logprobs"] for path, body in loopback.requests if path == "/v1/completions"]
        assert (max(sizes) == 64) is by_id
        with pytest.raises(InputError, match="control token"):
            Decider(runtime, "binary").decide("<|im_end|>", QUESTION, PAIR)


def test_vllm_without_a_template_is_refused_with_the_way_out(serve: Any) -> None:
    _, url = serve(vllm=True)
    with pytest.raises(ContractError, match=r"vLLM renders no .* with --template FILE"):
        open_http(url)


def test_vllm_with_too_short_a_list_says_how_to_start_it(serve: Any, tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text("{{ messages[1].content }}\n")
    _, url = serve(vllm=True, most=20)
    with pytest.raises(TransportError, match="start vLLM with --max-logprobs -1"):
        Decider(open_http(url, template=str(tmp_path / "t.jinja")))


def test_letter_that_the_server_never_lists_is_an_error_and_never_a_zero(serve: Any) -> None:
    _, url = serve(most=30)
    with pytest.raises(TransportError, match=r"'[A-P]' and \d+ other answer tokens are absent"):
        Decider(open_http(url))


def test_share_too_small_for_the_server_to_write_is_an_error(serve: Any) -> None:
    """llama.cpp writes the lowest float32 where a share rounds to 0; that is no log-probability."""
    loopback, url = serve()
    decider = Decider(open_http(url))
    lowest = [{"id": 65, "logprob": 0.0}, {"id": 66, "logprob": -3.4028234663852886e38}]
    reply = {"completion_probabilities": [{"top_logprobs": lowest}]}
    loopback.answers["/completion"] = (200, json.dumps(reply))
    with pytest.raises(TransportError, match=r"transport: .*; expected 2 finite ones"):
        decider.decide(STATE, QUESTION, PAIR)


def test_prompt_that_the_server_would_cut_is_refused(serve: Any) -> None:
    loopback, url = serve()
    decider = Decider(open_http(url))
    loopback.answers["/completion"] = (200, json.dumps({"truncated": True}))
    with pytest.raises(TooLongError, match="the server cut the prompt"):
        decider.decide(STATE, QUESTION, PAIR)
    with pytest.raises(TooLongError, match=r"expected at most 2047 \(context\)"):
        decider.decide("word " * 2100, QUESTION, PAIR)


@pytest.mark.parametrize(
    ("path", "reply", "error", "said"),
    [
        ("/props", (200, "{}"), TransportError, "/props: no n_ctx"),
        ("/props", (200, "[1]"), ContractError, "vLLM renders no prompt"),
        ("/apply-template", (404, "{}"), ContractError, "HTTP 404.*--template FILE"),
        ("/apply-template", (200, "{}"), TransportError, "apply-template: no prompt"),
        ("/tokenize", (200, '{"tokens": ["a"]}'), TransportError, "tokenize: no list of token ids"),
        ("/tokenize", (500, "out of memory"), TransportError, "HTTP 500: out of memory; exp"),
        ("/completion", (200, "<html>"), TransportError, "'<html>'; expected a JSON object"),
        ("/completion", (200, "{}"), TransportError, "completion: no top_logprobs with ids"),
        ("/completion", (503, "loading"), TransportError, "HTTP 503: loading"),
    ],
)
def test_server_that_answers_amiss_is_named(
    serve: Any, path: str, reply: tuple[int, str], error: type[Exception], said: str
) -> None:
    loopback, url = serve()
    loopback.answers[path] = reply
    with pytest.raises(error, match=said):
        Decider(open_http(url))


def test_key_is_sent_and_never_shown(serve: Any) -> None:
    loopback, url = serve()
    loopback.answers["/props"] = (401, "unauthorized")
    with pytest.raises(TransportError, match="HTTP 401") as caught:
        open_http(url, api_key="s3cret", dialect="llamacpp")
    assert set(loopback.headers) == {"Bearer s3cret"}
    assert "s3cret" not in str(caught.value)


def test_nobody_at_the_address_is_the_environments_fault() -> None:
    with pytest.raises(MissingError, match="expected a running server; start it"):
        open_http("http://127.0.0.1:9")


@pytest.mark.parametrize("url", ["", "localhost:80", "ftp://x", "http://", "http://[::1"])
def test_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match=r"url: .*; expected http://HOST:PORT"):
        open_http(url)


def test_template_that_cannot_be_used_is_named(serve: Any, tmp_path: Path) -> None:
    _, url = serve()
    with pytest.raises(InputError, match=r"template: .*no\.jinja"):
        open_http(url, template=str(tmp_path / "no.jinja"))
