"""Value noise on the integer lattice, four independent channels at the price of one.

Every lattice corner has one 32-bit hash, whose four bytes are the corner's values in four channels.
Between corners the values are blended with the quintic fade, so slope and curvature are continuous.

Source: the fade is that of K. Perlin, Improving Noise, 2002; ridges after F. K. Musgrave in
Texturing and Modeling, 1994.  Twin: web/sim/noise.js
"""

from __future__ import annotations

import numpy as np

from godseed.sim.maths import F64, U32
from godseed.sim.rng import hash_u32, mix, uniform

CHANNELS = 4
CHUNK = 4096
"""Points per round: keeps the working set in the cache, changes no result."""
# Odd multipliers that scatter the three axes over 32 bits.
AXIS_MULTIPLIERS = (0x8DA6B343, 0xD8163841, 0xCB1AB31F)
HALF_BYTE = 127.5


def value_noise4(p: F64, seed: int) -> F64:
    """Four channels of value noise.

    Args:
        p: (n, 3) points, the lattice spacing is 1; |p| below 2**31.
        seed: lowest 32 bits count.
    Returns:
        (n, 4) within [-1, 1].
    """
    salt = mix(seed, 0)
    result = np.empty((len(p), CHANNELS))
    for start in range(0, len(p), CHUNK):
        result[start : start + CHUNK] = _noise_chunk(p[start : start + CHUNK].T, salt)
    return result


def fbm4(p: F64, octaves: int, seed: int, lacunarity: float = 2.03, gain: float = 0.5) -> F64:
    """Sum octaves of noise, each finer by `lacunarity` and weaker by `gain`.

    Channels 0 and 1 are plain sums; 2 and 3 are ridged: each octave n counts as
    2 (1 - |n|)^2 - 1, which makes crests where the noise passes through zero. Octaves have seeds
    and shifts of their own, so that their lattices do not line up.

    Args:
        p: (n, 3) points.
        octaves: 1 or more.
        seed: lowest 32 bits count.
        lacunarity: frequency of an octave over the one before.
        gain: amplitude of an octave over the one before, above 0.
    Returns:
        (n, 4) within [-1, 1]: divided by the sum of the amplitudes.
    Raises:
        ValueError: octaves below 1.
    """
    if octaves < 1:
        raise ValueError(f"fbm4.octaves: {octaves}; expected 1 or more; ask for at least one")
    result = np.empty((len(p), CHANNELS))
    for start in range(0, len(p), CHUNK):
        points = np.ascontiguousarray(p[start : start + CHUNK].T)
        total = np.zeros((points.shape[1], CHANNELS))
        frequency, amplitude, amplitudes = 1.0, 1.0, 0.0
        for octave in range(octaves):
            stream = mix(seed, octave)
            shift = uniform(stream, np.arange(3))
            noise = _noise_chunk(points * frequency + shift[:, None], mix(stream, 0))
            ridge = noise[:, 2:]
            np.abs(ridge, out=ridge)
            np.subtract(1.0, ridge, out=ridge)
            ridge *= ridge
            ridge *= 2.0
            ridge -= 1.0
            noise *= amplitude
            total += noise
            amplitudes += amplitude
            frequency *= lacunarity
            amplitude *= gain
        total /= amplitudes
        result[start : start + CHUNK] = total
    return result


def _noise_chunk(p: F64, salt: int) -> F64:
    """Noise (n, 4) at points given by axis, (3, n)."""
    floor = np.floor(p)
    n = p.shape[1]
    values = hash_u32(_corner_keys(floor, salt)).astype("<u4").view(np.uint8)
    blend = values.reshape(8, n * CHANNELS).astype(np.float64)
    fade = np.repeat(_fade(p - floor), CHANNELS, axis=1)
    for axis in range(3):
        low, high = blend[0::2], blend[1::2]
        high -= low
        high *= fade[axis]
        high += low
        blend = high
    blend -= HALF_BYTE
    blend /= HALF_BYTE
    return blend.reshape(n, CHANNELS)


def _corner_keys(floor: F64, salt: int) -> U32:
    """Keys (8, n) of the corners of each point's cell; bit k of the row steps along axis k."""
    cells = floor.astype(np.int64).astype(np.uint32)
    x, y, z = (cells[axis] * np.uint32(AXIS_MULTIPLIERS[axis]) for axis in range(3))
    x += np.uint32(salt)
    keys = np.empty((2, 2, 2, floor.shape[1]), np.uint32)
    for k in range(2):
        for j in range(2):
            plane = (z if k == 0 else z + np.uint32(AXIS_MULTIPLIERS[2])) + (
                y if j == 0 else y + np.uint32(AXIS_MULTIPLIERS[1])
            )
            keys[k, j, 0] = plane + x
            keys[k, j, 1] = plane + (x + np.uint32(AXIS_MULTIPLIERS[0]))
    return keys.reshape(8, -1)


def _fade(t: F64) -> F64:
    """6 t^5 - 15 t^4 + 10 t^3."""
    fade: F64 = t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
    return fade
