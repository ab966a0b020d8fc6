"""What a panel is made with: the core, the widgets and the scene."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from footfall.studio.core.background import DocumentChanged, DriveChanged, LibraryChanged, NumbersChanged, WorldChanged
from footfall.studio.core.frames import Moment
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.steering import WalkerSteering
from footfall.studio.scene import Viewport
from footfall.studio.stage import Stage
from footfall.studio.widgets import Control, Event, Gui, Widget

W = TypeVar("W", bound=Widget)


@dataclass(frozen=True)
class Context:
    """The core as a panel needs it, and widgets that show it.

    Attributes:
        session: the core.
        steering: of its walker.
        companion: the 3LP walker beside it.
        gui: makes widgets.
        scene: makes nodes.
        stage: what is drawn.
        bar: sets properties of the bar under the viewport.
        publish: serves a page of a name and a content beside the studio's own; its path.
    """

    session: Session
    steering: WalkerSteering
    companion: Companion
    gui: Gui
    scene: Viewport
    stage: Stage
    bar: Callable[..., None]
    publish: Callable[[str, bytes], str]
    _bound: list[tuple[Widget, Callable[[], None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for event in (WorldChanged, DocumentChanged, LibraryChanged, NumbersChanged, DriveChanged):
            self.session.events.on(event, lambda _: self.refresh())

    def refresh(self) -> None:
        """Let every bound widget show the core as it is now; those that are gone are forgotten."""
        self._bound[:] = [(widget, show) for widget, show in self._bound if widget.there]
        for _, show in tuple(self._bound):
            show()

    def bind(
        self, widget: W, act: Callable[[Any], Any] | None = None, newest: str = "", **shows: Callable[[], Any]
    ) -> W:
        """Tie a widget to the core.

        Args:
            widget: it.
            act: called in the simulation's thread with whatever somebody sets it to, or which button it is.
            newest: names what is done, so that of several values that wait only the last one counts.
            shows: properties that are asked for again whenever the core changes: ``value``, ``visible``, ``disabled``,
                ...; a value of None leaves it as it is.
        """

        def show() -> None:
            widget.set(**{name: now for name, ask in shows.items() if (now := ask()) is not None})

        def changed(event: Event) -> None:
            assert act is not None
            do = partial(act, event.value)
            if newest:
                self.session.act_newest(newest, do)
            else:
                self.session.act(do)

        if act is not None:
            assert isinstance(widget, Control)
            widget.on_update(changed)
        if shows:
            self._bound.append((widget, show))
            show()
        return widget


@dataclass(frozen=True, eq=False)
class Drawn:
    """A frame was drawn."""

    frame: Moment


@dataclass(frozen=True, eq=False)
class Ticked:
    """A frame was drawn, and what is read rather than watched may be refreshed."""

    frame: Moment


def small(text: str, name: str = "") -> str:
    """A line of small text as HTML, which tests find by its name."""
    mark = f" data-testid='{name}'" if name else ""
    return f"<div class='ff-small'{mark}>{text}</div>"
