"""The sub-commands of ``footfall``: its own, and those that other packages add through their ``pyproject.toml``.

    [project.entry-points."footfall.commands"]
    hop = "my_package.command:hop"

A command is a function, or a dict of functions for a command with sub-commands of its own. A function's signature is
its command line (see tyro), its docstring the help; :class:`~footfall.cli.arguments.Offers` in an annotation completes
words. It returns an exit status or nothing, and raises :class:`~footfall.errors.FootfallError` for whatever the user
gave that is wrong.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from footfall.errors import FootfallError, unknown_name
from footfall.plugins import load_plugin, plugin_names, plugin_package

__all__ = ["OWN", "Command", "command_help", "command_names", "command_package", "load_command"]

Command = Callable[..., Any] | dict[str, Callable[..., Any]]

OWN: dict[str, tuple[str, str]] = {
    "run": ("footfall.cli.run:run", "simulate a controller and report the outcome"),
    "list": ("footfall.cli.list_:list_", "list the controllers, figures and terrains"),
    "show": ("footfall.cli.show:show", "show a controller, a figure or a terrain"),
    "studio": ("footfall.cli.studio:studio", "author, watch and push walking bipeds in the browser"),
    "sweep": ("footfall.cli.sweep:sweep", "run a controller over a grid or sample of anything"),
    "robustness": ("footfall.cli.robustness:robustness", "measure how hard controllers can be pushed and stressed"),
    "stability": ("footfall.cli.stability:stability", "return map, Floquet multipliers, bifurcations, basin"),
    "optimize": ("footfall.cli.optimize:optimize", "search a controller's parameters for a goal"),
    "find-gait": ("footfall.cli.find_gait:find_gait", "search for a 3D gait that meets a goal"),
    "adapt": ("footfall.cli.adapt:adapt", "carry a controller to another body, a robot or a child"),
