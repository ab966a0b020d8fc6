"""The motion that the law follows: frames of the library, warped so that fragments join, and extended when a foot lands
late (Data-Driven Biped Control, section 4.2).

    M(t) <- M'(t) (P ⊘ M'(0))^r(t)                                                                      (equation 6)

P is the last target pose, r falls from 1 to 0 over the fragment. Past its last frame the motion goes on with the
joints' velocities of the last three frames, except for the stance leg, which keeps its orientation in the world.
"""

from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.figures import Figure
from footfall.methods.tracking.layout import Layout
from footfall.methods.tracking.rotations import Rotations
from footfall.motion.synthesis.ball_poses import legs_of

BACK = 3
"""Over how many frames velocities are estimated for the extension."""
LONGEST = 6
"""Frames after which an extension keeps its pose: a knee that goes on turning would take the foot up again. The paper
has no such limit."""


@dataclass(frozen=True)
class Poses:
    """Warp functions over poses, laid out as qpos.

    Attributes:
        Pose: the type of a pose: the figure's own qpos, or that of its skeleton of ball joints.
        get: (pose, address) -> quaternion. put: (pose, address, quaternion).
        reference: (library, first, index, heading, pose): a frame of the library, turned by the heading.
        warped: (memory, library, first, length, index, pose): a frame, joined to the fragment before.
        stitched: (memory, library, first, length, index, stance, legs_stay, pose): the joined and extended motion; in
            the last stretch of standing the legs keep the pose they came in with, so that no foot slides.
    """

    Pose: Any
    get: wp.Function
    put: wp.Function
    reference: wp.Function
    warped: wp.Function
    stitched: wp.Function


def pose_type(types: Types, layout: Layout) -> Any:
    """The type of the law's poses: place, then quaternions of root and joints."""
    if not layout.hinged:
        return types.compiled.Qpos
    return wp.types.vector(length=7 + 4 * layout.joints, dtype=types.real)


def pose_functions(types: Types, figure: Figure, layout: Layout, r: Rotations) -> Poses:
    """The functions for a figure of ball joints, or for the skeleton of another one."""
    real, Memory = types.real, types.Memory
    Pose = pose_type(types, layout)
    Quat, Vec3, log, exp, smooth, about_up = r.Quat, r.Vec3, r.log, r.exp, r.smooth, r.about_up
    places = layout.memory()
    heading, displacement = places["heading"], places["displacement"]
    bodies = layout.joints + 1
    left, right = legs_of(figure)
    addresses = ((left.hip, left.knee, left.ankle), (right.hip, right.knee, right.ankle))
    one = real(1.0)

    @wp.func
    def get(pose: wp.ref[Pose], at: int):
        return Quat(pose[at + 1], pose[at + 2], pose[at + 3], pose[at])

    @wp.func
    def put(pose: wp.ref[Pose], at: int, q: Quat):
        pose[at] = q[3]
        pose[at + 1] = q[0]
        pose[at + 2] = q[1]
        pose[at + 3] = q[2]

    @wp.func
    def reference(library: wp.array2d[real], first: int, index: int, turn: real, pose: wp.ref[Pose]):
        row = first + index
        column = int(0)
        while column < wp.static(7 + 4 * layout.joints):
            pose[column] = library[row, column]
            column += 1
        around = about_up(turn)
        place = wp.quat_rotate(around, Vec3(pose[0], pose[1], pose[2]))
        pose[0] = place[0]
        pose[1] = place[1]
        pose[2] = place[2]
        put(pose, 3, around * get(pose, 3))

    @wp.func
    def warped(
        memory: wp.ref[Memory], library: wp.array2d[real], first: int, length: int, index: int, pose: wp.ref[Pose]
    ):
        """A frame of the fragment, displaced so that it joins the one before."""
        reference(library, first, index, memory[heading], pose)
        fade = one - smooth(real(index) / real(length))
        body = int(0)
        while body < wp.static(bodies):
            at = displacement + 3 * body
            shift = Vec3(memory[at], memory[at + 1], memory[at + 2])
            put(pose, 3 + 4 * body, get(pose, 3 + 4 * body) * exp(fade * shift))
            body += 1

    @wp.func
    def stitched(
        memory: wp.ref[Memory],
        library: wp.array2d[real],
        first: int,
        length: int,
        index: int,
        stance: int,
        legs_stay: bool,
        pose: wp.ref[Pose],
    ):
        if legs_stay:
            begun = Pose()
            warped(memory, library, first, length, 0, begun)
            warped(memory, library, first, length, wp.min(index, length), pose)
            for side in range(2):
                for k in range(3):
                    at = wp.static(addresses[side][k])
                    put(pose, at, get(begun, at))
        elif index <= length:
            warped(memory, library, first, length, index, pose)
        else:
            warped(memory, library, first, length, length, pose)
            held = get(pose, 3)
            hip = wp.static(addresses[0][0])
            knee = wp.static(addresses[0][1])
            ankle = wp.static(addresses[0][2])
            if stance == 1:
                hip = wp.static(addresses[1][0])
                knee = wp.static(addresses[1][1])
                ankle = wp.static(addresses[1][2])
            thigh = held * get(pose, hip)
            back = wp.min(wp.static(BACK), length)
            before = Pose()
            warped(memory, library, first, length, length - back, before)
            ahead = real(wp.min(index - length, wp.static(LONGEST))) / real(back)
            for k in range(3):
                pose[k] = pose[k] + ahead * (pose[k] - before[k])
            knee_kept = get(pose, knee)
            ankle_kept = get(pose, ankle)
            body = int(0)
            while body < wp.static(bodies):
                at = 3 + 4 * body
                was = get(before, at)
                now = get(pose, at)
                put(pose, at, now * exp(ahead * log(wp.quat_inverse(was) * now)))
                body += 1
            put(pose, hip, wp.quat_inverse(get(pose, 3)) * thigh)
            put(pose, knee, knee_kept)
            put(pose, ankle, ankle_kept)

    return Poses(Pose, get, put, reference, warped, stitched)
