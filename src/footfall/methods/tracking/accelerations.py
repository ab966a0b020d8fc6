"""Tracking: the accelerations that lead the joints along the target poses (Data-Driven Biped Control, section 3).

    θ'' = kt (θ_r - θ) + kv (θ'_r - θ') + θ''_r                                                         (equation 1)

Rotation errors are logarithms in the joint's own axes; θ'_r and θ''_r are differences of the last target poses. The
clip's own acceleration, before any correction for balance, may be added.
"""

import warp as wp

from footfall.control.law import Types
from footfall.methods.tracking.kept_poses import KeptPoses
from footfall.methods.tracking.layout import Layout, SettingField
from footfall.methods.tracking.now import TrackingNow
from footfall.methods.tracking.poses import Poses
from footfall.methods.tracking.rotations import Rotations


def accelerations_function(
    types: Types, layout: Layout, r: Rotations, now: TrackingNow, poses: Poses, kept_poses: KeptPoses
) -> wp.Function:
    """(now, sense, memory) finds the joints' accelerations, which memory holds until the next frame, and keeps the
    target pose for the next differences."""
    real, Pose, Sense, Memory = types.real, poses.Pose, types.Sense, types.Memory
    Now, setting, Vec3, log = now.Now, now.setting, r.Vec3, r.log
    get, warped, kept, keep = poses.get, poses.warped, kept_poses.kept, kept_poses.keep
    places, bodies = layout.memory(), layout.joints + 1
    control, control_2, held = places["control"], places["control_2"], places["acceleration"]
    zero, half = real(0.0), real(0.5)

    @wp.func
    def accelerations(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory]):
        rate = now.rate
        kt = setting(now, SettingField.KT)
        kv = setting(now, SettingField.KV)
        own = setting(now, SettingField.CLIP_FEEDFORWARD)
        if now.index > now.length or now.length < 2 or now.stands:
            own = zero
        before_it = Pose()
        at_it = Pose()
        after_it = Pose()
        if own > zero:
            centre = wp.clamp(now.index - 1, 1, now.length - 1)
            warped(memory, sense.library, now.first, now.length, centre - 1, before_it)
            warped(memory, sense.library, now.first, now.length, centre, at_it)
            warped(memory, sense.library, now.first, now.length, centre + 1, after_it)
        body = int(0)
        while body < bodies:
            q = 3 + 4 * body
            target = get(now.target, q)
            was = kept(memory, control, body)
            velocity = rate * log(wp.quat_inverse(was) * target)
            over_two = half * rate * log(wp.quat_inverse(kept(memory, control_2, body)) * target)
            acceleration = setting(now, SettingField.FEEDFORWARD) * rate * (velocity - over_two)
            if body > 0:
                v = 3 + 3 * body
                aim = target
                if now.ahead:
                    aim = was
                    velocity = over_two
                error = log(wp.quat_inverse(get(now.seen, q)) * aim)
                asked = kt * error + acceleration
                if own > zero:
                    goes = log(wp.quat_inverse(get(at_it, q)) * get(after_it, q))
                    came = log(wp.quat_inverse(get(before_it, q)) * get(at_it, q))
                    asked += own * rate * rate * (goes - came)
                asked += kv * (velocity - Vec3(sense.qvel[v], sense.qvel[v + 1], sense.qvel[v + 2]))
                for k in range(3):
                    memory[held + 3 * (body - 1) + k] = asked[k]
            keep(memory, control_2, body, was)
            keep(memory, control, body, target)
            body += 1

    return accelerations
