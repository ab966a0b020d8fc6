"""Inverse dynamics of figures: from motion and ground forces to what acted at the joints.

    τ = M(q) q̈ + c(q, q̇) - J(q)ᵀ f

for all degrees of freedom, those of the free root included: there nothing acts, so what comes out for the root is the
residual by which motion, masses and forces do not fit together. Masses, Coriolis terms and gravity are MuJoCo's.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.motion.motion import Motion
from footfall.simulation.mujoco_contacts import Acting

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """What acted.

    Attributes:
        torque: [T, nv] at every degree of freedom; those of a free root are the residual.
        root: how many degrees of freedom the root has.
    """

    torque: Array
    root: int

    @property
    def residual(self) -> Array:
        """[T, root] newtons and newton metres that nothing explains."""
        return self.torque[:, : self.root]


def figure_inverse_dynamics(
    figure: Figure, qpos: Array, qvel: Array, qacc: Array, grf: Array, pushes: Sequence[Acting] = ()
) -> InverseDynamics:
    """Torques [T, nv].

    Args:
        figure: whose masses count.
        qpos, qvel, qacc: [T, nq], [T, nv], [T, nv].
        grf: [T, P, 3] newtons on the figure's ground points.
        pushes: other forces.
    """
    model = copy(figure.model)
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION)
    data = mujoco.MjData(model)
    points = [p for p in figure.points if p.ground]
    torque, none = np.empty((len(qpos), model.nv)), np.zeros(3)
    outside = np.zeros(model.nv)
    for t in range(len(qpos)):
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos[t], qvel[t], qacc[t]
        mujoco.mj_inverse(model, data)
        outside[:] = 0.0
        forces = [(p.body, p.position, grf[t, k]) for k, p in enumerate(points)]
        forces += [(body, np.array(place), force[t]) for body, place, force in pushes]
        for body, place, force in forces:
            if force.any():
                at = data.xpos[body + 1] + data.xmat[body + 1].reshape(3, 3) @ place
                mujoco.mj_applyFT(model, data, force, none, at, body + 1, outside)
        torque[t] = data.qfrc_inverse - outside
    return InverseDynamics(torque, _root_freedoms(model))


def motion_rates(figure: Figure, motion: Motion) -> tuple[Array, Array]:
    """qvel and qacc [T, nv] of a motion's coordinates: as recorded, else by differences."""
    qpos, times = np.asarray(motion.channels["qpos"], dtype=float), motion.times
    model = figure.model
    if "qvel" in motion.channels:
        qvel = np.asarray(motion.channels["qvel"], dtype=float)
    else:
        qvel = np.empty((len(qpos), model.nv))
        for t in range(len(qpos)):
            a, b = max(t - 1, 0), min(t + 1, len(qpos) - 1)
            mujoco.mj_differentiatePos(model, qvel[t], times[b] - times[a], qpos[a], qpos[b])
    if "qacc" in motion.channels:
        return qvel, np.asarray(motion.channels["qacc"], dtype=float)
    return qvel, np.asarray(np.gradient(qvel, times, axis=0))


def _root_freedoms(model: mujoco.MjModel) -> int:
    """Degrees of freedom of the first body: 6 for a free joint, 3 for a planar root."""
    return int(model.body_dofnum[1]) if model.nbody > 1 else 0
