"""What other packages add to footfall, through entry points that their ``pyproject.toml`` declares.

    [project.entry-points."footfall.controllers"]
    bang-bang = "my_package:BangBang"

Seven groups: ``footfall.controllers`` (laws, by the name that files give as ``law``), ``footfall.figures`` and
``footfall.figure_files`` (bodies, see :mod:`footfall.figures.builtin`), ``footfall.formats`` (of motion files, by
suffix), ``footfall.terms`` (observations and rewards, see :mod:`footfall.methods.network.terms`), ``footfall.commands``
and ``footfall.notebook`` (how a notebook shows a value; footfall's own ``motion`` is
:func:`footfall.pictures.player.motion_html`). What a name refers to is loaded when it is used. What comes with footfall
goes before what others add under the same name. Packages that footfall can do without are loaded here, too
(:func:`optional_module`).
"""

import logging
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from footfall.errors import FootfallError


@cache
def _found(group: str) -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=f"footfall.{group}"):
        found.setdefault(point.name, []).append(point)
    return found


def plugin_names(group: str) -> tuple[str, ...]:
    """Names that other packages add to a group."""
    return tuple(sorted(_found(group)))


def plugin_package(group: str, name: str) -> str:
    """The package that adds a name; all of them where there are several."""
    return "' and '".join(
        point.dist.name if point.dist is not None else point.value.partition(":")[0] for point in _found(group)[name]
    )


def load_plugin(group: str, name: str) -> Any:
    """The object that a name refers to; an error that names the package where it does not load."""
    point, *others = _found(group)[name]
    package = plugin_package(group, name)
    if others:
        raise FootfallError(f"packages '{package}' both add '{name}' to footfall's {group}; uninstall one of them")
    try:
        return point.load()
    except FootfallError:
        raise
    except Exception as error:
        raise FootfallError(
            f"package '{package}' adds '{name}' to footfall's {group}, but it does not load: "
            f"{type(error).__name__}: {error}; update or uninstall the package"
        ) from error


def optional_module(name: str, needed: str) -> Any:
    """A module of a package that footfall can do without; ``needed`` is the error where it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise FootfallError(needed) from error


@cache
def report_broken(message: str) -> None:
    """Log why something of another package is left out, once: one line on standard error, unless the program that
    uses footfall sets up logging otherwise."""
    logging.getLogger("footfall").warning("footfall: %s", message)
