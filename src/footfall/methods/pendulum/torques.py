"""Hip and ankle torques of a periodic gait over one step (Faraji and Ijspeert 2018, section 2.1).

In single support the swing hip's torque is given, the torso's follows from keeping it still, and the stance hip carries
the rest. In double support each hip's torque fades from what it was at the end of the last step (mirrored laterally) to
what the next phase needs, around one unknown that the sum of torques fixes; it does not move anything.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.figures.inertia import GRAVITY
from footfall.methods.pendulum.gait import Gait
from footfall.methods.pendulum.model import ThreeLinearPendulums
from footfall.methods.pendulum.stride import Stride

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TorqueProfile:
    """Torques over a step with the left leg swinging, each ``[T]`` in N m: ``_y`` turns in the sagittal plane, ``_x``
    in the lateral one. ``swing_hip`` and ``stance_hip`` act on the legs, ``swing_ankle`` (the rear foot in double
    support) and ``stance_ankle`` on the legs from the ground. ``pelvis`` and ``velocity`` ``[T, 2]`` and
    ``swing_foot`` ``[T, 2]`` are the 3LP state relative to the stance foot."""

    times: Array
    swing_hip_y: Array
    swing_hip_x: Array
    stance_hip_y: Array
    stance_hip_x: Array
    stance_ankle_y: Array
    swing_ankle_y: Array
    pelvis: Array
    velocity: Array
    swing_foot: Array


def torque_profile(gait: Gait, samples: int = 101, walker: int = 0) -> TorqueProfile:
    """The torques of one walker's nominal step at ``samples`` equal times from its start to its end."""
    gait = gait.take(walker)
    c, body = gait.stride.take(0), gait.body
    slope = np.asarray(gait.walk.slope, float)
    lean = slope + np.asarray(gait.walk.tilt, float)
    t = np.linspace(0.0, float(c.duration), samples)
    before = c.ankle + c.ankle_ramp
    (sx, px, _, pvx), (sy, py, _, pvy) = c.walked(1.0, t)
    ax, ay = _accelerations(gait.model, c, t, sx, px, sy, py)

    both = t < float(c.double_time) - 1e-12
    share = t * float(c.per_double)
    single = np.clip((t - c.double_time) / c.single_time, 0.0, 1.0)
    weight = body.weight * np.cos(slope)
    fall = np.cos(lean) * (ax + GRAVITY * np.sin(slope)) - np.sin(lean) * GRAVITY * np.cos(slope)
    torso_y = body.h3 * body.m1 * fall
    torso_x = -body.h3 * body.m1 * np.cos(lean) * ay
    swing_y = c.hip_x + c.hip_ramp_x * single
    swing_x = -(c.hip_y + c.hip_ramp_y * single)
    stance_y = -torso_y - swing_y
    stance_x = -torso_x - swing_x - body.half_pelvis * weight

    last_y, last_x = c.hip_x + c.hip_ramp_x, -(c.hip_y + c.hip_ramp_y)
    sum_y, sum_x = -torso_y, -torso_x - body.half_pelvis * weight * (2 * share - 1)
    q_y = sum_y - share * c.hip_x - (1 - share) * last_y
    q_x = _quotient(t, sum_x + share * c.hip_y + (1 - share) * last_x, 1 - 2 * share)
    blended_y = share * c.hip_x + (1 - share) * q_y
    blended_x = -share * c.hip_y + (1 - share) * q_x
    return TorqueProfile(
        times=t,
        swing_hip_y=np.where(both, blended_y, swing_y),
        swing_hip_x=np.where(both, blended_x, swing_x),
        stance_hip_y=np.where(both, sum_y - blended_y, stance_y),
        stance_hip_x=np.where(both, sum_x - blended_x, stance_x),
        stance_ankle_y=np.where(both, share * c.ankle, c.ankle + c.ankle_ramp * single),
        swing_ankle_y=np.where(both, (1 - share) * before, 0.0),
        pelvis=np.stack([px, py], axis=-1),
        velocity=np.stack([pvx, pvy], axis=-1),
        swing_foot=np.stack([sx, sy], axis=-1),
    )


def _accelerations(
    model: ThreeLinearPendulums, c: Stride, t: Array, sx: Array, px: Array, sy: Array, py: Array
) -> tuple[Array, Array]:
    """The pelvis' accelerations (x, y) of one walker's nominal step at times ``t``, straight from the equations of
    motion."""
    share = t * float(c.per_double)
    foot = c.double_foot + c.double_foot_slope * share
    mu = (1 - share) * (c.ankle + c.ankle_ramp) + share * c.ankle
    double_x = model.double_pelvis * px + foot * sx + c.double_ankle * mu + c.double_bias
    double_y = model.double_pelvis * py + foot * sy
    single = np.clip((t - c.double_time) / c.single_time, 0.0, 1.0)
    by_s, by_p = model.single[1]
    torque = c.hip_p * (c.hip_x + c.hip_ramp_x * single) + c.ankle_p * (c.ankle + c.ankle_ramp * single)
    single_x = by_s * sx + by_p * px + torque + c.bias_px
    single_y = by_s * sy + by_p * py + c.hip_p * (c.hip_y + c.hip_ramp_y * single) + c.bias_py
    both = t < float(c.double_time) - 1e-12
    return np.where(both, double_x, single_x), np.where(both, double_y, single_y)


def _quotient(t: Array, above: Array, below: Array) -> Array:
    """above/below, both zero in the middle of double support: there the value is taken from its neighbours."""
    fine = np.abs(below) > 1e-6
    return np.interp(t, t[fine], above[fine] / below[fine])
