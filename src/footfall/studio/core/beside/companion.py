"""The 3LP walker that walks beside the simulated one, and follows the same path."""

import math

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.methods.limit_cycle import PathFollowing, load_perturbation
from footfall.studio.core.beside.pendulum_walker import PendulumWalker
from footfall.studio.core.session.events import Advanced, Restarted
from footfall.studio.core.session.session import Session
from footfall.studio.core.worlds.drive import REACH, TURNS

__all__ = ["ASIDE", "Companion"]

Array = NDArray[np.float64]
Points = tuple[tuple[float, float], ...]

ASIDE = np.array([0.8, 1.2, 0.0])
"""Where it is drawn, from where the simulated walker is."""
MOST_TURN, RADIUS = 20.0, 2.0
"""Degrees by which it turns with a step at most, and the radius of that circle, metres."""


class Companion:
    """A 3LP walker that can be switched on and off; what it was asked for stays.

    Attributes:
        walker: the walker; None while it is switched off. asked: what was set of its walk, by the parameter's name.
        height, mass: of its body. turn: radians to the left with each step. reached: points of the path.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.walker: PendulumWalker | None = None
        self.asked: dict[str, float | str | None] = {}
        self.height, self.mass, self.turn = 1.7, 70.0, 0.0
        self.reached = 0
        self._points: Points = ()
        self._turns = (load_perturbation(TURNS[0]), load_perturbation(TURNS[1]))
        session.events.on(Advanced, lambda event: self._advance(event.seconds))
        session.events.on(Restarted, lambda _: self._restart())

    def switch(self, on: bool) -> None:
        """Let it walk from beside the simulated walker, or take it away."""
        self.walker = None
        if on:
            walker = PendulumWalker()
            walker.height, walker.mass = self.height, self.mass
            walker.start(float(self._session.world.state["qpos"][0][0]))
            walker.ask(**self.asked)
            walker.turn_by(self.turn)
            self.walker, self.reached = walker, 0

    def _restart(self) -> None:
        if self.walker is not None:
            self.switch(True)

    def ask(self, **parts: float | str | None) -> None:
        """Change its walk; what the model refuses leaves the old walk as it is."""
        before = dict(self.asked)
        self.asked |= parts
        if self.walker is not None:
            try:
                self.walker.ask(**parts)
            except FootfallError:
                self.asked = before
                raise

    def resize(self, height: float, mass: float, drag: float | None = None) -> None:
        """Another body, metres and kilograms; ``drag`` is that of its walk in newtons, where it has some."""
        self.height, self.mass = height, mass
        if drag is not None and "drag" in self.asked:
            self.asked["drag"] = drag
        if self.walker is not None:
            if drag is not None and "drag" in self.asked:
                self.walker.asked["drag"] = drag
            self.walker.resize(height, mass)

    def turn_by(self, angle: float) -> None:
        """Turn left by radians with each step."""
        self.turn = angle
        if self.walker is not None:
            self.walker.turn_by(angle)

    def push(self, x: float, y: float, seconds: float) -> None:
        """Push it, newtons along the world's x and y."""
        if self.walker is not None:
            self.walker.push(x, y, seconds)

    def follow(self, points: Points) -> None:
        """Walk from point to point."""
        self._points, self.reached = points, min(self.reached, len(points))
        if not points and self.walker is not None:
            self.walker.turn_by(self.turn)

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
            walker.turn_by(-math.radians(float(turn[0])))
        walker.advance(seconds)
