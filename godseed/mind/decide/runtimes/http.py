"""Runtimes behind HTTP: llama.cpp's server, and vLLM with a template rendered here.

llama.cpp's server renders (`/apply-template`), tokenizes and detokenizes itself, so that a prompt
is exactly what it would feed its model. vLLM has no rendering endpoint; it needs `--template FILE`,
the model's own. Both give the likeliest k tokens only: k grows until every wanted token is among
them, and one that never appears is an error, never a 0.

Source: the README of llama.cpp's tools/server; vLLM's OpenAI-compatible server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from weakref import finalize

import httpx
import numpy as np

from godseed.mind.backends import Message, MissingError, ModelError
from godseed.mind.backends.chat_template import ChatTemplate
from godseed.mind.decide.contract import TEMPLATE_KWARGS
from godseed.mind.decide.errors import (
    ContractError,
    InputError,
    TooLongError,
    TransportError,
)
from godseed.sim.maths import F64

Dialect = Literal["llamacpp", "vllm"]
FIRST_K, GROWTH, MOST_K = 64, 8, 300_000
TIMEOUT_S = 120.0
_SHOWN = 300
_MARK = re.compile(r"<[|｜]?\w+[|｜]?>|\[/?INST\]")


class Server:
    """JSON over one connection pool; every failure is one line that names the address.

    Attributes:
        url: of the root.
        close: closes the connections, as does forgetting the server.
    """

    def __init__(self, url: str, api_key: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        """Args:
            url: of the server's root, `http://host:port`; a trailing `/v1` is dropped.
            api_key: sent as a bearer token, never shown.
            timeout_s: of one request.
        Raises:
            InputError: the address is none.
        """
        self.url = url.rstrip("/").removesuffix("/v1")
        try:
            parsed = httpx.URL(self.url)
        except httpx.InvalidURL:
            parsed = httpx.URL("")
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise InputError("url", f"{url!r}; expected http://HOST:PORT; correct it")
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(headers=headers, timeout=timeout_s, trust_env=False)
        self.close = finalize(self, self._client.close)

    def get(self, path: str) -> dict[str, Any]:
        """A JSON object.

        Raises:
            TransportError: no answer, not 200, or not an object.
        """
        return self._json("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Post a JSON object, get one back.

        Raises:
            TransportError: no answer, not 200, or not an object.
        """
        return self._json("POST", path, body)

    def _json(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        where = f"{method} {self.url}{path}"
        try:
            response = self._client.request(method, f"{self.url}{path}", json=body)
        except httpx.TimeoutException:
            raise TransportError(f"{where}: no answer in time; expected one; try again") from None
        except httpx.HTTPError as error:
            raise TransportError(
                f"{where}: {error or type(error).__name__}; expected a running server; start it"
            ) from None
        if response.status_code != 200:
            raise TransportError(
                f"{where}: HTTP {response.status_code}: {_short(response.text)}; expected 200; "
                "check the server and its options"
            )
        try:
            value = response.json()
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise TransportError(
                f"{where}: {_short(response.text)!r}; expected a JSON object; check the address"
            )
        return value


class LlamaServerRuntime:
    """llama.cpp's own server."""

    def __init__(
        self,
        server: Server,
        model: str | None = None,
        template: ChatTemplate | None = None,
        cache_prompt: bool = False,
    ) -> None:
        """Ask the server what it serves.

        Args:
            model: name to send; the server's only one if None.
            template: render here instead of there.
            cache_prompt: let the server keep what two prompts share; faster, but the last bits
                of the logits then depend on what it was asked before.
        Raises:
            TransportError: it does not answer as that server does.
        """
        self._server, self._template, self._cache = server, template, cache_prompt
        props = server.get("/props")
        settings = props.get("default_generation_settings")
        n_ctx = settings.get("n_ctx") if isinstance(settings, dict) else None
        if not isinstance(n_ctx, int) or n_ctx < 1:
            raise TransportError(
                f"{server.url}/props: no n_ctx; expected that of llama.cpp's server; upgrade it"
            )
        self._n_ctx, self._build = n_ctx, str(props.get("build_info", ""))
        served = _first_model(server)
        self.model = model or str(served.get("id") or props.get("model_path", ""))
        meta = served.get("meta")
        vocabulary = meta.get("n_vocab") if isinstance(meta, dict) else None
        self._most = vocabulary if isinstance(vocabulary, int) else MOST_K
        self._k = min(FIRST_K, self._most)

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt, by the server's own template unless one was given."""
        if self._template is not None:
            return _rendered(self._template, messages)
        try:
            answer = self._server.post(
                "/apply-template",
                {
                    "model": self.model,
                    "messages": list(messages),
                    "chat_template_kwargs": TEMPLATE_KWARGS,
                },
            )
        except TransportError as error:
            raise ContractError(
                f"template: {error}; or give the model's template with --template FILE"
            ) from None
        prompt = answer.get("prompt")
        if not isinstance(prompt, str):
            raise TransportError("apply-template: no prompt; expected text; check the server")
        return prompt

    def tokenize(self, text: str) -> list[int]:
        """Token ids of a text."""
        return self._tokens(text, True)

    def detokenize(self, ids: Sequence[int]) -> str:
        """The text of some tokens."""
        answer = self._server.post("/detokenize", {"model": self.model, "tokens": list(ids)})
        return str(answer.get("content", ""))

    def control_tokens(self, text: str) -> list[str]:
        """Names of the control tokens that a text spells: what is read apart if they are not."""
        read, plain = self._tokens(text, True), self._tokens(text, False)
        if read == plain:
            return []
        odd = next((a for a, b in zip(read, plain, strict=False) if a != b), read[-1])
        return [self.detokenize([odd]) or f"token {odd}"]

    def logprobs(self, ids: Sequence[int], wanted: Sequence[int]) -> F64:
        """Log-probabilities of the wanted tokens, from as deep a list as it takes."""
        while True:
            found = self._top(ids, self._k)
            missing = [token for token in wanted if token not in found]
            if not missing:
                return np.asarray([found[token] for token in wanted], dtype=np.float64)
            if self._k >= self._most or len(found) < self._k:
                raise _absent(missing, len(found), self.detokenize(missing[:1]))
            self._k = min(self._k * GROWTH, self._most)

    def context_tokens(self) -> int:
        """The server's context, less the one token that it has to predict."""
        return self._n_ctx - 1

    def identity(self) -> Mapping[str, Any]:
        """Kind, model and the server's build; not its address."""
        found: dict[str, Any] = {"kind": "http", "server": "llama.cpp", "model": self.model}
        return {**found, "build": self._build, "cache_prompt": self._cache, **_of(self._template)}

    def describe(self) -> Mapping[str, Any]:
        """Which endpoint scores, and what is done here."""
        return {
            "probe": "llamacpp-native-n-probs",
            "endpoint": "/completion",
            "top_k": self._k,
            "renders_locally": self._template is not None,
            "tokenizes_locally": False,
        }

    def _tokens(self, text: str, control: bool) -> list[int]:
        body = {
            "model": self.model,
            "content": text,
            "add_special": False,
            "parse_special": control,
        }
        return _ids(self._server.post("/tokenize", body))

    def _top(self, ids: Sequence[int], k: int) -> dict[int, float]:
        """The k likeliest next tokens."""
        body = {
            "model": self.model,
            "prompt": list(ids),
            "n_predict": 1,
            "n_probs": k,
            "temperature": 0.0,
            "post_sampling_probs": False,
            "cache_prompt": self._cache,
            "stream": False,
        }
        answer = self._server.post("/completion", body)
        if answer.get("truncated"):
            raise TooLongError(
                "row", "the server cut the prompt; expected room for it; shorten the state"
            )
        try:
            first = answer["completion_probabilities"][0]["top_logprobs"]
            return {int(item["id"]): float(item["logprob"]) for item in first}
        except (LookupError, TypeError, ValueError):
            raise TransportError(
                "completion: no top_logprobs with ids; expected those of llama.cpp's server; "
                "upgrade it"
            ) from None


class VllmRuntime:
    """vLLM's OpenAI-compatible server; prompts are rendered here."""

    def __init__(
        self, server: Server, template: ChatTemplate | None, model: str | None = None
    ) -> None:
        """Ask the server what it serves.

        Raises:
            ContractError: no template was given, and vLLM renders none.
            TransportError: it does not answer as vLLM does.
        """
        if template is None:
            raise ContractError(
                "template: none given, and vLLM renders no prompt by itself; expected the "
                "model's own; give it with --template FILE"
            )
        self._server, self._template = server, template
        served = _first_model(server)
        self.model = model or str(served.get("id", ""))
        longest = served.get("max_model_len")
        if not isinstance(longest, int) or not self.model:
            raise TransportError(
                f"{server.url}/v1/models: no id or max_model_len; expected those of vLLM; "
                "check the server"
            )
        self._longest, self._k = longest, FIRST_K

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt, by the template that was given."""
        return _rendered(self._template, messages)

    def tokenize(self, text: str) -> list[int]:
        """Token ids of a text."""
        body = {"model": self.model, "prompt": text, "add_special_tokens": False}
        return _ids(self._server.post("/tokenize", body))

    def detokenize(self, ids: Sequence[int]) -> str:
        """The text of some tokens."""
        answer = self._server.post("/detokenize", {"model": self.model, "tokens": list(ids)})
        return str(answer.get("prompt", ""))

    def control_tokens(self, text: str) -> list[str]:
        """Marks that the template writes itself; vLLM does not say which tokens control it."""
        return [mark for mark in _MARK.findall(text) if mark in self._template.source]

    def logprobs(self, ids: Sequence[int], wanted: Sequence[int]) -> F64:
        """Log-probabilities of the wanted tokens; newer servers take them by id, older by rank."""
        while True:
            found = self._top(ids, wanted)
            missing = [token for token in wanted if token not in found]
            if not missing:
                return np.asarray([found[token] for token in wanted], dtype=np.float64)
            if self._k >= MOST_K or len(found) < self._k:
                raise _absent(missing, len(found), self.detokenize(missing[:1]))
            self._k *= GROWTH

    def context_tokens(self) -> int:
        """The longest sequence, less the one token that it has to predict."""
        return self._longest - 1

    def identity(self) -> Mapping[str, Any]:
        """Kind and model; not the address."""
        return {"kind": "http", "server": "vllm", "model": self.model, **_of(self._template)}

    def describe(self) -> Mapping[str, Any]:
        """Which endpoint scores, and what is done here."""
        return {
            "probe": "vllm-logprobs",
            "endpoint": "/v1/completions",
            "top_k": self._k,
            "renders_locally": True,
            "tokenizes_locally": False,
        }

    def _top(self, ids: Sequence[int], wanted: Sequence[int]) -> dict[int, float]:
        body = {
            "model": self.model,
            "prompt": list(ids),
            "max_tokens": 1,
            "temperature": 0.0,
            "logprobs": self._k,
            "logprob_token_ids": list(wanted),
            "return_tokens_as_token_ids": True,
        }
        try:
            answer = self._server.post("/v1/completions", body)
        except TransportError as error:
            if "logprobs" in str(error):
                raise TransportError(
                    f"{error}; the answers are not among the likeliest tokens; start vLLM with "
                    "--max-logprobs -1"
                ) from None
            raise
        try:
            first = answer["choices"][0]["logprobs"]["top_logprobs"][0]
            return {
                int(name.removeprefix("token_id:")): float(value) for name, value in first.items()
            }
        except (LookupError, TypeError, ValueError, AttributeError):
            raise TransportError(
                "completions: no top_logprobs by token id; expected those of vLLM with "
                "return_tokens_as_token_ids; upgrade it"
            ) from None


def open_http(
    url: str,
    model: str | None = None,
    template: str | None = None,
    dialect: Dialect | None = None,
    api_key: str | None = None,
    timeout_s: float = TIMEOUT_S,
    cache_prompt: bool = False,
) -> LlamaServerRuntime | VllmRuntime:
    """Connect to a server.

    Args:
        url: of its root.
        model: name to send; what the server lists first if None.
        template: path of a Jinja chat template, rendered here.
        dialect: of the server; found out by asking for `/props` if None.
        api_key: bearer token for the server.
        timeout_s: of one request.
        cache_prompt: of `LlamaServerRuntime`.
    Raises:
        MissingError: nobody answers at this address.
        InputError, ContractError, TransportError: see the runtimes.
    """
    server = Server(url, api_key, timeout_s)
    try:
        server.get("/v1/models")
    except TransportError as error:
        if "expected a running server" in str(error):
            raise MissingError(str(error)) from None
    try:
        jinja = None if template is None else ChatTemplate.from_file(template)
    except ModelError as error:
        raise InputError("template", str(error)) from None
    if dialect is None:
        dialect = "llamacpp" if _has_props(server) else "vllm"
    if dialect == "vllm":
        return VllmRuntime(server, jinja, model)
    return LlamaServerRuntime(server, model, jinja, cache_prompt)


def _has_props(server: Server) -> bool:
    try:
        server.get("/props")
    except TransportError:
        return False
    return True


def _first_model(server: Server) -> dict[str, Any]:
    listed = server.get("/v1/models").get("data")
    if isinstance(listed, list) and listed and isinstance(listed[0], dict):
        return listed[0]
    return {}


def _rendered(template: ChatTemplate, messages: Sequence[Message]) -> str:
    try:
        return template.render(messages, **TEMPLATE_KWARGS)
    except ModelError as error:
        raise ContractError(str(error)) from None


def _of(template: ChatTemplate | None) -> dict[str, Any]:
    return {} if template is None else {"template_sha256": template.sha256}


def _ids(answer: Mapping[str, Any]) -> list[int]:
    tokens = answer.get("tokens")
    if not isinstance(tokens, list) or not all(isinstance(token, int) for token in tokens):
        raise TransportError("tokenize: no list of token ids; expected one; check the server")
    return tokens


def _absent(missing: Sequence[int], depth: int, text: str) -> TransportError:
    return TransportError(
        f"transport: {text!r} and {len(missing) - 1} other answer tokens are absent from the "
        f"{depth} tokens that the server returned; expected all of them, as a missing one is not "
        "a 0; raise the server's limit on log-probabilities"
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} ..."
