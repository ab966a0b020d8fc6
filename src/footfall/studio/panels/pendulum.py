"""3LP (Faraji and Ijspeert 2018, figure 10): every parameter of closed-form walking, beside the simulated biped.

Ranges are those of the authors' program; what the model itself refuses is reported in words.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.methods.pendulum import LEAST_HIP_TORQUE
from footfall.motion.skeleton.tree import Skeleton
from footfall.studio.core.beside.companion import ASIDE
from footfall.studio.panels.context import Context, Drawn, small
from footfall.studio.scene.walker_view import WalkerView
from footfall.studio.widgets.controls import Slider
from footfall.studio.widgets.widget import Event

Row = tuple[str, str, float, float, float, float]
"""A slider: parameter of the walk, label, least, most, step and start."""
SPEED: Row = ("speed", "Walking speed (m/s)", -2.0, 2.0, 0.05, 1.0)
RHYTHM: tuple[Row, ...] = (
    ("frequency", "Steps a second", 1.0, 3.0, 0.05, 1.7),
    ("double_support", "Double support", 0.0, 0.4, 0.01, 0.15),
)
PRESSURE: tuple[Row, ...] = (
    ("cop_start", "Pressure from (m)", 0.0, 0.35, 0.005, 0.0),
    ("cop_end", "Pressure to (m)", 0.0, 0.35, 0.005, 0.25),
)
WIDTH: Row = ("step_width", "Step width (m)", -0.05, 0.5, 0.01, 0.06)
WIDTHS = ("half the pelvis", "least hip torque", "as set below")
STYLE: tuple[Row, ...] = (
    ("slope", "Slope (°)", -20.0, 20.0, 0.5, 0.0),
    ("tilt", "Torso tilt (°)", -30.0, 60.0, 1.0, 2.0),
    ("drag", "Drag (% of weight)", -20.0, 20.0, 0.5, 0.0),
    ("clearance", "Foot clearance (of leg)", 0.0, 0.2, 0.01, 0.04),
    ("stretch", "Knee stretch", 0.0, 1.0, 0.05, 0.6),
    ("fixed_height", "Fixed pelvis mixture", 0.0, 1.0, 0.05, 0.0),
    ("flap", "Foot flap (°)", 0.0, 50.0, 1.0, 26.0),
    ("pelvis_turn", "Pelvis turn (°)", -20.0, 20.0, 1.0, 8.0),
    ("pelvis_drop", "Pelvis drop (°)", -10.0, 10.0, 0.5, 3.0),
)
DEGREES = ("slope", "tilt", "flap", "pelvis_turn", "pelvis_drop")
WAYS = {"back": (-1, 0), "forward": (1, 0), "left": (0, 1), "right": (0, -1)}


class PendulumPanel:
    """A walker in closed form, drawn to the left of the simulated one.

    Attributes:
        companion: the walker and what was asked of it.
    """

    def __init__(self, context: Context) -> None:
        self._context, self._session, self._gui, self._scene = context, context.session, context.gui, context.scene
        self.companion, self._pendulum = context.companion, context.companion.pendulum
        gui = context.gui
        self._view: WalkerView | None = None
        self._viewed: Skeleton | None = None
        self._on = gui.add_checkbox("Walk beside the biped", False)
        context.when(self._on, self.companion.switch)
        self._note = gui.add_html("")
        self.sliders: dict[str, Slider] = {}
        with gui.add_folder("Walk"):
            self._add(SPEED)
            self._human = gui.add_checkbox(
                "Rhythm as people choose", True, hint="Frequency and double support follow speed"
            )
            self._human.on_update(self._freed(RHYTHM))
            for row in RHYTHM:
                self._add(row, disabled=True)
        with gui.add_folder("Feet"):
            self._width = gui.add_dropdown("Step width", WIDTHS, WIDTHS[0])
            self._width.on_update(self._width_chosen)
            self._add(WIDTH, disabled=True)
            self._follows = gui.add_checkbox(
                "Pressure follows speed", True, hint="Where the centre of pressure is in single support, from the heel"
            )
            self._follows.on_update(self._freed(PRESSURE))
            for row in PRESSURE:
                self._add(row, disabled=True)
        with gui.add_folder("Ground, force and style"):
            for row in STYLE:
                self._add(row)
        with gui.add_folder("Body"):
            self._height = gui.add_slider("Height (m)", 0.8, 2.4, 0.05, 1.7)
            self._mass = gui.add_slider("Mass (kg)", 20.0, 150.0, 1.0, 70.0)
            for slider in (self._height, self._mass):
                context.when(slider, self._resize, "3LP size")
        with gui.add_folder("Push and turn"):
            self._force = gui.add_slider("Force (N)", 0.0, 300.0, 5.0, 60.0)
            self._begin = gui.add_slider("From (% of step)", 0.0, 95.0, 5.0, 0.0)
            self._end = gui.add_slider("Until (% of step)", 5.0, 100.0, 5.0, 60.0)
            self._push = gui.add_button_group("Push", tuple(WAYS))
            context.when(self._push, self._push_within_a_step)
            self._turn = gui.add_slider("Turn (° a step)", -25.0, 25.0, 1.0, 0.0, hint="To the left, with each step")
            context.when(self._turn, lambda degrees: self._pendulum.turn_by(math.radians(degrees)))
        context.session.events.on(Drawn, lambda _: self._draw())

    def _add(self, row: Row, *, disabled: bool = False) -> None:
        name, label, low, high, step, start = row
        slider = self._gui.add_slider(label, low, high, step, start, disabled=disabled)
        names = [row[0] for row in PRESSURE] if name in ("cop_start", "cop_end") else [name]
        self._context.when(slider, lambda _: self._pendulum.ask(**{n: self._value(n) for n in names}), f"3LP {name}")
        self.sliders[name] = slider

    # -- changes ---------------------------------------------------------------------------------------------------

    def _value(self, name: str) -> float:
        """What a slider says, in the walk's units."""
        value = float(self.sliders[name].value)
        if name == "drag":
            return value / 100.0 * 9.81 * float(self._mass.value)
        return math.radians(value) if name in DEGREES else value

    def _freed(self, rows: tuple[Row, ...]) -> Callable[[Event], None]:
        """A box that ties these sliders to what people do."""

        def ticked(event: Event) -> None:
            tied = bool(event.value)
            for name, *_ in rows:
                self.sliders[name].disabled = tied
            self._session.act(lambda: self._pendulum.ask(**{n: None if tied else self._value(n) for n, *_ in rows}))

        return ticked

    def _width_chosen(self, event: Event) -> None:
        word = event.value
        self.sliders["step_width"].disabled = word != WIDTHS[2]
        choices = {WIDTHS[0]: None, WIDTHS[1]: LEAST_HIP_TORQUE}
        self._session.act(
            lambda: self._pendulum.ask(step_width=choices[word] if word in choices else self._value("step_width"))
        )

    def _resize(self, _: Any) -> None:
        self._pendulum.resize(float(self._height.value), float(self._mass.value), self._value("drag"))

    def _push_within_a_step(self, way: str) -> None:
        x, y = WAYS[way]
        force, begin, end = (float(s.value) for s in (self._force, self._begin, self._end))
        if self.companion.walker is not None:
            self.companion.walker.push_within_a_step(force * x, force * y, begin / 100.0, end / 100.0)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        """Draw it (in the simulation's thread)."""
        walker = self.companion.walker
        skeleton = None if walker is None else walker.skeleton
        if skeleton is not self._viewed:
            if self._view is not None:
                self._view.remove()
            self._viewed = skeleton
            self._view = None if skeleton is None else WalkerView(self._scene, "pendulum", skeleton)
        html = ""
        if walker is not None and self._view is not None:
            position, wxyz = walker.pose()
            self._view.move(position + ASIDE, wxyz)
            gait = walker.walkers.gait
            state = "stepped farther than its leg allows: it fell" if walker.fell else "walks"
            html = small(
                f"step {float(gait.step_length[0]):.2f} m long, {float(gait.step_width[0]):.2f} m wide, "
                f"{1 / float(np.asarray(gait.stride.duration).reshape(-1)[0]):.2f} a second; {state}",
                "3lp",
            )
        self._note.content = html
