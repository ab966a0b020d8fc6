"""What all widgets have: properties that pages see at once, and callbacks for what people do.

The kinds of widgets.

Makes the widgets of a studio, and hands to each what people do with it.
"""

import html
import itertools
import math
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from footfall.studio.messages import Item, Press, SetProps, SetValue
from footfall.studio.shared import Shared

T = TypeVar("T")


class Page(Protocol):
    """The page of whoever did something (:class:`footfall.studio.server.Client`)."""

    number: int

    def download(self, name: str, content: bytes) -> None:
        """Let it save a file."""

    def ask(self, title: str, text: str, buttons: Any, act: Callable[[int], None]) -> None:
        """Ask it something."""


@dataclass(frozen=True, eq=False)
class Event:
    """Somebody did something with a widget.

    Attributes:
        client: on which page. target: the widget. value: its new value, or the button that was pressed.
    """

    client: Page
    target: Any
    value: Any = None


class Prop(Generic[T]):
    """A property of a widget that pages see, under the same name or another."""

    def __init__(self, name: str = "") -> None:
        self._name = name

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = self._name or name

    @overload
    def __get__(self, widget: None, owner: type[Any]) -> "Prop[T]": ...

    @overload
    def __get__(self, widget: "Widget", owner: type[Any]) -> T: ...

    def __get__(self, widget: "Widget | None", owner: type[Any]) -> "Prop[T] | T":
        if widget is None:
            return self
        value: T = widget.item.props[self._name]
        return value

    def __set__(self, widget: "Widget", value: T) -> None:
        widget.shared.set(widget.item, {self._name: value})


class Widget:
    """A widget.

    Attributes:
        item: it, as the wire has it. shared: what pages see.
    """

    visible = Prop[bool]()

    def __init__(self, shared: Shared, item: Item) -> None:
        self.shared, self.item = shared, item
        item.owner = self

    def remove(self) -> None:
        """Take it off the page, with everything in it."""
        self.shared.remove(self.item)


class Control(Widget):
    """A widget that people change."""

    disabled = Prop[bool]()

    def __init__(self, shared: Shared, item: Item) -> None:
        super().__init__(shared, item)
        self._acts: list[Callable[[Event], Any]] = []

    def on_update(self, act: Callable[[Event], Any]) -> None:
        """Call ``act`` whenever somebody changes or presses it; what the studio itself changes calls nothing."""
        self._acts.append(act)

    def change(self, client: Page, value: Any) -> None:
        """Somebody changes its value. One that it cannot have is replaced by what it has, on their page too."""
        accepted = self.item.props["value"] if self.disabled else self.accepted(value)
        self.shared.set(self.item, {"value": accepted}, but=client.number if accepted == value else None)
        if accepted != value:
            self.shared.tell(SetProps(self.item.id, {"value": accepted}), client.number)
        if not self.disabled:
            self.call(Event(client, self, accepted))

    def accepted(self, value: Any) -> Any:
        """The value that it takes when somebody asks for one."""
        raise NotImplementedError

    def call(self, event: Event) -> None:
        """Call those who wait for it."""
        for act in self._acts:
            act(event)


def marked(text: str) -> str:
    """Plain text with *stress* and **bold** words, as HTML."""
    safe = html.escape(text, quote=False)
    safe = re.sub(r"\*(.+?)\*", r"<em>\1</em>", re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", safe))
    return f"<p class='ff-small'>{safe}</p>" if text else ""


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


class ProgressBar(Widget):
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


W = TypeVar("W", bound=Widget)


class Gui:
    """The widgets of a studio. Each is added to the folder or panel whose ``with`` block is open in this thread.

    Args:
        shared: what pages see.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._numbers = itertools.count(1)

    def receive(self, client: Page, asked: SetValue | Press) -> None:
        """Somebody changed or pressed a widget; one that is gone by now is left alone."""
        item = self._shared.item(asked.id)
        widget = None if item is None else item.owner
        if isinstance(asked, Press) and isinstance(widget, Button | ButtonGroup):
            widget.press(client, asked.value)
        elif isinstance(asked, SetValue) and isinstance(widget, Control) and "value" in widget.item.props:
            widget.change(client, asked.value)

    def upload(self, client: Page, name: str, filename: str, content: bytes) -> None:
        """Somebody sent a file to the upload button of an id."""
        item = self._shared.item(name)
        if item is not None and isinstance(item.owner, Upload):
            item.owner.take(client, filename, content)

    def watched(self, folder: Folder) -> bool:
        """Whether somebody looks at the panel that a folder is in."""
        return self._shared.watched(folder.item.panel)

    def find(self, name: str) -> Any:
        """The widget of a name such as ``push/force-n``; None where there is none."""
        return next((item.owner for item in self._shared.items() if item.props.get("name") == name), None)

    def _add(self, make: type[W], kind: str, label: str | None, props: dict[str, Any], *, data: bool = False) -> W:
        folder, number = current_folder(), next(self._numbers)
        name = re.sub(r"[^a-z0-9]+", "-", (label or kind).lower()).strip("-") or kind
        if folder is not None:
            taken = {item.props["name"] for item in self._shared.items() if item.parent == folder.item.id}
            first = f"{folder.item.props['name']}/{name}"
            names = (first if k == 1 else f"{first}-{k}" for k in itertools.count(1))
            name = next(one for one in names if one not in taken)
        item = Item(
            f"w{number}",
            kind,
            {"name": name, "visible": True, "hint": ""} | props,
            None if folder is None else folder.item.id,
            number,
        )
        return make(self._shared, self._shared.add(item, data=data))

    def add_panel(self, name: str, label: str, place: str) -> Folder:
        """A panel of the page: ``place`` is verb, more, head or show."""
        return self._add(Folder, "panel", name, {"label": label, "icon": name, "place": place})

    def add_folder(self, label: str = "", *, is_open: bool = True, visible: bool = True) -> Folder:
        """A folder; one without a label is a group without a frame."""
        return self._add(Folder, "folder", label, {"label": label, "open": is_open, "visible": visible})

    def add_slider(
        self,
        label: str,
        least: float,
        most: float,
        step: float,
        value: float,
        *,
        hint: str = "",
        disabled: bool = False,
    ) -> Slider:
        """A number between two others."""
        props = {"label": label, "min": least, "max": most, "step": step, "value": value}
        return self._add(Slider, "slider", label, props | {"hint": hint, "disabled": disabled})

    def add_checkbox(self, label: str, value: bool, *, hint: str = "") -> Checkbox:
        """Yes or no."""
        return self._add(Checkbox, "checkbox", label, {"label": label, "value": value, "hint": hint, "disabled": False})

    def add_button(self, label: str, *, hint: str = "") -> Button:
        """A button."""
        return self._add(Button, "button", label, {"label": label, "hint": hint, "disabled": False, "on": False})

    def add_button_group(self, label: str, options: Sequence[str], *, hint: str = "") -> ButtonGroup:
        """Several buttons side by side."""
        props = {"label": label, "options": list(options), "hint": hint, "disabled": False}
        return self._add(ButtonGroup, "buttons", label, props)

    def add_dropdown(
        self, label: str, options: Sequence[str], value: str, *, groups: Sequence[str] = (), hint: str = ""
    ) -> Dropdown:
        """One of several options; ``groups`` names the group of each."""
        props = {"label": label, "options": list(options), "groups": list(groups), "value": value, "hint": hint}
        return self._add(Dropdown, "dropdown", label, props | {"disabled": False})

    def add_gallery(self, label: str, options: Sequence[str], value: str, groups: Sequence[str]) -> Gallery:
        """One of several options, each with a picture; ``groups`` names the group of each."""
        props = {"label": label, "options": list(options), "groups": list(groups), "value": value}
        return self._add(Gallery, "gallery", label, props | {"pictures": {}, "disabled": False})

    def add_text(self, label: str, value: str, *, hint: str = "") -> Text:
        """A line of text."""
        return self._add(Text, "text", label, {"label": label, "value": value, "hint": hint, "disabled": False})

    def add_html(self, content: str = "") -> Html:
        """HTML that the studio made itself."""
        return self._add(Html, "html", None, {"html": content})

    def add_note(self, text: str = "") -> Note:
        """A sentence or two, with *stress* and **bold** words."""
        return self._add(Note, "html", None, {"html": marked(text)})

    def add_upload(self, label: str, most: int, *, accept: str = "") -> Upload:
        """A button that takes a file of at most ``most`` bytes; ``accept`` lists its endings."""
        return self._add(Upload, "upload", label, {"label": label, "most": most, "accept": accept, "disabled": False})

    def add_progress(self) -> ProgressBar:
        """How much of something is done; hidden at first."""
        return self._add(ProgressBar, "progress", None, {"value": 0.0, "visible": False})

    def add_plot(self, title: str, series: Sequence[dict[str, Any]], *, height: int = 230) -> Plot:
        """Lines over a common axis; label, colour, width and dash of each."""
        props = {"title": title, "series": list(series), "height": height}
        return self._add(Plot, "plot", None, props, data=True)
