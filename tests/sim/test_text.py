"""Lines, wrapping, rings and plaques."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.glyphs import face
from godseed.sim.maths import TAU
from godseed.sim.text import (
    PLAQUE_SIZES,
    RING_LARGEST_SCALE,
    RING_SPACING_EM,
    fit_ring,
    layout,
    measure,
    plaque,
    ring,
    wrap,
)

WISH = "for the fisherfolk who waited all winter for one warm window"
WORDS = st.text("abTVf éЖω-—,. \n\u00a0\u0301漢", max_size=90)


def test_layout_of_nothing_is_empty_arrays() -> None:
    line = layout("")
    assert line.quads.shape == (0, 4)
    assert line.uv.shape == (0, 4)
    assert line.char.shape == (0,)
    assert line.width == 0.0


def test_layout_skips_spaces_and_keeps_their_positions() -> None:
    line = layout("a b")
    assert line.char.tolist() == [0, 2]
    assert line.char.dtype == np.int64
    assert line.width == measure("a b")


def test_layout_quads_agree_with_their_texels() -> None:
    for name, height, across in (("serif", 42, 2048.0), ("mono", 30, 2048.0)):
        line = layout("Quiet light, 1,204 words.", name)
        wide = (line.quads[:, 2] - line.quads[:, 0]) * height
        np.testing.assert_allclose(wide, (line.uv[:, 2] - line.uv[:, 0]) * across, atol=1e-3)
        assert np.all(line.uv >= 0.0)
        assert np.all(line.uv <= 1.0)


def test_layout_runs_left_to_right() -> None:
    centres = layout("speak, and it will be made").quads[:, [0, 2]].mean(axis=1)
    assert np.all(np.diff(centres) > 0)


def test_wrap_breaks_at_spaces_and_drops_them() -> None:
    assert wrap("one  two three", "mono", measure("one two", "mono")) == ("one", "two", "three")
    assert wrap("one two three", "mono", measure("one two", "mono")) == ("one two", "three")


def test_wrap_keeps_no_break_spaces_together() -> None:
    limit = measure("at 14", "mono")
    assert wrap("at 14 km", "mono", limit) == ("at 14", "km")
    assert wrap("at 14\u00a0km", "mono", limit) == ("at", "14\u00a0km")


def test_wrap_breaks_after_a_hyphen_and_a_dash() -> None:
    assert wrap("sea-light", "mono", measure("sea-li", "mono")) == ("sea-", "light")
    assert wrap("sea—light", "mono", measure("sea—li", "mono")) == ("sea—", "light")


def test_wrap_ends_lines_at_line_ends_and_leaves_no_empty_ones() -> None:
    assert wrap("a b\nc\r\n\n d ", "serif", 99.0) == ("a b", "c", "d")
    assert wrap(" \n ", "serif", 9.0) == ()


def test_wrap_cuts_a_word_too_wide_but_never_before_a_mark() -> None:
    assert wrap("x\u0301x\u0301x\u0301", "mono", 0.0) == ("x\u0301", "x\u0301", "x\u0301")


@given(WORDS, st.sampled_from(["serif", "mono"]), st.floats(1.5, 30.0), st.sampled_from([0, 0.1]))
def test_wrapped_lines_fit_and_lose_only_spaces(
    text: str, name: str, limit: float, spacing: float
) -> None:
    lines = wrap(text, name, limit, spacing)
    for line in lines:
        assert measure(line, name, spacing) <= limit + 1e-9 or len(line.strip("\u0301")) == 1
        assert line
    kept = "".join(lines).replace(" ", "")
    assert kept == unicodedata.normalize("NFC", text).replace(" ", "").replace("\n", "")


@given(st.text("abTVWilm éЖω,漢", min_size=1, max_size=90), st.floats(20.0, 300.0))
def test_a_ring_closes_exactly_and_never_bunches(text: str, circumference: float) -> None:
    fit = fit_ring(text, circumference)
    assert fit.repeats >= 1
    assert fit.spacing_em >= RING_SPACING_EM
    assert 0.0 < fit.em_scale <= RING_LARGEST_SCALE
    unit = text.strip() + " \u2022 "
    whole = measure(unit * fit.repeats + unit[0], "serif", fit.spacing_em)
    period = whole - measure(unit[0])
    assert period * fit.em_scale == pytest.approx(circumference, rel=0.02, abs=0.4)


@given(st.sampled_from([WISH, "hi", "W" * 90, "Тихий маяк", "speak, and it will be made"]))
def test_ring_letters_keep_their_distance_all_the_way_round(text: str) -> None:
    placed = ring(text, 1.35, 0.075)
    gaps = np.diff(np.append(placed.angle, placed.angle[0] + TAU)) * 1.35
    assert np.all(gaps > 0.0)
    count = len(placed.angle) // placed.fit.repeats
    np.testing.assert_allclose(gaps, np.tile(gaps[:count], placed.fit.repeats), atol=1e-9)
    assert gaps.max() < 2.0 * placed.em
    assert np.all((placed.angle >= 0.0) & (placed.angle < TAU))


def test_ring_sizes_are_in_the_unit_of_the_radius() -> None:
    near, far = ring(WISH, 1.0, 0.05), ring(WISH, 10.0, 0.5)
    np.testing.assert_allclose(far.half_width, near.half_width * 10.0, rtol=1e-12)
    np.testing.assert_allclose(far.height, near.height * 10.0, atol=1e-12)
    np.testing.assert_allclose(far.angle, near.angle, atol=1e-12)


def test_ring_of_blanks_has_no_glyphs() -> None:
    assert ring("  ", 1.0, 0.1).angle.shape == (0,)


def test_ring_refuses_sizes_that_are_not_positive() -> None:
    with pytest.raises(ValueError, match="expected both above 0"):
        ring("a", 1.0, 0.0)
    with pytest.raises(ValueError, match="expected more than 0"):
        fit_ring("a", -1.0)


def test_plaque_centres_balanced_lines() -> None:
    stone = plaque(WISH, 2.0, 1.0)
    widths = [measure(line, "serif", 0.02) for line in stone.lines]
    assert " ".join(stone.lines) == WISH
    assert len(widths) > 1
    assert min(widths) > 0.6 * max(widths)
    assert stone.quads[:, 0].min() == pytest.approx(-stone.quads[:, 2].max(), abs=0.05 * stone.em)


def test_plaque_uses_larger_letters_for_shorter_texts() -> None:
    assert plaque("light", 2.0, 1.0).em == PLAQUE_SIZES[0]
    assert plaque(WISH, 2.0, 1.0).em < PLAQUE_SIZES[0]


def test_plaque_ends_in_an_ellipsis_when_nothing_fits() -> None:
    stone = plaque(WISH * 9, 1.0, 0.3, sizes=(0.3, 0.2))
    assert stone.em == pytest.approx(0.06)
    assert stone.lines[-1].endswith("…")


def test_plaque_refuses_an_empty_box() -> None:
    with pytest.raises(ValueError, match="expected a box above 0"):
        plaque(WISH, 0.0, 1.0)


@given(st.text("abgjTVWf ÉЖω,漢\u0302", min_size=1, max_size=90), st.floats(0.8, 3.0))
def test_plaque_ink_stays_in_the_box(text: str, across: float) -> None:
    stone = plaque(text, across, 1.0)
    margin = face("serif").margin_em * stone.em
    if len(stone.quads):
        assert stone.quads[:, 0].min() + margin >= -across / 2.0 - 1e-9
        assert stone.quads[:, 2].max() - margin <= across / 2.0 + 1e-9
        assert stone.quads[:, 1].min() + margin >= -0.5 - 1e-9
        assert stone.quads[:, 3].max() - margin <= 0.5 + 1e-9
    assert len(stone.quads) == len(stone.uv) == len(stone.char)
    assert np.all(np.diff(stone.char) >= 0)
