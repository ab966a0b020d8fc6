"""Makes the widgets of a studio, and hands to each what people do with it."""

import itertools
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from footfall.studio.widgets.controls import (
    Button,
    ButtonGroup,
    Checkbox,
    Dropdown,
    Folder,
    Gallery,
    Html,
    Note,
    Plot,
    Progress,
    Slider,
    Text,
    Upload,
    current_folder,
)
from footfall.studio.widgets.widget import Control, Page, Widget, marked
from footfall.studio.wire.asked import Press, SetValue
from footfall.studio.wire.shared import Shared
from footfall.studio.wire.told import Item

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

    def add_progress(self) -> Progress:
        """How much of something is done; hidden at first."""
        return self._add(Progress, "progress", None, {"value": 0.0, "visible": False})

    def add_plot(self, title: str, series: Sequence[dict[str, Any]], *, height: int = 230) -> Plot:
        """Lines over a common axis; label, colour, width and dash of each."""
        props = {"title": title, "series": list(series), "height": height}
        return self._add(Plot, "plot", None, props, data=True)
