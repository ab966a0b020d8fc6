"""The 3LP walker that walks beside the simulated one, and follows the same path."""

import math

import numpy as np
from numpy.typing import NDArray

from footfall.methods.limit_cycle import PathFollowing, load_perturbation
from footfall.studio.core.beside.pendulum_walker import PendulumWalker
from footfall.studio.core.session.events import Advanced, Restarted
from footfall.studio.core.session.session import Session
from footfall.studio.core.worlds.drive import REACH, TURNS

Array = NDArray[np.float64]
Points = tuple[tuple[float, float], ...]

ASIDE = np.array([0.8, 1.2, 0.0])
"""Where it is drawn, from where the simulated walker is."""
MOST_TURN, RADIUS = 20.0, 2.0
"""Degrees by which it turns with a step at most, and the radius of that circle, metres."""


class Companion:
    """A 3LP walker that can be switched on and off; what it was asked for stays.

    Attributes:
        walker: the walker; None while it is switched off. pendulum: the same, also then. reached: points of the path.
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
            heading, before = walker.walkers.state.heading[:1], np.array([self.reached])
            turn, reached = follow.scaling((walker.place() + ASIDE)[None], heading, before)
            self.reached = int(reached[0])
            walker.walkers.turn_by(-math.radians(float(turn[0])))
        elif not self._points:
            walker.walkers.turn_by(walker.turn)
        walker.advance(seconds)
