"""What the kernels of an environment depend on, and the structures that they take: what the task is, the same for all
worlds, and what each world is."""

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any

import warp as wp

from footfall.learning.rewards import RewardTerm
from footfall.methods.network.observations import Pool


@dataclass(frozen=True)
class EpisodePlan:
    """What the kernels of an environment depend on.

    Attributes:
        pool: the terms that are observed.
        rewards: all terms of the reward, in the order of their columns.
        counted: numbers of those that the goals ask for.
        real: scalar type.
        terrain: its kind.
        clip: whether one is imitated.
        sights: whether the ground ahead is seen.
        pushes: whether there are some.
        paused: whether decisions wait for footsteps.
        turns: whether the goal's heading is the controller's.
    """

    pool: Pool
    rewards: tuple[RewardTerm, ...]
    counted: tuple[int, ...]
    real: Any
    terrain: str
    clip: bool
    sights: bool
    pushes: bool
    paused: bool
    turns: bool

    @property
    def module(self) -> str:
        """A name for the kernels' module, by what they are."""
        figure, flags = self.pool.scope.figure, (self.clip, self.sights, self.pushes, self.paused, self.turns)
        joints = [(joint.name, joint.kind, joint.qpos, joint.dof) for joint in figure.joints]
        names = [self.rewards[k].name for k in self.counted]
        text = repr((figure.name, figure.root, joints, self.pool.key, names, flags))
        return f"footfall_gym_{self.real.__name__}_{self.terrain}_{hashlib.sha256(text.encode()).hexdigest()[:12]}"


@cache
def task_structures(real: Any) -> tuple[Any, Any]:
    """(Task, Live) for a scalar type.

    Task: bit masks of the feet's points, the step, how many decisions an episode has (0 for no end), the autoreset
    mode, the leash and the tether, the ranges of goals, pushes and noise, the reward's weights, the observations'
    bounds; states [frames, nq + nv], the start or the clips, with the last frame of each frame's clip and the frames
    that episodes begin at, and the same as one row (clip); and the action's entries.

    Live: the worlds' state (:class:`footfall.simulation.prepared.PreparedWorlds`); each world's random state, goal
    (speed, heading), frame of the clip, decisions of this episode, the frame at which the last episode ended, whether
    it is due for a reset; where it was, what it did and where the ground held it at the last decision; what goes in
    (action, reset) and what comes out.
    """

    @wp.struct
    class Task:
        left: wp.int32
        right: wp.int32
        dt: real
        most: wp.int32
        mode: wp.int32
        leash: real
        tether: real
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
        states: wp.array2d[real]
        clip: wp.array2d[real]
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
