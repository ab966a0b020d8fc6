"""Travel that a file keeps on a joint below the root: given to the root, which is where motions keep it."""

from collections.abc import Sequence

import numpy as np

from footfall.motion.quaternion import Array, multiply, rotate
from footfall.motion.skeleton.tree import Skeleton

__all__ = ["fold_travel"]


def fold_travel(
    skeleton: Skeleton, root_position: Array, rotations: Array, slides: Sequence[tuple[int, Array]]
) -> tuple[Array, list[str]]:
    """Root positions [T, 3] that carry what joints travel against their parents, and a note for each such joint.

    The whole figure is moved by what a joint slides, if more than half of all joints hang on it; so that joint and all
    below it are where the file has them. Lesser joints keep their mean offset.

    Args:
        skeleton: with mean offsets.
        root_position: [T, 3] as the file has it.
        rotations: [T, J, 4].
        slides: (joint, [T, 3] its offset less the mean) of each joint that moves against its parent.
    """
    notes = []
    for j, away in slides:
        carries = len(skeleton.subtree(j)) > len(skeleton) / 2
        if carries:
            turn = np.tile([1.0, 0.0, 0.0, 0.0], (len(rotations), 1))
            for above in skeleton.chain(j)[:-1]:
                turn = multiply(turn, rotations[:, above])
            root_position = root_position + rotate(turn, away)
        told = "its travel was given to the root" if carries else "its mean offset was taken"
        notes.append(f"joint '{skeleton.names[j]}' slides in the file; {told}")
    return root_position, notes
