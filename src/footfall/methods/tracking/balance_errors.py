"""The errors of balance: simulated less reference (Data-Driven Biped Control, section 4.1).

d is the pelvis less the stance ankle and v the pelvis's velocity, both horizontal. The simulated velocity is the mean
over the last frame, the reference's is centred on the frame before. The sagittal plane contains the reference's
velocity. With a course to keep, the reference is faster towards its place on the clip's path, in swings; that is ours.
"""

import warp as wp

from footfall.control.law import Types
from footfall.methods.tracking.ankle import ankle_function
from footfall.methods.tracking.layout import STAND, FragmentField, Layout, SettingField
from footfall.methods.tracking.now import TrackingNow
from footfall.methods.tracking.rotations import Rotations


def balance_errors_function(types: Types, layout: Layout, r: Rotations, now: TrackingNow) -> wp.Function:
    """(now, sense, memory) sets the errors, and remembers how far and how fast the pelvis is ahead."""
    real, Sense, Memory = types.real, types.Sense, types.Memory
    Now, setting, Vec3, ankle = now.Now, now.setting, r.Vec3, ankle_function(types)
    places = layout.memory()
    way, arms, heights, pelvis, lead = (places[n] for n in ("reference", "arms", "heights", "pelvis", "lead"))
    zero, half = real(0.0), real(0.5)

    @wp.func
    def balance_errors(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory]):
        now.time = real(now.index) / real(wp.max(now.length, 1))
        now.extended = now.index > now.length
        wanted = Vec3(
            half * now.rate * (memory[way] - memory[way + 4]),
            half * now.rate * (memory[way + 1] - memory[way + 5]),
            zero,
        )
        now.direction = wp.normalize(wanted)
        now.velocity = (
            Vec3(now.rate * (sense.qpos[0] - memory[pelvis]), now.rate * (sense.qpos[1] - memory[pelvis + 1]), zero)
            - wanted
        )
        if setting(now, SettingField.COURSE) > zero and now.kind != STAND:
            pull = setting(now, SettingField.COURSE) * (now.place - Vec3(sense.qpos[0], sense.qpos[1], zero))
            quick = wp.length(pull)
            if quick > setting(now, SettingField.COURSE_SPEED):
                pull = (setting(now, SettingField.COURSE_SPEED) / quick) * pull
            now.velocity -= pull
        support = ankle(sense.position, now.stance)
        now.arm = Vec3(
            sense.qpos[0] - support[0] - memory[arms + 2 * now.stance],
            sense.qpos[1] - support[1] - memory[arms + 2 * now.stance + 1],
            zero,
        )
        memory[lead] = wp.dot(now.arm, now.direction)
        memory[lead + 1] = wp.dot(now.velocity, now.direction)
        swing = 1 - now.stance
        lowest = sense.library[now.fragment, FragmentField.GROUND]
        now.height_wanted = memory[heights + 2 * swing] - lowest
        now.height_before = memory[heights + 2 * swing + 1]
        now.height = ankle(sense.position, swing)[2] - sense.view[swing]
        now.height -= setting(now, SettingField.SOLE)
        now.height -= setting(now, SettingField.CLEARANCE)
        now.height_rate = ankle(sense.velocity, swing)[2]

    return balance_errors
