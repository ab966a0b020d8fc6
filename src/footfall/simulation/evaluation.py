"""One evaluation of a world: sense, feel the ground, act, accelerate.

The parts meet here in the order of the papers: ground forces from the current state, then the law, then the dynamics.
"""

from dataclasses import dataclass

import warp as wp

from footfall.control.law import Law
from footfall.dynamics.ground import ground_function, settle_function, terrain_height
from footfall.errors import FootfallError
from footfall.simulation.ragdoll import ragdoll_function
from footfall.simulation.structures import Structures

__all__ = ["Evaluation", "build_evaluation"]

HELD = 1e4
"""kg m² that another engine's joints weigh while a law prescribes their accelerations: so much more than the figure's
own inertia that the torque HELD a gives them the acceleration a, whatever else acts."""


@dataclass(frozen=True)
class Evaluation:
    """The evaluation as a Warp function.

    Attributes:
        function: (sense, memory, contact, push, late, limp, setting, rows, command, qacc).
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
    goes_ragdoll: bool = False,
    outside: wp.Function | None = None,
) -> Evaluation:
    """Compose a figure's dynamics, a ground and a law.

    ``outside`` (qpos, qvel, body, body_row, scene, scene_row, torque, stiffness, push, qacc) takes the place of the
    dynamics and of the ground's forces: another engine. Where a fallen world ``goes_ragdoll``, its law acts no more.
    """
    types = structures.types
    compiled, implicit = types.compiled, types.implicit
    prescribes = law.prescribes
    if prescribes and implicit:
        raise FootfallError("a law that prescribes accelerations needs explicit steps: integrator 'explicit' or 'rk4'")
    stages = compiled.stages(implicit=implicit, prescribed=prescribes)
    sense_stage, accelerate_stage = stages.sense, stages.accelerate
    limp_stages = compiled.stages(implicit=implicit) if prescribes and goes_ragdoll else stages
    limp_sense, limp_accelerate, LimpScratch = limp_stages.sense, limp_stages.accelerate, limp_stages.Scratch
    feel = ground_function(compiled, ground, terrain, implicit=implicit)
    settle = settle_function(compiled, ground)
    height = terrain_height(terrain, compiled.real)
    look = law.sight(types, height)
    act = law.build(types)
    droop = ragdoll_function(compiled, implicit=implicit) if goes_ragdoll else None
    correct = law.correction(types)
    sees, elsewhere, corrects, coupled = look is not None, outside is not None, correct is not None, law.coupled_torques
    one = compiled.real(1.0)
    real, Qvel, Points, Pushes = compiled.real, compiled.Qvel, compiled.Points, compiled.Pushes
    Scratch, Sense, Memory, Command = stages.Scratch, types.Sense, types.Memory, types.Command
    Responses, Setting, Contact, Late = types.Responses, structures.Setting, structures.Contact, structures.Late

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
        correct(command, qacc, responses)
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
        limp: bool,
        setting: Setting,
        rows: wp.vec4i,
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
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
        if wp.static(goes_ragdoll):
            if limp:
                slack = Qvel()
                give = Qvel()
                droop(sense.qpos, sense.qvel, sense.dt, slack, give)
                command.torque = slack
                command.stiffness = give
        if wp.static(elsewhere):
            if wp.static(prescribes):
                if not limp:
                    for j in range(6, wp.static(compiled.nv)):
                        command.stiffness[j] = real(wp.static(HELD))
                        command.torque[j] = real(wp.static(HELD)) * command.acceleration[j]
            scene_row = wp.min(wp.max(rows[0], wp.max(rows[2], rows[3])), setting.scene.shape[0] - 1)
            outside(
                sense.qpos,
                sense.qvel,
                setting.body,
                rows[0],
                setting.scene,
                scene_row,
                command.torque,
                command.stiffness,
                force,
                push,
                qacc,
            )
        elif wp.static(prescribes):
            driven = bool(True)
            if wp.static(goes_ragdoll):
                if limp:
                    driven = False
                    limp_scratch = LimpScratch()
                    limp_sense(
                        sense.qpos, sense.qvel, setting.body, rows[0], limp_scratch, sense.position, sense.velocity
                    )
                    limp_accelerate(
                        sense.qpos, sense.qvel, setting.body, rows[0], limp_scratch, command.torque, force, push, qacc
                    )
            if driven:
                accelerate_stage(
                    sense.qpos, sense.qvel, setting.body, rows[0], scratch, command.acceleration, force, push, qacc,
                    command.torque,
                )  # fmt: skip
        elif wp.static(implicit):
            solves = int(0)
            again = bool(True)
            while again:
                accelerate_stage(
                    sense.qpos,
                    sense.qvel,
                    setting.body,
                    rows[0],
                    scratch,
                    command.torque,
                    force,
                    command.stiffness,
                    stiffness,
                    push,
                    qacc,
                    moved,
                )
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
            if wp.static(corrects):
                apply_correction(sense, setting, rows, scratch, force, stiffness, push, moved, command, qacc)
        else:
            accelerate_stage(sense.qpos, sense.qvel, setting.body, rows[0], scratch, command.torque, force, push, qacc)

    return Evaluation(evaluate, height)
