"""States as numbers that stay what they are when controllers change: controller, number, stance side."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

MOST = 1000
"""Codes of one controller: two for each of its states."""


class StateCodes:
    """Codes of the states that were seen.

    Args:
        names: of the controllers that are known; others are added when they are met.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)

    def encode(self, states: Sequence[tuple[str, int, bool]]) -> NDArray[np.int32]:
        """[S] codes of states: controller, number as written, whether the right leg is in stance."""
        codes: dict[tuple[str, int, bool], int] = {}
        for name, number, right in states:
            if (name, number, right) not in codes:
                if name not in self._names:
                    self._names.append(name)
                within = (2 * number + int(right)) % MOST
                codes[name, number, right] = MOST * self._names.index(name) + within
        return np.array([codes[state] for state in states], dtype=np.int32)

    def decode(self, code: int) -> tuple[str, int, bool]:
        """The state of a code."""
        return self._names[code // MOST], int(state_number(code)), bool(code % 2)


def state_number(code: int | NDArray[np.int32]) -> int | NDArray[np.int32]:
    """The number of a state as written, of one code or of many."""
    return code % MOST // 2
