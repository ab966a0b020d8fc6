"""Steer a balanced walker: heading, speed, posture."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.studio.core.driving import MOST_TURN, POSTURES, SPEEDS, TURNS, fitting

if TYPE_CHECKING:
    from footfall.studio.core.balanced_world import BalancedWorld
    from footfall.studio.studio import Studio

__all__ = ["SteerPanel"]

BY = math.radians(30.0)
LABELS = {
    "bent-knee": "Bent knees",
    "bent-over": "Bent over",
    "duck": "Duck",
    "stride-rate": "Slower strides",
}


class SteerPanel:
    """Where it goes, how fast, and how it carries itself."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        self._folders = [gui.add_folder("Heading")]
        with self._folders[0]:
            self._turn = gui.add_button_group("Turn", ("30° left", "straight on", "30° right"))
            self._turn.on_click(self._turned)
            self._heading = gui.add_slider(
                "Heading (°)", -180.0, 180.0, 5.0, 0.0, hint="It turns there and holds it; 0 is where it started to"
            )
            self._heading.on_update(self._headed)
            self._circle = gui.add_slider(
                "Circle (°)", -MOST_TURN, MOST_TURN, 1.0, 0.0, hint="Degrees of hip yaw, to the left: a steady turn"
            )
            self._circle.on_update(self._circled)
            self._told = gui.add_html("")
        self._folders.append(gui.add_folder("Speed"))
        with self._folders[1]:
            self._controlled = gui.add_checkbox(
                "Hold a speed", False, hint="Q_d follows the length of the last step (paper 002 §5.1)"
            )
            self._speed = gui.add_slider("Speed (m/s)", SPEEDS[0], SPEEDS[-1], 0.01, 0.75)
            self._controlled.on_update(self._paced)
            self._speed.on_update(self._paced)
        self._folders.append(gui.add_folder("Posture"))
        self._postures: dict[str, Any] = {}
        with self._folders[2]:
            for name, steps in POSTURES.items():
                low, high = (-1.0, 0.6) if name == "stride-rate" else (0.0, 1.0)
                hint = f"It comes over {steps:g} steps"
                slider = gui.add_slider(LABELS[name], low, high, 0.05, 0.0, hint=hint)
                slider.on_update(self._posed)
                self._postures[name] = slider

    # -- what is turned and pressed --------------------------------------------------------------------------------

    def _turned(self, event: Any) -> None:
        by = {"30° left": BY, "straight on": 0.0, "30° right": -BY}[event.target.value]
        self._studio.act(lambda: self.turn(by))

    def turn(self, by: float) -> None:
        """Turn left by an angle from where it heads, and hold that."""
        world = self._studio.balanced
        if world is None:
            self._studio.say("No heading", "this walker holds none; the 3LP walker turns, and human-walk")
            return
        heading = world.drive.heading if world.drive.heading is not None and by else facing(world)
        heading = math.remainder(heading + by, 2.0 * math.pi)
        self._studio.layout.path.clear()
        self._studio.drive(heading=heading, turn=0.0)

    def _headed(self, event: Any) -> None:
        if event.client is not None:
            heading = math.radians(float(event.target.value))
            self._studio.act(lambda: self._studio.drive(heading=heading, turn=0.0))

    def _circled(self, event: Any) -> None:
        if event.client is not None:
            turn = float(event.target.value)
            self._studio.act(lambda: self._studio.drive(turn=turn, heading=None))

    def _paced(self, event: Any) -> None:
        if event.client is not None:
            speed = float(self._speed.value) if self._controlled.value else None
            self._studio.act(lambda: self._studio.drive(speed=speed))

    def _posed(self, event: Any) -> None:
        if event.client is not None:
            postures = {name: float(slider.value) for name, slider in self._postures.items()}
            self._studio.act(lambda: self._studio.drive(postures=postures))

    def faster(self, by: float) -> None:
        """Walk faster by about metres a second."""
        world = self._studio.balanced
        assert world is not None
        drive = world.drive
        if drive.speed is not None:
            self._studio.drive(speed=float(np.clip(drive.speed + 0.5 * by, SPEEDS[0], SPEEDS[-1])))
        else:
            forward, lateral = drive.targets
            self._studio.drive(targets=(float(np.clip(forward + 0.1 * by, -0.2, 0.5)), lateral))

    # -- what is shown ---------------------------------------------------------------------------------------------

    def rebuild(self) -> None:
        """Another world."""
        world = self._studio.balanced
        for folder in self._folders:
            folder.visible = world is not None
        if world is None:
            return
        table: Any = world.table
        known = fitting(table)
        for part in (self._turn, self._heading, self._circle):
            part.disabled = not set(TURNS) <= set(known)
        for name, slider in self._postures.items():
            slider.disabled = name not in known
        self.refresh()

    def refresh(self) -> None:
        """Show what is asked for."""
        world = self._studio.balanced
        if world is None:
            return
        drive = world.drive
        self._heading.value = round(math.degrees(drive.heading or 0.0))
        self._circle.value = drive.turn
        self._controlled.value, self._controlled.disabled = (
            drive.speed is not None,
            not drive.can_hold_speed(world.figure),
        )
        self._speed.disabled = drive.speed is None
        if drive.speed is not None:
            self._speed.value = drive.speed
        for name, slider in self._postures.items():
            slider.value = drive.postures.get(name, 0.0)

    def tick(self) -> None:
        """Tell where it heads."""
        world = self._studio.balanced
        if world is None:
            return
        drive, angle = world.drive, math.degrees(facing(world))
        if self._turn.disabled:
            doing = "turning needs the human's joints and six states"
        elif drive.points and world.course.reached < len(drive.points):
            doing = f"on the way to point {world.course.reached + 1}"
        elif drive.heading is not None:
            doing = f"holds {math.degrees(drive.heading):.0f}°"
        else:
            doing = "turns steadily" if drive.turn else "goes where its steps take it"
        text = f"Faces {angle:.0f}°; {doing}."
        content = f"<div data-testid='heading' style='padding:2px 10px;color:#6b7682;font-size:12px'>{text}</div>"
        if self._told.content != content:
            self._told.content = content


def facing(world: "BalancedWorld") -> float:
    """Which way the walker faces, radians from the world's x to its y."""
    w, x, y, z = (float(v) for v in world.state["qpos"][0][3:7])
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
