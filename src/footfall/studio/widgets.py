"""Controls of the studio's page: what people turn, press and read, as objects with values and callbacks."""

import itertools
import math
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from footfall.escaping import markup
from footfall.studio.messages import Item, Press, SetProps, SetValue
from footfall.studio.shared import Shared, Shown, shown_prop

if TYPE_CHECKING:
    from footfall.studio.server import Client

LONGEST_TEXT = 1000


@dataclass(frozen=True, eq=False)
class Event:
    """Somebody did something with a widget.

    Attributes:
        client: on which page.
        value: its new value, or the button that was pressed.
    """

    client: "Client"
    value: Any = None


class Widget(Shown):
    """A widget of a panel."""

    kind = ""


class Control(Widget):
    """A widget that people change."""

    disabled, value = shown_prop("disabled"), shown_prop("value")

    def __init__(self, shared: Shared, item: Item) -> None:
        super().__init__(shared, item)
        self._acts: list[Callable[[Event], Any]] = []

    def on_update(self, act: Callable[[Event], Any]) -> None:
        """Call ``act`` whenever somebody changes or presses it; what the studio itself changes calls nothing."""
        self._acts.append(act)

    def change(self, client: "Client", value: Any) -> None:
        """Somebody changes its value. One that it cannot have is replaced by what it has, on their page too."""
        accepted = self.item.props["value"] if self.disabled else self.accepted(value)
        self.shared.set(self.item, {"value": accepted}, but=client.number if accepted == value else None)
        if accepted != value:
            self.shared.tell(SetProps(self.item.id, {"value": accepted}), client.number)
        self.call(client, accepted)

    def accepted(self, value: Any) -> Any:
        """The value that it takes when somebody asks for one."""
        raise NotImplementedError

    def call(self, client: "Client", value: Any) -> None:
        """Call those who wait for it, unless it is disabled."""
        for act in () if self.disabled else self._acts:
            act(Event(client, value))


_open = threading.local()


class Folder(Widget):
    """Holds the widgets that are added in its ``with`` block. One without a label is a group without a frame."""

    kind = "folder"

    def __enter__(self) -> "Folder":
        if not hasattr(_open, "folders"):
            _open.folders = []
        _open.folders.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _open.folders.pop()


class PagePanel(Folder):
    """A panel of the page."""

    kind = "panel"


class Slider(Control):
    """A number between two others.

    Attributes:
        near: how far the slider reaches from its value either way; its field takes all numbers between its ends.
    """

    kind = "slider"
    min, max, step = shown_prop("min"), shown_prop("max"), shown_prop("step")

    def accepted(self, value: Any) -> float:
        """The number itself, between its ends; what is no number changes nothing."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            value = self.value
        number: float = min(max(value, self.min), self.max)
        return number


class Checkbox(Control):
    """Yes or no."""

    kind = "checkbox"

    def accepted(self, value: Any) -> bool:
        return bool(value if isinstance(value, bool) else self.value)


class Dropdown(Control):
    """One of several options."""

    kind = "dropdown"

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(self.item.props["options"])

    def offer(self, options: Sequence[str], groups: Sequence[str] = ()) -> None:
        """Offer other options; where the present value is not among them, the first one takes its place."""
        value = self.value if self.value in options else options[0]
        self.set(options=list(options), groups=list(groups), value=value)

    def accepted(self, value: Any) -> str:
        return str(value if value in self.options else self.value)


class Gallery(Dropdown):
    """One of several options, each with a picture.

    Attributes:
        pictures: SVG by option; those without have only their names.
    """

    kind = "gallery"
    pictures = shown_prop("pictures")


class Text(Control):
    """A line of text, cut off where it is far too long."""

    kind = "text"

    def accepted(self, value: Any) -> str:
        return str(value[:LONGEST_TEXT] if isinstance(value, str) else self.value)


class Button(Control):
    """A button.

    Attributes:
        on: whether it looks pressed.
    """

    kind = "button"
    on, label = shown_prop("on"), shown_prop("label")

    def press(self, client: "Client", value: str = "") -> None:
        self.call(client, value)


class ButtonGroup(Control):
    """Several buttons side by side; the event's value says which one was pressed."""

    kind = "buttons"

    def press(self, client: "Client", value: str = "") -> None:
        if value in self.item.props["options"]:
            self.call(client, value)


class Upload(Control):
    """A button that takes a file of at most ``most`` bytes; the event's value is the file's name and its content."""

    kind = "upload"


class Html(Widget):
    """HTML that the studio made itself."""

    kind = "html"
    content = shown_prop("html")


class Note(Html):
    """A sentence or two, with *stress* and **bold** words."""

    def write(self, text: str) -> None:
        """Say something else."""
        self.content = marked(text)


class ProgressBar(Widget):
    """How much of something is done, 0 to 1."""

    kind = "progress"
    value = shown_prop("value")


class Plot(Widget):
    """Lines over a common axis, or one in the plane of its two rows.

    Attributes:
        series: label, colour, width and dash of each line.
    """

    kind = "plot"
    series = shown_prop("series")

    def draw(self, rows: Sequence[ArrayLike]) -> None:
        """Draw values: the axis [N], then each line's [N]."""
        self.put(np.stack([np.asarray(row, dtype=np.float32) for row in rows]))


def marked(text: str) -> str:
    """Plain text with *stress* and **bold** words, as HTML."""
    safe = markup(text)
    safe = re.sub(r"\*(.+?)\*", r"<em>\1</em>", re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", safe))
    return f"<p class='ff-small'>{safe}</p>" if text else ""


W = TypeVar("W", bound=Widget)


class Gui:
    """Makes the widgets of a studio, and hands to each what people do with it. Each is added to the folder or panel
    whose ``with`` block is open in this thread.

    Args:
        shared: what pages see.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._numbers = itertools.count(1)

    def receive(self, client: "Client", asked: SetValue | Press) -> None:
        """Somebody changed or pressed a widget; one that is gone by now is left alone."""
        item = self._shared.item(asked.id)
        widget = None if item is None else item.owner
        if isinstance(asked, Press) and isinstance(widget, Button | ButtonGroup):
            widget.press(client, asked.value)
        elif isinstance(asked, SetValue) and isinstance(widget, Control) and "value" in widget.item.props:
            widget.change(client, asked.value)

    def upload(self, client: "Client", name: str, filename: str, content: bytes) -> None:
        """Somebody sent a file to the upload button of an id."""
        item = self._shared.item(name)
        if item is not None and isinstance(item.owner, Upload):
            item.owner.call(client, (filename, content))

    def watched(self, folder: Folder) -> bool:
        """Whether somebody looks at the panel that a folder is in."""
        return self._shared.watched(folder.item.panel)

    def find(self, name: str) -> Any:
        """The widget of a name such as ``push/force-n``; None where there is none."""
        return next((item.owner for item in self._shared.items() if item.props.get("name") == name), None)

    def _add(self, make: type[W], named: str | None, *, data: bool = False, **props: Any) -> W:
        folders: list[Folder] = getattr(_open, "folders", [])
        folder, number = folders[-1] if folders else None, next(self._numbers)
        name = re.sub(r"[^a-z0-9]+", "-", (named or make.kind).lower()).strip("-") or make.kind
        if folder is not None:
            taken = {item.props["name"] for item in self._shared.items() if item.parent == folder.item.id}
            first = f"{folder.item.props['name']}/{name}"
            names = (first if k == 1 else f"{first}-{k}" for k in itertools.count(1))
            name = next(one for one in names if one not in taken)
        shown: dict[str, Any] = {"name": name, "visible": True, "hint": ""}
        if named is not None:
            shown["label"] = named
        if issubclass(make, Control):
            shown["disabled"] = False
        parent = None if folder is None else folder.item.id
        item = Item(f"w{number}", make.kind, shown | props, parent, number)
        return make(self._shared, self._shared.add(item, data=data))

    def add_panel(self, name: str, label: str, place: str) -> PagePanel:
        """A panel of the page: ``place`` is verb, more, head or show."""
        return self._add(PagePanel, name, label=label, icon=name, place=place)

    def add_folder(self, label: str = "", *, is_open: bool = True, visible: bool = True) -> Folder:
        return self._add(Folder, label, open=is_open, visible=visible)

    def add_slider(self, label: str, least: float, most: float, step: float, value: float, **more: Any) -> Slider:
        """``more``: hint and near."""
        return self._add(Slider, label, min=least, max=most, step=step, value=value, **more)

    def add_checkbox(self, label: str, value: bool, *, hint: str = "") -> Checkbox:
        return self._add(Checkbox, label, value=value, hint=hint)

    def add_button(self, label: str, *, hint: str = "") -> Button:
        return self._add(Button, label, hint=hint, on=False)

    def add_button_group(self, label: str, options: Sequence[str], *, hint: str = "") -> ButtonGroup:
        return self._add(ButtonGroup, label, options=list(options), hint=hint)

    def add_dropdown(
        self, label: str, options: Sequence[str], value: str, *, groups: Sequence[str] = (), hint: str = ""
    ) -> Dropdown:
        """``groups`` names the group of each option."""
        return self._add(Dropdown, label, options=list(options), groups=list(groups), value=value, hint=hint)

    def add_gallery(self, label: str, options: Sequence[str], value: str, groups: Sequence[str]) -> Gallery:
        """``groups`` names the group of each option."""
        return self._add(Gallery, label, options=list(options), groups=list(groups), value=value, pictures={})

    def add_text(self, label: str, value: str, *, hint: str = "") -> Text:
        return self._add(Text, label, value=value, hint=hint)

    def add_html(self, content: str = "") -> Html:
        return self._add(Html, None, html=content)

    def add_note(self, text: str = "") -> Note:
        return self._add(Note, None, html=marked(text))

    def add_upload(self, label: str, most: int, *, accept: str = "") -> Upload:
        """``accept`` lists the endings of files."""
        return self._add(Upload, label, most=most, accept=accept)

    def add_progress(self) -> ProgressBar:
        """Hidden at first."""
        return self._add(ProgressBar, None, value=0.0, visible=False)

    def add_plot(self, title: str, series: Sequence[dict[str, Any]], *, height: int = 230, phase: bool = False) -> Plot:
        """``series`` has label, colour, width and dash of each line."""
        return self._add(Plot, None, data=True, title=title, series=list(series), height=height, phase=phase)
