"""Image gates and attribution, on images made by hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.check.case_file import Gates
from godseed.check.compare import attribute, difference, measure, perceived

GATES = Gates()


def apart(height: int, width: int, *spots: tuple[int, int, int]) -> npt.NDArray[np.uint8]:
    image = np.zeros((height, width), np.uint8)
    for y, x, value in spots:
        image[y, x] = value
    return image


def test_difference_is_the_largest_of_the_four_channels_both_ways() -> None:
    a = np.array([[[10, 0, 255, 255], [0, 0, 0, 0]]], np.uint8)
    b = np.array([[[12, 0, 250, 255], [0, 0, 0, 9]]], np.uint8)
    assert difference(a, b).tolist() == difference(b, a).tolist() == [[5, 9]]


def picture(*columns: int) -> npt.NDArray[np.uint8]:
    """(7, n, 4): columns of grey."""
    grey = np.repeat(np.array(columns, np.uint8)[None, :, None], 4, axis=2)
    return np.repeat(grey, 7, axis=0)


def test_edge_one_pixel_aside_is_not_perceived() -> None:
    before = picture(10, 10, 10, 200, 200, 200)
    after = picture(10, 10, 10, 10, 200, 200)
    blended = picture(10, 10, 10, 90, 200, 200)
    assert difference(before, after).max() == 190
    assert perceived(before, after).max() == perceived(before, blended).max() == 0


def test_edge_two_pixels_aside_is_perceived() -> None:
    before = picture(10, 10, 10, 200, 200, 200)
    after = picture(10, 10, 10, 10, 10, 200)
    assert perceived(before, after)[0].tolist() == [0, 0, 0, 190, 190, 0]


def test_dot_that_is_missing_from_either_image_is_perceived() -> None:
    blank = picture(*[10] * 9)
    dotted = blank.copy()
    dotted[3, 4] = 250
    assert perceived(blank, dotted)[3, 4] == perceived(dotted, blank)[3, 4] == 240
    assert np.count_nonzero(perceived(blank, dotted)) == 1


def test_flat_color_that_changed_is_perceived_in_full() -> None:
    assert (perceived(picture(10, 10, 10), picture(22, 22, 22)) == 12).all()


@given(st.integers(0, 2**32 - 1))
def test_what_is_perceived_never_exceeds_the_difference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 256, (2, 9, 11, 4), dtype=np.uint8)
    seen = perceived(a, b)
    assert (seen <= difference(a, b)).all()
    assert (seen == perceived(b, a)).all()
    assert perceived(a, a).max() == 0


def test_gates_judge_what_is_perceived_and_counts_tell_what_differs() -> None:
    before, after = picture(10, 10, 200, 200), picture(10, 10, 10, 200)
    found = measure(difference(before, after), GATES, perceived(before, after))
    assert (found.pixels, found.largest, found.over) == (7, 190, 0)
    assert found.within(GATES)
    assert not measure(difference(before, after), GATES).within(GATES)


def test_equal_images_measure_nothing() -> None:
    found = measure(apart(20, 30), GATES)
    assert (found.pixels, found.largest, found.over, found.window_share) == (0, 0, 0, 0.0)
    assert found.within(GATES)
    assert found.passing == {"max_share": 0.0025, "window_share": 0.25, "per_pixel": 8}


def test_difference_within_tolerance_counts_as_pixels_and_not_as_over() -> None:
    found = measure(apart(40, 40, (3, 4, 8), (5, 6, 1)), GATES)
    assert (found.pixels, found.over) == (2, 0)
    assert found.within(GATES)


def test_share_gate_breaks_where_differences_are_spread() -> None:
    image = apart(100, 100)
    image[::10, ::10] = 9
    found = measure(image, GATES)
    assert found.share == pytest.approx(0.01)
    assert not found.within(GATES)
    assert found.passing["per_pixel"] == 9


def test_window_gate_breaks_where_differences_are_gathered() -> None:
    image = apart(320, 320)
    image[100:109, 200:209] = 40
    found = measure(image, GATES)
    assert found.share < GATES.max_share
    assert found.window_share == pytest.approx(81 / 256)
    assert not found.within(GATES)
    x, y = found.window_at
    assert (x, y) == (193, 93)


def test_stated_passing_values_do_pass_and_lower_ones_do_not() -> None:
    rng = np.random.default_rng(4)
    image = (rng.random((50, 70)) ** 6 * 60).astype(np.uint8)
    found = measure(image, GATES)
    shares = {k: found.passing[k] for k in ("max_share", "window_share")}
    assert measure(image, Gates(**shares)).within(Gates(**shares))  # type: ignore[arg-type]
    level = int(found.passing["per_pixel"])
    assert measure(image, Gates(per_pixel=level)).within(Gates(per_pixel=level))
    assert level > 8
    assert not measure(image, Gates(per_pixel=level - 1)).within(Gates(per_pixel=level - 1))


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 24), st.integers(0, 2**32 - 1))
def test_worst_window_equals_a_search_over_all_windows(
    height: int, width: int, window: int, seed: int
) -> None:
    over = np.random.default_rng(seed).random((height, width)) < 0.3
    image = np.where(over, 255, 0).astype(np.uint8)
    tall, wide = min(window, height), min(window, width)
    worst = max(
        over[y : y + tall, x : x + wide].sum() / (tall * wide)
        for y in range(height - tall + 1)
        for x in range(width - wide + 1)
    )
    assert measure(image, Gates(window=window)).window_share == pytest.approx(worst)


def counts(
    now: list[int], then: list[int], changed: set[int], changed_before: set[int], far: bool = False
) -> tuple[dict[int, int], dict[int, int], int, int]:
    ids, before = np.array([now], np.int32), np.array([then], np.int32)
    depth = np.full(ids.shape, np.inf if far else 1.0, np.float32)
    flags = np.array([i in changed for i in range(10)])
    flags_before = np.array([i in changed_before for i in range(10)])
    return attribute(np.ones(ids.shape, bool), ids, before, depth, flags, flags_before)


def test_pixel_belongs_to_what_draws_it_now() -> None:
    assert counts([3, 3, 4], [3, 3, 4], set(), set()) == ({3: 2, 4: 1}, {}, 0, 0)


def test_pixel_of_a_removed_feature_belongs_to_it_and_not_to_what_lay_behind() -> None:
    assert counts([3, -1], [7, 7], set(), {7}) == ({}, {7: 2}, 0, 0)


def test_pixel_uncovered_by_nothing_belongs_to_what_drew_it_before() -> None:
    assert counts([-1], [7], set(), set()) == ({}, {7: 1}, 0, 0)


def test_pixel_of_a_changed_feature_belongs_to_it_whatever_drew_it_before() -> None:
    assert counts([5], [7], {5}, {7}) == ({5: 1}, {}, 0, 0)


def test_pixels_without_a_feature_belong_to_ground_or_sky() -> None:
    assert counts([-1, -1], [-1, -1], set(), set()) == ({}, {}, 2, 0)
    assert counts([-1, -1], [-1, -1], set(), set(), far=True) == ({}, {}, 0, 2)


@given(st.integers(0, 2**32 - 1))
def test_every_differing_pixel_is_counted_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (9, 11)
    ids, before = (rng.integers(-1, 6, shape).astype(np.int32) for _ in range(2))
    depth = np.where(rng.random(shape) < 0.5, np.inf, 1.0).astype(np.float32)
    differs = rng.random(shape) < 0.6
    flags = [rng.random(6) < 0.4 for _ in range(2)]
    now, then, ground, sky = attribute(differs, ids, before, depth, flags[0], flags[1])
    assert sum(now.values()) + sum(then.values()) + ground + sky == differs.sum()
