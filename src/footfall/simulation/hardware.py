"""What is between a law and the body of a robot: sensors that are late and wrong, a control rate, motors with limits.

    sense (+ noise, late) -> law, at its rate -> torque, held until the next one -> late -> motor's line -> joint

A law without hardware runs in every step, and its servos are implicit: each torque is that of the end of the step
(stable PD). A held or late torque was computed before, so nothing of it is implicit: it is plain PD of what was sensed,
which stiff servos on light joints bear only at high rates, as on a robot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.simulation.device import rows_to_device, to_device
from footfall.simulation.inputs import check_worlds, delays_in_steps
from footfall.simulation.motors import Motors, motor_table
from footfall.simulation.noise import NOISES

Array = NDArray[np.float64]
WHOLE = 1e-6
"""How far a control period may be from a whole number of steps, in steps."""


@dataclass(frozen=True)
class Hardware:
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

    def tables(self, real: Any, device: Any) -> list[Any]:
        """every, noise, key and motors on a device."""
        wide = [rows_to_device(a, real, device) if len(a) else _none(real, device) for a in (self.noise, self.motors)]
        noise, motors = wide
        return [to_device(self.every, wp.int32, device), noise, to_device(self.key, wp.uint64, device), motors]


def hardware_of(
    figure: Figure,
    worlds: int,
    dt: float,
    *,
    sensor_delay: ArrayLike = 0.0,
    actuator_delay: ArrayLike = 0.0,
    control_rate: ArrayLike | None = None,
    noise: Mapping[str, ArrayLike] | None = None,
    noise_seed: ArrayLike = 0,
    motor_speed: Motors | None = None,
    motor_torque: Motors | None = None,
    motor_knee: ArrayLike = 0.0,
) -> Hardware:
    """The hardware of N worlds, checked; arguments as :class:`footfall.simulation.Simulation` takes them."""
    sizes = _noise_rows(noise or {}, worlds)
    return Hardware(
        delay=delays_in_steps(sensor_delay, actuator_delay, worlds, dt),
        every=_steps_between(control_rate, worlds, dt),
        noise=sizes,
        key=_keys(noise_seed, worlds) if len(sizes) else np.zeros(0, dtype=np.uint64),
        motors=motor_table(figure, worlds, motor_speed, motor_torque, motor_knee),
    )


def _steps_between(rate: ArrayLike | None, worlds: int, dt: float) -> NDArray[np.int32]:
    if rate is None:
        return np.zeros(0, dtype=np.int32)
    rates = np.atleast_1d(np.asarray(rate, dtype=float))
    check_worlds("control_rate", len(rates), worlds)
    wrong = ~((rates > 0) & (rates <= (1.0 + WHOLE) / dt) & (rates >= 1.0))
    if wrong.any():
        raise FootfallError(
            f"control_rate is {rates[wrong][0]:g}; it must be from 1 to {1.0 / dt:g} per second, once in every step"
        )
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
        if name not in NOISES:
            raise unknown_name("noise", name, NOISES)
        column = np.atleast_1d(np.asarray(value, dtype=float))
        check_worlds(f"noise of {name}", len(column), worlds)
        wrong = ~((column >= 0) & np.isfinite(column))
        if wrong.any():
            raise FootfallError(f"noise of {name} is {column[wrong][0]}; it must be at least 0 {NOISES[name]}")
        columns[name] = column
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
    """The hash of splitmix64, as :mod:`footfall.simulation.noise` has it in kernels."""
    with np.errstate(over="ignore"):
        z = x + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))


def _none(real: Any, device: Any) -> Any:
    return wp.empty((0, 0), dtype=real, device=device)
