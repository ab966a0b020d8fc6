"""What happens to each world around a rollout, in two kernels: before it the action is applied, after it the world is
rewarded and observed; worlds whose episode has ended begin the next one.

Each is a list of parts with one signature,

    part(task, live, world, seen)

put together for an environment (:class:`EpisodePlan`): what it does not have is not in its kernels. A world draws
random numbers from its own stream alone, so that it does not depend on how many worlds there are.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

import numpy as np
import warp as wp

from footfall.control.law import typed_by_name
from footfall.control.rows import MACHINE
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.ground import terrain_height
from footfall.learning.options import NEXT_STEP, SAME_STEP
from footfall.learning.rewards import RewardTerm, apart_function, bounded_function
from footfall.methods.network.deciding import Pool
from footfall.methods.network.seen import SIGHTS, SeenTypes, place_function, pull_function
from footfall.simulation.hardware import noise_function
from footfall.simulation.structures import RUNNING, TALLY

WAITING = 9
"""The status of a world that begins an episode in this decision: the rollout leaves it alone."""
NEVER = 1e6
"""Seconds: when a push begins that is not drawn yet."""


@dataclass(frozen=True)
class EpisodePlan:
    """What the kernels of an environment depend on.

    Attributes:
        pool: the terms that are observed.
        rewards: all terms of the reward, in the order of their columns.
        counted: numbers of those that the goals ask for.
        terrain: its kind.
        clip: whether one is imitated.
        sights: whether the ground ahead is seen.
        pushes: whether there are some.
        late, noisy: whether what is observed is late, and wrong by the noise of sensors.
        paused: whether decisions wait for footsteps.
        turns: whether the goal's heading is the controller's.
    """

    pool: Pool
    rewards: tuple[RewardTerm, ...]
    counted: tuple[int, ...]
    terrain: str
    clip: bool
    sights: bool
    pushes: bool
    paused: bool
    turns: bool
    late: bool = False
    noisy: bool = False

    def module(self, real: Any) -> str:
        """A name for the kernels' module, by what they are; ``real`` is their scalar type."""
        figure, flags = (
            self.pool.scope.figure,
            (self.clip, self.sights, self.pushes, self.paused, self.turns, self.late, self.noisy),
        )
        joints = [(joint.name, joint.kind, joint.qpos, joint.dof) for joint in figure.joints]
        names = [self.rewards[k].name for k in self.counted]
        text = repr((figure.name, figure.root, joints, self.pool.key, names, flags))
        return f"footfall_gym_{real.__name__}_{self.terrain}_{hashlib.sha256(text.encode()).hexdigest()[:12]}"


class _Parts:
    """Parts of an environment's kernels."""

    def __init__(self, plan: EpisodePlan, real: Any, Task: Any, Live: Any) -> None:
        self.plan, self.real, self.scope = plan, real, plan.pool.scope
        self.types = SeenTypes.of(self.scope, self.real)
        self.part = typed_by_name({"task": Task, "live": Live, "w": int, "seen": wp.ref[self.types.Seen]})
        self.between, self.height = _between(Live, self.real), terrain_height(plan.terrain, self.real)
        self.beneath = self._beneath()

    def in_order(self, parts: Sequence[wp.Function]) -> wp.Function:
        """One part that does what all of them do, one after the other."""

        def both(first: wp.Function, second: wp.Function) -> wp.Function:
            @self.part
            def in_turn(task, live, w, seen):
                first(task, live, w, seen)
                second(task, live, w, seen)

            return in_turn

        return reduce(both, parts)

    def _beneath(self) -> wp.Function:
        """(live, world): the height of the ground under the root."""
        height, planar, zero = self.height, self.scope.planar, self.real(0.0)

        @self.part
        def ground_beneath(live, w):
            y = zero
            if wp.static(not planar):
                y = live.qpos[w, 1]
            return height(live.terrain, wp.where(live.terrain.shape[0] == 1, 0, w), live.qpos[w, 0], y)

        return ground_beneath

    def beginning(self) -> list[wp.Function]:
        """The beginning of an episode."""
        real, between, beneath, scope, zero = self.real, self.between, self.beneath, self.scope, self.real(0.0)
        nq, nv, (root_q, root_v) = scope.figure.nq, scope.figure.nv, scope.root
        up, hinges = 1 if scope.planar else 2, nq - root_q == nv - root_v  # balls keep their pose
        low_at, high_at, columns = TALLY.index("torso_low"), TALLY.index("torso_high"), len(TALLY)
        infinite = real(np.inf)

        # goals, a frame of the clips, and a ground
        @self.part
        def draw(task, live, w, seen):
            live.goal[w, 0] = between(live, w, real(task.goal_low[0]), real(task.goal_high[0]))
            live.goal[w, 1] = between(live, w, real(task.goal_low[1]), real(task.goal_high[1]))
            choices = task.begins.shape[0]
            drawn = between(live, w, zero, real(choices))
            live.frame[w] = task.begins[wp.min(int(drawn), choices - 1)]
            ground = wp.min(int(between(live, w, zero, real(task.pool.shape[0]))), task.pool.shape[0] - 1)
            live.ground[w] = ground
            if live.terrain.shape[0] == live.qpos.shape[0] and task.pool.shape[0] > 1:
                for k in range(live.terrain.shape[1]):
                    live.terrain[w, k] = task.pool[ground, k]

        # the state at the frame, disturbed, on the ground
        @self.part
        def stand(task, live, w, seen):
            frame = live.frame[w]
            k = int(0)
            while k < wp.static(nq):
                live.qpos[w, k] = task.states[frame, k]
                k += 1
            noise = real(task.noise[0])
            k = int(root_v)
            while k < wp.static(nv):
                drawn = between(live, w, -noise, noise)
                if wp.static(hinges):
                    at = wp.static(root_q - root_v) + k
                    live.qpos[w, at] = live.qpos[w, at] + drawn
                k += 1
            rate = real(task.noise[1])
            k = int(0)
            while k < wp.static(nv):
                live.qvel[w, k] = task.states[frame, nq + k] + between(live, w, -rate, rate)
                live.qacc[w, k] = zero
                k += 1
            live.qpos[w, up] = live.qpos[w, up] + beneath(live, w)

        # all that is remembered of the last episode
        @self.part
        def clear(task, live, w, seen):
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
            for k in range(live.pulled.shape[1]):
                live.pulled[w, k] = zero
            live.due[w] = 0
            live.status[w] = wp.static(RUNNING)

        # the controller is told the goal's heading
        @self.part
        def turn(task, live, w, seen):
            live.parameters[w, task.heading_column] = live.goal[w, 1]

        parts = [draw, stand, clear]
        if self.plan.pushes:
            parts.append(self.push(first=True))
        return [*parts, turn] if self.plan.turns else parts

    def push(self, first: bool) -> wp.Function:
        """The first push of an episode, or the next one once the last is over: where, when, which way and how hard."""
        real, between, planar = self.real, self.between, self.scope.planar
        never, pi, zero = real(NEVER), real(np.pi), real(0.0)

        @self.part
        def push(task, live, w, seen):
            now = real(live.step_count[w]) * task.dt
            at = live.pushed[w]
            if wp.static(first) or now > live.window[w, at, 1]:
                if live.window.shape[1] > 1:
                    live.window[w, at, 0] = never
                    live.window[w, at, 1] = never
                    drawn = between(live, w, zero, real(live.window.shape[1]))
                    at = wp.min(int(drawn), live.window.shape[1] - 1)
                    live.pushed[w] = at
                start = now + between(live, w, real(task.push_gap[0]), real(task.push_gap[1]))
                newtons = between(live, w, task.push_low, task.push_high)
                angle = between(live, w, -pi, pi)
                seconds = real(task.push_seconds[0])
                if task.push_seconds[1] > task.push_seconds[0]:
                    seconds = between(live, w, real(task.push_seconds[0]), real(task.push_seconds[1]))
                live.window[w, at, 0] = start
                live.window[w, at, 1] = start + seconds
                if wp.static(planar):
                    live.force[w, at, 0] = wp.where(angle > zero, newtons, -newtons)
                else:
                    live.force[w, at, 0] = newtons * wp.cos(angle)
                    live.force[w, at, 1] = newtons * wp.sin(angle)

        return push

    def acting(self) -> list[wp.Function]:
        """Before a rollout."""
        real, clip, bounded = self.real, self.plan.clip, bounded_function(self.types)

        # it is remembered where the world is, and the law's row filled by the action
        @self.part
        def apply(task, live, w, seen):
            live.before[w, 0] = live.qpos[w, 0]
            live.before[w, 1] = live.qpos[w, 1]
            live.before[w, 2] = real(live.step_count[w]) * task.dt
            for k in range(task.source.shape[0]):
                value = task.numbers[k, 0] + task.numbers[k, 1] * bounded(real(live.action[w, task.source[k]]))
                if wp.static(clip):
                    if task.joint[k] >= 0:
                        frame = wp.min(live.frame[w] + 1, task.last[live.frame[w]])
                        value += task.states[frame, task.joint[k]]
                live.parameters[w, task.column[k]] = wp.clamp(value, task.numbers[k, 2], task.numbers[k, 3])

        # before which footstep the rollout pauses
        @self.part
        def pause(task, live, w, seen):
            live.pause[w] = int(live.tally[w, 0]) + wp.where(live.step_count[w] > 0, 1, 0)

        parts = [apply]
        if self.plan.pushes:
            parts.append(self.push(first=False))
        return [*parts, pause] if self.plan.paused else parts

    def seeing(self) -> list[wp.Function]:
        """Fill what is seen of the world as it is, the ground ahead and the clip."""
        real, scope, beneath = self.real, self.scope, self.beneath
        place, pull = place_function(self.types), pull_function(self.types)
        nq, nv, actions, machine = scope.figure.nq, scope.figure.nv, scope.actions, scope.states > 0
        up, zero, one, width = 1 if scope.planar else 2, real(0.0), real(1.0), nq + nv
        state_at, clock_at = MACHINE.index("state"), MACHINE.index("clock")

        @self.part
        def see(task, live, w, seen):
            i = int(0)
            while i < wp.static(nq):
                seen.qpos[i] = live.qpos[w, i]
                i += 1
            i = int(0)
            while i < wp.static(nv):
                seen.qvel[i] = live.qvel[w, i]
                i += 1
            place(seen)
            seen.beneath = beneath(live, w)
            seen.height = seen.qpos[up] - seen.beneath
            seen.left = wp.where((live.contact[w] & task.left) != 0, one, zero)
            seen.right = wp.where((live.contact[w] & task.right) != 0, one, zero)
            seen.goal_speed = live.goal[w, 0]
            seen.goal[0] = wp.cos(live.goal[w, 1])
            seen.goal[1] = wp.sin(live.goal[w, 1])
            side = live.stance[w]
            seen.stance = wp.where(side == 0, one, wp.where(side == 1, -one, zero))
            if wp.static(machine):
                seen.state = int(live.memory[w, state_at])
                seen.clock = live.memory[w, clock_at]
            i = int(0)
            while i < wp.static(actions):
                seen.action[i] = wp.where(live.elapsed[w] > 0, real(live.action[w, i]), zero)
                i += 1

        @self.part
        def see_clip(task, live, w, seen):
            seen.clip = task.clip
            seen.clip_first = 0
            seen.clip_width = width
            seen.frame = live.frame[w]
            seen.last = task.last[live.frame[w]]
            seen.pulled[0] = live.pulled[w, 0]
            seen.pulled[1] = live.pulled[w, 1]
            pull(seen, task.tether)
            live.pulled[w, 0] = seen.pulled[0]
            live.pulled[w, 1] = seen.pulled[1]

        return [see, *([self.see_ahead()] if self.plan.sights else []), *([see_clip] if self.plan.clip else [])]

    def see_ahead(self) -> wp.Function:
        """Fill what is seen of the ground ahead."""
        height, planar, zero, sights = self.height, self.scope.planar, self.real(0.0), len(SIGHTS)

        @self.part
        def see_ahead(task, live, w, seen):
            row = wp.where(live.terrain.shape[0] == 1, 0, w)
            y = zero
            if wp.static(not planar):
                y = seen.qpos[1]
            i = int(0)
            while i < wp.static(sights):
                far = task.ahead[i]
                there = height(live.terrain, row, seen.qpos[0] + seen.heading[0] * far, y + seen.heading[1] * far)
                seen.ahead[i] = there - seen.beneath
                i += 1

        return see_ahead

    def sensing(self) -> list[wp.Function]:
        """What is observed is what late and noisy sensors say, as a policy that runs by itself gets it."""
        late, noisy, planar = self.plan.late, self.plan.noisy, self.scope.planar
        if not (late or noisy):
            return []
        place, height, zero, one = place_function(self.types), self.height, self.real(0.0), self.real(1.0)
        disturb = noise_function(CompiledFigure(self.scope.figure, self.real)) if noisy else None
        up = 1 if planar else 2

        @self.part
        def sense(task, live, w, seen):
            now = live.step_count[w]
            then = int(now)
            if wp.static(late):
                late_by = live.delay[wp.min(w, live.delay.shape[0] - 1), 0]
                then = wp.max(now - late_by, 0)
                if then < now:
                    seen.qpos = live.late_qpos[w, then % live.late_qpos.shape[1]]
                    seen.qvel = live.late_qvel[w, then % live.late_qvel.shape[1]]
                if now > 0:  # contacts are those of the last step
                    touched = live.late_contact[w, wp.max(now - 1 - late_by, 0) % live.late_contact.shape[1]]
                    seen.left = wp.where((touched & task.left) != 0, one, zero)
                    seen.right = wp.where((touched & task.right) != 0, one, zero)
            if wp.static(noisy):
                disturb(seen.qpos, seen.qvel, live.wrong, wp.min(w, live.wrong.shape[0] - 1), live.key[w], then)
            place(seen)
            y = zero
            if wp.static(not planar):
                y = seen.qpos[1]
            seen.beneath = height(live.terrain, wp.where(live.terrain.shape[0] == 1, 0, w), seen.qpos[0], y)
            seen.height = seen.qpos[up] - seen.beneath

        return [sense, *([self.see_ahead()] if self.plan.sights else [])]

    def judging(self) -> list[wp.Function]:
        """After a rollout: what has happened since the last decision, whether the episode ends (by a fall, off the
        leash, or by time), the reward term by term; then the action and where the ground holds the feet are remembered.
        """
        real, planar, clip = self.real, self.scope.planar, self.plan.clip
        zero, one = real(0.0), real(1.0)
        apart, bounded = apart_function(self.types), bounded_function(self.types)

        @self.part
        def see_decision(task, live, w, seen):
            seen.seconds = real(live.step_count[w]) * task.dt - live.before[w, 2]
            seen.moved[0] = live.qpos[w, 0] - live.before[w, 0]
            seen.moved[1] = zero
            if wp.static(not planar):
                seen.moved[1] = live.qpos[w, 1] - live.before[w, 1]
            if wp.static(clip):
                for k in range(live.past.shape[1]):
                    seen.past[k] = live.past[w, k]
            if wp.static(clip):
                slid = zero
                count = zero
                both = live.touched[w] & live.contact[w]
                for p in range(live.held.shape[1] // 3):
                    if ((both >> p) & 1) != 0:
                        x = live.anchor[w, 3 * p] - live.held[w, 3 * p]
                        y = live.anchor[w, 3 * p + 1] - live.held[w, 3 * p + 1]
                        slid += wp.sqrt(x * x + y * y)
                        count += one
                seen.slid = slid / wp.max(count, one)

        @self.part
        def end(task, live, w, seen):
            late = bool(False)
            fell = live.status[w] != wp.static(RUNNING)
            if wp.static(clip):
                late = live.frame[w] >= task.last[live.frame[w]]
                if task.leash > zero:
                    fell = fell or wp.sqrt(apart(seen)) > task.leash
            if task.most > 0 and live.elapsed[w] >= task.most:
                late = True
            seen.fell = fell
            live.terminated[w] = fell
            live.truncated[w] = late

        @self.part
        def remember(task, live, w, seen):
            for k in range(live.past.shape[1]):
                live.past[w, k] = bounded(real(live.action[w, k]))
            for k in range(live.held.shape[1]):
                live.held[w, k] = live.anchor[w, k]
            live.touched[w] = live.contact[w]

        rewards = [self.reward(k) for k in self.plan.counted]
        return [see_decision, end, self.no_reward(), *rewards, remember]

    def no_reward(self) -> wp.Function:
        """Terms of nought."""
        zero, terms = self.real(0.0), len(self.plan.rewards)

        @self.part
        def no_reward(task, live, w, seen):
            live.reward[w] = zero
            for k in range(wp.static(terms)):
                live.terms[w, k] = zero

        return no_reward

    def reward(self, column: int) -> wp.Function:
        """A term of the reward."""
        value = self.plan.rewards[column].build(self.types)

        @self.part
        def reward(task, live, w, seen):
            live.terms[w, column] = value(seen) * task.weights[column]
            live.reward[w] = live.reward[w] + live.terms[w, column]

        return reward

    def observe(self) -> wp.Function:
        """Put the pool's numbers into the observation, within their bounds."""
        size, (fill, Out) = len(self.plan.pool.names), self.plan.pool.function(self.types)

        @self.part
        def observe(task, live, w, seen):
            numbers = Out()
            fill(seen, numbers)
            k = int(0)
            while k < wp.static(size):
                live.observation[w, k] = wp.float32(wp.clamp(numbers[k], task.low[k], task.high[k]))
                k += 1

        return observe


def _between(Live: Any, real: Any) -> wp.Function:
    """(live, world, low, high): a number of the world's random stream."""

    @wp.func
    def between(live: Live, w: int, low: real, high: real):
        state = live.random[w]
        share = wp.randf(state)
        live.random[w] = state
        return low + real(share) * (high - low)

    return between


@cache
def task_kernels(plan: EpisodePlan, real: Any, Task: Any, Live: Any) -> tuple[Any, Any, Any]:
    """(begin, judge, restart) of an environment, each (first world, task, live), for a scalar type and the types of the
    last two.

    begin: applies the actions; under NEXT_STEP it first begins the episodes that are due. judge: rewards, endings and
    observations; under SAME_STEP it then begins the next episodes. restart: begins an episode where ``due`` is set.
    """
    parts = _Parts(plan, real, Task, Live)
    Seen, clip = parts.types.Seen, plan.clip
    options = {"enable_backward": False, "module": wp.get_module(plan.module(real))}

    begin_episode, act, see = map(parts.in_order, (parts.beginning(), parts.acting(), parts.seeing()))
    no_reward, observe = parts.no_reward(), parts.in_order([*parts.sensing(), parts.observe()])
    judge_episode, show_episode = parts.in_order([see, *parts.judging(), observe]), parts.in_order([see, observe])

    @wp.kernel(**options)
    def begin(first: int, task: Task, live: Live):
        w = first + wp.tid()
        seen = Seen()
        if task.mode == wp.static(NEXT_STEP) and live.due[w] != 0:
            begin_episode(task, live, w, seen)
            live.status[w] = wp.static(WAITING)
        else:
            act(task, live, w, seen)

    @wp.kernel(**options)
    def judge(first: int, task: Task, live: Live):
        w = first + wp.tid()
        seen = Seen()
        if live.status[w] == wp.static(WAITING):
            live.status[w] = wp.static(RUNNING)
            no_reward(task, live, w, seen)
            live.terminated[w] = False
            live.truncated[w] = False
            show_episode(task, live, w, seen)
            return
        live.elapsed[w] = live.elapsed[w] + 1
        if wp.static(clip):
            live.frame[w] = wp.min(live.frame[w] + 1, task.last[live.frame[w]])
        judge_episode(task, live, w, seen)
        live.due[w] = 0
        if live.terminated[w] or live.truncated[w]:
            live.due[w] = 1
            live.ended[w] = live.frame[w]
            if task.mode == wp.static(SAME_STEP):
                for k in range(live.observation.shape[1]):
                    live.final[w, k] = live.observation[w, k]
                begin_episode(task, live, w, seen)
                show_episode(task, live, w, seen)

    @wp.kernel(**options)
    def restart(first: int, task: Task, live: Live):
        w = first + wp.tid()
        seen = Seen()
        if live.due[w] == 0:
            return
        begin_episode(task, live, w, seen)
        live.terminated[w] = False
        live.truncated[w] = False
        show_episode(task, live, w, seen)

    return begin, judge, restart
