"""Motors: what a joint's motor can give at the speed at which it turns.

    |τ| ≤ T                                     up to the knee of the line, and against the motion
    |τ| ≤ T (ω0 - |ω|) / (ω0 - knee ω0)         beyond it, in the direction of the motion; nothing from ω0 on

T is the torque at stall and ω0 the speed without load. The line is a property of the motor, not of the law: it acts on
the torque that reaches the joint, whether that was asked for in this step, held or late, at the joint's own speed. It
does not touch joint stops, springs or friction, which belong to the body. Under implicit steps the falling part is
taken one step ahead, like a damper of T / (ω0 - knee ω0).
"""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure

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
    bend = np.atleast_1d(np.asarray(knee, dtype=float))
    if len(bend) not in (1, worlds) or not ((bend >= 0) & (bend < 1)).all():
        raise FootfallError(f"motor_knee is {knee!r}; it must be from 0 to below 1, one number or one for each world")
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
    moved = {j.name: j for j in figure.joints if j.kind != "free" and j.dof >= _root(figure)}
    by_name = given if isinstance(given, Mapping) else dict.fromkeys(moved, given)
    for joint, value in by_name.items():
        chosen = [joint] if joint in moved else list(figure.roles.get(joint, ()))
        if not chosen:
            raise unknown_name(f"joint for {name} of figure '{figure.name}'", joint, [*moved, *figure.roles])
        column = np.atleast_1d(np.asarray(value, dtype=float))
        if len(column) not in (1, worlds):
            raise FootfallError(
                f"{name} is given for {len(column)} worlds; give one for all or one for each of {worlds}"
            )
        if not (column > 0).all():
            raise FootfallError(f"{name} of joint '{joint}' is {column[~(column > 0)][0]}; it must be above 0")
        numbers = np.array(np.broadcast_to(numbers, (max(len(numbers), len(column)), figure.nv)))
        for part in chosen:
            at = moved[part]
            numbers[:, at.dof : at.dof + at.ndof] = column[:, None]
    return numbers


def _custom_speeds(figure: Figure) -> Array | None:
    """[nv] speeds without load that the figure's file has as custom numeric 'motor_speed', one number for all actuators
    or one for each in their order, a million or more for a motor without such a speed; None without."""
    model: Any = figure.model
    for i in range(model.nnumeric):
        if mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_NUMERIC, i) == "motor_speed":
            start, size = int(model.numeric_adr[i]), int(model.numeric_size[i])
            values = np.array(model.numeric_data[start : start + size])
            if size not in (1, model.nu) or not (values > 0).all():
                raise FootfallError(
                    f"figure '{figure.name}': its custom numeric 'motor_speed' has {size} numbers; give one above 0 "
                    f"for all motors or one for each of its {model.nu} actuators, rad/s"
                )
            speeds = np.full(figure.nv, np.inf)
            for a, value in enumerate(np.broadcast_to(values, (model.nu,))):
                speeds[model.jnt_dofadr[model.actuator_trnid[a, 0]]] = value if value < ANY_SPEED else np.inf
            return speeds
    return None


def _root(figure: Figure) -> int:
    return {"planar": 3, "free": 6, "fixed": 0}[figure.root]
