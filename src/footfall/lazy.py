"""Packages whose names are loaded when they are first used.

A package's names are written once, in its stub ``__init__.pyi``, which type checkers read too:

    from footfall.control.law import Law as Law

(``lazy_loader`` does the same for names from below a package alone.)
"""

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def stub_homes(stub: Path) -> dict[str, str]:
    """Public name -> the module that it is imported from in a stub."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    lines = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name: line.module or "" for line in lines for alias in line.names}


def lazy_names(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """A package's ``__getattr__``, ``__dir__`` and ``__all__``, from its name and file."""
    homes = stub_homes(Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(homes[name]), name)

    names = sorted(homes)
    return get, lambda: names, names
