"""``footfall show``: a list of all there is; a controller as its kind describes it, a figure with its joints, roles,
motors, bodies, soles and what was found when it was read, or a terrain's outline, in tables and as a picture."""

import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro

from footfall.cli.arguments import Files, Offers
from footfall.cli.printing import check_files, fitted, print_columns, print_files, print_json, print_text
from footfall.errors import FootfallError, unknown_name
from footfall.plugins import report_broken

if TYPE_CHECKING:
    from footfall.control.kind import Controller, Description
    from footfall.figures import Figure
    from footfall.figures.places import StandingJoint
    from footfall.terrain import Terrain


def _names() -> list[str]:
    from footfall.control.registry import controller_names
    from footfall.figures.builtin import figure_names
    from footfall.terrain import terrain_names

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
    json: bool = False,
) -> int:
    """List the controllers, figures and terrains, or show one: a controller's states, a figure's parts, an outline.

    Args:
        name: a built-in name, a terrain with its arguments, or a file. Default: list what comes with footfall and with
            the packages that extend it.
        out: a picture (.png .svg .pdf). May be repeated.
        toml: print a controller as the text of its file, to change and run.
        json: print one JSON object on standard output.
    """
    if not name:
        if out or toml:
            raise FootfallError("show: name what to draw or print, as in footfall show walk --toml")
        return _list(json)
    from footfall.pictures.page import PLOT_SUFFIXES

    files = check_files(out, PLOT_SUFFIXES)
    what = _found(name)
    if toml and not isinstance(what, ShownController):
        raise FootfallError("--toml: only controllers have a .toml file")
    text = what.toml() if toml and isinstance(what, ShownController) else ""
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


def _list(json: bool) -> int:
    """Everything by name, with a line about it; loads no engine, unless a package brings a law."""
    parts = {"controllers": _controllers(), "figures": _figures(), "terrains": _terrains()}
    if json:
        print_json(parts)
        return 0
    for title, rows in parts.items():
        print(title)
        print_columns([list(row.values()) for row in rows])
    print("files work too: controllers .toml, figures .xml (MJCF), .urdf or .bones, terrains .csv (x z) or .png")
    return 0


def _controllers() -> list[dict[str, Any]]:
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


def _figures() -> list[dict[str, Any]]:
    from footfall.figures.builtin import figure_about, figure_names

    return _rows(figure_names(), lambda name: {"name": name, "about": figure_about(name)})


def _terrains() -> list[dict[str, Any]]:
    from footfall.terrain import terrain_names

    known = {name: TERRAINS.get(name, (name, "")) for name in terrain_names()}
    return [{"name": name, "written": form, "about": about} for name, (form, about) in known.items()]


def _found(name: str) -> "ShownController | ShownFigure | ShownTerrain":
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


class ShownController:
    """A controller of any kind, as its kind describes it."""

    def __init__(self, controller: "Controller") -> None:
        self.controller = controller

    def toml(self) -> str:
        """The text of its file."""
        from footfall.control.registry import print_controller

        return print_controller(self.controller)

    def _described(self, *, draw: bool = False) -> "Description":
        from footfall.control.registry import kind_of

        return kind_of(self.controller).describe(self.controller, draw=draw)

    def described(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {"kind": "controller"} | self._described().data

    def print_summary(self) -> None:
        """Tables that fit a terminal."""
        from footfall.control.registry import warn_of_doubts
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
        from footfall.pictures import save_figure, save_picture

        found = self._described(draw=True)
        if found.poses is None:
            name = self.controller.name
            raise FootfallError(
                f"{file}: controller '{name}' has no poses to draw (law '{self.controller.law}'); "
                f"draw how it moves: footfall run {name} --out {file}"
            )
        if found.links:
            from footfall.pictures.pose_graph import pose_graph

            save_figure(pose_graph(found.poses, found.links, found.labels, found.notes, title=found.caption), file)
        else:
            options: dict[str, Any] = {"poses": len(found.poses), "labels": list(found.labels)} if found.labels else {}
            save_picture(found.poses, file, title=found.caption, **options)


_MESH = 7
"""MuJoCo's number for geoms that are meshes."""
_SUFFIX = "_joint"
"""Where all joints of a file are called so, their names are told without it."""


class ShownFigure:
    """A figure: bodies, joints and points."""

    def __init__(self, figure: "Figure") -> None:
        from footfall.figures.places import standing_figure

        self.figure, self.stance = figure, standing_figure(figure)

    def described(self) -> dict[str, Any]:
        """Everything, for JSON."""
        figure, stance = self.figure, self.stance
        roles = {placed.joint.name: placed for placed in stance.joints}
        parts: dict[str, Any] = {
            "bodies": [
                {"name": b.name, "parent": self._name(b.parent), "mass": b.mass, "original": self._originals(b.name)}
                for b in figure.bodies
            ],
            "joints": [
                {k: getattr(j, k) for k in ("name", "kind", "kp", "kd", "torque_limit", "lower", "upper", "actuated")}
                | {"body": self._name(j.body), "plane": j.plane}
                | _part_played(roles.get(j.name))
                | self._in_the_file(j.name)
                for j in figure.joints
            ],
            "points": [
                {"name": p.name, "body": self._name(p.body), "position": p.position, "foot": p.foot, "ground": p.ground}
                for p in figure.points
            ],
            "soles": {side: {"length": size[0], "width": size[1]} for side, size in stance.soles.items()},
        }
        head = {"kind": "figure", "name": figure.name, "root": figure.root, "nq": figure.nq, "nv": figure.nv}
        if figure.adoption is not None:
            parts["source"] = figure.adoption.source
            parts["findings"] = [asdict(finding) for finding in figure.adoption.findings]
        sizes = {"mass": stance.mass, "height": self.height, "hip_height": stance.hip_height}
        sizes |= {"leg_length": stance.leg_length, "meshes": self.meshes}
        return head | sizes | {"torso": figure.torso, "default_qpos": figure.default_qpos} | parts

    def _in_the_file(self, joint: str) -> dict[str, Any]:
        """How a joint is called and counted in the file that it comes from: original = sign * ours + offset."""
        there = self.figure.adoption.joints.get(joint) if self.figure.adoption is not None else None
        return {} if there is None else {"original": there.name, "sign": there.sign, "offset": there.offset}

    def _originals(self, body: str) -> list[str]:
        adoption = self.figure.adoption
        return [body] if adoption is None else [*adoption.body_names.get(body, (body,))]

    @property
    def height(self) -> float:
        """Metres from the ground to the top of the body as it is drawn."""
        from footfall.motion import Motion
        from footfall.pictures.scene import scene_of

        return scene_of(Motion.from_qpos(self.figure, np.zeros(1), self.figure.default_qpos[None])).tall

    @property
    def missing(self) -> bool:
        """Whether meshes of its file are missing."""
        adoption = self.figure.adoption
        return adoption is not None and any(finding.what == "meshes" for finding in adoption.findings)

    @property
    def meshes(self) -> int:
        """How many of its bodies are drawn with the meshes of its file."""
        from footfall.motion.skeleton.figure_skeleton import skeleton_of

        model = self.figure.model
        meshed = {int(b) - 1 for b, kind in zip(model.geom_bodyid, model.geom_type) if int(kind) == _MESH}
        return len(meshed & {mesh.joint for mesh in skeleton_of(self.figure).meshes})

    def _name(self, index: int) -> str:
        return self.figure.bodies[index].name if index >= 0 else "world"

    def print_summary(self) -> None:
        """Tables that fit a terminal."""
        figure, stance = self.figure, self.stance
        print(
            f"{figure.name}: a {figure.root} figure of {len(figure.bodies)} bodies, {figure.nv} degrees of freedom, "
            f"{stance.mass:.1f} kg"
        )
        sizes = f"{self.height:.2f} m tall"
        if np.isfinite(stance.hip_height):
            sizes += f", hips {stance.hip_height:.3f} m up, hip to ankle {stance.leg_length:.3f} m"
        print_text(f"{sizes}; nq {figure.nq}, nv {figure.nv}; torso '{figure.torso}'; drawn with {self._drawn()}")
        print()
        print_columns(fitted(self._joint_rows()))
        if figure.adoption is not None:
            print_text("- before a name of the file: it counts the other way there")
        print()
        print_columns(fitted(self._body_rows()))
        if figure.points:
            print()
            print_columns(fitted(self._point_rows()))
        for side, (length, width) in stance.soles.items():
            count = sum(p.foot == side and p.ground for p in figure.points)
            wide = f", {width:.3f} m wide" if width > 0.0 else ""
            print(f"  {side} sole: {count} points, {length:.3f} m long{wide}")
        if not stance.soles:
            print("  no soles: no point of it is on a foot")
        self._print_findings()

    def _print_findings(self) -> None:
        """What was found in a stranger's file and how; what a person should look at is marked and told again."""
        adoption = self.figure.adoption
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
            print_text(f"! {warned} to check; what is wrong is overruled in {file} beside the model")

    def _drawn(self) -> str:
        if self.missing:
            return "boxes of its masses where meshes are missing"
        if self.meshes:
            return f"the meshes of {self.meshes} of its {len(self.figure.bodies)} bodies"
        return "simple shapes"

    def _joint_rows(self) -> list[list[str]]:
        adopted = self.figure.adoption is not None
        named = ["side_role", "in the file"] if adopted else ["joint", "role"]
        rows = [[*named, "plane", "range deg", "limit N m", "kp", "kd"]]
        for placed in self.stance.joints:
            joint = placed.joint
            servo = [_limit(joint.torque_limit), f"{joint.kp:.4g}", f"{joint.kd:.4g}"] if joint.actuated else ["-"] * 3
            if joint.actuated and joint.kp == joint.kd == 0.0:
                servo[1:] = ["motor", "motor"]
            second = _sign(self._in_the_file(joint.name)) if adopted else placed.role
            rows.append([joint.name, second, _plane(placed), _range(placed), *servo])
        if adopted and all(row[1].endswith(_SUFFIX) for row in rows[1:]):
            rows = [[*row[:1], row[1].removesuffix(_SUFFIX), *row[2:]] for row in rows]
            rows[0][1] += f" (…{_SUFFIX})"
        return rows

    def _body_rows(self) -> list[list[str]]:
        bodies, mass = self.figure.bodies, max(self.stance.mass, 1e-12)
        rows = [[b.name, self._name(b.parent), f"{b.mass:.4g}", f"{100 * b.mass / mass:.1f}"] for b in bodies]
        return [["body", "parent", "kg", "%"], *rows]

    def _point_rows(self) -> list[list[str]]:
        rows = [["point", "body", "x y z in the body, m", "what"]]
        for p in self.figure.points:
            place = " ".join(f"{x:6.3f}" for x in p.position)
            what = f"{p.foot} sole" if p.foot and p.ground else "touching is a fall" if p.ground else "marker"
            rows.append([p.name, self._name(p.body), place, what])
        return rows

    def draw(self, file: Path) -> None:
        """The sheet about it."""
        from footfall.pictures import save_figure
        from footfall.pictures.figure_sheet import figure_sheet

        save_figure(figure_sheet(self.figure, words=self._words()), file)

    def _words(self) -> list[str]:
        """What the sheet says about the file that the body comes from."""
        adoption = self.figure.adoption
        if adoption is None:
            return []
        lines = [f"read from {adoption.source.name}"]
        for finding in adoption.findings:
            if finding.warns:
                lines += textwrap.wrap(f"! {finding.what}: {finding.found}", 44, subsequent_indent="   ")
        return lines[:9]


def _sign(there: dict[str, Any]) -> str:
    """The joint's name in its file, with a sign where it counts the other way."""
    return "-" if not there else f"{'-' if there['sign'] < 0 else ' '}{there['original']}"


def _part_played(placed: "StandingJoint | None") -> dict[str, Any]:
    if placed is None:
        return {"role": "root", "side": None, "axis": None, "anchor": None}
    axis = placed.axis if placed.axis.any() else None
    return {"role": placed.role, "side": placed.side, "axis": axis, "anchor": placed.anchor}


def _plane(placed: "StandingJoint") -> str:
    """The plane, and by how many degrees the axis is tilted from it where that can be seen."""
    name = placed.joint.plane or placed.joint.kind
    return f"{name} {placed.tilt:.0f}°" if placed.tilt > 0.5 else name


def _range(placed: "StandingJoint") -> str:
    joint = placed.joint
    if joint.kind == "ball":
        return f"to {np.degrees(joint.upper):.0f}" if np.isfinite(joint.upper) else "-"
    if not np.isfinite(joint.lower):
        return "-"
    if joint.kind == "slide":
        return f"{joint.lower:g} .. {joint.upper:g} m"
    return f"{np.degrees(joint.lower):4.0f} .. {np.degrees(joint.upper):.0f}"


def _limit(newton_metres: float) -> str:
    return f"{newton_metres:g}" if np.isfinite(newton_metres) else "none"


class ShownTerrain:
    """A terrain: its outline."""

    def __init__(self, terrain: "Terrain") -> None:
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
        from footfall.pictures import save_figure
        from footfall.pictures.page import empty_figure

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
