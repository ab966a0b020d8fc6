"""Seeds of worlds: each world's random stream follows from its own seed alone."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError


def streams_of(seeds: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.uint32]:
    """[N] where random streams begin, for seeds [N] of up to 64 bits (SplitMix64, whose neighbours are unalike)."""
    try:
        z = np.asarray(seeds, dtype=np.uint64)
    except (OverflowError, TypeError, ValueError):
        raise FootfallError("seed: it must be a whole number from 0 to 2^64 - 1") from None
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return np.asarray(z >> np.uint64(32)).astype(np.uint32)
