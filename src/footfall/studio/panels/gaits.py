"""Switch to other gaits or styles, faster and slower; where a controller cannot be steered it says so."""

import html
from collections.abc import Callable
from typing import Any

from footfall.studio.core.session.events import DocumentChanged, DriveChanged, NumbersChanged, WorldChanged
from footfall.studio.core.steering.steering import TURNING
from footfall.studio.core.worlds.world import World
from footfall.studio.panels.context import Context, Ticked, small

__all__ = ["GaitPanel"]


class GaitPanel:
    """Gaits and speed of walkers that limit-cycle control does not balance."""

    def __init__(self, context: Context) -> None:
        self._session, self._steering, self._gui = context.session, context.steering, context.gui
        gui = context.gui
        self._gaits = gui.add_folder("Gaits")
        self._buttons: dict[str, Any] = {}
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
            self._speed.on_update(self._speed_changed)
            self._missing = gui.add_markdown("")
        events = self._session.events
        events.on(WorldChanged, lambda _: self._rebuild())
        events.on(DocumentChanged, lambda _: self._refresh())
        events.on(NumbersChanged, lambda _: self._refresh())
        events.on(DriveChanged, lambda _: self._refresh())
        events.on(Ticked, lambda _: self._tick())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another world: a button for each of its gaits."""
        world, steering = self._session.world, self._steering
        for button in self._buttons.values():
            button.remove()
        self._buttons = {}
        self._gaits.visible = self._plain.visible = not world.can.balance
        with self._gaits:
            for i, name in enumerate(world.gaits):
                button = self._gui.add_button(_label(name, i), hint=f"Switch to {name}")
                button.on_click(self._asker(name))
                self._buttons[name] = button
        missing = [word for word, can in (("take a speed", world.can.speed), ("turn", world.can.turn)) if not can]
        self._missing.content = f"*This walker cannot {' or '.join(missing)}; {TURNING} can.*" if missing else ""
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
            colour = "teal" if name == session.world.gait else None
            if button.color != colour:
                button.color = colour
        speed = self._steering.speed
        self._speed.disabled = speed is None
        if speed is not None and self._speed.value != speed:
            self._speed.value = speed

    def _asker(self, name: str) -> Callable[[Any], None]:
        def ask(_: Any) -> None:
            self._session.act(lambda: self._steering.request(name))

        return ask

    def _speed_changed(self, event: Any) -> None:
        if event.client is not None:
            value = float(event.target.value)
            self._session.act(lambda: self._steering.set_speed(value))

    def _tick(self) -> None:
        """Show what was asked for, and what is known of the transition."""
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
        if self._note.content != text:
            self._note.content = text


def _label(name: str, number: int) -> str:
    return f"{name}  ({number + 1})" if number < 9 else name


def _known(world: World, source: str, target: str) -> str:
    """What controller files record of a transition."""
    known = world.known_transition(source, target)
    return f"Known: {html.escape(known[:120])}." if known else "It is not recorded how safe this transition is."
