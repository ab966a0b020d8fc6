"""``footfall show``: a controller, a figure or a terrain, as a table and as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from footfall.cli.arguments import Files, Offers
from footfall.cli.printing import check_files, print_files, print_json
from footfall.errors import unknown_name

if TYPE_CHECKING:
    from footfall.cli.show_controller import ShownController
    from footfall.cli.show_figure import ShownFigure
    from footfall.cli.show_terrain import ShownTerrain


def _names() -> list[str]:
    from footfall.control.registry import controller_names
    from footfall.figures.builtin import figure_names
    from footfall.terrain import terrain_names

    return [*controller_names(), *figure_names(), *terrain_names()]


def show(
    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME"), Offers(_names)],
    out: Files = (),
    toml: bool = False,
    json: bool = False,
) -> int:
    """Show a controller's states, a figure's parts or a terrain's outline.

    Args:
        name: a built-in name (footfall list), a terrain with its arguments, or a file.
        out: a picture (.png .svg .pdf). May be repeated.
        toml: print a controller as the text of its file, to change and run.
        json: print one JSON object on standard output.
    """
    from footfall.pictures.files import PLOT_SUFFIXES

    files = check_files(out, PLOT_SUFFIXES)
    what = _found(name)
    text = what.toml() if toml else ""
    for file in files:
        what.draw(file)
    if toml:
        print(text, end="")
    elif json:
        print_json(what.described() | {"files": files})
    else:
        what.print_summary()
        print_files(files)
    return 0


def _found(name: str) -> "ShownController | ShownFigure | ShownTerrain":
    from footfall.cli.show_controller import ShownController
    from footfall.cli.show_figure import ShownFigure
    from footfall.cli.show_terrain import ShownTerrain
    from footfall.control.registry import controller_names, load_controller
    from footfall.figures import Figure, figure_names
    from footfall.terrain import parse_terrain, terrain_names

    suffix = Path(name).suffix.lower()
    if name in controller_names("", guests=False) or suffix == ".toml":
        return ShownController(load_controller(name))
    if name in figure_names() or suffix in (".xml", ".urdf", ".bones"):
        return ShownFigure(Figure.load(name))
    if name.partition(":")[0] in terrain_names() or suffix in (".csv", ".txt", ".png", ".jpg", ".tif", ".bmp"):
        return ShownTerrain(parse_terrain(name))
    if name in controller_names(""):
        return ShownController(load_controller(name))
    raise unknown_name("name", name, [*controller_names(""), *figure_names(), *terrain_names()])
