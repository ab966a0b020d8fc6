"""Servos: PD control of a joint, one step ahead where that keeps it stable, within its stops and its torque limit.

    τ = kp (error - h q') - kd q',     stiffness = h (kd + h kp)

With h = 0 this is plain PD. With h the step it is the servo at the end of the step, which the dynamics solve for by
adding the stiffness to the joint's inertia: stable PD, exactly (Tan, Liu and Turk 2011). Improving SIMBICON
(section III.D) takes the previous step's acceleration instead, and needs no stiffness:

    error' = error - h q',     q'' = q' + h q̈_previous
"""

from typing import Any

import warp as wp


@wp.func
def servo_torque(kp: Any, kd: Any, error: Any, rate: Any, ahead: Any):
    """The torque of a servo ``ahead`` seconds from now."""
    return kp * (error - ahead * rate) - kd * rate


@wp.func
def servo_stiffness(kp: Any, kd: Any, ahead: Any):
    """What a servo taken ``ahead`` adds to its joint's inertia."""
    return ahead * (kd + kp * ahead)


@wp.func
def predicted_error(error: Any, rate: Any, dt: Any):
    """A servo's error one step from now, by its rate."""
    return error - dt * rate


@wp.func
def predicted_rate(rate: Any, acceleration: Any, dt: Any):
    """A servo's rate one step from now, by an acceleration that is known."""
    return rate + dt * acceleration


@wp.func
def beyond_stop(angle: Any, lower: Any, upper: Any):
    """How far a joint must turn back to be within its stops; 0 inside."""
    zero = type(angle)(0.0)
    back = wp.min(upper - angle, zero)
    back += wp.max(lower - angle, zero)
    return back


@wp.func
def limited(torque: Any, limit: Any):
    """A torque within its limit."""
    return wp.clamp(torque, -limit, limit)


@wp.func
def limited_stiffness(stiffness: Any, torque: Any, limit: Any):
    """A servo's stiffness: none where its torque is beyond the limit, since it then no longer depends on the joint."""
    return wp.where(wp.abs(torque) > limit, type(stiffness)(0.0), stiffness)
