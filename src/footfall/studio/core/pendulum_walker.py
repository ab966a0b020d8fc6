"""A 3LP walker (Faraji and Ijspeert 2018) that walks in real time beside the simulated one, on the same path."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.methods.limit_cycle import PathFollowing, load_perturbation
from footfall.methods.pendulum import (
    Person,
    Walk,
    Walkers,
    human_walk,
    periodic_gait,
    walk_motion,
    walker_skeleton,
)
from footfall.methods.pendulum.trajectory import present
from footfall.motion.skeleton.tree import Skeleton
from footfall.studio.core.background import Advanced, Restarted
from footfall.studio.core.drive import REACH, TURNS
from footfall.studio.core.session import Session

Array = NDArray[np.float64]


class PendulumWalker:
    """One walker in closed form.

    Attributes:
        asked: the parameters of its walk, by name.
        height, mass: of its body, metres and kilograms.
        turn: radians to the left with each step; its course follows its heading some steps later.
    """

    def __init__(self) -> None:
        self.height, self.mass, self.turn = 1.7, 70.0, 0.0
        self.asked: dict[str, float | str] = {}
        self.start(0.0)

    def start(self, along: float) -> None:
        """Start again, ``along`` metres ahead of the world's origin."""
        body = Person.of(self.height, self.mass)
        self.body, self.walkers = body, Walkers(periodic_gait(body, self._walk(body)))
        self.turn = 0.0 if self.asked.get("slope") else self.turn  # 3LP's slope lies along its way
        self.walkers.turn_by(self.turn)
        self.shift = np.array([along, 0.0, 0.0])
        self.skeleton: Skeleton = walker_skeleton(self.body)
        self._push: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    def _walk(self, body: Person) -> Walk:
        others: dict[str, Any] = dict(self.asked)
        speed = others.pop("speed", 1.0)
        return human_walk(body, speed, **others)

    def ask(self, **parts: float | str | None) -> None:
        """Change parameters of the walk, from the next step on; None for what people choose at that speed, or for
        :class:`Walk`'s own."""
        before = dict(self.asked)
        for name, value in parts.items():
            if value is None:
                self.asked.pop(name, None)
            else:
                self.asked[name] = value
        try:
            self.walkers.change(periodic_gait(self.body, self._walk(self.body)))
        except FootfallError:
            self.asked = before
            raise

    def resize(self, height: float, mass: float, drag: float | None = None) -> None:
        """Another body, and its walk's ``drag`` in newtons where it has some; it starts again where it is."""
        before = self.height, self.mass, self.asked
        self.height, self.mass = height, mass
        if drag is not None and "drag" in self.asked:
            self.asked = self.asked | {"drag": drag}
        try:
            self.start(float(self.place()[0]))
        except FootfallError:
            self.height, self.mass, self.asked = before
            raise

    def push(self, x: float, y: float, seconds: float) -> None:
        """A force on the pelvis from now on, newtons."""
        self._push = (x, y, self.walkers.time, self.walkers.time + seconds)

    def push_within_a_step(self, x: float, y: float, begin: float, end: float) -> None:
        """A force on the pelvis, newtons, in the next part of a step from ``begin`` to ``end``, both between 0 and
        1."""
        if not 0 <= begin < end <= 1:
            raise FootfallError(f"a push from {begin:.0%} to {end:.0%} of a step: it must end after it begins")
        duration = float(np.asarray(self.walkers.stride.duration).reshape(-1)[0])
        phase = float(self.walkers.state.step.t[0]) / duration
        wait = begin - phase if begin >= phase else 1.0 - phase + begin
        start = self.walkers.time + wait * duration
        self._push = (x, y, start, start + (end - begin) * duration)

    def place(self) -> Array:
        """[3] where the pelvis is over the ground."""
        return np.asarray(self.shift + np.append(present(self.walkers).pelvis()[0, 0], 0.0))

    @property
    def fell(self) -> bool:
        """Whether it stepped farther than its leg allows."""
        return bool(self.walkers.state.overreach[0] > 1.0)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        x, y, start, until = self._push
        now = self.walkers.time
        begin, end = (float(np.clip(t, now, now + seconds)) for t in (start, until))
        for span, force in ((begin - now, (0.0, 0.0)), (end - begin, (x, y)), (now + seconds - end, (0.0, 0.0))):
            if span > 0:
                self.walkers.advance(span, *force)

    def turn_by(self, angle: float) -> None:
        """Turn left by ``angle`` radians with each step from now on."""
        self.turn = angle
        self.walkers.turn_by(angle)

    def pose(self) -> tuple[Array, Array]:
        """World positions [J, 3] and orientations [J, 4] of its joints."""
        motion: Any = walk_motion(present(self.walkers))
        position, wxyz = self.skeleton.forward(motion.root_position, motion.rotations)
        return position[0] + self.shift, wxyz[0]


Points = tuple[tuple[float, float], ...]

ASIDE = np.array([0.8, 1.2, 0.0])
"""Where it is drawn, from where the simulated walker is."""
MOST_TURN, RADIUS = 20.0, 2.0
"""Degrees by which it turns with a step at most, and the radius of that circle, metres."""


class Companion:
    """A 3LP walker that can be switched on and off; what it was asked for stays.

    Attributes:
        walker: the walker; None while it is switched off.
        pendulum: the same, also then.
        reached: points of the path.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.pendulum = PendulumWalker()
        self.walker: PendulumWalker | None = None
        self.reached = 0
        self._points: Points = ()
        self._turns = (load_perturbation(TURNS[0]), load_perturbation(TURNS[1]))
        session.events.on(Advanced, lambda event: self._advance(event.seconds))
        session.events.on(Restarted, lambda _: self.switch(self.walker is not None))

    def switch(self, on: bool) -> None:
        """Let it walk from beside the simulated walker, or take it away."""
        self.walker = None
        if on:
            self.pendulum.start(float(self._session.world.state["qpos"][0][0]))
            self.walker, self.reached = self.pendulum, 0

    def push(self, x: float, y: float, seconds: float) -> None:
        """Push it, newtons along the world's x and y."""
        if self.walker is not None:
            self.walker.push(x, y, seconds)

    def follow(self, points: Points) -> None:
        """Walk from point to point."""
        self._points, self.reached = points, min(self.reached, len(points))

    def _advance(self, seconds: float) -> None:
        walker = self.walker
        if walker is None or walker.fell:
            return
        if self.reached < len(self._points):
            points = np.array(self._points)
            follow = PathFollowing(*self._turns, points, REACH, MOST_TURN, radius=RADIUS)
            heading, before = walker.walkers.state.step.heading[:1], np.array([self.reached])
            turn, reached = follow.scaling((walker.place() + ASIDE)[None], heading, before)
            self.reached = int(reached[0])
            walker.walkers.turn_by(-math.radians(float(turn[0])))
        elif not self._points:
            walker.walkers.turn_by(walker.turn)
        walker.advance(seconds)
