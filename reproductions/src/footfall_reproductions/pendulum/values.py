"""The numbers that 3LP must give for one person, 70 kg and 1.7 m, beside those that it gives here.

The values are in ``pendulum_values.csv``; they come from an independent derivation of 3LP (Newton-Euler assembly of
three links) and from the public program's parameters, with as many digits as are known.
"""

import csv
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from footfall.methods.pendulum.closed_form import Plane, StepState, advance
from footfall.methods.pendulum.gait import Gait, periodic_gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.posture import height_adaptive, height_fixed, knee_targets
from footfall.methods.pendulum.regulator import regulate
from footfall.methods.pendulum.stride import Stride
from footfall.methods.pendulum.time_projection import project
from footfall.methods.pendulum.torques import torque_profile
from footfall.methods.pendulum.walk import LEAST_HIP_TORQUE, Walk

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CheckValue:
    """A number to meet: ``value`` with ``digits`` after the point."""

    id: str
    value: float
    digits: int
    what: str

    def met(self, measured: float) -> bool:
        """Whether ``measured`` is within one unit of the value's last digit."""
        return abs(measured - self.value) <= 10.0**-self.digits


def check_values() -> list[CheckValue]:
    """All numbers of the table."""
    text = files("footfall_reproductions.pendulum").joinpath("values.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return [CheckValue(r["id"], float(r["value"]), int(r["digits"]), r["what"]) for r in rows]


def nominal_state(c: Stride, t: float) -> tuple[Array, ...]:
    """(sx, px, svx, pvx, sy, py, svy, pvy) of the nominal step at ``t``, left leg swinging."""
    x, y = c.walked(1.0, t)
    return *x, *y


def measured_values() -> dict[str, float]:
    """What footfall gives for each of them."""
    body = Person.of(1.7, 70.0)
    gait, still = periodic_gait(body), periodic_gait(body, Walk(double_support=0.0))
    return {
        **_body(body),
        **_model(gait),
        **_gait(gait, still, body),
        **_regulator(gait, still),
        **_projection(gait),
        **_conversion(gait),
    }


def _body(body: Person) -> dict[str, float]:
    names = {"m1": "m1", "m2": "m2", "h1": "h1", "h2": "h2", "h3": "h3", "inertia": "inertia", "thigh": "thigh"}
    names |= {"shank": "shank", "half_pelvis": "half-pelvis", "foot_length": "foot", "ankle_height": "ankle"}
    return {f"body-{name}": float(getattr(body, field)) for field, name in names.items()}


def _model(gait: Gait) -> dict[str, float]:
    m, c = gait.model, gait.stride
    out = {"ss-rate": c.rate, "ss-swing-rate": c.swing_rate, "ds-rate": c.double_rate}
    for k, name in ((0, "swing"), (1, "pelvis")):
        by_s, by_p = m.single[k]
        out |= {f"ss-{name}-swing": by_s, f"ss-{name}-pelvis": by_p, f"ss-{name}-stance": -by_s - by_p}
        out |= {f"ss-{name}-hip": m.hip[k], f"ss-{name}-ankle": m.ankle[k], f"ss-{name}-force": m.force[k]}
        out |= {f"ss-lateral-{name}": m.bias_y[k]}
    out |= {"ds-foot": m.double_foot, "ds-pelvis": m.double_pelvis, "ds-stance": -m.double_foot - m.double_pelvis}
    return {name: float(value[0]) for name, value in out.items()}


def _gait(gait: Gait, still: Gait, body: Person) -> dict[str, float]:
    c, z = gait.stride, still.stride
    out = {
        "start-swing-x": c.start_sx,
        "start-swing-y": c.start_sy,
        "start-pelvis-x": c.start_px,
        "start-pelvis-y": c.start_py,
        "start-velocity-x": c.start_vx,
        "start-velocity-y": c.start_vy,
        "hip": c.hip_x,
        "hip-ramp": c.hip_ramp_x,
        "hip-lateral": -c.hip_y,
        "ankle-ramp": c.ankle_ramp,
        "ds0-pelvis-x": z.start_px,
        "ds0-pelvis-y": z.start_py,
        "ds0-velocity-x": z.start_vx,
        "ds0-velocity-y": z.start_vy,
        "ds0-hip": z.hip_x,
        "ds0-hip-ramp": z.hip_ramp_x,
        "ds0-hip-lateral": -z.hip_y,
        "width-least": periodic_gait(body, Walk(step_width=LEAST_HIP_TORQUE)).step_width,
        "ds0-width-least": periodic_gait(body, Walk(step_width=LEAST_HIP_TORQUE, double_support=0.0)).step_width,
    }
    for name, part in (("quarter", 0.25), ("half", 0.5), ("three-quarters", 0.75), ("end", 1.0)):
        sx, px, _, pvx, _, py, _, pvy = nominal_state(c, part * float(c.duration[0]))
        out |= {f"{name}-pelvis": px, f"{name}-velocity": pvx, f"{name}-swing": sx}
        if name == "end":
            out |= {"end-swing-x": sx, "end-pelvis-x": px, "end-pelvis-y": py, "end-velocity-y": pvy}
    torques = torque_profile(gait, 2001)
    start = int(np.searchsorted(torques.times, float(c.double_time[0]) + 1e-9))
    out |= {
        "stance-hip-start": torques.stance_hip_y[[start]],
        "stance-hip-half": torques.stance_hip_y[[1000]],
        "stance-hip-end": torques.stance_hip_y[[-1]],
    }
    return {name: float(value[0]) for name, value in out.items()}


def _regulator(gait: Gait, still: Gait) -> dict[str, float]:
    def ordered(matrix: Array) -> Array:
        values = np.linalg.eigvals(matrix)
        return np.asarray(values[np.argsort(-values.real)].real, float)

    soft = regulate(gait.step_map, gait.body.h1, gait.body.mass * 9.81, weighting="soft")
    opened, rest = ordered(gait.step_map.free[0]), ordered(gait.step_map.state[0])
    closed = ordered(gait.regulator.closed_loop[0])
    soft_closed = ordered(soft.closed_loop[0])
    out = {f"open-{k + 1}": float(v) for k, v in enumerate(opened)}
    out |= {f"foot-at-rest-{k + 1}": float(v) for k, v in enumerate(rest)}
    out |= {"ds0-open-1": ordered(still.step_map.free[0])[0], "ds0-open-3": ordered(still.step_map.free[0])[2]}
    out |= {f"ds0-foot-at-rest-{k + 1}": v for k, v in enumerate(ordered(still.step_map.state[0])[:2])}
    out |= {"closed-1": closed[0], "closed-2": closed[-1]}
    out |= {f"soft-closed-{k + 1}": float(v) for k, v in enumerate(soft_closed)}
    out |= {f"gain-{k + 1}": float(v) for k, v in enumerate(gait.regulator.gain[0])}
    out |= {f"soft-gain-{k + 1}": float(v) for k, v in enumerate(soft.gain[0])}
    return {name: float(value) for name, value in out.items()}


def _projection(gait: Gait) -> dict[str, float]:
    c = gait.stride
    before, period = c.ankle + c.ankle_ramp, float(c.duration[0])
    nominal = nominal_state(c, 0.0)
    error = np.array([0.0, 0.02, 0.0, 0.05, 0.0, 0.0, 0.0, 0.0])
    off = [n + e for n, e in zip(nominal, error, strict=True)]
    v, w, _, _ = project(c, StepState(0.0, 1.0, before, Plane(*off[:4]), Plane(*off[4:])))
    out = {"projected-v": float(v[0]), "projected-w": float(w[0])}
    for tenth in (0, 3, 6, 9):
        t = tenth / 10 * period
        nominal = nominal_state(c, t)
        for k, name in ((0, "swing"), (1, "pelvis"), (2, "swing-velocity"), (3, "velocity")):
            state = list(nominal)
            state[k] = state[k] + 1.0
            seen = StepState(t, 1.0, before, Plane(*state[:4]), Plane(*state[4:]))
            end, _ = advance(c, seen._replace(hips=project(c, seen)), period - t, 0.0, 0.0)
            offset = float((end.s - c.end_sx - end.p + c.end_px)[0])
            out[f"sensitivity-{tenth}-{name}"] = offset
    return out


def _conversion(gait: Gait) -> dict[str, float]:
    c = gait.stride
    out: dict[str, float] = {}
    for percent in (0, 15, 30, 50, 70, 85, 100):
        t = percent / 100 * c.duration
        sx, px, _, pvx, sy, py, _, pvy = nominal_state(c, t)
        legs = (-px, c.half_pelvis - py, sx - px, sy - py - c.half_pelvis)
        up, uq = knee_targets(c, t, legs[0], legs[2], pvx)
        values = {"z-adaptive": height_adaptive(c, t, *legs, pvx, pvy), "z-fixed": height_fixed(c, t, *legs, pvx, pvy)}
        values |= {"knee-stance": up, "knee-swing": uq}
        out |= {f"{name}-{percent:02d}": float(value[0]) for name, value in values.items()}
    return out
