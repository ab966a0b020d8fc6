"""Motion on the skeleton of a motion file: back onto the rig that an animator works with.

Nothing of what the rig's file calls zero is trusted: the motion is retargeted onto the rig's joints as they stand
(:mod:`footfall.motion.retargeting.standing`), and the result is turned back. With Q_j the constant turns between the
file's joint frames and those that stand, a local rotation r_j of the standing rig is Q_parent r_j Q_j⁻¹ in the file's
own frames; every joint stays where it is.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.editing.cutting import without_rest_frame
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, multiply, normalised
from footfall.motion.retargeting.retarget import RetargetReport, retarget
from footfall.motion.retargeting.standing import standing
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.shape_roles import both_legs_known, roles_by_shape


def retarget_to_rig(
    motion: Motion,
    rig: Motion,
    *,
    joints: Mapping[str, str] | None = None,
    place: bool = True,
) -> tuple[Motion, RetargetReport]:
    """A motion on a rig, with the rig's own joints, bones and zero pose.

    Args:
        motion: what to show: simulated, captured, of any skeleton.
        rig: a motion of the rig, as :func:`footfall.motion.load_motion` reads it from a file; a pose is enough. Saved
            as BVH, the result has the unit, axes and order of rotations of the rig's file.
        joints: the rig's joint -> the motion's joint, where names do not tell.
        place: begin at the origin, facing x.

    Returns:
        The motion on the rig, and a report.
    """
    known = _with_legs(without_rest_frame(rig))
    upright = standing(known)
    result, report = retarget(motion, upright.skeleton, joints=joints, place=place)
    rotations = in_frames_of(result.rotations, known, upright)
    kept = {name: rig.source[name] for name in ("bvh",) if name in rig.source}
    source = {**result.source, "rig": str(rig.source.get("file", "")), **kept}
    return replace(result, skeleton=rig.skeleton, rotations=rotations, source=source), report


def _with_legs(rig: Motion) -> Motion:
    """The rig with the roles of its joints, by their names or by its shape."""
    roles = find_roles(rig.skeleton)
    if not both_legs_known(roles):
        every = max(len(rig) // 60, 1)
        roles |= roles_by_shape(rig.skeleton, rig.positions()[::every], rig.end_positions()[::every])
    if not both_legs_known(roles):
        raise FootfallError(
            f"rig '{rig.source.get('file', rig.skeleton.names[0])}': no legs of thigh, shank and foot were found in "
            f"it, neither by its joints' names nor by its shape (joints: {', '.join(rig.skeleton.names[:8])} …)"
        )
    return replace(rig, skeleton=replace(rig.skeleton, roles=roles))


def in_frames_of(rotations: Array, own: Motion, upright: Motion) -> Array:
    """[T, J, 4] local rotations of the standing skeleton as those of the file's own frames.

    Args:
        rotations: [T, J, 4] of the skeleton that stands.
        own: a motion in the file's frames. upright: the same, with standing as its zero.
    """
    turns = np.empty_like(own.rotations[0])
    above = np.empty_like(turns)
    for j, parent in enumerate(own.skeleton.parents):
        above[j] = [1.0, 0.0, 0.0, 0.0] if parent < 0 else turns[parent]
        turns[j] = multiply(conjugate(own.rotations[0, j]), multiply(above[j], upright.rotations[0, j]))
    return normalised(multiply(multiply(above, rotations), conjugate(turns)))
