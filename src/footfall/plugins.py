"""What other packages add to footfall, through entry points that their ``pyproject.toml`` declares.

    [project.entry-points."footfall.controllers"]
    bang-bang = "my_package.bang_bang:KIND"

Four groups: ``footfall.controllers`` (kinds of controllers, by the law that their files name), ``footfall.figures``,
``footfall.formats`` (of motion files) and ``footfall.commands``. What stands behind a name is loaded when it is used.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from footfall.errors import FootfallError

__all__ = ["load_plugin", "plugin_names", "plugin_package"]


@cache
def _found(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=f"footfall.{group}")}


def plugin_names(group: str) -> tuple[str, ...]:
    """Names that other packages add to a group."""
    return tuple(sorted(_found(group)))


def plugin_package(group: str, name: str) -> str:
    """The package that adds a name."""
    point = _found(group)[name]
    return point.dist.name if point.dist is not None else point.value.partition(":")[0]


def load_plugin(group: str, name: str) -> Any:
    """The object behind a name; an error that names the package where it does not load."""
    try:
        return _found(group)[name].load()
    except FootfallError:
        raise
    except Exception as error:
        package = plugin_package(group, name)
        raise FootfallError(
            f"package '{package}' adds '{name}' to footfall's {group}, but it does not load: "
            f"{type(error).__name__}: {error}; mend or uninstall the package"
        ) from error
