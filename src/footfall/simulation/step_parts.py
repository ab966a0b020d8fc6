"""The parts of a step: small Warp functions, each made for a figure, a law and what is between them.

All have one signature, so that :func:`footfall.simulation.step_plan.in_order` can put any of them one after the other:

    part(world, push, setting, worlds, pushing, trace, past, hardware)

``world`` is a world that runs (:attr:`StepPlan.World`) and ``push`` the forces at the places that are pushed, both by
reference; the others are what the kernel takes (:class:`footfall.simulation.structures.Structures`). A function that
makes a part answers None where a figure, a law or a run has no use for it: it is then not compiled in.

The parts of one evaluation are here, in the order of the papers: ground forces from the current state, then the law,
then what is between it and the joints (:mod:`footfall.simulation.hardware`), then the dynamics.
"""

from dataclasses import replace

import warp as wp

from footfall.dynamics.ground import ground_function, rolling_contact, settle_function
from footfall.dynamics.lying import low_function
from footfall.simulation.hardware import motor_function, noise_function
from footfall.simulation.step_plan import WorldStepPlan

HELD = 1e4
"""kg m² that another engine's joints weigh while a law prescribes their accelerations: so much more than the figure's
own inertia that the torque HELD a gives them the acceleration a, whatever else acts."""


def sense_part(plan: WorldStepPlan) -> wp.Function:
    """Where the ground points are, and how fast they move."""
    sense = plan.stages.sense

    @plan.part
    def sense_points(world, push, setting, worlds, pushing, trace, past, hardware):
        sense(
            world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], world.work.scratch, world.sense.position,
            world.sense.velocity,
        )  # fmt: skip

    return sense_points


def feel_part(plan: WorldStepPlan) -> wp.Function:
    """The ground's forces, and which points touch it."""
    types = plan.structures.types
    ground = ground_function(types.compiled, plan.ground, plan.terrain, implicit=types.implicit)
    roll = rolling_contact(types.compiled, plan.height) if plan.outside is not None else None
    rolls = roll is not None

    @plan.part
    def feel(world, push, setting, worlds, pushing, trace, past, hardware):
        ground(
            world.sense.position, world.sense.velocity, world.contact.anchor, world.contact.mask, world.work.force,
            world.work.stiffness, world.sense.dt, setting.ground, world.rows[2], setting.table, world.rows[3],
        )  # fmt: skip
        if wp.static(rolls):
            roll(world.sense.position, world.contact.mask, setting.table, world.rows[3])
        world.sense.contact = world.contact.mask

    return feel


def watch_part(plan: WorldStepPlan) -> wp.Function | None:
    """Whether the body's surface is close to the ground, as often as falls are looked for."""
    if not plan.features.surface:
        return None
    is_low = low_function(plan.structures.types.compiled, plan.terrain)

    @plan.part
    def watch(world, push, setting, worlds, pushing, trace, past, hardware):
        if world.k == 0 or world.until_check == world.fall_stride:
            world.low = is_low(
                world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], setting.table, world.rows[3]
            )

    return watch


def see_part(plan: WorldStepPlan) -> wp.Function | None:
    """What balance sees: the present, or a state that a sensor delay kept back. A law with noise finds the ground
    points of a late state by itself."""
    if plan.features.delayed and plan.features.noisy:
        return None
    sense, Scratch, Points = plan.stages.sense, plan.stages.Scratch, plan.structures.types.compiled.Points
    delayed = plan.features.delayed

    @plan.part
    def see(world, push, setting, worlds, pushing, trace, past, hardware):
        if wp.static(delayed):
            velocity = Points()
            scratch = Scratch()
            sense(
                world.sense.seen_qpos, world.sense.seen_qvel, setting.body, world.rows[0], scratch,
                world.sense.seen_position, velocity,
            )  # fmt: skip
        else:
            world.sense.seen_qpos = world.sense.qpos
            world.sense.seen_qvel = world.sense.qvel
            world.sense.seen_position = world.sense.position
            world.sense.seen_contact = world.contact.mask

    return see


def decide_part(plan: WorldStepPlan) -> wp.Function:
    """The law acts, once it has looked at the terrain.

    With a rate of its own it acts when it is time; the time step that it then knows, by which its own clocks advance,
    is the time until it acts again.
    """
    types, held, noisy = plan.structures.types, plan.features.held, plan.features.noisy
    look = plan.law.sight(types, plan.height)
    sees = look is not None
    act = plan.law.build(replace(types, implicit=False) if held else types)
    felt = noisy_part(plan, look, act) if noisy else None

    @plan.part
    def decide(world, push, setting, worlds, pushing, trace, past, hardware):
        if wp.static(noisy):
            felt(world, push, setting, worlds, pushing, trace, past, hardware)
        else:
            if wp.static(sees):
                look(world.sense, world.memory, setting.parameters, world.rows[1], setting.table, world.rows[3])
            if wp.static(held):
                step = world.sense.dt
                world.sense.dt = world.loop.period
                act(world.sense, world.memory, setting.parameters, world.rows[1], world.command)
                world.sense.dt = step
            else:
                act(world.sense, world.memory, setting.parameters, world.rows[1], world.command)

    @plan.part
    def decide_in_time(world, push, setting, worlds, pushing, trace, past, hardware):
        world.sense.library = setting.library
        if wp.static(held or noisy):
            if world.loop.tick > 0:
                decide(world, push, setting, worlds, pushing, trace, past, hardware)
        else:
            decide(world, push, setting, worlds, pushing, trace, past, hardware)

    return decide_in_time


def noisy_part(plan: WorldStepPlan, look: wp.Function | None, act: wp.Function) -> wp.Function:
    """The law acts by what its sensors read.

    It gets a state of its own, in which joints and root are wrong by this step's errors, and the ground points are
    where that state puts them; what it sees late has the errors of the step that it is from.
    """
    types, held, delayed, sees = plan.structures.types, plan.features.held, plan.features.delayed, look is not None
    Sense, Points, Scratch = types.Sense, types.compiled.Points, plan.stages.Scratch
    disturb, sense_points = noise_function(types.compiled), plan.stages.sense

    @plan.part
    def decide_by_sensors(world, push, setting, worlds, pushing, trace, past, hardware):
        felt = Sense()
        felt.time = world.sense.time
        felt.dt = world.sense.dt
        if wp.static(held):
            felt.dt = world.loop.period
        felt.qpos = world.sense.qpos
        felt.qvel = world.sense.qvel
        felt.contact = world.sense.contact
        felt.seen_contact = world.sense.seen_contact
        felt.qacc = world.sense.qacc
        felt.library = world.sense.library
        row = wp.min(world.loop.world, hardware.noise.shape[0] - 1)
        key = hardware.key[world.loop.world]
        scratch = Scratch()
        disturb(felt.qpos, felt.qvel, hardware.noise, row, key, world.loop.step)
        sense_points(felt.qpos, felt.qvel, setting.body, world.rows[0], scratch, felt.position, felt.velocity)
        felt.seen_qpos = felt.qpos
        felt.seen_qvel = felt.qvel
        felt.seen_position = felt.position
        if wp.static(delayed):
            velocity = Points()
            felt.seen_qpos = world.sense.seen_qpos
            felt.seen_qvel = world.sense.seen_qvel
            disturb(felt.seen_qpos, felt.seen_qvel, hardware.noise, row, key, world.loop.seen_step)
            sense_points(
                felt.seen_qpos, felt.seen_qvel, setting.body, world.rows[0], scratch, felt.seen_position, velocity
            )
        if wp.static(sees):
            look(felt, world.memory, setting.parameters, world.rows[1], setting.table, world.rows[3])
        act(felt, world.memory, setting.parameters, world.rows[1], world.command)

    return decide_by_sensors


def hold_part(plan: WorldStepPlan) -> wp.Function | None:
    """Torques are held until the law acts again; nothing of them is implicit."""
    if not plan.features.held:
        return None
    Qvel = plan.structures.types.compiled.Qvel

    @plan.part
    def hold(world, push, setting, worlds, pushing, trace, past, hardware):
        if world.loop.tick == 0:
            world.command.torque = world.loop.held
        world.loop.held = world.command.torque
        world.command.stiffness = Qvel()

    return hold


def delay_part(plan: WorldStepPlan) -> wp.Function | None:
    """Joints get the torques that were asked for some steps ago."""
    if not plan.features.delayed:
        return None
    Qvel = plan.structures.types.compiled.Qvel

    @plan.part
    def delay(world, push, setting, worlds, pushing, trace, past, hardware):
        world.loop.asked = world.command.torque
        if world.loop.late > 0:
            world.command.torque = world.loop.due
            world.command.stiffness = Qvel()

    return delay


def motor_part(plan: WorldStepPlan) -> wp.Function:
    """What the motors give: nothing at joints without one, and no more than each can at its speed."""
    compiled, limited = plan.structures.types.compiled, plan.features.limited
    idle = tuple(d for d in range(compiled.root_freedoms, compiled.nv) if not compiled.driven[d])
    idles, zero = len(idle), compiled.real(0.0)
    limit = motor_limit_part(plan) if limited else None

    @plan.part
    def drive(world, push, setting, worlds, pushing, trace, past, hardware):
        for i in range(wp.static(idles)):
            world.command.torque[wp.static(idle[i])] = zero
            world.command.stiffness[wp.static(idle[i])] = zero
        if wp.static(limited):
            limit(world, push, setting, worlds, pushing, trace, past, hardware)
        world.work.driven = world.command.torque

    return drive


def motor_limit_part(plan: WorldStepPlan) -> wp.Function:
    """No more than each motor can give at its speed."""
    types = plan.structures.types
    limit = motor_function(types.compiled, implicit=types.implicit)

    @plan.part
    def limit_motors(world, push, setting, worlds, pushing, trace, past, hardware):
        row = wp.min(world.loop.world, hardware.motors.shape[0] - 1)
        limit(world.sense.qvel, world.sense.dt, hardware.motors, row, world.command.torque, world.command.stiffness)

    return limit_motors


def stop_part(plan: WorldStepPlan) -> wp.Function | None:
    """The body's own torques where a joint would leave its range."""
    stop = plan.stop
    if stop is None:
        return None

    @plan.part
    def stop_joints(world, push, setting, worlds, pushing, trace, past, hardware):
        stop(world.sense.qpos, world.sense.qvel, world.sense.dt, world.command.torque, world.command.stiffness)

    return stop_joints


def touch_part(plan: WorldStepPlan) -> wp.Function | None:
    """The torques of limbs that push each other."""
    if plan.limbs is None:
        return None
    press = plan.limbs.press

    @plan.part
    def touch_limbs(world, push, setting, worlds, pushing, trace, past, hardware):
        press(
            world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], world.work.scratch, world.sense.dt,
            world.command.torque,
        )  # fmt: skip

    return touch_limbs


def spring_part(plan: WorldStepPlan) -> wp.Function | None:
    """Dampers and stiff springs of the joints, one step ahead."""
    take_ahead = plan.spring
    if take_ahead is None:
        return None

    @plan.part
    def spring(world, push, setting, worlds, pushing, trace, past, hardware):
        take_ahead(world.sense.qvel, world.sense.dt, world.command.torque, world.command.stiffness)

    return spring


def friction_part(plan: WorldStepPlan) -> wp.Function | None:
    """Dry friction by the velocities, before the accelerations are known."""
    if not plan.iterates:
        return None
    rubs = plan.friction is not None
    begin = plan.friction.begin if plan.friction else None

    @plan.part
    def friction(world, push, setting, worlds, pushing, trace, past, hardware):
        world.work.solves = 0
        if wp.static(rubs):
            begin(
                world.sense.qvel, world.sense.dt, world.work.modes, world.command.torque, world.command.stiffness
            )  # fmt: skip

    return friction


def evaluate_parts(plan: WorldStepPlan) -> list[wp.Function | None]:
    """Sense, feel the ground, act: all that comes before the accelerations."""

    @plan.part
    def remember_stiffness(world, push, setting, worlds, pushing, trace, past, hardware):
        world.work.asked_stiffness = world.command.stiffness

    senses = [watch_part(plan), sense_part(plan), feel_part(plan), see_part(plan)]
    law = [*senses, decide_part(plan), hold_part(plan), delay_part(plan)]
    body = [stop_part(plan), touch_part(plan), remember_stiffness, spring_part(plan), friction_part(plan)]
    return [*law, motor_part(plan), *body]


def solve_part(plan: WorldStepPlan) -> wp.Function:
    """The accelerations: another engine's, or those of footfall's own dynamics."""
    if plan.outside is not None:
        return outside_part(plan)
    if plan.law.prescribes:
        return prescribed_part(plan)
    respond, rubs = plan.respond, plan.friction is not None and not plan.structures.types.implicit
    rub = plan.friction.plain if plan.friction else None

    @plan.part
    def solve(world, push, setting, worlds, pushing, trace, past, hardware):
        if wp.static(rubs):
            rub(world.sense.qvel, world.sense.dt, world.command.torque)
        respond(world, push, setting, world.command.torque, world.qacc)

    return solve


def outside_part(plan: WorldStepPlan) -> wp.Function:
    """Another engine's accelerations."""
    compiled, prescribes, outside = plan.structures.types.compiled, plan.law.prescribes, plan.outside
    driven, nv, heavy = tuple(compiled.driven), compiled.nv, compiled.real(HELD)

    @plan.part
    def solve_outside(world, push, setting, worlds, pushing, trace, past, hardware):
        if wp.static(prescribes):
            for j in range(6, wp.static(nv)):
                if wp.static(driven[j]):
                    world.command.stiffness[j] = heavy
                    world.command.torque[j] = heavy * world.command.acceleration[j]
        row = wp.min(wp.max(world.rows[0], wp.max(world.rows[2], world.rows[3])), setting.scene.shape[0] - 1)
        outside(
            world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], setting.scene, row, world.command.torque,
            world.command.stiffness, world.work.force, push, world.qacc,
        )  # fmt: skip

    return solve_outside


def prescribed_part(plan: WorldStepPlan) -> wp.Function:
    """Hybrid dynamics: the torques that bring about the accelerations that the law asks for."""
    implicit, accelerate, rubs = plan.structures.types.implicit, plan.stages.accelerate, plan.friction is not None
    rub, Qvel = plan.friction.plain if plan.friction else None, plan.structures.types.compiled.Qvel

    @plan.part
    def solve_prescribed(world, push, setting, worlds, pushing, trace, past, hardware):
        if wp.static(implicit):
            accelerate(
                world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], world.work.scratch,
                world.command.acceleration, world.work.force, world.work.stiffness, push, world.qacc,
                world.command.torque, world.work.moved,
            )  # fmt: skip
        else:
            accelerate(
                world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], world.work.scratch,
                world.command.acceleration, world.work.force, push, world.qacc, world.command.torque,
            )  # fmt: skip
        if wp.static(rubs):
            against = Qvel()
            rub(world.sense.qvel, world.sense.dt, against)
            world.command.torque = world.command.torque - against

    return solve_prescribed


def settle_part(plan: WorldStepPlan) -> wp.Function | None:
    """Mend forces that no ground and no joint's friction can give; the world is then unsettled."""
    if not plan.iterates:
        return None
    settle, rubs = settle_function(plan.structures.types.compiled, plan.ground), plan.friction is not None
    settle_friction, last_solve = plan.friction.settle if plan.friction else None, 3 if rubs else 2

    @plan.part
    def mend(world, push, setting, worlds, pushing, trace, past, hardware):
        unsettled = bool(False)
        if world.work.solves < wp.static(last_solve):
            unsettled = settle(
                world.sense.position, world.sense.velocity, world.work.moved, world.contact.anchor, world.work.force,
                world.work.stiffness, world.sense.dt, setting.ground, world.rows[2],
            )  # fmt: skip
            if wp.static(rubs):
                last = world.work.solves + 1 == wp.static(last_solve)
                if settle_friction(
                    world.sense.qvel, world.qacc, world.sense.dt, last, world.work.modes, world.command.torque,
                    world.command.stiffness,
                ):  # fmt: skip
                    unsettled = True
        world.work.solves += 1
        world.unsettled = unsettled

    return mend


def revise_part(plan: WorldStepPlan) -> wp.Function | None:
    """The law revises torques by the accelerations that they bring about, which are then found again."""
    if plan.outside is not None or (plan.features.held and not plan.law.prescribes):
        return None
    revision = plan.law.revision(plan.step_types)
    if revision is None:
        return None
    if plan.law.prescribes:
        return free_part(plan, revision)
    respond, limited = plan.respond, plan.features.limited
    limit = motor_limit_part(plan) if limited else None

    @plan.part
    def revise(world, push, setting, worlds, pushing, trace, past, hardware):
        if world.loop.late == 0:  # a torque that comes late depends on no acceleration of now
            torque = world.work.driven
            if revision(world, push, setting, torque):
                stopped = world.command.torque - world.work.driven
                world.command.torque = torque
                if wp.static(limited):
                    limit(world, push, setting, worlds, pushing, trace, past, hardware)
                world.work.driven = world.command.torque
                world.command.torque = world.work.driven + stopped
                respond(world, push, setting, world.command.torque, world.qacc)

    return revise


def free_part(plan: WorldStepPlan, revision: wp.Function) -> wp.Function:
    """Joints whose prescribed accelerations take more torque than the law allows move as what is left moves them."""
    implicit, rubs, Qvel = (
        plan.structures.types.implicit,
        plan.friction is not None,
        plan.structures.types.compiled.Qvel,
    )
    rub, sense_points = plan.friction.plain if plan.friction else None, plan.free_stages.sense
    accelerate, Scratch = plan.free_stages.accelerate, plan.free_stages.Scratch

    @plan.part
    def move_freely(world, push, setting, worlds, pushing, trace, past, hardware):
        if revision(world, push, setting, world.command.torque):
            scratch = Scratch()
            sense_points(
                world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], scratch, world.sense.position,
                world.sense.velocity,
            )  # fmt: skip
            given = world.command.torque
            if wp.static(rubs):
                rub(world.sense.qvel, world.sense.dt, given)
            if wp.static(implicit):
                servos = Qvel()
                accelerate(
                    world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], scratch, given, world.work.force,
                    servos, world.work.stiffness, push, world.qacc, world.work.moved,
                )  # fmt: skip
            else:
                accelerate(
                    world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], scratch, given, world.work.force,
                    push, world.qacc,
                )  # fmt: skip

    return move_freely


def felt_part(plan: WorldStepPlan) -> wp.Function | None:
    """What acted in the step, for the recorder: with the answers of implicit servos, stops and ground springs to the
    accelerations."""
    if not plan.features.forces:
        return None
    implicit, elsewhere = plan.structures.types.implicit, plan.outside is not None

    @plan.part
    def keep_forces(world, push, setting, worlds, pushing, trace, past, hardware):
        world.felt.moment = world.command.torque
        world.felt.force = world.work.force
        if wp.static(implicit or elsewhere):
            world.felt.moment = world.command.torque - wp.cw_mul(world.command.stiffness, world.qacc)
        if wp.static(implicit and not elsewhere):
            world.felt.force = world.work.force - wp.cw_mul(world.work.stiffness, world.work.moved)

    return keep_forces


def given_part(plan: WorldStepPlan) -> wp.Function:
    """The command is again what the motors gave, and nothing of the body."""
    springs, stops, rubs = plan.spring is not None, plan.stop is not None, plan.friction is not None
    softened = springs or (rubs and plan.structures.types.implicit)
    loaded = stops or springs or plan.limbs is not None or (rubs and not plan.law.prescribes)

    @plan.part
    def leave_motors(world, push, setting, worlds, pushing, trace, past, hardware):
        if wp.static(softened):
            world.command.stiffness = world.work.asked_stiffness
        if wp.static(loaded):
            world.command.torque = world.work.driven

    return leave_motors


def conclude_parts(plan: WorldStepPlan) -> list[wp.Function | None]:
    """All that comes after the accelerations: what was done in the step."""
    return [revise_part(plan), felt_part(plan), given_part(plan)]
