"""Periodic gaits of 3LP: what a walker must do so that each step mirrors the last (Faraji and Ijspeert 2018, 2.3).

Over one step the pelvis relative to the feet, its velocity and the swing foot's rest repeat after the feet swap roles,
mirrored laterally. In the sagittal plane speed, timing and the centre of pressure fix everything; laterally one freedom
is left, the step width. Each plane is one linear system of four unknowns: pelvis, its velocity, hip torque and ramp.

A walk that asks for more than the leg allows is refused: steps no longer than the leg, the pelvis never further from a
foot than nine tenths of it; beyond that 3LP's assumption of constant heights no longer describes a person. One step
that catches a push may be a lunge, up to a quarter longer than the leg; a walker driven beyond that has fallen.

Time projection carries a walker from any gait to any other, but a large change at once asks for a step that no leg can
make: :func:`gradual_change` spreads it over steps.
"""

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.figures.inertia import GRAVITY
from footfall.methods.pendulum.closed_form import Plane, PlaneDrive, double_plane, falling, single_basis, single_plane
from footfall.methods.pendulum.model import Person, ThreeLinearPendulums
from footfall.methods.pendulum.regulator import Regulator, StepMap, regulate
from footfall.methods.pendulum.stride import Stride
from footfall.methods.pendulum.walk import LEAST_HIP_TORQUE, Walk

LONGEST_STEP = 1.0
"""Of a step, in leg lengths."""
LONGEST_LUNGE = 1.25
"""Of a step that catches a push, in leg lengths."""
LONGEST_OFFSET = 0.9
"""Of the pelvis from a foot, along the ground, in leg lengths."""

Array = NDArray[np.float64]


def step_breaks(c: Stride, sx: Any, px: Any, sy: Any, py: Any) -> Array:
    """The largest of step length and pelvis offsets, each as a part of its bound, ``[N]``: above 1 the step is
    broken."""
    step = np.hypot(sx, sy) / (LONGEST_LUNGE * c.leg)
    offset = np.maximum(np.hypot(px, py), np.hypot(px - sx, py - sy)) / (LONGEST_OFFSET * c.leg)
    return np.asarray(np.maximum(step, offset))


def refuse_infeasible(c: Stride) -> None:
    """Raise an error that names the walker, the quantity and its bound if the nominal gait asks for too much."""
    leg = np.asarray(c.leg)
    length = np.abs(np.asarray(c.end_sx))
    back = np.abs(np.asarray(c.start_px))
    ahead = np.abs(np.asarray(c.end_px))
    behind_swing = np.abs(np.asarray(c.start_px) - np.asarray(c.start_sx))
    names = {
        "step length": (length, LONGEST_STEP * leg),
        "pelvis behind the stance foot at the step's start": (back, LONGEST_OFFSET * leg),
        "pelvis ahead of the stance foot at the step's end": (ahead, LONGEST_OFFSET * leg),
        "pelvis ahead of the swing foot at the step's start": (behind_swing, LONGEST_OFFSET * leg),
    }
    for name, (value, bound) in names.items():
        over = ~(value <= bound)
        if np.any(over):
            i = int(np.argmax(over))
            who = f" (walker {i})" if over.size > 1 else ""
            most = float(bound[i] / c.duration[i]) if name == "step length" else None
            advice = (
                f": walk at no more than {most:.3g} m/s at this frequency" if most else ": walk slower or quicker steps"
            )
            raise FootfallError(
                f"infeasible walk{who}: {name} is {float(value[i]):.3g} m, "
                f"the leg allows {float(bound[i]):.3g} m{advice}"
            )


@dataclass(frozen=True)
class Gait:
    """A periodic gait of ``[N]`` walkers.

    ``stride`` holds all constants of a frame, ``step_map`` and ``regulator`` those of a step; ``step_length`` and
    ``step_width`` ``[N]`` in metres.
    """

    body: Person
    walk: Walk
    model: ThreeLinearPendulums
    stride: Stride
    step_map: StepMap
    regulator: Regulator
    step_length: Array
    step_width: Array

    def __len__(self) -> int:
        return int(self.step_length.shape[0])

    def take(self, walker: int) -> "Gait":
        """The gait of one walker alone."""
        if len(self) == 1 and walker == 0:
            return self
        if not 0 <= walker < len(self):
            raise FootfallError(f"there is no walker {walker}: the gait has {len(self)} (numbered from 0)")
        bodies = {f.name: getattr(self.body, f.name)[[walker]] for f in fields(Person)}
        asked = {f.name: getattr(self.walk, f.name) for f in fields(Walk)}
        asked = {n: v if v is None or np.ndim(v) == 0 else np.asarray(v)[[walker]] for n, v in asked.items()}
        return periodic_gait(Person(**bodies), Walk(**asked))


def centre_of_pressure(body: Person, walk: Walk) -> tuple[Array, Array]:
    """Where the centre of pressure is at the start and the end of single support, metres from the heel, ``[N]`` each.

    It travels half a step length, at most the foot's length, in the direction of walking, around a centre that moves
    from the middle of the rear six tenths of the foot (in place) to the foot's middle (long steps).
    """
    if walk.cop_start is not None and walk.cop_end is not None:
        shape = np.broadcast_shapes(body.h1.shape, np.shape(walk.cop_start), np.shape(walk.cop_end))
        return np.broadcast_to(walk.cop_start, shape) * 1.0, np.broadcast_to(walk.cop_end, shape) * 1.0
    foot = body.foot_length
    half_step = np.asarray(walk.speed, float) / np.asarray(walk.frequency, float) / 2
    travel = np.clip(half_step, -foot, foot)
    share = np.abs(travel) / foot
    centre = ((1 - share) * body.toe + share * foot) / 2
    return np.asarray(centre - travel / 2), np.asarray(centre + travel / 2)


_OF_DOUBLE_SUPPORT = ("double_foot", "double_foot_slope", "double_ankle", "double_force", "double_bias")


def periodic_gait(body: Person, walk: Walk | None = None) -> Gait:
    """The periodic gait of ``body`` for ``walk`` (both broadcast to ``[N]`` walkers), or an error that names the bound
    which an infeasible walk breaks."""
    walk = walk or Walk()
    walk.check(body)
    shape = np.broadcast_shapes(body.h1.shape, walk.shape())
    if len(shape) > 1:
        raise FootfallError(f"walkers are one row, but bodies and walk broadcast to the shape {shape}")
    count = shape[0] if shape else 1
    body = body.broadcast((count,)) if body.h1.shape != (count,) else body

    def row(value: Any) -> Array:
        return np.broadcast_to(np.asarray(value, float), (count,))

    model = ThreeLinearPendulums.of(body, row(walk.slope), row(walk.tilt), row(walk.drag))
    rate, swing_rate, fall = model.modes()
    duration = 1.0 / row(walk.frequency)
    share = row(walk.double_support)
    double = np.where(share > 1e-6, share, 0.0) * duration
    with np.errstate(divide="ignore"):
        per_double = np.where(double > 0, 1.0 / double, 0.0)
    normal_load = body.weight * np.cos(row(walk.slope))
    cop_start, cop_end = centre_of_pressure(body, walk)
    values: dict[str, Any] = {f.name: np.zeros(count) for f in fields(Stride)}
    values |= {f"fall_{a}{b}": fall[i][j] for i, a in enumerate("sp") for j, b in enumerate("sp")}
    values |= {f"{name}_{a}": getattr(model, name)[i] for name in ("hip", "ankle", "force") for i, a in enumerate("sp")}
    values |= {f"bias_{a}{plane}": getattr(model, f"bias_{plane}")[i] for plane in "xy" for i, a in enumerate("sp")}
    values |= {name: getattr(model, name) for name in _OF_DOUBLE_SUPPORT}
    values |= {name: getattr(body, name) for name in ("thigh", "shank", "ankle_height", "toe", "half_pelvis")}
    values |= {
        name: row(getattr(walk, name)) for name in ("clearance", "stretch", "flap", "pelvis_turn", "pelvis_drop")
    }
    values |= {
        "rate": rate,
        "swing_rate": swing_rate,
        "double_rate": np.sqrt(model.double_pelvis),
        "duration": duration,
        "double_time": double,
        "per_double": per_double,
        "single_time": duration - double,
        "ankle": row(-normal_load * cop_start),
        "ankle_ramp": row(-normal_load * (cop_end - cop_start)),
        "leg": body.h1,
        "straight": body.thigh + body.shank,
        "sin_slope": np.sin(row(walk.slope)),
        "cos_slope": np.cos(row(walk.slope)),
        "fixed": row(walk.fixed_height),
    }
    bare = Stride(**values)
    length = row(walk.speed) * duration
    step_map = _step_map(bare)
    regulator = regulate(step_map, body.h1, body.mass * GRAVITY)
    values |= _sagittal(bare, length)
    lateral, width = _lateral(bare, body, walk, row)
    values |= lateral
    values |= {"project_0": regulator.determinant}
    values |= {f"project_{i + 1}": regulator.row[:, i] for i in range(3)}
    stride = Stride(**values)
    refuse_infeasible(stride)
    return Gait(body, walk, model, stride, step_map, regulator, length, width)


def _end(
    c: Stride, start: tuple[Any, Any, Any, Any], hip: Any, ramp: Any, ankles: Any, bias: tuple[Any, Any, Any]
) -> Any:
    """(s, p, s', p') ``[N, 4]`` at the end of a step of one plane; ``ankles``: before, at the start, ramp.

    A swing foot that is not at rest at the start coasts through double support.
    """
    s, p, sv, pv = start
    before, ankle, ankle_ramp = ankles
    time, rate2 = c.double_time, c.double_rate**2
    a0 = c.double_foot * s + c.double_ankle * before + bias[2]
    a1 = (c.double_foot_slope * s + c.double_ankle * (ankle - before)) * c.per_double + c.double_foot * sv
    a2 = c.double_foot_slope * c.per_double * sv
    f = falling(c.double_rate, time)
    p, pv = double_plane(c, f, p, pv, a0, a1)
    p, pv = p + a2 * (2 * f.a - time**2) / rate2, pv + a2 * 2 * f.b
    s = s + sv * time
    drive = PlaneDrive(
        c.hip_s * hip + c.ankle_s * ankle + bias[0],
        c.hip_p * hip + c.ankle_p * ankle + bias[1],
        (c.hip_s * ramp + c.ankle_s * ankle_ramp) / c.single_time,
        (c.hip_p * ramp + c.ankle_p * ankle_ramp) / c.single_time,
    )
    end = single_plane(c, single_basis(c, c.single_time), Plane(s, p, sv, pv), drive)
    return np.stack(np.broadcast_arrays(*end), axis=-1)


_NONE = (0.0, 0.0, 0.0)


def _step_map(c: Stride) -> StepMap:
    """The map of (pelvis - swing, pelvis - stance, pelvis velocity, foot velocity) over a step, by its unit
    responses."""
    starts = [(-1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0)]
    ends = [_end(c, start, 0.0, 0.0, _NONE, _NONE) for start in starts]
    ends += [_end(c, (0.0, 0.0, 0.0, 0.0), *unit, _NONE, _NONE) for unit in ((1.0, 0.0), (0.0, 1.0))]
    swap = np.array([[0.0, 1, 0, 0], [-1, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    full = np.stack([end @ swap.T for end in ends], axis=-1)
    free, inputs = full[:, :, :4], full[:, :, 4:]
    g = -free[:, 3:, :3] / inputs[:, 3:, 1:]
    k_h = -inputs[:, 3:, :1] / inputs[:, 3:, 1:]
    ramp = inputs[:, :3, 1:]
    return StepMap(free[:, :3, :3] + ramp @ g, inputs[:, :3, :1] + ramp @ k_h, g, k_h, free)


def _solve(c: Stride, known: Any, wanted: Array, sign: float) -> Array:
    """Pelvis, velocity, torque and ramp ``[N, 4]`` so that known + responses = wanted + sign (0, p, 0, v)."""
    units = [
        _end(c, (0.0, 1.0, 0.0, 0.0), 0.0, 0.0, _NONE, _NONE),
        _end(c, (0.0, 0.0, 0.0, 1.0), 0.0, 0.0, _NONE, _NONE),
        _end(c, (0.0, 0.0, 0.0, 0.0), 1.0, 0.0, _NONE, _NONE),
        _end(c, (0.0, 0.0, 0.0, 0.0), 0.0, 1.0, _NONE, _NONE),
    ]
    matrix = np.stack(units, axis=-1)
    matrix[:, 1, 0] -= sign
    matrix[:, 3, 1] -= sign
    return np.linalg.solve(matrix, (wanted - known)[..., None])[..., 0]


def _sagittal(c: Stride, length: Array) -> dict[str, Array]:
    zero = np.zeros_like(length)
    known = _end(
        c,
        (-length, 0.0, 0.0, 0.0),
        0.0,
        0.0,
        (c.ankle + c.ankle_ramp, c.ankle, c.ankle_ramp),
        (c.bias_sx, c.bias_px, c.double_bias),
    )
    p, v, hip, ramp = _solve(c, known, np.stack([length, length, zero, zero], axis=-1), 1.0).T
    return _nominal("x", hip, ramp, -length, p, v, length, p + length, v)


def _nominal(plane: str, *values: Array) -> dict[str, Array]:
    """Values of a stride in one plane: its hip torque and ramp, then swing foot, pelvis and velocity at both ends."""
    names = ("hip_", "hip_ramp_", "start_s", "start_p", "start_v", "end_s", "end_p", "end_v")
    return {f"{name}{plane}": value for name, value in zip(names, values, strict=True)}


def _lateral(c: Stride, body: Person, walk: Walk, row: Any) -> tuple[dict[str, Array], Array]:
    def gait(width: Array) -> Array:
        zero = np.zeros_like(width)
        known = _end(c, (width, 0.0, 0.0, 0.0), 0.0, 0.0, _NONE, (c.bias_sy, c.bias_py, 0.0))
        return _solve(c, known, np.stack([width, width, zero, zero], axis=-1), -1.0)

    if isinstance(walk.step_width, str) and walk.step_width == LEAST_HIP_TORQUE:
        narrow, wide = gait(row(0.0)), gait(row(1.0))
        change = wide[:, 2:] - narrow[:, 2:]
        width = -(narrow[:, 2:] * change).sum(-1) / (change * change).sum(-1)
    else:
        width = row(body.half_pelvis if walk.step_width is None else walk.step_width)
    p, v, hip, ramp = gait(width).T
    return _nominal("y", hip, ramp, width, p, v, width, width - p, -v), width


_FIXED = ("step_width", "cop_start", "cop_end")


def gradual_change(
    body: Person, before: Walk, after: Walk, start: float, steps: int | None = None
) -> dict[float, Gait]:
    """Gaits between ``before`` and ``after``, by the time at which to ask for them (as ``record_walk`` takes
    ``changes``).

    Args:
        body: of the walkers.
        before: the present walk.
        after: the wanted walk; its step width and centre of pressure hold from the first change on.
        start: when to begin, s.
        steps: over how many steps; by default one for each 0.15 m/s of speed.
    """
    if steps is None:
        change = np.max(np.abs(np.asarray(after.speed, float) - np.asarray(before.speed, float)))
        steps = max(1, math.ceil(float(change) / 0.15))
    if steps < 1 or not math.isfinite(start):
        raise FootfallError(f"a change starts at a finite time and takes at least 1 step, not {steps} from {start:g} s")
    names = [f.name for f in fields(Walk) if f.name not in _FIXED]
    gaits: dict[float, Gait] = {}
    time = start
    for k in range(1, steps + 1):
        part = k / steps

        def mixed(name: str, part: float = part) -> ArrayLike:
            old, new = np.asarray(getattr(before, name), float), np.asarray(getattr(after, name), float)
            return np.asarray((1 - part) * old + part * new)

        walk = after.replace(**{name: mixed(name) for name in names}) if k < steps else after
        gaits[time] = periodic_gait(body, walk)
        time += 1.0 / float(np.min(np.asarray(walk.frequency, float)))
    return gaits
