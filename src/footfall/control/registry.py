"""Controllers of every kind, by name or file: the one place that knows which kinds there are."""

from functools import cache
from importlib import import_module
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.control.kind import Controller, ControllerKind
from footfall.errors import FootfallError, unknown_name
from footfall.plugins import load_plugin, plugin_names
from footfall.text_files import parse_toml, read_text
from footfall.writing import write_whole

if TYPE_CHECKING:
    from footfall.control.law import Law
    from footfall.figures import Figure

__all__ = [
    "controller_names",
    "kind_of",
    "law_names",
    "law_of",
    "load_controller",
    "parse_controller",
    "print_controller",
    "save_controller",
]

BUILT_IN = {
    "simbicon": "footfall.methods.simbicon.kind:SIMBICON",
    "servo": "footfall.methods.limit_cycle.kind:SERVO",
    "torso-servo": "footfall.methods.limit_cycle.kind:SERVO",
    "tracking": "footfall.methods.tracking.kind:TRACKING",
    "steering": "footfall.methods.tracking.kind:STEERING",
}
"""Law -> the kind of its controllers."""
DEFAULT_LAW = "simbicon"
"""Of a file that names none."""


def law_names() -> tuple[str, ...]:
    """Laws that a controller's file may name."""
    return (*BUILT_IN, *(name for name in plugin_names("controllers") if name not in BUILT_IN))


@cache
def _kind(law: str) -> ControllerKind:
    if law in BUILT_IN:
        module, _, name = BUILT_IN[law].partition(":")
        built_in: ControllerKind = getattr(import_module(module), name)
        return built_in
    found = load_plugin("controllers", law)
    kind = found() if isinstance(found, type) else found
    if not isinstance(kind, ControllerKind):
        raise FootfallError(
            f"law '{law}': its package gives {kind!r:.60}; it must be a footfall.control.ControllerKind"
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
def _libraries() -> dict[str, tuple[str, Traversable]]:
    """Built-in name -> its law's kind and its file."""
    found: dict[str, tuple[str, Traversable]] = {}
    for law in law_names():
        folder = kind_of(law).library
        for file in folder.iterdir() if folder is not None else ():
            if file.name.endswith(".toml"):
                found.setdefault(file.name.removesuffix(".toml"), (law, file))
    return found


@cache
def controller_names(can: str = "run") -> tuple[str, ...]:
    """Names of the built-in controllers, and of those that other packages bring, of kinds that ``can`` do something
    (an attribute of :class:`Abilities`); by default those that walk by themselves, with "" all."""
    found = _libraries().items()
    return tuple(sorted(name for name, (law, _) in found if not can or getattr(kind_of(law).usual, can)))


def load_controller(source: Any) -> Any:
    """A controller by name or from its ``.toml`` file (a controller passes through)."""
    if not isinstance(source, str | Path):
        return source
    name = str(source)
    if name in _libraries():
        law, file = _libraries()[name]
        return kind_of(law).parse(file.read_text(encoding="utf-8"), f"controller '{name}'")
    path = Path(source)
    if path.suffix != ".toml":
        raise unknown_name("controller", name, controller_names())
    return parse_controller(read_text(path, "controller file"), str(path))


def parse_controller(text: str, where: str = "controller text") -> Any:
    """A controller from the text of its file; errors name ``where`` and the place in it."""
    law = parse_toml(text, where).get("law", DEFAULT_LAW)
    if not isinstance(law, str):
        raise FootfallError(f"{where}: law is {law!r}; it must be text")
    return kind_of(law, where).parse(text, where)


def print_controller(controller: Controller) -> str:
    """The text of a controller's file."""
    return kind_of(controller).print(controller)


def save_controller(controller: Controller, path: str | Path) -> None:
    """Write a controller file, whole or not at all."""
    write_whole(Path(path), print_controller(controller).encode())


def law_of(controller: Controller, figure: "Figure") -> "Law":
    """The law of a controller on a figure."""
    start = controller.start
    if start is not None and (len(start.qpos), len(start.qvel)) != (figure.nq, figure.nv):
        raise FootfallError(
            f"controller '{controller.name}': its start has {len(start.qpos)} qpos and {len(start.qvel)} qvel; "
            f"figure '{figure.name}' has {figure.nq} and {figure.nv}"
        )
    return kind_of(controller).law(controller, figure)
