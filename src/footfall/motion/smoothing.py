"""Smooth curves: Whittaker's smoother, as near to given values as their weights ask and as smooth as the stiffness
asks; and the transition functions of Data-Driven Biped Control, appendix B, smooth steps between zero and one.
"""

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


def transition(t: Array, a: float = 0.0, b: float = 1.0) -> Array:
    """s(t) = 3 x² - 2 x³ with x = (t - a) / (b - a): 0 before a, 1 after b, with zero slope at both; t [...]."""
    x = np.clip((np.asarray(t, dtype=float) - a) / max(b - a, 1e-300), 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def transition_back(t: Array, a: float = 0.0, b: float = 1.0) -> Array:
    """r(t) = 1 - s(t): 1 before a, 0 after b; t [...]."""
    return 1.0 - transition(t, a, b)
