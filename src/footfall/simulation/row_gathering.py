"""Rows of a table handed out to worlds, on the device."""

from typing import Any

import warp as wp


@wp.kernel
def take_rows(source: wp.array2d[Any], which: wp.array[wp.int32], target: wp.array2d[Any]):
    """target[w] = source[which[w]], for every world w and column."""
    w, column = wp.tid()
    target[w, column] = source[which[w], column]
