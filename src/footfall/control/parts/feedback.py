"""Balance feedback: target angles that follow where the body is and how fast it moves (SIMBICON, equation 1).

    target = angle + c_d d + c_v v + c_h h

d and v belong to the plane that a joint moves in: sagittal for joints that pitch, coronal for those that roll or yaw.
h is how far the ground rises ahead (Improving SIMBICON, equation 2).
"""

import math
from typing import Any

import warp as wp

TURN = 2.0 * math.pi


@wp.func
def corrected_target(angle: Any, c_d: Any, d: Any, c_v: Any, v: Any):
    """A target with feedback on d and v."""
    return angle + c_d * d + c_v * v


@wp.func
def raised_target(target: Any, c_h: Any, rise: Any):
    """A target with feedback on the ground's rise."""
    return target + c_h * rise


@wp.func
def wrap_angle(error: Any):
    """The same angle from -π to π: an error taken the short way round."""
    turn = type(error)(TURN)
    return error - turn * wp.floor(error / turn + type(error)(0.5))
