"""The API reference: a page for each package or module with public names, from their docstrings and types.

Packages export lazily (:mod:`footfall.lazy`), so that their stubs say which names there are and where each is defined
(:mod:`tools.site.public_names`). A name that two packages export is described once, in the one below.
"""

import inspect
from importlib import import_module
from types import ModuleType
from typing import Any

import warp as wp
from sphinx.pycode import ModuleAnalyzer

from tools.site.public_names import public_names


def api_pages() -> dict[str, str]:
    """Page name -> reStructuredText: ``index`` and a page for each package or module with public names."""
    exported = public_names()
    described: dict[str, str] = {}
    for package in sorted(exported, key=lambda name: (name.count("."), name)):
        for name, home in exported[package].items():
            described[f"{home}.{name}"] = package
    pages = {package: _page(package, homes, described) for package, homes in exported.items()}
    return pages | {"index": _index(list(pages))}


def _index(packages: list[str]) -> str:
    rows = "".join(f"   {package}\n" for package in packages)
    return (
        "Python API\n==========\n\n"
        "``import footfall`` gives the names that people start with; its packages hold the rest. "
        "All are loaded when they are first used. What is on none of these pages is private and may change.\n\n"
        f".. toctree::\n   :maxdepth: 1\n\n{rows}"
    )


def _page(package: str, homes: dict[str, str], described: dict[str, str]) -> str:
    module = import_module(package)
    parts = [f"{package}\n{'=' * len(package)}\n", f".. automodule:: {package}\n   :no-index:\n"]
    found = {name: getattr(module, name) for name in homes}
    names = [name for name, value in found.items() if not isinstance(value, ModuleType)]
    own = [name for name in names if described[f"{homes[name]}.{name}"] == package]
    if elsewhere := [name for name in names if name not in own]:
        rows = [f"   * - :py:obj:`{name} <{described[f'{homes[name]}.{name}']}.{name}>`\n     - {_line(found[name])}\n"
                for name in elsewhere]  # fmt: skip
        parts.append(f".. list-table::\n   :widths: 30 70\n\n{''.join(rows)}")
    parts += [_entry(package, name, homes[name], found[name]) for name in sorted(own, key=str.lower)]
    return "\n".join(parts)


def _line(value: Any) -> str:
    """The first sentence of a docstring, on one line."""
    return " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())


def _entry(package: str, name: str, home: str, value: Any) -> str:
    if inspect.isclass(value):
        fields = issubclass(value, tuple) and "Attributes:" in (value.__doc__ or "")  # then these are its members
        return f".. autoclass:: {package}.{name}\n" + ("" if fields else "   :members:\n")
    if isinstance(value, wp.Function):
        text = "".join(f"   {line}\n" for line in (inspect.getdoc(value) or "").splitlines())
        return f".. py:function:: {package}.{name}({', '.join(inspect.signature(value.func).parameters)})\n\n{text}"
    if inspect.isroutine(value):
        return f".. autofunction:: {package}.{name}\n"
    return f".. py:data:: {package}.{name}\n\n   {_comment(home, name)}\n"


def _comment(home: str, name: str) -> str:
    """The string below a constant in the module that defines it."""
    comments = ModuleAnalyzer.for_module(home).find_attr_docs()
    return " ".join(" ".join(comments.get(("", name), [])).split())
