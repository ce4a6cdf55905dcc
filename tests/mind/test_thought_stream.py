"""What is shown while a turn is being written."""

from __future__ import annotations

import codecs
import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.thought_stream import ScreenedStream, ThoughtStream


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[a:b] for a, b in pairwise(places)]


@given(
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=60),
    st.lists(st.integers(0, 500), max_size=20),
    st.booleans(),
)
def test_the_thought_comes_out_however_it_is_split(
    thought: str, cuts: list[int], spaced: bool
) -> None:
    separators = (", ", ": ") if spaced else (",", ":")
    turn = {"thought": thought, "done": True, "epitaph": "not shown"}
    text = json.dumps(turn, ensure_ascii=False, separators=separators)
    stream = ThoughtStream(160)
    assert "".join(stream.feed(piece) for piece in pieces_of(text, cuts)) == thought


def test_escapes_are_decoded_across_pieces() -> None:
    stream = ThoughtStream(160)
    shown = [stream.feed(piece) for piece in ('{"thought":"a\\', '"b\\u00', "e9", '\\n"', ',"x')]
    assert "".join(shown) == 'a"b\u00e9 '


def test_nothing_is_shown_after_the_limit() -> None:
    assert len(ThoughtStream(10).feed('{"thought":"' + "x" * 50)) == 10


def test_junk_is_not_shown() -> None:
    stream = ThoughtStream(160)
    assert stream.feed("I think that " * 20) == ""
    assert stream.feed('{"thought":"x"}') == ""


def test_screened_stream_shows_whole_words_and_all_of_them() -> None:
    stream = ScreenedStream()
    shown = [stream.feed(piece) for piece in ("the s", "ea, ", "first\nof", " all")]
    assert shown == ["the ", "sea, ", "first ", "of "]
    assert stream.finish() == "all"


def test_screened_stream_falls_silent_before_a_refused_word() -> None:
    stream = ScreenedStream()
    word = codecs.decode("fjnfgvxn", "rot13")
    shown = [stream.feed(piece) for piece in ("a ", word[:4], word[4:], " of trees")]
    assert "".join([*shown, stream.finish()]) == "a "


def test_screened_stream_does_not_wait_for_blanks_forever() -> None:
    assert ScreenedStream().feed("静かな海と灯台" * 5) != ""
