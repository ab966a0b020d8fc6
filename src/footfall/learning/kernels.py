"""What happens to each world around a rollout, in two kernels: before it the action is applied, after it the world is
judged and observed; worlds whose episode has ended begin the next one.

A world draws random numbers from its own stream alone, so that it does not depend on how many worlds there are.

The structures that an environment's kernels take: what the task is, the same for all worlds, and what each world
is.

What the kernels of an environment need to observe a world.

A world beside the clip that it imitates: what it sees of the clip, how like it is, and how far it has strayed.
"""

from functools import cache
from typing import Any

import numpy as np
import warp as wp

from footfall.control.parts import root_heading, root_up
from footfall.dynamics.ground import terrain_height
from footfall.learning.observations import LOOKS
from footfall.learning.options import NEXT_STEP, SAME_STEP
from footfall.learning.rewards import (
    ALIVE,
    CONTROL,
    FALL,
    HEADING,
    HEADING_WIDTH,
    IMITATION,
    PLACE,
    PLACE_MOST,
    POSE_SHARE,
    ROOT_SHARE,
    SLIDE,
    SLIDE_MOST,
    SMOOTH,
    SPEED,
    SPEED_WIDTH,
    TERMS,
    TURN_SHARE,
    VELOCITY_SHARE,
)
from footfall.simulation.structures import RUNNING, TALLY


@cache
def task_structures(real: Any) -> tuple[Any, Any]:
    """(Task, Live) for a scalar type.

    Task: numbers of the figure (nq, nv, and those of its root), bit masks of the feet's points, the step, how many
    decisions an episode has (0 for no end), the autoreset mode, the ranges of goals, pushes and noise, the reward's
    weights, the observations' bounds, the start (or the clips' states, [frames, …], with the last frame of each frame's
    clip and the frames that episodes begin at), and the action's entries.

    Live: the worlds' state (:class:`footfall.simulation.prepared.PreparedWorlds`); each world's random state, goal
    (speed, heading), frame of the clip, decisions of this episode, the frame at which the last episode ended, whether
    it is due for a reset; where it was, what it did and where the ground held it at the last decision; what goes in
    (action, reset) and what comes out.
    """

    @wp.struct
    class Task:
        planar: wp.int32
        nq: wp.int32
        nv: wp.int32
        root_q: wp.int32
        root_v: wp.int32
        left: wp.int32
        right: wp.int32
        dt: real
        most: wp.int32
        mode: wp.int32
        paused: wp.int32
        stance: wp.int32
        states: wp.int32
        state_at: wp.int32
        clock_at: wp.int32
        heads: wp.int32
        sights: wp.int32
        frames: wp.int32
        leash: real
        pushes: wp.int32
        goal_low: wp.vec2d
        goal_high: wp.vec2d
        push_low: real
        push_high: real
        push_seconds: wp.vec2d
        noise: wp.vec2d
        heading_column: wp.int32
        ahead: wp.array[real]
        weights: wp.array[real]
        low: wp.array[real]
        high: wp.array[real]
        start_qpos: wp.array2d[real]
        start_qvel: wp.array2d[real]
        start_memory: wp.array[real]
        last: wp.array[wp.int32]
        begins: wp.array[wp.int32]
        source: wp.array[wp.int32]
        column: wp.array[wp.int32]
        joint: wp.array[wp.int32]
        numbers: wp.array2d[real]
        pool: wp.array2d[real]

    @wp.struct
    class Live:
        qpos: wp.array2d[real]
        qvel: wp.array2d[real]
        memory: wp.array2d[real]
        anchor: wp.array2d[real]
        contact: wp.array[wp.int32]
        step_count: wp.array[wp.int32]
        status: wp.array[wp.int32]
        end_step: wp.array[wp.int32]
        state: wp.array[wp.int32]
        stance: wp.array[wp.int32]
        tally: wp.array2d[real]
        qacc: wp.array2d[real]
        parameters: wp.array2d[real]
        terrain: wp.array2d[real]
        window: wp.array3d[real]
        force: wp.array3d[real]
        pause: wp.array[wp.int32]
        random: wp.array[wp.uint32]
        goal: wp.array2d[real]
        frame: wp.array[wp.int32]
        ground: wp.array[wp.int32]
        elapsed: wp.array[wp.int32]
        ended: wp.array[wp.int32]
        due: wp.array[wp.int32]
        before: wp.array2d[real]
        action: wp.array2d[wp.float32]
        past: wp.array2d[real]
        held: wp.array2d[real]
        touched: wp.array[wp.int32]
        observation: wp.array2d[wp.float32]
        final: wp.array2d[wp.float32]
        terms: wp.array2d[real]
        reward: wp.array[real]
        terminated: wp.array[wp.bool]
        truncated: wp.array[wp.bool]

    return Task, Live


@cache
def observing_functions(real: Any) -> tuple[wp.Function, wp.Function]:
    """(put, facing).

    put: (task, out, world, k, value) writes number k of an observation, within its bounds, and answers k + 1. facing:
    (task, live, world) is the cosine and the sine of the root's heading.
    """
    Task, Live = task_structures(real)
    zero, one = real(0.0), real(1.0)

    @wp.func
    def put(task: Task, out: wp.array2d[wp.float32], w: int, k: int, value: real):
        out[w, k] = wp.float32(wp.clamp(value, task.low[k], task.high[k]))
        return k + 1

    @wp.func
    def facing(task: Task, live: Live, w: int):
        face = wp.vector(one, zero, length=2)
        if task.planar == 0:
            face = root_heading(live.qpos[w, 3], live.qpos[w, 4], live.qpos[w, 5], live.qpos[w, 6])
        return face

    return put, facing


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


WAITING = 9
"""The status of a world that begins an episode in this decision: the rollout leaves it alone."""
PUSH_GAP = (1.0, 3.0)
"""Seconds between the end of a push and the next one."""


@cache
def task_kernels(real: Any, terrain: str) -> tuple[Any, Any, Any]:
    """(begin, judge, restart) for a scalar type and a kind of terrain, each (first world, task, live).

    begin: applies the actions; under NEXT_STEP it first begins the episodes that are due. judge: rewards, endings and
    observations; under SAME_STEP it then begins the next episodes. restart: begins an episode where ``due`` is set.
    """
    Task, Live = task_structures(real)
    put, facing = observing_functions(real)
    observe_clip, likeness, astray, slid = following_functions(real)
    height = terrain_height(terrain, real)
    zero, one = real(0.0), real(1.0)
    low_at, high_at, columns = TALLY.index("torso_low"), TALLY.index("torso_high"), len(TALLY)
    infinite, pi = real(np.inf), real(np.pi)
    speed_width, heading_width, place_most = real(SPEED_WIDTH), real(HEADING_WIDTH), real(PLACE_MOST)
    gap_low, gap_high = real(PUSH_GAP[0]), real(PUSH_GAP[1])
    terms = len(TERMS)
    options = {"enable_backward": False, "module": wp.get_module(f"footfall_gym_{real.__name__}_{terrain}")}

    @wp.func
    def between(live: Live, w: int, low: real, high: real):
        """A number of the world's random stream."""
        state = live.random[w]
        share = wp.randf(state)
        live.random[w] = state
        return low + real(share) * (high - low)

    @wp.func
    def action_of(live: Live, w: int, k: int):
        """A number of the world's action, within its limits; what is not finite counts as 0."""
        a = real(live.action[w, k])
        if not wp.isfinite(a):
            a = zero
        return wp.clamp(a, -one, one)

    @wp.func
    def row_of(table: wp.array2d[real], w: int):
        row = w
        if table.shape[0] == 1:
            row = 0
        return row

    @wp.func
    def ground_beneath(task: Task, live: Live, w: int):
        """The height of the ground under the root."""
        y = zero
        if task.planar == 0:
            y = live.qpos[w, 1]
        return height(live.terrain, row_of(live.terrain, w), live.qpos[w, 0], y)

    @wp.func
    def arm_push(task: Task, live: Live, w: int, now: real):
        """The next push: when, which way and how hard."""
        start = now + between(live, w, gap_low, gap_high)
        newtons = between(live, w, task.push_low, task.push_high)
        angle = between(live, w, -pi, pi)
        seconds = real(task.push_seconds[0])
        if task.push_seconds[1] > task.push_seconds[0]:
            seconds = between(live, w, real(task.push_seconds[0]), real(task.push_seconds[1]))
        live.window[w, 0, 0] = start
        live.window[w, 0, 1] = start + seconds
        if task.planar != 0:
            live.force[w, 0, 0] = wp.where(angle > zero, newtons, -newtons)
        else:
            live.force[w, 0, 0] = newtons * wp.cos(angle)
            live.force[w, 0, 1] = newtons * wp.sin(angle)

    @wp.func
    def begin_episode(task: Task, live: Live, w: int):
        """The world at its start, or at a state of the clip, with goals of its own."""
        live.goal[w, 0] = between(live, w, real(task.goal_low[0]), real(task.goal_high[0]))
        live.goal[w, 1] = between(live, w, real(task.goal_low[1]), real(task.goal_high[1]))
        frame = int(0)
        choices = task.begins.shape[0]
        drawn = between(live, w, zero, real(choices))
        if task.frames > 0:
            frame = task.begins[wp.min(int(drawn), choices - 1)]
        live.frame[w] = frame
        ground = wp.min(int(between(live, w, zero, real(task.pool.shape[0]))), task.pool.shape[0] - 1)
        live.ground[w] = ground
        if live.terrain.shape[0] == live.qpos.shape[0] and task.pool.shape[0] > 1:
            for k in range(live.terrain.shape[1]):
                live.terrain[w, k] = task.pool[ground, k]
        for k in range(task.nq):
            live.qpos[w, k] = task.start_qpos[frame, k]
        noise = real(task.noise[0])
        for k in range(task.root_v, task.nv):  # as many hinges as velocities, or balls, which keep their pose
            drawn = between(live, w, -noise, noise)
            if task.nq - task.root_q == task.nv - task.root_v:
                at = task.root_q + k - task.root_v
                live.qpos[w, at] = live.qpos[w, at] + drawn
        rate = real(task.noise[1])
        for k in range(task.nv):
            live.qvel[w, k] = task.start_qvel[frame, k] + between(live, w, -rate, rate)
            live.qacc[w, k] = zero
        up = 2 - task.planar
        live.qpos[w, up] = live.qpos[w, up] + ground_beneath(task, live, w)
        for k in range(live.memory.shape[1]):
            live.memory[w, k] = task.start_memory[k]
        for k in range(live.anchor.shape[1]):
            live.anchor[w, k] = zero
        for k in range(wp.static(columns)):
            live.tally[w, k] = zero
        live.tally[w, wp.static(low_at)] = infinite
        live.tally[w, wp.static(high_at)] = -infinite
        live.contact[w] = 0
        live.touched[w] = 0
        live.step_count[w] = 0
        live.end_step[w] = 0
        live.state[w] = 0
        live.stance[w] = -1
        live.elapsed[w] = 0
        for k in range(live.past.shape[1]):
            live.past[w, k] = zero
        live.due[w] = 0
        live.status[w] = wp.static(RUNNING)
        if task.pushes != 0:
            arm_push(task, live, w, zero)
        if task.heading_column >= 0 and task.heads != 0:
            live.parameters[w, task.heading_column] = live.goal[w, 1]

    @wp.func
    def observe(task: Task, live: Live, w: int, out: wp.array2d[wp.float32]):
        """The numbers of :func:`footfall.learning.observations.observation_table`, in its order."""
        row = row_of(live.terrain, w)
        face = facing(task, live, w)
        c = face[0]
        s = face[1]
        x = live.qpos[w, 0]
        y = zero
        up = int(1)
        if task.planar == 0:
            y = live.qpos[w, 1]
            up = int(2)
        beneath = height(live.terrain, row, x, y)
        k = put(task, out, w, 0, live.qpos[w, up] - beneath)
        if task.planar != 0:
            k = put(task, out, w, k, live.qpos[w, 2])
        else:
            upward = root_up(live.qpos[w, 3], live.qpos[w, 4], live.qpos[w, 5], live.qpos[w, 6])
            for i in range(3):
                k = put(task, out, w, k, upward[i])
        for i in range(task.root_q, task.nq):
            k = put(task, out, w, k, live.qpos[w, i])
        if task.planar != 0:
            for i in range(3):
                k = put(task, out, w, k, live.qvel[w, i])
        else:
            vx = live.qvel[w, 0]
            vy = live.qvel[w, 1]
            k = put(task, out, w, k, c * vx + s * vy)
            k = put(task, out, w, k, c * vy - s * vx)
            for i in range(2, 6):
                k = put(task, out, w, k, live.qvel[w, i])
        for i in range(task.root_v, task.nv):
            k = put(task, out, w, k, live.qvel[w, i])
        mask = live.contact[w]
        k = put(task, out, w, k, wp.where((mask & task.left) != 0, one, zero))
        k = put(task, out, w, k, wp.where((mask & task.right) != 0, one, zero))
        k = put(task, out, w, k, live.goal[w, 0])
        if task.heads != 0:
            gc = wp.cos(live.goal[w, 1])
            gs = wp.sin(live.goal[w, 1])
            k = put(task, out, w, k, s * gc - c * gs)
            k = put(task, out, w, k, c * gc + s * gs)
        if task.stance != 0:
            side = live.stance[w]
            k = put(task, out, w, k, wp.where(side == 0, one, wp.where(side == 1, -one, zero)))
        for i in range(task.states):
            k = put(task, out, w, k, wp.where(int(live.memory[w, task.state_at]) == i, one, zero))
        if task.clock_at >= 0:
            k = put(task, out, w, k, live.memory[w, task.clock_at])
        for i in range(task.sights):
            far = task.ahead[i]
            k = put(task, out, w, k, height(live.terrain, row, x + c * far, y + s * far) - beneath)
        if task.frames > 0:
            observe_clip(task, live, w, k, live.qpos[w, up] - beneath, out)

    @wp.func
    def reward(task: Task, live: Live, w: int, fell: bool):
        """The terms of the reward, and their sum."""
        seconds = real(live.step_count[w]) * task.dt - live.before[w, 2]
        gc = wp.cos(live.goal[w, 1])
        gs = wp.sin(live.goal[w, 1])
        moved = gc * (live.qpos[w, 0] - live.before[w, 0])
        if task.planar == 0:
            moved += gs * (live.qpos[w, 1] - live.before[w, 1])
        off = -live.goal[w, 0]
        if seconds > zero:
            off += moved / seconds
        off = off / speed_width
        for k in range(wp.static(terms)):
            live.terms[w, k] = zero
        if fell:
            live.terms[w, wp.static(FALL)] = one
        else:
            live.terms[w, wp.static(ALIVE)] = one
        live.terms[w, wp.static(SPEED)] = wp.exp(-off * off)
        if task.heads != 0:
            face = facing(task, live, w)
            turn = wp.atan2(face[1] * gc - face[0] * gs, face[0] * gc + face[1] * gs) / heading_width
            live.terms[w, wp.static(HEADING)] = wp.exp(-turn * turn)
        if task.frames > 0:
            beneath = ground_beneath(task, live, w)
            live.terms[w, wp.static(IMITATION)] = likeness(task, live, w, beneath)
            live.terms[w, wp.static(SLIDE)] = slid(live, w)
            live.terms[w, wp.static(PLACE)] = wp.min(astray(task, live, w, beneath), place_most)
        cost = zero
        change = zero
        for k in range(live.action.shape[1]):
            a = action_of(live, w, k)
            cost += a * a
            if task.frames > 0:
                change += (a - live.past[w, k]) * (a - live.past[w, k])
                live.past[w, k] = a
        live.terms[w, wp.static(CONTROL)] = cost / real(live.action.shape[1])
        live.terms[w, wp.static(SMOOTH)] = change / real(live.action.shape[1])
        total = zero
        for k in range(wp.static(terms)):
            live.terms[w, k] = live.terms[w, k] * task.weights[k]
            total += live.terms[w, k]
        live.reward[w] = total

    @wp.kernel(**options)
    def begin(first: int, task: Task, live: Live):
        w = first + wp.tid()
        if task.mode == wp.static(NEXT_STEP) and live.due[w] != 0:
            begin_episode(task, live, w)
            live.status[w] = wp.static(WAITING)
            return
        now = real(live.step_count[w]) * task.dt
        live.before[w, 0] = live.qpos[w, 0]
        live.before[w, 1] = live.qpos[w, 1]
        live.before[w, 2] = now
        for k in range(task.source.shape[0]):
            value = task.numbers[k, 0] + task.numbers[k, 1] * action_of(live, w, task.source[k])
            if task.joint[k] >= 0:
                frame = wp.min(live.frame[w] + 1, task.last[live.frame[w]])
                value += task.start_qpos[frame, task.joint[k]]
            live.parameters[w, task.column[k]] = wp.clamp(value, task.numbers[k, 2], task.numbers[k, 3])
        if task.pushes != 0:
            if now > live.window[w, 0, 1]:
                arm_push(task, live, w, now)
        if task.paused != 0:
            live.pause[w] = int(live.tally[w, 0]) + wp.where(live.step_count[w] > 0, 1, 0)

    @wp.kernel(**options)
    def judge(first: int, task: Task, live: Live):
        w = first + wp.tid()
        if live.status[w] == wp.static(WAITING):
            live.status[w] = wp.static(RUNNING)
            live.reward[w] = zero
            for k in range(wp.static(terms)):
                live.terms[w, k] = zero
            live.terminated[w] = False
            live.truncated[w] = False
            observe(task, live, w, live.observation)
            return
        live.elapsed[w] = live.elapsed[w] + 1
        late = bool(False)
        if task.frames > 0:
            live.frame[w] = wp.min(live.frame[w] + 1, task.last[live.frame[w]])
            late = live.frame[w] >= task.last[live.frame[w]]
        fell = live.status[w] != wp.static(RUNNING)
        if task.leash > zero:
            fell = fell or astray(task, live, w, ground_beneath(task, live, w)) > task.leash
        if task.most > 0 and live.elapsed[w] >= task.most:
            late = True
        reward(task, live, w, fell)
        live.terminated[w] = fell
        live.truncated[w] = late
        observe(task, live, w, live.observation)
        live.due[w] = 0
        if fell or late:
            live.due[w] = 1
            live.ended[w] = live.frame[w]
            if task.mode == wp.static(SAME_STEP):
                for k in range(live.observation.shape[1]):
                    live.final[w, k] = live.observation[w, k]
                begin_episode(task, live, w)
                observe(task, live, w, live.observation)

    @wp.kernel(**options)
    def restart(first: int, task: Task, live: Live):
        w = first + wp.tid()
        if live.due[w] == 0:
            return
        begin_episode(task, live, w)
        live.terminated[w] = False
        live.truncated[w] = False
        observe(task, live, w, live.observation)

    return begin, judge, restart
