"""Motion on the rig of a motion file that an animator works with.

Nothing of what a rig's file calls zero is trusted: the motion is retargeted onto the rig's joints as they stand
(:mod:`footfall.motion.retargeting.standing`), and the result is turned back. With Q_j the constant turns between the
file's joint frames and those that stand, a local rotation r_j of the standing rig is Q_parent r_j Q_j⁻¹ in the file's
own frames; every joint stays where it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.editing import without_rest_frame
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    angle_between,
    conjugate,
    continuous,
    multiply,
    normalised,
    to_matrix,
)
from footfall.motion.retargeting.extremities import Toes
from footfall.motion.retargeting.retarget import RetargetReport, prepared, retarget
from footfall.motion.retargeting.standing import standing
from footfall.motion.skeleton.roles import both_legs_known, find_roles, roles_by_shape
from footfall.motion.skeleton.tree import Skeleton

_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
_FIRMLY = 0.01
"""Weight of a shift along the vertical against one that turns with the body, which a lying body needs."""


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
    known = _with_legs(without_rest_frame(rig), motion, joints)
    upright = standing(known)
    result, report = retarget(motion, upright.skeleton, joints=joints, place=place)
    rotations = in_frames_of(result.rotations, known, upright)
    kept = {name: rig.source[name] for name in ("bvh",) if name in rig.source}
    source = {**result.source, "rig": str(rig.source.get("file", "")), **kept}
    return replace(result, skeleton=rig.skeleton, rotations=rotations, source=source), report


@dataclass(frozen=True, eq=False)
class RigBinding:
    """A rig's joints as constant turns of a body's, for poses that are not known before.

    With B the world orientation of a body's joint, a driven joint of the rig stands at B o; those between it and what
    is driven above share its turn. A joint that stands at S is at S t⁻¹ in the frames of the rig's file. The rig's root
    is at s p + P r + (0, 0, l), with p and P position and orientation of the body's root.

    Attributes:
        driven: driven joint of the rig -> joint of the body.
        offsets: driven joint -> o (4,).
        series: driven joint -> the joints that share its turn, itself last.
        turns: [J, 4] t of each joint.
        scale: s.
        root: r (3,).
        lift: l.
        upright: the rig's skeleton as it stands.
        toes: of its feet, by side.
        clavicles: joint -> side, of those that no joint of the body drives.
        off: driven joint -> degrees by which the motion that the binding was made with differs from it, at most in
            nine of ten frames.
    """

    driven: dict[int, int]
    offsets: dict[int, Array]
    series: dict[int, list[int]]
    turns: Array
    scale: float
    root: Array
    lift: float
    upright: Skeleton
    toes: dict[str, Toes]
    clavicles: dict[int, str]
    off: dict[int, float]


def bind_rig(motion: Motion, rig: Motion, *, joints: Mapping[str, str] | None = None) -> RigBinding:
    """How a rig follows a body, by the rules of :func:`retarget_to_rig`, from a motion of the body.

    Args:
        motion: of the body, in which its limbs bend, such as a walk.
        rig: a motion of the rig; a pose is enough.
        joints: the rig's joint -> the body's joint, where names do not tell.
    """
    known = _with_legs(without_rest_frame(rig), motion, joints)
    upright = standing(known)
    work = prepared(motion, upright.skeleton, None, joints, place=False)
    of_role = {joint: role for role, joint in work.roles.items()}
    body, turned = motion.orientations(), work.built.orientations
    roles = {j: of_role.get(j, "pelvis") for j in work.wanted}
    driven = {j: work.match.source_roles.get(role, 0) for j, role in roles.items()}
    offsets, off = {}, {}
    for joint, source in driven.items():
        seen = continuous(multiply(conjugate(body[:, source]), turned[:, joint]))
        offsets[joint] = normalised(seen.mean(axis=0))
        off[joint] = float(np.rad2deg(np.percentile(angle_between(seen, offsets[joint][None]), 90.0)))
    away = work.built.positions[:, 0] - work.scale * motion.root_position
    up = np.tile([[[0.0], [0.0], [_FIRMLY]]], (len(motion), 1, 1))
    columns = np.concatenate([to_matrix(body[:, 0]), up], axis=-1)
    found = np.linalg.lstsq(columns.reshape(-1, 4), away.reshape(-1), rcond=1e-6)[0] * [1.0, 1.0, 1.0, _FIRMLY]
    turns = frame_turns(known, upright)
    return RigBinding(
        driven,
        offsets,
        work.built.series,
        turns,
        work.scale,
        found[:3],
        float(found[3]),
        upright.skeleton,
        work.toes,
        {joint: side for joint, side in work.clavicles.items() if f"{side}_shoulder" in roles.values()},
        off,
    )


def _with_legs(rig: Motion, motion: Motion, joints: Mapping[str, str] | None) -> Motion:
    """The rig with the roles of its joints: by a map to a motion's joints, by their names or by its shape."""
    roles, names = find_roles(rig.skeleton), rig.skeleton.names
    if not both_legs_known(roles):
        roles |= roles_by_shape(rig.skeleton, rig.root_position, rig.rotations)
        of_source = {motion.skeleton.names[j]: role for role, j in find_roles(motion.skeleton).items()}
        known = [(of_source[source], own) for own, source in (joints or {}).items() if source in of_source]
        roles |= {role: names.index(own) for role, own in known if own in names}
    if not both_legs_known(roles):
        raise FootfallError(
            f"rig '{rig.source.get('file', rig.skeleton.names[0])}': no legs of thigh, shank and foot were found in "
            f"it, neither by its joints' names nor by its shape: name them in a map file (joints: {', '.join(names[:8])} …)"
        )
    return replace(rig, skeleton=replace(rig.skeleton, roles=roles))


def in_frames_of(rotations: Array, own: Motion, upright: Motion) -> Array:
    """[T, J, 4] local rotations of the standing skeleton as those of the file's own frames.

    Args:
        rotations: [T, J, 4] of the skeleton that stands.
        own: a motion in the file's frames.
        upright: the same, with standing as its zero.
    """
    turns = frame_turns(own, upright)
    above = np.array([_IDENTITY if parent < 0 else turns[parent] for parent in own.skeleton.parents])
    return normalised(multiply(multiply(above, rotations), conjugate(turns)))


def frame_turns(own: Motion, upright: Motion) -> Array:
    """[J, 4] the constant turns from a file's joint frames to those that stand."""
    turns = np.empty_like(own.rotations[0])
    for j, parent in enumerate(own.skeleton.parents):
        above = _IDENTITY if parent < 0 else turns[parent]
        turns[j] = multiply(conjugate(own.rotations[0, j]), multiply(above, upright.rotations[0, j]))
    return np.asarray(turns)
