"""Plots of angles, torques and other channels over time, with the controller's states behind them."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, log, multiply
from footfall.motion.skeleton.roles import find_roles, side_of
from footfall.pictures.page import TEXT, dress, empty_figure, set_title
from footfall.pictures.palette import BAND_COLOURS, LINE_COLOURS, SIDE_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROOT_WORDS = ("root", "free", "base")


def plot_angles(motion: Motion, *, joints: Sequence[str] | None = None, title: str | None = None) -> "Figure":
    """Joint angles in degrees over time: the figure's own coordinates where recorded, else flexion of the main joints.

    Args:
        motion: what to plot.
        joints: names (of coordinates or of joints); by default those of the legs and the trunk.
        title: a line above.
    """
    if "qpos" in motion.labels:
        names = motion.labels["qpos"]
        values = {n: np.rad2deg(motion.channels["qpos"][:, k]) for k, n in enumerate(names) if _turns(n)}
    else:
        values = _flexions(motion)
    return _panels(motion, _chosen(values, joints), "angle [°]", title)


def plot_torques(motion: Motion, *, joints: Sequence[str] | None = None, title: str | None = None) -> "Figure":
    """Joint torques over time; the motion must have recorded them."""
    return plot_channel(motion, "torque", "torque [N m]", joints=joints, title=title)


def plot_channel(
    motion: Motion, name: str, axis: str, *, joints: Sequence[str] | None = None, title: str | None = None
) -> "Figure":
    """Any recorded channel [T, K] over time, its columns paired left and right."""
    data = motion.channel(name)
    data = data.reshape(len(motion), -1)
    labels = motion.labels.get(name, tuple(f"{name} {k}" for k in range(data.shape[1])))
    values = {label: data[:, k] for k, label in enumerate(labels) if _turns(label)}
    return _panels(motion, _chosen(values, joints), axis, title)


def _turns(name: str) -> bool:
    return "." not in name and not any(word in name.lower() for word in _ROOT_WORDS)


def _chosen(values: dict[str, Array], joints: Sequence[str] | None) -> dict[str, Array]:
    for name in joints or ():
        if name not in values:
            raise unknown_name("joint", name, values)
    if not values:
        raise FootfallError("plot: there is nothing to plot")
    return {name: values[name] for name in joints} if joints else values


def _flexions(motion: Motion) -> dict[str, Array]:
    """Turn about the left-right axis from the rest pose, for the joints whose roles are known; degrees [T]."""
    found = {}
    for role, joint in find_roles(motion.skeleton).items():
        if role.split("_")[-1] in ("hip", "knee", "ankle", "shoulder", "elbow", "chest"):
            turn = multiply(conjugate(motion.skeleton.rest[joint]), motion.rotations[:, joint])
            sign = -1.0 if role.endswith(("hip", "ankle", "shoulder", "elbow")) else 1.0
            found[role] = sign * np.rad2deg(log(turn)[:, 1])
    return found


def _panels(motion: Motion, values: dict[str, Array], axis: str, title: str | None) -> "Figure":
    """One panel for each joint, left and right together."""
    groups: dict[str, list[str]] = {}
    for name in values:
        side = side_of(name)
        groups.setdefault(name.lower().replace(side, "").strip("_ .-") if side else name, []).append(name)
    figure = empty_figure(TEXT, 0.5 + 1.05 * len(groups))
    panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    times = motion.times - motion.times[0]
    for panel, (group, names) in zip(panels, groups.items()):
        _bands(panel, motion, times)
        for k, name in enumerate(names):
            side = side_of(name)
            colour = SIDE_COLOURS[side] if side else LINE_COLOURS[-1 - k % len(LINE_COLOURS)]
            panel.plot(times, values[name], color=colour, linewidth=1.0, label=side or name)
        panel.set_ylabel(f"{group}\n{axis}")
        panel.margins(x=0)
    two = next((panel for panel, names in zip(panels, groups.values()) if len(names) > 1), None)
    if two is not None:
        two.legend(loc="lower right", bbox_to_anchor=(1.0, 0.97), ncols=2, borderpad=0.0, borderaxespad=0.0)
    panels[-1].set_xlabel("time [s]")
    dress(*panels, grid="state" not in motion.channels)
    set_title(figure, title)
    return figure


def _bands(ax: "Axes", motion: Motion, times: Array) -> None:
    """A background for each stretch of one controller state."""
    state = motion.channels.get("state")
    if state is None or state.ndim != 1:
        return
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(state)) + 1, [len(state)]])
    for a, b in itertools.pairwise(cuts):
        end = times[min(b, len(times) - 1)]
        ax.axvspan(times[a], end, color=BAND_COLOURS[int(state[a]) % len(BAND_COLOURS)], linewidth=0, zorder=0)
