"""One decision of a law: it senses the world as its sensors tell, looks at the terrain, and acts."""

import warp as wp

from footfall.dynamics.stages import Stages
from footfall.simulation.features import Features
from footfall.simulation.noise import noise_function
from footfall.simulation.structures import Structures


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
