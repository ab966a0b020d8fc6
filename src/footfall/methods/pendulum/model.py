"""3LP, three linear pendulums: equations of single and double support (Faraji and Ijspeert 2018, section 2.1).

The frame is tied to the slope: x forward along it, y left, z normal to it. Pelvis and feet keep their heights, so both
horizontal planes are linear and alike. With ``s`` and ``p`` the swing foot and the pelvis relative to the stance foot,
ρ = h2/h1, l = h1 cos φ, c = cos φ, and θ' the torso's angle to the slope's normal, the swing leg about its hip and the
whole body about the stance foot give

    [m2 h2 (1-ρ) - I/h1] p'' + [m2 h2 ρ + I/h1] s'' = -τ/c - m2 g ρ (s - p) + bias1
    [m1 (l + h3 cos θ') + 2 m2 (1-ρ)² l + 2 I c/h1] p'' + [m2 ρ (1-ρ) l - I c/h1] s''
        = g c {(m1 + 2 m2 (1-ρ)) p + m2 ρ s} + μ + F l + bias2

with τ the swing hip's and μ the stance ankle's torque and F the force on the pelvis. In double support s'' = 0, only
the second equation holds, and the load that still rests on the rear foot adds -s (1-σ) W, σ = t/T_ds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.methods.pendulum.person import GRAVITY, Person

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ThreeLinearPendulums:
    """Coefficients of the equations of motion, each an array of shape ``[N]`` (or ``[]``).

    ``single[i][j]`` is d(s'', p'')[i] / d(s, p)[j]; ``hip``, ``ankle``, ``force``, ``bias_x``, ``bias_y`` are (s'',
    p'') per unit of τ, μ, F and of the constant terms (``bias_y`` for d = +1). The ``double_`` ones are p'' alone;
    ``double_foot`` at σ = 0 changes by ``double_foot_slope`` until σ = 1.
    """

    single: tuple[tuple[Array, Array], tuple[Array, Array]]
    hip: tuple[Array, Array]
    ankle: tuple[Array, Array]
    force: tuple[Array, Array]
    bias_x: tuple[Array, Array]
    bias_y: tuple[Array, Array]
    double_pelvis: Array
    double_foot: Array
    double_foot_slope: Array
    double_ankle: Array
    double_force: Array
    double_bias: Array

    @classmethod
    def of(
        cls, body: Person, slope: ArrayLike = 0.0, tilt: ArrayLike = 0.0, drag: ArrayLike = 0.0
    ) -> "ThreeLinearPendulums":
        """The model of ``body`` on a ``slope`` (rad, uphill positive), torso tilted forward by ``tilt`` (rad) from the
        vertical, with a constant ``drag`` (N, forward) on its pelvis; all broadcast together."""
        slope, tilt, drag = np.asarray(slope, float), np.asarray(tilt, float), np.asarray(drag, float)
        g, m1, m2, h1, h2, h3, inertia = GRAVITY, body.m1, body.m2, body.h1, body.h2, body.h3, body.inertia
        c, sp = np.cos(slope), np.sin(slope)
        rho, leg = h2 / h1, h1 * c
        upright, lean = h3 * np.cos(tilt + slope), h3 * np.sin(tilt + slope)

        k1 = m2 * h2 * (1 - rho) - inertia / h1
        k2 = m2 * h2 * rho + inertia / h1
        k3 = m1 * (leg + upright) + 2 * m2 * (1 - rho) ** 2 * leg + 2 * inertia * c / h1
        k4 = m2 * rho * (1 - rho) * leg - inertia * c / h1
        det = k1 * k4 - k2 * k3

        def solve(r1: Array, r2: Array) -> tuple[Array, Array]:
            return np.asarray((k1 * r2 - k3 * r1) / det), np.asarray((k4 * r1 - k2 * r2) / det)

        zero, one = np.zeros_like(det), np.ones_like(det)
        pelvis_load = g * c * (m1 + 2 * m2 * (1 - rho))
        foot_load = g * c * m2 * rho
        by_s = solve(-m2 * g * rho, foot_load)
        by_p = solve(m2 * g * rho, pelvis_load)
        fall = g * c * m1 * lean - g * sp * (m1 * (leg + upright) + 2 * m2 * (1 - rho) * leg) + drag * leg
        weight = (m1 + 2 * m2) * g * c
        return cls(
            single=((by_s[0], by_p[0]), (by_s[1], by_p[1])),
            hip=solve(-one / c, zero),
            ankle=solve(zero, one),
            force=solve(zero, leg * one),
            bias_x=solve(-m2 * h2 * g * sp, fall),
            bias_y=solve(m2 * g * rho * body.half_pelvis, zero),
            double_pelvis=pelvis_load / k3,
            double_foot=(foot_load - weight) / k3,
            double_foot_slope=weight / k3,
            double_ankle=one / k3,
            double_force=leg / k3,
            double_bias=fall / k3,
        )

    def modes(self) -> tuple[Array, Array, tuple[tuple[Array, Array], tuple[Array, Array]]]:
        """Single support's rates ω and ν (eigenvalues ω² and -ν²) and the projector on the falling mode."""
        (a, b), (c, d) = self.single
        middle, spread = (a + d) / 2, np.sqrt(((a - d) / 2) ** 2 + b * c)
        up, down = middle + spread, middle - spread
        gap = up - down
        return np.sqrt(up), np.sqrt(-down), (((a - down) / gap, b / gap), (c / gap, (d - down) / gap))
