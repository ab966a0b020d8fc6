"""What happens in a studio, for whoever subscribed to it.

The core emits events; panels and the scene subscribe to them. Nobody in the core knows who listens, and panels need not
know each other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

E = TypeVar("E")


@dataclass(frozen=True)
class Said:
    """A message for everyone who watches."""

    title: str
    text: str = ""
    bad: bool = False


@dataclass(frozen=True)
class TasksChanged:
    """Slow work began, went on or ended."""


@dataclass(frozen=True)
class WorldChanged:
    """Another world is simulated; ``figure`` where another figure walks in it."""

    figure: bool


@dataclass(frozen=True)
class Restarted:
    """The walker is back at its start, and its past is forgotten."""


@dataclass(frozen=True)
class Rewound:
    """What came after ``time`` is forgotten."""

    time: float


@dataclass(frozen=True)
class TerrainChanged:
    """The ground has another shape."""


@dataclass(frozen=True)
class LibraryChanged:
    """There are other controllers to choose from."""


@dataclass(frozen=True)
class DocumentChanged:
    """Another controller or another state is being edited, or the controller has other states."""


@dataclass(frozen=True)
class NumbersChanged:
    """The state being edited has other numbers."""


@dataclass(frozen=True)
class DriveChanged:
    """The walker was asked for something else: a gait, a heading, a balance."""


@dataclass(frozen=True)
class PathChanged:
    """The path has other points."""


@dataclass(frozen=True)
class Advanced:
    """The simulation advanced by ``seconds`` of simulated time."""

    seconds: float


@dataclass(frozen=True)
class Turned:
    """The loop finished a turn: there may be something new to draw."""


class Events:
    """Subscriptions by kind of event, called in the order in which they were made."""

    def __init__(self) -> None:
        self._acts: dict[type[Any], list[Callable[[Any], None]]] = {}

    def on(self, kind: type[E], act: Callable[[E], None]) -> None:
        """Call ``act`` with every event of a kind from now on."""
        self._acts.setdefault(kind, []).append(act)

    def emit(self, event: object) -> None:
        """Hand an event to all who subscribed to its kind."""
        for act in tuple(self._acts.get(type(event), ())):
            act(event)
