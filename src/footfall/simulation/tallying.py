"""Running sums of every world, so that a million of them need no trace."""

import warp as wp

from footfall.control.law import Types

TALLY = (
    "footsteps",
    "first_footstep_time",
    "last_footstep_time",
    "first_footstep_x",
    "last_footstep_x",
    "torque_squared",
    "acceleration_squared",
    "work",
    "peak_torque",
    "torso_low",
    "torso_high",
    "fall_x",
)
"""footsteps: exchanges of stance. torque_squared, acceleration_squared, work: integrals over time of the summed
squares of
joint torques and of accelerations, and of the joints' absolute power. peak_torque: the largest joint torque. torso_low,
torso_high: the range of a planar torso's pitch since the fifth footstep. fall_x: where it fell. All of
them end with the fall."""


def tally_function(types: Types, *, efforts: bool) -> wp.Function:
    """A Warp function (tally, stance, sense, command, qacc) that adds a step.

    Without ``efforts`` only footsteps are counted.
    """
    compiled, real = types.compiled, types.real
    Tally = wp.types.vector(length=len(TALLY), dtype=real)
    Qvel, Sense, Command = compiled.Qvel, types.Sense, types.Command
    nv, planar = compiled.nv, compiled.planar
    root = {"planar": 3, "free": 6, "fixed": 0}[compiled.figure.root]

    @wp.func
    def add(
        tally: wp.ref[Tally],
        stance: wp.ref[wp.int32],
        sense: wp.ref[Sense],
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
    ):
        if command.stance != stance:
            if stance >= 0:
                tally[0] += real(1.0)
                if tally[0] == real(1.0):
                    tally[1] = sense.time
                    tally[3] = sense.qpos[0]
                tally[2] = sense.time
                tally[4] = sense.qpos[0]
            stance = command.stance
        if wp.static(efforts):
            for j in range(wp.static(nv)):
                if wp.static(j >= root):
                    effort = command.torque[j] - command.stiffness[j] * qacc[j]
                    tally[5] += effort * effort * sense.dt
                    tally[7] += wp.abs(effort * sense.qvel[j]) * sense.dt
                    tally[8] = wp.max(tally[8], wp.abs(effort))
                tally[6] += qacc[j] * qacc[j] * sense.dt
            if wp.static(planar):
                if tally[0] > real(4.0):
                    tally[9] = wp.min(tally[9], sense.qpos[2])
                    tally[10] = wp.max(tally[10], sense.qpos[2])

    return add
