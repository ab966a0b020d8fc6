"""One evaluation of a world: sense, feel the ground, act, accelerate.

The parts meet here in the order of the papers: ground forces from the current state, then the law, then the dynamics.
Between the law and the joints is the hardware, where there is any (:mod:`footfall.simulation.hardware`).

One decision of a law: it senses the world as its sensors tell, looks at the terrain, and acts.
"""

from dataclasses import dataclass, replace
from typing import Any

import warp as wp

from footfall.control.law import Law
from footfall.dynamics.ground import ground_function, rolling_contact, settle_function, terrain_height
from footfall.dynamics.joints import dry_friction, passive_function, stop_function
from footfall.dynamics.stages import Stages
from footfall.simulation.motors import motor_function
from footfall.simulation.noise import noise_function
from footfall.simulation.structures import Features, Structures


def decide_function(
    structures: Structures,
    stages: Stages,
    look: wp.Function | None,
    act: wp.Function,
    features: Features,
) -> wp.Function:
    """A Warp function (sense, memory, loop, setting, hardware, rows, command): the law's command.

    With noise the law gets a state of its own, in which joints and root are wrong by this step's errors, and the
    ground points are where that state puts them; what it sees late has the errors of the step that it is from. The time
    step that the law knows, by which its own clocks advance, is the time until it acts again.
    """
    types = structures.types
    compiled, noisy, delayed, sees = types.compiled, features.noisy, features.delayed, look is not None
    held = features.held
    Points, sense_stage, Scratch = compiled.Points, stages.sense, stages.Scratch
    Sense, Memory, Command = types.Sense, types.Memory, types.Command
    Loop, Setting, Hardware = structures.Loop, structures.Setting, structures.Hardware
    disturb = noise_function(compiled) if noisy else None

    @wp.func
    def decide(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        loop: wp.ref[Loop],
        setting: Setting,
        hardware: Hardware,
        rows: wp.vec4i,
        command: wp.ref[Command],
    ):
        step = sense.dt
        period = sense.dt
        if wp.static(held):
            period = loop.period
        if wp.static(noisy):
            felt = Sense()
            felt.time = sense.time
            felt.dt = period
            felt.qpos = sense.qpos
            felt.qvel = sense.qvel
            felt.contact = sense.contact
            felt.seen_contact = sense.seen_contact
            felt.qacc = sense.qacc
            felt.library = sense.library
            row = wp.min(loop.world, hardware.noise.shape[0] - 1)
            key = hardware.key[loop.world]
            scratch = Scratch()
            disturb(felt.qpos, felt.qvel, hardware.noise, row, key, loop.step)
            sense_stage(felt.qpos, felt.qvel, setting.body, rows[0], scratch, felt.position, felt.velocity)
            felt.seen_qpos = felt.qpos
            felt.seen_qvel = felt.qvel
            felt.seen_position = felt.position
            if wp.static(delayed):
                seen_velocity = Points()
                felt.seen_qpos = sense.seen_qpos
                felt.seen_qvel = sense.seen_qvel
                disturb(felt.seen_qpos, felt.seen_qvel, hardware.noise, row, key, loop.seen_step)
                sense_stage(
                    felt.seen_qpos, felt.seen_qvel, setting.body, rows[0], scratch, felt.seen_position, seen_velocity
                )
            if wp.static(sees):
                look(felt, memory, setting.parameters, rows[1], setting.table, rows[3])
            act(felt, memory, setting.parameters, rows[1], command)
        else:
            if wp.static(sees):
                look(sense, memory, setting.parameters, rows[1], setting.table, rows[3])
            sense.dt = period
            act(sense, memory, setting.parameters, rows[1], command)
            sense.dt = step

    return decide


HELD = 1e4
"""kg m² that another engine's joints weigh while a law prescribes their accelerations: so much more than the figure's
own inertia that the torque HELD a gives them the acceleration a, whatever else acts."""


@dataclass(frozen=True)
class Evaluation:
    """The evaluation as Warp functions.

    A step's forces may turn out to be none that a ground or a joint's friction can give; they are mended then, and the
    accelerations found again: ``solve`` is repeated.

    Attributes:
        Work: structure of what a step keeps from one part to the next.
        prepare: (sense, memory, contact, push, loop, setting, hardware, rows, command, work) sense, feel, act.
        solve: (sense, contact, push, setting, rows, command, qacc, work) accelerate; whether to solve again.
        conclude: (sense, push, loop, setting, hardware, rows, command, qacc, felt, work) what was done in the step.
        mend: (sense, contact, setting, rows, command, qacc, work) what ``solve`` does after the accelerations, if steps
            are implicit: whether to find them again.
        stages: the dynamics.
        height: (table, row, x, y) the terrain's.
    """

    Work: Any
    prepare: wp.Function
    solve: wp.Function
    conclude: wp.Function
    mend: wp.Function
    stages: Stages
    height: wp.Function


def build_evaluation(
    structures: Structures,
    law: Law,
    *,
    ground: str,
    terrain: str,
    features: Features,
    outside: wp.Function | None = None,
) -> Evaluation:
    """Compose a figure's dynamics, a ground and a law.

    ``outside`` (qpos, qvel, body, body_row, scene, scene_row, torque, stiffness, force, push, qacc) takes the place of
    the dynamics and of the ground's forces: another engine. Joint stops act with the law's torques; a law that
    prescribes accelerations moves the joints by itself. With ``forces``, ``felt`` gets what acts in the step, with the
    answers of implicit servos, stops and ground springs to the accelerations.
    """
    types = structures.types
    compiled, implicit = types.compiled, types.implicit
    prescribes = law.prescribes
    stages = Stages(compiled, implicit=implicit, prescribed=prescribes)
    sense_stage, accelerate_stage = stages.sense, stages.accelerate
    keep_within = law.torque_limit(types) if prescribes and outside is None else None
    limits_torques = keep_within is not None
    free = Stages(compiled, implicit=implicit) if limits_torques else stages
    sense_free, accelerate_free, FreeScratch = free.sense, free.accelerate, free.Scratch
    feel = ground_function(compiled, ground, terrain, implicit=implicit)
    settle = settle_function(compiled, ground)
    height = terrain_height(terrain, compiled.real)
    roll = rolling_contact(compiled, height) if outside is not None else None
    rolls = roll is not None
    delayed, held, noisy, limited = features.delayed, features.held, features.noisy, features.limited
    forces = features.forces
    look = law.sight(types, height)
    act = law.build(replace(types, implicit=False) if held else types)
    decide = decide_function(structures, stages, look, act, features) if held or noisy else None
    limit = motor_function(compiled, implicit=implicit) if limited else None
    friction = None if outside is not None else dry_friction(compiled)
    take_ahead = passive_function(compiled) if implicit and not prescribes else None
    rubs, springs = friction is not None, take_ahead is not None
    Modes, begin_friction, settle_friction, rub = (
        (friction.Modes, friction.begin, friction.settle, friction.plain) if friction else (wp.vec2i, None, None, None)
    )
    last_solve = 3 if rubs else 2
    iterates = implicit and not prescribes and outside is None
    idle = tuple(d for d in range(compiled.root_freedoms, compiled.nv) if not compiled.driven[d])
    idles, driven_dofs = len(idle), tuple(compiled.driven)
    stop = None if prescribes else stop_function(compiled, implicit=implicit)
    stops = stop is not None
    correct = law.correction(types)
    sees, elsewhere, corrects, coupled = look is not None, outside is not None, correct is not None, law.coupled_torques
    zero, one = compiled.real(0.0), compiled.real(1.0)
    real, Qvel, Points, Pushes = compiled.real, compiled.Qvel, compiled.Points, compiled.Pushes
    Scratch, Sense, Memory, Command = stages.Scratch, types.Sense, types.Memory, types.Command
    Responses, Setting, Contact, Loop = types.Responses, structures.Setting, structures.Contact, structures.Loop
    Hardware = structures.Hardware
    Felt = structures.Felt

    @wp.struct
    class Work:
        scratch: Scratch
        force: Points
        stiffness: Points
        moved: Points
        driven: Qvel
        asked_stiffness: Qvel
        modes: Modes
        solves: wp.int32

    @wp.func
    def apply_correction(
        sense: wp.ref[Sense],
        loop: wp.ref[Loop],
        setting: Setting,
        hardware: Hardware,
        rows: wp.vec4i,
        push: wp.ref[Pushes],
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
        work: wp.ref[Work],
    ):
        """Let the law correct torques that depend linearly on accelerations: answer it the responses to unit torques,
        then accelerate under what it makes of them."""
        responses = Responses()
        trial = command.torque
        answer = Qvel()
        for k in range(wp.static(coupled)):
            trial[command.coupled[k]] = trial[command.coupled[k]] + one
            accelerate_stage(
                sense.qpos, sense.qvel, setting.body, rows[0], work.scratch, trial, work.force, command.stiffness,
                work.stiffness, push, answer, work.moved,
            )  # fmt: skip
            responses[k] = answer
            trial[command.coupled[k]] = trial[command.coupled[k]] - one
        stopped = command.torque - work.driven
        command.torque = work.driven
        correct(command, qacc, responses)
        if wp.static(limited):
            motor = wp.min(loop.world, hardware.motors.shape[0] - 1)
            limit(sense.qvel, sense.dt, hardware.motors, motor, command.torque, command.stiffness)
        work.driven = command.torque
        command.torque = work.driven + stopped
        accelerate_stage(
            sense.qpos, sense.qvel, setting.body, rows[0], work.scratch, command.torque, work.force, command.stiffness,
            work.stiffness, push, qacc, work.moved,
        )  # fmt: skip

    @wp.func
    def prepare(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        contact: wp.ref[Contact],
        push: wp.ref[Pushes],
        loop: wp.ref[Loop],
        setting: Setting,
        hardware: Hardware,
        rows: wp.vec4i,
        command: wp.ref[Command],
        work: wp.ref[Work],
    ):
        sense_stage(sense.qpos, sense.qvel, setting.body, rows[0], work.scratch, sense.position, sense.velocity)
        feel(
            sense.position,
            sense.velocity,
            contact.anchor,
            contact.mask,
            work.force,
            work.stiffness,
            sense.dt,
            setting.ground,
            rows[2],
            setting.table,
            rows[3],
        )
        if wp.static(rolls):
            roll(sense.position, contact.mask, setting.table, rows[3])
        sense.contact = contact.mask
        if wp.static(delayed):
            if wp.static(not noisy):
                seen_velocity = Points()
                seen_scratch = Scratch()
                sense_stage(
                    sense.seen_qpos,
                    sense.seen_qvel,
                    setting.body,
                    rows[0],
                    seen_scratch,
                    sense.seen_position,
                    seen_velocity,
                )
        else:
            sense.seen_qpos = sense.qpos
            sense.seen_qvel = sense.qvel
            sense.seen_position = sense.position
            sense.seen_contact = contact.mask
        sense.library = setting.library
        if wp.static(held or noisy):
            if loop.tick > 0:
                decide(sense, memory, loop, setting, hardware, rows, command)
        else:
            if wp.static(sees):
                look(sense, memory, setting.parameters, rows[1], setting.table, rows[3])
            act(sense, memory, setting.parameters, rows[1], command)
        if wp.static(held):
            if loop.tick == 0:
                command.torque = loop.held
            loop.held = command.torque
            command.stiffness = Qvel()
        if wp.static(delayed):
            loop.asked = command.torque
            if loop.late > 0:
                command.torque = loop.due
                command.stiffness = Qvel()
        for i in range(wp.static(idles)):
            command.torque[wp.static(idle[i])] = zero
            command.stiffness[wp.static(idle[i])] = zero
        if wp.static(limited):
            motor = wp.min(loop.world, hardware.motors.shape[0] - 1)
            limit(sense.qvel, sense.dt, hardware.motors, motor, command.torque, command.stiffness)
        work.driven = command.torque
        if wp.static(stops):
            stop(sense.qpos, sense.qvel, sense.dt, command.torque, command.stiffness)
        work.asked_stiffness = command.stiffness
        if wp.static(springs):
            take_ahead(sense.qvel, sense.dt, command.torque, command.stiffness)
        if wp.static(iterates):
            work.solves = 0
            if wp.static(rubs):
                begin_friction(sense.qvel, sense.dt, work.modes, command.torque, command.stiffness)

    @wp.func
    def mend(
        sense: wp.ref[Sense],
        contact: wp.ref[Contact],
        setting: Setting,
        rows: wp.vec4i,
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
        work: wp.ref[Work],
    ):
        unsettled = bool(False)
        if work.solves < wp.static(last_solve):
            unsettled = settle(
                sense.position,
                sense.velocity,
                work.moved,
                contact.anchor,
                work.force,
                work.stiffness,
                sense.dt,
                setting.ground,
                rows[2],
            )
            if wp.static(rubs):
                last = work.solves + 1 == wp.static(last_solve)
                if settle_friction(sense.qvel, qacc, sense.dt, last, work.modes, command.torque, command.stiffness):
                    unsettled = True
        work.solves += 1
        return unsettled

    @wp.func
    def solve(
        sense: wp.ref[Sense],
        contact: wp.ref[Contact],
        push: wp.ref[Pushes],
        setting: Setting,
        rows: wp.vec4i,
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
        work: wp.ref[Work],
    ):
        unsettled = bool(False)
        if wp.static(elsewhere):
            if wp.static(prescribes):
                for j in range(6, wp.static(compiled.nv)):
                    if wp.static(driven_dofs[j]):
                        command.stiffness[j] = real(wp.static(HELD))
                        command.torque[j] = real(wp.static(HELD)) * command.acceleration[j]
            scene_row = wp.min(wp.max(rows[0], wp.max(rows[2], rows[3])), setting.scene.shape[0] - 1)
            outside(
                sense.qpos, sense.qvel, setting.body, rows[0], setting.scene, scene_row, command.torque,
                command.stiffness, work.force, push, qacc,
            )  # fmt: skip
        elif wp.static(prescribes):
            if wp.static(implicit):
                accelerate_stage(
                    sense.qpos, sense.qvel, setting.body, rows[0], work.scratch, command.acceleration, work.force,
                    work.stiffness, push, qacc, command.torque, work.moved,
                )  # fmt: skip
            else:
                accelerate_stage(
                    sense.qpos, sense.qvel, setting.body, rows[0], work.scratch, command.acceleration, work.force,
                    push, qacc, command.torque,
                )  # fmt: skip
            if wp.static(rubs):
                against = Qvel()
                rub(sense.qvel, sense.dt, against)
                command.torque = command.torque - against
            if wp.static(limits_torques):
                if keep_within(setting.parameters, rows[1], command.torque):
                    free_scratch = FreeScratch()
                    sense_free(
                        sense.qpos, sense.qvel, setting.body, rows[0], free_scratch, sense.position, sense.velocity
                    )  # fmt: skip
                    given = command.torque
                    if wp.static(rubs):
                        rub(sense.qvel, sense.dt, given)
                    if wp.static(implicit):
                        servos = Qvel()
                        accelerate_free(
                            sense.qpos, sense.qvel, setting.body, rows[0], free_scratch, given, work.force, servos,
                            work.stiffness, push, qacc, work.moved,
                        )  # fmt: skip
                    else:
                        accelerate_free(
                            sense.qpos, sense.qvel, setting.body, rows[0], free_scratch, given, work.force, push, qacc
                        )  # fmt: skip
        elif wp.static(implicit):
            accelerate_stage(
                sense.qpos, sense.qvel, setting.body, rows[0], work.scratch, command.torque, work.force,
                command.stiffness, work.stiffness, push, qacc, work.moved,
            )  # fmt: skip
            unsettled = mend(sense, contact, setting, rows, command, qacc, work)
        else:
            if wp.static(rubs):
                rub(sense.qvel, sense.dt, command.torque)
            accelerate_stage(
                sense.qpos, sense.qvel, setting.body, rows[0], work.scratch, command.torque, work.force, push, qacc
            )
        return unsettled

    @wp.func
    def conclude(
        sense: wp.ref[Sense],
        push: wp.ref[Pushes],
        loop: wp.ref[Loop],
        setting: Setting,
        hardware: Hardware,
        rows: wp.vec4i,
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
        felt: wp.ref[Felt],
        work: wp.ref[Work],
    ):
        if wp.static(iterates and corrects and not delayed and not held):
            apply_correction(sense, loop, setting, hardware, rows, push, command, qacc, work)
        if wp.static(iterates and corrects and delayed and not held):
            if loop.late == 0:  # a torque that comes late depends on no acceleration of now
                apply_correction(sense, loop, setting, hardware, rows, push, command, qacc, work)
        if wp.static(forces):
            felt.moment = command.torque
            felt.force = work.force
            if wp.static(implicit or elsewhere):
                felt.moment = command.torque - wp.cw_mul(command.stiffness, qacc)
            if wp.static(implicit and not elsewhere):
                felt.force = work.force - wp.cw_mul(work.stiffness, work.moved)
        if wp.static(springs or (rubs and implicit)):
            command.stiffness = work.asked_stiffness
        if wp.static(stops or springs or (rubs and not prescribes)):  # what the motors gave, and nothing of the body
            command.torque = work.driven

    return Evaluation(Work, prepare, solve, conclude, mend, stages, height)
