"""Steer a spatial walker: heading; of one that is balanced step by step also speed and posture.

Switch to other gaits or styles, faster and slower; where a controller cannot be steered it says so.

Push it: how hard, for how long, and which way.

A path on the ground, point by point with the mouse; a spatial walker and the 3LP walker follow it.
"""

import html
import math
import time
from functools import partial
from typing import Any

import numpy as np

from footfall.control.kind import Controller
from footfall.studio.core.background import (
    DocumentChanged,
    DriveChanged,
    LibraryChanged,
    NumbersChanged,
    TasksChanged,
    WorldChanged,
)
from footfall.studio.core.drive import MOST_TURN, POSTURES, REACH, SPEEDS
from footfall.studio.core.frames import Moment
from footfall.studio.core.geometry import ground_hit, heading_of
from footfall.studio.core.library import thumbnail
from footfall.studio.core.session import THIS, begin_gait
from footfall.studio.core.steering import TURNING
from footfall.studio.core.world import World
from footfall.studio.messages import Click
from footfall.studio.panels.context import Context, Ticked, small
from footfall.studio.scene import PathView
from footfall.studio.widgets import Button, Event, Folder, Slider
from footfall.study.adaptation.fitting import sketch_names

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

    def _tick(self, frame: Moment) -> None:
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
        self._note.content = small(f"Faces {math.degrees(heading_of(frame.qpos)):.0f}°; {doing}.", "heading")


SKETCHES = "Sketches are rough gaits; most fall until Find a gait under Stress, or you, have worked on them"
TOGETHER, BETWEEN = 12, 0.1
"""Pictures that are shown at once, and seconds before the next, so that the walk goes on beside."""
KEYS = 9
"""Gaits that have a key."""


class GaitPanel:
    """Gaits and speed of walkers that limit-cycle control does not balance."""

    def __init__(self, context: Context, panel: Folder) -> None:
        self._context, self._panel, self._pictured = context, panel, dict[str, Controller]()
        self._session, self._steering, self._gui = context.session, context.steering, context.gui
        gui = context.gui
        names, chosen, groups = self._choice()
        self._controller = gui.add_dropdown(
            "Controller",
            names,
            chosen,
            groups=groups,
            hint="Begins anew; gaits take over while it walks",
        )
        self._controller.on_update(self._chosen)
        self._gaits = gui.add_folder("Gaits")
        self._buttons: dict[str, Button] = {}
        with self._gaits:
            self._note = gui.add_html("")
        self._plain = gui.add_folder("Speed and heading")
        with self._plain:
            self._speed = gui.add_slider(
                "Walking speed (m/s)",
                *self._steering.speeds,
                0.05,
                max(0.0, self._steering.speeds[0]),
                hint="SIMBICON subtracts it from v in its balance feedback; on a motion graph it chooses steps",
            )
            context.when(self._speed, self._steering.set_speed, "speed")
            self._missing = gui.add_note("")
        with gui.add_folder("Controllers in pictures", is_open=False):
            gui.add_note("The poses that each asks for. Choosing one begins anew, as above.")
            self._gallery = gui.add_gallery("Controllers", names, chosen, groups)
        self._gallery.on_update(self._chosen)
        with gui.add_folder("New gait", is_open=False):
            self._sketch = gui.add_dropdown("Begin from", (THIS, *sketch_names()), THIS, hint=SKETCHES)
            self._name = gui.add_text("Name", "my-gait", hint="Lower-case letters, digits and hyphens")
            begin = gui.add_button("Begin", hint="Saves it in the studio's folder and walks under it")
            context.when(begin, self._begin)
        events = self._session.events
        events.on(WorldChanged, lambda _: self._rebuild())
        events.on(DocumentChanged, lambda _: self._choose())
        events.on(LibraryChanged, lambda _: self._choose())
        events.on(NumbersChanged, lambda _: self._refresh())
        events.on(DriveChanged, lambda _: self._refresh())
        events.on(TasksChanged, lambda _: self._choose() if not self._session.tasks else None)
        events.on(Ticked, lambda _: self._tick())
        self._rebuild()

    def _choice(self) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
        """The controllers, the one being edited, and the group of each."""
        library = self._session.library
        names = sorted(library.names, key=library.group)
        return tuple(names), self._session.document.name, tuple(library.group(name) for name in names)

    def _chosen(self, event: Event) -> None:
        if event.value != self._session.document.name:
            self._session.open(event.value)

    def _draw_pictures(self) -> None:
        """Draw those controllers that were read and have no picture yet, beside the walk."""
        library = self._session.library
        new = {n: d.saved for n, d in library.documents.items() if self._pictured.get(n) is not d.saved}
        self._pictured |= new

        def draw() -> None:
            names = tuple(new)
            for k in range(0, len(names), TOGETHER):
                drawn = {name: thumbnail(new[name]) for name in names[k : k + TOGETHER]}
                self._gallery.pictures = self._gallery.pictures | drawn
                time.sleep(BETWEEN)

        if new:
            self._session.in_background("pictures", draw, lambda _: None)

    def _begin(self, _: Any) -> None:
        begin_gait(self._session, self._sketch.value, self._name.value.strip())

    def _choose(self) -> None:
        """Other controllers can be chosen, or another one drives."""
        names, chosen, groups = self._choice()
        for control in (self._controller, self._gallery):
            control.offer(names, groups)
            control.value = chosen
        self._refresh()

    def _rebuild(self) -> None:
        """Another world: a button for each of its gaits."""
        world, steering = self._session.world, self._steering
        for button in self._buttons.values():
            button.remove()
        self._buttons = {}
        self._gaits.visible = self._plain.visible = not world.can.balance
        with self._gaits:
            for i, name in enumerate(world.gaits):
                button = self._gui.add_button(name, hint=f"Switch to {name}" + (f" (key {i + 1})" if i < KEYS else ""))
                self._context.when(button, partial(self._request, name))
                self._buttons[name] = button
        missing = [word for word, can in (("take a speed", world.can.speed), ("turn", world.can.turn)) if not can]
        self._missing.write(f"*This walker cannot {' or '.join(missing)}; {TURNING} can.*" if missing else "")
        self._missing.visible = bool(missing)
        self._speed.visible = world.can.speed
        self._speed.min, self._speed.max = steering.speeds
        if not world.can.switch:
            self._note.content = small("This controller cannot switch to another one while it walks.")
        self._refresh()

    def _refresh(self) -> None:
        """Another controller drives, or at another speed."""
        session = self._session
        for name, button in self._buttons.items():
            button.on = name == session.world.gait
        speed = self._steering.speed
        self._speed.disabled = speed is None
        if speed is not None:
            self._speed.value = speed

    def _request(self, name: str, _: Any) -> None:
        self._steering.request(name)

    def _tick(self) -> None:
        """Show what was asked for, and what is known of the transition."""
        if self._gui.watched(self._panel):
            self._draw_pictures()
        world = self._session.world
        if not world.can.switch and not world.clip:
            return
        wanted, now = world.requested(), world.gait
        if world.clip:
            text = small(
                f"Steps of style <b>{html.escape(now)}</b>; this one is of {html.escape(world.clip)}. Another "
                "style or speed comes with the next step that can be chosen.",
                "steps",
            )
        elif wanted is None:
            text = small(
                f"Driven by <b>{html.escape(now)}</b>. Another gait takes over when a state ends, at the state "
                "of the same number and stance foot."
            )
        else:
            text = small(f"<b>{html.escape(wanted)}</b> waits for the end of a state. {_known(world, now, wanted)}")
        self._note.content = text


def _known(world: World, source: str, target: str) -> str:
    """What controller files record of a transition."""
    known = world.known_transition(source, target)
    return f"Known: {html.escape(known[:120])}." if known else "It is not recorded how safe this transition is."


WAYS = {"back": (-1, 0), "forward": (1, 0), "up": (0, 1), "down": (0, -1), "left": (0, 1), "right": (0, -1)}
"""Forward, and up on a planar figure or else to the left."""


class PushPanel:
    """Pushes at the torso."""

    def __init__(self, context: Context) -> None:
        self._session, self._steering = context.session, context.steering
        gui = context.gui
        self._planar = gui.add_button_group("Push", ("back", "forward", "up", "down"), hint="Keys J, L, I, K")
        self._spatial = gui.add_button_group("Push", ("back", "forward", "left", "right"), hint="Keys J, L, I, K")
        for group in (self._planar, self._spatial):
            group.on_update(self._pushed)
        self.force = gui.add_slider("Force (N)", 0, 1000, 10, self._steering.force)
        self._duration = gui.add_slider("Duration (s)", 0.02, 1.0, 0.02, self._steering.duration)
        for slider in (self.force, self._duration):
            slider.on_update(self._set_push)
        gui.add_note("Or drag a part of the walker: a spring pulls it to where you point.")
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another figure: pushes in its plane, or all round."""
        planar = self._session.planar
        self._planar.visible, self._spatial.visible = planar, not planar

    def _set_push(self, _: Event) -> None:
        self._steering.force, self._steering.duration = float(self.force.value), float(self._duration.value)

    def _pushed(self, event: Event) -> None:
        x, y = WAYS[event.value]
        self._session.act(lambda: self._steering.push(x, y))


class PathPanel:
    """Points to walk to.

    Attributes:
        mode: the check box that lets clicks add points.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        gui = context.gui
        self._view = PathView(context.scene)
        with gui.add_folder("Path"):
            self.mode = gui.add_checkbox("Click the ground to add points", False)
            self.mode.on_update(self._switched)
            self._buttons = gui.add_button_group("Points", ("Clear", "Remove the last"))
            self._buttons.on_update(self._pressed)
            self._note = gui.add_html("")
        context.session.events.on(Ticked, lambda _: self._tick())

    def _switched(self, event: Event) -> None:
        self._context.bar(clicks=bool(event.value))

    def clicked(self, click: Click) -> None:
        """Somebody clicked into the scene: in path mode that adds a point."""
        if not self.mode.value:
            return
        session = self._context.session

        def add() -> None:
            hit = ground_hit(session.world.simulation.terrains[0], np.array(click.start), np.array(click.along))
            if hit is not None:
                self._context.steering.add_point(float(hit[0]), float(hit[1]))

        session.act(add)

    def _pressed(self, event: Event) -> None:
        steering, last = self._context.steering, event.value != "Clear"
        self._context.session.act(lambda: steering.set_path(steering.points[:-1] if last else ()))

    def _tick(self) -> None:
        """Draw the path and show how far it is walked."""
        context, steering = self._context, self._context.steering
        points, reached = steering.points, steering.reached
        self._view.show(points, reached, context.session.world.simulation.terrains[0], REACH)
        if points:
            text = f"{reached} of {len(points)} points reached."
        elif steering.can_turn or context.companion.walker is not None:
            text = "No points yet."
        else:
            text = f"Points are for walkers that turn: {TURNING}."
        self._note.content = small(text, "path")
