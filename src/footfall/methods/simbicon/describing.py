"""A pose control graph in words, numbers and poses."""

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any

import mujoco
import numpy as np

from footfall.control.kind import Description
from footfall.figures import Figure
from footfall.figures.reading import HEIGHT
from footfall.methods.simbicon.graph import PoseControlGraph, Target
from footfall.motion import Motion

__all__ = ["describe_graph", "short_text"]


def describe_graph(graph: PoseControlGraph, *, draw: bool = False) -> Description:
    """States and gains as a table and lines; with ``draw`` the poses of the states."""
    motion = _target_poses(graph) if draw else None
    labels = [f"state {label}" for label in graph.labels]
    if motion is not None:
        labels += [f"mirrored {label}" for label in graph.labels[: len(motion) - len(labels)]]
    return Description(
        f"{graph.name}: a controller for {graph.figure}, law '{graph.law}'",
        _table(graph),
        _lines(graph),
        _data(graph),
        motion,
        labels,
        f"{graph.name}: poses of its states",
    )


def _data(graph: PoseControlGraph) -> dict[str, Any]:
    parts = {f.name: getattr(graph, f.name) for f in fields(graph)}
    parts |= {key: asdict(part) for key, part in parts.items() if is_dataclass(part) and not isinstance(part, type)}
    parts["states"] = [
        {f.name: getattr(s, f.name) for f in fields(s)} | {"targets": {k: asdict(t) for k, t in s.targets.items()}}
        for s in graph.states
    ]
    return parts


def _table(graph: PoseControlGraph) -> list[list[str]]:
    roles = list(dict.fromkeys(role for state in graph.states for role in state.targets))
    rows = [["state", "until", "next", *roles]]
    for i, (label, state) in enumerate(zip(graph.labels, graph.states)):
        after = graph.successor(i)
        there = "end"
        if after is not None:
            there = "mirrored " * (after >= len(graph.states)) + graph.labels[after % len(graph.states)]
        there += f", disturbed {state.disturbed}" if state.disturbed else ""
        touch = {True: ["contact"], False: [], "stance": ["stance contact"]}[state.contact]
        until = " and ".join([f"{state.hold:g} s"] * (state.hold > 0) + touch) or "at once"
        until = "forever" if np.isinf(state.hold) else until
        rows.append([label, until, there, *(_feedback(state.targets.get(role)) for role in roles)])
    return rows


def _lines(graph: PoseControlGraph) -> list[str]:
    sides = "left stance, then mirrored" if graph.symmetric else "as written"
    lines = [f"{len(graph.states)} states ({sides}); angles in radians, d in metres, v in metres per second"]
    lines.append(f"balance: {_pairs(asdict(graph.balance))}")
    own = {k: v for k, v in asdict(graph.servo).items() if v not in (None, False, "")}
    lines.append(f"servo: {_pairs(own) or 'the gains of the figure'}")
    for key in ("reaction", "feedforward", "sight", "recovery"):
        part = getattr(graph, key)
        if part is not None:
            lines.append(f"{key}: {_pairs(asdict(part))}")
    if graph.basin:
        lines.append(f"basin: {_pairs(graph.basin)}")
    return lines


def _feedback(target: Target | None) -> str:
    if target is None:
        return "-"
    gains = [f"{getattr(target, f.name):+g} {f.name[2:]}" for f in fields(target)[1:] if getattr(target, f.name)]
    return " ".join([f"{target.angle:g}", *gains])


def _pairs(values: Any) -> str:
    return ", ".join(f"{k} {short_text(v)}" for k, v in values.items())


def short_text(value: Any) -> str:
    """A value with few digits."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return f"({_pairs(value)})"
    return f"[{', '.join(short_text(v) for v in value)}]" if isinstance(value, tuple | list) else str(value)


def _target_poses(graph: PoseControlGraph) -> Motion:
    """A motion of one frame for each state: the pose that it drives the figure to, standing on the ground."""
    from footfall.methods.simbicon.table import GraphTable
    from footfall.methods.simbicon.target_pose import target_qpos

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
