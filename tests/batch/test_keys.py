"""Keys change with everything that they are made of, and with nothing else."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.batch.keys import canonical, file_digest, item_key

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_keys_are_the_digests_of_the_documented_bytes() -> None:
    def length(data: bytes) -> bytes:
        return len(data).to_bytes(8, "little") + data

    scale = b"d" + length(bytes.fromhex("000000000000f83f"))
    names = b"s" + length("ü".encode()) + b"n" + length(b"") + b"b" + length(b"\x01")
    pairs = (
        (b"n", b"m" + length(b"")),
        (b"seed", b"i" + length(b"3")),
        (b"names", b"l" + length(names)),
        (b"scale", scale),
        (b"prompt", b"x" + length(b"\x00\xff")),
    )
    data = b"m" + length(b"".join(b"s" + length(name) + value for name, value in pairs))
    parts = {"prompt": b"\x00\xff", "seed": 3, "scale": 1.5, "names": ["ü", None, True], "n": {}}
    assert canonical(parts) == data
    assert item_key(parts) == hashlib.sha256(data).hexdigest()


def test_order_and_spelling_of_numbers_do_not_matter() -> None:
    assert item_key({"a": 12, "b": "x"}) == item_key({"b": "x", "a": 12.0})
    assert item_key({"a": (1, 2)}) == item_key({"a": [1, 2]})
    assert item_key({"a": -0.0}) == item_key({"a": 0})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", 1),
        (1, True),
        (0, None),
        ("", None),
        ("a", b"a"),
        ([], {}),
        (["ab", "c"], ["a", "bc"]),
        ([["a"], "b"], ["a", ["b"]]),
        ({"a": "b"}, ["a", "b"]),
        (0.1, 0.1 + 1e-17 + 1e-16),
        ({"a": 1, "b": 2}, {"a": 2, "b": 1}),
    ],
)
def test_different_values_have_different_keys(one: object, other: object) -> None:
    assert item_key({"a": one}) != item_key({"a": other})


@given(VALUES, VALUES)
def test_values_are_told_apart_as_python_does(one: Any, other: Any) -> None:
    def plain(value: Any) -> str:
        return json.dumps(_numbers(value), sort_keys=True)

    assert (canonical(one) == canonical(other)) == (plain(one) == plain(other))


def test_what_has_no_canonical_bytes_is_named_with_its_place() -> None:
    with pytest.raises(TypeError, match=r"key\.a\[1\]\.b: PosixPath; expected text, number"):
        item_key({"a": [0, {"b": Path("x")}]})
    with pytest.raises(TypeError, match=r"key\.a: name 1; expected text"):
        item_key({"a": {1: 2}})


def test_file_digest_is_that_of_its_bytes(tmp_path: Path) -> None:
    data = bytes(range(256)) * 9000
    (tmp_path / "a").write_bytes(data)
    assert file_digest(tmp_path / "a") == hashlib.sha256(data).hexdigest()


def _numbers(value: Any) -> Any:
    """Numbers that are equal spelt alike."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    if isinstance(value, dict):
        return {name: _numbers(one) for name, one in value.items()}
    return value
