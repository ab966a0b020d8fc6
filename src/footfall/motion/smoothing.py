"""Whittaker's smoother: as near to given values as their weights ask, and as smooth as the stiffness asks."""

import numpy as np

from footfall.motion.quaternion import Array


def smoothed_by(values: Array, weight: Array, stiffness: float) -> Array:
    """Values [T] or [T, K] that minimise Σ weight (new - old)² + stiffness Σ (second difference)² over time; ``weight``
    [T] above zero."""
    from scipy.linalg import solveh_banded

    T = len(values)
    if T < 3:
        return np.asarray(values)
    bands = np.zeros((3, T))
    bands[2] = weight
    bands[2, :-2] += stiffness
    bands[2, 1:-1] += 4 * stiffness
    bands[2, 2:] += stiffness
    bands[1, 1:-1] -= 2 * stiffness
    bands[1, 2:] -= 2 * stiffness
    bands[0, 2:] += stiffness
    return np.asarray(solveh_banded(bands, (weight * values.T).T, check_finite=False))
