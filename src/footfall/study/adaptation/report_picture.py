"""Pictures of an adaptation: the walk from side and front, pushes, motors, and how the search went."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.motion import Motion
from footfall.pictures.page import LETTERS, TEXT, dress, empty_figure, save_figure
from footfall.pictures.palette import LINE_COLOURS
from footfall.study.adaptation.search import STAGES
from footfall.study.adaptation.trials import DIRECTIONS, Rose
from footfall.study.search.search_picture import plot_generations
from footfall.writing import write_whole

POSES, HEIGHT = 10, 260
"""Of a picture of a walk."""
STRETCH = 0.85
"""Between poses, in units of a fall from hip height: about four poses a step."""


def save_views(motion: Motion, path: Path, *, seconds: float | None = None) -> Path:
    """Poses over about two strides, from the side and from the front, at the end of a motion."""
    from PIL import Image

    from footfall.pictures.camera import Camera
    from footfall.pictures.painter import Painter
    from footfall.pictures.scene import scene_of

    tall = float(np.median(motion.root_position[:, 2]))
    span = min(motion.seconds, seconds or POSES * STRETCH * 0.5 * float(np.sqrt(max(tall, 1e-3) / 9.81)))
    times = motion.times[-1] - span + np.linspace(0.0, span, POSES)
    shown = np.clip(np.searchsorted(motion.times, times), 0, len(motion) - 1)
    rows = []
    for view in ("side", "front"):
        scene = scene_of(motion, shown)
        painter = Painter(scene, Camera(scene, (HEIGHT * 3 // 5, HEIGHT), view))
        rows.append(np.concatenate([painter.paint(k).copy() for k in range(len(shown))], axis=1))
    write_whole(path, lambda part: Image.fromarray(np.concatenate(rows, axis=0)).save(part))
    return path


def save_rose(rose: Rose, path: Path) -> Path:
    """The largest push in each direction; forward is up, as seen from above."""
    figure = empty_figure(0.5 * TEXT, 0.52 * TEXT)
    ax: Any = figure.add_subplot(projection="polar")
    angles = np.radians([45.0 * DIRECTIONS.index(way) for way in rose.limits])
    values = np.array(list(rose.limits.values()))
    ax.set_theta_zero_location("N")
    if len(values) > 2:
        ax.fill(np.r_[angles, angles[:1]], np.r_[values, values[:1]], color=LINE_COLOURS[0], alpha=0.2)
        ax.plot(np.r_[angles, angles[:1]], np.r_[values, values[:1]], color=LINE_COLOURS[0], linewidth=1.2)
    else:
        ax.plot(angles, values, "o", color=LINE_COLOURS[0])
    for angle, value in zip(angles, values, strict=True):
        ax.annotate(f"{value:.0f}", (angle, value), fontsize=LETTERS - 1)
    ax.set_xticks(np.radians(45.0 * np.arange(8)), DIRECTIONS)
    ax.set_title(f"newtons for {rose.duration:.2f} s, survived at all of {rose.phases} phases", loc="left")
    dress(ax)
    return save_figure(figure, path)


def save_loads(loads: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Peak and mean torques of every joint against its limit, and its powers."""
    figure = empty_figure(TEXT, 0.6 + 0.17 * len(loads))
    left, right = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(loads))[::-1]
    for name, colour, label in (("peak_nm", LINE_COLOURS[0], "peak"), ("rms_nm", LINE_COLOURS[1], "rms")):
        left.barh(places, [row[name] for row in loads], height=0.7, color=colour, label=label)
    for place, row in zip(places, loads, strict=True):
        if row["limit_nm"] is not None:
            left.plot([row["limit_nm"]] * 2, [place - 0.45, place + 0.45], color="#B3261E", linewidth=1.4)
    for name, colour, label in (("peak_w", LINE_COLOURS[0], "peak"), ("mean_w", LINE_COLOURS[1], "mean")):
        right.barh(places, [row[name] for row in loads], height=0.7, color=colour, label=label)
    left.set_yticks(places, [row["joint"] for row in loads])
    left.set_xlabel("torque [N m], the limit in red")
    right.set_xlabel("power [W]")
    left.legend()
    right.legend()
    dress(left, right)
    return save_figure(figure, path)


def save_history(history: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Cost, time up, pace and pushes of the best candidate, generation by generation."""
    columns = {"cost": "cost", "up": "up [s]", "speed": "pace [m/s]", "push": "push [N]"}
    figure = plot_generations(history, columns, width=TEXT)
    panels = figure.axes
    stages = np.array([STAGES.index(row["stage"]) for row in history])
    for k in np.flatnonzero(np.diff(stages)) + 1:
        for panel in panels:
            panel.axvline(k + 1, color="#9AA4AE", linewidth=0.8)
    panels[0].set_yscale("log")
    for stage in np.unique(stages):
        first = int(np.argmax(stages == stage))
        panels[0].text(first + 1, panels[0].get_ylim()[1], f" {STAGES[stage]}", va="top", fontsize=LETTERS - 1)
    return save_figure(figure, path)
