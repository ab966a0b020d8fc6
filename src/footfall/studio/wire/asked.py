"""What a page asks for: one dataclass for each kind of message, and the reader that makes them from JSON."""

import json
import math
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_origin, get_type_hints

from footfall.errors import FootfallError

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Ack:
    """The page has shown turn ``n``."""

    n: int


@dataclass(frozen=True)
class SetValue:
    """Somebody gave the control ``id`` another value."""

    id: str
    value: Any


@dataclass(frozen=True)
class Press:
    """Somebody pressed a button; of a group the one that ``value`` names."""

    id: str
    value: str = ""


@dataclass(frozen=True)
class Command:
    """Somebody pressed the key of a command, or chose it by its name."""

    name: str


@dataclass(frozen=True)
class Do:
    """Something about time: play, step, reset, seek, skip, rate or cancel."""

    do: str
    on: bool = False
    time: float = 0.0
    seconds: float = 0.0
    rate: float = 1.0


@dataclass(frozen=True)
class Drag:
    """A node of the scene is dragged.

    Attributes:
        id: of the node. phase: start, move or end. part: the joint of a body, or the number of a handle.
        start: where it is held. to: where the pointer is. eye: where the camera is.
    """

    id: str
    phase: str
    part: int
    start: Point
    to: Point
    eye: Point


@dataclass(frozen=True)
class Click:
    """The ground was clicked: the ray from the eye ``start`` along a direction."""

    start: Point
    along: Point


@dataclass(frozen=True)
class Stick:
    """The stick of a gamepad was moved: where to go in the world, as long as it is tilted, 0 (released) to 1."""

    x: float
    y: float


@dataclass(frozen=True)
class Answer:
    """The answer to a question: which button was pressed."""

    id: str
    button: int


@dataclass(frozen=True)
class Open:
    """The panels that are unfolded on a page, by their names."""

    panels: tuple[str, ...]


@dataclass(frozen=True)
class UploadBegins:
    """A file is about to be sent to the upload button ``id``."""

    upload: int
    id: str
    name: str
    size: int


Asked = Ack | SetValue | Press | Command | Do | Drag | Click | Stick | Answer | Open | UploadBegins

KINDS: dict[str, type[Any]] = {
    "ack": Ack,
    "set": SetValue,
    "press": Press,
    "command": Command,
    "do": Do,
    "drag": Drag,
    "click": Click,
    "stick": Stick,
    "answer": Answer,
    "open": Open,
    "upload": UploadBegins,
}
RENAMED = {"start": "from"}
"""Fields that have another name in JSON, because Python keeps that word for itself."""


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
    hints, values = get_type_hints(kind), {}
    for field in fields(kind):
        name = RENAMED.get(field.name, field.name)
        if name in told:
            values[field.name] = _checked(told[name], hints[field.name], f"{told['type']}.{name}")
        elif field.default is MISSING:
            raise FootfallError(f"{told['type']}: '{name}' is missing")
    made: Asked = kind(**values)
    return made


def _checked(value: Any, wanted: Any, where: str) -> Any:
    """A value of the type that a field has."""
    if wanted is Any:
        return value
    if get_origin(wanted) is tuple:
        if not isinstance(value, list) or (wanted == Point and len(value) != 3):
            raise FootfallError(f"{where} is {str(value)[:40]!r}; it must be a list")
        return tuple(_checked(part, str if wanted != Point else float, where) for part in value)
    if wanted is float and isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if wanted is int and isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53:
        return value
    if wanted in (str, bool) and isinstance(value, wanted):
        return value
    raise FootfallError(f"{where} is {str(value)[:40]!r}; it must be a {wanted.__name__}")
