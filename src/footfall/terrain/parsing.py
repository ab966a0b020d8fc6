"""Terrains from words, as a command line takes them: ``NAME[:ARGS]`` or a file.

flat                            slope:DEGREES[,START[,LENGTH]]
steps:RISE[,RUN[,COUNT[,START]]]    stairs:[RISE[,RUN[,COUNT[,LANDING[,START]]]]]
downward, upward                the uneven grounds of SIMBICON and of Improving SIMBICON
random-steps:RISE[,LENGTH[,COUNT[,SEED[,START]]]]
heightfield:FILE[,LENGTH[,WIDTH[,HEIGHT[,X[,Y]]]]]
FILE.csv, FILE.txt              x z pairs; FILE.png a grey picture
"""

import dataclasses
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError, unknown_name
from footfall.terrain.fields import TerrainHeightField
from footfall.terrain.lines import (
    TerrainFlat,
    TerrainProfile,
    TerrainRandomSteps,
    TerrainSlope,
    TerrainStairs,
    TerrainSteps,
)
from footfall.terrain.terrain import Terrain

_LIBRARY = Path(__file__).parent / "library"
_KINDS: dict[str, type[Any]] = {
    "flat": TerrainFlat,
    "slope": TerrainSlope,
    "steps": TerrainSteps,
    "stairs": TerrainStairs,
    "random-steps": TerrainRandomSteps,
}
_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")
_PICTURE_ARGUMENTS = ("length", "width", "height", "x", "y")


def terrain_names() -> tuple[str, ...]:
    """Names that ``parse_terrain`` knows."""
    return (*_KINDS, *sorted(path.stem for path in _LIBRARY.glob("*.csv")), "heightfield")


def parse_terrain(text: str, seed: int = 0) -> Terrain:
    """The terrain that ``text`` names.

    Args:
        text: ``NAME[:ARGS]`` or a file, see above.
        seed: for random terrain that does not name its own.
    """
    name, _, rest = text.partition(":")
    arguments = [word.strip() for word in rest.split(",")] if rest.strip() else []
    if name == "heightfield":
        if not arguments:
            raise FootfallError(f"terrain '{text}': write heightfield:FILE[,LENGTH[,WIDTH[,HEIGHT[,X[,Y]]]]]")
        return _picture(Path(arguments[0]), arguments[1:], text)
    if name in _KINDS:
        return _made(name, arguments, text, seed)
    if name in terrain_names():
        if arguments:
            raise FootfallError(f"terrain '{text}': {name} takes no arguments")
        return dataclasses.replace(TerrainProfile.load(_LIBRARY / f"{name}.csv"), name=name)
    path = Path(text)
    if path.suffix.lower() in (".csv", ".txt"):
        return TerrainProfile.load(path)
    if path.suffix.lower() in _PICTURES:
        return _picture(path, [], text)
    raise unknown_name("terrain", name, terrain_names())


def _made(name: str, words: list[str], text: str, seed: int) -> Terrain:
    fields = [field for field in dataclasses.fields(_KINDS[name]) if field.init]
    needed = sum(field.default is dataclasses.MISSING for field in fields)
    if not needed <= len(words) <= len(fields):
        form = "".join(
            ("" if i == 0 else ",") + field.name.upper() if i < needed else f"[{',' if i else ''}{field.name.upper()}"
            for i, field in enumerate(fields)
        ) + "]" * (len(fields) - needed)
        raise FootfallError(f"terrain '{text}': write {name}{':' if fields else ''}{form}")
    values = {field.name: _number(word, field.type is int, field.name, text) for word, field in zip(words, fields)}
    if name == "random-steps":
        values.setdefault("seed", seed)
    terrain: Terrain = _KINDS[name](**values)
    return terrain


def _picture(path: Path, words: list[str], text: str) -> TerrainHeightField:
    if len(words) > len(_PICTURE_ARGUMENTS):
        raise FootfallError(f"terrain '{text}': write heightfield:FILE[,LENGTH[,WIDTH[,HEIGHT[,X[,Y]]]]]")
    values = {key: _number(word, False, key, text) for key, word in zip(_PICTURE_ARGUMENTS, words)}
    return TerrainHeightField.load(path, **values)


def _number(word: str, whole: bool, what: str, text: str) -> Any:
    try:
        return int(word) if whole else float(word)
    except ValueError:
        kind = "whole number" if whole else "number"
        raise FootfallError(f"terrain '{text}': {what} '{word}' is not a {kind}") from None
