"""Forces of MuJoCo's contacts on the feet, as forces on the figure's ground points.

A step of MuJoCo depends on the state and on what is applied alone (no warm start), so the contacts of a recorded sample
are found again by one ``mj_forward`` under the recorded joint moments. (Moments with the answers of implicit servos
and the joints' own inertia give the same accelerations as bare moments and added inertia.) MuJoCo puts contacts where
shapes meet; each foot's force and moment is then shared out over its points, with the smallest forces that give it.
"""

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.push import Push
from footfall.simulation.inputs import push_tables

Array = NDArray[np.float64]
Acting = tuple[int, tuple[float, float, float], Array]
"""A push over the samples of a world: the body's index, the place on it, and newtons [S, 3]."""


def acting_pushes(
    pushes: Sequence[Push], figure: Figure, worlds: int, dt: float, times: Array, world: int
) -> list[Acting]:
    """The pushes of a world at recorded times [S]."""
    if not pushes:
        return []
    windows, forces, _ = push_tables(pushes, figure, worlds, dt)
    row = world if len(windows) > 1 else 0
    acting = []
    for k, push in enumerate(pushes):
        body, place = push.place_on(figure)
        on = (times >= windows[row, k, 0]) & (times < windows[row, k, 1])
        acting.append((body, place, on[:, None] * forces[row, k]))
    return acting


def contact_grf(
    figure: Figure, model: Any, qpos: Array, qvel: Array, moment: Array, pushes: Sequence[Acting] = ()
) -> Array:
    """[S, P, 3] newtons on the figure's ground points.

    Args:
        figure: the figure. model: its scene.
        qpos, qvel, moment: [S, nq], [S, nv], [S, nv] as recorded.
        pushes: what else acts.
    """
    data = mujoco.MjData(model)
    points = [p for p in figure.points if p.ground]
    feet: dict[int, list[int]] = {}
    for k, point in enumerate(points):
        feet.setdefault(point.body + 1, []).append(k)
    grf = np.zeros((len(qpos), len(points), 3))
    six = np.zeros(6)
    for s in range(len(qpos)):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos[s], qvel[s], moment[s]
        if pushes:
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
        for body, place, force in pushes:
            at = data.xpos[body + 1] + data.xmat[body + 1].reshape(3, 3) @ np.array(place)
            mujoco.mj_applyFT(model, data, force[s], np.zeros(3), at, body + 1, data.qfrc_applied)
        mujoco.mj_forward(model, data)
        sums = {body: (np.zeros(3), np.zeros(3)) for body in feet}
        for i in range(data.ncon):
            contact = data.contact[i]
            mujoco.mj_contactForce(model, data, i, six)
            frame = contact.frame.reshape(3, 3)
            for body, sign in zip(model.geom_bodyid[list(contact.geom)], (-1.0, 1.0), strict=True):
                if int(body) in sums:
                    force, twist = sign * frame.T @ six[:3], sign * frame.T @ six[3:]
                    sums[int(body)][0][:] += force
                    sums[int(body)][1][:] += np.cross(contact.pos, force) + twist
        for body, (force, about) in sums.items():
            if force.any():
                turn = data.xmat[body].reshape(3, 3)
                places = np.array([data.xpos[body] + turn @ points[k].position for k in feet[body]])
                grf[s, feet[body]] = shared_out(places, force, about)
    return grf


def shared_out(places: Array, force: Array, about: Array) -> Array:
    """[K, 3] the smallest forces at places [K, 3] with a sum [3] and a moment [3] about the origin."""
    centre = places.mean(axis=0)
    rows = np.zeros((6, 3 * len(places)))
    for k, (x, y, z) in enumerate(places - centre):
        rows[:3, 3 * k : 3 * k + 3] = np.eye(3)
        rows[3:, 3 * k : 3 * k + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    wanted = np.concatenate([force, about - np.cross(centre, force)])
    return np.asarray(np.linalg.lstsq(rows, wanted, rcond=None)[0]).reshape(-1, 3)
