"""Controllers of a law that names its numbers: the ready-made kind for a law of one's own.

A controller's file:

    name = "stroll"
    figure = "planar-biped"
    law = "own-walk"
    about = "…"

    [parameters]             # the law's numbers by name; what is not given has the law's own value
    c_v = 0.25

    [start]                  # optional, as are [ground] and [integration]
    qpos = [ … ]
    qvel = [ … ]
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from footfall.control.integration import Integration
from footfall.control.kind import MARK, Abilities, ControllerKind, Description, Knobs
from footfall.control.start import Start
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.text_files import parse_toml

if TYPE_CHECKING:
    from footfall.control.law import Law
    from footfall.figures import Figure

__all__ = ["LawController", "LawKind"]

_TEXTS = ("name", "figure", "law", "about")
_SECTIONS: dict[str, type] = {"start": Start, "ground": Ground, "integration": Integration}
_KEYS = (*_TEXTS, "parameters", *_SECTIONS)


@dataclass(frozen=True)
class LawController:
    """A controller of a law that names its numbers.

    Attributes:
        parameters: the law's numbers by name; those that are not here have the law's own value.
        name, figure, law, about, start, ground, integration: as :class:`footfall.control.Controller` has them.
    """

    name: str
    figure: str
    law: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    about: str = ""
    start: Start | None = None
    ground: Ground | None = None
    integration: Integration | None = None


class LawKind(ControllerKind):
    """Controllers of a law.

    Args:
        name: of the law, as files and the entry point have it.
        law: its class, made without arguments; its ``numbers`` are what a file may give under [parameters].
        library: folder with ``.toml`` files of controllers; by default ``controllers`` beside the law's module, in a
            package that has such a folder.
        can: what can be done with its controllers.
    """

    def __init__(
        self,
        name: str,
        law: "type[Law]",
        *,
        library: Traversable | None = None,
        can: Abilities = Abilities(live=True),  # noqa: B008
    ) -> None:
        self.laws, self.law_class, self.usual = (name,), law, can
        self.library = library or _beside(law)

    @property
    def numbers(self) -> dict[str, float]:
        """The law's numbers with its own values."""
        return {name: float(value) for name, value in self.law_class.numbers.items()}

    def parse(self, text: str, where: str) -> LawController:
        """A controller from the text of its file."""
        data = parse_toml(text, where)
        _check_keys(data, _KEYS, where)
        for key in ("name", "figure"):
            if key not in data:
                raise FootfallError(f"{where}: '{key}' is missing")
        parts: dict[str, Any] = {key: _text(data[key], where, key) for key in _TEXTS if key in data}
        given = _table(data.get("parameters", {}), f"{where}, [parameters]")
        own = self.numbers
        if given and not own:
            raise FootfallError(f"{where}, [parameters]: law '{self.laws[0]}' has no named numbers")
        _check_keys(given, tuple(own), f"{where}, [parameters]", "parameter")
        numbers = {key: _number(value, f"{where}, [parameters]", key) for key, value in given.items()}
        parts["parameters"] = own | numbers
        for key, kind in _SECTIONS.items():
            if key in data:
                parts[key] = _section(data[key], kind, f"{where}, [{key}]")
        controller = LawController(**{"law": self.laws[0], **parts})
        object.__setattr__(controller, "_source", text)
        return controller

    def print(self, controller: LawController) -> str:
        """The text of a controller's file: as it was read, byte for byte, where nothing was changed."""
        source = getattr(controller, "_source", None)
        if isinstance(source, str) and self.parse(source, "controller text") == controller:
            return source
        lines = [f"{key} = {_toml(getattr(controller, key))}" for key in _TEXTS if getattr(controller, key)]
        tables = {"parameters": dict(controller.parameters)} | _sections(controller)
        for key, table in tables.items():
            if table:
                lines += ["", f"[{key}]", *(f"{name} = {_toml(value)}" for name, value in table.items())]
        return "\n".join(lines) + "\n"

    def law(self, controller: LawController, figure: "Figure") -> "Law":
        """The law with the controller's numbers."""
        law, own = self.law_class(), self.numbers
        _check_keys(controller.parameters, tuple(own), f"controller '{controller.name}'", "parameter")
        if own:
            law.numbers = own | dict(controller.parameters)
        return law

    def describe(self, controller: LawController, *, draw: bool = False) -> Description:
        """Its numbers, beside those that the law has of itself."""
        numbers, sections = self.numbers | dict(controller.parameters), _sections(controller)
        rows = [[name, f"{numbers[name]:g}", f"{own:g}"] for name, own in self.numbers.items()]
        lines = [
            f"{key}: {', '.join(f'{name} {_shown(value)}' for name, value in part.items())}"
            for key, part in sections.items()
            if key != "start"
        ]
        data = {key: getattr(controller, key) for key in _TEXTS} | {"parameters": numbers} | sections
        return Description(
            f"{controller.name}: a controller for {controller.figure}, law '{controller.law}'",
            [["parameter", "value", "the law's own"], *rows] if rows else (),
            lines,
            data,
        )

    def template(self, controller: LawController, knobs: Knobs) -> str:
        """The file with a marked name in place of each number."""
        hidden = {name: 70000.5 + k for k, name in enumerate(self.numbers)}
        text = self.print(replace(controller, parameters=hidden))
        for name, value in hidden.items():
            text = text.replace(repr(value), f"{MARK}{name}{MARK}")
        return text


def _beside(law: "type[Law]") -> Traversable | None:
    """The folder ``controllers`` beside a law's module; None where it is in no package or there is none."""
    package = import_module(law.__module__).__package__
    folder = files(package) / "controllers" if package else None
    return folder if folder is not None and folder.is_dir() else None


def _sections(controller: LawController) -> dict[str, dict[str, Any]]:
    """The tables that a controller has besides its parameters."""
    found = {key: asdict(part) for key in _SECTIONS if (part := getattr(controller, key)) is not None}
    found.get("start", {}).pop("state", None)
    return found


def _check_keys(data: Mapping[str, Any], keys: tuple[str, ...], where: str, kind: str = "key") -> None:
    for key in data:
        if key not in keys:
            raise FootfallError(f"{where}: {unknown_name(kind, key, keys)}")


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FootfallError(f"{where}: it is {value!r}; it must be a table")
    return value


def _text(value: Any, where: str, key: str) -> str:
    if not isinstance(value, str):
        raise FootfallError(f"{where}: {key} is {value!r}; it must be text")
    return value


def _number(value: Any, where: str, key: str, *, finite: bool = True) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FootfallError(f"{where}: {key} is {value!r}; it must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if finite and not math.isfinite(number):
        raise FootfallError(f"{where}: {key} is {str(value)[:20]}; it must be a finite number")
    return number


def _section(value: Any, kind: type, where: str) -> Any:
    data = _table(value, where)
    values: dict[str, Any] = {}
    names = tuple(f.name for f in fields(kind) if (kind, f.name) != (Start, "state"))
    _check_keys(data, names, where)
    for key, given in data.items():
        if kind is Start:
            if not isinstance(given, list):
                raise FootfallError(f"{where}: {key} is {given!r}; it must be a list of numbers")
            values[key] = tuple(_number(x, where, key) for x in given)
        elif key in ("law", "integrator"):
            values[key] = _text(given, where, key)
        else:
            values[key] = _number(given, where, key, finite=kind is not Ground)  # friction may be infinite
    missing = [name for name in names if kind is Start and name not in values]
    if missing:
        raise FootfallError(f"{where}: '{missing[0]}' is missing")
    try:
        made = kind(**values)
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from None
    if isinstance(made, Start):
        made.check(where, 1, 1)
    return made


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value) if isinstance(value, float) else json.dumps(str(value), ensure_ascii=False)
