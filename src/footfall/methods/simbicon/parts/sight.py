"""Sight: the height of the ground ahead as feedback, and steps that keep off edges (Improving SIMBICON, sections III.B
and IV.B).

    h = max over t in [0, 1] of H(x0 + t δ) - H(x0)          (equation 3)

x0 is the stance heel, δ the way to where the swing foot is expected. Targets answer with c_h f(h) h, where f is 1 up
to a threshold and ``boost`` beyond it; ground that falls away can count too, which goes beyond the paper. A foot that
would land across an edge is moved off it, forward or back, whichever is nearer: the swing leg without its foot is a
chain of two joints, whose hip and knee angles for a position beside the old one follow in closed form (the paper's open
problem).
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts import NowParts, now_functions
from footfall.control.rows import GraphField, MemoryLayout, RowLayout, StateField
from footfall.figures import Figure
from footfall.figures.side_names import SIDES

VIEWS = ("rise", "hip_shift", "knee_shift")
"""What is seen: how far the ground ahead rises above that under the stance foot, and the shifts that it asks of the
swing hip's and knee's targets."""
RISE, HIP_SHIFT, KNEE_SHIFT = range(3)

SAMPLES = 16
EDGE = 0.03  # a change of height between two samples that makes an edge, metres


def sight_function(
    types: Types, layout: RowLayout, memory: MemoryLayout, height: wp.Function, *, places: bool
) -> wp.Function:
    """A Warp function that sets ``sense.view``: the rise and, with ``places``, the shifts of hip and knee."""
    real, now = types.real, now_functions(types, layout)
    Now, enter, of_graph = now.Now, now.enter, now.of_graph
    state_, zero = memory["state"], real(0.0)
    left_heel, right_heel = _point_places(types, "heel")
    place_foot = _placing_function(types, now, height)

    @types.part
    def look(sense, memory, parameters, row, table_, table_row):
        now = Now()
        enter(int(memory[state_]), parameters, row, now)
        x0 = sense.seen_position[left_heel]
        if now.right_stance:
            x0 = sense.seen_position[right_heel]
        v = sense.seen_qvel[0]
        reach = of_graph(now, GraphField.SIGHT_AHEAD)
        reach += of_graph(now, GraphField.SIGHT_PER_SPEED) * wp.abs(v)
        if v < zero:
            reach = -reach
        floor = height(table_, table_row, x0, zero)
        rise = zero
        for i in range(1, wp.static(SAMPLES + 1)):
            x = x0 + reach * real(i) / real(wp.static(SAMPLES))
            rise = wp.max(rise, height(table_, table_row, x, zero) - floor)
        if rise > of_graph(now, GraphField.SIGHT_THRESHOLD):
            rise *= of_graph(now, GraphField.SIGHT_BOOST)
        if rise == zero:
            fall = height(table_, table_row, x0 + reach, zero) - floor
            rise = of_graph(now, GraphField.SIGHT_DROP) * wp.min(fall, zero)
        sense.view[RISE] = rise
        if wp.static(places):
            place_foot(now, sense, table_, table_row, x0)

    return look


def _point_places(types: Types, part: str) -> list[int]:
    """Where ``sense.position`` holds the left and the right foot's heel or toe."""
    names, legs = [p.name for p in types.compiled.points], types.compiled.figure.legs
    return [3 * names.index(getattr(legs[side], part)[0]) for side in SIDES]


def _placing_function(types: Types, now: NowParts, height: wp.Function) -> wp.Function:
    """A Warp function (now, sense, table, its row, stance heel) that sets the shifts of swing hip and knee which keep
    the foot off edges."""
    real, Sense, Now, of_graph, of_state = types.real, types.Sense, now.Now, now.of_graph, now.of_state
    figure: Figure = types.compiled.figure
    left_heel, right_heel = _point_places(types, "heel")
    left_toe, right_toe = _point_places(types, "toe")
    left_hip, right_hip = (figure.joint(figure.legs[side].hip[0]).dof for side in SIDES)
    left_knee, right_knee = (figure.joint(figure.legs[side].knee[0]).dof for side in SIDES)
    thigh, shank = (real(length) for length in leg_link_lengths(figure))
    zero, half, one, two, edge = real(0.0), real(0.5), real(1.0), real(2.0), real(EDGE)

    @wp.func
    def expected(
        sense: wp.ref[Sense], timed: bool, stance_heel: real, step: real, heel: real, heel_z: real, vx: real, vz: real
    ):
        """Where the swing heel will land: a step from the stance heel, or, on its way down, where it is heading."""
        if timed or vz > real(-0.05):
            return stance_heel + step
        return heel + vx * wp.clamp(-heel_z / vz, zero, real(0.15))

    @wp.func
    def off_edge(table_: wp.array2d[real], table_row: int, heel: real, toe: real, margin: real, most: real):
        """How far to move a foot between heel and toe so that no edge lies under it or within the margin."""
        low = heel - margin
        span = toe - heel + two * margin
        before = height(table_, table_row, low, zero)
        at = zero
        found = bool(False)
        for i in range(1, wp.static(SAMPLES + 1)):
            x = low + span * real(i) / real(wp.static(SAMPLES))
            now = height(table_, table_row, x, zero)
            if wp.abs(now - before) > edge:
                at = x - half * span / real(wp.static(SAMPLES))
                found = True
            before = now
        shift = zero
        if found:
            beyond = at + margin - heel
            short = at - margin - toe
            shift = beyond
            if -short < beyond:
                shift = short
        return wp.clamp(shift, -most, most)

    @wp.func
    def place_foot(now: wp.ref[Now], sense: wp.ref[Sense], table_: wp.array2d[real], table_row: int, x0: real):
        heel = sense.seen_position[right_heel]
        heel_z = sense.seen_position[right_heel + 2]
        toe = sense.seen_position[right_toe]
        vx = sense.velocity[right_heel]
        vz = sense.velocity[right_heel + 2]
        hip = sense.qpos[right_hip] + sense.seen_qpos[2]
        knee = sense.qpos[right_knee]
        if now.right_stance:
            heel = sense.seen_position[left_heel]
            heel_z = sense.seen_position[left_heel + 2]
            toe = sense.seen_position[left_toe]
            vx = sense.velocity[left_heel]
            vz = sense.velocity[left_heel + 2]
            hip = sense.qpos[left_hip] + sense.seen_qpos[2]
            knee = sense.qpos[left_knee]
        timed = of_state(now, StateField.CONTACT) <= zero
        gap = heel_z - height(table_, table_row, heel, zero)
        landing = expected(sense, timed, x0, of_graph(now, GraphField.EDGE_STEP), heel, gap, vx, vz)
        margin = of_graph(now, GraphField.EDGE_MARGIN)
        most = of_graph(now, GraphField.EDGE_REACH)
        foot = wp.max(toe - heel, real(0.1))
        shift = off_edge(table_, table_row, landing, landing + foot, margin, most)
        x = thigh * wp.sin(hip) + shank * wp.sin(hip + knee) + shift
        z = thigh * wp.cos(hip) + shank * wp.cos(hip + knee)
        r = wp.clamp(wp.sqrt(x * x + z * z), wp.abs(thigh - shank) + real(0.01), real(0.9999) * (thigh + shank))
        bend = wp.acos(wp.clamp((r * r - thigh * thigh - shank * shank) / (two * thigh * shank), -one, one))
        lead = wp.asin(wp.clamp(shank * wp.sin(bend) / r, -one, one))
        gain = of_graph(now, GraphField.EDGE_GAIN)
        sense.view[HIP_SHIFT] = gain * (wp.atan2(x, z) + lead - hip)
        sense.view[KNEE_SHIFT] = gain * (-bend - knee)
        if shift == zero:
            sense.view[HIP_SHIFT] = zero
            sense.view[KNEE_SHIFT] = zero

    return place_foot


def leg_link_lengths(figure: Figure) -> tuple[float, float]:
    """Lengths of thigh and shank, metres."""
    links = figure.legs["left"].links
    parameters = figure.body_parameters()
    at = [parameters.names.index(name) for name in links[-2:]]
    lengths = (parameters.position[0, at] ** 2).sum(axis=1) ** 0.5
    return float(lengths[0]), float(lengths[1])
