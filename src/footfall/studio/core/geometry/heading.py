"""Which way a free figure faces."""

import math

import numpy as np
from numpy.typing import NDArray


def facing(qpos: NDArray[np.float64]) -> float:
    """The heading of a free root in coordinates qpos [nq], radians from the world's x to its y."""
    w, x, y, z = (float(v) for v in qpos[3:7])
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
