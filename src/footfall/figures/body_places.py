"""Where points of a figure's bodies are, for many states at once: the chains that carry them alone."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from footfall.figures.figure import Figure
from footfall.figures.parts import Body

Array = NDArray[np.float64]


def places_of(figure: Figure, points: Iterable[tuple[int, Array]], qpos: Array) -> Array:
    """[N, P, 3] world places of points of bodies."""
    frames: dict[int, tuple[Array, Array]] = {}
    places = []
    for body, position in points:
        at, turn = _frame(figure, body, qpos, frames)
        places.append(at + turn @ position)
    return np.stack(places, axis=1)


def _frame(figure: Figure, body: int, qpos: Array, frames: dict[int, tuple[Array, Array]]) -> tuple[Array, Array]:
    """Origin [N, 3] and axes [N, 3, 3] of a body."""
    if body in frames:
        return frames[body]
    own: Body = figure.bodies[body]
    at, turn = np.zeros((len(qpos), 3)), np.tile(np.eye(3), (len(qpos), 1, 1))
    if own.parent >= 0:
        at, turn = _frame(figure, own.parent, qpos, frames)
    quat = np.array(figure.model.body_quat[body + 1])
    at, turn = at + turn @ own.position, turn @ rotations(quat[None])[0]
    for name in own.joints:
        joint = figure.joint(name)
        if joint.kind == "free":
            at, turn = qpos[:, joint.qpos : joint.qpos + 3], rotations(qpos[:, joint.qpos + 3 : joint.qpos + 7])
            continue
        moved = qpos[:, joint.qpos] - figure.model.qpos0[joint.qpos]
        if joint.kind == "slide":
            at = at + moved[:, None] * (turn @ joint.axis)
            continue
        turned = turn @ _about(joint.axis, moved)
        at = at + (turn - turned) @ joint.anchor
        turn = turned
    frames[body] = at, turn
    return at, turn


def _about(axis: Array, angle: Array) -> Array:
    """[N, 3, 3] turns about a unit axis."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + s * cross + (1.0 - c) * (cross @ cross))


def rotations(quat: Array) -> Array:
    """[N, 3, 3] of unit quaternions [N, 4]."""
    w, x, y, z = quat.T
    return np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        -1,
        0,
    )
