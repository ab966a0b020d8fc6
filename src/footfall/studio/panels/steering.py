"""Steer a spatial walker: heading; of one that is balanced step by step also speed and posture."""

import math
from typing import Any

from footfall.studio.core.geometry.heading import facing
from footfall.studio.core.session.events import DriveChanged, WorldChanged
from footfall.studio.core.session.frames import Frame
from footfall.studio.core.worlds.drive import MOST_TURN, POSTURES, SPEEDS
from footfall.studio.panels.context import Context, Ticked, small
from footfall.studio.widgets.controls import Slider

TURNS = {"30° left": math.radians(30.0), "Straight": 0.0, "30° right": -math.radians(30.0)}
LABELS = {
    "bent-knee": "Bent knees",
    "bent-over": "Bent over",
    "duck": "Duck",
    "stride-rate": "Slower strides",
}


class SteerPanel:
    """Where it goes, how fast, and how it carries itself."""

    def __init__(self, context: Context) -> None:
        self._session, self._steering = context.session, context.steering
        steering = context.steering
        gui = context.gui
        self._folders = [gui.add_folder("Heading")]
        with self._folders[0]:
            self._turn = gui.add_button_group("Turn", tuple(TURNS))
            context.when(self._turn, lambda words: steering.turn(TURNS[words]))
            self._heading = gui.add_slider(
                "Heading (°)",
                -180.0,
                180.0,
                5.0,
                0.0,
                hint="It turns there and holds it; 0 is the way it faced at the start",
            )
            context.when(self._heading, lambda degrees: steering.hold_heading(math.radians(degrees)))
            self._circle = gui.add_slider(
                "Steady turn (°)",
                -MOST_TURN,
                MOST_TURN,
                1.0,
                0.0,
                hint="Degrees of hip yaw with each step, to the left",
            )
            context.when(self._circle, steering.circle)
            self._note = gui.add_html("")
        self._folders.append(gui.add_folder("Speed"))
        with self._folders[1]:
            self._controlled = gui.add_checkbox(
                "Hold a speed",
                False,
                hint="Q_d, the lean that each step aims at, follows the length of the last step (Laszlo, section 5.1)",
            )
            self._speed = gui.add_slider("Walking speed (m/s)", SPEEDS[0], SPEEDS[-1], 0.01, 0.75)
            context.when(self._controlled, self._paced)
            context.when(self._speed, self._paced)
        self._folders.append(gui.add_folder("Posture"))
        self._postures: dict[str, Slider] = {}
        with self._folders[2]:
            for name, steps in POSTURES.items():
                low, high = (-1.0, 0.6) if name == "stride-rate" else (0.0, 1.0)
                hint = f"It takes {steps:g} steps to come"
                slider = gui.add_slider(LABELS[name], low, high, 0.05, 0.0, hint=hint)
                context.when(slider, self._posed)
                self._postures[name] = slider
        events = self._session.events
        events.on(WorldChanged, lambda _: self._rebuild())
        events.on(DriveChanged, lambda _: self._refresh())
        events.on(Ticked, lambda event: self._tick(event.frame))
        self._rebuild()

    # -- what is turned and pressed --------------------------------------------------------------------------------

    def _paced(self, _: Any) -> None:
        self._steering.drive(speed=float(self._speed.value) if self._controlled.value else None)

    def _posed(self, _: Any) -> None:
        self._steering.drive(postures={name: float(slider.value) for name, slider in self._postures.items()})

    # -- what is shown ---------------------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        """Another world."""
        can, balance = self._session.world.can, self._session.world.balance
        self._folders[0].visible = can.balance or can.turn
        self._circle.visible = can.balance
        for folder in self._folders[1:]:
            folder.visible = can.balance
        self._turn.visible = can.turn
        self._heading.disabled = self._circle.disabled = not can.turn
        for name, slider in self._postures.items():
            slider.disabled = balance is None or name not in balance.changes
        self._refresh()

    def _refresh(self) -> None:
        """Show what is asked for."""
        balance = self._session.world.balance
        self._heading.value = round(math.degrees(math.remainder(self._steering.heading or 0.0, 2.0 * math.pi)))
        if balance is None:
            return
        drive = balance.drive
        self._circle.value = drive.turn
        self._controlled.value, self._controlled.disabled = (
            drive.speed is not None,
            not drive.can_hold_speed(balance.figure),
        )
        self._speed.disabled = drive.speed is None
        if drive.speed is not None:
            self._speed.value = drive.speed
        for name, slider in self._postures.items():
            slider.value = drive.postures.get(name, 0.0)

    def _tick(self, frame: Frame) -> None:
        """Show where it heads at the moment that is shown."""
        balance, steering = self._session.world.balance, self._steering
        if balance is None and not steering.can_turn:
            return
        points, reached, heading = steering.points, steering.reached, steering.heading
        if not steering.can_turn:
            doing = "turning needs the human's joints and six states"
        elif points and reached < len(points):
            doing = f"on the way to point {reached + 1}"
        elif points:
            doing = "walked its path, and goes straight on"
        elif heading is not None:
            doing = f"holds {math.degrees(math.remainder(heading, 2.0 * math.pi)):.0f}°"
        elif balance is None:
            doing = "holds the heading that it began with"
        else:
            doing = "turns steadily" if balance.drive.turn else "goes where its steps take it"
        self._note.content = small(f"Faces {math.degrees(facing(frame.qpos)):.0f}°; {doing}.", "heading")
