"""MuJoCo's answers to what the generated dynamics compute, at one state."""

from copy import copy

import mujoco
import numpy as np

__all__ = ["centre", "oracle"]


def oracle(figure, qpos, qvel, torque, force=None, push=None, places=(), stiffness=None, springs=None):
    """qacc, implicit, bodies, positions and velocities of the ground points, landmarks.

    Args:
        figure: the figure. qpos, qvel, torque: [nq], [nv], [nv].
        force: [P, 3] on the ground points. push: [K, 3] at places, pairs of a body index and a point in its frame.
        stiffness: [nv] and springs: [P, 3], with which joints and points answer to accelerations.
    """
    model = copy(figure.model)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    ground = [p for p in figure.points if p.ground]
    jacobians = [point_jacobian(model, data, p.body + 1, p.position) for p in ground]
    applied = np.array(torque, dtype=float)
    for jacobian, f in zip(jacobians, [] if force is None else force, strict=False):
        applied += jacobian.T @ f
    for (body, place), f in zip(places, [] if push is None else push, strict=True):
        applied += point_jacobian(model, data, body + 1, place).T @ f
    data.qfrc_applied[:] = applied
    mujoco.mj_forward(model, data)
    dense = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, dense)
    drifts = [drift(model, data, p.body + 1, p.position) for p in ground]
    answer = {
        "qacc": data.qacc.copy(),
        "bodies": np.array([frame(model, data, b) for b in range(1, model.nbody)]),
        "landmarks": np.array([data.xpos[p.body + 1] + _turned(data, p.body + 1, p.position) for p in figure.points]),
        "position": np.array([data.xpos[p.body + 1] + _turned(data, p.body + 1, p.position) for p in ground]),
        "velocity": np.array([j @ data.qvel for j in jacobians]),
    }
    answer["implicit"], answer["point_acceleration"] = _implicit(data, dense, jacobians, drifts, stiffness, springs)
    return answer


def _implicit(data, dense, jacobians, drifts, stiffness, springs):
    """(M + S + Σ Jᵀ B J) a = forces - Σ Jᵀ B (dJ/dt) v, and the points' accelerations J a + (dJ/dt) v."""
    left = dense + np.diag(np.zeros(len(dense)) if stiffness is None else stiffness)
    right = data.qfrc_smooth.copy()
    for jacobian, extra, spring in zip(jacobians, drifts, [] if springs is None else springs, strict=False):
        left += jacobian.T @ np.diag(spring) @ jacobian
        right -= jacobian.T @ (spring * extra)
    qacc = np.linalg.solve(left, right)
    return qacc, np.array([j @ qacc + d for j, d in zip(jacobians, drifts, strict=True)])


def point_jacobian(model, data, body, place):
    """[3, nv] of a body's point, world axes."""
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, None, data.xpos[body] + _turned(data, body, place), body)
    return jacobian


def drift(model, data, body, place):
    """[3] (dJ/dt) v of a body's point."""
    rate = np.zeros((3, model.nv))
    mujoco.mj_jacDot(model, data, rate, None, data.xpos[body] + _turned(data, body, place), body)
    return rate @ data.qvel


def frame(model, data, body):
    """[18] position, rotation, angular and linear velocity of a body's frame."""
    turn = np.zeros((3, model.nv))
    move = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, move, turn, data.xpos[body], body)
    return np.concatenate([data.xpos[body], data.xmat[body], turn @ data.qvel, move @ data.qvel])


def centre(model, data):
    """[14] centre of mass, its velocity, momentum, angular momentum about it, kinetic and potential energy."""
    mujoco.mj_subtreeVel(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    mass = model.body_mass.sum()
    velocity = data.subtree_linvel[0]
    potential = -mass * model.opt.gravity @ data.subtree_com[0]
    spin = data.subtree_angmom[0]
    return np.concatenate([data.subtree_com[0], velocity, mass * velocity, spin, [data.energy[1], potential]])


def _turned(data, body, place):
    return data.xmat[body].reshape(3, 3) @ place
