"""A step of a world as a list of parts (:mod:`footfall.simulation.step_parts`), put together for a kernel.

    begin     clock, push, delay | sense, feel, see, decide, hold, delay, motor, stop, spring, friction
    solve     accelerations, settle: again while forces must be mended
    finish    revise, forces, motors' own | pause, late torques, record, integrate, tally, fall

A world that runs is one structure. The rollout opens it, steps it and closes it; it lies in a thread's own variables,
or, where several worlds share a processor's vector unit (:mod:`footfall.simulation.rollout`), beside others.
"""

import math
from dataclasses import dataclass

import mujoco
import numpy as np
import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.simulation.step_parts import conclude_parts, evaluate_parts, settle_part, solve_part
from footfall.simulation.step_plan import WorldStepPlan, in_sequence
from footfall.simulation.structures import (
    DIVERGED,
    FELL,
    TALLY,
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
    compiled: CompiledFigure,
    height: wp.Function,
    *,
    turns_over: bool = False,
    upright: bool = False,
    kneels: bool = False,
) -> wp.Function | None:
    """A Warp function (qpos, qvel, body, body_row, table, table_row, turning_over) -> whether the figure has fallen.

    Every figure has fallen when its root is lower above the ground than 0.35 of where it stands, or when a root in
    space leans by more than 1.75 rad (``upright``: 1.3, since a law that prescribes accelerations can throw it into
    the air). One with legs has fallen when a point off its feet touches the ground, unless it
    ``kneels``: its whole surface may. SIMBICON's applet calls control
    lost beyond 2 rad of a planar torso's lean or 2.3 rad of a hip. Neither lean counts while the figure is
    ``turning_over``; under a law that ``turns_over`` at times, lean is what is left over from whole turns. None for a
    figure that hangs fixed in the world.
    """
    figure, real, planar = compiled.figure, compiled.real, compiled.planar
    if figure.root == "fixed":
        return None
    points = enumerate(figure.points)
    off_foot = tuple(k for k, p in points if p.foot is None and p.ground and figure.legs and not kneels)
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


RUNAWAY = 500.0**2  # (rad/s)² and (m/s)² summed: a walking biped stays below 30²


@dataclass(frozen=True)
class WorldStep:
    """A step as Warp functions of a world: parts, but for ``start`` and ``give_back``.

    Attributes:
        plan: what it is made for.
        start: (world, w, steps, dt, fall_stride, own_rows, worlds, hardware) take up world w.
        begin: sense, feel and act.
        solve: accelerate, and mend forces that cannot be.
        settle: what ``solve`` does after the accelerations; None where forces are never mended.
        finish: move on by a step.
        give_back: (world, worlds, hardware) leave it for the next launch.
    """

    plan: WorldStepPlan
    start: wp.Function
    begin: wp.Function
    solve: wp.Function
    settle: wp.Function | None
    finish: wp.Function
    give_back: wp.Function


def build_step(plan: WorldStepPlan) -> WorldStep:
    """Put the parts of a step together."""
    begin = [clock_part(plan), push_part(plan), recall_part(plan), tick_part(plan), *evaluate_parts(plan)]
    evaluate, settle = in_sequence(plan, begin[4:]), settle_part(plan)
    solve, conclude = in_sequence(plan, [solve_part(plan), settle]), in_sequence(plan, conclude_parts(plan))
    stages = (
        runge_kutta_part(plan, in_sequence(plan, [evaluate, solve, conclude])) if plan.integrator == "rk4" else None
    )
    go_on = in_sequence(
        plan, [late_torque_part(plan), record_part(plan), stages, integrate_part(plan, fall_part(plan))]
    )
    finish = in_sequence(plan, [conclude, pause_part(plan, go_on) if plan.features.pausing else go_on])
    begun = in_sequence(plan, [*begin[:4], evaluate])
    return WorldStep(plan, start_function(plan), begun, solve, settle, finish, give_back_function(plan))


def start_function(plan: WorldStepPlan) -> wp.Function:
    """A Warp function (world, w, steps, dt, fall_stride, own_rows, worlds, hardware) that takes up world w."""
    World, Worlds, Hardware = plan.World, plan.structures.Worlds, plan.structures.Hardware
    real, held = plan.structures.types.real, plan.features.held
    _, take_up = holding_functions(plan.structures) if held else (None, None)

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
        world.fall_stride = fall_stride
        world.until_check = fall_stride - world.done % fall_stride
        world.qacc = worlds.qacc[w]
        world.loop.world = w
        world.loop.tick = 1
        if wp.static(held):
            world.every = hardware.every[wp.min(w, hardware.every.shape[0] - 1)]
            world.loop.period = dt * real(world.every)
            kept_command = hardware.held[w]
            take_up(kept_command, world.command, world.loop.held)

    return start


def give_back_function(plan: WorldStepPlan) -> wp.Function:
    """A Warp function (world, worlds, hardware) that leaves a world for the next launch."""
    World, Worlds, Hardware = plan.World, plan.structures.Worlds, plan.structures.Hardware
    Held, held = plan.structures.Held, plan.features.held
    keep, _ = holding_functions(plan.structures) if held else (None, None)

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

    return give_back


def clock_part(plan: WorldStepPlan) -> wp.Function:
    """The time of the step; the state goes into the ring of the latest ones."""
    real, pausing = plan.structures.types.real, plan.features.pausing
    kept, _ = recording_functions(plan.structures.types.compiled, plan.structures.Trace)

    @plan.part
    def clock(world, push, setting, worlds, pushing, trace, past, hardware):
        n = world.done + world.k
        world.sense.time = real(n) * world.sense.dt
        world.loop.step = n
        kept(trace, world.w, n, world.sense.qpos, world.sense.qvel)
        if wp.static(pausing):
            world.kept_memory = world.memory
            world.kept_contact = world.contact
        world.sense.qacc = world.qacc

    return clock


def push_part(plan: WorldStepPlan) -> wp.Function | None:
    """Pushes whose time it is."""
    compiled = plan.structures.types.compiled
    if not compiled.push_places:
        return None
    pushed = pushed_function(compiled, plan.structures.Pushing)

    @plan.part
    def push_body(world, push, setting, worlds, pushing, trace, past, hardware):
        pushed(pushing, world.w, world.sense.time, push)

    return push_body


def recall_part(plan: WorldStepPlan) -> wp.Function | None:
    """What a delayed world sees now and which torque arrives; its present state is kept for later."""
    if not plan.features.delayed:
        return None
    Qvel = plan.structures.types.compiled.Qvel

    @plan.part
    def recall(world, push, setting, worlds, pushing, trace, past, hardware):
        w = world.w
        n = world.loop.step
        row = w
        if past.delay.shape[0] == 1:
            row = 0
        depth = past.qpos.shape[1]
        past.qpos[w, n % depth] = world.sense.qpos
        past.qvel[w, n % depth] = world.sense.qvel
        past.contact[w, n % depth] = world.contact.mask
        world.loop.seen_step = wp.max(n - past.delay[row, 0], 0)
        seen = world.loop.seen_step % depth
        world.sense.seen_qpos = past.qpos[w, seen]
        world.sense.seen_qvel = past.qvel[w, seen]
        world.sense.seen_contact = past.contact[w, seen]
        world.loop.late = past.delay[row, 1]
        world.loop.due = Qvel()
        if n >= world.loop.late:
            world.loop.due = past.torque[w, (n - world.loop.late) % depth]

    return recall


def tick_part(plan: WorldStepPlan) -> wp.Function | None:
    """Whether a law with a rate of its own acts in this step."""
    if not plan.features.held:
        return None

    @plan.part
    def tick(world, push, setting, worlds, pushing, trace, past, hardware):
        world.loop.tick = wp.where(world.loop.step % world.every == 0, 1, 0)

    return tick


def pause_part(plan: WorldStepPlan, go_on: wp.Function) -> wp.Function:
    """A world that would begin a footstep too many stops before this step; others ``go_on``."""

    @plan.part
    def pause(world, push, setting, worlds, pushing, trace, past, hardware):
        exchanges = world.stance >= 0 and world.command.stance != world.stance
        if exchanges and int(world.tally[0]) + 1 > past.pause[world.w]:
            world.memory = world.kept_memory
            world.contact = world.kept_contact
            world.steps = world.k
        else:
            go_on(world, push, setting, worlds, pushing, trace, past, hardware)

    return pause


def late_torque_part(plan: WorldStepPlan) -> wp.Function | None:
    """The torque that was asked for is kept until it arrives."""
    if not plan.features.delayed:
        return None

    @plan.part
    def keep_torque(world, push, setting, worlds, pushing, trace, past, hardware):
        past.torque[world.w, world.loop.step % past.torque.shape[1]] = world.loop.asked

    return keep_torque


def record_part(plan: WorldStepPlan) -> wp.Function:
    """A sample, where the step is one of those that are recorded."""
    forces, real = plan.features.forces, plan.structures.types.real
    one = real(1.0)
    _, sampled = recording_functions(plan.structures.types.compiled, plan.structures.Trace)

    @plan.part
    def recorded(world, trace):
        n = world.done + world.k
        w = world.w
        at = n // trace.stride - trace.first
        sampled(
            trace, w, at, world.sense.qpos, world.sense.qvel, world.command.state, world.contact.mask,
            world.command.stance,
        )  # fmt: skip
        if w < trace.torque.shape[1] and at < trace.torque.shape[0]:
            trace.torque[at, w] = world.command.torque
        if w < trace.signals.shape[1] and at < trace.signals.shape[0]:
            trace.signals[at, w] = world.command.signals
        if wp.static(forces):
            if w < trace.qacc.shape[1] and at < trace.qacc.shape[0]:
                trace.qacc[at, w] = world.qacc
            if w < trace.moment.shape[1] and at < trace.moment.shape[0]:
                trace.moment[at, w] = world.felt.moment
            if w < trace.grf.shape[1] and at < trace.grf.shape[0]:
                trace.grf[at, w] = world.felt.force

    @plan.part
    def averaged(world, trace):
        n = world.done + world.k
        w = world.w
        at = n // trace.stride - trace.begun
        count = n % trace.stride
        if at >= 0 and w < trace.mean_moment.shape[1] and at < trace.mean_moment.shape[0]:
            moment = world.felt.moment
            force = world.felt.force
            if count > 0:
                share = one / real(count + 1)
                moment = trace.mean_moment[at, w] + (moment - trace.mean_moment[at, w]) * share
                force = trace.mean_grf[at, w] + (force - trace.mean_grf[at, w]) * share
            trace.mean_moment[at, w] = moment
            trace.mean_grf[at, w] = force

    @plan.part
    def record(world, push, setting, worlds, pushing, trace, past, hardware):
        if trace.stride > 0:
            if (world.done + world.k) % trace.stride == 0:
                recorded(world, trace)
            if wp.static(forces):
                averaged(world, trace)

    return record


def runge_kutta_part(plan: WorldStepPlan, evaluate: wp.Function) -> wp.Function:
    """Fourth-order Runge-Kutta: the accelerations and the rate of positions over a step, of four evaluations. What the
    law remembers and where the ground holds points are those of the first."""
    real, held, advance = plan.structures.types.real, plan.features.held, plan.structures.types.compiled.advance
    half, two, sixth = real(0.5), real(2.0), real(1.0 / 6.0)

    @plan.part
    def runge_kutta(world, push, setting, worlds, pushing, trace, past, hardware):
        q = world.sense.qpos
        v = world.sense.qvel
        dt = world.sense.dt
        begun = world.command
        memory = world.memory
        contact = world.contact
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
            world.sense.time = real(world.loop.step) * dt + span
            evaluate(world, push, setting, worlds, pushing, trace, past, hardware)
            world.memory = memory
            world.contact = contact
            summed_rate += rate * weight
            summed_qacc += world.qacc * weight
            stage += 1
        world.command = begun
        world.sense.qpos = q
        world.sense.qvel = v
        world.sense.time = real(world.loop.step) * dt
        world.qacc = summed_qacc * sixth
        world.rate = summed_rate * sixth

    return runge_kutta


def integrate_part(plan: WorldStepPlan, fall: wp.Function | None) -> wp.Function:
    """Positions and velocities at the end of the step, and the sums of what was done in it; a world whose velocities
    run away has diverged, others may ``fall``."""
    types, advance = plan.structures.types, plan.structures.types.compiled.advance
    runge_kutta, midpoint, can_fall = plan.integrator == "rk4", plan.integrator == "explicit", fall is not None
    add, half, runaway = tally_function(types, efforts=plan.features.efforts), types.real(0.5), types.real(RUNAWAY)

    @plan.part
    def integrate(world, push, setting, worlds, pushing, trace, past, hardware):
        dt = world.sense.dt
        moved = world.sense.qvel + world.qacc * dt
        if not (wp.dot(moved, moved) < runaway):
            worlds.status[world.w] = wp.static(DIVERGED)
            worlds.end_step[world.w] = world.done + world.k
            world.steps = world.k
        else:
            add(world.tally, world.stance, world.sense, world.command, world.qacc)
            if wp.static(runge_kutta):
                advance(world.sense.qpos, world.rate, dt)
            elif wp.static(midpoint):
                middle = world.sense.qvel + world.qacc * (half * dt)
                advance(world.sense.qpos, middle, dt)
            else:
                advance(world.sense.qpos, moved, dt)
            world.sense.qvel = moved
            world.k += 1
            if wp.static(can_fall):
                fall(world, push, setting, worlds, pushing, trace, past, hardware)

    return integrate


def watch_again_part(plan: WorldStepPlan) -> wp.Function:
    """Nothing is a fall; every so many steps it is seen again whether the body's surface is close to the ground."""

    @plan.part
    def watch_again(world, push, setting, worlds, pushing, trace, past, hardware):
        world.until_check -= 1
        if world.until_check == 0:
            world.until_check = world.fall_stride

    return watch_again


def fall_part(plan: WorldStepPlan) -> wp.Function | None:
    """Every so many steps, whether the figure has fallen; its world stops then."""
    law, compiled = plan.law, plan.structures.types.compiled
    turns, kneels = law.turns_over, plan.features.surface
    if law.gets_up and kneels:
        return watch_again_part(plan)
    fallen = fall_function(compiled, plan.height, turns_over=turns, upright=law.prescribes, kneels=kneels)
    fall_x = TALLY.index("fall_x")
    if fallen is None:
        return None

    @plan.part
    def check_fall(world, push, setting, worlds, pushing, trace, past, hardware):
        world.until_check -= 1
        if world.until_check == 0:
            world.until_check = world.fall_stride
            if fallen(
                world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], setting.table, world.rows[3],
                world.command.turning_over,
            ):  # fmt: skip
                worlds.status[world.w] = wp.static(FELL)
                worlds.end_step[world.w] = world.done + world.k
                world.tally[wp.static(fall_x)] = world.sense.qpos[0]
                world.steps = world.k

    return check_fall
