"""What one page has still to be told, merged: of everything that changes again and again only the newest is kept."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from footfall.studio.wire.told import Item, Op, Remove, SetProps, State

Floats = NDArray[np.float32]


class Outbox:
    """Operations in order, and which nodes have new data. However slow a page is, it holds at most one of each.

    Attributes:
        opened: the panels that the page shows; None before it said so, which means all. Drawings and plots of others
            wait here until they are opened.
    """

    def __init__(self) -> None:
        self._ops: dict[tuple[str, object], Op] = {}
        self._dirty: dict[int, str] = {}
        self._told = 0
        self.opened: frozenset[str] | None = None

    def add(self, item: Item) -> None:
        """A new item."""
        self._ops["item", item.id] = Item(**{**vars(item), "props": dict(item.props)})

    def set(self, item: Item, props: dict[str, object]) -> None:
        """Other properties of an item."""
        pending = self._ops.get(("item", item.id)) or self._ops.get(("set", item.id))
        if isinstance(pending, Item | SetProps):
            pending.props.update(props)
            return
        kind = "later" if item.kind == "html" and set(props) <= {"html"} else "set"
        waiting = self._ops.setdefault((kind, item.id), SetProps(item.id, {}))
        assert isinstance(waiting, SetProps)
        waiting.props.update(props)

    def remove(self, item: Item, inside: Iterable[Item]) -> None:
        """An item is gone, with those inside it."""
        new = False
        for gone in (*inside, item):
            new = self._ops.pop(("item", gone.id), None) is not None
            for kind in ("set", "later"):
                self._ops.pop((kind, gone.id), None)
            self._dirty.pop(gone.number, None)
        if not new:
            self._ops["remove", item.id] = Remove(item.id)

    def state(self, props: dict[str, object]) -> None:
        """Other properties of the bar."""
        waiting = self._ops.setdefault(("state", ""), State({}))
        assert isinstance(waiting, State)
        waiting.props.update(props)

    def tell(self, op: Op) -> None:
        """Something that is told once."""
        self._told += 1
        self._ops["told", self._told] = op

    def data(self, item: Item) -> None:
        """An item has new data."""
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
