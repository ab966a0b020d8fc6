"""The fused rollout: one kernel that takes a world through all its steps, one thread per world.

The kernel is composed from parts with fixed signatures: an evaluation (a figure's dynamics, a ground and a law), an
integrator, a fall check and a tally. It keeps a world's whole state in local variables between steps and gives it back
at the end, so that a simulation continues bit for bit where it was left.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Law, Types
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.native import again_function
from footfall.simulation.evaluation import build_evaluation
from footfall.simulation.falling import fall_function
from footfall.simulation.features import Features
from footfall.simulation.holding import holding_functions
from footfall.simulation.pushing import pushed_function
from footfall.simulation.recording import recording_functions
from footfall.simulation.structures import Structures
from footfall.simulation.tallying import TALLY, tally_function

__all__ = [
    "BLOCKS",
    "DIVERGED",
    "FELL",
    "INTEGRATORS",
    "RUNNING",
    "STOPPED",
    "Rollout",
    "build_rollout",
    "kernel_options",
]

INTEGRATORS = ("implicit", "explicit", "semi-implicit", "rk4")
"""implicit: joint servos and ground springs one step ahead, to first order. explicit: x += h v + h²/2 a, v += h a, as
in
the papers. semi-implicit: v += h a, x += h v. rk4: fourth-order Runge-Kutta, law and ground evaluated in every
stage."""

RUNNING, FELL, DIVERGED, STOPPED = 0, 1, 2, 3
"""STOPPED: fell, continued as a ragdoll (:mod:`footfall.simulation.ragdoll`), and then diverged."""

RUNAWAY = 500.0**2  # (rad/s)² and (m/s)² summed: a walking biped stays below 30²

COMPILER_FLAGS = (
    "-march=native -ffp-contract=fast -fno-slp-vectorize -mllvm=-inline-threshold=9000"
    " -mllvm=-inline-cold-callsite-threshold=3000"
)


BLOCKS = {True: (128, 3), False: (64, 4)}
"""Threads per CUDA block, and blocks that must fit a multiprocessor, of planar and of spatial figures (fastest on an
H200)."""


@dataclass(frozen=True)
class Rollout:
    """A rollout's kernel with its structures, and its threads per CUDA block."""

    kernel: Any
    structures: Structures
    block: int

    @property
    def types(self) -> Types:
        """The types that its law is built from."""
        return self.structures.types


def kernel_options(compiled: CompiledFigure) -> dict[str, Any]:
    """How Warp compiles the kernel, and the name that it gives to it."""
    return {
        "name": "rollout",
        "enable_backward": False,
        "module": "unique",
        "launch_bounds": BLOCKS[compiled.planar],
        "module_options": {"cpu_compiler_flags": COMPILER_FLAGS, "max_unroll": 64},
    }


def build_rollout(
    structures: Structures,
    law: Law,
    *,
    ground: str = "anchor",
    terrain: str = "flat",
    integrator: str = "implicit",
    features: Features = Features(),  # noqa: B008
    outside: wp.Function | None = None,
    identity: Any = None,
) -> Rollout:
    """Compose the kernel of a figure's and a law's structures, a ground law and terrain kind, and an integrator: one
    that the structures are for, implicit or not. ``outside`` is another engine's dynamics (see
    :func:`build_evaluation`). Kernels of laws whose ``identity`` is equal are the same to Warp's cache; without one,
    that is the law's key."""
    runge_kutta, midpoint = integrator == "rk4", integrator == "explicit"
    delayed, pausing, held, forces = features.delayed, features.pausing, features.held, features.forces
    compiled = structures.types.compiled
    evaluation = build_evaluation(structures, law, ground=ground, terrain=terrain, features=features, outside=outside)
    narrow, again = compiled.graph.narrow, again_function(compiled.real)
    Work, prepare, solve, conclude = evaluation.Work, evaluation.prepare, evaluation.solve, evaluation.conclude
    types, advance = structures.types, compiled.advance
    Setting, Contact, Loop, Hardware = structures.Setting, structures.Contact, structures.Loop, structures.Hardware
    Felt = structures.Felt
    Worlds, Trace, Pushing, Past = structures.Worlds, structures.Trace, structures.Pushing, structures.Past
    fallen = fall_function(compiled, evaluation.height, turns_over=law.turns_over, upright=law.prescribes)
    can_fall = fallen is not None
    add = tally_function(types, efforts=features.efforts)
    real, Qvel, Pushes = compiled.real, compiled.Qvel, compiled.Pushes
    Sense, Command = types.Sense, types.Command
    push_slots, pushed = len(compiled.push_places), pushed_function(compiled, Pushing)
    kept, sampled = recording_functions(compiled, Trace)
    keep, take_up = holding_functions(structures) if held else (None, None)
    Held = structures.Held
    fall_x = TALLY.index("fall_x")
    half, two, sixth, runaway = real(0.5), real(2.0), real(1.0 / 6.0), real(RUNAWAY)
    never = -1 - int(hashlib.sha256(repr(identity or law.key).encode()).hexdigest()[:7], 16)

    @wp.func
    def remembered(past: Past, w: int, n: int, sense: wp.ref[Sense], mask: int, loop: wp.ref[Loop]):
        row = w
        if past.delay.shape[0] == 1:
            row = 0
        depth = past.qpos.shape[1]
        past.qpos[w, n % depth] = sense.qpos
        past.qvel[w, n % depth] = sense.qvel
        past.contact[w, n % depth] = mask
        loop.seen_step = wp.max(n - past.delay[row, 0], 0)
        seen = loop.seen_step % depth
        sense.seen_qpos = past.qpos[w, seen]
        sense.seen_qvel = past.qvel[w, seen]
        sense.seen_contact = past.contact[w, seen]
        loop.late = past.delay[row, 1]
        loop.due = Qvel()
        if n >= loop.late:
            loop.due = past.torque[w, (n - loop.late) % depth]

    @wp.func
    def recorded(trace: Trace, w: int, n: int, sense: wp.ref[Sense], mask: int, command: wp.ref[Command]):
        at = n // trace.stride - trace.first
        sampled(trace, w, at, sense.qpos, sense.qvel, command.state, mask, command.stance)
        if w < trace.torque.shape[1] and at < trace.torque.shape[0]:
            trace.torque[at, w] = command.torque
        if w < trace.signals.shape[1] and at < trace.signals.shape[0]:
            trace.signals[at, w] = command.signals

    @wp.func
    def felt_recorded(trace: Trace, w: int, n: int, qacc: wp.ref[Qvel], felt: wp.ref[Felt]):
        at = n // trace.stride - trace.first
        if w < trace.qacc.shape[1] and at < trace.qacc.shape[0]:
            trace.qacc[at, w] = qacc
        if w < trace.moment.shape[1] and at < trace.moment.shape[0]:
            trace.moment[at, w] = felt.moment
        if w < trace.grf.shape[1] and at < trace.grf.shape[0]:
            trace.grf[at, w] = felt.force

    @wp.kernel(**kernel_options(compiled))
    def rollout(
        first: int,
        steps: int,
        dt: real,
        fall_stride: int,
        own_rows: wp.vec4i,
        setting: Setting,
        worlds: Worlds,
        pushing: Pushing,
        trace: Trace,
        past: Past,
        hardware: Hardware,
    ):
        w = first + wp.tid()
        if steps <= never:  # no steps are fewer than none: this makes kernels of different laws differ for Warp's cache
            return
        if worlds.status[w] != wp.static(RUNNING):
            return
        rows = own_rows * w
        sense = Sense()
        sense.qpos = worlds.qpos[w]
        sense.qvel = worlds.qvel[w]
        sense.dt = dt
        memory = worlds.memory[w]
        contact = Contact()
        contact.anchor = worlds.anchor[w]
        contact.mask = worlds.contact[w]
        stance = worlds.stance[w]
        tally = worlds.tally[w]
        done = worlds.step_count[w]
        command = Command()
        qacc = worlds.qacc[w]
        push = Pushes()
        loop = Loop()
        loop.world = w
        loop.tick = 1
        every = int(1)
        if wp.static(held):
            every = hardware.every[wp.min(w, hardware.every.shape[0] - 1)]
            loop.period = dt * real(every)
            kept_command = hardware.held[w]
            take_up(kept_command, command, loop.held)
        felt = Felt()
        kept_memory = memory
        kept_contact = contact
        work = Work()
        unsettled = bool(False)
        k = int(0)
        while k < steps:
            n = done + k
            if wp.static(narrow):
                again(sense.dt)
            if not unsettled:
                sense.time = real(n) * dt
                kept(trace, w, n, sense.qpos, sense.qvel)
                if wp.static(push_slots > 0):
                    pushed(pushing, w, sense.time, push)
                loop.step = n
                if wp.static(delayed):
                    remembered(past, w, n, sense, contact.mask, loop)
                if wp.static(held):
                    loop.tick = wp.where(n % every == 0, 1, 0)
                if wp.static(pausing):
                    kept_memory = memory
                    kept_contact = contact
                sense.qacc = qacc
                prepare(sense, memory, contact, push, loop, setting, hardware, rows, command, work)
            unsettled = solve(sense, contact, push, setting, rows, command, qacc, work)
            if not unsettled:
                conclude(sense, push, loop, setting, hardware, rows, command, qacc, felt, work)
                if wp.static(pausing):
                    if stance >= 0 and command.stance != stance and int(tally[0]) + 1 > past.pause[w]:
                        memory = kept_memory
                        contact = kept_contact
                        steps = k
                        break
                if wp.static(delayed):
                    past.torque[w, n % past.torque.shape[1]] = loop.asked
                if trace.stride > 0:
                    if n % trace.stride == 0:
                        recorded(trace, w, n, sense, contact.mask, command)
                        if wp.static(forces):
                            felt_recorded(trace, w, n, qacc, felt)

                if wp.static(runge_kutta):
                    q = sense.qpos
                    v = sense.qvel
                    begun = command
                    if wp.static(held):
                        loop.tick = 0
                    rate = v
                    summed_rate = v
                    summed_qacc = qacc
                    stage = int(1)
                    while stage < 4:
                        span = dt
                        weight = real(1.0)
                        if stage < 3:
                            span = half * dt
                            weight = two
                        sense.qpos = q
                        advance(sense.qpos, rate, span)
                        rate = v + qacc * span
                        sense.qvel = rate
                        sense.time = real(n) * dt + span
                        trial_memory = memory
                        trial_contact = contact
                        prepare(sense, trial_memory, trial_contact, push, loop, setting, hardware, rows, command, work)
                        solve(sense, trial_contact, push, setting, rows, command, qacc, work)
                        conclude(sense, push, loop, setting, hardware, rows, command, qacc, felt, work)
                        summed_rate += rate * weight
                        summed_qacc += qacc * weight
                        stage += 1
                    command = begun
                    sense.qpos = q
                    sense.qvel = v
                    sense.time = real(n) * dt
                    qacc = summed_qacc * sixth
                    rate = summed_rate * sixth
                moved = sense.qvel + qacc * dt
                if not (wp.dot(moved, moved) < runaway):
                    worlds.status[w] = wp.static(DIVERGED)
                    worlds.end_step[w] = n
                    steps = k
                    break
                add(tally, stance, sense, command, qacc)
                if wp.static(runge_kutta):
                    advance(sense.qpos, rate, dt)
                elif wp.static(midpoint):
                    middle = sense.qvel + qacc * (half * dt)
                    advance(sense.qpos, middle, dt)
                else:
                    advance(sense.qpos, moved, dt)
                sense.qvel = moved

                if wp.static(can_fall):
                    if (n + 1) % fall_stride == 0:
                        if fallen(
                            sense.qpos, sense.qvel, setting.body, rows[0], setting.table, rows[3], command.turning_over
                        ):
                            worlds.status[w] = wp.static(FELL)
                            worlds.end_step[w] = n + 1
                            tally[wp.static(fall_x)] = sense.qpos[0]
                            steps = k + 1
                            break
                k += 1
        worlds.qpos[w] = sense.qpos
        worlds.qvel[w] = sense.qvel
        worlds.memory[w] = memory
        worlds.anchor[w] = contact.anchor
        worlds.contact[w] = contact.mask
        worlds.stance[w] = stance
        if steps > 0:
            worlds.state[w] = command.state
        worlds.tally[w] = tally
        worlds.qacc[w] = qacc
        if wp.static(held):
            kept_command = Held()
            keep(command, loop.held, kept_command)
            hardware.held[w] = kept_command
        worlds.step_count[w] = done + steps

    return Rollout(rollout, structures, BLOCKS[compiled.planar][0])
