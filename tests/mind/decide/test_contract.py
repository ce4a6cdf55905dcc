"""The prompt contract: frozen texts, and payload bytes equal to `json.dumps` of the whole."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.decide.contract import (
    BINARY_SYSTEM,
    DIRECT_SYSTEM,
    LETTERS,
    PROMPT_VERSIONS,
    Option,
    binary_messages,
    check_options,
    direct_messages,
    joined_sha256,
    json_text,
    prompt_sha256,
)
from godseed.mind.decide.errors import InputError

text = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
many = st.lists(text, min_size=2, max_size=16, unique=True).map(
    lambda names: [Option(name or "empty", name[::-1]) for name in names]
)


def whole_payload(state: object, question: str, options: list[Option]) -> str:
    entries = [
        {"letter": LETTERS[i], "description": option.description}
        for i, option in enumerate(options)
    ]
    value = {"evidence": state, "criterion": question, "options": entries}
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@given(values, text, many)
def test_payload_has_the_bytes_of_serialising_the_whole(
    state: object, question: str, options: list[Option]
) -> None:
    system, user = direct_messages(json_text(state), question, options)
    assert user["content"].encode() == whole_payload(state, question, options).encode()
    assert system["content"] == DIRECT_SYSTEM


@given(text)
def test_prompt_hash_is_the_sha256_of_its_bytes(prompt: str) -> None:
    assert prompt_sha256(prompt) == hashlib.sha256(prompt.encode("utf-8")).hexdigest()


def test_payload_is_written_as_the_published_contract_writes_it() -> None:
    options = [Option("billing", "Billing and refunds."), Option("sales", "Pricing and contracts.")]
    (_, user) = direct_messages(json_text("charged twice"), "Which queue?", options)
    assert user["content"] == (
        '{"evidence": "charged twice", "criterion": "Which queue?", "options": '
        '[{"letter": "A", "description": "Billing and refunds."}, '
        '{"letter": "B", "description": "Pricing and contracts."}]}'
    )


def test_insertion_order_spaces_and_letters_of_any_script_are_kept() -> None:
    state = {
        "message": "已扣款两次",
        "count": 2,
        "more": {"ok": True, "ratio": 1e16, "no": None},
    }
    assert json_text(state) == (
        '{"message": "已扣款两次", "count": 2, "more": {"ok": true, "ratio": 1e+16, "no": null}}'
    )


def test_frozen_texts_and_versions_have_not_moved() -> None:
    frozen = {
        DIRECT_SYSTEM: "cebc8816",
        BINARY_SYSTEM: "39a12a64",
    }
    for told, digest in frozen.items():
        assert prompt_sha256(told).startswith(digest), told
    assert PROMPT_VERSIONS == {"direct": "direct-options-v1", "binary": "binary-candidates-v1"}
    assert LETTERS == "ABCDEFGHIJKLMNOP"


def test_binary_prompt_shows_one_candidate_and_its_definition() -> None:
    system, user = binary_messages('"wet"', "Does it rain?", Option("rain", "Water from the sky."))
    assert system["content"] == BINARY_SYSTEM
    assert user["content"] == (
        'Context:\n"wet"\n\nQuestion:\nEvaluation objective: Does it rain?\nCandidate: rain\n'
        "Does this candidate match the context?\nCandidate definition: Water from the sky."
    )
    (_, bare) = binary_messages('"wet"', "Does it rain?", Option("rain", ""))
    assert bare["content"].endswith("Does this candidate match the context?")


@pytest.mark.parametrize(
    "state",
    [float("nan"), [float("inf")], {"a": -float("inf")}, {"b": {1, 2}}, "\ud800", ["\udfff"]],
)
def test_state_that_is_no_json_is_refused(state: object) -> None:
    with pytest.raises(InputError, match=r"^state: .*; expected .*; "):
        json_text(state)


def test_state_nested_beyond_measure_is_refused() -> None:
    state: list[object] = []
    for _ in range(100_000):
        state = [state]
    with pytest.raises(InputError, match=r"^state: "):
        json_text(state)


@pytest.mark.parametrize(
    ("count", "contract", "said"),
    [
        (1, "direct", "1 given; expected 2 to 16"),
        (17, "direct", "17 given; expected 2 to 16"),
        (0, "binary", "0 given; expected 1 to 16"),
        (17, "binary", "17 given; expected 1 to 16"),
    ],
)
def test_number_of_options_is_bounded(count: int, contract: str, said: str) -> None:
    options = [Option(str(i), "x") for i in range(count)]
    with pytest.raises(InputError, match=said):
        check_options(options, contract)  # type: ignore[arg-type]


def test_ids_must_differ_and_be_there() -> None:
    with pytest.raises(InputError, match="'a' twice"):
        check_options([Option("a", "x"), Option("a", "y")], "direct")
    with pytest.raises(InputError, match="an empty id"):
        check_options([Option("a", "x"), Option("", "y")], "direct")


def test_digest_of_several_prompts_follows_their_order() -> None:
    assert joined_sha256(["aa"]) == "aa"
    assert joined_sha256(["aa", "bb"]) == prompt_sha256("aa\nbb")
    assert joined_sha256(["bb", "aa"]) != joined_sha256(["aa", "bb"])
