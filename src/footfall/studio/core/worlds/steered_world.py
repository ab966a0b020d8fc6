"""A figure that is steered while it walks: its steps are chosen from a motion graph (Data-Driven Biped Control, section
5, interactive control)."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.methods.tracking.step_choice import FRAMES, SteeredController, StepChoice
from footfall.simulation import Simulation
from footfall.studio.core.worlds.asked_steps import AskedSteps, SteeredDrive
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.tracked_world import TrackedWorld

Array = NDArray[np.float64]


class SteeredWorld(AskedSteps, TrackedWorld):
    """A figure on a motion graph.

    Args:
        controller: the graph with its settings. figure: whose steps they are. setting: what it stands on.
        drive: speed and style; by default the first clip's style.

    Attributes:
        choice: the steps that were chosen.
    """

    choice: StepChoice
    controllers: tuple[SteeredController, ...]

    def __init__(
        self,
        controller: SteeredController,
        figure: Figure,
        setting: Setting | None = None,
        drive: SteeredDrive | None = None,
    ) -> None:
        wanted = drive or SteeredDrive()
        style = wanted.first_style(controller.graph)
        self.choice = StepChoice(controller.graph, controller.repertoire.settings, controller.ground, style=style)
        self.ask(speed=wanted.speed)
        super().__init__(controller, figure, setting)

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

    def prepare(self, controller: TrackingController) -> None:
        """Nothing is to be compiled: gains and settings are numbers that the kernel reads."""

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
