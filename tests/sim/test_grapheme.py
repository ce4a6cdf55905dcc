"""Lines are cleaned, counted and cut as readers see them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.grapheme import clean_line, clusters, cut

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"
texts = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("a \u0301\u200d\ufe0f\U0001f3fd\U0001f1e9\U0001f1ea\u1112\u1161\u11ab❤👩"),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("abc", 3),
        ("e\u0301a", 2),
        ("a\u0301\u0302\u0303", 1),
        (FAMILY, 1),
        (FAMILY * 2, 2),
        ("\u2764\ufe0f\u200d\U0001f525", 1),
        ("\U0001f44d\U0001f3fd", 1),
        ("a\u200db", 2),
        ("\U0001f1e9\U0001f1ea", 1),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 2),
        ("\U0001f1e9\U0001f1ea\U0001f1eb", 2),
        ("x\U0001f1e9\U0001f1ea", 2),
        (WALES, 1),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", 2),
        ("\uac00\u11a8", 1),
        ("\uac01\u11a8", 1),
        ("\uac01\u1161", 2),
        ("한글", 2),
        ("नि", 1),
        ("กำ", 1),
        ("\r\n", 1),
        ("日本語", 3),
    ],
)
def test_clusters_are_what_a_reader_counts(text: str, count: int) -> None:
    assert len(list(clusters(text))) == count


@given(texts)
def test_clusters_joined_are_the_text(text: str) -> None:
    assert "".join(clusters(text)) == text
    assert all(clusters(text))


@given(texts, st.integers(0, 30), st.integers(0, 60))
def test_cut_keeps_whole_leading_clusters_within_both_limits(
    text: str, graphemes: int, points: int
) -> None:
    kept = cut(text, graphemes, points)
    parts = list(clusters(text))
    assert len(kept) <= points
    leading = ["".join(parts[:n]) for n in range(len(parts) + 1)]
    assert kept == text or kept in [part.rstrip(" \u200c\u200d") for part in leading]
    assert len(list(clusters(kept))) <= graphemes


def test_cut_never_splits_a_family() -> None:
    assert cut("ab" + FAMILY, 3) == "ab" + FAMILY
    assert cut("ab" + FAMILY, 2) == "ab"
    assert cut("ab" + FAMILY, 90, 6) == "ab"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  a  b ", "a b"),
        ("a\tb\nc\r\nd", "a b c d"),
        ("a\u2028b\u3000c", "a b c"),
        ("a\x00b\x07", "ab"),
        ("\u202eevil\u202c\u2066", "evil"),
        ("\ufeffmark", "mark"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\ud800lone", "lone"),
        ("\ue000private", "private"),
        ("e\u0301", "é"),
        ("ن\u200cم", "ن\u200cم"),
        (FAMILY, FAMILY),
        ("\u200d \u200c", ""),
        ("\x00\x01", ""),
        ("10\u00a0km", "10\u00a0km"),
    ],
)
def test_clean_line_leaves_what_can_be_printed(text: str, line: str) -> None:
    assert clean_line(text) == line


@given(texts)
def test_clean_line_is_idempotent_normal_and_printable(text: str) -> None:
    line = clean_line(text)
    assert clean_line(line) == line
    assert unicodedata.is_normalized("NFC", line)
    assert not any(unicodedata.category(c)[0] == "C" and c not in "\u200c\u200d" for c in line)
    assert line.encode().decode() == line
