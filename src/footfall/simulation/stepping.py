"""One step of a world, in the parts between which accelerations are found.

A world that runs is one structure. The rollout opens it, steps it and closes it; it lies in a thread's own variables,
or, where several worlds share a processor's vector unit (:mod:`footfall.simulation.rollout`), beside others.

When a figure has fallen: a point off its feet touches the ground, its root is too low, it leans too far, or a planar
figure is bent beyond walking.
"""

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import warp as wp

from footfall.control.law import Law
from footfall.dynamics.compiler import CompiledFigure
from footfall.simulation.evaluation import Evaluation
from footfall.simulation.structures import (
    TALLY,
    Features,
    Structures,
    holding_functions,
    pushed_function,
    recording_functions,
    tally_function,
)

TORSO_LIMIT = 2.0
HIP_LIMIT = 2.3
LEAN_LIMIT, UPRIGHT_LIMIT = 1.75, 1.3
LEAST_HEIGHT = 0.35


def fall_function(
    compiled: CompiledFigure, height: wp.Function, *, turns_over: bool = False, upright: bool = False
) -> wp.Function | None:
    """A Warp function (qpos, qvel, body, body_row, table, table_row, turning_over) -> whether the figure has fallen.

    Every figure has fallen when its root is lower above the ground than 0.35 of where it stands, or when a root in
    space leans by more than 1.75 rad (``upright``: 1.3, since a law that prescribes accelerations can throw it into
    the air). One with legs has fallen when a point off its feet touches the ground. SIMBICON's applet calls control
    lost beyond 2 rad of a planar torso's lean or 2.3 rad of a hip. Neither lean counts while the figure is
    ``turning_over``; under a law that ``turns_over`` at times, lean is what is left over from whole turns. None for a
    figure that hangs fixed in the world.
    """
    figure, real, planar = compiled.figure, compiled.real, compiled.planar
    if figure.root == "fixed":
        return None
    off_foot = tuple(k for k, p in enumerate(figure.points) if p.foot is None and p.ground and figure.legs)
    count = len(off_foot)
    touches = count > 0
    hips = tuple(figure.joint(n).dof for leg in figure.legs.values() for n in leg.hip) if planar else ()
    hip_count = len(hips)
    Qpos, Qvel, landmarks = compiled.Qpos, compiled.Qvel, compiled.landmarks
    Landmarks = wp.types.vector(length=max(1, 3 * len(figure.points)), dtype=real)
    torso_limit, hip_limit = real(TORSO_LIMIT), real(HIP_LIMIT)
    turn, half, zero, two = (real(x) for x in (2.0 * math.pi, 0.5, 0.0, 2.0))
    up = 1 if planar else 2
    least = real(LEAST_HEIGHT * float(figure.default_qpos[up]))
    steep = real(math.cos(UPRIGHT_LIMIT if upright else LEAN_LIMIT))
    ax, ay, az = (real(x) for x in _own_up(figure.default_qpos[3:7])) if not planar else (zero, zero, zero)

    @wp.func
    def fallen(
        qpos: wp.ref[Qpos],
        qvel: wp.ref[Qvel],
        body: wp.array2d[real],
        body_row: int,
        table: wp.array2d[real],
        table_row: int,
        turning_over: bool,
    ):
        down = bool(False)
        if wp.static(touches):
            places = Landmarks()
            landmarks(qpos, qvel, body, body_row, places)
            for i in range(wp.static(count)):
                x = places[wp.static(3 * off_foot[i])]
                y = places[wp.static(3 * off_foot[i] + 1)]
                z = places[wp.static(3 * off_foot[i] + 2)]
                if z <= height(table, table_row, x, y):
                    down = True
        if wp.static(planar):
            if qpos[1] - height(table, table_row, qpos[0], zero) < least:
                down = True
            if not turning_over:
                lean = qpos[2]
                if wp.static(turns_over):
                    lean -= turn * wp.floor(lean / turn + half)
                if wp.abs(lean) > torso_limit:
                    down = True
                for i in range(wp.static(hip_count)):
                    if wp.abs(qpos[wp.static(hips[i])]) > hip_limit:
                        down = True
        else:
            if qpos[2] - height(table, table_row, qpos[0], qpos[1]) < least:
                down = True
            if not turning_over:
                w = qpos[3]
                x = qpos[4]
                y = qpos[5]
                z = qpos[6]
                rise = az * (w * w - x * x - y * y + z * z) + two * (ax * (x * z - w * y) + ay * (y * z + w * x))
                if rise < steep:
                    down = True
        return down

    return fallen


def _own_up(quaternion: np.ndarray) -> np.ndarray:
    """[3] the world's up in the root's axes, as it stands."""
    back, local = np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(back, quaternion)
    mujoco.mju_rotVecQuat(local, np.array([0.0, 0.0, 1.0]), back)
    return local


RUNNING, FELL, DIVERGED, STOPPED = 0, 1, 2, 3
"""STOPPED: fell, continued as a ragdoll (:mod:`footfall.simulation.ragdoll`), and then diverged."""

RUNAWAY = 500.0**2  # (rad/s)² and (m/s)² summed: a walking biped stays below 30²


@dataclass(frozen=True)
class Stepping:
    """A step as Warp functions of a world.

    Attributes:
        World: structure of a world that runs: its state, and what a step keeps from one part to the next. It runs
            while ``k`` < ``steps``; ``unsettled`` while its accelerations must be found again.
        start: (world, w, steps, dt, fall_stride, own_rows, worlds, hardware) take up world w.
        begin: (world, dt, setting, pushing, trace, past, hardware) sense, feel and act.
        solve: (world, setting) accelerate.
        finish: (world, dt, fall_stride, setting, pushing, worlds, trace, past, hardware) move on by a step.
        give_back: (world, worlds, hardware) leave it for the next launch.
    """

    World: Any
    start: wp.Function
    begin: wp.Function
    solve: wp.Function
    finish: wp.Function
    give_back: wp.Function


def build_stepping(
    structures: Structures, law: Law, evaluation: Evaluation, *, integrator: str, features: Features
) -> Stepping:
    """Compose the parts of a step from an evaluation, an integrator, a fall check and a tally."""
    runge_kutta, midpoint = integrator == "rk4", integrator == "explicit"
    delayed, pausing, held, forces = features.delayed, features.pausing, features.held, features.forces
    types, compiled = structures.types, structures.types.compiled
    Work, prepare, accelerate, conclude = evaluation.Work, evaluation.prepare, evaluation.solve, evaluation.conclude
    advance = compiled.advance
    Setting, Contact, Loop, Hardware = structures.Setting, structures.Contact, structures.Loop, structures.Hardware
    Felt, Held, Tally = structures.Felt, structures.Held, structures.Tally
    Worlds, Trace, Pushing, Past = structures.Worlds, structures.Trace, structures.Pushing, structures.Past
    fallen = fall_function(compiled, evaluation.height, turns_over=law.turns_over, upright=law.prescribes)
    can_fall = fallen is not None
    add = tally_function(types, efforts=features.efforts)
    real, Qvel, Pushes = compiled.real, compiled.Qvel, compiled.Pushes
    Sense, Memory, Command = types.Sense, types.Memory, types.Command
    push_slots, pushed = len(compiled.push_places), pushed_function(compiled, Pushing)
    kept, sampled = recording_functions(compiled, Trace)
    keep, take_up = holding_functions(structures) if held else (None, None)
    fall_x = TALLY.index("fall_x")
    half, two, sixth, runaway = real(0.5), real(2.0), real(1.0 / 6.0), real(RUNAWAY)

    @wp.struct
    class World:
        w: wp.int32
        k: wp.int32
        steps: wp.int32
        done: wp.int32
        every: wp.int32
        until_check: wp.int32
        unsettled: wp.bool
        stance: wp.int32
        rows: wp.vec4i
        sense: Sense
        memory: Memory
        contact: Contact
        tally: Tally
        command: Command
        qacc: Qvel
        loop: Loop
        felt: Felt
        work: Work
        kept_memory: Memory
        kept_contact: Contact

    @wp.func
    def remembered(past: Past, w: int, n: int, sense: wp.ref[Sense], mask: int, loop: wp.ref[Loop]):
        row = w
        if past.delay.shape[0] == 1:
            row = 0
        depth = past.qpos.shape[1]
        past.qpos[w, n % depth] = sense.qpos
        past.qvel[w, n % depth] = sense.qvel
        past.contact[w, n % depth] = mask
        loop.seen_step = wp.max(n - past.delay[row, 0], 0)
        seen = loop.seen_step % depth
        sense.seen_qpos = past.qpos[w, seen]
        sense.seen_qvel = past.qvel[w, seen]
        sense.seen_contact = past.contact[w, seen]
        loop.late = past.delay[row, 1]
        loop.due = Qvel()
        if n >= loop.late:
            loop.due = past.torque[w, (n - loop.late) % depth]

    @wp.func
    def recorded(trace: Trace, w: int, n: int, sense: wp.ref[Sense], mask: int, command: wp.ref[Command]):
        at = n // trace.stride - trace.first
        sampled(trace, w, at, sense.qpos, sense.qvel, command.state, mask, command.stance)
        if w < trace.torque.shape[1] and at < trace.torque.shape[0]:
            trace.torque[at, w] = command.torque
        if w < trace.signals.shape[1] and at < trace.signals.shape[0]:
            trace.signals[at, w] = command.signals

    @wp.func
    def felt_recorded(trace: Trace, w: int, n: int, qacc: wp.ref[Qvel], felt: wp.ref[Felt]):
        at = n // trace.stride - trace.first
        if w < trace.qacc.shape[1] and at < trace.qacc.shape[0]:
            trace.qacc[at, w] = qacc
        if w < trace.moment.shape[1] and at < trace.moment.shape[0]:
            trace.moment[at, w] = felt.moment
        if w < trace.grf.shape[1] and at < trace.grf.shape[0]:
            trace.grf[at, w] = felt.force

    @wp.func
    def start(
        world: wp.ref[World],
        w: int,
        steps: int,
        dt: real,
        fall_stride: int,
        own_rows: wp.vec4i,
        worlds: Worlds,
        hardware: Hardware,
    ):
        world.w = w
        world.k = 0
        world.steps = steps
        world.unsettled = False
        world.rows = own_rows * w
        world.sense.qpos = worlds.qpos[w]
        world.sense.qvel = worlds.qvel[w]
        world.sense.dt = dt
        world.memory = worlds.memory[w]
        world.contact.anchor = worlds.anchor[w]
        world.contact.mask = worlds.contact[w]
        world.stance = worlds.stance[w]
        world.tally = worlds.tally[w]
        world.done = worlds.step_count[w]
        world.until_check = fall_stride - world.done % fall_stride
        world.qacc = worlds.qacc[w]
        world.loop.world = w
        world.loop.tick = 1
        if wp.static(held):
            world.every = hardware.every[wp.min(w, hardware.every.shape[0] - 1)]
            world.loop.period = dt * real(world.every)
            kept_command = hardware.held[w]
            take_up(kept_command, world.command, world.loop.held)

    @wp.func
    def begin(
        world: wp.ref[World],
        push: wp.ref[Pushes],
        dt: real,
        setting: Setting,
        pushing: Pushing,
        trace: Trace,
        past: Past,
        hardware: Hardware,
    ):
        n = world.done + world.k
        world.sense.time = real(n) * dt
        kept(trace, world.w, n, world.sense.qpos, world.sense.qvel)
        if wp.static(push_slots > 0):
            pushed(pushing, world.w, world.sense.time, push)
        world.loop.step = n
        if wp.static(delayed):
            remembered(past, world.w, n, world.sense, world.contact.mask, world.loop)
        if wp.static(held):
            world.loop.tick = wp.where(n % world.every == 0, 1, 0)
        if wp.static(pausing):
            world.kept_memory = world.memory
            world.kept_contact = world.contact
        world.sense.qacc = world.qacc
        prepare(
            world.sense, world.memory, world.contact, push, world.loop, setting, hardware, world.rows,
            world.command, world.work,
        )  # fmt: skip

    @wp.func
    def solve(world: wp.ref[World], push: wp.ref[Pushes], setting: Setting):
        world.unsettled = accelerate(
            world.sense, world.contact, push, setting, world.rows, world.command, world.qacc, world.work
        )

    @wp.func
    def finish(
        world: wp.ref[World],
        push: wp.ref[Pushes],
        dt: real,
        fall_stride: int,
        setting: Setting,
        worlds: Worlds,
        trace: Trace,
        past: Past,
        hardware: Hardware,
    ):
        w = world.w
        n = world.done + world.k
        conclude(
            world.sense, push, world.loop, setting, hardware, world.rows, world.command, world.qacc, world.felt,
            world.work,
        )  # fmt: skip
        if wp.static(pausing):
            if world.stance >= 0 and world.command.stance != world.stance and int(world.tally[0]) + 1 > past.pause[w]:
                world.memory = world.kept_memory
                world.contact = world.kept_contact
                world.steps = world.k
                return
        if wp.static(delayed):
            past.torque[w, n % past.torque.shape[1]] = world.loop.asked
        if trace.stride > 0:
            if n % trace.stride == 0:
                recorded(trace, w, n, world.sense, world.contact.mask, world.command)
                if wp.static(forces):
                    felt_recorded(trace, w, n, world.qacc, world.felt)

        if wp.static(runge_kutta):
            q = world.sense.qpos
            v = world.sense.qvel
            begun = world.command
            if wp.static(held):
                world.loop.tick = 0
            rate = v
            summed_rate = v
            summed_qacc = world.qacc
            stage = int(1)
            while stage < 4:
                span = dt
                weight = real(1.0)
                if stage < 3:
                    span = half * dt
                    weight = two
                world.sense.qpos = q
                advance(world.sense.qpos, rate, span)
                rate = v + world.qacc * span
                world.sense.qvel = rate
                world.sense.time = real(n) * dt + span
                trial_memory = world.memory
                trial_contact = world.contact
                prepare(
                    world.sense, trial_memory, trial_contact, push, world.loop, setting, hardware, world.rows,
                    world.command, world.work,
                )  # fmt: skip
                accelerate(world.sense, trial_contact, push, setting, world.rows, world.command, world.qacc, world.work)
                conclude(
                    world.sense, push, world.loop, setting, hardware, world.rows, world.command, world.qacc,
                    world.felt, world.work,
                )  # fmt: skip
                summed_rate += rate * weight
                summed_qacc += world.qacc * weight
                stage += 1
            world.command = begun
            world.sense.qpos = q
            world.sense.qvel = v
            world.sense.time = real(n) * dt
            world.qacc = summed_qacc * sixth
            rate = summed_rate * sixth
        moved = world.sense.qvel + world.qacc * dt
        if not (wp.dot(moved, moved) < runaway):
            worlds.status[w] = wp.static(DIVERGED)
            worlds.end_step[w] = n
            world.steps = world.k
            return
        add(world.tally, world.stance, world.sense, world.command, world.qacc)
        if wp.static(runge_kutta):
            advance(world.sense.qpos, rate, dt)
        elif wp.static(midpoint):
            middle = world.sense.qvel + world.qacc * (half * dt)
            advance(world.sense.qpos, middle, dt)
        else:
            advance(world.sense.qpos, moved, dt)
        world.sense.qvel = moved
        world.k += 1
        if wp.static(can_fall):
            world.until_check -= 1
            if world.until_check == 0:
                world.until_check = fall_stride
                if fallen(
                    world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], setting.table, world.rows[3],
                    world.command.turning_over,
                ):  # fmt: skip
                    worlds.status[w] = wp.static(FELL)
                    worlds.end_step[w] = n + 1
                    world.tally[wp.static(fall_x)] = world.sense.qpos[0]
                    world.steps = world.k

    @wp.func
    def give_back(world: wp.ref[World], worlds: Worlds, hardware: Hardware):
        w = world.w
        worlds.qpos[w] = world.sense.qpos
        worlds.qvel[w] = world.sense.qvel
        worlds.memory[w] = world.memory
        worlds.anchor[w] = world.contact.anchor
        worlds.contact[w] = world.contact.mask
        worlds.stance[w] = world.stance
        if world.steps > 0:
            worlds.state[w] = world.command.state
        worlds.tally[w] = world.tally
        worlds.qacc[w] = world.qacc
        if wp.static(held):
            kept_command = Held()
            keep(world.command, world.loop.held, kept_command)
            hardware.held[w] = kept_command
        worlds.step_count[w] = world.done + world.steps

    return Stepping(World, start, begin, solve, finish, give_back)
