"""Packages whose names are loaded when they are first used."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(
    package: str, homes: Mapping[str, str], packages: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's ``__getattr__`` and ``__dir__``.

    Args:
        package: its name.
        homes: public name -> module that it is in, below the package or, with a leading "footfall.", anywhere.
        packages: names of sub-packages that are loaded when they are first used, too.
    """
    below = set(packages)

    def get(name: str) -> Any:
        if name in homes:
            home = homes[name] if homes[name].startswith("footfall.") else f"{package}.{homes[name]}"
            return getattr(import_module(home), name)
        if name in below:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: sorted([*homes, *below, "__version__"] if below else homes)
