"""A law as a plain Python function, for trying things out: it decides every period, servos hold in between.

    τ = torque + kp (target - q) - kd q'

The servos run inside the rollout at every step, taken implicitly like those of any other law; only the decisions are
Python's. That costs some 0.2 ms a decision and world. When the idea works, write it as a Warp function (see
:mod:`footfall.control.law`) and it runs a thousand times faster, on a GPU as well.

The law under a Python function: torques and servos that are held until the next decision.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.control.law import Law, Types
from footfall.control.parts import limited, limited_stiffness, servo_stiffness, servo_torque
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation.simulation import Simulation

Array = NDArray[np.float64]

DRIVE = ("torque", "kp", "kd", "target", "limit")
"""What a row holds, each [nv]."""
UNLIMITED = 1e9
"""A limit that no torque reaches."""


class HeldDrive(Law):
    """Torques and servos that stay as they are until they are replaced: rows of :data:`DRIVE`, [5 nv]. No joint's
    torque, its servo's included, exceeds its limit.

    Args:
        figure: what is driven.
        gets_up: whether it goes on where the figure lies on the ground.
    """

    def __init__(self, figure: Figure, *, gets_up: bool = False) -> None:
        self.figure, self._gets_up = figure, gets_up

    @property
    def gets_up(self) -> bool:
        """As it was given."""
        return self._gets_up

    @property
    def key(self) -> Any:
        """Held drives are alike, but for whether they go on after a fall."""
        return ("held-drive", "gets up") if self.gets_up else "held-drive"

    @property
    def memory(self) -> Array:
        """None is needed."""
        return np.zeros(1)

    @property
    def parameters(self) -> Array:
        """[5 nv] no torque, no servo, no limit."""
        none = np.zeros(self.figure.nv)
        return np.concatenate([none, none, none, none, none + UNLIMITED])

    def build(self, types: Types) -> wp.Function:
        """The law as a Warp function."""
        real, implicit, figure, nv = types.real, types.implicit, self.figure, self.figure.nv
        first = figure.root_freedoms
        joints = {j.dof: j.qpos for j in figure.joints if j.kind in ("hinge", "slide")}
        places = tuple(joints.get(dof, -1) for dof in range(nv))
        zero = real(0.0)

        @types.part
        def held_drive(sense, memory, parameters, row, command):
            ahead = zero
            if wp.static(implicit):
                ahead = sense.dt
            for j in range(wp.static(nv)):
                if wp.static(j >= first):
                    torque = parameters[row, j]
                    if wp.static(places[j] >= 0):
                        kp = parameters[row, wp.static(nv + j)]
                        kd = parameters[row, wp.static(2 * nv + j)]
                        error = parameters[row, wp.static(3 * nv + j)] - sense.qpos[wp.static(places[j])]
                        rate = sense.qvel[j]
                        torque += servo_torque(kp, kd, error, rate, ahead)
                        command.stiffness[j] = servo_stiffness(kp, kd, ahead)
                    limit = parameters[row, wp.static(4 * nv + j)]
                    command.stiffness[j] = limited_stiffness(command.stiffness[j], torque, limit)
                    command.torque[j] = limited(torque, limit)
            command.stance = -1

        return held_drive


@dataclass(frozen=True)
class Sensed:
    """What one world feels.

    Attributes:
        time: seconds.
        world: its number.
        qpos, qvel: [nq], [nv].
        position, velocity: of the figure's ground points, world axes, by name, each [3].
        contact: names of the ground points that touch.
    """

    time: float
    world: int
    qpos: Array
    qvel: Array
    position: Mapping[str, Array]
    velocity: Mapping[str, Array]
    contact: frozenset[str]


@dataclass(frozen=True)
class Drive:
    """What a decision sets until the next one; each an array [nv] or numbers by joint name.

    Attributes:
        torque: newton metres, on top of the servos.
        target: of the servos, radians; joints not named keep no servo.
        kp, kd: their gains; by default the figure's.
    """

    torque: ArrayLike | Mapping[str, float] = ()
    target: ArrayLike | Mapping[str, float] = ()
    kp: ArrayLike | Mapping[str, float] = ()
    kd: ArrayLike | Mapping[str, float] = ()


class PythonSimulation(Simulation):
    """Worlds driven by a Python function.

    Args:
        function: (sensed) -> torques by joint name, torques [nv], or a :class:`Drive`.
        figure: as :class:`Simulation` takes it.
        period: seconds between decisions.
        options: those of :class:`Simulation`.
    """

    def __init__(
        self,
        function: Callable[[Sensed], Drive | ArrayLike | Mapping[str, float]],
        figure: str | Figure,
        *,
        period: float = 0.001,
        **options: Any,
    ) -> None:
        if not (math.isfinite(period) and period > 0):
            raise FootfallError(f"period is {period}; it must be above 0 seconds")
        walker = figure if isinstance(figure, Figure) else Figure.load(figure)
        super().__init__(law=HeldDrive(walker), figure=walker, **options)
        self.function = function
        self.every = max(1, round(period / self.dt))
        self._data = mujoco.MjData(walker.model)
        self._points = [p for p in walker.points if p.ground]

    def step(
        self, steps: int, progress: Callable[[float], None] | None = None, *, footsteps: ArrayLike | None = None
    ) -> None:
        """Go on for a number of steps, deciding every period."""
        end = self.step_number + steps
        while self.step_number < end:
            if self.step_number % self.every == 0:
                self._decide()
            now = min(self.every - self.step_number % self.every, end - self.step_number)
            super().step(now, footsteps=footsteps)
            if progress is not None:
                progress(self.time)

    def _decide(self) -> None:
        qpos, qvel = self.qpos, self.qvel
        self.set_parameters(np.stack([self._row(self.sensed(w, qpos[w], qvel[w])) for w in range(self.worlds)]))

    def sensed(self, world: int, qpos: Array, qvel: Array) -> Sensed:
        """What a world feels in a state."""
        model, data = self.figure.model, self._data
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        terrain = self.terrains[world if len(self.terrains) > 1 else 0]
        position, velocity, touching = {}, {}, set()
        speed = np.zeros(6)
        for point in self._points:
            at = data.xpos[point.body + 1] + data.xmat[point.body + 1].reshape(3, 3) @ point.position
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, point.body + 1, speed, 0)
            position[point.name] = at
            velocity[point.name] = speed[3:] + np.cross(speed[:3], at - data.xpos[point.body + 1])
            if at[2] <= terrain.height(at[0], at[1]):
                touching.add(point.name)
        return Sensed(self.time, world, qpos, qvel, position, velocity, frozenset(touching))

    def _row(self, sensed: Sensed) -> Array:
        answer = self.function(sensed)
        drive = answer if isinstance(answer, Drive) else Drive(torque=answer)
        where = f"python law, world {sensed.world} at {sensed.time:.4f} s"
        figure, nv = self.figure, self.figure.nv
        torque, target = (self._numbers(getattr(drive, n), 0.0, n, where) for n in ("torque", "target"))
        kp, kd = (self._numbers(getattr(drive, n), getattr(figure, n), n, where) for n in ("kp", "kd"))
        served = self._served(drive.target)
        limit = np.full(nv, UNLIMITED)
        row = np.stack([torque, np.where(served, kp, 0.0), np.where(served, kd, 0.0), target, limit])
        root = figure.root_freedoms
        if not np.isfinite(row).all() or np.any(row[:3, :root]):
            wrong = "a number is not finite" if not np.isfinite(row).all() else "the root takes no torque"
            raise FootfallError(f"{where}: {wrong}; give torques to the {nv - root} joints' degrees of freedom only")
        return row.ravel()

    def _served(self, target: Any) -> NDArray[np.bool_]:
        """[nv] which degrees of freedom have a servo: those named, or all joints'."""
        dofs = np.arange(self.figure.nv)
        if isinstance(target, Mapping):
            return np.isin(dofs, [self.figure.joint(joint).dof for joint in target])
        return (dofs >= self.figure.root_freedoms) & (np.size(target) > 0)

    def _numbers(self, values: Any, default: Any, name: str, where: str) -> Array:
        """[nv] from an array or from numbers by joint."""
        numbers = np.array(np.broadcast_to(default, (self.figure.nv,)), dtype=float)
        if isinstance(values, Mapping):
            for joint, value in values.items():
                numbers[self.figure.joint(joint).dof] = value
            return numbers
        array = np.asarray(values, dtype=float)
        if array.size == 0:
            return numbers
        if array.shape != (self.figure.nv,):
            raise FootfallError(f"{where}: {name} has shape {array.shape}; give [{self.figure.nv}] or joints by name")
        return array
