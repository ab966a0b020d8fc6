"""Controllers of every kind, by name or file: the one place that knows which kinds there are.

Controllers of a law that names its numbers: the ready-made kind for a law of one's own.

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
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.control.kind import (
    MARK,
    Abilities,
    Controller,
    ControllerKind,
    Description,
    Integration,
    Knobs,
    Number,
    Start,
)
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, FootfallWarning, unknown_name
from footfall.escaping import shell_words
from footfall.plugins import load_plugin, plugin_names, plugin_package, report_broken
from footfall.text_files import parse_toml, read_text, write_whole
from footfall.toml_files import Form, Schema, keep_text, kept_text, print_table, read_table

if TYPE_CHECKING:
    from footfall.control.law import Law
    from footfall.figures import Figure

BUILT_IN = {
    "simbicon": "footfall.methods.simbicon.kind:SIMBICON",
    "servo": "footfall.methods.limit_cycle.kind:SERVO",
    "torso-servo": "footfall.methods.limit_cycle.kind:SERVO",
    "tracking": "footfall.methods.tracking.kind:TRACKING",
    "steering": "footfall.methods.tracking.kind:STEERING",
    "network": "footfall.methods.network.kind:NETWORK",
    "steered-network": "footfall.methods.network.kind:STEERED_NETWORK",
}
"""Law -> the kind of its controllers."""
DEFAULT_LAW = "simbicon"
"""Of a file that names none."""
MOST_FILES = 1000
_files: dict[str, str] = {}
"""Text -> file, of the controllers that were loaded from files, for messages about them."""


def law_names() -> tuple[str, ...]:
    """Laws that a controller's file may name."""
    return (*BUILT_IN, *(name for name in plugin_names("controllers") if name not in BUILT_IN))


@cache
def _kind(law: str) -> ControllerKind:
    if law in BUILT_IN:
        module, _, name = BUILT_IN[law].partition(":")
        built_in: ControllerKind = getattr(import_module(module), name)
        return built_in
    return _guest_kind(law)


def _guest_kind(law: str) -> ControllerKind:
    """The kind that another package adds: a kind, its class, or the class of a law that names its numbers."""
    from footfall.control.law import Law

    found = load_plugin("controllers", law)
    if isinstance(found, type) and issubclass(found, Law):
        return LawKind(law, found)
    kind = found() if isinstance(found, type) and issubclass(found, ControllerKind) else found
    if not isinstance(kind, ControllerKind) or law not in kind.laws:
        raise FootfallError(
            f"law '{law}': package '{plugin_package('controllers', law)}' adds {found!r:.60}; it must be a class of "
            f"footfall.Law or a footfall.control.ControllerKind whose laws have '{law}'"
        )
    return kind


def kind_of(controller: Controller | str, where: str = "") -> ControllerKind:
    """The kind of a controller, or of a law by name; errors begin with ``where``."""
    law = controller if isinstance(controller, str) else controller.law
    if law not in law_names():
        place = where or ("" if isinstance(controller, str) else f"controller '{controller.name}'")
        raise FootfallError(f"{place}{': ' if place else ''}{unknown_name('law', law, law_names())}")
    return _kind(law)


@cache
def _library(law: str) -> dict[str, Traversable]:
    """Name -> file of the controllers that come with a law. What another package brings and cannot be read is left
    out and reported."""
    try:
        folder = kind_of(law).library
    except FootfallError as error:
        report_broken(str(error))
        return {}
    files = () if folder is None else folder.iterdir()
    return {f.name.removesuffix(".toml"): f for f in files if f.name.endswith(".toml") and _is_of(f, law)}


def _is_of(file: Traversable, law: str) -> bool:
    """Whether a file is of a law; several laws of another package may share a folder."""
    if law in BUILT_IN:
        return True
    try:
        return _law_in(file.read_text(encoding="utf-8"), str(file)) == law
    except (FootfallError, OSError, UnicodeDecodeError) as error:
        report_broken(f"{file}: {error}")
        return False


def controller_names(can: str = "run", *, guests: bool = True) -> tuple[str, ...]:
    """Names of the controllers of kinds that ``can`` do something.

    Args:
        can: an attribute of :class:`Abilities`; by default those that walk by themselves, with "" all.
        guests: whether those that other packages bring are among them.
    """
    laws = law_names() if guests else tuple(BUILT_IN)
    names = (name for law in laws for name in _library(law) if not can or getattr(kind_of(law).usual, can))
    return tuple(sorted(set(names)))


def library_law(name: str) -> str:
    """The law with which a controller of a name comes; empty where there is none."""
    return next((law for law in law_names() if name in _library(law)), "")


def controller_table(name: str) -> Mapping[str, Any]:
    """The file of a controller that comes with footfall, as it is written: nothing is loaded for it. Empty where
    another package brings it."""
    law = library_law(name)
    return parse_toml(_library(law)[name].read_text(encoding="utf-8"), name) if law in BUILT_IN else {}


def load_controller(source: Any) -> Any:
    """A controller by name or from its ``.toml`` file (a controller passes through)."""
    if not isinstance(source, str | Path):
        return source
    name = str(source)
    path = Path(source)
    if path.suffix != ".toml" and (law := library_law(name)):
        return kind_of(law).parse(_library(law)[name].read_text(encoding="utf-8"), f"controller '{name}'")
    if path.suffix != ".toml":
        raise unknown_name("controller", name, controller_names())
    text = read_text(path, "controller file")
    controller = parse_controller(text, str(path))
    if len(_files) >= MOST_FILES:
        _files.clear()
    _files[text] = str(path)
    return controller


def load_walker(source: Any) -> Any:
    """A controller as :func:`load_controller` loads it; in place of one that is steered, what it does by itself; one
    that walks only where it is steered is refused."""
    controller = load_controller(source)
    kind = kind_of(controller)
    if not kind.abilities(controller).run:
        alone = kind.unsteered(controller)
        if alone is not None:
            return alone
        raise FootfallError(
            f"controller '{controller.name}' walks only where it is steered; use `footfall steer` or the studio"
        )
    return controller


def parse_controller(text: str, where: str = "controller text") -> Any:
    """A controller from the text of its file; errors name ``where`` and the place in it."""
    return kind_of(_law_in(text, where), where).parse(text, where)


def _law_in(text: str, where: str) -> str:
    """The law that a file names."""
    law = parse_toml(text, where).get("law", DEFAULT_LAW)
    if not isinstance(law, str):
        raise FootfallError(f"{where}: law is {law!r}; it must be text")
    return law


def print_controller(controller: Controller) -> str:
    """The text of a controller's file."""
    return kind_of(controller).print(controller)


def save_controller(controller: Controller, path: str | Path) -> None:
    """Write a controller file, whole or not at all."""
    write_whole(Path(path), print_controller(controller).encode())


def place_of(controller: Controller) -> str:
    """What messages about a controller begin with: the file that it was loaded from, else its name."""
    file = _files.get(print_controller(controller)) if _files else None
    return file or f"controller '{controller.name}'"


def located_error(controller: Controller, error: FootfallError) -> FootfallError:
    """An error about a controller, with the file that it was loaded from."""
    place, subject, text = place_of(controller), f"controller '{controller.name}'", str(error)
    if text.startswith(place):
        return error
    joint = ", " if text.startswith("[") else ": "
    return FootfallError(place + (text.removeprefix(subject) if text.startswith(subject) else f"{joint}{text}"))


def warn_of_doubts(controller: Controller, figure: "Figure") -> None:
    """Warn of what in a controller's file is likely a mistake."""
    if _files and (place := place_of(controller)) in _files.values():
        for doubt in kind_of(controller).doubts(controller, figure):
            warnings.warn(f"{place}{doubt}", FootfallWarning, stacklevel=3)


def _check_start(controller: Controller, figure: "Figure") -> None:
    """Refuse a start of another body, with the command that carries the controller to this one."""
    assert controller.start is not None
    try:
        controller.start.check_size(figure)
    except FootfallError as error:
        if controller.figure in (figure.name, figure.source) or not figure.legs:
            raise
        words = ("--figure", figure.source, "--out", f"{Path(figure.source).stem}-walk.toml")
        command = shell_words("footfall", "adapt", _carried(controller, figure), *words)
        raise FootfallError(f"{error}. {command} makes a walk for it") from None


def _carried(controller: Controller, figure: "Figure") -> str:
    """What `footfall adapt` can carry to a figure: this controller, or one for figures of its kind."""
    from footfall.figures import Figure

    usual = "walk" if figure.root == "planar" else "plain-walk-sketch"
    try:
        fits = controller.law == "simbicon" and Figure.load(controller.figure).root == figure.root
    except FootfallError:
        return usual
    return (_files.get(print_controller(controller)) or controller.name) if fits else usual


def law_of(controller: Controller, figure: "Figure") -> "Law":
    """The law of a controller on a figure. Errors name the controller's file, and what in the file is likely a mistake
    is warned of."""
    try:
        if controller.start is not None:
            _check_start(controller, figure)
        law = kind_of(controller).law(controller, figure)
    except FootfallError as error:
        raise located_error(controller, error) from None
    warn_of_doubts(controller, figure)
    return law


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
        found = read_table(parse_toml(text, where), LawController, where, SCHEMA)
        self._check_numbers(found.parameters, f"{where}, [parameters]")
        if found.start is not None:
            found.start.check(f"{where}, [start]", 1, 1)
        controller = replace(found, law=self.laws[0], parameters=self.own_numbers | dict(found.parameters))
        keep_text(controller, text)
        return controller

    def print(self, controller: LawController) -> str:
        """The text of a controller's file: as it was read, byte for byte, where nothing was changed."""
        return kept_text(controller, partial(self.parse, where="controller text")) or print_table(controller, SCHEMA)

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
        self._check_numbers({name: value}, f"controller '{controller.name}'")
        return replace(controller, parameters={**controller.parameters, name: float(value)})

    def describe(self, controller: LawController, *, draw: bool = False) -> Description:
        numbers = self.own_numbers | dict(controller.parameters)
        sections = {key: asdict(part) for key in _SECTIONS if (part := getattr(controller, key)) is not None}
        rows = [[name, f"{numbers[name]:g}", f"{own:g}"] for name, own in self.own_numbers.items()]
        lines = []
        for key, part in sections.items():
            shown = (
                f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in part.items()
            )
            lines += [f"{key}: {', '.join(shown)}"] if key != "start" else []
        data = {key: getattr(controller, key) for key in _TEXTS} | {"parameters": numbers} | sections
        return Description(
            f"{controller.name}: a controller for {controller.figure}, law '{controller.law}'",
            [["parameter", "value", "the law's own"], *rows] if rows else (),
            lines,
            data,
        )

    def template(self, controller: LawController, knobs: Knobs) -> str:
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
