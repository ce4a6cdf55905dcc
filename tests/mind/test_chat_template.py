"""Chat templates: rendered as the reference does, with the date pinned."""

from __future__ import annotations

from pathlib import Path

import pytest

from godseed.mind.backends import Message, ModelError
from godseed.mind.backends.chat_template import ChatTemplate

MESSAGES: list[Message] = [
    {"role": "system", "content": "S"},
    {"role": "user", "content": "U"},
    {"role": "assistant", "content": "A"},
    {"role": "user", "content": "V"},
]
PLAIN = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"


def test_messages_and_special_tokens_are_there() -> None:
    template = ChatTemplate("{{ bos_token }}" + PLAIN, {"bos_token": "<s>"})
    assert template.render(MESSAGES) == "<s>[system]S[user]U[assistant]A[user]V"


def test_a_refused_system_message_goes_to_the_users_first() -> None:
    assert ChatTemplate(NO_SYSTEM + PLAIN).render(MESSAGES) == "[user]S\n\nU[assistant]A[user]V"


def test_a_template_that_refuses_everything_is_named() -> None:
    template = ChatTemplate("{{ raise_exception('not today') }}", where="chat template of x.gguf")
    with pytest.raises(ModelError, match=r"chat template of x.gguf: not today; .*--template FILE"):
        template.render(MESSAGES)
    with pytest.raises(ModelError, match="not today"):
        template.render(MESSAGES[:1])


def test_the_date_never_changes() -> None:
    source = "{{ strftime_now('%d %B %Y') }}{{ strftime_now('%F') }}"
    assert ChatTemplate(source).render([]) == "01 January 20262026-01-01"


def test_blocks_are_trimmed_and_loops_have_controls() -> None:
    stop = "{% if m.role == 'assistant' %}{% break %}{% endif %}"
    source = "{% for m in messages %}\n" + stop + "\n{{ m.content }}\n{% endfor %}\n"
    assert ChatTemplate(source).render(MESSAGES) == "S\nU\n"


def test_tojson_keeps_letters_as_they_are() -> None:
    told: list[Message] = [{"role": "user", "content": '<夜> & "é"'}]
    assert ChatTemplate("{{ messages[0].content | tojson }}").render(told) == '"<夜> & \\"é\\""'


def test_extra_variables_reach_the_template() -> None:
    template = ChatTemplate("{{ 'on' if enable_thinking else 'off' }}")
    assert template.render([], enable_thinking=False) == "off"
    assert template.render([], enable_thinking=True) == "on"


def test_a_template_cannot_reach_the_process() -> None:
    with pytest.raises(ModelError):
        ChatTemplate("{{ ''.__class__.__mro__[1].__subclasses__() }}").render([])


@pytest.mark.parametrize("source", ["{% for %}", "{{ x", "{% endif %}"])
def test_text_that_is_no_template_is_refused(source: str) -> None:
    with pytest.raises(ModelError, match="expected a Jinja chat template"):
        ChatTemplate(source)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"template '.*nowhere.jinja': No such file"):
        ChatTemplate.from_file(tmp_path / "nowhere.jinja")
    (tmp_path / "latin.jinja").write_bytes("é".encode("latin-1"))
    with pytest.raises(ModelError, match="not UTF-8"):
        ChatTemplate.from_file(tmp_path / "latin.jinja")
