"""Poses in the law's memory: quaternions of root and joints, w first."""

from typing import NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.methods.tracking.rotations import Rotations


class KeptPoses(NamedTuple):
    """Warp functions over a pose that begins at a place of the memory.

    Attributes:
        kept: (memory, first, body) -> quaternion. keep: (memory, first, body, quaternion).
    """

    kept: wp.Function
    keep: wp.Function


def kept_pose_functions(types: Types, r: Rotations) -> KeptPoses:
    """The functions for a law's memory."""
    Memory, Quat = types.Memory, r.Quat

    @wp.func
    def kept(memory: wp.ref[Memory], first: int, body: int):
        q = first + 4 * body
        return Quat(memory[q + 1], memory[q + 2], memory[q + 3], memory[q])

    @wp.func
    def keep(memory: wp.ref[Memory], first: int, body: int, value: Quat):
        q = first + 4 * body
        memory[q] = value[3]
        memory[q + 1] = value[0]
        memory[q + 2] = value[1]
        memory[q + 3] = value[2]

    return KeptPoses(kept, keep)
