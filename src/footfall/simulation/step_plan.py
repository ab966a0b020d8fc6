"""What a step is made for: a figure, a law, a ground and an integrator, and how its parts are put together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import warp as wp

from footfall.control.law import Law, StepTypes, typed_by_name
from footfall.dynamics.ground import terrain_height
from footfall.dynamics.joints import DryFriction, dry_friction, passive_function, stop_function
from footfall.dynamics.lying import bare_skin, grip_type, lying_function
from footfall.dynamics.solid import SolidLimbs
from footfall.dynamics.stages import Stages
from footfall.simulation.structures import Features, Structures


@dataclass(frozen=True)
class WorldStepPlan:
    """What the parts of a step are made for.

    Attributes:
        structures: what the kernel takes and works with.
        law: what drives the figure.
        ground: the ground's contact law.
        terrain: the terrain's kind.
        integrator: its name.
        features: what the kernel can do beyond walking.
        outside: (qpos, qvel, body, body_row, scene, scene_row, torque, stiffness, force, push, qacc) takes the place of
            the dynamics and of the ground's forces: another engine. None for footfall's own.
    """

    structures: Structures
    law: Law
    ground: str = "anchor"
    terrain: str = "flat"
    integrator: str = "implicit"
    features: Features = Features()  # noqa: RUF009
    outside: wp.Function | None = None

    @property
    def iterates(self) -> bool:
        """Whether forces may turn out to be none that a ground or a joint's friction can give: they are mended then,
        and the accelerations found again."""
        return self.structures.types.implicit and not self.law.prescribes and self.outside is None

    @cached_property
    def stages(self) -> Stages:
        """The figure's dynamics."""
        types = self.structures.types
        return Stages(types.compiled, implicit=types.implicit, prescribed=self.law.prescribes)

    @cached_property
    def free_stages(self) -> Stages:
        """The same for joints that move as torques move them, whether the law prescribes accelerations or not."""
        types = self.structures.types
        return Stages(types.compiled, implicit=types.implicit) if self.law.prescribes else self.stages

    @cached_property
    def height(self) -> wp.Function:
        """(table, row, x, y) the terrain's."""
        return terrain_height(self.terrain, self.structures.types.real)

    @cached_property
    def friction(self) -> DryFriction | None:
        """Dry friction of the joints; another engine has its own."""
        return dry_friction(self.structures.types.compiled) if self.outside is None else None

    @cached_property
    def stop(self) -> wp.Function | None:
        """(qpos, qvel, dt, torque, stiffness) the joints' stops; a law that prescribes accelerations moves the
        joints by itself."""
        types = self.structures.types
        return None if self.law.prescribes else stop_function(types.compiled, implicit=types.implicit)

    @cached_property
    def spring(self) -> wp.Function | None:
        """(qvel, dt, torque, stiffness) the joints' dampers and stiff springs, one step ahead."""
        types = self.structures.types
        return passive_function(types.compiled) if types.implicit and not self.law.prescribes else None

    @cached_property
    def limbs(self) -> SolidLimbs | None:
        """Limbs that touch each other; another engine has its own contacts, and a law that prescribes accelerations
        moves the joints by itself."""
        compiled = self.structures.types.compiled
        touch = compiled.solid.pairs and self.outside is None and not self.law.prescribes
        return SolidLimbs(compiled, self.stages) if touch else None

    @cached_property
    def Work(self) -> Any:  # noqa: N802
        """Structure of what a step's forces and accelerations are found from."""
        compiled = self.structures.types.compiled
        Scratch, Modes = self.stages.Scratch, self.friction.Modes if self.friction else wp.vec2i
        Points, Qvel = compiled.Points, compiled.Qvel

        @wp.struct
        class Work:
            scratch: Scratch
            force: Points
            stiffness: Points
            moved: Points
            driven: Qvel
            asked_stiffness: Qvel
            modes: Modes
            solves: wp.int32

        return Work

    @cached_property
    def World(self) -> Any:  # noqa: N802
        """Structure of a world that runs: its state, and what a step keeps from one part to the next. It runs while
        ``k`` < ``steps``; ``unsettled`` while its accelerations must be found again."""
        s, types, compiled = self.structures, self.structures.types, self.structures.types.compiled
        Qvel = compiled.Qvel
        numbers = ("w", "k", "steps", "done", "every", "fall_stride", "until_check", "stance")
        fields: dict[str, Any] = dict.fromkeys(numbers, wp.int32) | {"unsettled": wp.bool, "rows": wp.vec4i}
        fields |= {"sense": types.Sense, "memory": types.Memory, "contact": s.Contact, "tally": s.Tally}
        fields |= {"command": types.Command, "qacc": Qvel, "loop": s.Loop, "felt": s.Felt, "work": self.Work}
        if self.features.surface:
            fields |= {"low": wp.bool}
        if self.features.pausing:
            fields |= {"kept_memory": types.Memory, "kept_contact": s.Contact}
        if self.integrator == "rk4":
            fields |= {"rate": Qvel}
        return wp.struct(type("World", (), {"__annotations__": fields, "__module__": __name__}))

    @cached_property
    def part(self) -> Callable[[Callable[..., Any]], wp.Function]:
        """A decorator: the Warp function of a function whose arguments have the names, and so the types, of a
        part's."""
        s, c = self.structures, self.structures.types.compiled
        by_reference = {"world": self.World, "push": c.Pushes, "torque": c.Qvel, "qacc": c.Qvel}
        kernel = {"setting": s.Setting, "worlds": s.Worlds, "pushing": s.Pushing, "trace": s.Trace, "past": s.Past}
        typed = {name: wp.ref[kind] for name, kind in by_reference.items()} | kernel | {"hardware": s.Hardware}
        return typed_by_name(typed)

    @cached_property
    def respond(self) -> wp.Function:
        """A Warp function (world, push, setting, torque, qacc) that finds the accelerations under joint torques."""
        implicit, accelerate = self.structures.types.implicit, self.free_stages.accelerate

        @self.part
        def respond(world, push, setting, torque, qacc):
            if wp.static(implicit):
                accelerate(
                    world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], world.work.scratch, torque,
                    world.work.force, world.command.stiffness, world.work.stiffness, push, qacc, world.work.moved,
                )  # fmt: skip
            else:
                accelerate(
                    world.sense.qpos, world.sense.qvel, setting.body, world.rows[0], world.work.scratch, torque,
                    world.work.force, push, qacc,
                )  # fmt: skip

        return self._kneel(respond) if self.features.surface else respond

    def _kneel(self, stand: wp.Function) -> wp.Function:
        """A part that finds the accelerations of a body whose surface may be close to the ground, or ``stand``."""
        compiled = self.structures.types.compiled
        balls, Grip = len(bare_skin(compiled.figure)), grip_type(compiled.real)
        accelerate = lying_function(compiled, self.terrain, balls, self.Work)

        @self.part
        def kneel(world, push, setting, torque, qacc):
            if world.low:
                skin_row = wp.min(world.rows[0], setting.skin.shape[0] - 1)
                rows = wp.vec4i(world.rows[0], skin_row, world.rows[2], world.rows[3])
                accelerate(
                    world.sense.qpos, world.sense.qvel, setting.body, rows, torque, world.command.stiffness, push,
                    setting.skin, Grip(setting.ground[world.rows[2], 2], world.sense.dt), setting.table, qacc,
                    world.work,
                )  # fmt: skip
            else:
                stand(world, push, setting, torque, qacc)

        return kneel

    @property
    def step_types(self) -> StepTypes:
        """What a law's revision is built from."""
        types = self.structures.types
        respond = None if self.law.prescribes else self.respond
        return StepTypes(types, self.World, types.compiled.Pushes, self.structures.Setting, respond)


def in_sequence(plan: WorldStepPlan, parts: Sequence[wp.Function | None]) -> wp.Function:
    """One part that does what all of them do, one after the other.

    Parts are put in order by functions that call two of them, since Warp does not see a function that a loop picks when
    it decides whether a compiled kernel is up to date.
    """

    def both(first: wp.Function, second: wp.Function) -> wp.Function:
        @plan.part
        def in_turn(world, push, setting, worlds, pushing, trace, past, hardware):
            first(world, push, setting, worlds, pushing, trace, past, hardware)
            second(world, push, setting, worlds, pushing, trace, past, hardware)

        return in_turn

    return reduce(both, [part for part in parts if part is not None])
