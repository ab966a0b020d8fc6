"""The forces on a walker that come and go while it is watched: pushes that last a while, a pull that is held."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.simulation import Push

Array = NDArray[np.float64]
NEVER = 1e9


class Forces:
    """Pushes on the torso and a pull at one body of a figure.

    Attributes:
        idle: a push of no force for the torso and for every body, so that a simulation has room for those to come.
    """

    def __init__(self, figure: Figure) -> None:
        coms: dict[str, Any] = {b.name: tuple(float(x) for x in b.com) for b in figure.bodies}
        self.idle = [Push((0.0, 0.0, 0.0), NEVER, 0.0, body, coms.get(body)) for body in ("", *coms)]
        self.clear()

    def clear(self) -> None:
        """No force acts any more."""
        self._timed: list[tuple[Push, float, float]] = []
        self._pull: tuple[str, Array] | None = None

    def push(self, force: Sequence[float], start: float, seconds: float) -> None:
        """A push on the torso, newtons in world axes."""
        self._timed = [p for p in self._timed if p[2] > start - 1.0]
        push = Push(tuple(float(x) for x in force), start, float(seconds))
        self._timed.append((push, start, start + float(seconds)))

    def pull(self, body: str, force: Array | None) -> None:
        """A force at a body's centre of mass until it is replaced; None to let go."""
        self._pull = None if force is None else (body, np.asarray(force, dtype=float))

    def pushes(self) -> list[Push]:
        """What acts on the simulation, body by body."""
        pushes: list[Push] = []
        for idle in self.idle:
            if not idle.body:
                pushes += [p for p, _, _ in self._timed] or [idle]
            elif self._pull is not None and idle.body == self._pull[0]:
                pushes.append(Push(tuple(self._pull[1]), 0.0, NEVER, idle.body, idle.place))
            else:
                pushes.append(idle)
        return pushes

    def at(self, time: float) -> Array:
        """[3] the sum of the forces that act at a time."""
        total = np.zeros(3)
        for push, start, end in self._timed:
            if start <= time < end:
                total += np.asarray(push.force, dtype=float)
        return total if self._pull is None else total + self._pull[1]
