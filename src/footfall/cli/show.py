"""``footfall show``: a controller, a figure or a terrain, as a table and as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro

from footfall.cli.arguments import Files, Offers
from footfall.cli.printing import check_files, print_files, print_json, print_table
from footfall.errors import FootfallError, unknown_name

if TYPE_CHECKING:
    from footfall.control.kind import Controller, Description
    from footfall.figures import Figure
    from footfall.terrain import Terrain

__all__ = ["show"]


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
    if toml:
        print(what.toml(), end="")
    elif json:
        print_json(what.described() | {"files": files})
    else:
        what.print_summary()
    for file in files:
        what.draw(file)
    if not json and not toml:
        print_files(files)
    return 0


def _found(name: str) -> "_Controller | _Figure | _Terrain":
    from footfall.control.registry import controller_names, load_controller
    from footfall.figures import Figure, figure_names
    from footfall.terrain import parse_terrain, terrain_names

    suffix = Path(name).suffix.lower()
    if name in controller_names("", guests=False) or suffix == ".toml":
        return _Controller(load_controller(name))
    if name in figure_names() or suffix in (".xml", ".bones"):
        return _Figure(Figure.load(name))
    if name.partition(":")[0] in terrain_names() or suffix in (".csv", ".txt", ".png", ".jpg", ".tif", ".bmp"):
        return _Terrain(parse_terrain(name))
    if name in controller_names(""):
        return _Controller(load_controller(name))
    raise unknown_name("name", name, [*controller_names(""), *figure_names(), *terrain_names()])


class _Controller:
    """A controller of any kind, as its kind describes it."""

    def __init__(self, controller: "Controller") -> None:
        self.controller = controller

    def toml(self) -> str:
        from footfall.control.registry import print_controller

        return print_controller(self.controller)

    def _described(self, *, draw: bool = False) -> "Description":
        from footfall.control.registry import kind_of

        return kind_of(self.controller).describe(self.controller, draw=draw)

    def described(self) -> dict[str, Any]:
        return {"kind": "controller"} | self._described().data

    def print_summary(self) -> None:
        found = self._described()
        print(found.title)
        if self.controller.about:
            print(f"  {self.controller.about.strip()}")
        if found.table:
            print_table(found.table)
        for line in found.lines:
            print(f"  {line}")

    def draw(self, file: Path) -> None:
        from footfall.pictures import save_picture

        found = self._described(draw=True)
        if found.poses is None:
            raise FootfallError(f"{file}: controller '{self.controller.name}' has no poses to draw")
        options: dict[str, Any] = {"poses": len(found.poses), "labels": list(found.labels)} if found.labels else {}
        save_picture(found.poses, file, title=found.caption, **options)


class _Figure:
    """A figure: bodies, joints and points."""

    def __init__(self, figure: "Figure") -> None:
        self.figure = figure

    def toml(self) -> str:
        raise FootfallError("--toml: only controllers have a .toml file")

    def described(self) -> dict[str, Any]:
        figure = self.figure
        parts = {
            "bodies": [{"name": b.name, "parent": self._name(b.parent), "mass": b.mass} for b in figure.bodies],
            "joints": [
                {k: getattr(j, k) for k in ("name", "kind", "kp", "kd", "torque_limit", "lower", "upper", "actuated")}
                | {"body": self._name(j.body)}
                for j in figure.joints
            ],
            "points": [
                {"name": p.name, "body": self._name(p.body), "position": p.position, "foot": p.foot, "ground": p.ground}
                for p in figure.points
            ],
        }
        mass = sum(b.mass for b in figure.bodies)
        head = {"kind": "figure", "name": figure.name, "root": figure.root, "nq": figure.nq, "nv": figure.nv}
        return head | {"mass": mass, "torso": figure.torso, "default_qpos": figure.default_qpos} | parts

    def _name(self, index: int) -> str:
        return self.figure.bodies[index].name if index >= 0 else "world"

    def print_summary(self) -> None:
        figure = self.figure
        parts = self.described()
        print(
            f"{figure.name}: a {figure.root} figure of {len(figure.bodies)} bodies, {figure.nv} degrees of freedom, "
            f"{parts['mass']:.1f} kg, torso '{figure.torso}'"
        )
        print_table([["body", "parent", "kg"], *([b["name"], b["parent"], f"{b['mass']:g}"] for b in parts["bodies"])])
        print()
        rows = [["joint", "kind", "body", "kp", "kd", "limit N m", "range rad"]]
        for j in parts["joints"]:
            servo = [f"{j[k]:g}" if j["actuated"] else "-" for k in ("kp", "kd", "torque_limit")]
            servo[:2] = ["motor", "motor"] if j["actuated"] and j["kp"] == j["kd"] == 0.0 else servo[:2]
            reach = f"{j['lower']:g} .. {j['upper']:g}" if np.isfinite(j["lower"]) else "-"
            rows.append([j["name"], j["kind"], j["body"], *servo, reach])
        print_table(rows)
        print()
        rows = [["point", "body", "place m", "foot"]]
        for p in parts["points"]:
            place = " ".join(f"{x:.3f}" for x in p["position"])
            rows.append([p["name"], p["body"], place, p["foot"] or ("-" if p["ground"] else "marker")])
        print_table(rows)

    def draw(self, file: Path) -> None:
        from footfall.motion import Motion
        from footfall.pictures import save_picture

        motion = Motion.from_qpos(self.figure, np.zeros(1), self.figure.default_qpos[None])
        save_picture(motion, file, poses=1, labels=[self.figure.name])


class _Terrain:
    """A terrain: its outline."""

    def __init__(self, terrain: "Terrain") -> None:
        self.terrain = terrain

    def toml(self) -> str:
        raise FootfallError("--toml: only controllers have a .toml file")

    def described(self) -> dict[str, Any]:
        head = {"kind": "terrain", "name": str(self.terrain)}
        if self.terrain.kind == "grid":
            origin, spacing, heights = self.terrain.grid()
            return head | {"origin": origin, "spacing": spacing, "heights": heights}
        x, z = self.terrain.profile()
        return head | {"x": x, "z": z}

    def print_summary(self) -> None:
        parts = self.described()
        if "heights" in parts:
            heights = parts["heights"]
            print(f"{parts['name']}: {heights.shape[0]} x {heights.shape[1]} nodes, {np.ptp(heights):.3f} m high")
            return
        print(f"{parts['name']}: a profile of {len(parts['x'])} vertices, level beyond its ends")
        shown = list(zip(parts["x"], parts["z"]))
        rows = [[f"{x:.2f}", f"{z:.3f}"] for x, z in shown[:24]]
        print_table([["x m", "z m"], *rows, *([["…", f"({len(shown) - 24} more)"]] if len(shown) > 24 else [])])

    def draw(self, file: Path) -> None:
        from footfall.pictures.page import empty_figure, save_figure

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
