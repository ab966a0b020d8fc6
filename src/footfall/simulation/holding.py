"""Holding a command over the end of a launch: what the joints get until the law acts again, as one vector."""

import warp as wp

from footfall.simulation.structures import Structures


def holding_functions(structures: Structures) -> tuple[wp.Function, wp.Function]:
    """Warp functions (command, torque, held), which keeps a command with the law's own torque, and (held, command,
    torque), which takes it up again."""
    types, Held = structures.types, structures.Held
    real, Command, Qvel = types.real, types.Command, types.compiled.Qvel
    nv, count = types.compiled.nv, types.Signals._length_
    last = 2 * nv + count
    one, zero = real(1.0), real(0.0)

    @wp.func
    def keep(command: wp.ref[Command], torque: wp.ref[Qvel], held: wp.ref[Held]):
        for j in range(wp.static(nv)):
            held[j] = torque[j]
            held[wp.static(nv) + j] = command.acceleration[j]
        for k in range(wp.static(count)):
            held[wp.static(2 * nv) + k] = command.signals[k]
        held[wp.static(last)] = real(command.state)
        held[wp.static(last + 1)] = real(command.stance)
        held[wp.static(last + 2)] = wp.where(command.turning_over, one, zero)

    @wp.func
    def take_up(held: wp.ref[Held], command: wp.ref[Command], torque: wp.ref[Qvel]):
        for j in range(wp.static(nv)):
            torque[j] = held[j]
            command.acceleration[j] = held[wp.static(nv) + j]
        for k in range(wp.static(count)):
            command.signals[k] = held[wp.static(2 * nv) + k]
        command.state = int(held[wp.static(last)])
        command.stance = int(held[wp.static(last + 1)])
        command.turning_over = held[wp.static(last + 2)] > zero

    return keep, take_up
