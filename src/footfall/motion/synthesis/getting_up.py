"""How a body gets up from the ground: poses that a person takes, with what stays on the ground between them.

A body that lies on its front pushes itself up onto hands and knees, puts a foot forward, kneels on the other leg and
rises. One that lies on its back rolls over its side onto hands and knees first. ``getting-up.toml`` has the poses. Each
way begins at the origin and has a mirror image.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.motion.quaternion import conjugate, from_axis_angle, multiply, normalised, rotate, twist_angle
from footfall.text_files import packaged_toml

Array = NDArray[np.float64]
POSES = "getting-up.toml"
_, Y, Z = np.eye(3)
LAYS, STANDS = 0.3, 0.8
"""Seconds before and after each way."""
SMOOTH = 0.04
"""Seconds by which the root's position is smoothed where another part takes the weight."""


def pose_numbers(figure: Figure, angles: Mapping[str, float]) -> Array:
    """[3 + joints] the root's pitch, spin and heading, and the hinges."""
    row = np.zeros(3 + figure.nq - 7)
    for name, angle in angles.items():
        own = [j.qpos - 4 for j in figure.joints if j.name in (name, f"left_{name}", f"right_{name}")]
        row[[("pitch", "spin", "heading").index(name)] if name in ("pitch", "spin", "heading") else own] = angle
    return row


def named_poses(figure: Figure) -> tuple[dict[str, Array], dict[str, Any]]:
    """The poses' numbers by name, and the whole table."""
    table = packaged_toml(__package__, POSES)
    return {name: pose_numbers(figure, angles) for name, angles in table["poses"].items()}, table


def on_the_ground(figure: Figure, row: Array) -> Array:
    """[nq] a pose within the joints' ranges, the lowest ball of the skin on the ground."""
    qpos = figure.default_qpos.copy()
    qpos[7:] = row[3:]
    for joint in figure.joints:
        if joint.kind == "hinge":
            qpos[joint.qpos] = np.clip(qpos[joint.qpos], joint.lower, joint.upper)
    heading, pitch, spin = (from_axis_angle(axis, np.array(row[k])) for axis, k in ((Z, 2), (Y, 0), (Z, 1)))
    qpos[3:7] = multiply(multiply(heading, pitch), spin)
    qpos[2] -= float(skin_places(figure, qpos)[1].min())
    return qpos


def skin_places(figure: Figure, qpos: Array) -> tuple[Array, Array]:
    """[S, 3] where the balls of the skin are, and [S] the heights of their lowest points."""
    data = mujoco.MjData(figure.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(figure.model, data)
    turns = data.xmat.reshape(-1, 3, 3)
    places = np.array([data.xpos[b.body + 1] + turns[b.body + 1] @ np.asarray(b.position) for b in figure.skin])
    return places, places[:, 2] - np.array([b.radius for b in figure.skin])


@cache
def ways_up(figure: Figure, rate: float) -> tuple[Array, ...]:
    """[T, nq] of each way and of its mirror image, ``rate`` frames a second; all end in a stand."""
    _, table = named_poses(figure)
    found = [_way(figure, way, rate) for way in table["ways"].values()]
    return tuple(one for way in found for one in (way, figure.mirror_qpos(way)))


def _way(figure: Figure, way: list[list[Any]], rate: float) -> Array:
    """[T, nq] poses one after the other; between them joints and the root's turn are on curves without corners, and the
    lowest part is on the ground."""
    from scipy.interpolate import PchipInterpolator  # loading it takes as long as the rest of a studio
    from scipy.ndimage import gaussian_filter1d

    poses, _ = named_poses(figure)
    rows = np.array([poses[name] for name, _, _ in way])
    rolled = np.flatnonzero(np.abs(np.diff(rows[:, 0])) > 2.0)  # a way over the side goes on as one on the front
    for last in rolled:
        rows[: last + 1, 2] += np.pi
    times = LAYS + np.cumsum([seconds for _, seconds, _ in way])
    at = np.arange(round((times[-1] + STANDS) * rate) + 1) / rate
    quats = np.array([on_the_ground(figure, row)[3:7] for row in rows])
    for k in range(1, len(quats)):
        quats[k] *= np.sign(quats[k] @ quats[k - 1])
    inside = np.clip(at, times[0], times[-1])
    joints = PchipInterpolator(times, rows[:, 3:])(inside)
    turns = PchipInterpolator(times, quats)(inside)
    qpos = np.zeros((len(at), figure.nq))
    qpos[:, 7:], qpos[:, 3:7] = joints, turns / np.linalg.norm(turns, axis=1, keepdims=True)
    for joint in figure.joints:
        if joint.kind == "hinge":
            qpos[:, joint.qpos] = np.clip(qpos[:, joint.qpos], joint.lower, joint.upper)
    before: Array | None = None
    names = [figure.model.body(b.body + 1).name for b in figure.skin]
    for k, time in enumerate(at):
        stays = way[min(int(np.searchsorted(times, time)), len(way) - 1)][2]
        kept = [i for i, name in enumerate(names) if name in (stays, f"left_{stays}", f"right_{stays}")]
        if k:
            qpos[k, :2] = qpos[k - 1, :2]
        places, heights = skin_places(figure, qpos[k])
        qpos[k, 2] -= heights.min()
        if before is not None:
            qpos[k, :2] -= (places - before)[kept, :2].mean(axis=0)
        before, _ = skin_places(figure, qpos[k])
    qpos[:, :3] = gaussian_filter1d(qpos[:, :3], SMOOTH * rate, axis=0, mode="nearest")
    end = qpos[-1]
    heading = float(twist_angle(end[3:7], Z))
    return shifted_and_turned(qpos, -end[:2], -heading)


def shifted_and_turned(qpos: Array, shift: Array, turn: float) -> Array:
    """[T, nq] poses shifted in x and y, then turned about the origin's vertical."""
    found, quaternion = qpos.copy(), from_axis_angle(Z, np.array(turn))
    at = (found[:, 0] + shift[0] + 1j * (found[:, 1] + shift[1])) * np.exp(1j * turn)
    found[:, 0], found[:, 1] = at.real, at.imag
    found[:, 3:7] = multiply(np.broadcast_to(quaternion, found[:, 3:7].shape), found[:, 3:7])
    return found


JOINS = 0.8
"""Seconds over which a body comes from where it lies to a way up."""
EVERY = 0.1
"""Seconds between the poses of the ways that it may begin at."""
NEAR = (2.0, 8.0, 0.004)
"""How much the world's up in the root's axes, the root's height and the joints count in how far two poses are apart."""


def way_up_from(figure: Figure, qpos: Array, rate: float) -> Array:
    """[T, nq] of a body that lies like this [nq]: at first as it lies, then along the rest of the way that has the
    nearest pose."""
    ways = ways_up(figure, rate)
    offers = [(way, k) for way in ways for k in range(0, len(way), round(EVERY * rate))]
    poses = np.array([way[k] for way, k in offers])
    off = np.array([apart_from(pose, qpos) for pose in poses])
    way, first = offers[int(off.argmin())]
    turn = float(twist_angle(qpos[3:7], Z) - twist_angle(way[first][3:7], Z))
    found = shifted_and_turned(way[first:], -way[first][:2], turn)
    found[:, :2] += qpos[:2]
    x = np.clip(np.arange(len(found)) / (JOINS * rate), 0.0, 1.0)[:, None]
    share = x * x * (3.0 - 2.0 * x)
    lies = np.concatenate([qpos[:3], qpos[3:7] * np.sign(qpos[3:7] @ found[0, 3:7]), qpos[7:]])
    found = np.asarray(share * found + (1.0 - share) * lies)
    found[:, 3:7] = normalised(found[:, 3:7])
    return found


def apart_from(pose: Array, qpos: Array) -> float:
    """How far a pose is from another, wherever and to whatever side each is on the ground."""
    up = rotate(conjugate(pose[3:7]), Z) - rotate(conjugate(qpos[3:7]), Z)
    tilt, lift, joints = float(up @ up), float(pose[2] - qpos[2]), pose[7:] - qpos[7:]
    return NEAR[0] * tilt + NEAR[1] * lift * lift + NEAR[2] * float(joints @ joints)
