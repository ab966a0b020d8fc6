"""A character as files for other programs: a ``.wasm``, the ``.json`` that names its numbers, and an example page."""

import html
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.live.character import characters_of
from footfall.live.description import description
from footfall.live.modules import module_of
from footfall.terrain import Terrain
from footfall.writing import write_whole


def export_module(
    controllers: Sequence[Controller],
    folder: str | Path,
    *,
    figure: Figure | None = None,
    dt: float | None = None,
    terrains: Mapping[str, Terrain] | None = None,
) -> list[Path]:
    """Write NAME.wasm, NAME.json, walker.js and example.html into a folder; the files written.

    Args:
        controllers: those that can be switched between, the first one starts.
        folder: made if it is not there.
        figure: by default the controllers' own.
        dt: time step, seconds; by default the first controller's.
        terrains: to choose from, by name.
    """
    characters = characters_of(controllers, figure, dt=dt)
    if len(characters) > 1:
        names = ", ".join(c.name for c in characters)
        raise FootfallError(f"export-module: these controllers cannot share a module; export each alone: {names}")
    (character,) = characters
    module = module_of(character)
    about = json.dumps(description(character, module.tables, terrains), separators=(",", ":"), allow_nan=False)
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FootfallError(f"{folder}: cannot make this folder: {error.strerror or error}") from error
    here, name = files("footfall.live"), _file_name(character.name)
    example = (here / "example.html").read_text(encoding="utf-8").replace("__NAME__", html.escape(name))
    written = {
        f"{name}.wasm": module.wasm,
        f"{name}.json": about.encode(),
        "walker.js": (here / "walker.js").read_bytes(),
        "example.html": example.encode(),
    }
    for file, data in written.items():
        write_whole(folder / file, data)
    return [folder / file for file in written]


def _file_name(name: str) -> str:
    """A controller's name as a file name."""
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip("-.")
    return plain or "controller"
