"""A tracked character that is steered while it walks, for a page: turned, hurried, pushed, sent along points, its gains
edited. It knows nothing of the page."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.tracking.clips import turned_frames
from footfall.control.tracking.motion_graph import MotionGraph
from footfall.errors import FootfallError
from footfall.motion import Motion
from footfall.push import Push
from footfall.study.imitation.steering import Steering

__all__ = ["TrackedWorld"]

Array = NDArray[np.float64]
NO_PUSH = Push((0.0, 0.0, 0.0), 0.0, 0.4)
REACHED = 0.5
"""Metres from a point of the path at which the next one comes."""
SPEEDS = (0.3, 1.6)


class TrackedWorld:
    """One steered character.

    Args:
        graph: its steps.
        options: as :class:`Steering` takes them.

    Attributes:
        steering: the character. points: still to be walked to, [(x, y), …].
    """

    def __init__(self, graph: MotionGraph, **options: Any) -> None:
        self.graph, self._options = graph, options
        self.points: list[tuple[float, float]] = []
        self.reset()

    def reset(self) -> None:
        """Back to the start; gains, speed and style stay."""
        old = getattr(self, "steering", None)
        self.steering = Steering.with_defaults(self.graph, pushes=[NO_PUSH], **self._options)
        if old is not None:
            self.steering.direct(0.0, old.speed, old.style)
        self.points = []

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self.steering.simulation.time

    @property
    def up(self) -> bool:
        """Whether it has not fallen."""
        return self.steering.up

    @property
    def pose(self) -> Array:
        """[nq] the simulated figure's."""
        return np.asarray(self.steering.simulation.qpos[0], dtype=float)

    @property
    def clip_pose(self) -> Array:
        """[nq] the clip's, where the simulated figure is."""
        steering = self.steering
        memory, places = steering.simulation.memory[0], steering.simulation.law.layout.memory()  # type: ignore[attr-defined]
        frames = steering._fragments[int(memory[places["fragment"]])].frames
        index = min(max(int(memory[places["index"]]), 0), len(frames) - 1)
        pose = turned_frames(frames[index : index + 1], float(memory[places["heading"]]))[0]
        pose[:2] = self.pose[:2]
        return np.asarray(pose)

    def advance(self) -> bool:
        """Go on by one frame of the motion; False once it has fallen."""
        if not self.up:
            return False
        place = self.steering.place
        while self.points and math.dist(self.points[0], place) < REACHED:
            self.points.pop(0)
        if self.points:
            x, y = self.points[0]
            self.steering.direct(math.atan2(y - place[1], x - place[0]))
        return self.steering.advance(1)

    def turn(self, degrees: float) -> None:
        """Turn the wanted direction, to the left where positive; the path is given up."""
        self.points = []
        self.steering.direct(self.steering.direction + math.radians(degrees))

    def faster(self, by: float) -> None:
        """Change the wanted speed, metres a second."""
        self.steering.direct(speed=float(np.clip(self.steering.speed + by, *SPEEDS)))

    def push(self, forward: float, left: float, duration: float = 0.4) -> None:
        """Push the torso now, newtons along and across its heading."""
        c, s = math.cos(self.steering.facing), math.sin(self.steering.facing)
        force = (c * forward - s * left, s * forward + c * left, 0.0)
        self.steering.simulation.set_pushes([Push(force, self.time, duration)])

    def set_gains(self, **values: float) -> None:
        """Change gains of every step by name."""
        for step in range(len(self.graph.steps)):
            old = self.graph.steps[step]
            self.graph.steps[step] = replace(old, gains=replace(old.gains, **values))
        steering = self.steering
        steering._gains = [replace(gains, **values) for gains in steering._gains]
        steering.simulation.set_parameters(steering._repertoire().parameters())

    def joints(self, pose: Array) -> tuple[Array, Array]:
        """Places [J, 3] and orientations [J, 4] of a pose's joints."""
        motion = Motion.from_qpos(self.graph.figure, np.array([0.0]), pose[None])
        places, turns = motion.skeleton.forward(motion.root_position, motion.rotations)
        return np.asarray(places[0]), np.asarray(turns[0])

    def call(self, act: Callable[[], None]) -> str:
        """Do something a user asked for; an error in words, or nothing."""
        try:
            act()
        except FootfallError as error:
            return str(error)
        return ""
