"""Numbers that a kernel uses as indices. A kernel checks nothing, so each is checked on its way in."""

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError


def check_kernel_index(values: NDArray[np.float64], first: int, last: int, what: str, of: str = "world") -> None:
    """Refuse numbers [N] that are not whole or not from ``first`` to ``last``.

    Args:
        values: the numbers.
        first, last: the least and the greatest index.
        what: begins the message, as in "memory: state".
        of: what there is one number for.
    """
    wrong = ~((values >= first) & (values <= last) & (values == np.floor(values)))
    if wrong.any():
        _refuse(values, wrong, f"a whole number from {first} to {last}", what, of)


def check_kernel_choice(values: NDArray[np.float64], choices: list[int], what: str, of: str = "world") -> None:
    """Refuse numbers [N] that are none of the choices."""
    wrong = ~np.isin(values, choices)
    if wrong.any():
        _refuse(values, wrong, f"one of {choices}", what, of)


def _refuse(values: NDArray[np.float64], wrong: NDArray[np.bool_], right: str, what: str, of: str) -> None:
    k = int(np.argmax(wrong))
    raise FootfallError(f"{what} is {values[k]:g} in {of} {k}; it must be {right}")
