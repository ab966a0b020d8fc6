"""A controller as functions in C: its law on its figure, from sensed positions and velocities to joint torques."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.kind import Controller, Integration
from footfall.control.law import Law, Types
from footfall.control.registry import kind_of, law_of
from footfall.dynamics.compiler import CompiledFigure
from footfall.embedded.c99 import print_unit, sine_cosine
from footfall.embedded.cpp import read_unit, simplified
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.kernels.start import start_warp
from footfall.live.source import generated

UNROLLED = 1024
"""Loops of known length up to this are written out, as the law's own functions have it."""
MOST_POINTS = 31
"""Points in contact are bits of a signed number of 32."""
_modules = itertools.count()


@dataclass(frozen=True)
class ControlInC:
    """A controller's law in C.

    Attributes:
        controller, figure, law: what it is.
        text: types and static functions in C99, among them ``soles`` (where the sole points are) and ``control`` (one
            step of the law).
        types: what the law was built from.
        feels_accelerations: whether ``control`` reads accelerations.
    """

    controller: Controller
    figure: Figure
    law: Law
    text: str
    types: Types
    feels_accelerations: bool

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the sole points, in the order of their contacts."""
        return tuple(p.name for p in self.types.compiled.points)

    @property
    def dt(self) -> float:
        """The time step that the controller was made with."""
        return Integration().dt if self.controller.integration is None else self.controller.integration.dt

    @property
    def start(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[nq] and [nv] where the controller begins."""
        start = self.controller.start
        if start is None:
            return self.figure.standing_qpos()[0], np.zeros(self.figure.nv)
        return np.array(start.qpos, dtype=float), np.array(start.qvel, dtype=float)


def control_in_c(controller: Controller, figure: Figure) -> ControlInC:
    """A controller's law on a figure, translated; a law that needs more than a robot senses is refused."""
    start_warp()
    where = f"controller '{controller.name}'"
    law = law_of(controller, figure)
    kind_of(controller).check(controller, figure, ())
    _check(law, controller, where)
    compiled = CompiledFigure(figure, feet_only=True)
    if len(compiled.points) > MOST_POINTS:
        raise FootfallError(f"{where}: its figure has {len(compiled.points)} sole points; C has room for {MOST_POINTS}")
    implicit = controller.integration is None or controller.integration.integrator == "implicit"
    types = Types.of(compiled, law, implicit=implicit)
    text = _generated(types, law, rates=False)
    if ")).velocity)" in text:
        text = _generated(types, law, rates=True)
    try:
        unit = simplified(read_unit(text))
        written = "\n\n".join(part for part in (sine_cosine(unit), print_unit(unit)) if part)
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from error
    return ControlInC(controller, figure, law, written, types, ")).qacc)" in text)


def _check(law: Law, controller: Controller, where: str) -> None:
    """Refuse a law that needs what only a simulation knows."""
    if kind_of(controller).clip_seconds(controller) is not None and (law.prescribes or law.views):
        needed = (
            "asks for accelerations of the joints, which take the forces of the ground to become torques"
            if law.prescribes
            else "needs the clip, where the body is in the world, and the ground ahead, which no joint senses"
        )
        raise FootfallError(
            f"{where} follows a clip, and {needed}; a clip of walking becomes a controller for C by footfall imitate "
            "CLIP --law simbicon"
        )
    if law.prescribes:
        raise FootfallError(
            f"{where}: its law asks for accelerations of the joints, which take the forces of the ground to become "
            "torques; export to C is for laws that give torques"
        )
    if law.command_fields(wp.float64):
        raise FootfallError(
            f"{where}: exact stable PD needs this step's accelerations, which only a simulation knows; "
            'set stable = "" under [servo]'
        )
    if law.views and not _sees_its_height_alone(controller, law):
        raise FootfallError(f"{where}: it looks at the ground ahead, which no joint senses; export a blind controller")


def _sees_its_height_alone(controller: Controller, law: Law) -> bool:
    """Whether a network sees of the ground only how high the root is above it, which on z = 0 the state says."""
    observed = {name for block in getattr(controller, "observations", ()) for name in block.names}
    base = getattr(controller, "graph", None)
    by_base = base is not None and law_of(base, law.figure).views
    return "height" in observed and not by_base and not any(name.startswith("ground") for name in observed)


def _generated(types: Types, law: Law, *, rates: bool) -> str:
    """Warp's C++ of the law and of what it senses."""
    compiled = types.compiled
    real, Qpos, Qvel, Points = compiled.real, compiled.Qpos, compiled.Qvel, compiled.Points
    Sense, Memory, Command = types.Sense, types.Memory, types.Command
    act, points, velocities = law.build(types), compiled.ground_points, compiled.ground_point_velocities

    @wp.func
    def soles(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], none: wp.array2d[real], position: wp.ref[Points]):
        points(qpos, qvel, none, 0, position)

    @wp.func
    def control(
        qpos: wp.ref[Qpos],
        qvel: wp.ref[Qvel],
        qacc: wp.ref[Qvel],
        position: wp.ref[Points],
        contact: int,
        time: real,
        dt: real,
        parameters: wp.array2d[real],
        library: wp.array2d[real],
        memory: wp.ref[Memory],
        command: wp.ref[Command],
    ):
        sense = Sense()
        sense.time = time
        sense.dt = dt
        sense.qpos = qpos
        sense.qvel = qvel
        sense.qacc = qacc
        sense.position = position
        sense.contact = contact
        sense.seen_qpos = qpos
        sense.seen_qvel = qvel
        sense.seen_position = position
        sense.seen_contact = contact
        sense.library = library
        if wp.static(rates):
            velocity = Points()
            velocities(qpos, qvel, parameters, 0, velocity)
            sense.velocity = velocity
        act(sense, memory, parameters, 0, command)

    module: Any = wp.get_module(f"footfall_embedded_{next(_modules)}")

    @wp.kernel(enable_backward=False, module=module)
    def step(
        qpos: wp.array[Qpos],
        qvel: wp.array[Qvel],
        memories: wp.array[Memory],
        parameters: wp.array2d[real],
        torque: wp.array[Qvel],
    ):
        q = qpos[0]
        v = qvel[0]
        memory = memories[0]
        position = Points()
        command = Command()
        soles(q, v, parameters, position)
        control(q, v, v, position, 0, real(0.0), real(0.0), parameters, parameters, memory, command)
        torque[0] = command.torque

    module.options["max_unroll"] = UNROLLED
    return generated(step)
