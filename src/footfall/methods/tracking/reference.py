"""The reference: the clip's pose in this frame, and the way of its pelvis over the ground, which balance is measured
against (Data-Driven Biped Control, section 4.1).

The way goes on without the joins between fragments; while a fragment is extended, as it went over the last three
frames.
"""

from typing import NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.methods.tracking.kept_poses import KeptPoses
from footfall.methods.tracking.layout import START_FRAMES, Layout
from footfall.methods.tracking.leg_poses import LegPoses
from footfall.methods.tracking.now import TrackingNow
from footfall.methods.tracking.poses import Poses
from footfall.methods.tracking.rotations import Rotations


class ReferenceParts(NamedTuple):
    """The stages that have to do with the reference.

    Attributes:
        begin: (now, sense, memory) at the first frame of all: what the law would remember had the clip gone on before.
        follow: (now, sense, memory) sets ``now.reference`` and moves the reference's pelvis by this frame's step.
        remember: (now, sense, memory) keeps what the next frame needs of this one's poses.
    """

    begin: wp.Function
    follow: wp.Function
    remember: wp.Function


def reference_functions(
    types: Types,
    layout: Layout,
    r: Rotations,
    now: TrackingNow,
    poses: Poses,
    legs: LegPoses,
    kept_poses: KeptPoses,
) -> ReferenceParts:
    """The stages for a figure."""
    real, Pose, Sense, Memory = types.real, poses.Pose, types.Sense, types.Memory
    Now, Vec3, log, exp = now.Now, r.Vec3, r.log, r.exp
    get, reference_pose, ankle, keep = poses.get, poses.reference, legs.ankle, kept_poses.keep
    places, bodies = layout.memory(), layout.joints + 1
    index_, heading_, way, arms = places["index"], places["heading"], places["reference"], places["arms"]
    origin = places["origin"]
    heights, pelvis, control, control_2 = (places[n] for n in ("heights", "pelvis", "control", "control_2"))
    zero, one = real(0.0), real(1.0)

    @wp.func
    def begin(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory]):
        shown = Pose()
        later = Pose()
        reference_pose(sense.library, now.first, wp.min(now.index, now.length), memory[heading_], shown)
        reference_pose(sense.library, now.first, wp.min(START_FRAMES, now.length), memory[heading_], later)
        for k in range(2):
            memory[origin + k] = sense.qpos[k] - shown[k]
        few = one / real(wp.min(START_FRAMES, now.length))
        step = few * Vec3(later[0] - shown[0], later[1] - shown[1], zero)
        behind = Vec3()
        for k in range(4):
            memory[way + 2 * k] = behind[0]
            memory[way + 2 * k + 1] = behind[1]
            behind -= step
        for side in range(2):
            place = ankle(shown, side)
            memory[arms + 2 * side] = -place[0]
            memory[arms + 2 * side + 1] = -place[1]
            memory[heights + 2 * side] = shown[2] + place[2]
            memory[heights + 2 * side + 1] = shown[2] + place[2]
        for k in range(3):
            memory[pelvis + k] = sense.qpos[k] - sense.qvel[k] / now.rate
        body = int(0)
        while body < bodies:  # the targets before, as the clip goes on from here
            back = few * log(wp.quat_inverse(get(shown, 3 + 4 * body)) * get(later, 3 + 4 * body))
            ago = wp.where(now.ahead, zero, one)
            keep(memory, control, body, get(shown, 3 + 4 * body) * exp(-ago * back))
            keep(memory, control_2, body, get(shown, 3 + 4 * body) * exp(-(ago + one) * back))
            body += 1
        if now.ahead:
            now.index += 1
            memory[index_] = real(now.index)

    @wp.func
    def move(memory: wp.ref[Memory], step: Vec3):
        """The reference's pelvis moves by a step; its last four places are remembered, the latest first."""
        for k in range(3):
            for j in range(2):
                memory[way + 6 - 2 * k + j] = memory[way + 4 - 2 * k + j]
        memory[way] = memory[way] + step[0]
        memory[way + 1] = memory[way + 1] + step[1]

    @wp.func
    def follow(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory]):
        shown = Pose()
        reference_pose(sense.library, now.first, wp.min(now.index, now.length), memory[heading_], shown)
        step = Vec3()
        if now.index > now.length:
            third = real(1.0 / 3.0)  # of single precision: Warp divides its own constants so
            step = Vec3(third * (memory[way] - memory[way + 6]), third * (memory[way + 1] - memory[way + 7]), zero)
        else:
            before = Pose()
            reference_pose(sense.library, now.first, wp.max(now.index - 1, 0), memory[heading_], before)
            step = Vec3(shown[0] - before[0], shown[1] - before[1], zero)
        if now.ahead or not now.begins:
            move(memory, step)
        now.place = Vec3(memory[origin] + shown[0], memory[origin + 1] + shown[1], zero)
        if now.ahead:
            now.place -= step
        now.reference = shown

    @wp.func
    def remember(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory]):
        for side in range(2):
            memory[heights + 2 * side + 1] = memory[heights + 2 * side]
            memory[heights + 2 * side] = now.target[2] + ankle(now.target, side)[2]
            place = ankle(now.reference, side)
            memory[arms + 2 * side] = -place[0]
            memory[arms + 2 * side + 1] = -place[1]
        for k in range(3):
            memory[pelvis + k] = sense.qpos[k]

    return ReferenceParts(begin, follow, remember)
