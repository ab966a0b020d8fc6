"""What a panel is made with: the core, viser's page, and the scene."""

from dataclasses import dataclass
from typing import Any

from footfall.studio.core.beside.companion import Companion
from footfall.studio.core.session.frames import Frame
from footfall.studio.core.session.session import Session
from footfall.studio.core.steering.steering import Steering
from footfall.studio.scene.stage import Stage

__all__ = ["Context", "Drawn", "Ticked", "small"]


@dataclass(frozen=True)
class Context:
    """The core as a panel needs it.

    Attributes:
        session, steering, companion: the core. gui, scene: viser's. stage: what is drawn.
        uploads: the most bytes of a file for each upload button, by its uuid.
    """

    session: Session
    steering: Steering
    companion: Companion
    gui: Any
    scene: Any
    stage: Stage
    uploads: dict[str, int]


@dataclass(frozen=True, eq=False)
class Drawn:
    """A frame was drawn."""

    frame: Frame


@dataclass(frozen=True, eq=False)
class Ticked:
    """A frame was drawn, and what is read rather than watched may be refreshed."""

    frame: Frame


def small(text: str, name: str = "") -> str:
    """A line of small text as HTML, which tests find by its name."""
    mark = f" data-testid='{name}'" if name else ""
    return f"<div class='ff-small'{mark}>{text}</div>"
