"""One evaluation of a world: sense, feel the ground, act, accelerate.

The parts meet here in the order of the papers: ground forces from the current state, then the law, then the dynamics.
"""

from dataclasses import dataclass

import warp as wp

from footfall.control.law import Law
from footfall.dynamics.ground import ground_function, settle_function, terrain_height
from footfall.dynamics.stops import stop_function
from footfall.errors import FootfallError
from footfall.simulation.structures import Structures

__all__ = ["Evaluation", "build_evaluation"]

HELD = 1e4
"""kg m² that another engine's joints weigh while a law prescribes their accelerations: so much more than the figure's
own inertia that the torque HELD a gives them the acceleration a, whatever else acts."""


@dataclass(frozen=True)
class Evaluation:
    """The evaluation as a Warp function.

    Attributes:
        function: (sense, memory, contact, push, late, setting, rows, command, qacc, felt).
        height: (table, row, x, y) the terrain's.
    """

    function: wp.Function
    height: wp.Function


def build_evaluation(
    structures: Structures,
    law: Law,
    *,
    ground: str,
    terrain: str,
    delayed: bool,
    forces: bool = False,
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
    if prescribes and implicit:
        raise FootfallError("a law that prescribes accelerations needs explicit steps: integrator 'explicit' or 'rk4'")
    stages = compiled.stages(implicit=implicit, prescribed=prescribes)
    sense_stage, accelerate_stage = stages.sense, stages.accelerate
    feel = ground_function(compiled, ground, terrain, implicit=implicit)
    settle = settle_function(compiled, ground)
    height = terrain_height(terrain, compiled.real)
    look = law.sight(types, height)
    act = law.build(types)
    stop = None if prescribes else stop_function(compiled, implicit=implicit)
    stops = stop is not None
    correct = law.correction(types)
    sees, elsewhere, corrects, coupled = look is not None, outside is not None, correct is not None, law.coupled_torques
    one = compiled.real(1.0)
    real, Qvel, Points, Pushes = compiled.real, compiled.Qvel, compiled.Points, compiled.Pushes
    Scratch, Sense, Memory, Command = stages.Scratch, types.Sense, types.Memory, types.Command
    Responses, Setting, Contact, Late = types.Responses, structures.Setting, structures.Contact, structures.Late
    Felt = structures.Felt

    @wp.func
    def apply_correction(
        sense: wp.ref[Sense],
        setting: Setting,
        rows: wp.vec4i,
        scratch: wp.ref[Scratch],
        force: wp.ref[Points],
        stiffness: wp.ref[Points],
        push: wp.ref[Pushes],
        moved: wp.ref[Points],
        driven: wp.ref[Qvel],
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
    ):
        """Let the law correct torques that depend linearly on accelerations: answer it the responses to unit torques,
        then accelerate under what it makes of them."""
        responses = Responses()
        trial = command.torque
        answer = Qvel()
        for k in range(wp.static(coupled)):
            trial[command.coupled[k]] = trial[command.coupled[k]] + one
            accelerate_stage(
                sense.qpos, sense.qvel, setting.body, rows[0], scratch, trial, force, command.stiffness, stiffness,
                push, answer, moved,
            )  # fmt: skip
            responses[k] = answer
            trial[command.coupled[k]] = trial[command.coupled[k]] - one
        stopped = command.torque - driven
        command.torque = driven
        correct(command, qacc, responses)
        driven = command.torque
        command.torque = driven + stopped
        accelerate_stage(
            sense.qpos, sense.qvel, setting.body, rows[0], scratch, command.torque, force, command.stiffness, stiffness,
            push, qacc, moved,
        )  # fmt: skip

    @wp.func
    def evaluate(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        contact: wp.ref[Contact],
        push: wp.ref[Pushes],
        late: wp.ref[Late],
        setting: Setting,
        rows: wp.vec4i,
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
        felt: wp.ref[Felt],
    ):
        scratch = Scratch()
        force = Points()
        stiffness = Points()
        moved = Points()
        sense_stage(sense.qpos, sense.qvel, setting.body, rows[0], scratch, sense.position, sense.velocity)
        feel(
            sense.position,
            sense.velocity,
            contact.anchor,
            contact.mask,
            force,
            stiffness,
            sense.dt,
            setting.ground,
            rows[2],
            setting.table,
            rows[3],
        )
        sense.contact = contact.mask
        if wp.static(delayed):
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
        if wp.static(sees):
            look(sense, memory, setting.parameters, rows[1], setting.table, rows[3])
        act(sense, memory, setting.parameters, rows[1], command)
        if wp.static(delayed):
            asked = command.torque
            if late.acts > 0:
                command.torque = late.torque
                command.stiffness = Qvel()
            late.torque = asked
        driven = command.torque
        if wp.static(stops):
            stop(sense.qpos, sense.qvel, sense.dt, command.torque, command.stiffness)
        if wp.static(elsewhere):
            if wp.static(prescribes):
                for j in range(6, wp.static(compiled.nv)):
                    command.stiffness[j] = real(wp.static(HELD))
                    command.torque[j] = real(wp.static(HELD)) * command.acceleration[j]
            scene_row = wp.min(wp.max(rows[0], wp.max(rows[2], rows[3])), setting.scene.shape[0] - 1)
            outside(
                sense.qpos, sense.qvel, setting.body, rows[0], setting.scene, scene_row, command.torque,
                command.stiffness, force, push, qacc,
            )  # fmt: skip
        elif wp.static(prescribes):
            accelerate_stage(
                sense.qpos, sense.qvel, setting.body, rows[0], scratch, command.acceleration, force, push, qacc,
                command.torque,
            )  # fmt: skip
        elif wp.static(implicit):
            solves = int(0)
            again = bool(True)
            while again:
                accelerate_stage(
                    sense.qpos, sense.qvel, setting.body, rows[0], scratch, command.torque, force, command.stiffness,
                    stiffness, push, qacc, moved,
                )  # fmt: skip
                again = False
                if solves < 2:
                    again = settle(
                        sense.position,
                        sense.velocity,
                        moved,
                        contact.anchor,
                        force,
                        stiffness,
                        sense.dt,
                        setting.ground,
                        rows[2],
                    )
                solves += 1
            if wp.static(corrects and not delayed):
                apply_correction(sense, setting, rows, scratch, force, stiffness, push, moved, driven, command, qacc)
            if wp.static(corrects and delayed):
                if late.acts == 0:  # a torque that comes late depends on no acceleration of now
                    apply_correction(
                        sense, setting, rows, scratch, force, stiffness, push, moved, driven, command, qacc
                    )
        else:
            accelerate_stage(sense.qpos, sense.qvel, setting.body, rows[0], scratch, command.torque, force, push, qacc)
        if wp.static(forces):
            felt.moment = command.torque
            felt.force = force
            if wp.static(implicit or elsewhere):
                felt.moment = command.torque - wp.cw_mul(command.stiffness, qacc)
            if wp.static(implicit and not elsewhere):
                felt.force = force - wp.cw_mul(stiffness, moved)
        if wp.static(stops):  # what the law gave, without the stops
            command.torque = driven

    return Evaluation(evaluate, height)
