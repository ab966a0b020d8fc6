"""Switch to other gaits or styles, faster and slower; where a controller cannot be steered it says so."""

import html
import time
from functools import partial
from typing import Any

from footfall.control.kind import Controller
from footfall.studio.core.session.events import (
    DocumentChanged,
    DriveChanged,
    LibraryChanged,
    NumbersChanged,
    TasksChanged,
    WorldChanged,
)
from footfall.studio.core.session.making import THIS, begin_gait
from footfall.studio.core.session.thumbnails import thumbnail
from footfall.studio.core.steering.steering import TURNING
from footfall.studio.core.worlds.world import World
from footfall.studio.panels.context import Context, Ticked, small
from footfall.studio.widgets.controls import Button, Folder
from footfall.studio.widgets.widget import Event
from footfall.study.adaptation.fitting import sketch_names

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
