"""A figure that a network steers by steps of clips: a walk is played on a motion graph as it is asked for, and the
network follows it.

The world pauses at each of the network's decisions, so that the walk is always as far ahead as the network looks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.law import Law
from footfall.control.start import Start
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.deciding import FRAME
from footfall.methods.network.played_walk import PlayedWalk
from footfall.methods.network.servo_law import ServoNetworkLaw
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.step_choice import StepChoice
from footfall.simulation import Simulation
from footfall.studio.core.worlds.asked_steps import AskedSteps, SteeredDrive
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.world import World

Array = NDArray[np.float64]
KEPT = 256
"""Decisions whose poses are kept until they are sampled."""


class PlayedWorld(AskedSteps, World):
    """A figure whose network follows a walk that is steered.

    Args:
        controller: the network and the clips. figure: what it drives. setting: what it stands on and carries.
        drive: speed and style; by default the first clip's style.

    Attributes:
        walk: what is followed.
    """

    law: ServoNetworkLaw
    controllers: tuple[SteeredNetwork, ...]

    def __init__(
        self,
        controller: SteeredNetwork,
        figure: Figure,
        setting: Setting | None = None,
        drive: SteeredDrive | None = None,
    ) -> None:
        wanted = drive or SteeredDrive()
        self.walk = PlayedWalk(controller, wanted.first_style(controller.graph))
        self._seen: dict[int, Array] = {}
        self.ask(speed=wanted.speed)
        super().__init__([controller], figure, setting)

    @property
    def choice(self) -> StepChoice:  # type: ignore[override]
        """The steps that were chosen."""
        return self.walk.steps

    # -- making simulations ----------------------------------------------------------------------------------------

    def _make_law(self, controllers: Sequence[Any]) -> Law:
        return ServoNetworkLaw(self.walk.follower(), self.figure)

    def _build(self) -> Simulation:
        simulation = super()._build()
        simulation.set_library(self.law.with_clip(self.walk.shown))
        return simulation

    def _start(self) -> Start:
        return self.walk.shown.start

    def _like(self, controllers: Sequence[Any], setting: Setting) -> "PlayedWorld":
        return type(self)(controllers[0], self.figure, setting)

    def edit(self, controller: Any) -> bool:
        """Nothing of it can be edited."""
        raise FootfallError(f"controller '{controller.name}' is a network with clips; nothing of it can be edited")

    def needs_kernel(self, controller: Any) -> bool:
        """Nothing is to be compiled."""
        return False

    # -- going on --------------------------------------------------------------------------------------------------

    @property
    def _decision_steps(self) -> int:
        return round(1.0 / (self.walk.rate * self.dt))

    def _step(self, steps: int) -> None:
        simulation, every = self.simulation, self._decision_steps
        goal = simulation.step_number + steps
        while simulation.step_number < goal:
            now = simulation.step_number
            if now % every == 0:
                self._go_ahead(now // every)
            simulation.step(min(goal, (now // every + 1) * every) - now)
            self._seen[now // every] = self.walk.pose(now // every)
        self._seen = dict(list(self._seen.items())[-KEPT:])

    def _go_ahead(self, decision: int) -> None:
        """Before a decision: let the walk be as far as the network looks."""
        before = self.walk.first
        if not self.walk.reach(decision):
            return
        self.simulation.set_library(self.law.with_clip(self.walk.shown))
        if self.walk.first != before:
            snapshot = self.simulation.snapshot()
            snapshot["memory"][:, self.law.memory_layout[FRAME]] -= self.walk.first - before
            self.simulation.restore(snapshot)

    def _note(self, snapshot: dict[str, NDArray[Any]]) -> None:
        super()._note({**snapshot, "walk": np.array([None], dtype=object)})

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The state, to go on from."""
        kept = np.empty(1, dtype=object)
        kept[0] = self.walk.state
        return {**super().snapshot(), "walk": kept}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of this figure on these clips."""
        self.walk.state = snapshot["walk"][0]
        self.simulation.set_library(self.law.with_clip(self.walk.shown))
        super().restore({name: part for name, part in snapshot.items() if name != "walk"})

    def reset(self) -> None:
        """Back to the start."""
        asked = self.choice.speed, self.choice.style
        self.walk.begin()
        self.ask(*asked)
        super().reset()
        self.simulation.set_library(self.law.with_clip(self.walk.shown))

    # -- what it is doing --------------------------------------------------------------------------------------------

    def _followed(self, time: float) -> Array:
        """[nq] the walk's pose at a time."""
        number = int(time / self.dt + 1e-6) // self._decision_steps
        return self._seen.get(number, self.walk.pose(number))

    def reference(self) -> Array:
        """[nq] the walk's pose, over the place on the ground where the figure is."""
        pose = self._followed(self.time).copy()
        pose[:2] = self.state["qpos"][0, :2]
        return pose

    def _references_then(self, times: Array, qpos: Array) -> Array:
        poses = np.array([self._followed(t) for t in times]).reshape(len(times), -1)
        poses[:, :2] = qpos[:, :2]
        return poses

    def wanted(self, qpos: Array, balance: Mapping[str, float]) -> Array:
        """[nq] the joints of the walk, around which the network sets its targets, on the root as it is."""
        return np.concatenate([qpos[:7], self._followed(self.time)[7:]])

    def _wanted_then(self, times: Array, states: NDArray[np.int32], qpos: Array, signals: Array) -> Array:
        poses = np.array([self._followed(t) for t in times]).reshape(len(times), -1)
        return np.concatenate([qpos[:, :7], poses[:, 7:]], axis=1)

    @property
    def heading(self) -> float:
        """The turn of the walk that it follows: the pelvis itself swings to and fro with each step."""
        return self.walk.steps.slots.heading
