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

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from footfall.control.integration import Integration
from footfall.control.kind import MARK, Abilities, ControllerKind, Description, Knobs, Number
from footfall.control.start import Start
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.text_files import parse_toml
from footfall.toml_files import Form, Schema, keep_text, kept_text, print_table, read_table

if TYPE_CHECKING:
    from footfall.control.law import Law
    from footfall.figures import Figure

_TEXTS = ("name", "figure", "law", "about")
_SECTIONS = ("start", "ground", "integration")


@dataclass(frozen=True)
class LawController:
    """A controller of a law that names its numbers.

    Attributes:
        parameters: the law's numbers by name; those that are not here have the law's own value.
        name, figure, law, about, start, ground, integration: as :class:`footfall.control.Controller` has them.
    """

    name: str
    figure: str
    law: str = ""
    about: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    start: Start | None = None
    ground: Ground | None = None
    integration: Integration | None = None

    def __repr__(self) -> str:
        shown = list(self.parameters.items())[:6]
        numbers = ", ".join(f"{name} {value:g}" for name, value in shown) or "the law's own"
        more = f" and {len(self.parameters) - 6} more" if len(self.parameters) > 6 else ""
        return (
            f"<LawController '{self.name}' for {self.figure}, law '{self.law}'>\n"
            f"  parameters: {numbers}{more}\n"
            "  next: footfall.Simulation(controller).run(10.0)\n"
            "  its file: footfall.control.print_controller(controller); its table: footfall show NAME"
        )


SCHEMA = Schema({LawController: Form(noun="controller", always=("law",)), Start: Form(full=True)})


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
    def own_numbers(self) -> dict[str, float]:
        """The law's numbers with its own values."""
        return {name: float(value) for name, value in self.law_class.numbers.items()}

    def parse(self, text: str, where: str) -> LawController:
        """A controller from the text of its file."""
        found = read_table(parse_toml(text, where), LawController, where, SCHEMA)
        self._check_numbers(found.parameters, f"{where}, [parameters]")
        if found.start is not None:
            found.start.check(f"{where}, [start]", 1, 1)
        controller = replace(found, law=self.laws[0], parameters=self.own_numbers | dict(found.parameters))
        keep_text(controller, text)
        return controller

    def print(self, controller: LawController) -> str:
        """The text of a controller's file: as it was read, byte for byte, where nothing was changed."""
        return kept_text(controller, self._parse_again) or print_table(controller, SCHEMA)

    def _parse_again(self, text: str) -> LawController:
        return self.parse(text, "controller text")

    def _check_numbers(self, parameters: Mapping[str, float], where: str) -> None:
        own = self.own_numbers
        if parameters and not own:
            raise FootfallError(f"{where}: law '{self.laws[0]}' has no named numbers")
        for name, value in parameters.items():
            if name not in own:
                raise FootfallError(f"{where}: {unknown_name('parameter', name, own)}")
            if not math.isfinite(value):
                raise FootfallError(f"{where}: {name} is {value}; it must be a finite number")

    def law(self, controller: LawController, figure: "Figure") -> "Law":
        """The law with the controller's numbers."""
        law, own = self.law_class(), self.own_numbers
        self._check_numbers(controller.parameters, f"controller '{controller.name}'")
        if own:
            law.numbers = own | dict(controller.parameters)
        return law

    def numbers(self, controller: LawController) -> tuple[Number, ...]:
        """The law's numbers, each up to twice its own value or a little around nought."""
        values = self.own_numbers | dict(controller.parameters)
        reach = {name: 2.0 * max(abs(own), abs(values[name])) or 1.0 for name, own in self.own_numbers.items()}
        return tuple(Number(name, values[name], -most, most, group="Parameters") for name, most in reach.items())

    def with_number(self, controller: LawController, name: str, value: float) -> LawController:
        """The controller with another value of one of the law's numbers."""
        self._check_numbers({name: value}, f"controller '{controller.name}'")
        return replace(controller, parameters={**controller.parameters, name: float(value)})

    def describe(self, controller: LawController, *, draw: bool = False) -> Description:
        """Its numbers, beside those that the law has of itself."""
        numbers, sections = self.own_numbers | dict(controller.parameters), _sections(controller)
        rows = [[name, f"{numbers[name]:g}", f"{own:g}"] for name, own in self.own_numbers.items()]
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
        hidden = {name: 70000.5 + k for k, name in enumerate(self.own_numbers)}
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
    return {key: asdict(part) for key in _SECTIONS if (part := getattr(controller, key)) is not None}


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
