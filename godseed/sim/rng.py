"""Random numbers that Python draws as arrays and JavaScript one by one, and both get the same.

The generator is mulberry32. Its state only counts, so draw n of a seed is a hash of
`seed + (n + 1) * 0x6D2B79F5` modulo 2**32: any draw can be had without the ones before it, and the
drawing of item i never depends on how many items there are. All arithmetic is on uint32.

Source: mulberry32 by Tommy Ettinger, public domain, as three's MathUtils.seededRandom has it; the
constants of `hash_u32` are those of the finaliser of MurmurHash3, public domain.
Twin: web/sim/rng.js
"""

from __future__ import annotations

import zlib
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from godseed.sim.maths import F64, U32

STEP = 0x6D2B79F5
MASK = 0xFFFFFFFF
PURPOSE_SALT = 0x9E3779B9
TWO_POW_32 = 4294967296.0

IntArray: TypeAlias = npt.NDArray[np.integer[Any]]


class Mulberry32:
    """One stream, drawn one number at a time; for code that walks instead of scattering.

    Args:
        seed: any integer; only its lowest 32 bits count.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK

    def next(self) -> float:
        """The next number in [0, 1), a multiple of 2**-32."""
        self._state = (self._state + STEP) & MASK
        t = self._state
        t = ((t ^ (t >> 15)) * (t | 1)) & MASK
        t ^= (t + (t ^ (t >> 7)) * (t | 61)) & MASK
        return (t ^ (t >> 14)) / TWO_POW_32


@overload
def uniform(seed: int, n: int) -> float: ...
@overload
def uniform(seed: IntArray, n: IntArray | int) -> F64: ...
@overload
def uniform(seed: int, n: IntArray) -> F64: ...
def uniform(seed: IntArray | int, n: IntArray | int) -> F64 | float:
    """Draw number n (from 0) of the stream of a seed; the two broadcast against each other.

    Args:
        seed: integers of any size; only the lowest 32 bits count.
        n: integers; draws repeat after 2**32.
    Returns:
        float64 in [0, 1), multiples of 2**-32.
    """
    t = _u32(n) + np.uint32(1)
    t *= np.uint32(STEP)
    t = t + _u32(seed)
    t = (t ^ (t >> np.uint32(15))) * (t | np.uint32(1))
    t ^= t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61))
    t ^= t >> np.uint32(14)
    drawn: F64 = t / TWO_POW_32
    return drawn if np.ndim(seed) or np.ndim(n) else drawn[0]


@overload
def mix(seed: int, purpose: int) -> int: ...
@overload
def mix(seed: IntArray, purpose: int) -> U32: ...
def mix(seed: IntArray | int, purpose: int) -> U32 | int:
    """Seed of an independent stream for one purpose inside a feature.

    For a fixed purpose no two seeds share a result.

    Args:
        seed: integers; only the lowest 32 bits count.
        purpose: names what the stream is for.
    """
    salt = hash_u32((purpose + PURPOSE_SALT) & MASK)
    mixed = _hash(_u32(seed) ^ np.uint32(salt))
    return mixed if np.ndim(seed) else int(mixed[0])


@overload
def hash_u32(x: int) -> int: ...
@overload
def hash_u32(x: IntArray) -> U32: ...
def hash_u32(x: IntArray | int) -> U32 | int:
    """Scramble 32 bits so that each one of the input flips half of the output; 0 stays 0.

    Args:
        x: integers; only the lowest 32 bits count.
    """
    hashed = _hash(_u32(x))
    return hashed if np.ndim(x) else int(hashed[0])


def crc32(text: str) -> int:
    """CRC-32 (IEEE 802.3) of a text's UTF-8 bytes, 0 to 2**32 - 1."""
    return zlib.crc32(text.encode("utf-8"))


def _u32(x: IntArray | int) -> U32:
    """A fresh uint32 array of the lowest 32 bits, with one axis or more."""
    if isinstance(x, int):
        return np.full(1, x & MASK, np.uint32)
    return np.atleast_1d(np.asarray(x)).astype(np.uint32)


def _hash(x: U32) -> U32:
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x85EBCA6B)
    x ^= x >> np.uint32(13)
    x *= np.uint32(0xC2B2AE35)
    x ^= x >> np.uint32(16)
    return x
