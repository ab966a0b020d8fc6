"""What all widgets have: properties that pages see at once, and callbacks for what people do."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, overload

from footfall.studio.wire.shared import Shared
from footfall.studio.wire.told import Item, SetProps

T = TypeVar("T")


class Page(Protocol):
    """The page of whoever did something (:class:`footfall.studio.server.client.Client`)."""

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
