"""What the studio and its page tell each other: one dataclass for each kind of message, and frames of numbers."""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.toml_files import Schema, read_table, types_of

Floats = NDArray[np.float32]


class _Told:
    """Something that a page is told, and what it is called there."""

    _name = ""

    def __init_subclass__(cls, name: str = "") -> None:
        cls._name = name

    def op(self) -> dict[str, Any]:
        return {"op": self._name, **vars(self)}


@dataclass
class Hello(_Told, name="hello"):
    """The first of a connection: the page forgets all that it had.

    Attributes:
        studio: names this run of the server.
        client: the number of this page.
        commands: what keys do: name, label, key, ctrl and shift each.
    """

    studio: str
    version: str
    client: int
    commands: Sequence[Mapping[str, Any]]


@dataclass
class Item(_Told):
    """A widget of a panel or a node of the scene.

    Attributes:
        id: its name on the wire.
        kind: what it is.
        props: how it is.
        parent: the widget that it stands in; None for a panel and for nodes.
        order: widgets of one parent are sorted by it.
        number: names its data in frames; 0 for an item without.
        node: whether it belongs to the scene.
        panel: the panel that a widget stands in.
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
        told: dict[str, Any] = {"op": "node" if self.node else "add", "id": self.id, "kind": self.kind}
        if not self.node:
            told |= {"parent": self.parent, "order": self.order}
        return told | {"number": self.number, "props": self.props}


@dataclass
class SetProps(_Told, name="set"):
    """Some properties of an item have other values."""

    id: str
    props: dict[str, Any]


@dataclass
class Remove(_Told, name="remove"):
    """An item is gone, with everything in it."""

    id: str


@dataclass
class BarState(_Told):
    """What the bar under the viewport shows: those properties that changed."""

    props: dict[str, Any]

    def op(self) -> dict[str, Any]:
        return {"op": "state", **self.props}


@dataclass
class Toast(_Told, name="toast"):
    """A message that goes away by itself; tone: good, bad or warn."""

    title: str
    text: str
    tone: str
    seconds: float


@dataclass
class Download(_Told, name="download"):
    """A file for one page, at an address that works once."""

    url: str
    name: str


@dataclass
class Ask(_Told, name="ask"):
    """A question to one page; its last button is the one that changes nothing."""

    id: str
    title: str
    text: str
    buttons: Sequence[str]


@dataclass
class UploadGo(_Told, name="upload"):
    """Whether a page may send the file that it announced."""

    upload: int
    go: bool


Op = Hello | Item | SetProps | Remove | BarState | Toast | Download | Ask | UploadGo


def frame_bytes(n: int, blocks: Sequence[tuple[int, Floats]]) -> bytes:
    """A frame: the number of its turn, the number of its blocks, number and length of each, then their numbers as
    little-endian 32-bit floats."""
    head = struct.pack(f"<{2 + 2 * len(blocks)}I", n, len(blocks), *(x for k, data in blocks for x in (k, data.size)))
    return b"".join((head, *(np.ascontiguousarray(data, dtype="<f4").tobytes() for _, data in blocks)))


Point = tuple[float, float, float]
KINDS: dict[str, type[Any]] = {}
"""What pages send, by the name that a message has there."""


class _Asked:
    """What a page asks for. Those of its numbers that are declared as whole ones count something."""

    def __init_subclass__(cls, name: str) -> None:
        KINDS[name] = cls

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]
            value = getattr(self, declared.name)
            if declared.type is int and value < 0:
                raise FootfallError(f"{declared.name} is {value}; it must be at least 0")


@dataclass(frozen=True)
class Ack(_Asked, name="ack"):
    """The page has shown turn ``n``."""

    n: int


@dataclass(frozen=True)
class SetValue(_Asked, name="set"):
    """Somebody gave the control ``id`` another value."""

    id: str
    value: Any


@dataclass(frozen=True)
class Press(_Asked, name="press"):
    """Somebody pressed a button; of a group the one that ``value`` names."""

    id: str
    value: str = ""


@dataclass(frozen=True)
class Command(_Asked, name="command"):
    """Somebody pressed the key of a command, or chose it by its name."""

    name: str


@dataclass(frozen=True)
class Do(_Asked, name="do"):
    """Something about time: play, step, reset, seek, skip, rate or cancel."""

    do: str
    on: bool = False
    time: float = 0.0
    seconds: float = 0.0
    rate: float = 1.0


@dataclass(frozen=True)
class Drag(_Asked, name="drag"):
    """A node of the scene is dragged.

    Attributes:
        id: of the node.
        phase: start, move or end.
        part: the joint of a body.
        start: where it is held.
        to: where the pointer is.
        eye: where the camera is.
    """

    id: str
    phase: str
    part: int
    start: Point
    to: Point
    eye: Point


@dataclass(frozen=True)
class PoseTurned(_Asked, name="pose"):
    """Joints of the pose being edited are turned to angles.

    Attributes:
        of: the state, as the handles name it.
        gesture, n: count the times that the page took hold of a handle, and its messages.
        held: whether it still holds it.
        joints, angles: which joints, and radians.
    """

    of: str
    gesture: int
    n: int
    held: bool
    joints: tuple[str, ...]
    angles: tuple[float, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.joints) != len(self.angles):
            raise FootfallError(f"pose: {len(self.joints)} joints have {len(self.angles)} angles")


@dataclass(frozen=True)
class Click(_Asked, name="click"):
    """The ground was clicked: the ray from the eye ``start`` along a direction."""

    start: Point
    along: Point


@dataclass(frozen=True)
class Stick(_Asked, name="stick"):
    """The stick of a gamepad was moved: where to go in the world, as long as it is tilted, 0 (released) to 1."""

    x: float
    y: float


@dataclass(frozen=True)
class Answered(_Asked, name="answer"):
    """The answer to a question: which button was pressed."""

    id: str
    button: int


@dataclass(frozen=True)
class Open(_Asked, name="open"):
    """The panels that are unfolded on a page, by their names."""

    panels: tuple[str, ...]


@dataclass(frozen=True)
class UploadBegins(_Asked, name="upload"):
    """A file is about to be sent to the upload button ``id``."""

    upload: int
    id: str
    name: str
    size: int


Asked = Ack | SetValue | Press | Command | Do | Drag | PoseTurned | Click | Stick | Answered | Open | UploadBegins

SCHEMA = Schema(largest=2.0**53)


def read_asked(text: str) -> Asked:
    """The message of a page.

    Raises:
        FootfallError: where it is none.
    """
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise FootfallError("a message is not JSON") from None
    kind = KINDS.get(str(told.get("type"))) if isinstance(told, dict) else None
    if kind is None:
        raise FootfallError(f"a message has no type; known ones are {', '.join(KINDS)}")
    known = {name: told[name] for name in types_of(kind) if name in told}
    made: Asked = read_table(known, kind, told["type"], SCHEMA)
    return made
