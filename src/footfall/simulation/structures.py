"""What a rollout's kernel takes and works with, for a figure and a law: structures, which are made quickly, and the
small functions that fill them: pushes, records, running sums, and a command that is held over the end of a launch.
"""

from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Law, Types
from footfall.dynamics.compiler import CompiledFigure

RUNNING, FELL, DIVERGED, STOPPED = 0, 1, 2, 3
"""How worlds are. STOPPED: fell, continued as a ragdoll (:mod:`footfall.simulation.ragdoll`), and then diverged."""


def pushing_structure(real: Any) -> Any:
    """The structure of K pushes: windows of time [1 or N, K, 2], forces [1 or N, K, 3] and places [K]."""

    @wp.struct
    class Pushing:
        window: wp.array3d[real]
        force: wp.array3d[real]
        slot: wp.array[wp.int32]

    return Pushing


def pushed_function(compiled: CompiledFigure, Pushing: Any) -> wp.Function:
    """A Warp function (pushing, world, time, push) that sets the force at every place that is pushed."""
    real, Pushes = compiled.real, compiled.Pushes

    @wp.func
    def pushed(pushing: Pushing, w: int, time: real, push: wp.ref[Pushes]):
        row = w
        if pushing.window.shape[0] == 1:
            row = 0
        push = Pushes()
        for i in range(pushing.slot.shape[0]):
            if time >= pushing.window[row, i, 0] and time < pushing.window[row, i, 1]:
                slot = 3 * pushing.slot[i]
                push[slot] = push[slot] + pushing.force[row, i, 0]
                push[slot + 1] = push[slot + 1] + pushing.force[row, i, 1]
                push[slot + 2] = push[slot + 2] + pushing.force[row, i, 2]

    return pushed


def trace_structure(compiled: CompiledFigure, signals: int | None = None, *, forces: bool = False) -> Any:
    """The structure that samples are written to.

    ``stride`` steps lie between two samples, ``first`` is the number of the first; ``qpos``, ``qvel`` and ``events``
    (the law's state, the points that touch, the stance side) are [samples, N]. The ring [N, length] has a state every
    ``ring_stride`` steps.

    Args:
        compiled: the figure.
        signals: how many a law has, whose torques and what they do are recorded too; None without a law.
        forces: whether means of what acts are recorded, [samples, N] from the sample number ``begun`` on.
    """
    Qpos, Qvel = compiled.Qpos, compiled.Qvel
    fields: dict[str, Any] = {
        "stride": wp.int32,
        "first": wp.int32,
        "qpos": wp.array2d[Qpos],
        "qvel": wp.array2d[Qvel],
    }
    if signals is not None:
        Signals = wp.types.vector(length=max(1, signals), dtype=compiled.real)
        fields |= {"torque": wp.array2d[Qvel], "signals": wp.array2d[Signals], "qacc": wp.array2d[Qvel]}
        fields |= {"moment": wp.array2d[Qvel], "grf": wp.array2d[compiled.Points]}
    if forces:
        fields |= {"begun": wp.int32, "mean_moment": wp.array2d[Qvel], "mean_grf": wp.array2d[compiled.Points]}
    fields |= {
        "events": wp.array3d[wp.int32],
        "ring_stride": wp.int32,
        "ring_qpos": wp.array2d[Qpos],
        "ring_qvel": wp.array2d[Qvel],
    }
    return wp.struct(type("Trace", (), {"__annotations__": fields, "__module__": __name__}))


def recording_functions(compiled: CompiledFigure, Trace: Any) -> tuple[wp.Function, wp.Function]:
    """Warp functions that write to a trace of a structure.

    Returns:
        ``kept`` (trace, w, n, qpos, qvel): a world's state into the ring, if step n belongs there.
        ``sampled`` (trace, w, at, qpos, qvel, state, mask, stance): a sample.
    """
    Qpos, Qvel = compiled.Qpos, compiled.Qvel

    @wp.func
    def kept(trace: Trace, w: int, n: int, qpos: wp.ref[Qpos], qvel: wp.ref[Qvel]):
        if trace.ring_stride > 0:
            if n % trace.ring_stride == 0:
                at = (n // trace.ring_stride) % trace.ring_qpos.shape[1]
                trace.ring_qpos[w, at] = qpos
                trace.ring_qvel[w, at] = qvel

    @wp.func
    def sampled(
        trace: Trace, w: int, at: int, qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], state: int, mask: int, stance: int
    ):
        if w < trace.qpos.shape[1] and at < trace.qpos.shape[0]:
            trace.qpos[at, w] = qpos
        if w < trace.qvel.shape[1] and at < trace.qvel.shape[0]:
            trace.qvel[at, w] = qvel
        if w < trace.events.shape[1] and at < trace.events.shape[0]:
            trace.events[at, w, 0] = state
            trace.events[at, w, 1] = mask
            trace.events[at, w, 2] = stance

    return kept, sampled


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
    root = compiled.root_freedoms

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


@dataclass(frozen=True)
class Structures:
    """Types of a rollout.

    Attributes:
        types: those that the law is built from.
        Tally: vector of a world's running sums.
        Setting: what worlds are made of: body, parameters, ground, table, each [rows or 1, …], the law's library, the
            addresses of another engine's scenes, and the skin where the surface feels the ground.
        Contact: a world's memory of the ground: anchor [3 P] and the bit mask of points that touch.
        Loop: what is between the law and the joints in this step: the world and the step; which step is seen; whether
            the law acts now (tick) and how long until it does again (period), its latest torque (held), the torque
            that it asks for (asked), how late torques are in steps (late), and the one that arrives now (due).
        Held: vector of a command that is held until the law acts again (:mod:`footfall.simulation.structures`).
        Hardware: numbers of :class:`footfall.simulation.hardware.HardwareTables`, and what each world holds.
        Felt: what acts in a step: torques at the joints and forces on the ground points [3 P].
        Worlds: the state of all worlds.
        Trace: what is recorded.
        Pushing: forces from outside.
        Past: what delays and pauses need.
    """

    types: Types
    Tally: Any
    Setting: Any
    Contact: Any
    Loop: Any
    Felt: Any
    Worlds: Any
    Trace: Any
    Pushing: Any
    Past: Any
    Held: Any
    Hardware: Any

    @classmethod
    def of(
        cls, compiled: CompiledFigure, law: Law, *, implicit: bool, features: "Features | None" = None
    ) -> "Structures":
        """Structures for a law on a figure and what a rollout can do."""
        features = features or Features()
        types = Types.of(compiled, law, implicit=implicit)
        real, Memory = compiled.real, types.Memory
        Qpos, Qvel, Points = compiled.Qpos, compiled.Qvel, compiled.Points
        Tally = wp.types.vector(length=len(TALLY), dtype=real)

        fields = dict.fromkeys(("body", "parameters", "ground", "table", "library"), wp.array2d[real])
        fields |= {"scene": wp.array2d[wp.uint64]} | ({"skin": wp.array2d[real]} if features.surface else {})
        Setting = wp.struct(type("Setting", (), {"__annotations__": fields, "__module__": __name__}))

        @wp.struct
        class Contact:
            anchor: Points
            mask: wp.int32

        @wp.struct
        class Loop:
            world: wp.int32
            step: wp.int32
            seen_step: wp.int32
            tick: wp.int32
            period: real
            held: Qvel
            asked: Qvel
            late: wp.int32
            due: Qvel

        @wp.struct
        class Felt:
            moment: Qvel
            force: Points

        @wp.struct
        class Worlds:
            qpos: wp.array[Qpos]
            qvel: wp.array[Qvel]
            memory: wp.array[Memory]
            anchor: wp.array[Points]
            contact: wp.array[wp.int32]
            step_count: wp.array[wp.int32]
            status: wp.array[wp.int32]
            end_step: wp.array[wp.int32]
            state: wp.array[wp.int32]
            stance: wp.array[wp.int32]
            tally: wp.array[Tally]
            qacc: wp.array[Qvel]

        @wp.struct
        class Past:
            delay: wp.array2d[wp.int32]
            qpos: wp.array2d[Qpos]
            qvel: wp.array2d[Qvel]
            torque: wp.array2d[Qvel]
            contact: wp.array2d[wp.int32]
            pause: wp.array[wp.int32]

        Held = wp.types.vector(length=2 * compiled.nv + types.Signals._length_ + 3, dtype=real)

        @wp.struct
        class Hardware:
            every: wp.array[wp.int32]
            noise: wp.array2d[real]
            key: wp.array[wp.uint64]
            motors: wp.array2d[real]
            held: wp.array[Held]

        Trace = trace_structure(compiled, len(law.signals), forces=features.forces)
        pushing = pushing_structure(real)
        return cls(types, Tally, Setting, Contact, Loop, Felt, Worlds, Trace, pushing, Past, Held, Hardware)


@dataclass(frozen=True)
class Features:
    """What a rollout can do beyond walking; each costs time in every step.

    Attributes:
        delayed: balance sees states some steps old and joints get torques some steps old.
        pausing: worlds stop before a given footstep.
        efforts: torques, accelerations and work are summed up.
        held: the law acts at a rate of its own, and its torques are held in between.
        noisy: the law senses states with errors.
        limited: motors give less torque the faster they turn.
        forces: what acts in a step is known to the recorder.
        surface: the whole surface feels the ground, not only the soles.
    """

    delayed: bool = False
    pausing: bool = False
    efforts: bool = True
    held: bool = False
    noisy: bool = False
    limited: bool = False
    forces: bool = False
    surface: bool = False


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
