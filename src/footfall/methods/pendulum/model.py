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

The walker's body is a person's of a given height and mass. All proportions are averages over people (close to de Leva
1996, as in section 5.2): each segment's mass is a fraction of the body's, its length a fraction of the height, its
centre of mass a fraction of its length from the proximal end. They are in ``segments.csv``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.figures.inertia import GRAVITY
from footfall.text_files import packaged_table

_HALF_PELVIS = 0.06 / 1.7
_TOE = 0.6
"""The metatarsal joint, where the foot bends, lies at this fraction of the foot's length from the heel."""

Array = NDArray[np.float64]
_Value = TypeVar("_Value", bound=Any)


@cache
def _segments() -> dict[str, dict[str, float]]:
    rows = packaged_table("footfall.methods.pendulum", "segments.csv")
    return {row["segment"]: {k: float(v) for k, v in row.items() if k != "segment" and v} for row in rows}


@dataclass(frozen=True)
class Person:
    """Constants of one walker, or of ``[N]`` walkers: every field is a float64 array of the same shape, SI units.

    ``m1`` is the mass of the trunk with head and arms, ``m2`` of one leg; ``h1`` the leg's length, ``h2`` from the
    hip to the leg's centre of mass, ``h3`` from the hip line to the upper body's centre of mass; ``inertia`` is a
    leg's inertia about its centre of mass and ``half_pelvis`` half the distance between the hips.
    """

    height: Array
    mass: Array
    m1: Array
    m2: Array
    h1: Array
    h2: Array
    h3: Array
    inertia: Array
    half_pelvis: Array
    thigh: Array
    shank: Array
    ankle_height: Array
    foot_length: Array
    toe: Array
    trunk: Array
    head: Array
    upper_arm: Array
    forearm: Array
    hand: Array

    @classmethod
    def of(cls, height: ArrayLike = 1.7, mass: ArrayLike = 70.0) -> "Person":
        """The body of a person ``height`` metres tall (0.3 to 5) who weighs ``mass`` kilograms (more than 0)."""
        size, weight = np.broadcast_arrays(np.asarray(height, float), np.asarray(mass, float))
        _require("height", size, 0.3, 5.0, "m")
        _require("mass", weight, 1e-3, 1e4, "kg")
        part = _segments()
        length = {name: row["length"] * size for name, row in part.items()}
        share = {name: row["mass"] * weight for name, row in part.items()}
        com = {name: row["com"] for name, row in part.items()}
        ankle_height = part["foot"]["height"] * size

        thigh, shank, foot = length["thigh"], length["shank"], length.pop("foot")
        down = {
            "thigh": com["thigh"] * thigh,
            "shank": thigh + com["shank"] * shank,
            "foot": thigh + shank + com["foot"] * ankle_height,
        }
        rod = {"thigh": thigh, "shank": shank, "foot": ankle_height}
        m2 = share["thigh"] + share["shank"] + share["foot"]
        h2 = sum(share[name] * down[name] for name in down) / m2
        inertia = sum(share[name] * (rod[name] ** 2 / 12 + (down[name] - h2) ** 2) for name in down)

        trunk, shoulder = length["trunk"], length["trunk"]
        arm = {
            "upper_arm": com["upper_arm"] * length["upper_arm"],
            "forearm": length["upper_arm"] + com["forearm"] * length["forearm"],
            "hand": length["upper_arm"] + length["forearm"] + com["hand"] * length["hand"],
        }
        m1 = share["trunk"] + share["head"] + 2 * sum(share[name] for name in arm)
        moment = share["trunk"] * com["trunk"] * trunk + share["head"] * (trunk + com["head"] * length["head"])
        moment = moment + 2 * sum(share[name] * (shoulder - arm[name]) for name in arm)
        return cls(
            height=size,
            mass=weight,
            m1=np.asarray(m1),
            m2=np.asarray(m2),
            h1=np.asarray(thigh + shank + ankle_height),
            h2=np.asarray(h2),
            h3=np.asarray(moment / m1),
            inertia=np.asarray(inertia),
            half_pelvis=_HALF_PELVIS * size,
            ankle_height=ankle_height,
            foot_length=foot,
            toe=_TOE * foot,
            **length,
        )

    @property
    def weight(self) -> Array:
        """What the model carries, (m1 + 2 m2) g, in newtons (0.1 % less than ``mass`` g: the table's fractions)."""
        return np.asarray((self.m1 + 2 * self.m2) * GRAVITY)

    def broadcast(self, shape: tuple[int, ...]) -> "Person":
        """The same body with every field of ``shape``."""
        return Person(**{f.name: np.broadcast_to(getattr(self, f.name), shape) for f in fields(self)})

    def replace(self, **changes: Any) -> "Person":
        """The same body with some constants changed (a walker with light legs, a wide pelvis)."""
        return replaced(self, "a body has no constant", {name: np.asarray(v, float) for name, v in changes.items()})


def replaced(value: _Value, unknown: str, changes: Mapping[str, Any]) -> _Value:
    """A dataclass with some fields replaced; ``unknown`` begins the error about a field that it has not."""
    wrong = set(changes) - {f.name for f in fields(value)}
    if wrong:
        raise FootfallError(f"{unknown} '{wrong.pop()}'")
    return replace(value, **changes)


def _require(name: str, value: Array, low: float, high: float, unit: str) -> None:
    bad = ~((value >= low) & (value <= high))
    if np.any(bad):
        first = int(np.argmax(bad)) if value.ndim else None
        where = "" if first is None else f" of walker {first}"
        got = float(value.flat[first or 0])
        raise FootfallError(f"{name}{where} is {got:g} {unit}: it must lie between {low:g} and {high:g} {unit}")


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
