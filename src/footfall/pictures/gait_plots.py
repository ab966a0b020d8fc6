"""Plots of gait: when the feet are on the ground, and the leg angles over the gait cycle of one or several motions."""

from typing import TYPE_CHECKING

import numpy as np

from footfall.motion.gait.contact import annotate_contacts
from footfall.motion.gait.feet import clearance, soles
from footfall.motion.gait.measures import gait_contacts, joint_profiles
from footfall.motion.motion import Motion
from footfall.pictures.palette import LINE_COLOURS, SIDE_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_contacts", "plot_profiles"]


def plot_contacts(motion: Motion, *, title: str | None = None) -> "Figure":
    """Height and speed of both ankles over time, with the contacts: by ankle alone (dark) and with toes (light)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    feet = soles(motion.skeleton)
    figure = Figure(figsize=(12, 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    rows = figure.subplots(2, 1, sharex=True)
    times = motion.times - motion.times[0]
    kinds = (annotate_contacts(motion), gait_contacts(motion))
    for side, sole in feet.items():
        ankle = motion.positions()[:, sole.ankle]
        pace = np.linalg.norm(np.gradient(ankle, motion.times, axis=0), axis=-1)
        rows[0].plot(times, clearance(motion, ankle), color=SIDE_COLOURS[side], linewidth=1.2, label=side)
        rows[1].plot(times, pace, color=SIDE_COLOURS[side], linewidth=1.2, label=side)
        low = -0.04 if side == "left" else -0.09
        for contacts, alpha in zip(kinds, (0.9, 0.35)):
            for a, b in contacts.spans(side):
                end = times[min(b, len(times) - 1)]
                rows[0].fill_between(
                    [times[a], end], low, low + 0.035, color=SIDE_COLOURS[side], alpha=alpha, linewidth=0
                )
    rows[0].set_ylabel("ankle height [m]", fontsize=9)
    rows[1].set_ylabel("ankle speed [m/s]", fontsize=9)
    rows[1].set_xlabel("time [s]", fontsize=9)
    rows[1].axhline(0.4, color="#9AA4AE", linewidth=0.8, linestyle="--")
    _dress(list(rows))
    rows[0].legend(fontsize=8, frameon=False, ncols=2, loc="upper right")
    if title:
        figure.suptitle(title, fontsize=11, x=0.01, ha="left", color="#22272E")
    return figure


def plot_profiles(*motions: Motion, names: tuple[str, ...] = (), title: str | None = None) -> "Figure":
    """Hip, knee and ankle over the gait cycle: mean and one standard deviation, for one motion or several."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    profiles = [joint_profiles(motion) for motion in motions]
    joints = [joint for joint in ("hip", "knee", "ankle") if any(joint in profile for profile in profiles)]
    figure = Figure(figsize=(4 * len(joints), 3.6), layout="constrained")
    FigureCanvasAgg(figure)
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
                panel.plot(percent, middle, color=colour, linewidth=1.6, label=label)
        panel.set_title(joint, fontsize=10, loc="left")
        panel.set_xlabel("gait cycle [%]", fontsize=9)
    panels[0].set_ylabel("flexion [°]", fontsize=9)
    panels[0].legend(fontsize=8, frameon=False)
    _dress(list(panels))
    if title:
        figure.suptitle(title, fontsize=11, x=0.01, ha="left", color="#22272E")
    return figure


def _dress(panels: "list[Axes]") -> None:
    for panel in panels:
        panel.margins(x=0)
        panel.grid(color="#E5E9ED", linewidth=0.7)
        panel.set_axisbelow(True)
        panel.tick_params(labelsize=8)
        for edge in ("top", "right"):
            panel.spines[edge].set_visible(False)
