"""The forces of the sampled ground, pad by pad, to be drawn (:mod:`footfall.dynamics.sampled_ground` has the law)."""

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.dynamics import Ground
from footfall.dynamics.sampled_ground import pad_samples
from footfall.figures import Figure
from footfall.terrain import Terrain

Array = NDArray[np.float64]


class Pads:
    """The pads of a figure's feet."""

    def __init__(self, figure: Figure) -> None:
        self._model: Any = figure.model
        feet = [figure.body(leg.foot).index for leg in figure.legs.values()]
        self._feet = [(body, *pad_samples(figure, body)) for body in feet]

    def forces(self, data: Any, terrain: Terrain, ground: Ground) -> tuple[Array, Array]:
        """Lowest places [K, 3] of all pads and newtons [K, 3] on each, in the pose and with the velocities of MuJoCo's
        data."""
        places, totals = [], []
        for body, pads, samples in self._feet:
            turn = data.xmat[body + 1].reshape(3, 3)
            at = data.xpos[body + 1] + samples @ turn.T
            six = np.zeros(6)
            mujoco.mj_objectVelocity(self._model, data, mujoco.mjtObj.mjOBJ_XBODY, body + 1, six, 0)
            velocity = six[3:] + np.cross(six[:3], at - data.xpos[body + 1])
            depth = np.asarray(terrain.height(at[..., 0], at[..., 1])) - at[..., 2]
            normal = np.where(
                depth >= 0, np.maximum(ground.stiffness * depth - ground.damping * velocity[..., 2], 0.0), 0.0
            )
            sliding = np.hypot(velocity[..., 0], velocity[..., 1])
            grip = ground.friction * normal / np.maximum(sliding, max(ground.locking_speed, 1e-9))
            force = np.stack([-grip * velocity[..., 0], -grip * velocity[..., 1], normal], axis=-1)
            centre = data.xpos[body + 1] + pads[:, :3] @ turn.T
            places.append(centre - pads[:, 3:] * [0.0, 0.0, 1.0])
            totals.append(force.sum(axis=1))
        return np.concatenate(places), np.concatenate(totals)
