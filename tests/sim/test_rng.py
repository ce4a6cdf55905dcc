"""Draws equal three's, arrays equal single draws, and counts never move earlier items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.sim.rng import Mulberry32, crc32, hash_u32, mix, uniform

# seededRandom(seed) and the five draws after it, times 2**32, printed by Node from
# src/math/MathUtils.js of the npm package three@0.187.0.
THREE_DRAWS: dict[int, list[int]] = {
    0: [1144304738, 1416247, 958946056, 627933444, 2007157716, 2340967985],
    1: [2693262067, 11749833, 2265367787, 4213581821, 4159151403, 1207330352],
    42: [2581720956, 1925393290, 3661312704, 2876485805, 750819978, 2261697747],
    12345: [4207900869, 1317490944, 2079646450, 3513001552, 2187978186, 1492380277],
    0x7FFFFFFF: [1842962257, 546041740, 1654754255, 1702490205, 513796057, 4093909556],
    0xFFFFFFFF: [3850105811, 813802916, 3073704848, 4054706436, 3630262831, 2315588663],
    -1: [3850105811, 813802916, 3073704848, 4054706436, 3630262831, 2315588663],
}


@pytest.mark.parametrize("seed", THREE_DRAWS)
def test_draws_equal_those_of_three(seed: int) -> None:
    expected = [draw / 2**32 for draw in THREE_DRAWS[seed]]
    assert uniform(seed, np.arange(6)).tolist() == expected
    stream = Mulberry32(seed)
    assert [stream.next() for _ in range(6)] == expected


def test_millionth_draw_equals_that_of_three() -> None:
    assert uniform(12345, 1_000_000) == 3946588260 / 2**32  # from the same run of Node


def test_array_of_draws_equals_single_draws_for_many_seeds() -> None:
    seeds = hash_u32(np.arange(300))
    drawn = uniform(seeds[:, None], np.arange(50)[None, :])
    streams = [Mulberry32(int(seed)) for seed in seeds]
    assert drawn.tolist() == [[stream.next() for _ in range(50)] for stream in streams]


def test_draws_wrap_around_after_all_of_them() -> None:
    assert uniform(7, 2**32 - 1) == uniform(7, -1)
    assert uniform(7, 2**32 + 3) == uniform(7, 3)
    assert uniform(7, np.array([2**32 + 3]))[0] == uniform(7, 3)
    assert uniform(7 + 2**32, 3) == uniform(7, 3)
    assert uniform(0xFFFFFFFF, 0) == Mulberry32(-1).next()


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(0, 40), st.integers(1, 5))
def test_raising_the_count_never_moves_earlier_items(
    seed: int, count: int, more: int, draws: int
) -> None:
    few = uniform(seed, np.arange(count * draws)).reshape(count, draws)
    many = uniform(seed, np.arange((count + more) * draws)).reshape(-1, draws)
    assert many[:count].tolist() == few.tolist()


def test_single_draw_is_a_float_and_integer_types_do_not_matter() -> None:
    assert isinstance(uniform(3, 4), float)
    for kind in (np.uint32, np.int64, np.int32, np.uint64):
        assert uniform(np.array([3], kind), np.array([4], kind)).tolist() == [uniform(3, 4)]
    assert uniform(np.array([3]), 4).tolist() == [uniform(3, 4)]


def test_draws_leave_their_arguments_as_they_were() -> None:
    seeds, n = np.array([5, 6], np.uint32), np.arange(2, dtype=np.uint32)
    uniform(seeds, n)
    mix(seeds, 1)
    hash_u32(seeds)
    assert (seeds.tolist(), n.tolist()) == ([5, 6], [0, 1])


def test_draws_are_spread_evenly() -> None:
    drawn = uniform(99, np.arange(100_000))
    counts = np.histogram(drawn, bins=16, range=(0, 1))[0]
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert abs(counts - 6250).max() < 350  # 4.5 standard deviations


def test_streams_of_different_purposes_are_uncorrelated() -> None:
    n = np.arange(20_000)
    streams = [uniform(mix(1234, purpose), n) for purpose in range(6)]
    correlation = np.corrcoef(streams) - np.eye(6)
    assert abs(correlation).max() < 0.03


def test_mix_gives_every_seed_and_purpose_its_own_stream() -> None:
    seeds = np.arange(50_000)
    assert len(np.unique(mix(seeds, 3))) == len(seeds)
    assert len({mix(11, purpose) for purpose in range(5000)}) == 5000
    assert mix(seeds, 3)[17] == mix(17, 3)
    assert mix(0, 0) != 0


def test_mix_and_hash_give_these_numbers() -> None:
    # Bits that the JavaScript twin must give as well.
    assert [mix(0, 0), mix(1, 2), mix(0x7FFFFFFF, 255)] == [2856213345, 230461417, 3290971406]
    assert [hash_u32(x) for x in (0, 1, 42, 0xFFFFFFFF)] == [0, 1364076727, 142593372, 2180083513]


def test_hash_flips_half_of_the_bits_for_each_bit_of_input() -> None:
    x = uniform(5, np.arange(2000)) * 2**32
    values = x.astype(np.uint32)
    for bit in range(32):
        changed = hash_u32(values) ^ hash_u32(values ^ np.uint32(1 << bit))
        assert 15.0 < np.bitwise_count(changed).mean() < 17.0


def test_crc32_is_the_standard_one_over_utf8() -> None:
    assert crc32("123456789") == 0xCBF43926
    assert crc32("é") == crc32(b"\xc3\xa9".decode())
    assert crc32("") == 0
