"""The reference, the frame that the law is at, and fragments that begin and end with the simulation's steps.

The reference is the clip's pose in this frame, and the way of its pelvis over the ground, which balance is measured
against (Data-Driven Biped Control, section 4.1). The way goes on without the joins between fragments; while a fragment
is extended, as it went over the last three frames.

A swing foot that touches the ground after 70 % of its fragment ends the fragment, and the next one begins from the last
target pose (section 4.2). A fragment that ends before the landing goes on (:mod:`footfall.methods.tracking.poses`). One
that a flight follows ends in a take-off, not in a landing, and takes its time; that is ours.

Every part of the law is a Warp function (now, sense, memory, command) that is made from a :class:`Made`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.dynamics.sampled_ground import foot_of
from footfall.figures import Figure
from footfall.methods.tracking.layout import (
    FLIGHT,
    GAINS,
    LEFT_SWING,
    RIGHT_SWING,
    SETTINGS,
    STAND,
    START_FRAMES,
    FragmentField,
    SettingField,
    TrackingLayout,
)
from footfall.methods.tracking.poses import (
    LegPoses,
    Poses,
    Rotations,
    leg_pose_functions,
    pose_functions,
    pose_type,
    rotation_functions,
)

TAKING_OFF = 2
"""Frames over which what a stance leg does for balance ends when its foot leaves the ground."""


@dataclass(frozen=True)
class TrackingNow:
    """The structure, and the functions that read parameters and the library through it.

    Attributes:
        Now: parameters and row; gains, where those of the fragment begin; begins: whether this is the first frame of
            all; frames since the start; ahead: whether the target is the next frame's pose; rate of frames, 1/s.
            fragment with its first row, length, kind and successor (after), and whether it swings a leg; index of the
            frame in it; stance side; time in it from 0 to 1, and whether it is extended beyond its last frame;
            stands: whether it is the last stretch of standing; flies: how far the stance foot is taken to be off the
            ground, from 0 to 1, in a swing with a flight at its end, and haste: its length over the frames until
            then; leaps: whether it is a flight, or a stand before or after one. reference, target and seen (the
            simulated body's): poses. direction of the reference's pelvis, with the errors of balance, simulated less
            reference: velocity and arm (the pelvis from the stance ankle), horizontally, their parts in the sagittal
            and in the coronal plane, and lead: how far the arm is ahead; place: where on the clip's path its pelvis
            is; the swing ankle's height and height_rate, what height is wanted, and its target's height two frames
            ago (height_before).
        setting: (now, field) -> a number of the world's settings.
        gain: (now, field) -> one of the fragment's gains.
        find: (library, memory, now) fills in the fragment that memory names.
    """

    Now: Any
    setting: wp.Function
    gain: wp.Function
    find: wp.Function


def tracking_now(types: Types, layout: TrackingLayout, r: Rotations) -> TrackingNow:
    """The structure and functions for a figure."""
    real, Pose, Memory, Vec3 = types.real, pose_type(types, layout), types.Memory, r.Vec3
    places, first_gain, set_size = layout.memory(), len(SETTINGS), len(GAINS)
    fragment_, index_, frame_ = places["fragment"], places["index"], places["frame"]
    zero, one, fading = real(0.0), real(1.0), real(1.0 / TAKING_OFF)

    @wp.struct
    class Now:
        parameters: wp.array2d[real]
        row: wp.int32
        gains: wp.int32
        begins: wp.bool
        frames: wp.int32
        ahead: wp.bool
        rate: real
        fragment: wp.int32
        first: wp.int32
        length: wp.int32
        kind: wp.int32
        swings: wp.bool
        after: wp.int32
        index: wp.int32
        stance: wp.int32
        time: real
        extended: wp.bool
        stands: wp.bool
        flies: real
        haste: real
        leaps: wp.bool
        reference: Pose
        target: Pose
        seen: Pose
        direction: Vec3
        velocity: Vec3
        arm: Vec3
        lead: real
        sagittal_velocity: Vec3
        coronal_velocity: Vec3
        sagittal_arm: Vec3
        coronal_arm: Vec3
        place: Vec3
        height: real
        height_rate: real
        height_wanted: real
        height_before: real

    @wp.func
    def setting(now: wp.ref[Now], field: int):
        return now.parameters[now.row, field]

    @wp.func
    def gain(now: wp.ref[Now], field: int):
        return now.parameters[now.row, now.gains + field]

    @wp.func
    def find(library: wp.array2d[real], memory: wp.ref[Memory], now: wp.ref[Now]):
        now.rate = one / setting(now, SettingField.FRAME_TIME)
        now.ahead = setting(now, SettingField.AHEAD) > zero
        now.frames = int(memory[frame_])
        now.fragment = int(memory[fragment_])
        now.index = int(memory[index_])
        now.first = int(library[now.fragment, FragmentField.FIRST])
        now.length = int(library[now.fragment, FragmentField.LENGTH])
        now.kind = int(library[now.fragment, FragmentField.KIND])
        now.swings = now.kind == LEFT_SWING or now.kind == RIGHT_SWING
        now.after = int(library[now.fragment, FragmentField.SUCCESSOR])
        now.gains = first_gain + set_size * int(library[now.fragment, FragmentField.GAINS])
        now.stance = wp.where(now.kind == RIGHT_SWING, 0, 1)
        now.stands = now.kind == STAND and now.after < 0
        now.leaps = library[now.fragment, FragmentField.LEAPS] > zero
        take_off = library[now.fragment, FragmentField.TAKE_OFF]
        now.haste = real(now.length) / wp.max(take_off, one)
        now.flies = zero
        if take_off < real(now.length):  # a late landing is no flight: its stance foot stays down
            now.flies = wp.clamp((memory[index_] - take_off) * fading, zero, one)

    return TrackingNow(Now, setting, gain, find)


class Made(NamedTuple):
    """What the parts of the law for a figure are made from.

    Attributes:
        types: of the kernel.
        layout: where numbers are.
        r: functions over rotations.
        poses: functions over poses.
        legs: functions over the legs of a pose.
        now: the frame that the law is at.
    """

    types: Types
    layout: TrackingLayout
    r: Rotations
    poses: Poses
    legs: LegPoses
    now: TrackingNow

    @property
    def part(self) -> Callable[[Callable[..., Any]], wp.Function]:
        """A decorator: the Warp function of a part, whose arguments have the names, and so the types, of all parts'."""
        return self.types.typed(now=wp.ref[self.now.Now])


def made_for(types: Types, skeleton: Figure, layout: TrackingLayout) -> Made:
    """What the parts are made from, for a figure of ball joints or the skeleton of another one."""
    r = rotation_functions(types.real)
    poses = pose_functions(types, skeleton, layout, r)
    legs = leg_pose_functions(types, skeleton, r, poses)
    return Made(types, layout, r, poses, legs, tracking_now(types, layout, r))


def reference_parts(made: Made) -> tuple[wp.Function, wp.Function, wp.Function]:
    """Three parts. At the first frame of all: what the law would remember had the clip gone on before. In every frame:
    ``now.reference``, and the reference's pelvis moved by this frame's step. At its end: what the next frame needs of
    this one's poses."""
    real, Memory, Pose = made.types.real, made.types.Memory, made.poses.Pose
    Vec3, log, exp = made.r.Vec3, made.r.log, made.r.exp
    get, reference_pose, ankle, keep = made.poses.get, made.poses.reference, made.legs.ankle, made.poses.keep
    places, bodies = made.layout.memory(), made.layout.joints + 1
    index_, heading_, way, arms = places["index"], places["heading"], places["reference"], places["arms"]
    origin = places["origin"]
    heights, pelvis, control, control_2 = (places[n] for n in ("heights", "pelvis", "control", "control_2"))
    zero, one = real(0.0), real(1.0)

    @made.part
    def begin(now, sense, memory, command):
        if not now.begins:
            return
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

    @made.part
    def follow(now, sense, memory, command):
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

    @made.part
    def remember(now, sense, memory, command):
        for side in range(2):
            memory[heights + 2 * side + 1] = memory[heights + 2 * side]
            memory[heights + 2 * side] = now.target[2] + ankle(now.target, side)[2]
            place = ankle(now.reference, side)
            memory[arms + 2 * side] = -place[0]
            memory[arms + 2 * side + 1] = -place[1]
        for k in range(3):
            memory[pelvis + k] = sense.qpos[k]

    return begin, follow, remember


def synchronise_part(made: Made) -> wp.Function:
    """The part that goes on by one frame, into the next fragment if this one is over."""
    types, Memory = made.types, made.types.Memory
    real, Pose, get, reference_pose = types.real, made.poses.Pose, made.poses.get, made.poses.reference
    setting, find, log, kept = made.now.setting, made.now.find, made.r.log, made.poses.kept
    places, bodies = made.layout.memory(), made.layout.joints + 1
    fragment_, index_, heading_ = places["fragment"], places["index"], places["heading"]
    displacement, control, origin = places["displacement"], places["control"], places["origin"]
    left_mask, right_mask = (sum(1 << k for k in foot_of(types.compiled, s).points) for s in ("left", "right"))
    zero = real(0.0)

    @wp.func
    def enter(library: wp.array2d[real], memory: wp.ref[Memory], fragment: int):
        """Begin a fragment from the last target pose: what that differs from its first frame fades out over it."""
        memory[fragment_] = real(fragment)
        pose = Pose()
        reference_pose(library, int(library[fragment, FragmentField.FIRST]), 0, memory[heading_], pose)
        body = int(0)
        while body < bodies:
            shift = log(wp.quat_inverse(get(pose, 3 + 4 * body)) * kept(memory, control, body))
            for k in range(3):
                memory[displacement + 3 * body + k] = shift[k]
            body += 1

    @made.part
    def synchronise(now, sense, memory, command):
        if now.begins:
            return
        over = now.index >= now.length
        takes_off = False
        if now.after >= 0:
            takes_off = int(sense.library[now.after, FragmentField.KIND]) == FLIGHT
        if setting(now, SettingField.SYNCHRONISE) > zero and now.kind != STAND and not takes_off:
            touching = sense.contact & wp.static(left_mask | right_mask)
            if now.kind == LEFT_SWING:
                touching = sense.contact & wp.static(left_mask)
            elif now.kind == RIGHT_SWING:
                touching = sense.contact & wp.static(right_mask)
            late = real(now.index) > setting(now, SettingField.EARLIEST_LANDING) * real(now.length)
            over = late and touching != 0
        index = now.index + 1
        if over:
            index = now.length
            if now.after >= 0:
                ends = Pose()
                reference_pose(sense.library, now.first, now.length, memory[heading_], ends)
                memory[heading_] = memory[heading_] + sense.library[now.fragment, FragmentField.TURN]
                begins = Pose()
                reference_pose(
                    sense.library,
                    int(sense.library[now.after, FragmentField.FIRST]),
                    0,
                    memory[heading_],
                    begins,
                )
                for k in range(2):
                    memory[origin + k] = memory[origin + k] + ends[k] - begins[k]
                enter(sense.library, memory, now.after)
                index = 1
        memory[index_] = real(index)
        find(sense.library, memory, now)

    return synchronise
