"""Numbers of the tracking law that its kernel uses as indices, checked on their way in."""

import numpy as np
from numpy.typing import NDArray

from footfall.control.kernel_indices import check_kernel_index
from footfall.errors import FootfallError
from footfall.methods.tracking.layout import KINDS, FragmentField, Layout

MOST_FRAMES = 2**31 - 1
"""That an index can count."""


def check_tracking_memory(memory: NDArray[np.float64], layout: Layout, fragments: int) -> None:
    """Refuse memories [N, M] in a fragment that is not there, or before a fragment's first frame."""
    places = layout.memory()
    check_kernel_index(memory[:, places["fragment"]], 0, fragments - 1, "memory: fragment")
    check_kernel_index(memory[:, places["index"]], 0, MOST_FRAMES, "memory: index")
    check_kernel_index(memory[:, places["frame"]], -1, MOST_FRAMES, "memory: frame")


def check_tracking_library(numbers: NDArray[np.float64], layout: Layout, fragments: int, width: int) -> None:
    """Refuse libraries [rows, columns] with other columns than ``width``, and heads that lead out of them."""
    if numbers.ndim != 2 or numbers.shape[1] != width or len(numbers) <= fragments:
        raise FootfallError(
            f"library has shape {numbers.shape}; give rows of {width} numbers: {fragments} heads, then their frames"
        )
    heads, last = numbers[:fragments].T, len(numbers) - 1
    for field, first, most in (
        (FragmentField.FIRST, fragments, last),
        (FragmentField.LENGTH, 1, last),
        (FragmentField.KIND, 0, len(KINDS) - 1),
        (FragmentField.GAINS, 0, layout.sets - 1),
        (FragmentField.SUCCESSOR, -1, fragments - 1),
    ):
        check_kernel_index(heads[field], first, most, f"library: {field.name.lower()}", "fragment")
    ends = heads[FragmentField.FIRST] + heads[FragmentField.LENGTH]
    check_kernel_index(ends, fragments, last, "library: last frame", "fragment")
