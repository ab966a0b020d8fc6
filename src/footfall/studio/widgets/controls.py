"""The kinds of widgets."""

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.studio.widgets.widget import Control, Event, Page, Prop, Widget, marked

LONGEST_TEXT = 1000
_open = threading.local()


def current_folder() -> "Folder | None":
    """The folder that this thread adds widgets to."""
    folders: list[Folder] = getattr(_open, "folders", [])
    return folders[-1] if folders else None


class Folder(Widget):
    """Holds other widgets: those that are added in its ``with`` block."""

    def __enter__(self) -> "Folder":
        if not hasattr(_open, "folders"):
            _open.folders = []
        _open.folders.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _open.folders.pop()


class Slider(Control):
    """A number between two others."""

    value, min, max, step = Prop[float](), Prop[float](), Prop[float](), Prop[float]()

    def accepted(self, value: Any) -> float:
        """The number itself, between its ends; what is no number changes nothing."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return self.value
        return min(max(value, self.min), self.max)


class Checkbox(Control):
    """Yes or no."""

    value = Prop[bool]()

    def accepted(self, value: Any) -> bool:
        """What is asked for, where it is yes or no."""
        return value if isinstance(value, bool) else self.value


class Dropdown(Control):
    """One of several options."""

    value = Prop[str]()

    @property
    def options(self) -> tuple[str, ...]:
        """What can be chosen."""
        return tuple(self.item.props["options"])

    def offer(self, options: Sequence[str], groups: Sequence[str] = ()) -> None:
        """Offer other options; where the present value is not among them, the first one takes its place."""
        value = self.value if self.value in options else options[0]
        self.shared.set(self.item, {"options": list(options), "groups": list(groups), "value": value})

    def accepted(self, value: Any) -> str:
        """What is asked for, where it is offered."""
        return value if value in self.options else self.value


class Gallery(Dropdown):
    """One of several options, each with a picture.

    Attributes:
        pictures: SVG by option; those without have only their names.
    """

    pictures = Prop[dict[str, str]]()


class Text(Control):
    """A line of text."""

    value = Prop[str]()

    def accepted(self, value: Any) -> str:
        """The text, cut off where it is far too long."""
        return value[:LONGEST_TEXT] if isinstance(value, str) else self.value


class Button(Control):
    """A button.

    Attributes:
        on: whether it looks pressed.
    """

    on, label = Prop[bool](), Prop[str]()

    def press(self, client: Page, value: str = "") -> None:
        """Somebody presses it."""
        if not self.disabled:
            self.call(Event(client, self, value))


class ButtonGroup(Control):
    """Several buttons side by side; the event's value says which one was pressed."""

    def press(self, client: Page, value: str = "") -> None:
        """Somebody presses one of them."""
        if not self.disabled and value in self.item.props["options"]:
            self.call(Event(client, self, value))


class Upload(Control):
    """A button that takes a file of at most ``most`` bytes; the event's value is the file's name and its content."""

    def take(self, client: Page, name: str, content: bytes) -> None:
        """A file has come."""
        if not self.disabled:
            self.call(Event(client, self, (name, content)))


class Html(Widget):
    """HTML that the studio made itself."""

    content = Prop[str]("html")


class Note(Widget):
    """A sentence or two, with *stress* and **bold** words."""

    def write(self, text: str) -> None:
        """Say something else."""
        self.shared.set(self.item, {"html": marked(text)})


class Progress(Widget):
    """How much of something is done, 0 to 1."""

    value = Prop[float]()


class Plot(Widget):
    """Lines over a common axis.

    Attributes:
        series: label, colour, width and dash of each line.
    """

    series = Prop[list[dict[str, Any]]]()

    def draw(self, rows: Sequence[ArrayLike]) -> None:
        """Draw values: the axis [N], then each line's [N]."""
        self.shared.put(self.item, np.stack([np.asarray(row, dtype=np.float32) for row in rows]))
