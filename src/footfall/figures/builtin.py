"""The figures that come with footfall, as data files in ``library``: MJCF, or the bones of Laszlo's thesis."""

from pathlib import Path

from footfall.errors import unknown_name

__all__ = ["builtin_mjcf", "figure_names"]

_LIBRARY = Path(__file__).parent / "library"


def figure_names() -> tuple[str, ...]:
    """Names of the built-in figures."""
    return tuple(sorted(_sources()))


def builtin_mjcf(name: str) -> str:
    """The MJCF text of a built-in figure."""
    sources = _sources()
    if name not in sources:
        raise unknown_name("figure", name, sources)
    source = sources[name]
    if source.suffix == ".xml":
        return source.read_text(encoding="utf-8")
    from footfall.figures.bones_mjcf import bones_to_mjcf
    from footfall.figures.bones_reading import read_bones

    return bones_to_mjcf(read_bones(source), name)


def _sources() -> dict[str, Path]:
    return {path.stem: path for path in _LIBRARY.iterdir() if path.suffix in (".xml", ".bones")}
