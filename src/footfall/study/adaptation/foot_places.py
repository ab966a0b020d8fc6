"""Where the soles of a figure are, for many states at once: the two legs' chains alone."""

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.figures.parts import Body

__all__ = ["FootPlaces"]

Array = NDArray[np.float64]


class FootPlaces:
    """Places of every ground point of the feet of a planar or spatial figure.

    Attributes:
        names: [P] of the points, the left foot's first.
        left: how many of them are the left foot's.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        soles = [[p for p in figure.points if p.foot == side and p.ground] for side in ("left", "right")]
        self.points = (*soles[0], *soles[1])
        self.names = tuple(p.name for p in self.points)
        self.left = len(soles[0])

    def __call__(self, qpos: Array) -> Array:
        """[N, P, 3] world places for states [N, nq]."""
        frames: dict[int, tuple[Array, Array]] = {}
        places = []
        for point in self.points:
            at, turn = self._frame(point.body, qpos, frames)
            places.append(at + turn @ point.position)
        return np.stack(places, axis=1)

    def _frame(self, body: int, qpos: Array, frames: dict[int, tuple[Array, Array]]) -> tuple[Array, Array]:
        """Origin [N, 3] and axes [N, 3, 3] of a body."""
        if body in frames:
            return frames[body]
        own: Body = self.figure.bodies[body]
        at, turn = np.zeros((len(qpos), 3)), np.tile(np.eye(3), (len(qpos), 1, 1))
        if own.parent >= 0:
            at, turn = self._frame(own.parent, qpos, frames)
        quat = np.array(self.figure.model.body_quat[body + 1])
        at, turn = at + turn @ own.position, turn @ _matrices(quat[None])[0]
        for name in own.joints:
            joint = self.figure.joint(name)
            if joint.kind == "free":
                at, turn = qpos[:, joint.qpos : joint.qpos + 3], _matrices(qpos[:, joint.qpos + 3 : joint.qpos + 7])
                continue
            moved = qpos[:, joint.qpos] - self.figure.model.qpos0[joint.qpos]
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


def _matrices(quat: Array) -> Array:
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
