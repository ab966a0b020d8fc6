"""What is asked of a walker: speed, rhythm, ground and style; and what people choose when only the speed is given."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.figures.inertia import GRAVITY
from footfall.methods.pendulum.model import Person, _require, replaced

Array = NDArray[np.float64]

LEAST_HIP_TORQUE = "least-hip-torque"
"""A step width at which the swing hip needs no lateral torque."""


@dataclass(frozen=True)
class Walk:
    """Parameters of a walk; each is a number or an array of shape ``[N]``, one per walker.

    Args:
        speed: mean speed along the slope, m/s; negative walks backward.
        frequency: steps per second.
        double_support: its part of a step, 0 to 0.4.
        clearance: lift of the swing toe, a fraction of the leg, 0 to 0.2.
        step_width: lateral distance of the feet, m; ``None`` is half the pelvis width, ``LEAST_HIP_TORQUE`` the width
            without lateral hip torque.
        slope: of the ground, rad, uphill positive.
        tilt: of the torso from the vertical, rad, forward positive.
        drag: constant force on the pelvis, N, forward positive.
        cop_start: centre of pressure at the start of single support, m from the heel; ``None`` follows the speed.
        cop_end: the same at its end; the centre of pressure moves evenly between them.
        fixed_height: 0 takes the paper's adaptive pelvis height, which suits every walk; 1 its fixed mixture in time,
            for steady forward walking.
        stretch: how far the pelvis rises from the paper's height toward that of almost straight legs,
            0 to 1; 0 as in the paper.
        flap: toe-up pitch at heel strike for a step of one leg length, rad; 0 lands flat, as in the paper.
        pelvis_turn: rotation of the pelvis for a leg spread of one leg length, rad; 0 as in the paper.
        pelvis_drop: list of the pelvis toward the swing side, rad; 0 as in the paper.
    """

    speed: ArrayLike = 1.0
    frequency: ArrayLike = 1.7
    double_support: ArrayLike = 0.15
    clearance: ArrayLike = 0.05
    step_width: ArrayLike | str | None = None
    slope: ArrayLike = 0.0
    tilt: ArrayLike = 0.0
    drag: ArrayLike = 0.0
    cop_start: ArrayLike | None = None
    cop_end: ArrayLike | None = None
    fixed_height: ArrayLike = 0.0
    stretch: ArrayLike = 0.6
    flap: ArrayLike = 0.45
    pelvis_turn: ArrayLike = 0.14
    pelvis_drop: ArrayLike = 0.05

    def replace(self, **changes: Any) -> "Walk":
        """The same walk with some parameters changed."""
        return replaced(self, "a walk has no parameter", changes)

    def shape(self) -> tuple[int, ...]:
        """The shape that the parameters broadcast to."""
        values = [v for v in (getattr(self, f.name) for f in fields(self)) if v is not None and not isinstance(v, str)]
        return np.broadcast_shapes(*(np.shape(v) for v in values))

    def check(self, body: Person) -> None:
        """Refuse parameters outside the range in which the model is a walk, naming the bound."""
        bounds = {
            "double_support": (0.0, 0.4, "of a step"),
            "clearance": (0.0, 0.2, "of the leg"),
            "slope": (-np.radians(20), np.radians(20), "rad"),
            "tilt": (-np.radians(30), np.radians(60), "rad"),
            "fixed_height": (0.0, 1.0, ""),
            "stretch": (0.0, 1.0, ""),
            "flap": (0.0, 1.0, "rad"),
            "pelvis_turn": (-0.5, 0.5, "rad"),
            "pelvis_drop": (-0.3, 0.3, "rad"),
        }
        for name, (low, high, unit) in bounds.items():
            _require(name, np.asarray(getattr(self, name), float), low, high, unit)
        pace = np.sqrt(1.7 / body.height)
        frequency, scale = np.broadcast_arrays(np.asarray(self.frequency, float), pace)
        _require("frequency", frequency / scale, 0.9, 3.5, "steps/s (for a height of 1.7 m)")
        drag, load = np.broadcast_arrays(np.asarray(self.drag, float), body.weight)
        _require("drag", drag / load, -0.2, 0.2, "of the weight")
        if not np.all(np.isfinite(np.asarray(self.speed, float))):
            raise FootfallError("speed must be a finite number of m/s")
        if isinstance(self.step_width, str):
            if self.step_width != LEAST_HIP_TORQUE:
                raise FootfallError(f"step_width is '{self.step_width}': give metres, or '{LEAST_HIP_TORQUE}'")
        elif self.step_width is not None:
            width, leg = np.broadcast_arrays(np.asarray(self.step_width, float), body.h1)
            _require("step_width", width / leg, -0.1, 0.6, "of the leg")
        if (self.cop_start is None) != (self.cop_end is None):
            raise FootfallError("cop_start and cop_end go together: give both or neither")


def human_walk(body: Person, speed: ArrayLike, **others: Any) -> Walk:
    """The walk that people choose at ``speed`` (m/s): frequency, double support and clearance follow from it.

    With û = ``|v|`` / √(g h1): steps per second 0.93 û^0.58 √(g/h1) (Grieve and Gear 1966: step length grows as
    speed^0.42), double support 0.106 û^-0.69 of a step, at most 0.4; both within 3 % of the means of Schwartz et al.
    2008 from û = 0.17 to 0.69. Below û = 0.12 frequency stays. The toe is lifted by 3 % to 6 % of the leg and the
    torso leans forward by up to 4 degrees as speed grows. ``others`` are passed to :class:`Walk` and win.
    """
    leg = body.h1
    dimensionless = np.abs(np.asarray(speed, float)) / np.sqrt(GRAVITY * leg)
    pace = np.maximum(dimensionless, 0.12)
    chosen: dict[str, Any] = {
        "speed": speed,
        "frequency": 0.93 * pace**0.58 * np.sqrt(GRAVITY / leg),
        "double_support": np.minimum(0.106 * pace**-0.69, 0.4),
        "clearance": np.minimum(0.03 + 0.04 * dimensionless, 0.06),
        "tilt": np.minimum(0.1 * dimensionless, 0.07),
    }
    return Walk(**(chosen | others))
