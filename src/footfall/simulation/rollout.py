"""The fused rollout: one kernel that carries a world through all its steps, one thread a world.

The kernel is composed from parts with fixed signatures: a figure's dynamics, a ground, a law, an integrator. It keeps a
world's whole state in local variables between steps, and returns it at the end, so that a simulation continues bit for
bit where it was left.
"""

from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Law, Types
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.ground import ground_function, settle_function, terrain_height

__all__ = ["DIVERGED", "FELL", "INTEGRATORS", "RUNNING", "STOPPED", "TALLY", "Rollout", "build_rollout"]

INTEGRATORS = ("implicit", "explicit", "semi-implicit", "rk4")
"""implicit: joint servos and ground springs one step ahead, to first order. explicit: x += h v + h²/2 a, v += h a, as in the
papers. semi-implicit: v += h a, x += h v. rk4: fourth-order Runge-Kutta, law and ground evaluated in every stage."""

RUNNING, FELL, DIVERGED, STOPPED = 0, 1, 2, 3

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
"""What every world sums up as it goes, until it falls: exchanges of stance; integrals over time of the summed squares of joint torques and
of accelerations, and of the joints' absolute power; the largest joint torque; the range of the torso's pitch since the fifth footstep;
where along x it fell."""

RUNAWAY = 500.0**2  # (rad/s)² and (m/s)² summed: a walking biped stays below 30²

COMPILER_FLAGS = (
    "-march=native -ffp-contract=fast -fno-slp-vectorize -mllvm=-inline-threshold=9000"
    " -mllvm=-inline-cold-callsite-threshold=3000"
)


@dataclass(frozen=True)
class Rollout:
    """A compiled rollout kernel with its types."""

    kernel: Any
    types: Types
    Tally: Any
    push_slots: int


def build_rollout(
    compiled: CompiledFigure,
    law: Law,
    *,
    ground: str = "anchor",
    terrain: str = "flat",
    integrator: str = "implicit",
    delayed: bool = False,
) -> Rollout:
    """Compose the kernel of a figure, a law, a ground law and terrain kind, and an integrator.

    With ``delayed``, balance sees states some steps old and joints get torques some steps old, as many as each world's
    row of ``delay`` says.
    """
    implicit = integrator == "implicit"
    runge_kutta = integrator == "rk4"
    midpoint = integrator == "explicit"
    types = Types.of(compiled, len(law.memory), implicit=implicit)
    stages = compiled.stages(implicit=implicit)
    sense_stage, accelerate_stage, advance = stages.sense, stages.accelerate, compiled.advance
    landmarks, act = compiled.landmarks, law.build(types)
    ground_law = ground_function(compiled, ground, terrain, implicit=implicit)
    settle = settle_function(compiled, ground)
    height = terrain_height(terrain, compiled.real)
    look = law.sight(types, height)
    sees = look is not None
    real, planar = compiled.real, compiled.planar
    Qpos, Qvel, Points, Scratch = compiled.Qpos, compiled.Qvel, compiled.Points, stages.Scratch
    Pushes = compiled.Pushes
    Sense, Memory, Command = types.Sense, types.Memory, types.Command
    Tally = wp.types.vector(length=len(TALLY), dtype=real)
    Landmarks = wp.types.vector(length=max(1, 3 * len(compiled.figure.points)), dtype=real)
    Signals = wp.types.vector(length=4, dtype=real)
    nv, push_slots = compiled.nv, len(compiled.push_places)
    off_foot = tuple(k for k, p in enumerate(compiled.figure.points) if p.foot is None and p.ground)
    fall_count = len(off_foot)
    hips = tuple(compiled.figure.joint(n).dof for s in compiled.figure.legs.values() for n in s.hip) if planar else ()
    hip_count = len(hips)
    zero, half, sixth, runaway = real(0.0), real(0.5), real(1.0 / 6.0), real(RUNAWAY)
    root_dofs = {"planar": 3, "free": 6, "fixed": 0}[compiled.figure.root]
    walks = compiled.figure.root != "fixed"
    tilt_limit, hip_limit = real(2.0), real(2.3)

    @wp.func
    def evaluate(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        anchor: wp.ref[Points],
        contact: wp.ref[wp.int32],
        push: wp.ref[Pushes],
        late_torque: wp.ref[Qvel],
        use_late: bool,
        limp: bool,
        world_body: int,
        world_law: int,
        world_ground: int,
        world_terrain: int,
        body: wp.array2d[real],
        parameters: wp.array2d[real],
        constants: wp.array2d[real],
        table: wp.array2d[real],
        command: wp.ref[Command],
        qacc: wp.ref[Qvel],
    ):
        scratch = Scratch()
        force = Points()
        point_stiffness = Points()
        moved = Points()
        sense_stage(sense.qpos, sense.qvel, body, world_body, scratch, sense.position, sense.velocity)
        ground_law(
            sense.position,
            sense.velocity,
            anchor,
            contact,
            force,
            point_stiffness,
            sense.dt,
            constants,
            world_ground,
            table,
            world_terrain,
        )
        sense.contact = contact
        if wp.static(delayed):
            late = Points()
            late_velocity = Points()
            late_scratch = Scratch()
            sense_stage(sense.seen_qpos, sense.seen_qvel, body, world_body, late_scratch, late, late_velocity)
            sense.seen_position = late
        else:
            sense.seen_qpos = sense.qpos
            sense.seen_qvel = sense.qvel
            sense.seen_position = sense.position
            sense.seen_contact = contact
        if wp.static(sees):
            look(sense, memory, parameters, world_law, table, world_terrain)
        act(sense, memory, parameters, world_law, command)
        if wp.static(delayed):
            asked = command.torque
            if use_late:
                command.torque = late_torque
                command.stiffness = Qvel()
            late_torque = asked
        if limp:
            command.torque = Qvel()
            command.stiffness = Qvel()
        if wp.static(implicit):
            accelerate_stage(
                sense.qpos,
                sense.qvel,
                body,
                world_body,
                scratch,
                command.torque,
                force,
                command.stiffness,
                point_stiffness,
                push,
                qacc,
                moved,
            )
            if settle(sense.position, moved, anchor, contact, force, point_stiffness, constants, world_ground):
                accelerate_stage(
                    sense.qpos,
                    sense.qvel,
                    body,
                    world_body,
                    scratch,
                    command.torque,
                    force,
                    command.stiffness,
                    point_stiffness,
                    push,
                    qacc,
                    moved,
                )
        else:
            accelerate_stage(sense.qpos, sense.qvel, body, world_body, scratch, command.torque, force, push, qacc)

    @wp.kernel(
        enable_backward=False,
        module="unique",
        module_options={"cpu_compiler_flags": COMPILER_FLAGS, "max_unroll": 64},
    )
    def rollout(
        first: int,
        steps: int,
        dt: real,
        fall_stride: int,
        limp_after_fall: int,
        shared: wp.vec4i,
        qpos: wp.array[Qpos],
        qvel: wp.array[Qvel],
        memory: wp.array[Memory],
        anchor: wp.array[Points],
        contact: wp.array[wp.int32],
        step_count: wp.array[wp.int32],
        status: wp.array[wp.int32],
        end_step: wp.array[wp.int32],
        stance: wp.array[wp.int32],
        tally: wp.array[Tally],
        body: wp.array2d[real],
        parameters: wp.array2d[real],
        constants: wp.array2d[real],
        table: wp.array2d[real],
        push_window: wp.array3d[real],
        push_force: wp.array3d[real],
        push_slot: wp.array[wp.int32],
        record_stride: int,
        record_first: int,
        trace_qpos: wp.array2d[Qpos],
        trace_qvel: wp.array2d[Qvel],
        trace_torque: wp.array2d[Qvel],
        trace_signals: wp.array2d[Signals],
        trace_events: wp.array3d[wp.int32],
        ring_stride: int,
        ring_qpos: wp.array2d[Qpos],
        ring_qvel: wp.array2d[Qvel],
        delay: wp.array2d[wp.int32],
        past_qpos: wp.array2d[Qpos],
        past_qvel: wp.array2d[Qvel],
        past_torque: wp.array2d[Qvel],
        past_contact: wp.array2d[wp.int32],
        pause: wp.array[wp.int32],
    ):
        w = first + wp.tid()
        if status[w] > 1:
            return
        if status[w] == 1 and limp_after_fall == 0:
            return
        world_body = w * shared[0]
        world_law = w * shared[1]
        world_ground = w * shared[2]
        world_terrain = w * shared[3]
        push_row = w
        if push_window.shape[0] == 1:
            push_row = 0
        sense = Sense()
        command = Command()
        sense.qpos = qpos[w]
        sense.qvel = qvel[w]
        sense.dt = dt
        m = memory[w]
        a = anchor[w]
        touching = contact[w]
        qacc = Qvel()
        push = Pushes()
        on = stance[w]
        count = tally[w]
        done = step_count[w]
        fell = status[w] == 1
        late_torque = Qvel()
        use_late = bool(False)
        delay_row = w
        if delay.shape[0] == 1:
            delay_row = 0
        kept_memory = m
        kept_anchor = a
        kept_contact = touching
        for k in range(steps):
            n = done + k
            sense.time = real(n) * dt
            q = sense.qpos
            v = sense.qvel
            if pause.shape[0] > 0:
                kept_memory = m
                kept_anchor = a
                kept_contact = touching
            if ring_stride > 0:
                if n % ring_stride == 0:
                    at = (n // ring_stride) % ring_qpos.shape[1]
                    ring_qpos[w, at] = q
                    ring_qvel[w, at] = v
            if wp.static(push_slots > 0):
                push = Pushes()
                for i in range(push_slot.shape[0]):
                    if sense.time >= push_window[push_row, i, 0] and sense.time < push_window[push_row, i, 1]:
                        slot = 3 * push_slot[i]
                        push[slot] = push[slot] + push_force[push_row, i, 0]
                        push[slot + 1] = push[slot + 1] + push_force[push_row, i, 1]
                        push[slot + 2] = push[slot + 2] + push_force[push_row, i, 2]
            if wp.static(delayed):
                depth = past_qpos.shape[1]
                past_qpos[w, n % depth] = q
                past_qvel[w, n % depth] = v
                past_contact[w, n % depth] = touching
                seen = wp.max(n - delay[delay_row, 0], 0) % depth
                sense.seen_qpos = past_qpos[w, seen]
                sense.seen_qvel = past_qvel[w, seen]
                sense.seen_contact = past_contact[w, seen]
                use_late = delay[delay_row, 1] > 0
                late_torque = Qvel()
                if n >= delay[delay_row, 1]:
                    late_torque = past_torque[w, (n - delay[delay_row, 1]) % depth]
            evaluate(
                sense,
                m,
                a,
                touching,
                push,
                late_torque,
                use_late,
                fell,
                world_body,
                world_law,
                world_ground,
                world_terrain,
                body,
                parameters,
                constants,
                table,
                command,
                qacc,
            )
            if pause.shape[0] > 0:
                if on >= 0 and command.stance != on and int(count[0]) + 1 > pause[w]:
                    m = kept_memory
                    a = kept_anchor
                    touching = kept_contact
                    steps = k
                    break
            if wp.static(delayed):
                past_torque[w, n % past_torque.shape[1]] = late_torque
                late_torque = command.torque
            if record_stride > 0:
                if n % record_stride == 0:
                    at = n // record_stride - record_first
                    if w < trace_qpos.shape[1] and at < trace_qpos.shape[0]:
                        trace_qpos[at, w] = q
                    if w < trace_qvel.shape[1] and at < trace_qvel.shape[0]:
                        trace_qvel[at, w] = v
                    if w < trace_torque.shape[1] and at < trace_torque.shape[0]:
                        trace_torque[at, w] = command.torque
                    if w < trace_signals.shape[1] and at < trace_signals.shape[0]:
                        trace_signals[at, w] = command.signals
                    if w < trace_events.shape[1] and at < trace_events.shape[0]:
                        trace_events[at, w, 0] = command.state
                        trace_events[at, w, 1] = touching
                        trace_events[at, w, 2] = command.stance

            if wp.static(runge_kutta):
                a1 = qacc
                v2 = v + a1 * (half * dt)
                m2 = m
                c2 = touching
                anchor2 = a
                trial = Command()
                held = late_torque
                advance(sense.qpos, v, half * dt)
                sense.qvel = v2
                sense.time = (real(n) + half) * dt
                evaluate(
                    sense, m2, anchor2, c2, push, late_torque, use_late, fell, world_body, world_law, world_ground, world_terrain, body, parameters,
                    constants, table, trial, qacc,
                )  # fmt: skip
                a2 = qacc
                late_torque = held
                v3 = v + a2 * (half * dt)
                m2 = m
                c2 = touching
                anchor2 = a
                sense.qpos = q
                advance(sense.qpos, v2, half * dt)
                sense.qvel = v3
                evaluate(
                    sense, m2, anchor2, c2, push, late_torque, use_late, fell, world_body, world_law, world_ground, world_terrain, body, parameters,
                    constants, table, trial, qacc,
                )  # fmt: skip
                a3 = qacc
                late_torque = held
                v4 = v + a3 * dt
                m2 = m
                c2 = touching
                anchor2 = a
                sense.qpos = q
                advance(sense.qpos, v3, dt)
                sense.qvel = v4
                sense.time = real(n + 1) * dt
                evaluate(
                    sense, m2, anchor2, c2, push, late_torque, use_late, fell, world_body, world_law, world_ground, world_terrain, body, parameters,
                    constants, table, trial, qacc,
                )  # fmt: skip
                rate = (v + v2 * real(2.0) + v3 * real(2.0) + v4) * sixth
                qacc = (a1 + a2 * real(2.0) + a3 * real(2.0) + qacc) * sixth
                sense.qpos = q
                sense.qvel = v + qacc * dt
                advance(sense.qpos, rate, dt)
            else:
                sense.qvel = v + qacc * dt
                if wp.static(midpoint):
                    rate = v + qacc * (half * dt)
                    advance(sense.qpos, rate, dt)
                else:
                    advance(sense.qpos, sense.qvel, dt)

            if not (wp.dot(sense.qvel, sense.qvel) < runaway):
                if fell:
                    status[w] = 3
                else:
                    status[w] = 2
                    end_step[w] = n
                sense.qpos = q
                sense.qvel = v
                steps = k
                break

            if not fell:
                if command.stance != on:
                    if on >= 0:
                        count[0] += real(1.0)
                        if count[0] == real(1.0):
                            count[1] = real(n) * dt
                            count[3] = q[0]
                        count[2] = real(n) * dt
                        count[4] = q[0]
                    on = command.stance
                for j in range(wp.static(nv)):
                    if wp.static(j >= root_dofs):
                        effort = command.torque[j] - command.stiffness[j] * qacc[j]
                        count[5] += effort * effort * dt
                        count[7] += wp.abs(effort * v[j]) * dt
                        count[8] = wp.max(count[8], wp.abs(effort))
                    count[6] += qacc[j] * qacc[j] * dt
                if wp.static(planar):
                    if count[0] > real(4.0):
                        count[9] = wp.min(count[9], q[2])
                        count[10] = wp.max(count[10], q[2])

            if wp.static(walks and (fall_count > 0 or planar)):
                if (not fell) and (n + 1) % fall_stride == 0:
                    places = Landmarks()
                    landmarks(sense.qpos, sense.qvel, body, world_body, places)
                    for i in range(wp.static(fall_count)):
                        x = places[wp.static(3 * off_foot[i])]
                        y = places[wp.static(3 * off_foot[i] + 1)]
                        z = places[wp.static(3 * off_foot[i] + 2)]
                        if z <= height(table, world_terrain, x, y):
                            fell = True
                    if wp.static(planar):
                        if wp.abs(sense.qpos[2]) > tilt_limit:
                            fell = True
                        for i in range(wp.static(hip_count)):
                            if wp.abs(sense.qpos[wp.static(hips[i])]) > hip_limit:
                                fell = True
                    if fell:
                        status[w] = 1
                        end_step[w] = n + 1
                        count[11] = sense.qpos[0]
                        if limp_after_fall == 0:
                            steps = k + 1
                            break
        qpos[w] = sense.qpos
        qvel[w] = sense.qvel
        memory[w] = m
        anchor[w] = a
        contact[w] = touching
        stance[w] = on
        tally[w] = count
        step_count[w] = done + steps

    return Rollout(rollout, types, Tally, push_slots)
