"""What is asked of a character whose steps are chosen from a motion graph while it walks: speed, heading, style."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.methods.tracking.step_choice import StepChoice
from footfall.studio.core.worlds.can import Can, Leading
from footfall.studio.core.worlds.walker import Walker

LEADING = Leading(rate=math.inf, ahead=math.pi, around=1.8)
"""Any heading may be asked for at once: each step turns as far as the graph's steps do."""
SLOWEST = 0.3
"""Metres a second that may be asked for at least."""


@dataclass(frozen=True)
class SteeredDrive:
    """What is asked of a steered character: metres a second, and the style of its steps."""

    speed: float = 0.7
    style: str = ""

    def first_style(self, graph: TrackedGraph) -> str:
        """The style of the first step; empty for the graph's own, where it has no such style."""
        return self.style if self.style in graph.styles() else ""


class AskedSteps(Walker):
    """A walker whose steps are chosen.

    Attributes:
        choice: the steps that were chosen.
    """

    choice: StepChoice

    @property
    def can(self) -> Can:
        """It takes a speed, a heading and a style; two of them cannot share the steps that are chosen for one."""
        switch = len(self.gaits) > 1
        return Can(speed=True, turn=True, switch=switch, follow=True, target=True, compare=False)

    def compare(self, saved: Any | None) -> None:
        """Two characters cannot share the steps that are chosen for one."""
        if saved is not None:
            raise FootfallError("compare: a steered character chooses its own steps; two of them cannot be compared")

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
