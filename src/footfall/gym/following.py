"""A world beside the clip that it imitates: what it sees of the clip, how like it is, and how far it has strayed."""

from functools import cache
from typing import Any

import warp as wp

from footfall.control.parts.frame import root_heading, root_up
from footfall.gym.observations import LOOKS
from footfall.gym.observing import observing_functions
from footfall.gym.rewards import POSE_SHARE, ROOT_SHARE, SLIDE_MOST, TURN_SHARE, VELOCITY_SHARE
from footfall.gym.task import task_structures


@cache
def following_functions(real: Any) -> tuple[wp.Function, wp.Function, wp.Function, wp.Function]:
    """(observe_clip, likeness, astray, slid).

    observe_clip: (task, live, world, k, height, out) writes the clip's part of an observation, from number k on;
    ``height`` is the root's above the ground. likeness is how like the clip's state the world's
    is, from 0 to 1, and astray how far the root is from the clip's, metres; both (task, live, world, beneath), with the
    height of the ground beneath the root, over which the clip goes. slid:
    (live, world) is the mean of how far the places moved at which the ground held the feet at the last decision and
    holds them now, metres, at most ``SLIDE_MOST``; it remembers them for the next one.
    """
    Task, Live = task_structures(real)
    put, facing = observing_functions(real)
    zero, one, two, five, ten, fifty = real(0.0), real(1.0), real(2.0), real(5.0), real(10.0), real(50.0)
    pose_share, velocity_share = real(POSE_SHARE), real(VELOCITY_SHARE)
    root_share, turn_share = real(ROOT_SHARE), real(TURN_SHARE)
    most = real(SLIDE_MOST)
    looks, near, middle, far = len(LOOKS), *LOOKS

    @wp.func
    def observe_clip(task: Task, live: Live, w: int, first: int, height: real, out: wp.array2d[wp.float32]):
        face = facing(task, live, w)
        c = face[0]
        s = face[1]
        now = live.frame[w]
        k = first
        for look in range(wp.static(looks)):
            ahead = wp.where(look == 0, wp.static(near), wp.where(look == 1, wp.static(middle), wp.static(far)))
            g = wp.min(now + ahead, task.last[now])
            x = task.start_qpos[g, 0] - live.qpos[w, 0]
            if task.planar != 0:
                k = put(task, out, w, k, x)
                k = put(task, out, w, k, task.start_qpos[g, 1] - height)
                k = put(task, out, w, k, task.start_qpos[g, 2])
            else:
                y = task.start_qpos[g, 1] - live.qpos[w, 1]
                k = put(task, out, w, k, c * x + s * y)
                k = put(task, out, w, k, c * y - s * x)
                k = put(task, out, w, k, task.start_qpos[g, 2] - height)
                qw = task.start_qpos[g, 3]
                qx = task.start_qpos[g, 4]
                qy = task.start_qpos[g, 5]
                qz = task.start_qpos[g, 6]
                its = root_heading(qw, qx, qy, qz)
                k = put(task, out, w, k, its[1] * c - its[0] * s)
                k = put(task, out, w, k, its[0] * c + its[1] * s)
                upward = root_up(qw, qx, qy, qz)
                for i in range(3):
                    k = put(task, out, w, k, upward[i])
            for i in range(task.root_q, task.nq):
                k = put(task, out, w, k, task.start_qpos[g, i])
        g = wp.min(now + 1, task.last[now])
        vx = task.start_qvel[g, 0]
        if task.planar != 0:
            k = put(task, out, w, k, vx)
            k = put(task, out, w, k, task.start_qvel[g, 1])
        else:
            vy = task.start_qvel[g, 1]
            k = put(task, out, w, k, c * vx + s * vy)
            k = put(task, out, w, k, c * vy - s * vx)
            k = put(task, out, w, k, task.start_qvel[g, 2])

    @wp.func
    def apart(task: Task, live: Live, w: int, beneath: real):
        """The square of the distance between the two roots, each over its ground."""
        frame = live.frame[w]
        square = zero
        for i in range(3 - task.planar):
            off = live.qpos[w, i] - task.start_qpos[frame, i]
            if i == 2 - task.planar:
                off -= beneath
            square += off * off
        return square

    @wp.func
    def likeness(task: Task, live: Live, w: int, beneath: real):
        frame = live.frame[w]
        pose = zero
        for i in range(task.root_q, task.nq):
            off = live.qpos[w, i] - task.start_qpos[frame, i]
            pose += off * off
        rate = zero
        for i in range(task.root_v, task.nv):
            off = live.qvel[w, i] - task.start_qvel[frame, i]
            rate += off * off
        place = apart(task, live, w, beneath)
        turn = zero
        if task.planar != 0:
            turn = live.qpos[w, 2] - task.start_qpos[frame, 2]
        else:
            along = zero
            for i in range(3, 7):
                along += live.qpos[w, i] * task.start_qpos[frame, i]
            turn = two * wp.acos(wp.min(wp.abs(along), one))
        return (
            pose_share * wp.exp(-two * pose)
            + velocity_share * wp.exp(-rate / fifty)
            + root_share * wp.exp(-ten * place)
            + turn_share * wp.exp(-five * turn * turn)
        )

    @wp.func
    def astray(task: Task, live: Live, w: int, beneath: real):
        return wp.sqrt(apart(task, live, w, beneath))

    @wp.func
    def slid(live: Live, w: int):
        moved = zero
        count = zero
        both = live.touched[w] & live.contact[w]
        for p in range(live.held.shape[1] // 3):
            if ((both >> p) & 1) != 0:
                x = live.anchor[w, 3 * p] - live.held[w, 3 * p]
                y = live.anchor[w, 3 * p + 1] - live.held[w, 3 * p + 1]
                moved += wp.sqrt(x * x + y * y)
                count += one
            for i in range(3 * p, 3 * p + 3):
                live.held[w, i] = live.anchor[w, i]
        live.touched[w] = live.contact[w]
        return wp.min(moved / wp.max(count, one), most)

    return observe_clip, likeness, astray, slid
