"""Bytes to text: whole characters, and never a part of a stop string."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.backends.stop_text import StopText


def fed(text: bytes, stop: list[str], sizes: list[int]) -> tuple[StopText, str]:
    """The text in pieces of these sizes, and what was shown of it."""
    made, shown, at, turn = StopText(stop), "", 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        shown += made.feed(text[at : at + size])
        at, turn = at + size, turn + 1
    return made, shown + made.finish()


@given(
    st.text("ab夜é\n", max_size=30),
    st.lists(st.text("ab夜\n", max_size=3), max_size=3),
    st.lists(st.integers(1, 5), min_size=1, max_size=5),
)
def test_pieces_of_any_size_show_what_lies_before_the_first_stop(
    text: str, stop: list[str], sizes: list[int]
) -> None:
    made, shown = fed(text.encode(), stop, sizes)
    starts = [text.find(end) for end in stop if end and end in text]
    assert made.text == shown == (text[: min(starts)] if starts else text)
    assert made.stopped == bool(starts)


def test_a_character_is_shown_once_it_is_whole() -> None:
    made = StopText([])
    assert [made.feed(bytes([byte])) for byte in "夜".encode()] == ["", "", "夜"]


def test_broken_bytes_are_replaced() -> None:
    made, shown = fed(b"a\xffb\xe5", [], [1])
    assert shown == made.text == "a�b�"


def test_a_beginning_of_a_stop_string_is_held_back() -> None:
    made = StopText(["###"])
    assert made.feed("a##") == "a"
    assert made.feed("b") == "##b"
    assert made.feed("##") == ""
    assert made.finish() == "##"
