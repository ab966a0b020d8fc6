"""Strips of poses along the way travelled, as in SIMBICON's figure 6."""

from typing import TYPE_CHECKING

import numpy as np

from footfall.motion.gait.heading import facing, ground_path, smoothed
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array
from footfall.motion.skeleton.body_shape import leg_length
from footfall.pictures.palette import SIDE_COLOURS
from footfall.pictures.scene import Scene, scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["capsule_outline", "strip"]

_WIDTH = 13.0
_ROW_METRES = 9.0
_LEAST_METRES = 5.0
_MOST_ROWS = 6
_ARC = np.linspace(-np.pi / 2, np.pi / 2, 9)


def strip(motion: Motion, *, poses: int | None = None, title: str | None = None) -> "Figure":
    """Poses at equal spacing in time, drawn from the side where they happened, over the outline of the ground.

    A turning path is unrolled along its length. A motion that stays in place is spread out: then the axis is time.

    Args:
        motion: what to draw.
        poses: how many; by default about one for each half metre.
        title: a line above the strip.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    along, forward = _progress(motion)
    reach = leg_length(motion.skeleton) / 0.9
    travelled = float(np.ptp(along))
    count = poses or int(np.clip(round(float(np.abs(np.diff(along)).sum()) / (0.5 * reach)) + 1, 9, 80))
    in_place = travelled < 0.2 * reach * (count - 1)
    if in_place and not poses:
        count = int(np.clip(round(motion.seconds / 0.2) + 1, 2, 60))
    frames = _equal_times(motion, count)
    scene = scene_of(motion, frames)
    at = along[frames]
    if in_place:
        at = 0.75 * reach * np.arange(len(frames))
    relative = [
        np.einsum("fck,fk->fc", places[..., :2] - scene.root[:, None, :2], forward[frames])
        for places in (scene.starts, scene.ends)
    ]
    low = float(at.min()) - 0.7 * reach
    high = float(at.max()) + 0.7 * reach
    if high - low < _LEAST_METRES * reach:
        low, high = (0.5 * (low + high) + side * 0.5 * _LEAST_METRES * reach for side in (-1.0, 1.0))
    rows = int(np.clip(np.ceil((high - low) / (_ROW_METRES * reach)), 1, _MOST_ROWS))
    if in_place and rows > 1:
        low, high = -0.375 * reach, (0.75 * rows * np.ceil(len(frames) / rows) - 0.375) * reach
    row_metres = (high - low) / rows
    tall = max(float(max(scene.starts[..., 2].max(), scene.ends[..., 2].max())) + 0.12 * reach, 0.5 * reach)
    outline = _outline(motion, along, low, high, in_place)
    deep = float(outline[:, 1].min()) - 0.12 * reach
    inch = _WIDTH / row_metres
    figure = Figure(
        figsize=(_WIDTH, rows * ((tall - deep) * inch + 0.55) + (0.35 if title else 0.0)), layout="constrained"
    )
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, 1, squeeze=False)[:, 0]
    for row, ax in enumerate(axes):
        left = low + row * row_metres
        _draw_ground(ax, outline, deep)
        for f in range(len(frames)):
            if left - reach < at[f] < left + row_metres + reach:
                _draw_pose(ax, scene, f, at[f] + relative[0][f], at[f] + relative[1][f])
        ax.set(xlim=(left, left + row_metres), ylim=(deep, tall), aspect="equal")
        _dress(ax, "time [s]" if in_place else "x [m]" if scene.planar else "way travelled [m]")
        if in_place:
            here = np.flatnonzero((at >= left) & (at <= left + row_metres))
            ax.set_xticks(list(at[here]), [f"{scene.times[k]:.1f}" for k in here])
    if title:
        figure.suptitle(title, fontsize=11, x=0.01, ha="left", color="#22272E")
    return figure


def _progress(motion: Motion) -> tuple[Array, Array]:
    """[T] way travelled in the direction faced, and that direction [T, 2]."""
    forward = smoothed(facing(motion), motion.frame_time, 1.0)
    forward /= np.maximum(np.linalg.norm(forward, axis=-1, keepdims=True), 1e-9)
    path = ground_path(motion)
    length = float(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum())
    net = path[-1] - path[0]
    root = motion.root_position[:, :2]
    if np.ptp(motion.root_position[:, 1]) < 1e-9:
        return root[:, 0].copy(), np.tile([1.0, 0.0], (len(motion), 1))
    if np.linalg.norm(net) > 0.95 * length and length > 0.5:
        straight = net / np.linalg.norm(net) * (1.0 if (forward @ net).mean() > 0 else -1.0)
        if np.abs((forward @ straight).mean()) > 0.8:
            return (root - root[0]) @ straight, np.tile(straight, (len(motion), 1))
    steps = np.einsum("tk,tk->t", np.diff(root, axis=0), forward[1:])
    return np.concatenate([[0.0], np.cumsum(steps)]), forward


def _equal_times(motion: Motion, count: int) -> np.ndarray:
    ticks = np.linspace(motion.times[0], motion.times[-1], count)
    return np.unique(np.clip(np.searchsorted(motion.times, ticks), 0, len(motion) - 1))


def _outline(motion: Motion, along: Array, low: float, high: float, in_place: bool) -> Array:
    """[K, 2] the ground's outline along the strip."""
    ground = motion.ground
    if ground is None or ground.is_flat or in_place:
        level = 0.0 if ground is None else float(ground.height(motion.root_position[0, 0], motion.root_position[0, 1]))
        return np.array([[low, level], [high, level]])
    if np.ptp(motion.root_position[:, 1]) < 1e-9:
        x = np.unique(np.concatenate([ground.x[(ground.x > low) & (ground.x < high)], [low, high]]))
        return np.stack([x, ground.height(x)], axis=-1)
    order = np.argsort(along)
    x = np.concatenate([[low], along[order], [high]])
    z = ground.height(motion.root_position[order, 0], motion.root_position[order, 1])
    return np.stack([x, np.concatenate([z[:1], z, z[-1:]])], axis=-1)


def capsule_outline(a: Array, b: Array, ra: float, rb: float) -> Array:
    """[N, 2] the outline of a tapered capsule from a (2,) with radius ra to b (2,) with radius rb."""
    d = b - a
    angle = float(np.arctan2(d[1], d[0]))
    far = b + rb * np.stack([np.cos(angle + _ARC), np.sin(angle + _ARC)], axis=-1)
    near = a + ra * np.stack([np.cos(angle + np.pi + _ARC), np.sin(angle + np.pi + _ARC)], axis=-1)
    return np.concatenate([far, near])


def _drawn_radius(radius: float) -> float:
    """Poses are close together in a strip: thick parts are drawn slimmer, thin ones are kept."""
    return min(radius, 0.018 + 0.5 * radius)


def _draw_pose(ax: "Axes", scene: Scene, f: int, x0: Array, x1: Array) -> None:
    from matplotlib.collections import PolyCollection

    for layer, side in enumerate(("left", "", "right")):
        shapes = [
            capsule_outline(
                np.array([x0[c], scene.starts[f, c, 2]]),
                np.array([x1[c], scene.ends[f, c, 2]]),
                _drawn_radius(capsule.radius_start),
                _drawn_radius(capsule.radius_end),
            )
            for c, capsule in enumerate(scene.capsules)
            if capsule.side == side
        ]
        ax.add_collection(
            PolyCollection(
                shapes,
                facecolors=SIDE_COLOURS[side],
                edgecolors="white",
                linewidths=0.35,
                zorder=3 + 0.01 * f + 0.003 * layer,
            )
        )


def _draw_ground(ax: "Axes", outline: Array, deep: float) -> None:
    ax.fill_between(outline[:, 0], outline[:, 1], deep - 10, color="#E9EDF1", linewidth=0, zorder=1)
    ax.plot(outline[:, 0], outline[:, 1], color="#7A8590", linewidth=1.0, zorder=2)


def _dress(ax: "Axes", label: str) -> None:
    for edge in ("top", "right", "left"):
        ax.spines[edge].set_visible(False)
    ax.spines["bottom"].set_color("#C3CAD1")
    ax.set_yticks([])
    ax.tick_params(colors="#5B6570", labelsize=8, length=3)
    ax.set_xlabel(label, fontsize=8, color="#5B6570")
