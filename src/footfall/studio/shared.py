"""The state that all pages of a studio see: widgets, nodes with their data, and the bar.

Any thread may change it. Each page has an :class:`Outbox` of what it has still to be told, which a page that comes late
begins with everything in.
"""

import itertools
import json
import math
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.studio.messages import BarState, Hello, Item, Op, Remove, SetProps, frame_bytes

Floats = NDArray[np.float32]


class Outbox:
    """Operations in order, and which nodes have new data. However slow a page is, it holds at most one of each.

    Attributes:
        opened: the panels that the page shows; None before it said so, which means all. Drawings and plots of others
            wait here until they are opened.
        full: whether the page has been sent as much as it may have before it answers.
    """

    def __init__(self) -> None:
        self._ops: dict[tuple[str, object], Op] = {}
        self._dirty: dict[int, str] = {}
        self._told = 0
        self.opened: frozenset[str] | None = None
        self.full = False

    def add(self, item: Item) -> None:
        self._ops["item", item.id] = Item(**{**vars(item), "props": dict(item.props)})

    def set(self, item: Item, props: dict[str, object]) -> None:
        pending = self._ops.get(("item", item.id)) or self._ops.get(("set", item.id))
        if isinstance(pending, Item | SetProps):
            pending.props.update(props)
            return
        kind = "later" if item.kind == "html" and set(props) <= {"html"} else "set"
        waiting = self._ops.setdefault((kind, item.id), SetProps(item.id, {}))
        assert isinstance(waiting, SetProps)
        waiting.props.update(props)

    def remove(self, item: Item, inside: Iterable[Item]) -> None:
        new = False
        for gone in (*inside, item):
            new = self._ops.pop(("item", gone.id), None) is not None
            for kind in ("set", "later"):
                self._ops.pop((kind, gone.id), None)
            self._dirty.pop(gone.number, None)
        if not new:
            self._ops["remove", item.id] = Remove(item.id)

    def state(self, props: dict[str, object]) -> None:
        waiting = self._ops.setdefault(("state", ""), BarState({}))
        assert isinstance(waiting, BarState)
        waiting.props.update(props)

    def tell(self, op: Op) -> None:
        self._told += 1
        self._ops["told", self._told] = op

    def data(self, item: Item) -> None:
        self._dirty[item.number] = item.panel

    def take(self, panels: dict[str, str]) -> tuple[list[Op], list[int]]:
        """The operations to be sent now and the numbers of the data; they are no longer in here.

        Args:
            panels: the panel of each widget, by its id.
        """
        ops: list[Op] = []
        for key in tuple(self._ops):
            if key[0] != "later" or self._shown(panels.get(str(key[1]), "")):
                ops.append(self._ops.pop(key))
        numbers = [number for number, panel in self._dirty.items() if self._shown(panel)]
        for number in numbers:
            del self._dirty[number]
        return ops, numbers

    def _shown(self, panel: str) -> bool:
        return not panel or self.opened is None or panel in self.opened


class Shared:
    """Widgets, nodes, data and the bar, and the pages that watch them.

    Attributes:
        commands: what keys do (see :class:`~footfall.studio.messages.Hello`).
        wanted: set where a page could take another picture at once, or there are no pages.
    """

    def __init__(self, studio: str, version: str) -> None:
        self._studio, self._version = studio, version
        self.commands: list[dict[str, Any]] = []
        self.wanted = threading.Event()
        self.wanted.set()
        self._lock = threading.RLock()
        self._items: dict[str, Item] = {}
        self._numbered: dict[int, Item] = {}
        self._panels: dict[str, str] = {}
        self._data: dict[int, Floats] = {}
        self._bar: dict[str, Any] = {}
        self._pages: dict[int, tuple[Outbox, Callable[[], None]]] = {}
        self._numbers = itertools.count(1)
        self._depth, self._changed = 0, False

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Changes that pages see all at once or not at all."""
        with self._lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._changed:
                    self._changed = False
                    for _, ring in self._pages.values():
                        ring()

    # -- what changes ----------------------------------------------------------------------------------------------

    def add(self, item: Item, *, data: bool = False) -> Item:
        """A new item; one with data gets a number."""
        with self.atomic():
            item.number = next(self._numbers) if data else 0
            above = self._items.get(item.parent or "")
            item.panel = above.panel if above is not None else _panel(item)
            self._items[item.id] = item
            self._panels[item.id] = item.panel
            if data:
                self._numbered[item.number] = item
            for box, _ in self._pages.values():
                box.add(item)
            self._changed = True
        return item

    def set(self, item: Item, props: dict[str, Any], but: int | None = None) -> None:
        """Other properties of an item; the page ``but`` knows them already."""
        with self.atomic():
            new = {name: value for name, value in props.items() if item.props.get(name) != value}
            if not new:
                return
            item.props.update(new)
            if self._items.get(item.id) is not item:
                return
            for number, (box, _) in self._pages.items():
                if number != but:
                    box.set(item, new)
            self._changed = True

    def remove(self, item: Item) -> None:
        with self.atomic():
            if self._items.get(item.id) is not item:
                return
            inside = self._inside(item)
            for gone in (*inside, item):
                self._items.pop(gone.id, None)
                self._panels.pop(gone.id, None)
                self._numbered.pop(gone.number, None)
                self._data.pop(gone.number, None)
            for box, _ in self._pages.values():
                box.remove(item, inside)
            self._changed = True

    def _inside(self, item: Item) -> list[Item]:
        found: list[Item] = []
        names = {item.id}
        for other in self._items.values():
            if other.parent in names:
                names.add(other.id)
                found.append(other)
        return found

    def put(self, item: Item, data: ArrayLike) -> None:
        values = np.array(data, dtype=np.float32)
        with self.atomic():
            old = self._data.get(item.number)
            if self._items.get(item.id) is not item or (old is not None and np.array_equal(old, values)):
                return
            self._data[item.number] = values
            for box, _ in self._pages.values():
                box.data(item)
            self._changed = True

    def data(self, item: Item) -> Floats | None:
        return self._data.get(item.number)

    def bar(self, **props: Any) -> None:
        with self.atomic():
            new = {name: value for name, value in props.items() if name not in self._bar or self._bar[name] != value}
            if new:
                self._bar.update(new)
                for box, _ in self._pages.values():
                    box.state(new)
                self._changed = True

    def tell(self, op: Op, page: int | None = None) -> None:
        """Something that is told once, to one page or to all that are there."""
        with self.atomic():
            for number, (box, _) in self._pages.items():
                if page is None or page == number:
                    box.tell(op)
            self._changed = True

    # -- pages -----------------------------------------------------------------------------------------------------

    def item(self, name: str) -> Item | None:
        return self._items.get(name)

    def items(self) -> tuple[Item, ...]:
        """All items, in the order in which they came."""
        with self._lock:
            return tuple(self._items.values())

    def join(self, page: int, ring: Callable[[], None]) -> None:
        """A page comes; ``ring`` is called when there is something to be sent to it."""
        box = Outbox()
        with self._lock:
            box.tell(Hello(self._studio, self._version, page, tuple(self.commands)))
            for item in self._items.values():
                box.add(item)
                if item.number in self._data:
                    box.data(item)
            box.state(dict(self._bar))
            self._pages[page] = (box, ring)
            self.fill(page, False)
        ring()

    def leave(self, page: int) -> None:
        with self._lock:
            self._pages.pop(page, None)
            self.fill(page, False)

    def fill(self, page: int, full: bool) -> None:
        """A page has, or has no longer, as much as it may have before it answers."""
        with self._lock:
            if page in self._pages:
                self._pages[page][0].full = full
            nobody = self._pages and all(box.full for box, _ in self._pages.values())
            (self.wanted.clear if nobody else self.wanted.set)()

    def opened(self, page: int, panels: tuple[str, ...]) -> None:
        """A page shows these panels, and no others."""
        with self._lock:
            box, ring = self._pages[page]
            box.opened = frozenset(panels)
        ring()

    def watched(self, panel: str) -> bool:
        """Whether some page shows a panel."""
        with self._lock:
            return any(box.opened is None or panel in box.opened for box, _ in self._pages.values())

    @property
    def pages(self) -> tuple[int, ...]:
        return tuple(self._pages)

    def take(self, page: int, n: int) -> tuple[str, bytes]:
        """What is to be sent to a page as its turn ``n``: a text and a frame; empty where there is none."""
        with self._lock:
            if page not in self._pages:
                return "", b""
            ops, numbers = self._pages[page][0].take(self._panels)
            blocks = [(k, self._data[k]) for k in numbers if k in self._data]
        frame = frame_bytes(n, blocks) if blocks else b""
        if not ops:
            return "", frame
        told = {"n": n, "frame": bool(frame), "ops": [op.op() for op in ops]}
        try:
            return json.dumps(told, separators=(",", ":"), allow_nan=False), frame
        except ValueError:
            return json.dumps(_finite(told), separators=(",", ":")), frame


def _finite(value: Any) -> Any:
    """A message without numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _panel(item: Item) -> str:
    """The panel that an item at the top is; empty for a node, and for what every page always shows."""
    hidden = not item.node and item.props.get("place") in ("verb", "more")
    return str(item.props["name"]) if hidden else ""


def shown_prop(name: str) -> Any:
    """A property of a widget or node that all pages see as soon as it is set."""
    return property(lambda one: one.item.props[name], lambda one, value: one.set(**{name: value}))


class Shown:
    """A widget or a node of the scene, which all pages see.

    Attributes:
        item: it, as the wire has it.
        shared: what pages see.
    """

    visible = shown_prop("visible")

    def __init__(self, shared: Shared, item: Item) -> None:
        self.shared, self.item = shared, item
        item.owner = self

    def set(self, **props: Any) -> None:
        self.shared.set(self.item, props)

    def put(self, data: ArrayLike) -> None:
        """Its numbers from now on; which they are depends on its kind."""
        self.shared.put(self.item, data)

    @property
    def data(self) -> Any:
        """Its numbers; None before it has any."""
        return self.shared.data(self.item)

    @property
    def there(self) -> bool:
        """Whether it is on the page still."""
        return self.shared.item(self.item.id) is self.item

    def remove(self) -> None:
        self.shared.remove(self.item)
