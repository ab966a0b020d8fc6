"""Nodes of viser's scene put in place, many a frame.

viser compares each place with the one before by ``numpy.allclose``, which takes longer than all else that a frame of
the walker needs. Here places are sent unless they are just the same.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["place_nodes"]


def place_nodes(nodes: Iterable[Any], position: NDArray[np.float64], wxyz: NDArray[np.float64]) -> None:
    """Put nodes at position [N, 3], turned by wxyz [N, 4]; None for a node that is not there."""
    from viser._messages import SetOrientationMessage, SetPositionMessage

    for node, at, turn, place, turned in zip(nodes, position, wxyz, position.tolist(), wxyz.tolist(), strict=True):
        if node is None:
            continue
        held = node._impl
        if (held.position != at).any():
            held.position[:] = at
            held.api._queue_scene_message(SetPositionMessage(held.name, tuple(place)))
        if (held.wxyz != turn).any():
            held.wxyz[:] = turn
            held.api._queue_scene_message(SetOrientationMessage(held.name, tuple(turned)))
