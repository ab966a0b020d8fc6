"""Figures by name: those that come with footfall, as data files in ``library`` (MJCF, or the bones of Laszlo's thesis),
and those that other packages add (:mod:`footfall.plugins`).

In the group ``footfall.figures`` a package gives the path of an ``.xml`` or ``.bones`` file, as text, ``Path`` or
``Traversable``, or a function that returns one. In the group ``footfall.figure_files`` it gives a function that makes a
figure of a file of another kind, or returns None for a path that is not its own; footfall's own makes a person of a
motion file.
"""

import atexit
from contextlib import ExitStack
from functools import cache
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError, unknown_name
from footfall.figures.bones import BoneHinge, Bones, bones_to_mjcf, read_bones
from footfall.plugins import load_plugin, plugin_names, plugin_package

_LIBRARY = Path(__file__).parent / "library"
_unpacked = ExitStack()
"""Files of packages that are not installed as folders, until the program ends."""
atexit.register(_unpacked.close)


def figure_names() -> tuple[str, ...]:
    """Names of the figures that come with footfall or that other packages add."""
    return tuple(sorted({*_sources(), *plugin_names("figures")}))


def figure_about(name: str) -> str:
    """What a figure is: the first sentence of its file's comment."""
    guest = guest_figure(name)
    text = (guest or _source(name)).read_text(encoding="utf-8")
    if guest is not None and not text.lstrip().startswith(("<!--", "#")):
        return f"from package '{plugin_package('figures', name)}'"
    text = text.lstrip().removeprefix("<!--").lstrip("# ")
    return text.partition("\n")[0].strip().removesuffix("-->").strip().rstrip(".")


@cache
def guest_figure(name: str) -> Path | None:
    """The file of a figure that another package adds; None for one that comes with footfall."""
    if name in _sources() or name not in plugin_names("figures"):
        return None
    found = load_plugin("figures", name)
    where = f"figure '{name}' of package '{plugin_package('figures', name)}'"
    file = found() if callable(found) else found
    if not isinstance(file, str | Traversable):
        raise FootfallError(f"{where}: it is {file!r:.60}; it must be the path of an .xml or .bones file")
    path = Path(file) if isinstance(file, str) else _unpacked.enter_context(as_file(file))
    if path.suffix not in (".xml", ".bones") or not path.is_file():
        raise FootfallError(f"{where}: {path} is not an .xml or .bones file that exists")
    return path


def guest_body(path: Path) -> Any | None:
    """The figure that some reader of other files makes of a file; None where none does."""
    found = (load_plugin("figure_files", name)(path) for name in plugin_names("figure_files"))
    return next((body for body in found if body is not None), None)


@cache
def is_builtin_mjcf(name: str, text: str) -> bool:
    """Whether this is the MJCF text of the built-in figure of that name, and not of one that was changed."""
    return name in _sources() and builtin_mjcf(name) == text


def builtin_mjcf(name: str) -> str:
    """The MJCF text of a built-in figure."""
    source = _source(name)
    if source.suffix == ".xml":
        return source.read_text(encoding="utf-8")
    return bones_to_mjcf(thesis_bones(name), name)


def thesis_bones(name: str) -> Bones:
    """The skeleton of a figure that comes from the thesis: its bones, numbered monitor points and settings."""
    source = _source(name)
    if source.suffix != ".bones":
        names = ", ".join(key for key, path in sorted(_sources().items()) if path.suffix == ".bones")
        raise FootfallError(f"figure '{name}' is not one of the thesis's, which are {names}")
    return read_bones(source)


def thesis_columns(name: str) -> tuple[BoneHinge, ...]:
    """The columns of the thesis's pose tables for a figure, in the script's order of joints.

    Each has the joint's name and the sign that turns the thesis's angle into footfall's.
    """
    return thesis_bones(name).hinges


def _source(name: str) -> Path:
    sources = _sources()
    if name not in sources:
        raise unknown_name("figure", name, figure_names())
    return sources[name]


def _sources() -> dict[str, Path]:
    return {path.stem: path for path in _LIBRARY.iterdir() if path.suffix in (".xml", ".bones")}
