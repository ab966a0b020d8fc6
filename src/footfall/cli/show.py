"""``footfall show``: a list of all there is; a controller as its kind describes it, a figure with its joints, roles,
motors, bodies, soles and what was found when it was read, or a terrain's outline, in tables and as a picture."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro

from footfall.cli.arguments import Files, Offers
from footfall.cli.printing import Answer, check_files, fitted, print_columns, print_text
from footfall.control.kind import Controller, Description
from footfall.control.registry import (
    controller_names,
    controller_table,
    kind_of,
    load_controller,
    print_controller,
    warn_of_doubts,
)
from footfall.errors import FootfallError, unknown_name
from footfall.escaping import shell_words
from footfall.figures.builtin import figure_about, figure_names
from footfall.pictures import save_figure, save_picture
from footfall.pictures.page import PLOT_SUFFIXES, empty_figure
from footfall.pictures.pose_graph import pose_graph
from footfall.plugins import report_broken
from footfall.terrain import Terrain, parse_terrain, terrain_names

if TYPE_CHECKING:
    from footfall.figures import Figure


def _names() -> list[str]:
    return [*controller_names(), *figure_names(), *terrain_names()]


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


def show(
    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME"), Offers(_names)] = "",
    out: Files = (),
    toml: bool = False,
) -> Answer:
    """List the controllers, figures and terrains, or show one: a controller's states, a figure's parts, an outline.

    Args:
        name: a built-in name, a terrain with its arguments, or a file. Default: list what comes with footfall and with
            the packages that extend it.
        out: a picture (.png .svg .pdf). May be repeated.
        toml: print a controller's file as text, to change and run.
    """
    if not name:
        if out or toml:
            raise FootfallError("show: name what to draw or print, as in footfall show walk --toml")
        return _list()

    files = check_files(out, PLOT_SUFFIXES)
    what = _found(name)
    if toml and not isinstance(what, ShownController):
        raise FootfallError("--toml: only controllers have a .toml file")
    text = what.toml() if toml and isinstance(what, ShownController) else ""
    for file in files:
        what.draw(file)
    if toml:
        return Answer({"toml": text}, lambda: print(text, end=""))
    return Answer(what.described(), what.print_summary, files)


def _list() -> Answer:
    """Everything by name, with a line about it; loads no engine, unless a package brings a law."""
    parts = {"controllers": _controllers(), "figures": _figures(), "terrains": _terrains()}

    def say() -> None:
        for title, rows in parts.items():
            print(title)
            print_columns([list(row.values()) for row in rows])
        print("files work too: controllers .toml, figures .xml (MJCF), .urdf or .bones, terrains .csv (x z) or .png")

    return Answer(parts, say)


def _controllers() -> list[dict[str, Any]]:
    def row(name: str) -> dict[str, Any]:
        table = controller_table(name)
        if not {"figure", "about"} <= table.keys():
            found = load_controller(name)
            table = {"figure": found.figure, "about": found.about}
        return {"name": name, "figure": table["figure"], "about": _sentence(table["about"])}

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


def _figures() -> list[dict[str, Any]]:
    return _rows(figure_names(), lambda name: {"name": name, "about": figure_about(name)})


def _terrains() -> list[dict[str, Any]]:
    known = {name: TERRAINS.get(name, (name, "")) for name in terrain_names()}
    return [{"name": name, "written": form, "about": about} for name, (form, about) in known.items()]


def _found(name: str) -> "ShownController | ShownFigure | ShownTerrain":
    from footfall.figures import Figure

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


class ShownController:
    """A controller of any kind, as its kind describes it."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller

    def toml(self) -> str:
        """The text of its file."""
        return print_controller(self.controller)

    def _described(self, *, draw: bool = False) -> Description:
        return kind_of(self.controller).describe(self.controller, draw=draw)

    def described(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {"kind": "controller"} | self._described().data

    def print_summary(self) -> None:
        """Tables that fit a terminal."""
        from footfall.figures import Figure

        found = self._described()
        warn_of_doubts(self.controller, Figure.load(self.controller.figure))
        print(found.title)
        if self.controller.about:
            print_text(self.controller.about)
        if found.table:
            print_columns(fitted(found.table))
        for section in found.sections:
            print()
            print_text(section.title, indent="")
            if section.table:
                print_columns(fitted(section.table))
            for line in section.lines:
                print_text(line)
        if found.lines:
            print()
        for line in found.lines:
            print_text(line)

    def draw(self, file: Path) -> None:
        """The graph of its poses, or a strip of what it follows."""
        found = self._described(draw=True)
        if found.poses is None:
            name = self.controller.name
            raise FootfallError(
                f"{file}: controller '{name}' has no poses to draw (law '{self.controller.law}'); "
                f"draw how it moves: {shell_words('footfall', 'run', name, '--out', file)}"
            )
        if found.links:
            save_figure(pose_graph(found.poses, found.links, found.labels, found.notes, title=found.caption), file)
        else:
            options: dict[str, Any] = {"poses": len(found.poses), "labels": list(found.labels)} if found.labels else {}
            save_picture(found.poses, file, title=found.caption, **options)


class ShownFigure:
    """A figure: bodies, joints and points."""

    def __init__(self, figure: "Figure") -> None:
        from footfall.pictures.figure_tables import FigureTables

        self.tables = FigureTables(figure)

    def described(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return self.tables.data()

    def print_summary(self) -> None:
        """Tables that fit a terminal."""
        figure, stance = self.tables.figure, self.tables.stance
        print(
            f"{figure.name}: a {figure.root} figure of {len(figure.bodies)} bodies, {figure.nv} degrees of freedom, "
            f"{stance.mass:.1f} kg"
        )
        sizes = f"{self.tables.height:.2f} m tall"
        if np.isfinite(stance.hip_height):
            sizes += f", hips {stance.hip_height:.3f} m up, hip to ankle {stance.leg_length:.3f} m"
        print_text(f"{sizes}; nq {figure.nq}, nv {figure.nv}; torso '{figure.torso}'; drawn with {self.tables.drawn()}")
        print()
        print_columns(fitted(self.tables.joint_rows()))
        if figure.adoption is not None:
            print_text("- before a name of the file: the joint has the opposite sign there")
        print()
        print_columns(fitted(self.tables.body_rows()))
        if figure.points:
            print()
            print_columns(fitted(self.tables.point_rows()))
        for side, (length, width) in stance.soles.items():
            count = sum(p.foot == side and p.ground for p in figure.points)
            wide = f", {width:.3f} m wide" if width > 0.0 else ""
            print(f"  {side} sole: {count} points, {length:.3f} m long{wide}")
        if not stance.soles:
            print("  no soles: none of its points is on a foot")
        self._print_solid()
        self._print_findings()

    def _print_solid(self) -> None:
        """Which shapes of its limbs touch each other, and which were left out."""
        shapes = self.tables.figure.solid
        met: dict[tuple[str, str], list[str]] = {}
        for names, (a, b) in zip(shapes.names, shapes.pairs, strict=True):
            met.setdefault((shapes.limbs[a], shapes.limbs[b]), []).append(" – ".join(names))
        if not (shapes.pairs or shapes.overlapping or shapes.notes):
            return
        print()
        print_text(f"{len(shapes.pairs)} pairs of shapes touch where limbs are solid:", indent="")
        for limbs, pairs in met.items():
            print_text(f"{' and '.join(limbs)}: {', '.join(pairs)}")
        for one, other, depth in shapes.overlapping:
            print_text(f"left out: {one} – {other} overlap by {100 * depth:.1f} cm as it stands")
        for shape, note in shapes.notes:
            print_text(f"! {shape} {note}")

    def _print_findings(self) -> None:
        """What was found in a stranger's file and how; what a person should look at is marked and listed again."""
        adoption = self.tables.figure.adoption
        if adoption is None:
            return
        print()
        print_text(f"read from {adoption.source}:")
        for finding in adoption.findings:
            mark = "!" if finding.warns else " "
            how = f" ({finding.how})" if finding.how else ""
            print_text(f"{mark} {finding.what}: {finding.found}{how}", indent="  ")
        warned = sum(finding.warns for finding in adoption.findings)
        if warned:
            file = f"{adoption.source.stem}.footfall.toml"
            print_text(f"! {warned} to check; correct what is wrong in {file}, beside the model")

    @cached_property
    def _sheet(self) -> Any:
        from footfall.pictures.figure_sheet import figure_sheet

        return figure_sheet(self.tables.figure, words=self.tables.file_lines())

    def draw(self, file: Path) -> None:
        """The sheet about it, made once for all files."""
        save_figure(self._sheet, file)


class ShownTerrain:
    """A terrain: its outline."""

    def __init__(self, terrain: Terrain) -> None:
        self.terrain = terrain

    def described(self) -> dict[str, Any]:
        """Everything, for JSON."""
        head = {"kind": "terrain", "name": str(self.terrain)}
        if self.terrain.kind == "grid":
            origin, spacing, heights = self.terrain.grid()
            return head | {"origin": origin, "spacing": spacing, "heights": heights}
        x, z = self.terrain.profile()
        return head | {"x": x, "z": z}

    def print_summary(self) -> None:
        """Its first vertices, or its size."""
        parts = self.described()
        if "heights" in parts:
            heights = parts["heights"]
            print(f"{parts['name']}: {heights.shape[0]} x {heights.shape[1]} nodes, {np.ptp(heights):.3f} m high")
            return
        print(f"{parts['name']}: a profile of {len(parts['x'])} vertices, level beyond its ends")
        shown = list(zip(parts["x"], parts["z"]))
        rows = [[f"{x:.2f}", f"{z:.3f}"] for x, z in shown[:24]]
        print_columns([["x m", "z m"], *rows, *([["…", f"({len(shown) - 24} more)"]] if len(shown) > 24 else [])])

    def draw(self, file: Path) -> None:
        """Its outline from the side, or its heights from above."""
        parts = self.described()
        page = empty_figure(9, 3)
        ax = page.add_subplot()
        if "heights" in parts:
            (x0, y0), (dx, dy), heights = parts["origin"], parts["spacing"], parts["heights"]
            ends = (x0, x0 + dx * (heights.shape[0] - 1), y0, y0 + dy * (heights.shape[1] - 1))
            page.colorbar(ax.imshow(heights.T, origin="lower", extent=ends, cmap="viridis"), label="z, m")
            ax.set_ylabel("y, m")
        else:
            x = np.concatenate(
                [[min(parts["x"][0] - 2, -1)], parts["x"][parts["x"] < 60], [min(parts["x"][-1] + 2, 60)]]
            )
            z = self.terrain.height(x)
            ax.fill_between(x, z, min(z.min() - 0.2, -0.2), color="0.85")
            ax.plot(x, z, color="0.25")
            ax.set_ylabel("z, m")
            if np.ptp(z) < 3:
                ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel("x, m")
        ax.set_title(str(self.terrain), loc="left")
        save_figure(page, file)
