"""The figures that come with footfall, as data files in ``library``: MJCF, or the bones of Laszlo's thesis."""

from pathlib import Path

from footfall.errors import FootfallError, unknown_name
from footfall.figures.bones import Bones, Hinge

__all__ = ["builtin_mjcf", "figure_names", "thesis_bones", "thesis_columns"]

_LIBRARY = Path(__file__).parent / "library"


def figure_names() -> tuple[str, ...]:
    """Names of the built-in figures."""
    return tuple(sorted(_sources()))


def figure_about(name: str) -> str:
    """What a built-in figure is: the first sentence of its file's comment."""
    text = _source(name).read_text(encoding="utf-8").removeprefix("<!--").lstrip("# ")
    return text.partition("\n")[0].strip().removesuffix("-->").strip().rstrip(".")


def builtin_mjcf(name: str) -> str:
    """The MJCF text of a built-in figure."""
    source = _source(name)
    if source.suffix == ".xml":
        return source.read_text(encoding="utf-8")
    from footfall.figures.bones_mjcf import bones_to_mjcf

    return bones_to_mjcf(thesis_bones(name), name)


def thesis_bones(name: str) -> Bones:
    """The skeleton of a figure that comes from the thesis: its bones, numbered monitor points and settings."""
    source = _source(name)
    if source.suffix != ".bones":
        names = ", ".join(key for key, path in sorted(_sources().items()) if path.suffix == ".bones")
        raise FootfallError(f"figure '{name}' is not one of the thesis's, which are {names}")
    from footfall.figures.bones_reading import read_bones

    return read_bones(source)


def thesis_columns(name: str) -> tuple[Hinge, ...]:
    """The columns of the thesis's pose tables for a figure, in the script's order of joints.

    Each has the joint's name and the sign that turns the thesis's angle into footfall's.
    """
    return thesis_bones(name).hinges


def _source(name: str) -> Path:
    sources = _sources()
    if name not in sources:
        raise unknown_name("figure", name, sources)
    return sources[name]


def _sources() -> dict[str, Path]:
    return {path.stem: path for path in _LIBRARY.iterdir() if path.suffix in (".xml", ".bones")}
