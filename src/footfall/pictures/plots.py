"""Plots of motions: channels over time with the controller's states behind them, footfalls, leg angles over the gait
cycle."""

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import FootfallError, check_name
from footfall.motion.gait.contact import annotate_contacts, point_speed
from footfall.motion.gait.feet import clearance, soles
from footfall.motion.gait.measures import gait_contacts, joint_profiles
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, log, multiply
from footfall.motion.skeleton.roles import find_roles, side_of
from footfall.pictures.page import BAND_COLOURS, LINE_COLOURS, SIDE_COLOURS, TEXT, dress, empty_figure, set_title

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
        check_name("joint", name, values)
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


def plot_contacts(motion: Motion, *, title: str | None = None) -> "Figure":
    """Height and speed of both ankles over time, with the contacts: by ankle alone (dark) and with toes (light)."""
    feet = soles(motion.skeleton)
    figure = empty_figure(TEXT, 3.2)
    rows = figure.subplots(2, 1, sharex=True)
    times = motion.times - motion.times[0]
    kinds = (annotate_contacts(motion), gait_contacts(motion))
    for side, sole in feet.items():
        ankle = motion.positions()[:, sole.ankle]
        pace = point_speed(ankle, motion.times)
        rows[0].plot(times, clearance(motion, ankle), color=SIDE_COLOURS[side], linewidth=0.9, label=side)
        rows[1].plot(times, pace, color=SIDE_COLOURS[side], linewidth=0.9, label=side)
        low = -0.04 if side == "left" else -0.09
        for contacts, alpha in zip(kinds, (0.9, 0.35)):
            for a, b in contacts.spans(side):
                end = times[min(b, len(times) - 1)]
                rows[0].fill_between(
                    [times[a], end], low, low + 0.035, color=SIDE_COLOURS[side], alpha=alpha, linewidth=0
                )
    rows[0].set_ylabel("ankle height [m]")
    rows[1].set_ylabel("ankle speed [m/s]")
    rows[1].set_xlabel("time [s]")
    rows[1].axhline(0.4, color="#9AA4AE", linewidth=0.8, linestyle="--")
    rows[0].legend(ncols=2, loc="upper right")
    for row in rows:
        row.margins(x=0)
    dress(*rows)
    set_title(figure, title)
    return figure


def plot_profiles(*motions: Motion, names: tuple[str, ...] = (), title: str | None = None) -> "Figure":
    """Hip, knee and ankle over the gait cycle: mean and one standard deviation, for one motion or several."""
    profiles = [joint_profiles(motion) for motion in motions]
    joints = [joint for joint in ("hip", "knee", "ankle") if any(joint in profile for profile in profiles)]
    figure = empty_figure(TEXT * len(joints) / 3, 2.2)
    panels = figure.subplots(1, len(joints), squeeze=False)[0]
    for panel, joint in zip(panels, joints):
        for k, profile in enumerate(profiles):
            if joint in profile:
                rows = np.rad2deg(profile[joint])
                middle, spread = rows.mean(axis=0), rows.std(axis=0)
                percent = np.linspace(0, 100, rows.shape[1])
                colour = LINE_COLOURS[k % len(LINE_COLOURS)]
                label = f"{names[k]} ({len(rows)})" if k < len(names) else f"{len(rows)} cycles"
                panel.fill_between(percent, middle - spread, middle + spread, color=colour, alpha=0.18, linewidth=0)
                panel.plot(percent, middle, color=colour, linewidth=1.2, label=label)
        panel.set_title(joint, loc="left")
        panel.set_xlabel("gait cycle [%]")
    panels[0].set_ylabel("flexion [°]")
    panels[0].legend()
    for panel in panels:
        panel.margins(x=0)
    dress(*panels)
    set_title(figure, title)
    return figure


def plot_rose(
    angles: ArrayLike, limits: ArrayLike, names: Mapping[float, str], ahead: str = "N", title: str = ""
) -> "Figure":
    """The largest push in each direction.

    Args:
        angles: [K] degrees, anticlockwise from ahead.
        limits: [K] newtons.
        names: degrees -> what that direction is called.
        ahead: where that is in the picture: N, or E for pushes in the sagittal plane.
        title: above it.
    """
    figure = empty_figure(0.5 * TEXT, 0.52 * TEXT)
    ax: Any = figure.add_subplot(projection="polar")
    turns, values, colour = np.radians(np.asarray(angles)), np.asarray(limits), LINE_COLOURS[0]
    ax.set_theta_zero_location(ahead)
    if len(values) > 2:
        ax.fill(turns, values, color=colour, alpha=0.2)
        ax.plot(np.r_[turns, turns[:1]], np.r_[values, values[:1]], color=colour, linewidth=1.2)
    else:
        ax.plot(turns, values, "o", color=colour)
    for turn, value in zip(turns, values) if len(values) <= 8 else ():
        ax.annotate(f"{value:.0f}", (turn, value), fontsize="x-small")
    ax.set_xticks(np.radians(list(names)), list(names.values()))
    ax.set_title(title, loc="left")
    dress(ax)
    return figure
