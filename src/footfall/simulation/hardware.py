"""What is between a law and the body of a robot: sensors that are late and wrong, a control rate, motors with limits.

    sense (+ noise, late) -> law, at its rate -> torque, held until the next one -> late -> motor's line -> joint

A law without hardware runs in every step, and its servos are implicit: each torque is that of the end of the step
(stable PD). A held or late torque was computed before, so nothing of it is implicit: it is plain PD of what was sensed,
which stiff servos on light joints bear only at high rates, as on a robot.

Motors: what a joint's motor can give at the speed at which it turns.

    |τ| ≤ T                                     up to the knee of the line, and against the motion
    |τ| ≤ T (ω0 - |ω|) / (ω0 - knee ω0)         beyond it, in the direction of the motion; nothing from ω0 on

T is the torque at stall and ω0 the speed without load. The line is a property of the motor, not of the law: it acts on
the torque that reaches the joint, whether that was asked for in this step, held or late, at the joint's own speed. It
does not touch joint stops, springs or friction, which belong to the body. Under implicit steps the falling part is
taken one step ahead, like a damper of T / (ω0 - knee ω0).

Sensor noise in a kernel: what a law senses, with errors that depend on the world's key and the step alone.

Random numbers are counted, not drawn one after the other: the error of coordinate k in step n is a hash of (key, n, k)
turned into a normal number (splitmix64, then Box and Muller). So they do not depend on how many worlds there are, on
threads, or on how a run is cut into pieces.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.errors import FootfallError, check_name, unknown_name
from footfall.figures import Figure
from footfall.figures.mjcf import custom_numbers
from footfall.simulation.device import rows_to_device, to_device
from footfall.simulation.inputs import check_worlds, delays_in_steps, per_world

UNLIMITED = 1e30
ANY_SPEED = 1e6
"""rad/s that no motor reaches."""
Array = NDArray[np.float64]
Motors = ArrayLike | Mapping[str, ArrayLike]
"""A number for all motors, [N] one for each world, or either of these by joint or by role ("knee" for both sides)."""


def motor_table(figure: Figure, worlds: int, speed: Motors | None, torque: Motors | None, knee: ArrayLike) -> Array:
    """[1 or worlds, 3 nv] torque at stall, torque lost per rad/s beyond the knee, and speed without load of each
    degree of freedom; [0, 0] where no motor has a limit of its own."""
    own_speed = _custom_speeds(figure)
    if speed is None and torque is None and own_speed is None:
        return np.zeros((0, 0))
    given = _spread(figure, worlds, "motor_speed", speed, np.inf if own_speed is None else own_speed)
    most = _spread(figure, worlds, "motor_torque", torque, figure.torque_limit)
    bend = per_world("motor_knee", knee, worlds, "from 0 to below 1", lambda a: (a >= 0) & (a < 1))
    rows = max(len(given), len(most), len(bend))
    given, most = (np.broadcast_to(a, (rows, figure.nv)) for a in (given, most))
    limited = np.isfinite(given)
    for dof in np.flatnonzero((limited & ~np.isfinite(most)).any(axis=0)):
        joint = next(j.name for j in figure.joints if j.dof <= dof < j.dof + j.ndof)
        raise FootfallError(
            f"motor_speed: joint '{joint}' of figure '{figure.name}' has no torque limit; give its torque at stall as "
            f"motor_torque, as in {joint}=100"
        )
    span = np.where(limited, given, 1.0) * (1.0 - np.broadcast_to(bend[:, None], (rows, 1)))
    slope = np.where(limited, np.where(limited, most, 1.0) / span, 1.0)
    finite = (np.where(np.isfinite(a), a, UNLIMITED) for a in (most, given))
    top, free = finite
    return np.concatenate([top, slope, free], axis=1)


def motor_function(compiled: CompiledFigure, *, implicit: bool) -> wp.Function:
    """A Warp function (qvel, dt, motors, row, torque, stiffness) that keeps torques within their motors' lines."""
    real, Qvel, nv, first = compiled.real, compiled.Qvel, compiled.nv, compiled.root_freedoms
    zero, nearly = real(0.0), real(1.0 + 1e-6)

    @wp.func
    def limit_motors(
        qvel: wp.ref[Qvel], dt: real, motors: wp.array2d[real], row: int, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]
    ):
        for j in range(first, nv):
            asked = torque[j]
            way = wp.sign(asked)
            most = motors[row, j]
            slope = motors[row, nv + j]
            line = wp.max(slope * (motors[row, 2 * nv + j] - way * qvel[j]), zero)
            limit = wp.min(most, line)
            if wp.abs(asked) > limit:
                torque[j] = way * limit
                stiffness[j] = zero
                if wp.static(implicit):
                    if line < most * nearly and line > zero:
                        stiffness[j] = slope * dt

    return limit_motors


def _spread(figure: Figure, worlds: int, name: str, given: Motors | None, default: ArrayLike) -> Array:
    """[1 or worlds, nv] numbers of motors; the default where nothing is given."""
    numbers = np.array(np.broadcast_to(np.asarray(default, dtype=float), (1, figure.nv)))
    if given is None:
        return numbers
    moved = {j.name: j for j in figure.joints if j.kind != "free" and j.dof >= figure.root_freedoms}
    by_name = given if isinstance(given, Mapping) else dict.fromkeys(moved, given)
    for joint, value in by_name.items():
        chosen = [joint] if joint in moved else list(figure.roles.get(joint, ()))
        if not chosen:
            raise unknown_name(f"joint for {name} of figure '{figure.name}'", joint, [*moved, *figure.roles])
        column = per_world(name, value, worlds)
        if not (column > 0).all():
            raise FootfallError(f"{name} of joint '{joint}' is {column[~(column > 0)][0]:g}; it must be above 0")
        numbers = np.array(np.broadcast_to(numbers, (max(len(numbers), len(column)), figure.nv)))
        for part in chosen:
            at = moved[part]
            numbers[:, at.dof : at.dof + at.ndof] = column[:, None]
    return numbers


def _custom_speeds(figure: Figure) -> Array | None:
    """[nv] speeds without load that the figure's file has as custom numeric 'motor_speed', one number for all actuators
    or one for each in their order, a million or more for a motor without such a speed; None without."""
    model: Any = figure.model
    values = custom_numbers(model).get("motor_speed")
    if values is None:
        return None
    if len(values) not in (1, model.nu) or not (values > 0).all():
        raise FootfallError(
            f"figure '{figure.name}': its custom numeric 'motor_speed' has {len(values)} numbers; give one above 0 "
            f"for all motors or one for each of its {model.nu} actuators, rad/s"
        )
    speeds = np.full(figure.nv, np.inf)
    for a, value in enumerate(np.broadcast_to(values, (model.nu,))):
        speeds[model.jnt_dofadr[model.actuator_trnid[a, 0]]] = value if value < ANY_SPEED else np.inf
    return speeds


NOISES = {
    "joint_angle": "rad",
    "joint_speed": "rad/s",
    "orientation": "rad",
    "angular_velocity": "rad/s",
    "linear_velocity": "m/s",
}
"""What a sensor may be wrong about, and the unit of its standard deviation; the last three are the root's."""

JOINT_ANGLE, JOINT_SPEED, ORIENTATION, ANGULAR_VELOCITY, LINEAR_VELOCITY = range(5)


@wp.func
def mixed(x: wp.uint64):
    """The hash of splitmix64."""
    z = x + wp.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> wp.uint64(30))) * wp.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> wp.uint64(27))) * wp.uint64(0x94D049BB133111EB)
    return z ^ (z >> wp.uint64(31))


def noise_function(compiled: CompiledFigure) -> wp.Function:
    """A Warp function (qpos, qvel, noise, row, key, step) that adds the errors of a step to a state; ``noise[row]``
    holds the standard deviations of :data:`NOISES`."""
    figure, real, Qpos, Qvel, nv = compiled.figure, compiled.real, compiled.Qpos, compiled.Qvel, compiled.nv
    straight = [(j.qpos, j.dof) for j in figure.joints if j.ndof == 1 and j.dof >= compiled.root_freedoms]
    turning = [(j.qpos, j.dof, JOINT_ANGLE) for j in figure.joints if j.kind == "ball"]
    if figure.root == "free":
        turning.append((3, 3, ORIENTATION))
    if figure.root == "planar":
        straight.append((2, 2))
    places, dofs = tuple(q for q, _ in straight), tuple(d for _, d in straight)
    sizes = tuple(ORIENTATION if d < compiled.root_freedoms else JOINT_ANGLE for d in dofs)
    speeds = tuple(_speed_of(figure.root, d) for d in range(nv))
    quats, firsts, of_quat = (tuple(row[k] for row in turning) for k in range(3))
    count, quat_count = len(straight), len(turning)
    half, two_pi, minus_two = real(0.5), real(6.283185307179586), real(-2.0)
    scale, offset = real(2.0**-32), real(2.0**-33)
    Two = wp.types.vector(length=2, dtype=real)
    zero = real(0.0)

    @wp.func
    def normals(key: wp.uint64, step: int, k: int):
        """Two independent normal numbers."""
        bits = mixed(mixed(key + wp.uint64(step)) + wp.uint64(k))
        high = real(bits >> wp.uint64(32)) * scale + offset
        low = real(bits & wp.uint64(0xFFFFFFFF)) * scale
        length = wp.sqrt(minus_two * wp.log(high))
        return Two(length * wp.cos(two_pi * low), length * wp.sin(two_pi * low))

    @wp.func
    def disturb(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], noise: wp.array2d[real], row: int, key: wp.uint64, step: int):
        angles = Qvel()
        for d in range(wp.static(nv)):
            pair = normals(key, step, d)
            angles[d] = pair[0]
            qvel[d] = qvel[d] + noise[row, wp.static(speeds[d])] * pair[1]
        for i in range(wp.static(count)):
            error = noise[row, wp.static(sizes[i])] * angles[wp.static(dofs[i])]
            qpos[wp.static(places[i])] = qpos[wp.static(places[i])] + error
        for i in range(wp.static(quat_count)):
            size = noise[row, wp.static(of_quat[i])]
            if size > zero:
                x = half * size * angles[wp.static(firsts[i])]
                y = half * size * angles[wp.static(firsts[i] + 1)]
                z = half * size * angles[wp.static(firsts[i] + 2)]
                turn = wp.sqrt(x * x + y * y + z * z)
                s = wp.sin(turn) / turn
                c = wp.cos(turn)
                x *= s
                y *= s
                z *= s
                a = qpos[wp.static(quats[i])]
                b = qpos[wp.static(quats[i] + 1)]
                e = qpos[wp.static(quats[i] + 2)]
                f = qpos[wp.static(quats[i] + 3)]
                qpos[wp.static(quats[i])] = a * c - b * x - e * y - f * z
                qpos[wp.static(quats[i] + 1)] = a * x + b * c + e * z - f * y
                qpos[wp.static(quats[i] + 2)] = a * y - b * z + e * c + f * x
                qpos[wp.static(quats[i] + 3)] = a * z + b * y - e * x + f * c

    return disturb


def _speed_of(root: Any, dof: int) -> int:
    """Which noise the velocity of a degree of freedom has."""
    straight, all_of_it = {"planar": (2, 3), "free": (3, 6), "fixed": (0, 0)}[root]
    if dof >= all_of_it:
        return JOINT_SPEED
    return LINEAR_VELOCITY if dof < straight else ANGULAR_VELOCITY


WHOLE = 1e-6
"""How far a control period may be from a whole number of steps, in steps."""


@dataclass(frozen=True)
class HardwareTables:
    """Numbers of N worlds, each with one row for all worlds or one for each; without a row where it is not used.

    Attributes:
        delay: [1 or N, 2] sensor and actuator delays in steps.
        every: [0, 1 or N] steps between two decisions of the law.
        noise: [0, 1 or N, 5] standard deviations of :data:`NOISES`.
        key: [0 or N] of the worlds' random numbers.
        motors: [0, 1 or N, 3 nv] as :func:`motor_table` makes them.
    """

    delay: NDArray[np.int32]
    every: NDArray[np.int32]
    noise: Array
    key: NDArray[np.uint64]
    motors: Array

    @property
    def delayed(self) -> bool:
        """Whether sensors or torques are late in some world."""
        return bool(self.delay.any())

    @property
    def held(self) -> bool:
        """Whether the law has a rate of its own."""
        return len(self.every) > 0

    @property
    def noisy(self) -> bool:
        """Whether sensors are wrong in some world."""
        return len(self.noise) > 0

    @property
    def limited(self) -> bool:
        """Whether some motor has a line of its own."""
        return len(self.motors) > 0

    def on_device(self, real: Any, device: Any) -> list[Any]:
        """every, noise, key and motors on a device."""
        none = wp.empty((0, 0), dtype=real, device=device)
        noise, motors = (rows_to_device(a, real, device) if len(a) else none for a in (self.noise, self.motors))
        return [to_device(self.every, wp.int32, device), noise, to_device(self.key, wp.uint64, device), motors]


@dataclass(frozen=True, eq=False)
class Hardware:
    """What is between a law and the body of a robot. Numbers are for all worlds, or [N] one for each.

    Attributes:
        sensor_delay: how late balance sees the body and the ground, seconds; joints' own servos feel no delay.
        actuator_delay: how late torques act, seconds; servos are then plain PD.
        control_rate: how often the law acts, per second; by default in every step. A whole number of steps apart: its
            torques are held in between, so no part of them is implicit and servos are plain PD.
        noise: standard deviations of what the law senses by name (:data:`NOISES`); errors are drawn anew whenever the
            law acts.
        noise_seed: of the errors, which also depend on the world's number; or [N], a seed for each world.
        motor_speed: rad/s at which motors give no more torque, also by joint or role; by default the figure's own
            (custom numeric 'motor_speed'), else motors are as strong at any speed.
        motor_torque: N m that motors give at rest, in the same way; by default the figure's torque limits.
        motor_knee: share of that speed up to which motors give all of their torque.
    """

    sensor_delay: ArrayLike = 0.0
    actuator_delay: ArrayLike = 0.0
    control_rate: ArrayLike | None = None
    noise: Mapping[str, ArrayLike] = field(default_factory=dict)
    noise_seed: ArrayLike = 0
    motor_speed: Motors | None = None
    motor_torque: Motors | None = None
    motor_knee: ArrayLike = 0.0

    def tables(self, figure: Figure, worlds: int, dt: float) -> HardwareTables:
        """The numbers of a figure's worlds with steps of ``dt`` seconds, checked."""
        sizes = _noise_rows(self.noise, worlds)
        return HardwareTables(
            delay=delays_in_steps(self.sensor_delay, self.actuator_delay, worlds, dt),
            every=_steps_between(self.control_rate, worlds, dt),
            noise=sizes,
            key=_keys(self.noise_seed, worlds) if len(sizes) else np.zeros(0, dtype=np.uint64),
            motors=motor_table(figure, worlds, self.motor_speed, self.motor_torque, self.motor_knee),
        )


def _steps_between(rate: ArrayLike | None, worlds: int, dt: float) -> NDArray[np.int32]:
    if rate is None:
        return np.zeros(0, dtype=np.int32)
    must = f"from 1 to {1.0 / dt:g} per second, once in every step"
    rates = per_world("control_rate", rate, worlds, must, lambda a: (a >= 1.0) & (a <= (1.0 + WHOLE) / dt))
    steps = 1.0 / (rates * dt)
    every = np.rint(steps)
    for one, whole, exact in zip(rates, every, steps, strict=True):
        if abs(exact - whole) > WHOLE * whole:
            near = sorted({int(np.floor(exact)), int(np.ceil(exact))} - {0})
            right = " or ".join(f"{1.0 / (k * dt):.6g}" for k in near)
            raise FootfallError(
                f"control_rate is {one:g}, every {exact:.4g} steps of {dt:g} s; a whole number is right: {right}"
            )
    return every.astype(np.int32)


def _noise_rows(noise: Mapping[str, ArrayLike], worlds: int) -> Array:
    """[0, 1 or worlds, 5]"""
    columns = {}
    for name, value in noise.items():
        check_name("noise", name, NOISES)
        must = f"at least 0 {NOISES[name]}"
        columns[name] = per_world(f"noise of {name}", value, worlds, must, lambda a: (a >= 0) & np.isfinite(a))
    if not any(column.any() for column in columns.values()):
        return np.zeros((0, 0))
    count = max(len(column) for column in columns.values())
    return np.stack([np.broadcast_to(columns.get(name, np.zeros(1)), count) for name in NOISES], axis=1)


def _keys(seed: ArrayLike, worlds: int) -> NDArray[np.uint64]:
    """[worlds] keys of random numbers: of one seed and each world's number, or of a seed for each world."""
    seeds = np.atleast_1d(np.asarray(seed))
    check_worlds("noise_seed", len(seeds), worlds)
    if not np.issubdtype(seeds.dtype, np.integer) or (seeds < 0).any():
        raise FootfallError(f"noise_seed is {seed!r}; it must be a whole number of at least 0, or one for each world")
    numbers = np.arange(worlds) if np.ndim(seed) == 0 else np.zeros(worlds)
    return _mixed(_mixed(np.broadcast_to(seeds, (worlds,)).astype(np.uint64)) + numbers.astype(np.uint64))


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The hash of splitmix64, as :func:`mixed` has it in kernels."""
    with np.errstate(over="ignore"):
        z = x + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))
