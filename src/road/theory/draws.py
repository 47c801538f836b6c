"""Random numbers of the theory: every draw belongs to a seed, a purpose and counters."""

import zlib

import numpy as np


def generator(seed: int, purpose: str, *counters: int) -> np.random.Generator:
    """The generator of one purpose; another purpose or counter draws independently of it."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode()), *counters])
