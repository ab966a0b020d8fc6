"""What panels, steering and the history ask of a walker, answered for a controller of any law.

Worlds of controllers that can do more answer more (:mod:`footfall.studio.core.worlds.world`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Number
from footfall.control.law import Law
from footfall.control.registry import kind_of
from footfall.errors import FootfallError
from footfall.studio.core.worlds.balance import Balance
from footfall.studio.core.worlds.can import Can, Leading

Array = NDArray[np.float64]


class Walker:
    """A figure under one controller, or several that it may switch between.

    Attributes:
        controllers: the first one starts. law: what drives it. state: the whole state, arrays by name.
        drive: what is asked of it beside its controller; None where nothing can be.
        clip: the clip that the present step was chosen from; empty where no steps are chosen.
    """

    controllers: tuple[Any, ...]
    law: Law
    state: dict[str, NDArray[Any]]
    drive: Any = None
    clip: str = ""

    # -- what can be done with it ------------------------------------------------------------------------------------

    @property
    def can(self) -> Can:
        """What can be done with it."""
        return Can(speed=self._speed is not None, compare=self.law.key is not None)

    @property
    def balance(self) -> Balance | None:
        """How its steps are balanced one by one; None where they are not."""
        return None

    @property
    def leading(self) -> Leading | None:
        """How it can be led by a heading; None where it cannot."""
        return None

    def lead(self, heading: float) -> None:
        """Ask it to face a heading, radians."""
        raise FootfallError(f"'{self.gait}' cannot be led by a heading")

    @property
    def _speed(self) -> Number | None:
        """The desired speed, where the controller that drives has one."""
        controller = self.active()
        if not kind_of(controller).abilities(controller).speed:
            return None
        return next((n for n in kind_of(controller).numbers(controller) if n.name == "speed"), None)

    @property
    def asked_speed(self) -> float | None:
        """Metres a second that it is asked for; None where it cannot be asked."""
        return None if self._speed is None else self._speed.value

    @property
    def speeds(self) -> tuple[float, float]:
        """Between which metres a second it may be asked."""
        return (0.0, 1.0) if self._speed is None else (self._speed.least, self._speed.most)

    def steady_speeds(self, saved: Any) -> tuple[float, float]:
        """The part of these speeds at which it is likely to stay up; ``saved`` is its controller as it was saved."""
        return self.speeds

    def ask_speed(self, controller: Any, speed: float) -> Any:
        """Ask it for a speed, metres a second: the controller to go on with, another version where the speed is one of
        its numbers."""
        return kind_of(controller).with_number(controller, "speed", speed)

    @property
    def gaits(self) -> list[str]:
        """Names of the gaits that it can switch between."""
        return [c.name for c in self.controllers]

    @property
    def gait(self) -> str:
        """The gait that it walks in."""
        return self.where()[0]

    def request(self, name: str) -> None:
        """Ask for another gait."""
        if name != self.gait:
            raise FootfallError(f"controller '{self.gait}' cannot switch to another one while it runs")

    def requested(self) -> str | None:
        """The gait that was asked for and has not come yet."""
        return None

    def known_transition(self, source: str, target: str) -> str:
        """What is recorded of switching from one gait to another; empty for nothing."""
        return ""

    # -- what its controller asks for ----------------------------------------------------------------------------------

    def where(self, state: int | None = None) -> tuple[str, int, bool]:
        """A state of the law (the present one) as (controller, number, whether the right leg is in stance)."""
        number = int(self.state["state"][0]) if state is None else state
        return self.controllers[0].name, max(number, 0), int(self.state["stance"][0]) == 1

    def active(self) -> Any:
        """The controller that drives it now."""
        name = self.where()[0]
        return next(c for c in self.controllers if c.name == name)

    def wanted(self, qpos: Array, balance: Mapping[str, float]) -> Array | None:
        """[nq] the pose that is asked for at this moment, at coordinates qpos [nq] and with the law's signals; None
        where the law does not say."""
        return None

    def _wanted_then(self, times: Array, states: NDArray[np.int32], qpos: Array, signals: Array) -> Array:
        """[S, nq] the poses that were asked for at sampled times, in states as :meth:`decode` takes them."""
        return np.full(qpos.shape, np.nan)

    def state_pose(self, name: str, number: int, base: Array) -> Array:
        """[nq] the pose of a controller's state as written, with the root as in ``base`` [nq]."""
        raise FootfallError(f"controller '{name}' has no states that can be posed")

    def undriven_joints(self, name: str, number: int) -> set[str]:
        """Joints that have no target of their own in a controller's state."""
        return set()

    def reference(self) -> Array | None:
        """[nq] the pose of the clip that it follows, where it is; None where it follows none."""
        return None

    def _references_then(self, times: Array, qpos: Array) -> Array:
        """[S, nq] the same at sampled times; [S, 0] where it follows none."""
        return np.zeros((len(times), 0))
