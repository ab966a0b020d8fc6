"""Nodes of the scene: bodies, lines, arrows, balls, words and handles, with numbers that change every frame."""

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from footfall.studio.wire.asked import Drag
from footfall.studio.wire.shared import Shared
from footfall.studio.wire.told import Item

Colour = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""


class Node:
    """A node of the scene.

    Attributes:
        dragged: called with a page's number and what it drags; None where it cannot be dragged.
    """

    def __init__(self, shared: Shared, item: Item) -> None:
        self._shared, self.item = shared, item
        item.owner = self
        self.dragged: Callable[[int, Drag], None] | None = None

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return bool(self.item.props["visible"])

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._shared.set(self.item, {"visible": bool(visible)})

    def set(self, **props: Any) -> None:
        """Change some of its properties."""
        self._shared.set(self.item, props)

    def put(self, data: ArrayLike) -> None:
        """Its numbers from now on; which they are depends on its kind."""
        self._shared.put(self.item, data)

    @property
    def data(self) -> Any:
        """Its numbers; None before it has any."""
        return self._shared.data(self.item)

    def remove(self) -> None:
        """Take it out of the scene."""
        self._shared.remove(self.item)


class Scene:
    """What the viewport of every page draws.

    Args:
        shared: what pages see.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def add(self, name: str, kind: str, **props: Any) -> Node:
        """A node under a name; an older one of that name is removed."""
        old = self._shared.item(name)
        if old is not None:
            self._shared.remove(old)
        item = Item(name, kind, {"visible": True} | props, node=True)
        return Node(self._shared, self._shared.add(item, data=kind != "ground"))

    def receive(self, page: int, drag: Drag) -> None:
        """A page drags a node."""
        item = self._shared.item(drag.id)
        if item is not None and isinstance(item.owner, Node) and item.owner.dragged is not None:
            item.owner.dragged(page, drag)
