"""`openai`: any server that speaks the OpenAI chat interface, such as llama.cpp's or vLLM.

The messages travel as they are and the server applies its chat template; with a template file they
are rendered here and sent as a completion. How the server can be held to a grammar is found out by
asking it to write a word that it could not guess: as GBNF, as vLLM's structured output, as a JSON
schema in either spelling, or not at all, and then the planner's reader and its retry have to do.
The key is sent to the server and appears nowhere else.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final
from weakref import finalize

import httpx

from godseed.mind.backends import (
    BackendError,
    Generation,
    Message,
    MissingError,
    ModelError,
    OnToken,
    Sampling,
)
from godseed.mind.backends.chat_template import ChatTemplate
from godseed.mind.backends.stop_text import StopText
from godseed.mind.gbnf import Gbnf
from godseed.sim.maths import F32
from godseed.sim.rng import crc32

DEFAULT_URL: Final = "http://127.0.0.1:8080/v1"
URL_VARIABLES: Final = ("GODSEED_OPENAI_URL", "OPENAI_BASE_URL")
KEY_VARIABLES: Final = ("GODSEED_OPENAI_KEY", "OPENAI_API_KEY")
CONNECT_S: Final = 10.0
READ_S: Final = 180.0
WAITS_S: Final = (0.5, 2.0)
LONGEST_WAIT_S: Final = 10.0
BUSY: Final = (429, 502, 503, 504)
TOLD: Final = 200
PROBE_TOKENS: Final = 48

Schema = Mapping[str, Any]
CONSTRAINTS: Final[Mapping[str, Callable[[str, Schema], dict[str, Any]]]] = {
    "gbnf": lambda text, schema: {"grammar": text},
    "structured": lambda text, schema: {"structured_outputs": {"grammar": text}},
    "json_schema": lambda text, schema: {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
        }
    },
    "json_object": lambda text, schema: {
        "response_format": {"type": "json_object", "schema": dict(schema)}
    },
    "none": lambda text, schema: {},
}
"""Ways to ask for a grammar, the strictest first: the fields that a request gains."""
END: Final[dict[str, Any]] = {}
"""What stands for `[DONE]` among the objects of a stream."""
BY_GRAMMAR: Final = ("gbnf", "structured")


class OpenAIBackend:
    """The `openai` backend."""

    def __init__(
        self,
        model: str | None = None,
        *,
        url: str | None = None,
        api_key: str | None = None,
        template: str | Path | None = None,
        constraint: str = "auto",
        timeout_s: float = READ_S,
    ) -> None:
        """Args:
            model: name at the server; by default the first that it lists.
            url: up to `/v1`; by default of the environment, or llama.cpp's server on this machine.
            api_key: by default of the environment.
            template: render with this chat template and ask for completions.
            constraint: one of `CONSTRAINTS`, or `auto` to find out.
            timeout_s: longest silence of the server.
        Raises:
            ModelError: an option that is none, or a template that cannot be used.
            MissingError: no server answers at the address.
            BackendError: it answers with an error.
        """
        told = url or _of_environment(URL_VARIABLES) or DEFAULT_URL
        if constraint != "auto" and constraint not in CONSTRAINTS:
            raise ModelError(
                f"openai.constraint: {constraint!r}; expected auto or one of "
                f"{', '.join(CONSTRAINTS)}; choose one"
            )
        self._url = _address(told)
        self._key = api_key or _of_environment(KEY_VARIABLES) or ""
        if not self._key.isascii() or not self._key.isprintable():
            raise ModelError("openai.api_key: not plain ASCII; expected a key; check it")
        self._shown = str(self._url.copy_with(userinfo=b"", query=None)).rstrip("/")
        self._template = ChatTemplate.from_file(template) if template else None
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(
            headers=headers, timeout=httpx.Timeout(timeout_s, connect=CONNECT_S)
        )
        finalize(self, self._client.close)
        self._lock = Lock()
        self._tokenizer: tuple[str, str] | None = None
        self._model = model or self._first_model()
        self._constraint = constraint if constraint != "auto" else self._probe()

    def render(self, messages: Sequence[Message]) -> str:
        """The messages as JSON, or by the template that was given."""
        if self._template is not None:
            return self._template.render(messages, enable_thinking=False)
        return json.dumps(list(messages), ensure_ascii=False)

    def tokenize(self, text: str) -> list[int]:
        """Token ids, from the server.

        Raises:
            BackendError: it has no such service (llama.cpp's server has).
        """
        known = [self._tokenizer] if self._tokenizer else []
        for path, field in known or [("tokenize", "content"), ("extras/tokenize", "input")]:
            answer = self._post(self._root(path), {field: text, "model": self._model})
            if answer.status_code == httpx.codes.OK:
                self._tokenizer = (path, field)
                tokens = _json(answer).get("tokens")
                if isinstance(tokens, list) and all(isinstance(token, int) for token in tokens):
                    return tokens
        raise BackendError(f"openai {self._shown}: it cannot tokenize; expected llama.cpp's server")

    def detokenize(self, tokens: Sequence[int]) -> str:
        """The text of tokens, from the server.

        Raises:
            BackendError: it has no such service.
        """
        for path in ("detokenize", "extras/detokenize"):
            body = {"tokens": list(tokens), "model": self._model}
            answer = self._post(self._root(path), body)
            if answer.status_code == httpx.codes.OK:
                found = _json(answer)
                text = found.get("content", found.get("text"))
                if isinstance(text, str):
                    return text
        raise BackendError(
            f"openai {self._shown}: it cannot detokenize; expected llama.cpp's server"
        )

    def reset(self) -> None:
        """The server keeps what it likes; there is nothing to forget here."""

    def generate(
        self,
        prompt: str,
        grammar: str | None,
        stop: Sequence[str],
        sampling: Sampling,
        on_token: OnToken,
    ) -> Generation:
        """Continue a prompt on the server, held to the grammar as far as the server can be.

        Raises:
            BackendError: it could not be reached, refused, fell silent, or sent no stream.
        """
        asked: dict[str, Any] = {
            "model": self._model,
            "seed": sampling.seed,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if stop:
            asked["stop"] = list(stop)
        if grammar is not None:
            schema = grammar.schema if isinstance(grammar, Gbnf) else {"type": "object"}
            asked.update(CONSTRAINTS[self._constraint](str(grammar), schema))
        if self._template is not None:
            path, asked["prompt"] = "completions", prompt
        else:
            path, asked["messages"] = "chat/completions", _messages(prompt)
        with self._lock:
            return self._streamed(path, asked, stop, on_token, prompt)

    def logits(self, prompt: str) -> F32:
        """Not to be had over this interface.

        Raises:
            BackendError: always; it says what serves instead.
        """
        raise BackendError(
            f"openai {self._shown}: no logits over this interface; expected a model in this "
            "process; use --backend llamacpp, or the HTTP runtime of decisions"
        )

    def identity(self) -> Mapping[str, Any]:
        """Model, address without secrets, and how it is held to a grammar."""
        return {
            "kind": "openai",
            "model": self._model,
            "clock": "wall",
            "url": self._shown,
            "constraint": self._constraint,
            "grammar": "gbnf" if self._constraint in BY_GRAMMAR else self._constraint,
            "template_sha256": self._template.sha256 if self._template else None,
        }

    def _first_model(self) -> str:
        """The first model that the server lists.

        Raises:
            MissingError, BackendError: no answer, or one without models.
        """
        try:
            answer = self._client.get(self._url.join("models"))
        except httpx.HTTPError as error:
            raise self._unreached(error) from None
        if answer.status_code != httpx.codes.OK:
            raise self._refused(answer.status_code, answer.text)
        rows = _json(answer).get("data")
        names = [row.get("id") for row in rows if isinstance(row, dict)] if rows else []
        if not names or not isinstance(names[0], str):
            raise BackendError(
                f"openai {self._shown}: it lists no model; expected one; name it with --model"
            )
        return names[0]

    def _probe(self) -> str:
        """The strictest way in which the server can be held to a grammar."""
        word = f"{crc32(self._shown + self._model):08x}-behold"
        text = f'root ::= "{{\\"word\\":\\"{word}\\"}}"\n'
        schema = {
            "type": "object",
            "properties": {"word": {"const": word}},
            "required": ["word"],
            "additionalProperties": False,
        }
        message = {"role": "user", "content": "Write one short word as JSON."}
        for name, fields in CONSTRAINTS.items():
            asked: dict[str, Any] = {
                "model": self._model,
                "temperature": 0,
                "max_tokens": PROBE_TOKENS,
                **fields(text, schema),
            }
            if self._template is not None:
                path, asked["prompt"] = "completions", message["content"]
            else:
                path, asked["messages"] = "chat/completions", [message]
            answer = self._post(self._url.join(path), asked)
            if answer.status_code in (401, 403, 404):
                raise self._refused(answer.status_code, answer.text)
            if name == "none" or word in _written(answer):
                return name
        return "none"

    def _streamed(
        self,
        path: str,
        asked: Mapping[str, Any],
        stop: Sequence[str],
        on_token: OnToken,
        prompt: str,
    ) -> Generation:
        text, pieces, finish = StopText(stop), 0, ""
        usage: Mapping[str, Any] = {}
        for event in self._events(path, asked):
            if isinstance(event.get("error"), (dict, str)):
                raise self._refused(httpx.codes.OK, json.dumps(event["error"]))
            finish = finish or ("stop" if event is END else "")
            usage = event.get("usage") or usage
            for choice in (event.get("choices") or [])[:1]:
                said = choice.get("text") or (choice.get("delta") or {}).get("content") or ""
                if said and not text.stopped:
                    pieces += 1
                    shown = text.feed(said)
                    if shown:
                        on_token(shown)
                finish = choice.get("finish_reason") or finish
        if not finish:
            raise BackendError(
                f"openai {self._shown}: the stream ended before the answer did; expected its end; "
                "see what the server logged: most likely the prompt does not fit its context"
            )
        rest = text.finish()
        if rest:
            on_token(rest)
        cached = usage.get("prompt_tokens_details") or {}
        return Generation(
            text.text,
            int(usage.get("prompt_tokens") or self._count(prompt)),
            int(usage.get("completion_tokens") or pieces),
            "length" if finish == "length" and not text.stopped else "stop",
            int(cached.get("cached_tokens") or 0),
        )

    def _events(self, path: str, asked: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The objects of a stream; a busy server is asked again, but never in mid-stream."""
        for wait in (*WAITS_S, None):
            try:
                with self._client.stream("POST", self._url.join(path), json=asked) as answer:
                    if answer.status_code == httpx.codes.OK:
                        yield from _objects(answer.iter_lines())
                        return
                    answer.read()
                    refused = self._refused(answer.status_code, answer.text)
                    if answer.status_code not in BUSY or wait is None:
                        raise refused
                    wait = _asked_wait(answer, wait)
            except httpx.HTTPError as error:
                raise self._unreached(error) from None
            time.sleep(wait)

    def _post(self, url: httpx.URL, body: Mapping[str, Any]) -> httpx.Response:
        try:
            return self._client.post(url, json=body)
        except httpx.HTTPError as error:
            raise self._unreached(error) from None

    def _root(self, path: str) -> httpx.URL:
        """A path beside `/v1`, where llama.cpp's server has its own services."""
        return self._url.join("../" + path)

    def _count(self, prompt: str) -> int:
        """Tokens of a prompt, 0 where the server does not tell."""
        try:
            return len(self.tokenize(prompt))
        except BackendError:
            return 0

    def _unreached(self, error: Exception) -> BackendError:
        kind, detail = type(error).__name__, self._clean(str(error))
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol)):
            return MissingError(
                f"openai {self._shown}: no server there ({kind}: {detail}); expected one; "
                "start it, or give its address with --url"
            )
        if isinstance(error, httpx.TimeoutException):
            return BackendError(
                f"openai {self._shown}: it fell silent ({kind}); expected an answer; try again"
            )
        return BackendError(
            f"openai {self._shown}: {kind}: {detail}; expected an answer; try again"
        )

    def _refused(self, status: int, body: str) -> BackendError:
        hints = {
            401: f"give a key in {KEY_VARIABLES[0]}",
            403: f"give a key in {KEY_VARIABLES[0]} that may use this model",
            404: "check --url (it ends in /v1) and --model",
            429: "wait, or ask for less at once",
        }
        said = self._clean(body)[:TOLD]
        return BackendError(
            f"openai {self._shown}: HTTP {status}: {said}; expected an answer; "
            f"{hints.get(status, 'see what the server logged')}"
        )

    def _clean(self, text: str) -> str:
        """One line without the key."""
        line = " ".join(text.split())
        return line.replace(self._key, "***") if self._key else line


def _of_environment(names: Sequence[str]) -> str | None:
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def _address(told: str) -> httpx.URL:
    """An address with a slash at its end.

    Raises:
        ModelError: it is none.
    """
    try:
        url = httpx.URL(told.rstrip("/") + "/")
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise ModelError(
            f"openai.url: {told.rpartition('@')[2]!r}; expected http:// or https:// and a path "
            "to /v1; mend it"
        )
    return url


def _messages(prompt: str) -> list[Message]:
    """The messages of a prompt that `render` made; any other text is one message."""
    try:
        found = json.loads(prompt)
    except ValueError:
        found = None
    if isinstance(found, list) and found and all(isinstance(item, dict) for item in found):
        return found
    return [{"role": "user", "content": prompt}]


def _objects(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of server-sent events."""
    for line in lines:
        field, _, data = line.partition(":")
        if field != "data":
            continue
        if data.strip() == "[DONE]":
            yield END
            return
        try:
            value = json.loads(data)
        except ValueError:
            raise BackendError(
                f"openai: {data[:TOLD]!r} in the stream; expected JSON; check the address"
            ) from None
        if isinstance(value, dict):
            yield value


def _written(answer: httpx.Response) -> str:
    """The text of an answer that is no stream; empty if there is none."""
    if answer.status_code != httpx.codes.OK:
        return ""
    for choice in (_json(answer).get("choices") or [])[:1]:
        return str(choice.get("text") or (choice.get("message") or {}).get("content") or "")
    return ""


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        value = answer.json()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise BackendError(
            f"openai: {answer.text[:TOLD]!r}; expected a JSON object; check the address"
        )
    return value


def _asked_wait(answer: httpx.Response, otherwise: float) -> float:
    """Seconds that a busy server asks to wait, within reason."""
    asked = answer.headers.get("retry-after", "")
    return min(float(asked), LONGEST_WAIT_S) if asked.isdecimal() else otherwise
