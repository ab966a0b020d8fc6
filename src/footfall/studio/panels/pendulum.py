"""3LP (paper 003, figure 10): every parameter of closed-form walking, beside the simulated biped."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.studio.pendulum_walker import PendulumWalker
from footfall.studio.scene.walker_view import WalkerView

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["PendulumPanel"]

ASIDE = np.array([0.8, 1.2, 0.0])
"""Where it is drawn, from where the simulated walker is."""
SLIDERS: tuple[tuple[str, str, float, float, float, float], ...] = (
    ("speed", "Speed (m/s)", -0.5, 2.0, 0.05, 1.0),
    ("slope", "Slope (°)", -15.0, 15.0, 0.5, 0.0),
    ("tilt", "Torso tilt (°)", -20.0, 40.0, 1.0, 2.0),
    ("drag", "Drag force (N)", -80.0, 80.0, 5.0, 0.0),
    ("clearance", "Foot clearance (of leg)", 0.0, 0.2, 0.01, 0.04),
    ("stretch", "Knee stretch", 0.0, 1.0, 0.05, 0.6),
    ("flap", "Foot flap (°)", 0.0, 50.0, 1.0, 26.0),
    ("pelvis_turn", "Pelvis turn (°)", -20.0, 20.0, 1.0, 8.0),
    ("pelvis_drop", "Pelvis drop (°)", -10.0, 10.0, 0.5, 3.0),
)
FREE: tuple[tuple[str, str, float, float, float, float], ...] = (
    ("frequency", "Steps a second", 1.0, 3.0, 0.05, 1.7),
    ("double_support", "Double support", 0.0, 0.4, 0.01, 0.15),
)
DEGREES = ("slope", "tilt", "flap", "pelvis_turn", "pelvis_drop")


class PendulumPanel:
    """A walker in closed form, drawn to the left of the simulated one."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        self.walker: PendulumWalker | None = None
        self._view: WalkerView | None = None
        self._on = gui.add_checkbox("Walk beside the biped", False)
        self._on.on_update(self._switched)
        self._told = gui.add_html("")
        self._sliders: dict[str, Any] = {}
        with gui.add_folder("Walk"):
            for name, label, low, high, step, start in SLIDERS[:1]:
                self._add(name, label, low, high, step, start)
            self._human = gui.add_checkbox(
                "Rhythm as people choose", True, hint="Frequency and double support follow speed"
            )
            self._human.on_update(self._rhythm)
            for name, label, low, high, step, start in FREE:
                self._add(name, label, low, high, step, start)
                self._sliders[name].disabled = True
        with gui.add_folder("Ground, force and style"):
            for row in SLIDERS[1:]:
                self._add(*row)
        with gui.add_folder("Body"):
            self._height = gui.add_slider("Height (m)", 0.8, 2.4, 0.05, 1.7)
            self._mass = gui.add_slider("Mass (kg)", 20.0, 150.0, 1.0, 70.0)
            for slider in (self._height, self._mass):
                slider.on_update(self._resized)
        with gui.add_folder("Push and turn"):
            self._force = gui.add_slider("Force (N)", 0.0, 300.0, 5.0, 60.0)
            self._push = gui.add_button_group("Push 0.4 s", ("back", "forward", "left", "right"))
            self._push.on_click(self._pushed)
            self._turn = gui.add_slider("Turn (° a step)", -25.0, 25.0, 1.0, 0.0, hint="To the left, with each step")
            self._turn.on_update(self._turned)

    def _add(self, name: str, label: str, low: float, high: float, step: float, start: float) -> None:
        slider = self._studio.server.gui.add_slider(label, low, high, step, start)
        slider.on_update(self._changer(name))
        self._sliders[name] = slider

    # -- changes ---------------------------------------------------------------------------------------------------

    def _switched(self, event: Any) -> None:
        on = bool(event.target.value)
        self._studio.act(lambda: self._show(on))

    def _show(self, on: bool) -> None:
        if self._view is not None:
            self._view.remove()
            self._view, self.walker = None, None
        self._told.content = ""
        if on:
            self.walker = PendulumWalker()
            self.walker.start(float(self._studio.world.state["qpos"][0][0]))
            self._make_view()

    def _make_view(self) -> None:
        assert self.walker is not None
        if self._view is not None:
            self._view.remove()
        self._view = WalkerView(self._studio.server.scene, "/world/pendulum", self.walker.skeleton)

    def _changer(self, name: str) -> Callable[[Any], None]:
        def changed(event: Any) -> None:
            if event.client is not None:
                value = float(event.target.value)
                self._studio.act(lambda: self._ask({name: math.radians(value) if name in DEGREES else value}))

        return changed

    def _ask(self, parts: dict[str, float | None]) -> None:
        if self.walker is not None:
            self.walker.ask(**parts)

    def _rhythm(self, event: Any) -> None:
        human = bool(event.target.value)
        for name, *_ in FREE:
            self._sliders[name].disabled = human
        parts: dict[str, float | None] = {n: None if human else float(self._sliders[n].value) for n, *_ in FREE}
        self._studio.act(lambda: self._ask(parts))

    def _resized(self, event: Any) -> None:
        if event.client is None:
            return

        def resize() -> None:
            if self.walker is not None:
                self.walker.resize(float(self._height.value), float(self._mass.value))
                self._make_view()

        self._studio.act(resize)

    def _pushed(self, event: Any) -> None:
        x, y = {"back": (-1, 0), "forward": (1, 0), "left": (0, 1), "right": (0, -1)}[event.target.value]
        force = float(self._force.value)
        self._studio.act(lambda: self.push(force * x, force * y, 0.4))

    def _turned(self, event: Any) -> None:
        angle = math.radians(float(event.target.value))

        def turn() -> None:
            if self.walker is not None:
                self.walker.turn_by(angle)

        self._studio.act(turn)

    def push(self, x: float, y: float, seconds: float) -> None:
        """Push it, newtons forward and to the left."""
        if self.walker is not None:
            self.walker.push(x, y, seconds)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Let simulated time pass."""
        if self.walker is not None and not self.walker.fell:
            self.walker.advance(seconds)

    def draw(self) -> None:
        """Draw it (in the simulation's thread)."""
        walker, view = self.walker, self._view
        if walker is None or view is None:
            return
        position, wxyz = walker.pose()
        view.move(position + ASIDE, wxyz)
        gait = walker.walkers.gait
        state = "stepped farther than its leg allows: it fell" if walker.fell else "walks"
        text = (
            f"step {float(gait.step_length[0]):.2f} m long, {float(gait.step_width[0]):.2f} m wide, "
            f"{1 / float(np.asarray(gait.stride.duration).reshape(-1)[0]):.2f} a second; {state}"
        )
        html = f"<div data-testid='3lp' style='padding:2px 10px;color:#6b7682;font-size:12px'>{text}</div>"
        if self._told.content != html:
            self._told.content = html
