"""Travel that a file puts on a joint below its root, folded into the root."""

from collections.abc import Mapping, Sequence

import numpy as np

from footfall.motion.quaternion import Array, multiply, rotate

_STILL = 1e-3


def fold_travel(
    parents: Sequence[int], offsets: Array, root_position: Array, rotations: Array, sliding: Mapping[int, Array]
) -> tuple[Array, Array, int | None]:
    """Root positions [T, 3] and offsets [J, 3] with which everything below a travelling joint stays where it was.

    Some files have a still root and let the hips below it travel, or share the travel between both. The deepest joint
    that slides and carries at least half of all joints takes the root with it: the root's place becomes that joint's,
    and the bones between them shrink to nothing.

    Args:
        parents: parent of each joint, -1 for the root.
        offsets: [J, 3] joints in their parents' frames.
        root_position: [T, 3].
        rotations: [T, J, 4] local rotations.
        sliding: joint -> its positions [T, 3] in its parent's frame, for joints with position channels.

    Returns:
        root positions, offsets, and the joint whose travel was folded, or None where none travels.
    """
    J = len(parents)
    carried = np.ones(J, dtype=int)
    for j in range(J - 1, 0, -1):
        carried[parents[j]] += carried[j]
    size = float(np.linalg.norm(offsets[1:], axis=-1).max(initial=1e-9))
    moving = [
        j for j, way in sliding.items() if j > 0 and 2 * carried[j] >= J and np.ptp(way, axis=0).max() > _STILL * size
    ]
    if not moving:
        return root_position, offsets, None
    home = max(moving, key=lambda j: (_depth(parents, j), j))
    chain = [home]
    while parents[chain[-1]] >= 0:
        chain.append(parents[chain[-1]])
    chain.reverse()
    place, turn = root_position.copy(), rotations[:, 0]
    offsets = offsets.copy()
    for j in chain[1:]:
        place = place + rotate(turn, sliding.get(j, offsets[j]))
        turn = multiply(turn, rotations[:, j])
        offsets[j] = 0.0
    return place, offsets, home


def _depth(parents: Sequence[int], joint: int) -> int:
    depth = 0
    while parents[joint] >= 0:
        joint, depth = parents[joint], depth + 1
    return depth
