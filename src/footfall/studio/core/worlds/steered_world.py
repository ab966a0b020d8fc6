"""A figure that is steered while it walks: its steps are chosen from a motion graph (Data-Driven Biped Control, section
5, interactive control)."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.methods.tracking.step_choice import FRAMES, SteeredController, StepChoice
from footfall.simulation import Simulation
from footfall.studio.core.worlds.can import Can, Leading
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.tracked_world import TrackedWorld

__all__ = ["SteeredDrive", "SteeredWorld"]

Array = NDArray[np.float64]
LEADING = Leading(rate=math.inf, ahead=math.pi, around=1.8)
"""Any heading may be asked for at once: each step turns as far as the graph's steps do."""
SLOWEST = 0.3
"""Metres a second that may be asked for at least."""


@dataclass(frozen=True)
class SteeredDrive:
    """What is asked of a steered character: metres a second, and the style of its steps."""

    speed: float = 0.7
    style: str = ""


class SteeredWorld(TrackedWorld):
    """A figure on a motion graph.

    Args:
        controller: the graph with its settings. figure: whose steps they are. setting: what it stands on.
        drive: speed and style; by default the first clip's style.

    Attributes:
        choice: the steps that were chosen.
    """

    controllers: tuple[SteeredController, ...]

    def __init__(
        self,
        controller: SteeredController,
        figure: Figure,
        setting: Setting | None = None,
        drive: SteeredDrive | None = None,
    ) -> None:
        wanted = drive or SteeredDrive()
        style = wanted.style if wanted.style in controller.graph.styles() else ""
        self.choice = StepChoice(controller.graph, controller.repertoire.settings, controller.ground, style=style)
        self.ask(speed=wanted.speed)
        super().__init__(controller, figure, setting)

    @property
    def can(self) -> Can:
        """It takes a speed, a heading and a style; two of them cannot share the steps that are chosen for one."""
        switch = len(self.gaits) > 1
        return Can(speed=True, turn=True, switch=switch, follow=True, target=True, compare=False)

    # -- making simulations ----------------------------------------------------------------------------------------

    def _build(self) -> Simulation:
        simulation = super()._build()
        simulation.set_library(self.choice.repertoire().library())
        return simulation

    def _rows(self) -> Array:
        return self._repertoire_now().parameters()[None]

    def _repertoire_now(self) -> Repertoire:
        """What the law reads: the chosen steps, with the gains and settings that were edited."""
        steps = self.choice.repertoire()
        gains = tuple(self.controller.edited(gains) for gains in steps.gains)
        return replace(steps, gains=gains, settings=self.controller.repertoire.settings)

    @property
    def controller(self) -> SteeredController:
        """The motion graph, and its gains."""
        return self.controllers[0]

    def compare(self, saved: TrackingController | None) -> None:
        """Two characters cannot share the steps that are chosen for one."""
        if saved is not None:
            raise FootfallError("compare: a steered character chooses its own steps; two of them cannot be compared")

    def prepare(self, controller: TrackingController) -> None:
        """Nothing is to be compiled: gains and settings are numbers that the kernel reads."""

    # -- what is asked of it -------------------------------------------------------------------------------------------

    def ask(self, speed: float | None = None, style: str | None = None) -> None:
        """Ask it for a speed, metres a second, or a style, from the next step that can be chosen."""
        self.choice.direct(speed=None if speed is None else float(np.clip(speed, *self.speeds)), style=style)
        self.drive = SteeredDrive(self.choice.speed, self.choice.style)

    @property
    def asked_speed(self) -> float:
        """Metres a second that it is asked for."""
        return float(self.drive.speed)

    def ask_speed(self, controller: Any, speed: float) -> Any:
        """Ask it for a speed, metres a second, from the next step that can be chosen; its controller stays."""
        self.ask(speed=speed)
        return controller

    @property
    def speeds(self) -> tuple[float, float]:
        """Metres a second that may be asked for: up to those of the graph's fastest step, none where it can stop."""
        slowest = 0.0 if self.choice.graph.halts else SLOWEST
        return slowest, max(SLOWEST, math.ceil(10.0 * max(s.speed for s in self.choice.graph.steps)) / 10.0)

    @property
    def leading(self) -> Leading:
        """It turns to any heading, step by step."""
        return LEADING

    def lead(self, heading: float) -> None:
        """Ask it to face a heading, radians."""
        self.choice.direct(direction=heading)

    @property
    def gaits(self) -> list[str]:
        """Styles of its steps."""
        return self.choice.graph.styles()

    @property
    def gait(self) -> str:
        """The style that it is asked for."""
        return self.choice.style

    def request(self, name: str) -> None:
        """Ask for another style, from the next step that can be chosen."""
        self.ask(style=name)

    @property
    def clip(self) -> str:  # type: ignore[override]
        """The clip that the present step comes from; two where it is a blend."""
        step = self.choice.slots.steps[self.choice.slots.now]
        return "standing" if step is None else step.clip

    # -- going on --------------------------------------------------------------------------------------------------

    def _begin_frame(self, number: int) -> None:
        """Every few frames: see which step it makes, and choose the next one."""
        if number % FRAMES:
            return
        memory, places = self.simulation.memory[0], self._places
        if number:
            self.choice.observe(int(memory[places["fragment"]]), float(memory[places["heading"]]))
        if self.choice.decide():
            repertoire = self._repertoire_now()
            self.simulation.set_library(repertoire.library())
            self.simulation.set_parameters(repertoire.parameters())

    def _fragments(self) -> tuple[Fragment, ...]:
        return self.choice.slots.fragments

    def _number(self, fragment: int) -> int:
        return max(self.choice.slots.numbers[fragment], 0)

    def _note(self, snapshot: dict[str, NDArray[Any]]) -> None:
        super()._note({**snapshot, "choice": np.array([self.choice.slots], dtype=object)})

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The state, to go on from."""
        return {**super().snapshot(), "choice": np.array([self.choice.slots], dtype=object)}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of this figure on this graph."""
        self.choice.slots = snapshot["choice"][0]
        self.simulation.set_library(self.choice.repertoire().library())
        self.simulation.set_parameters(self._rows())
        super().restore(snapshot)

    def reset(self) -> None:
        """Back to the start."""
        self.choice.begin()
        super().reset()
        self.simulation.set_library(self.choice.repertoire().library())
        self.simulation.set_parameters(self._rows())
