"""The structures that a rollout's kernel takes and works with, for a figure and a law. Making them is quick: no
function is built for them."""

from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Law, Types
from footfall.dynamics.compiler import CompiledFigure
from footfall.simulation.pushing import pushing_structure
from footfall.simulation.recording import trace_structure
from footfall.simulation.tallying import TALLY


@dataclass(frozen=True)
class Structures:
    """Types of a rollout.

    Attributes:
        types: those that the law is built from.
        Tally: vector of a world's running sums.
        Setting: what worlds are made of: body, parameters, ground, table, each [rows or 1, …], the law's library, and
            the addresses of another engine's scenes.
        Contact: a world's memory of the ground: anchor [3 P] and the bit mask of points that touch.
        Loop: what is between the law and the joints in this step: the world and the step; which step is seen; whether
            the law acts now (tick) and how long until it does again (period), its latest torque (held), the torque
            that it asks for (asked), how late torques are in steps (late), and the one that arrives now (due).
        Held: vector of a command that is held until the law acts again (:mod:`footfall.simulation.holding`).
        Hardware: numbers of :class:`footfall.simulation.hardware.Hardware`, and what each world holds.
        Felt: what acts in a step: torques at the joints and forces on the ground points [3 P].
        Worlds: the state of all worlds. Trace: what is recorded. Pushing: forces from outside. Past: what delays and
            pauses need.
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
    def of(cls, compiled: CompiledFigure, law: Law, *, implicit: bool) -> "Structures":
        """Structures for a law on a figure."""
        types = Types.of(compiled, law, implicit=implicit)
        real, Memory = compiled.real, types.Memory
        Qpos, Qvel, Points = compiled.Qpos, compiled.Qvel, compiled.Points
        Tally = wp.types.vector(length=len(TALLY), dtype=real)

        @wp.struct
        class Setting:
            body: wp.array2d[real]
            parameters: wp.array2d[real]
            ground: wp.array2d[real]
            table: wp.array2d[real]
            library: wp.array2d[real]
            scene: wp.array2d[wp.uint64]

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

        Trace = trace_structure(compiled, len(law.signals))
        pushing = pushing_structure(real)
        return cls(types, Tally, Setting, Contact, Loop, Felt, Worlds, Trace, pushing, Past, Held, Hardware)
