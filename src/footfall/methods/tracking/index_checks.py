"""Numbers of the tracking law that its kernel uses as indices, checked on their way in."""

import numpy as np
from numpy.typing import NDArray

from footfall.control.indices import check_index
from footfall.errors import FootfallError
from footfall.methods.tracking.layout import FRAGMENT, KINDS, Layout

__all__ = ["check_tracking_library", "check_tracking_memory"]

MOST_FRAMES = 2**31 - 1
"""That an index can count."""


def check_tracking_memory(memory: NDArray[np.float64], layout: Layout, fragments: int) -> None:
    """Refuse memories [N, M] in a fragment that is not there, or before a fragment's first frame."""
    places = layout.memory()
    check_index(memory[:, places["fragment"]], 0, fragments - 1, "memory: fragment")
    check_index(memory[:, places["index"]], 0, MOST_FRAMES, "memory: index")
    check_index(memory[:, places["frame"]], -1, MOST_FRAMES, "memory: frame")


def check_tracking_library(numbers: NDArray[np.float64], layout: Layout, fragments: int, width: int) -> None:
    """Refuse libraries [rows, columns] with other columns than ``width``, and heads that lead out of them."""
    if numbers.ndim != 2 or numbers.shape[1] != width or len(numbers) <= fragments:
        raise FootfallError(
            f"library has shape {numbers.shape}; give rows of {width} numbers: {fragments} heads, then their frames"
        )
    head, last = dict(zip(FRAGMENT, numbers[:fragments].T)), len(numbers) - 1
    for name, first, most in (
        ("first", fragments, last),
        ("length", 1, last),
        ("kind", 0, len(KINDS) - 1),
        ("gains", 0, layout.sets - 1),
        ("successor", -1, fragments - 1),
    ):
        check_index(head[name], first, most, f"library: {name}", "fragment")
    check_index(head["first"] + head["length"], fragments, last, "library: last frame", "fragment")
