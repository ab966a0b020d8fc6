"""The structures that an environment's kernels take: what the task is, the same for all worlds, and what each world
is."""

from functools import cache
from typing import Any

import warp as wp


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
