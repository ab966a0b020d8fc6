"""A 3LP walker (paper 003) that walks in real time beside the simulated one, turns and takes pushes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.motion.skeleton import Skeleton
from footfall.pendulum import Body, Walk, Walkers, human_walk, periodic_gait, record_walk, walk_motion, walker_skeleton

__all__ = ["PendulumWalker"]

Array = NDArray[np.float64]


class PendulumWalker:
    """One walker in closed form.

    Attributes:
        asked: the parameters of its walk, by name.
    """

    def __init__(self) -> None:
        self.height, self.mass = 1.7, 70.0
        self.asked: dict[str, float] = {}
        self._push: tuple[float, float, float] = (0.0, 0.0, 0.0)
        self.start(0.0)

    def start(self, along: float) -> None:
        """Begin anew, ``along`` metres ahead of the world's origin."""
        self.body = Body.of(self.height, self.mass)
        self.walkers = Walkers(periodic_gait(self.body, self._walk()))
        self.shift = np.array([along, 0.0, 0.0])
        self.skeleton: Skeleton = walker_skeleton(self.body)

    def _walk(self) -> Walk:
        others = dict(self.asked)
        speed = others.pop("speed", 1.0)
        return human_walk(self.body, speed, **others)

    def ask(self, **parts: float | None) -> None:
        """Change parameters of the walk, from the next step on; None for what people choose at that speed."""
        before = dict(self.asked)
        for name, value in parts.items():
            if value is None:
                self.asked.pop(name, None)
            else:
                self.asked[name] = value
        try:
            self.walkers.change(periodic_gait(self.body, self._walk()))
        except FootfallError:
            self.asked = before
            raise

    def resize(self, height: float, mass: float) -> None:
        """Another body; it starts again where it is."""
        place = self.place()
        before = self.height, self.mass
        self.height, self.mass = height, mass
        try:
            self.start(float(place[0]))
        except FootfallError:
            self.height, self.mass = before
            self.start(float(place[0]))
            raise

    def push(self, x: float, y: float, seconds: float) -> None:
        """A force on the pelvis from now on, newtons."""
        self._push = (x, y, self.walkers.time + seconds)

    def place(self) -> Array:
        """[3] where the pelvis is over the ground."""
        s = self.walkers.state
        cos, sin = float(np.cos(s.heading[0])), float(np.sin(s.heading[0]))
        x = s.foot_x[0] + cos * s.px[0] - sin * s.py[0]
        y = s.foot_y[0] + sin * s.px[0] + cos * s.py[0]
        return np.asarray(self.shift + np.array([float(x), float(y), 0.0]))

    @property
    def fell(self) -> bool:
        """Whether it stepped farther than its leg allows."""
        return bool(self.walkers.state.overreach[0] > 1.0)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        x, y, until = self._push
        left = float(np.clip(until - self.walkers.time, 0.0, seconds))
        if left > 0:
            self.walkers.advance(left, x, y)
        if seconds > left:
            self.walkers.advance(seconds - left)

    def turn_by(self, angle: float) -> None:
        """Turn left by ``angle`` radians with each step; its course follows its heading some steps later."""
        self.walkers.turn_by(angle)

    def pose(self) -> tuple[Array, Array]:
        """World positions [J, 3] and orientations [J, 4] of its joints."""
        motion: Any = walk_motion(record_walk(_standing(self.walkers), 1e-3, fps=1.0))
        position, wxyz = self.skeleton.forward(motion.root_position[:1], motion.rotations[:1])
        return position[0] + self.shift, wxyz[0]


def _standing(walkers: Walkers) -> Walkers:
    """The same walkers, to be looked at without being moved."""
    seen = Walkers(walkers.gait, feedback=walkers.feedback, footsteps=True)
    seen.stride, seen.state, seen.turn, seen.time = walkers.stride, walkers.state.copy(), walkers.turn, walkers.time
    return seen
