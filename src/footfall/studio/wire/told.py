"""What the studio tells a page: operations on its widgets and nodes, and frames of numbers."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class _Told:
    """Something that a page is told.

    Attributes:
        OP: what it is called.
    """

    OP: ClassVar[str] = ""

    def op(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"op": self.OP, **vars(self)}


@dataclass
class Hello(_Told):
    """The first of a connection: the page forgets all that it had.

    Attributes:
        studio: names this run of the server. client: the number of this page.
        commands: what keys do: name, label, key, ctrl and shift each.
    """

    OP = "hello"
    studio: str
    version: str
    client: int
    commands: Sequence[Mapping[str, Any]]


@dataclass
class Item(_Told):
    """A widget of a panel or a node of the scene.

    Attributes:
        id: its name on the wire. kind: what it is. props: how it is.
        parent: the widget that it stands in; None for a panel and for nodes.
        order: widgets of one parent are sorted by it. number: names its data in frames; 0 for an item without.
        node: whether it belongs to the scene. panel: the panel that a widget stands in.
        owner: the object that speaks for it in the studio.
    """

    id: str
    kind: str
    props: dict[str, Any] = field(default_factory=dict)
    parent: str | None = None
    order: int = 0
    number: int = 0
    node: bool = False
    panel: str = ""
    owner: Any = None

    def op(self) -> dict[str, Any]:
        """As JSON has it."""
        told: dict[str, Any] = {"op": "node" if self.node else "add", "id": self.id, "kind": self.kind}
        if not self.node:
            told |= {"parent": self.parent, "order": self.order}
        return told | {"number": self.number, "props": self.props}


@dataclass
class SetProps(_Told):
    """Some properties of an item have other values."""

    OP = "set"
    id: str
    props: dict[str, Any]


@dataclass
class Remove(_Told):
    """An item is gone, with everything in it."""

    OP = "remove"
    id: str


@dataclass
class State(_Told):
    """What the bar under the viewport shows: those properties that changed."""

    props: dict[str, Any]

    def op(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"op": "state", **self.props}


@dataclass
class Toast(_Told):
    """A message that goes away by itself; tone: good, bad or warn."""

    OP = "toast"
    title: str
    text: str
    tone: str
    seconds: float


@dataclass
class Download(_Told):
    """A file for one page, at an address that works once."""

    OP = "download"
    url: str
    name: str


@dataclass
class Ask(_Told):
    """A question to one page; its last button is the one that changes nothing."""

    OP = "ask"
    id: str
    title: str
    text: str
    buttons: Sequence[str]


@dataclass
class UploadGo(_Told):
    """Whether a page may send the file that it announced."""

    OP = "upload"
    upload: int
    go: bool


Op = Hello | Item | SetProps | Remove | State | Toast | Download | Ask | UploadGo


def frame_bytes(n: int, blocks: Sequence[tuple[int, Floats]]) -> bytes:
    """A frame: the number of its turn, the number of its blocks, number and length of each, then their numbers as
    little-endian 32-bit floats."""
    head = struct.pack(f"<{2 + 2 * len(blocks)}I", n, len(blocks), *(x for k, data in blocks for x in (k, data.size)))
    return b"".join((head, *(np.ascontiguousarray(data, dtype="<f4").tobytes() for _, data in blocks)))
