"""The commands of ``footfall`` by name, in groups: its own, and those of other packages.

Other packages add commands through their ``pyproject.toml``:

    [project.entry-points."footfall.commands"]
    hop = "my_package.command:hop"

A command is a function, or a dict of functions for a command with sub-commands of its own. A function's signature is
its command line (see tyro), its docstring the help; :class:`~footfall.cli.arguments.Offers` in an annotation completes
words. It returns an exit status or nothing, and raises :class:`~footfall.errors.FootfallError` for whatever the user
gave that is wrong.
"""

import functools
import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from footfall.errors import FootfallError, unknown_name
from footfall.plugins import load_plugin, plugin_names, plugin_package

Command = Callable[..., Any] | dict[str, Callable[..., Any]]

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "make it walk": {
        "run": ("footfall.cli.run:run", "simulate a controller and report the outcome"),
        "optimize": ("footfall.cli.optimize:optimize", "search a controller's parameters for a goal, or a new gait"),
        "adapt": ("footfall.cli.adapt:adapt", "adapt controllers to other bodies: a robot, a child, a list of them"),
        "train": ("footfall.cli.train:train", "train a network that corrects a controller, or its torso's torques"),
        "imitate": ("footfall.cli.imitate:imitate", "turn captured clips into a simulated character"),
    },
    "watch it": {
        "studio": ("footfall.cli.studio:studio", "author, watch and push walking bipeds in the browser"),
        "live": ("footfall.cli.live:live", "write a page that simulates controllers in any browser"),
        "course": ("footfall.cli.course:course", "ten lessons on walking as web pages, and a class's grades"),
        "show": ("footfall.cli.show:show", "list or show the controllers, figures and terrains"),
    },
    "study it": {
        "sweep": ("footfall.cli.sweep:sweep", "run a controller over a grid or sample of anything"),
        "robustness": (
            "footfall.cli.robustness:robustness",
            "how hard controllers can be pushed and switched",
        ),
        "stability": ("footfall.cli.stability:stability", "return map, Floquet multipliers, bifurcations, basin"),
        "analyse": ("footfall.cli.analyse:analyse", "analyse a walk as gait laboratories do: angles, moments, forces"),
        "what-if": ("footfall.cli.what_if:what_if", "change the body of a walk: a limp, a load, a prosthesis"),
    },
    "motion": {
        "motion": ("footfall.cli.motion:COMMANDS", "import, inspect, plot, compare and stream motion files"),
        "steer": ("footfall.cli.steer:steer", "steer a simulated character along a path, from captured clips"),
    },
    "export": {
        "export": ("footfall.cli.export:export", "write motion, films, pages, bodies, WebAssembly modules or C"),
        "check": ("footfall.cli.check:check", "replay the golden run of a robot's pack: the first difference"),
    },
    "the papers' own": {
        "limit-cycle": ("footfall.cli.limit_cycle:limit_cycle", "balance a pose control graph or script step by step"),
        "pendulum": ("footfall.cli.pendulum:pendulum", "walk in closed form, one walker or a crowd"),
    },
}
"""Group, by what people want -> its commands: name -> (module:attribute, one line of help)."""
OWN = {name: row for group in GROUPS.values() for name, row in group.items()}
"""Name -> (module:attribute, one line of help) of the commands that come with footfall itself."""

APART = {"reproduce": ("footfall-reproductions", "reproductions", "measure a paper's tables and claims again")}
"""Name -> (package, its folder in a checkout, one line of help) of commands whose package is installed on its own; they
are listed with the papers' own."""


def command_names() -> tuple[str, ...]:
    """All commands: footfall's own, those that other packages add, and those that could be installed."""
    return tuple(dict.fromkeys([*OWN, *plugin_names("commands"), *APART]))


def command_package(name: str) -> str:
    """The other package that adds a command; empty where it comes with footfall or is not installed."""
    return plugin_package("commands", name) if name in plugin_names("commands") and name not in OWN else ""


def command_help(name: str) -> str:
    """One line on a command. Nothing is imported for it."""
    if name in OWN:
        return OWN[name][1]
    package = command_package(name)
    if name not in APART:
        return f"from {package}"
    own, _, text = APART[name]
    return f"{text} (from {package})" if package else f"{text} (not installed: pip install {own})"


def with_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that returns an :class:`~footfall.cli.printing.Answer`, with the option ``--json`` that says how it is
    printed. Commands with such an option of their own stay as they are."""
    signature = inspect.signature(command)
    if "json" in signature.parameters:
        return command

    @functools.wraps(command)
    def run(*args: Any, json: bool = False, **options: Any) -> int:
        return int(command(*args, **options).show(json))

    option = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=bool)
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), option])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, "json": bool}
    run.__doc__ = f"{(command.__doc__ or '').rstrip()}\n        json: print one JSON object on standard output.\n    "
    return run


def load_command(name: str) -> Command:
    """What runs a command; an error that says what to do where it is unknown, not installed, or cannot be loaded."""
    if name in OWN:
        module, _, attribute = OWN[name][0].partition(":")
        own: Command = getattr(import_module(module), attribute)
        return {word: with_json(run) for word, run in own.items()} if isinstance(own, dict) else with_json(own)
    package = command_package(name)
    if package:
        found = load_plugin("commands", name)
        if not callable(found) and not (isinstance(found, dict) and all(callable(f) for f in found.values())):
            raise FootfallError(
                f"package '{package}' adds the command '{name}' to footfall, but names a {type(found).__name__}; "
                "it must name a function, or a dict of functions"
            )
        command: Command = found
        return command
    if name in APART:
        package, folder, text = APART[name]
        raise FootfallError(
            f"{name} ({text}) comes in a package of its own: pip install {package}, "
            f"or in a checkout pip install -e {folder}"
        )
    raise unknown_name("command", name, command_names())


def command_groups() -> dict[str, list[str]]:
    """Title -> commands: footfall's own groups, then what other packages add."""
    groups = {title: list(commands) for title, commands in GROUPS.items()}
    groups["the papers' own"] += APART
    added = [name for name in plugin_names("commands") if name not in OWN and name not in APART]
    return groups | ({"from other packages": added} if added else {})
