"""The state machine of a pose control graph: when a state ends, and which one follows (SIMBICON, section 3.1).

A state may be left when its time is over; one that waits for contact, when a foot touches the ground besides. Where a
law holds several graphs, a request replaces the state that would follow by its match in the graph requested.
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.now import NowParts
from footfall.control.rows import MACHINE, GraphField, MemoryLayout, RowLayout, StateField
from footfall.errors import FootfallError
from footfall.figures import Figure


def sensor_masks(types: Types, sensor: str) -> tuple[int, int, int, int]:
    """Bit masks of the points that tell contact: the left and the right foot's heel, then the rest of their soles.

    A sensor other than "heel", "toe" and "any" is the rest of a point's name, such as "under_ankle" for
    left_under_ankle and right_under_ankle; these points then take the heels' place.
    """
    figure: Figure = types.compiled.figure
    names = [p.name for p in types.compiled.points]
    first, rest = [], []
    for side in ("left", "right") if figure.legs else ():
        leg = figure.legs[side]
        chosen = leg.heel
        if sensor not in ("heel", "toe", "any"):
            chosen = tuple(name for name in leg.sole if name == f"{side}_{sensor}")
        if not chosen:
            points = [name.removeprefix(f"{side}_") for name in leg.sole]
            raise FootfallError(f"balance sensor is '{sensor}'; choose one of: heel, toe, any, {', '.join(points)}")
        first.append(sum(1 << names.index(name) for name in chosen))
        rest.append(sum(1 << names.index(name) for name in leg.sole if name not in chosen))
    left, right = first or (0, 0)
    return left, right, *(rest or (0, 0))


def advance_function(
    types: Types, now: NowParts, layout: RowLayout, memory: MemoryLayout, masks: tuple[int, int, int, int]
) -> wp.Function:
    """A part that goes on by one step: into the next state if this one ends. ``now.exchanged`` then says whether the
    stance leg is another."""
    Now, Sense, Memory, Command, real = now.Now, types.Sense, types.Memory, types.Command, types.real
    of_graph, of_state, of_other_state, entry = now.of_graph, now.of_state, now.of_other_state, now.entry
    state_, clock_, request_, request_time_ = (memory[name] for name in MACHINE)
    left_heels, right_heels, left_toes, right_toes = masks
    many = layout.graphs > 1
    zero, half, one = real(0.0), real(0.5), real(1.0)

    @wp.func
    def touches(now: wp.ref[Now], contact: int, right: bool):
        heels = left_heels
        toes = left_toes
        if right:
            heels = right_heels
            toes = right_toes
        found = bool(False)
        if of_graph(now, GraphField.SENSOR_HEEL) > zero:
            found = (contact & heels) != 0
        if of_graph(now, GraphField.SENSOR_TOE) > zero:
            found = found or (contact & toes) != 0
        return found

    @wp.func
    def advance(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        clock = memory[clock_] + sense.dt
        memory[clock_] = clock
        leave = clock > of_state(now, StateField.HOLD) - half * sense.dt
        contact = of_state(now, StateField.CONTACT)
        if leave and contact > zero:
            right_foot = now.right_stance == (contact > one)
            leave = touches(now, sense.seen_contact, right_foot)
        if leave:
            after = int(of_state(now, StateField.NEXT))
            stays = after == now.state
            if wp.static(many):
                if memory[request_] >= zero and sense.time >= memory[request_time_] - half * sense.dt:
                    instead = entry(now, after, int(memory[request_]))
                    if instead >= 0:
                        after = instead
                        stays = False
                        memory[request_] = -one
            if not stays:
                memory[state_] = real(after)
                memory[clock_] = zero
                now.exchanged = (of_other_state(now, after, StateField.STANCE) > zero) != now.right_stance

    return advance
