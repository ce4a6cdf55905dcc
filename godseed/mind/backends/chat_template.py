"""Chat templates: the Jinja text by which a model expects its messages.

The rendering is that of the reference (Hugging Face transformers): sandboxed, blocks trimmed, loop
controls, `raise_exception`, `tojson` without escaping. One thing is pinned: `strftime_now` gives a
fixed date, because a prompt that holds today's date has another hash tomorrow.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from godseed.mind.backends import Message, MissingError, ModelError

PINNED_NOW = datetime(2026, 1, 1)


class ChatTemplate:
    """One template, compiled.

    Attributes:
        source: its text.
        sha256: of the text, hex.
    """

    def __init__(
        self, source: str, special: Mapping[str, str] | None = None, where: str = "chat template"
    ) -> None:
        """Args:
            source: Jinja.
            special: `bos_token`, `eos_token` and others that templates name, as text.
            where: names the template in errors.
        Raises:
            MissingError: Jinja is not installed.
            ModelError: the text is not Jinja.
        """
        self._jinja = _jinja()
        self.source = source
        self.sha256 = hashlib.sha256(source.encode()).hexdigest()
        self._special = dict(special or {})
        self._where = where
        environment = self._jinja.sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.loopcontrols"],
            undefined=self._jinja.Undefined,
        )
        environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = self._raise
        environment.globals["strftime_now"] = _strftime_now
        try:
            self._template = environment.from_string(source)
        except self._jinja.TemplateError as error:
            raise ModelError(
                f"{where}: {_line(error)}; expected a Jinja chat template; mend it"
            ) from None

    @classmethod
    def from_file(cls, path: str | Path, special: Mapping[str, str] | None = None) -> ChatTemplate:
        """The template in a file.

        Raises:
            ModelError: no such file, not UTF-8, or not Jinja.
        """
        try:
            source = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise ModelError(
                f"template {str(path)!r}: {reason}; expected a file of Jinja; check the path"
            ) from None
        return cls(source, special, f"template {str(path)!r}")

    def render(self, messages: Sequence[Message], **extra: Any) -> str:
        """The prompt for these messages, with the assistant's turn opened.

        A template that refuses a system message is given it at the head of the first message of
        the user instead.

        Args:
            extra: variables for the template, such as `enable_thinking`.
        Raises:
            ModelError: the template refuses the messages.
        """
        try:
            return self._render(messages, extra)
        except self._jinja.TemplateError as error:
            folded = _folded(messages)
            if folded is None:
                raise self._refused(error) from None
        try:
            return self._render(folded, extra)
        except self._jinja.TemplateError as error:
            raise self._refused(error) from None

    def _render(self, messages: Sequence[Message], extra: Mapping[str, Any]) -> str:
        given = {"messages": list(messages), "add_generation_prompt": True}
        text: str = self._template.render(**self._special, **given, **extra)
        return text

    def _refused(self, error: Exception) -> ModelError:
        return ModelError(
            f"{self._where}: {_line(error)}; expected it to take a system message and turns of "
            "user and assistant; give another with --template FILE"
        )

    def _raise(self, message: str) -> NoReturn:
        raise self._jinja.TemplateError(message)


def _jinja() -> Any:
    """Jinja, which an installation without the extra does not have."""
    try:
        import jinja2
        import jinja2.sandbox
    except ImportError as error:
        raise MissingError(
            f"chat template: {error}; expected Jinja; run: pip install 'godseed[llm]'"
        ) from None
    return jinja2


def _folded(messages: Sequence[Message]) -> list[Message] | None:
    """The system message at the head of the user's first; None if there is nothing to fold."""
    if len(messages) < 2 or messages[0]["role"] != "system" or messages[1]["role"] != "user":
        return None
    told = f"{messages[0]['content']}\n\n{messages[1]['content']}"
    return [{"role": "user", "content": told}, *messages[2:]]


def _to_json(value: Any, indent: int | None = None, **_: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _strftime_now(form: str) -> str:
    """A date that never changes, in the form that is asked for."""
    return PINNED_NOW.strftime(form)


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
