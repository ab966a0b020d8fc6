"""Everything that one frame of one walker needs: the constants of its body, ground, gait and controller as plain
numbers.

A :class:`Stride` is filled once per gait (by :func:`footfall.methods.pendulum.gait.periodic_gait`); the per-frame
functions read it, in numpy with arrays for fields, in Warp as a struct of scalars.

Signs are those of one plane for both planes: sagittal quantities as they are; the lateral hip torque enters as
``-t2x``, so that both planes obey the same equations. Lateral constants are those of a step with the left leg swinging
(``d = +1``) and change sign with ``d``.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from footfall.methods.pendulum.closed_form import Plane, StepState, advance
from footfall.methods.pendulum.numpy_warp import Real


@dataclass(frozen=True)
class Stride:
    """Constants of a walker in a gait; each field a number or an array of shape ``[N]``."""

    # single support: (s, p)'' = C (s, p) + hip τ + ankle μ + force F + bias, by its two modes
    rate: Real
    """ω, the falling mode's rate, 1/s."""
    swing_rate: Real
    """ν, the swing mode's angular rate, 1/s."""
    fall_ss: Real
    """Projector on the falling mode, row s column s; the swing mode's is the identity minus it."""
    fall_sp: Real
    fall_ps: Real
    fall_pp: Real
    hip_s: Real
    hip_p: Real
    ankle_s: Real
    ankle_p: Real
    force_s: Real
    force_p: Real
    bias_sx: Real
    bias_px: Real
    bias_sy: Real
    bias_py: Real
    # double support: p'' = ω_d² p + (foot + foot_slope σ) s + ankle_d μ + force_d F + bias_d
    double_rate: Real
    double_foot: Real
    double_foot_slope: Real
    double_ankle: Real
    double_force: Real
    double_bias: Real
    # timing
    duration: Real
    """T, of a step, s."""
    double_time: Real
    """T_ds, s; a step starts with its double support."""
    per_double: Real
    """1/T_ds, or 0 where there is no double support."""
    single_time: Real
    """T_ss = T - T_ds, s."""
    # nominal inputs: torques at the start of single support and their change over it
    hip_x: Real
    hip_ramp_x: Real
    hip_y: Real
    hip_ramp_y: Real
    ankle: Real
    ankle_ramp: Real
    # nominal start and end of a step relative to the stance foot, left leg swinging
    start_sx: Real
    start_px: Real
    start_vx: Real
    start_sy: Real
    start_py: Real
    start_vy: Real
    end_sx: Real
    end_px: Real
    end_vx: Real
    end_sy: Real
    end_py: Real
    end_vy: Real
    # time projection: V = -(project · y) / (project_0 + project · B)
    project_0: Real
    project_1: Real
    project_2: Real
    project_3: Real
    # body and ground
    leg: Real
    straight: Real
    """Thigh plus shank, m."""
    thigh: Real
    shank: Real
    ankle_height: Real
    toe: Real
    """Heel to metatarsal joint, m."""
    half_pelvis: Real
    sin_slope: Real
    cos_slope: Real
    # style
    clearance: Real
    """Lift of the swing toe, a fraction of the leg."""
    fixed: Real
    """Share of the fixed mixture in the pelvis height; the rest is the adaptive one."""
    stretch: Real
    """How far the pelvis rises from the adaptive height toward the height at which the legs are almost straight."""
    flap: Real
    """Toe-up pitch at heel strike for a step of one leg length, rad."""
    pelvis_turn: Real
    """Pelvis rotation about the vertical for a leg spread of one leg length, rad."""
    pelvis_drop: Real
    """Pelvis list toward the swing side, rad."""

    @classmethod
    def names(cls) -> list[str]:
        return [f.name for f in fields(cls)]

    def table(self, count: int, dtype: Any = np.float64) -> Any:
        """A structured array of shape ``[count]`` with these fields."""
        out = np.zeros(count, dtype=[(name, dtype) for name in self.names()])
        for name in self.names():
            out[name] = getattr(self, name)
        return out

    def walked(self, d: Real, time: Real) -> tuple[Plane, Plane]:
        """Both planes ``time`` seconds into a nominal step without feedback; ``d`` is +1 while the left leg swings."""
        x = Plane(self.start_sx, self.start_px, 0.0, self.start_vx)
        y = Plane(d * self.start_sy, d * self.start_py, 0.0, d * self.start_vy)
        return advance(self, StepState(0.0, d, self.ankle + self.ankle_ramp, x, y), time, 0.0, 0.0)

    def take(self, index: Any) -> "Stride":
        """The strides of walkers ``index``; scalar fields stay as they are."""
        return Stride(**{n: (v[index] if np.ndim(v) else v) for n, v in ((n, getattr(self, n)) for n in self.names())})
