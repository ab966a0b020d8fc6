"""The frame that the tracking law is at: one structure that all its stages share."""

from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.methods.tracking.layout import RIGHT_SWING, STAND, FragmentField, Layout, SettingField
from footfall.methods.tracking.poses import pose_type
from footfall.methods.tracking.rotations import Rotations

TAKING_OFF = 2
"""Frames over which what a stance leg does for balance ends when its foot leaves the ground."""


@dataclass(frozen=True)
class TrackingNow:
    """The structure, and the functions that read parameters and the library through it.

    Attributes:
        Now: parameters and row; gains, where those of the fragment begin; begins: whether this is the first frame of
            all; frames since the start; ahead: whether the target is the next frame's pose; rate of frames, 1/s.
            fragment with its first row, length, kind and successor (after); index of the frame in it; stance side; time
            in it from 0 to 1, and whether it is extended beyond its last frame; stands: whether it is the last stretch
            of standing; flies: how far the stance foot is taken to be off the ground, from 0 to 1, in a swing with a
            flight at its end, and haste: its length over the frames until then; leaps: whether it is a flight, or a
            stand before or after one. reference, target and seen (the simulated body's): poses. direction of the
            reference's pelvis, with the errors of balance, simulated less reference: velocity and arm (the pelvis from
            the stance ankle), horizontally; place: where on the clip's path its pelvis is; the swing ankle's height and
            height_rate, what height is wanted, and its target's height two frames ago (height_before).
        setting: (now, field) -> a number of the world's settings. gain: (now, field) -> one of the fragment's gains.
        find: (library, memory, now) fills in the fragment that memory names.
    """

    Now: Any
    setting: wp.Function
    gain: wp.Function
    find: wp.Function


def tracking_now(types: Types, layout: Layout, r: Rotations) -> TrackingNow:
    """The structure and functions for a figure."""
    real, Pose, Memory, Vec3 = types.real, pose_type(types, layout), types.Memory, r.Vec3
    places, first_gain, set_size = layout.memory(), layout.gains, layout.set_size
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
