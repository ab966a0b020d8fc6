"""A parameter's values: one number for all worlds, or one for each."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError


def world_numbers(name: str, values: ArrayLike, worlds: int) -> NDArray[np.float64]:
    """[1 or worlds] the values of the parameter ``name``, checked."""
    array = np.asarray(values, dtype=float)
    if array.size not in (1, worlds):
        raise FootfallError(f"parameter '{name}' has {array.size} values for {worlds} worlds; give 1 or {worlds}")
    if not np.all(np.isfinite(array)):
        raise FootfallError(f"parameter '{name}' holds a number that is not finite")
    return array.reshape(-1)
