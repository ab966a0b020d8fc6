"""``footfall show``: a controller, a figure or a terrain, as a table and as a picture."""

from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro

from footfall.cli.arguments import Files
from footfall.cli.printing import check_files, print_files, print_json, print_table
from footfall.errors import FootfallError, unknown_name

if TYPE_CHECKING:
    from footfall.control.graph import PoseControlGraph
    from footfall.control.tracking.controller import TrackingController
    from footfall.figures import Figure
    from footfall.motion import Motion
    from footfall.terrain import Terrain

__all__ = ["show"]


def show(
    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")],
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


def _found(name: str) -> "_Controller | _Tracking | _Figure | _Terrain":
    from footfall.control.controllers import all_controller_names, load_any_controller
    from footfall.control.graph import PoseControlGraph
    from footfall.figures import Figure, figure_names
    from footfall.terrain import parse_terrain, terrain_names

    suffix = Path(name).suffix.lower()
    if name in all_controller_names() or suffix == ".toml":
        controller = load_any_controller(name)
        return _Controller(controller) if isinstance(controller, PoseControlGraph) else _Tracking(controller)
    if name in figure_names() or suffix in (".xml", ".bones"):
        return _Figure(Figure.load(name))
    if name.partition(":")[0] in terrain_names() or suffix in (".csv", ".txt", ".png", ".jpg", ".tif", ".bmp"):
        return _Terrain(parse_terrain(name))
    raise unknown_name("name", name, [*all_controller_names(), *figure_names(), *terrain_names()])


class _Controller:
    """A pose control graph: its states in a table, its target poses in a picture."""

    def __init__(self, graph: "PoseControlGraph") -> None:
        self.graph = graph

    def toml(self) -> str:
        from footfall.control.files import print_controller

        return print_controller(self.graph)

    def described(self) -> dict[str, Any]:
        graph = self.graph
        parts = {f.name: getattr(graph, f.name) for f in fields(graph)}
        parts |= {key: asdict(part) for key, part in parts.items() if is_dataclass(part) and not isinstance(part, type)}
        parts["states"] = [
            {f.name: getattr(s, f.name) for f in fields(s)} | {"targets": {k: asdict(t) for k, t in s.targets.items()}}
            for s in graph.states
        ]
        return {"kind": "controller"} | parts

    def print_summary(self) -> None:
        graph = self.graph
        print(f"{graph.name}: a controller for {graph.figure}, law '{graph.law}'")
        if graph.about:
            print(f"  {graph.about.strip()}")
        sides = "left stance, then mirrored" if graph.symmetric else "as written"
        print(f"  {len(graph.states)} states ({sides}); angles in radians, d in metres, v in metres per second")
        roles = list(dict.fromkeys(role for state in graph.states for role in state.targets))
        rows = [["state", "until", "next", *roles]]
        for label, state, i in zip(graph.labels, graph.states, range(len(graph.states))):
            after = graph.successor(i)
            there = "end"
            if after is not None:
                there = "mirrored " * (after >= len(graph.states)) + graph.labels[after % len(graph.states)]
            there += f", disturbed {state.disturbed}" if state.disturbed else ""
            touch = {True: ["contact"], False: [], "stance": ["stance contact"]}[state.contact]
            until = " and ".join([f"{state.hold:g} s"] * (state.hold > 0) + touch) or "at once"
            until = "forever" if np.isinf(state.hold) else until
            rows.append([label, until, there, *(_feedback(state.targets.get(role)) for role in roles)])
        print_table(rows)
        balance = ", ".join(f"{k} {_short(v)}" for k, v in asdict(graph.balance).items())
        print(f"  balance: {balance}")
        own = {k: v for k, v in asdict(graph.servo).items() if v not in (None, False, "")}
        print(f"  servo: {', '.join(f'{k} {_short(v)}' for k, v in own.items()) or 'the gains of the figure'}")
        for key in ("reaction", "feedforward", "sight", "recovery"):
            part = getattr(graph, key)
            if part is not None:
                print(f"  {key}: {', '.join(f'{k} {_short(v)}' for k, v in asdict(part).items())}")
        if graph.basin:
            print(f"  basin: {', '.join(f'{k} {_short(v)}' for k, v in graph.basin.items())}")

    def draw(self, file: Path) -> None:
        from footfall.pictures import save_picture

        motion = _target_poses(self.graph)
        labels = [f"state {label}" for label in self.graph.labels]
        labels += [f"mirrored {label}" for label in self.graph.labels[: len(motion) - len(labels)]]
        save_picture(motion, file, poses=len(motion), labels=labels, title=f"{self.graph.name}: poses of its states")


class _Tracking:
    """A tracking controller: its fragments in a table, the poses it follows in a picture."""

    def __init__(self, controller: "TrackingController") -> None:
        self.controller = controller

    def toml(self) -> str:
        from footfall.control.tracking.controller import print_tracking

        return print_tracking(self.controller)

    def described(self) -> dict[str, Any]:
        controller, repertoire = self.controller, self.controller.repertoire
        return {
            "kind": "controller",
            "name": controller.name,
            "figure": controller.figure,
            "law": controller.law,
            "about": controller.about,
            "report": dict(controller.report),
            "settings": asdict(repertoire.settings),
            "gains": [asdict(gains) for gains in repertoire.gains],
            "fragments": [
                {"kind": f.kind, "frames": len(f.frames), "successor": f.successor, "turn": f.turn, "gains": f.gains}
                for f in repertoire.fragments
            ],
        }

    def print_summary(self) -> None:
        controller, repertoire = self.controller, self.controller.repertoire
        print(f"{controller.name}: tracked motion for {controller.figure}, law '{controller.law}'")
        if controller.about:
            print(f"  {controller.about.strip()}")
        rows = [["fragment", "kind", "seconds", "next"]]
        for k, f in enumerate(repertoire.fragments):
            seconds = (len(f.frames) - 1) * repertoire.settings.frame_time
            rows.append([str(k), f.kind, f"{seconds:.2f}", "end" if f.successor < 0 else str(f.successor)])
        print_table(rows)
        for gains in repertoire.gains:
            print(f"  gains: {', '.join(f'{k} {_short(v)}' for k, v in asdict(gains).items())}")
        if controller.report:
            print(f"  report: {', '.join(f'{k} {_short(v)}' for k, v in controller.report.items())}")

    def draw(self, file: Path) -> None:
        from footfall.figures import Figure
        from footfall.motion import Motion
        from footfall.pictures import save_picture

        parts = [f.frames[:-1] for f in self.controller.repertoire.fragments]
        frames = np.concatenate([*parts, self.controller.repertoire.fragments[-1].frames[-1:]])
        times = np.arange(len(frames), dtype=float) * float(self.controller.repertoire.settings.frame_time)
        motion = Motion.from_qpos(Figure.load(self.controller.figure), times, frames)
        save_picture(motion, file, title=f"{self.controller.name}: the motion that it follows")


def _feedback(target: Any) -> str:
    if target is None:
        return "-"
    gains = [f"{getattr(target, f.name):+g} {f.name[2:]}" for f in fields(target)[1:] if getattr(target, f.name)]
    return " ".join([f"{target.angle:g}", *gains])


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"[{', '.join(_short(v) for v in value)}]" if isinstance(value, tuple | list) else str(value)


def _target_poses(graph: "PoseControlGraph") -> "Motion":
    """A motion of one frame a state: the pose that it drives the figure to, standing on the ground."""
    import mujoco

    from footfall.control.table import GraphTable
    from footfall.control.target_pose import target_qpos
    from footfall.figures import Figure
    from footfall.figures.reading import HEIGHT
    from footfall.motion import Motion

    figure = Figure.load(graph.figure)
    table = GraphTable(graph, figure)
    data = mujoco.MjData(figure.model)
    soles = [figure.model.site(p.name).id for p in figure.points if p.ground]
    poses = []
    for i in range(len(table.states)):
        qpos = target_qpos(table, i, figure.default_qpos)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(figure.model, data)
        if figure.root in HEIGHT and soles:
            qpos[HEIGHT[figure.root]] -= data.site_xpos[soles, 2].min()
        poses.append(qpos)
    return Motion.from_qpos(
        figure, np.arange(len(poses), dtype=np.float64), np.array(poses), source={"controller": graph.name}
    )


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
