"""A fallen body without torques: its joints turn freely, with some friction, as far as they can.

Beyond a joint's range a spring and a damper hold it (800 N m/rad and 80 N m s/rad, as the planar biped's joint limits).
A joint for which the figure gives no range gets about that of a person, by the name of the joint: without one, a limp
knee would bend forward and an elbow spin.
"""

import math
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.figures import Figure

__all__ = ["ragdoll_function", "ragdoll_range"]

STOP_KP, STOP_KD = 800.0, 80.0
FRICTION = 2.0
"""N m s/rad."""
LEAST_ROOM = 0.3
"""The least room, radians, that a range leaves around the default pose."""

PITCH = {
    "hip": (-0.6, 2.1),
    "knee": (-2.5, 0.0),
    "ankle": (-0.9, 0.6),
    "shoulder": (-1.0, 3.0),
    "elbow": (0.0, 2.5),
    "neck": (-0.8, 0.8),
    "": (-0.9, 0.5),
}
"""Radians about -y, by a word in the joint's name: a thigh, an arm or a forearm forward, toes up, a trunk backward."""
ASIDE, CHAINED_KNEE = (-0.6, 0.6), (-1.2, 1.2)
"""Roll and yaw; one of several knees of a leg."""


def ragdoll_range(figure: Figure) -> NDArray[np.float64]:
    """[nv, 2] how far joints turn in a limp body: as the figure says, else about as in a person."""
    ranges = np.stack([figure.lower, figure.upper], axis=-1)
    for joint in figure.joints:
        if joint.kind != "hinge" or not joint.actuated or np.isfinite(ranges[joint.dof]).any():
            continue
        low, high = _as_a_person(figure, joint)
        rest = float(figure.default_qpos[joint.qpos])
        if min(low, high) > rest or max(low, high) < rest:
            low, high = min(low, rest - LEAST_ROOM), max(high, rest + LEAST_ROOM)
        ranges[joint.dof] = low, high
    return ranges


def _as_a_person(figure: Figure, joint: Any) -> tuple[float, float]:
    if joint.plane != "pitch":
        return ASIDE
    if any(joint.name in leg.knee and len(leg.knee) > 1 for leg in figure.legs.values()):
        return CHAINED_KNEE
    low, high = next(span for word, span in PITCH.items() if word in joint.name)
    return (low, high) if joint.axis[1] < 0 else (-high, -low)


def _inertia(figure: Figure) -> NDArray[np.float64]:
    """[nv] inertia that each coordinate moves, in the default pose."""
    model: Any = figure.model
    data = mujoco.MjData(model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    return np.diag(full).copy()


def ragdoll_function(compiled: CompiledFigure, *, implicit: bool) -> wp.Function:
    """A Warp function (qpos, qvel, dt, torque, stiffness) that sets the passive torques of a limp body's joints.

    With implicit steps the stops and the friction are taken one step ahead; with others their strength is limited to
    what the step allows.
    """
    figure, real, Qpos, Qvel = compiled.figure, compiled.real, compiled.Qpos, compiled.Qvel
    joints = [j for j in figure.joints if j.actuated and j.ndof == 1]
    count = len(joints)
    places, dofs = tuple(j.qpos for j in joints), tuple(j.dof for j in joints)
    ranges, inertia = ragdoll_range(figure)[list(dofs)], _inertia(figure)[list(dofs)]
    lows, highs = (tuple(real(x) if math.isfinite(x) else real(s * 1e9) for x in c) for s, c in zip((-1, 1), ranges.T))
    most = tuple(real(0.2 * x) for x in inertia)
    zero, stop_kp, stop_kd, friction = real(0.0), real(STOP_KP), real(STOP_KD), real(FRICTION)

    @wp.func
    def limp(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], dt: real, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        torque = Qvel()
        stiffness = Qvel()
        for i in range(wp.static(count)):
            angle = qpos[wp.static(places[i])]
            rate = qvel[wp.static(dofs[i])]
            beyond = wp.min(wp.static(highs[i]) - angle, zero) + wp.max(wp.static(lows[i]) - angle, zero)
            kp = zero
            kd = friction
            if beyond != zero:
                kp = stop_kp
                kd += stop_kd
            if wp.static(implicit):
                kd += kp * dt
                torque[wp.static(dofs[i])] = kp * beyond - kd * rate
                stiffness[wp.static(dofs[i])] = kd * dt
            else:
                kp = wp.min(kp, wp.static(most[i]) / (dt * dt))
                kd = wp.min(kd, wp.static(most[i]) / dt)
                torque[wp.static(dofs[i])] = kp * beyond - kd * rate

    return limp
