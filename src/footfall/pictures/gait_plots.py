"""Plots of gait: when the feet are on the ground, and the leg angles over the gait cycle of one or several motions."""

from typing import TYPE_CHECKING

import numpy as np

from footfall.motion.gait.contact import annotate_contacts, point_speed
from footfall.motion.gait.feet import clearance, soles
from footfall.motion.gait.measures import gait_contacts, joint_profiles
from footfall.motion.motion import Motion
from footfall.pictures.page import TEXT, dress, empty_figure, set_title
from footfall.pictures.palette import LINE_COLOURS, SIDE_COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_contacts(motion: Motion, *, title: str | None = None) -> "Figure":
    """Height and speed of both ankles over time, with the contacts: by ankle alone (dark) and with toes (light)."""
    feet = soles(motion.skeleton)
    figure = empty_figure(TEXT, 3.2)
    rows = figure.subplots(2, 1, sharex=True)
    times = motion.times - motion.times[0]
    kinds = (annotate_contacts(motion), gait_contacts(motion))
    for side, sole in feet.items():
        ankle = motion.positions()[:, sole.ankle]
        pace = point_speed(motion, ankle)
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
