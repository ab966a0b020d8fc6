"""Push it, switch its gait, steer it, let it follow a path, balance it: what is asked of the walker while it walks."""

import math
import time
from functools import partial
from typing import Any

import numpy as np

from footfall.control.kind import Controller
from footfall.escaping import markup
from footfall.methods.limit_cycle.perturbation import has_waist
from footfall.studio.core.background import DocumentChanged, LibraryChanged, TasksChanged, WorldChanged
from footfall.studio.core.balanced_world import BalancedWorld
from footfall.studio.core.drawings import step_plot
from footfall.studio.core.drive import (
    MOST_TURN,
    POSTURES,
    REACH,
    SAMPLINGS,
    SPEEDS,
    VECTORS,
    BalanceDrive,
    usual_target,
)
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
from footfall.study.trials.starts import sketch_names

WAYS = {"back": (-1, 0), "forward": (1, 0), "up": (0, 1), "down": (0, -1), "left": (0, 1), "right": (0, -1)}
"""Forward, and up on a planar figure or else to the left."""
TURNS = {"30° left": math.radians(30.0), "Straight": 0.0, "30° right": -math.radians(30.0)}
LABELS = {"bent-knee": "Bent knees", "bent-over": "Bent over", "duck": "Duck", "stride-rate": "Slower strides"}
SKETCHES = "Sketches are rough gaits; most fall until Find a gait under Stress, or you, have worked on them"
TOGETHER, BETWEEN = 12, 0.1
"""Pictures that are shown at once, and seconds before the next, so that the walk goes on beside."""
KEYS = 9
"""Gaits that have a key."""


class PushPanel:
    """Pushes at the torso: how hard, for how long, and which way."""

    def __init__(self, context: Context) -> None:
        steering, gui = context.steering, context.gui

        def shown(planar: bool) -> bool:
            return context.session.planar == planar

        for planar, ways in ((True, ("back", "forward", "up", "down")), (False, ("back", "forward", "left", "right"))):
            context.bind(
                gui.add_button_group("Push", ways, hint="Keys J, L, I, K"),
                lambda way: steering.push(*WAYS[way]),
                visible=partial(shown, planar),
            )
        self.force = gui.add_slider("Force (N)", 0, 1000, 10, steering.force)
        self._duration = gui.add_slider("Duration (s)", 0.02, 1.0, 0.02, steering.duration)
        self.force.on_update(lambda event: setattr(steering, "force", float(event.value)))
        self._duration.on_update(lambda event: setattr(steering, "duration", float(event.value)))
        gui.add_note("Or drag a part of the walker: a spring pulls it to where you point.")


class SteerPanel:
    """Where it goes, how fast, and how it carries itself."""

    def __init__(self, context: Context) -> None:
        self._session, self._steering = context.session, context.steering
        steering, gui, bind = context.steering, context.gui, context.bind

        def world() -> World:
            return self._session.world

        def drive() -> BalanceDrive:
            balance = world().balance
            return BalanceDrive() if balance is None else balance.drive

        self._folders = [bind(gui.add_folder("Heading"), visible=lambda: world().can.balance or world().can.turn)]
        with self._folders[0]:
            self._turn = bind(
                gui.add_button_group("Turn", tuple(TURNS)),
                lambda words: steering.turn(TURNS[words]),
                visible=lambda: world().can.turn,
            )
            hint = "It turns there and holds it; 0 is the way it faced at the start"
            self._heading = bind(
                gui.add_slider("Heading (°)", -180.0, 180.0, 5.0, 0.0, hint=hint),
                lambda degrees: steering.hold_heading(math.radians(degrees)),
                value=lambda: round(math.degrees(math.remainder(steering.heading or 0.0, 2.0 * math.pi))),
                disabled=lambda: not world().can.turn,
            )
            hint = "Degrees of hip yaw with each step, to the left"
            bind(
                gui.add_slider("Steady turn (°)", -MOST_TURN, MOST_TURN, 1.0, 0.0, hint=hint),
                steering.circle,
                value=lambda: drive().turn,
                visible=lambda: world().can.balance,
                disabled=lambda: not world().can.turn,
            )
            self._note = gui.add_html("")
        self._folders.append(bind(gui.add_folder("Speed"), visible=lambda: world().can.balance))
        with self._folders[1]:
            hint = "Q_d, the lean that each step aims at, follows the length of the last step (Laszlo, section 5.1)"
            held = bind(
                gui.add_checkbox("Hold a speed", False, hint=hint),
                lambda _: paced(),
                value=lambda: drive().speed is not None,
                disabled=lambda: not drive().can_hold_speed(world().figure),
            )
            speed = bind(
                gui.add_slider("Walking speed (m/s)", SPEEDS[0], SPEEDS[-1], 0.01, 0.75),
                lambda _: paced(),
                value=lambda: drive().speed,
                disabled=lambda: drive().speed is None,
            )
        self._folders.append(bind(gui.add_folder("Posture"), visible=lambda: world().can.balance))
        with self._folders[2]:
            self._postures: dict[str, Slider] = {}
            for name, steps in POSTURES.items():
                low, high = (-1.0, 0.6) if name == "stride-rate" else (0.0, 1.0)
                self._postures[name] = bind(
                    gui.add_slider(LABELS[name], low, high, 0.05, 0.0, hint=f"It takes {steps:g} steps to come"),
                    lambda _: steering.drive(postures={n: float(s.value) for n, s in self._postures.items()}),
                    value=partial(lambda name: drive().postures.get(name, 0.0), name),
                    disabled=partial(lambda name: (now := world().balance) is None or name not in now.changes, name),
                )

        def paced() -> None:
            steering.drive(speed=float(speed.value) if held.value else None)

        self._session.events.on(Ticked, lambda event: self._tick(event.frame))

    def _tick(self, frame: Moment) -> None:
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


class GaitPanel:
    """Gaits or styles and speed of walkers that limit-cycle control does not balance; where a controller cannot be
    steered it says so."""

    def __init__(self, context: Context, panel: Folder) -> None:
        self._context, self._panel, self._pictured = context, panel, dict[str, Controller]()
        self._session, self._steering, self._gui = context.session, context.steering, context.gui
        gui, bind, steering = context.gui, context.bind, context.steering
        names, chosen, groups = self._choice()
        hint = "Begins anew; gaits take over while it walks"
        self._controller = gui.add_dropdown("Controller", names, chosen, groups=groups, hint=hint)
        self._controller.on_update(self._chosen)

        def unbalanced() -> bool:
            return not self._session.world.can.balance

        self._gaits = bind(gui.add_folder("Gaits"), visible=unbalanced)
        self._buttons: dict[str, Button] = {}
        with self._gaits:
            self._note = gui.add_html("")
        with bind(gui.add_folder("Speed and heading"), visible=unbalanced):
            hint = "As it walks; another one is found over some steps. On a motion graph it chooses steps"
            self._speed = bind(
                gui.add_slider(
                    "Walking speed (m/s)", *steering.speeds, 0.05, max(0.0, steering.speeds[0]), near=0.5, hint=hint
                ),
                steering.set_speed,
                "speed",
                visible=lambda: self._session.world.can.speed,
                min=lambda: steering.speeds[0],
                max=lambda: steering.speeds[1],
                disabled=lambda: steering.speed is None,
                value=lambda: steering.pace.shown,
            )
            self._missing = gui.add_note("")
        with gui.add_folder("Controllers in pictures", is_open=False):
            gui.add_note("The poses that each asks for. Choosing one begins anew, as above.")
            self._gallery = gui.add_gallery("Controllers", names, chosen, groups)
        self._gallery.on_update(self._chosen)
        with gui.add_folder("New gait", is_open=False):
            sketch = gui.add_dropdown("Begin from", (THIS, *sketch_names()), THIS, hint=SKETCHES)
            name = gui.add_text("Name", "my-gait", hint="Lower-case letters, digits and hyphens")
            begin = gui.add_button("Begin", hint="Saves it in the studio's folder and walks under it")
            bind(begin, lambda _: begin_gait(self._session, sketch.value, name.value.strip()))
        events = self._session.events
        events.on(WorldChanged, lambda _: self._rebuild())
        events.on(DocumentChanged, lambda _: self._choose())
        events.on(LibraryChanged, lambda _: self._choose())
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

    def _choose(self) -> None:
        """Other controllers can be chosen, or another one drives."""
        names, chosen, groups = self._choice()
        for control in (self._controller, self._gallery):
            control.offer(names, groups)
            control.value = chosen

    def _rebuild(self) -> None:
        """Another world: a button for each of its gaits."""
        world = self._session.world
        for button in self._buttons.values():
            button.remove()
        self._buttons = {}
        with self._gaits:
            for i, name in enumerate(world.gaits):
                button = self._gui.add_button(name, hint=f"Switch to {name}" + (f" (key {i + 1})" if i < KEYS else ""))
                self._buttons[name] = self._context.bind(
                    button,
                    partial(lambda name, _: self._steering.request(name), name),
                    on=partial(lambda name: name == self._session.world.gait, name),
                )
        missing = [word for word, can in (("take a speed", world.can.speed), ("turn", world.can.turn)) if not can]
        self._missing.write(f"*This walker cannot {' or '.join(missing)}; {TURNING} can.*" if missing else "")
        self._missing.visible = bool(missing)
        if not world.can.switch:
            self._note.content = small("This controller cannot switch to another one while it walks.")

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
                f"Steps of style <b>{markup(now)}</b>; this one is of {markup(world.clip)}. Another "
                "style or speed comes with the next step that can be chosen.",
                "steps",
            )
        elif wanted is None:
            text = small(
                f"Driven by <b>{markup(now)}</b>. Another gait takes over when a state ends, at the state "
                "of the same number and stance foot."
            )
        else:
            known = markup(world.known_transition(now, wanted)[:120])
            about = f"Known: {known}." if known else "It is not recorded how safe this transition is."
            text = small(f"<b>{markup(wanted)}</b> waits for the end of a state. {about}")
        self._note.content = text


class PathPanel:
    """A path on the ground, point by point with the mouse; a spatial walker and the 3LP walker follow it.

    Attributes:
        mode: the check box that lets clicks add points.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        gui, steering = context.gui, context.steering
        self._view = PathView(context.scene)
        with gui.add_folder("Path"):
            self.mode = gui.add_checkbox("Click the ground to add points", False)
            self.mode.on_update(lambda event: context.bar(clicks=bool(event.value)))
            context.bind(
                gui.add_button_group("Points", ("Clear", "Remove the last")),
                lambda word: steering.set_path(() if word == "Clear" else steering.points[:-1]),
            )
            self._note = gui.add_html("")
        context.session.events.on(Ticked, lambda _: self._tick())

    def clicked(self, click: Click) -> None:
        """Somebody clicked into the scene: in path mode that adds a point."""
        session = self._context.session

        def add() -> None:
            hit = ground_hit(session.world.simulation.terrains[0], np.array(click.start), np.array(click.along))
            if hit is not None:
                self._context.steering.add_point(float(hit[0]), float(hit[1]))

        if self.mode.value:
            session.act(add)

    def _tick(self) -> None:
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


OTHER = (
    "*This controller's law keeps its balance. Steps are balanced one by one for human-walk, human-12-walk and "
    "bird-run, and for servo controllers of your own for spatial figures.*"
)
TRACKED = "*This walker follows captured motion. Its gains under Edit keep its balance.*"
HOW = {
    "F-L": "forward first (F-L)",
    "L-F": "lateral first (L-F)",
    "SP": "each on its own (SP)",
    "jacobian": "coupled (Jacobian)",
}
"""The samplings of the thesis, for people to read."""
WHAT = {"up": "torso's lean (up)", "pelvis-up": "pelvis's lean (pelvis-up)", "swing-com": "foot to COM (swing-com)"}
LEAN = "Q_d: the lean that each step aims at. More leans further ahead, and walks faster"
assert set(HOW) == set(SAMPLINGS)
assert set(WHAT) == set(VECTORS)


class BalancePanel:
    """Limit-cycle balance (Laszlo, 1996): what is regulated, sampled how, and how well every step met its target."""

    def __init__(self, context: Context) -> None:
        self._session, self._steering = context.session, context.steering
        gui, bind, steering = context.gui, context.bind, context.steering

        def balance() -> BalancedWorld | None:
            return self._session.world.balance

        def of_drive(ask: Any) -> Any:
            """What is asked of the drive; None without one."""
            return lambda: None if (now := balance()) is None else ask(now.drive)

        def balanced() -> bool:
            return balance() is not None

        self._other = bind(gui.add_note(OTHER), visible=lambda: balance() is None)
        self._folder = bind(gui.add_folder("Limit-cycle control"), visible=balanced)
        with self._folder:
            hint = "Without it the base graph falls after a few steps"
            bind(
                gui.add_checkbox("Balance every step", True, hint=hint),
                lambda on: steering.drive(balanced=on),
                value=of_drive(lambda drive: drive.balanced),
            )
            hint = "A servo holds it against the world (Laszlo, section 3.8)"
            bind(
                gui.add_checkbox("Hold the torso upright", True, hint=hint),
                self._hold,
                value=of_drive(lambda drive: drive.servo),
                disabled=lambda: not has_waist(self._session.world.figure),
            )
            hint = "Which hip perturbations are tried before each step, one after the other or both at once"
            bind(
                gui.add_dropdown("Sampling", tuple(HOW.values()), HOW[SAMPLINGS[0]], hint=hint),
                lambda words: steering.drive(sampling=next(name for name, how in HOW.items() if how == words)),
                value=of_drive(lambda drive: HOW[drive.sampling]),
            )
            for part, way in enumerate(("Forward", "Lateral")):
                hint = f"Q: what is measured at the end of each step, {way.lower()}"
                bind(
                    gui.add_dropdown(f"{way} variable", tuple(WHAT.values()), WHAT[VECTORS[0]], hint=hint),
                    partial(self._choose, part),
                    value=of_drive(lambda drive, part=part: WHAT[(drive.forward, drive.lateral)[part]]),
                )
            targets = (
                gui.add_slider("Forward target", -0.2, 0.5, 0.01, 0.3, hint=LEAN),
                gui.add_slider("Lateral target", -0.1, 0.1, 0.005, 0.0, hint="Q_d to the side"),
            )
            for part, slider in enumerate(targets):
                bind(
                    slider,
                    lambda _: steering.drive(targets=tuple(float(one.value) for one in targets)),
                    value=of_drive(lambda drive, s=slider, part=part: min(max(drive.aim[part], s.min), s.max)),
                    disabled=of_drive(lambda drive, part=part: part == 0 and drive.speed is not None),
                )
        self._note, self._plot = (bind(gui.add_html(""), visible=balanced) for _ in range(2))
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._session.events.on(Ticked, lambda _: self._tick())
        self._rebuild()

    def _hold(self, held: bool) -> None:
        """The torso's own uprightness says nothing once it is held; the pelvis's takes its place, and back."""
        balance = self._session.world.balance
        if balance is not None:
            swap = {"up": "pelvis-up"} if held else {"pelvis-up": "up"}
            vectors = [swap.get(v, v) for v in (balance.drive.forward, balance.drive.lateral)]
            self._steering.drive(servo=held, **self._with_vectors(balance, vectors))

    def _choose(self, part: int, words: str) -> None:
        balance = self._session.world.balance
        if balance is not None:
            vectors = [balance.drive.forward, balance.drive.lateral]
            vectors[part] = next(name for name, what in WHAT.items() if what == words)
            self._steering.drive(**self._with_vectors(balance, vectors))

    def _with_vectors(self, balance: BalancedWorld, vectors: list[str]) -> dict[str, Any]:
        """Other variables, each with a target at which it walks."""
        before = (balance.drive.forward, balance.drive.lateral)
        targets = tuple(
            old if was == now else usual_target(balance.figure, now, part)
            for part, (old, was, now) in enumerate(zip(balance.drive.targets, before, vectors, strict=True))
        )
        return {"forward": vectors[0], "lateral": vectors[1], "targets": targets, "speed": None}

    def _rebuild(self) -> None:
        self._other.write(TRACKED if self._session.world.can.follow else OTHER)

    def _tick(self) -> None:
        balance = self._session.world.balance
        if balance is None:
            return
        names = (f"{balance.drive.forward} forward", f"{balance.drive.lateral} lateral")
        self._plot.content = step_plot(balance.steps, names)
        text = (
            f"Each step is sampled and modelled while the one before is walked: {1e3 * balance.planned:.0f} ms for the "
            f"last one; {balance.late} of {len(balance.steps) + 1} had to wait for it."
        )
        self._note.content = small(text)
