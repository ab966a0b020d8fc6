"""``footfall list``: the controllers, figures and terrains that come with footfall and with other packages; loads no
engine, unless a package brings a law."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from footfall.cli.printing import print_columns, print_json
from footfall.errors import FootfallError
from footfall.plugins import report_broken

TERRAINS = {
    "flat": ("flat", "level ground"),
    "slope": ("slope:DEGREES[,START[,LENGTH]]", "a slope, up or down"),
    "steps": ("steps:RISE[,RUN[,COUNT[,START]]]", "a row of steps, up or down"),
    "stairs": ("stairs:[RISE[,RUN[,COUNT[,LANDING[,START]]]]]", "a flight up, a landing, a flight down"),
    "random-steps": ("random-steps:RISE[,LENGTH[,COUNT[,SEED[,START]]]]", "random steps; each world has its own"),
    "downward": ("downward", "SIMBICON's uneven ground"),
    "upward": ("upward", "the uneven ground of Improving SIMBICON"),
    "heightfield": ("heightfield:FILE[,LENGTH[,WIDTH[,HEIGHT[,X[,Y]]]]]", "a grey picture"),
}
"""Terrain name -> how to write it, what it is."""


def list_(json: bool = False) -> int:
    """List the controllers, figures and terrains that come with footfall and with the packages that extend it.

    Args:
        json: print one JSON object on standard output.
    """
    parts = {"controllers": _controllers(), "figures": _figures(), "terrains": _terrains()}
    if json:
        print_json(parts)
        return 0
    for title, rows in parts.items():
        print(title)
        print_columns([list(row.values()) for row in rows])
    print("files work too: controllers .toml, figures .xml (MJCF), .urdf or .bones, terrains .csv (x z) or .png")
    return 0


def _controllers() -> Sequence[dict[str, Any]]:
    from footfall.control.registry import controller_names, load_controller

    def row(name: str) -> dict[str, Any]:
        found = load_controller(name)
        return {"name": name, "figure": found.figure, "about": _sentence(found.about)}

    return _rows(controller_names(), row)


def _rows(names: Iterable[str], row: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each name; what another package adds and cannot be read is reported and left out."""
    rows = []
    for name in names:
        try:
            rows.append(row(name))
        except FootfallError as error:
            report_broken(str(error))
    return rows


def _sentence(text: str) -> str:
    """The first one."""
    return re.split(r"(?<=\.)\s", text.strip(), maxsplit=1)[0].removesuffix(".")


def _figures() -> Sequence[dict[str, Any]]:
    from footfall.figures.builtin import figure_about, figure_names

    return _rows(figure_names(), lambda name: {"name": name, "about": figure_about(name)})


def _terrains() -> Sequence[dict[str, Any]]:
    from footfall.terrain import terrain_names

    known = {name: TERRAINS.get(name, (name, "")) for name in terrain_names()}
    return [{"name": name, "written": form, "about": about} for name, (form, about) in known.items()]
