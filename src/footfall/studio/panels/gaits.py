"""Switch to other gaits or styles, faster and slower; where a controller cannot be steered it says so."""

import html
from collections.abc import Callable
from typing import Any

from footfall.studio.core.session.events import DocumentChanged, DriveChanged, NumbersChanged, WorldChanged
from footfall.studio.core.steering.steering import TURNING
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
            self._told = gui.add_html("")
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
            self._heading = gui.add_markdown("")
        events = self._session.events
        events.on(WorldChanged, lambda _: self._rebuild())
        events.on(DocumentChanged, lambda _: self._refresh())
        events.on(NumbersChanged, lambda _: self._refresh())
        events.on(DriveChanged, lambda _: self._refresh())
        events.on(Ticked, lambda _: self._tick())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another world: a button for each of its gaits."""
        session, world = self._session, self._session.world
        for button in self._buttons.values():
            button.remove()
        self._buttons = {}
        self._gaits.visible = self._plain.visible = session.balanced is None
        with self._gaits:
            for i, name in enumerate(world.gaits):
                button = self._gui.add_button(_label(name, i), hint=f"Switch to {name}")
                button.on_click(self._asker(name))
                self._buttons[name] = button
        self._heading.content = "" if self._steering.can_turn else f"*This walker cannot turn; {TURNING} can.*"
        self._heading.visible = not self._steering.can_turn
        self._speed.min, self._speed.max = self._steering.speeds
        if len(world.gaits) < 2:
            self._told.content = small("This controller cannot switch to another one while it walks.")
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
        """Tell what was asked for, and what is known of going there."""
        world, steered = self._session.world, self._session.steered
        if len(world.gaits) < 2 and steered is None:
            return
        wanted, now = world.requested(), world.gait
        if steered is not None:
            text = small(
                f"Steps of style <b>{html.escape(now)}</b>; this one is of {html.escape(steered.clip)}. Another "
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
        if self._told.content != text:
            self._told.content = text


def _label(name: str, number: int) -> str:
    return f"{name}  ({number + 1})" if number < 9 else name


def _known(world: Any, source: str, target: str) -> str:
    """What controller files tell of a transition."""
    for name in (source, target):
        graph = next((g for g in world.graphs if g.name == name), None)
        known = graph.basin.get("transitions") if graph is not None else None
        if isinstance(known, dict) and (source in known or target in known):
            told = known.get(target if name == source else source)
            return f"Known: {html.escape(str(told)[:120])}."
    return "It is not recorded how safe this transition is."
