"""Synchronisation: fragments begin and end with the simulation's steps, not with the clip's (Data-Driven Biped Control,
section 4.2).

A swing foot that touches the ground after 70 % of its fragment ends the fragment, and the next one begins from the last
target pose. A fragment that ends before the landing goes on (:mod:`footfall.methods.tracking.poses`). One that a flight
follows ends in a take-off, not in a landing, and takes its time; that is ours.
"""

import warp as wp

from footfall.control.law import Types
from footfall.dynamics.sampled_ground import foot_of
from footfall.methods.tracking.kept_poses import KeptPoses
from footfall.methods.tracking.layout import FLIGHT, LEFT_SWING, RIGHT_SWING, STAND, FragmentField, Layout, SettingField
from footfall.methods.tracking.now import TrackingNow
from footfall.methods.tracking.poses import Poses
from footfall.methods.tracking.rotations import Rotations


def synchronise_function(
    types: Types, layout: Layout, r: Rotations, now: TrackingNow, poses: Poses, kept_poses: KeptPoses
) -> wp.Function:
    """(now, sense, memory) goes on by one frame, into the next fragment if this one is over."""
    real, Pose, Sense, Memory = types.real, poses.Pose, types.Sense, types.Memory
    Now, setting, find, get, reference_pose, log = now.Now, now.setting, now.find, poses.get, poses.reference, r.log
    kept, places, bodies = kept_poses.kept, layout.memory(), layout.joints + 1
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

    @wp.func
    def synchronise(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory]):
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
