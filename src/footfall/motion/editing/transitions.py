"""Transition functions of Data-Driven Biped Control, appendix B: smooth steps between zero and one."""

import numpy as np

from footfall.motion.quaternion import Array


def transition(t: Array, a: float = 0.0, b: float = 1.0) -> Array:
    """s(t) = 3 x² - 2 x³ with x = (t - a) / (b - a): 0 before a, 1 after b, with zero slope at both; t [...]."""
    x = np.clip((np.asarray(t, dtype=float) - a) / max(b - a, 1e-300), 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def transition_back(t: Array, a: float = 0.0, b: float = 1.0) -> Array:
    """r(t) = 1 - s(t): 1 before a, 0 after b; t [...]."""
    return 1.0 - transition(t, a, b)
