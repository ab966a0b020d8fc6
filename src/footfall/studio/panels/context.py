"""What a panel is made with: the core, the widgets and the scene."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from footfall.studio.core.frames import Moment
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.steering import WalkerSteering
from footfall.studio.scene import Viewport
from footfall.studio.stage import Stage
from footfall.studio.widgets import Control, Event, Gui


@dataclass(frozen=True)
class Context:
    """The core as a panel needs it.

    Attributes:
        session, steering, companion: the core. gui: makes widgets. scene: makes nodes. stage: what is drawn.
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

    def when(self, control: Control, act: Callable[[Any], Any], newest: str = "") -> None:
        """Call ``act`` in the simulation's thread with whatever somebody sets a control to, or which button it is.

        Args:
            newest: names what is done, so that of several values that wait only the last one counts.
        """

        def changed(event: Event) -> None:
            def job() -> Any:
                return act(event.value)

            if newest:
                self.session.act_newest(newest, job)
            else:
                self.session.act(job)

        control.on_update(changed)


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
