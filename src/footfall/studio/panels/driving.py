"""Drive it: go over into other gaits, faster and slower; where a controller cannot be steered it says so."""

import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from footfall.studio.core.editing import with_speed

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["DrivePanel"]


class DrivePanel:
    """Gaits, speed, heading."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        self._gaits = gui.add_folder("Gaits")
        self._buttons: dict[str, Any] = {}
        with self._gaits:
            self._told = gui.add_html("")
        self._plain = gui.add_folder("Speed and heading")
        with self._plain:
            self._speed = gui.add_slider(
                "Speed (m/s)", -2.0, 3.0, 0.05, 0.0, hint="Subtracted from v in the balance feedback (c_v acts on it)"
            )
            self._speed.on_update(self._speed_changed)
            self._heading = gui.add_markdown("")
        self._active = ""

    def rebuild(self) -> None:
        """Another world: a button for each of its controllers."""
        studio, gui = self._studio, self._studio.server.gui
        for button in self._buttons.values():
            button.remove()
        self._buttons = {}
        world = studio.world
        self._gaits.visible = self._plain.visible = studio.balanced is None
        self._active = world.where()[0]
        with self._gaits:
            for i, graph in enumerate(world.graphs):
                key = f"  ({i + 1})" if i < 9 else ""
                button = gui.add_button(f"{graph.name}{key}", color=None if graph.name == self._active else "gray")
                button.on_click(self._asker(graph.name))
                self._buttons[graph.name] = button
        self._speed.value = float(studio.graph.balance.speed)
        self._speed.disabled = studio.graph.law != "simbicon"
        planar = world.figure.root == "planar"
        self._heading.content = (
            "*A planar walker has no heading and follows no path; the 3LP walker (right) turns.*"
            if planar
            else "*This controller holds no heading and follows no path; the 3LP walker (right) turns.*"
        )
        if len(world.graphs) < 2:
            self._told.content = _small("This controller cannot go over into another one while it walks.")

    def _asker(self, name: str) -> Callable[[Any], None]:
        def ask(_: Any) -> None:
            self._studio.act(lambda: self.request(name))

        return ask

    def request(self, name: str) -> None:
        """Ask for a gait; the editor turns to it."""
        world = self._studio.world
        if name == world.where()[0] and world.requested() is None:
            return
        world.request(name)
        self.tick()

    def request_number(self, number: int) -> None:
        """Ask for the gait of a button's number."""
        names = [g.name for g in self._studio.world.graphs]
        if number < len(names):
            self.request(names[number])

    def faster(self, by: float) -> None:
        """Walk faster by metres a second."""
        if self._studio.balanced is not None:
            self._studio.layout.steer.faster(by)
            return
        self._want(round(self._studio.graph.balance.speed + by, 3))

    def _speed_changed(self, event: Any) -> None:
        if event.client is not None:
            value = float(event.target.value)
            self._studio.act(lambda: self._want(value))

    def _want(self, speed: float) -> None:
        speed = min(max(speed, -2.0), 3.0)
        self._studio.edit(lambda g: with_speed(g, speed), "speed")
        self._speed.value = speed

    def followed(self, name: str) -> None:
        """The controller that drives now: its button lights up, and the editor shows it."""
        if name == self._active or name not in self._buttons:
            return
        for other, button in self._buttons.items():
            button.color = None if other == name else "gray"
        self._active = name
        studio = self._studio
        if studio.document.name != name:
            studio.document = studio.library.document(name)
            studio.selected = 0
            studio.layout.editor.rebuild()
            self._speed.value = float(studio.graph.balance.speed)

    def tick(self) -> None:
        """Tell what was asked for, and what is known of going there."""
        world = self._studio.world
        if len(world.graphs) < 2:
            return
        wanted = world.requested()
        now = world.where()[0]
        if wanted is None:
            text = _small(
                f"Driven by <b>{html.escape(now)}</b>. Another gait is entered when a state ends, at the state "
                "of the same number and stance foot."
            )
        else:
            text = _small(f"<b>{html.escape(wanted)}</b> waits for the end of a state. {_known(world, now, wanted)}")
        if self._told.content != text:
            self._told.content = text


def _known(world: Any, source: str, target: str) -> str:
    """What controller files tell of a transition."""
    for name in (source, target):
        graph = next((g for g in world.graphs if g.name == name), None)
        known = graph.basin.get("transitions") if graph is not None else None
        if isinstance(known, dict) and (source in known or target in known):
            told = known.get(target if name == source else source)
            return f"Known: {html.escape(str(told)[:120])}."
    return "Nothing is recorded of how safe this transition is."


def _small(text: str) -> str:
    return f"<div style='padding:4px 10px;color:#6b7682;font-size:12px'>{text}</div>"
