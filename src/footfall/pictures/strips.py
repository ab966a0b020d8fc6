"""Strips of poses along the way travelled, as in SIMBICON's figure 6.

Their moments are evenly spaced, and never always at the same phase of the gait.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from footfall.errors import FootfallError, check_name
from footfall.motion.gait.contact import find_steps, step_rate
from footfall.motion.gait.feet import facing, ground_path, smoothed
from footfall.motion.gait.measures import gait_contacts
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array
from footfall.motion.skeleton.roles import leg_length
from footfall.pictures.page import INK, LETTERS, SIDE_COLOURS, SOFT, TEXT, empty_figure, set_title
from footfall.pictures.scene import Scene, nearest_frames, scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_EIGHTHS = (1, 3, 5, 7, 9, 11, 13, 15)
"""Spacings in eighths of a stride. Odd, so that eight poses in a row show eight different phases."""


def stride_seconds(motion: Motion) -> float | None:
    """How long a stride (two steps) takes; None where too few steps are seen."""
    try:
        rate = step_rate(find_steps(gait_contacts(motion)))
    except FootfallError:  # a body without feet
        return None
    return 2.0 / rate if rate else None


def pose_frames(motion: Motion, spacing: float) -> np.ndarray:
    """Indices of frames about ``spacing`` seconds apart, at odd eighths of the stride where there is one."""
    stride = stride_seconds(motion)
    if stride is not None:
        spacing = min((k * stride / 8.0 for k in _EIGHTHS), key=lambda s: abs(np.log(s / spacing)))
    ticks = np.arange(motion.times[0], motion.times[-1] + 1e-9, spacing)
    return np.unique(nearest_frames(motion, ticks))


CAMERAS = ("side", "front")
_ROW_METRES = 8.0
_LEAST_METRES = 4.0
_MOST_ROWS = 8
_IN_PLACE = 0.75
"""Metres between poses of a motion that stays where it is."""
_ENDS = 20
"""Positions at which the ground is looked up before the first and behind the last pose."""


def strip(
    motion: Motion,
    *,
    poses: int | None = None,
    labels: list[str] | None = None,
    title: str | None = None,
    camera: Literal["side", "front"] = "side",
) -> "Figure":
    """Poses at equal spacing in time, drawn from the side where they happened, over the outline of the ground.

    A turning path is unrolled along its length. A motion that stays in place is spread out: then the axis is time. The
    left side is blue, the right orange; the limbs of the far side lie behind. A body is never cut at the end of a row.

    Args:
        motion: what to draw.
        poses: how many; by default about one for each half metre, at changing phases of the gait.
        labels: a word below each pose instead of the axis; the poses are then spread out side by side.
        title: a line above the strip.
        camera: "front" shows them from the front, spread out side by side.
    """
    along, faced = _progress(motion)
    forward = _seen(faced, camera)
    reach = leg_length(motion.skeleton) / 0.9
    frames = _frames(motion, along, reach, poses)
    spread = (
        labels is not None
        or camera == "front"
        or float(np.ptp(along)) < 0.2 * reach * (len(frames) - 1)
        or len(frames) == 1
    )
    if spread and poses is None:
        frames = _equal(motion, int(np.clip(round(motion.seconds / 0.2) + 1, 2, 60)))
    scene = scene_of(motion, frames)
    at: Array = _IN_PLACE * reach * np.arange(len(frames), dtype=np.float64) if spread else along[frames]
    shapes = [pose_outlines(scene, f, forward[frames[f]], float(at[f])) for f in range(len(frames))]
    rows = _rows(at, shapes, reach, spread)
    outline = _outline(motion, along, rows[0].left, rows[-1].right, spread)
    top = max(float(shape[:, 1].max()) for pose in shapes for _, shape in pose) if shapes else 1.0
    deep = float(outline[:, 1].min()) - 0.08 * reach
    tall = max(top + 0.05 * reach, 0.5 * reach)
    inch = (TEXT - 0.15) / (rows[0].right - rows[0].left)
    page = empty_figure(TEXT, len(rows) * ((tall - deep) * inch + 0.38) + (0.25 if title else 0.0))
    for ax, row in zip(page.subplots(len(rows), 1, squeeze=False)[:, 0], rows):
        _draw_ground(ax, outline, deep)
        for f in row.poses:
            draw_pose(ax, shapes[f], 3.0 + 0.01 * f, layers=_layers(camera))
        ax.set(xlim=(row.left, row.right), ylim=(deep, tall), aspect="equal")
        words = labels if labels is not None else [f"{t:.1f}" for t in scene.times] if spread else None
        _dress(ax, "" if labels is not None else "time [s]" if spread else "x [m]" if scene.planar else "distance [m]")
        if words is not None:
            ax.set_xticks([float(at[f]) for f in row.poses], [words[f] for f in row.poses])
    set_title(page, title)
    return page


def strips(
    motions: Mapping[str, Motion],
    *,
    every: float = 0.4,
    seconds: float = 6.0,
    cameras: Sequence[str] = ("side",),
    title: str | None = None,
) -> "Figure":
    """Motions above one another, each with its name: poses at the same times, spread out side by side.

    Args:
        motions: by name.
        every: seconds between poses.
        seconds: how much of the motions is drawn.
        cameras: from where each motion is seen, "side" or "front", a row each.
        title: a line above.
    """
    if not motions:
        raise FootfallError("strips: there is no motion to draw")
    reach = max(leg_length(motion.skeleton) for motion in motions.values()) / 0.9
    shown = [(name, motion, camera) for name, motion in motions.items() for camera in cameras]
    page = None
    for row, (name, motion, camera) in enumerate(shown):
        ticks = motion.times[0] + np.arange(0.0, min(seconds, motion.seconds + 1e-9), every)
        frames = nearest_frames(motion, ticks)
        scene, forward = scene_of(motion, frames), _seen(_progress(motion)[1], camera)
        if page is None:
            inch = (TEXT - 0.15) / (_IN_PLACE * reach * (len(frames) + 0.5))
            page = empty_figure(TEXT, len(shown) * (2.2 * reach * inch + 0.42) + (0.25 if title else 0.0))
            axes = page.subplots(len(shown), 1, squeeze=False)[:, 0]
        ground = motion.ground
        level = 0.0 if ground is None else float(ground.height(*motion.root_position[0, :2]))
        ends = np.array([-_IN_PLACE, _IN_PLACE * len(frames)]) * reach
        _draw_ground(axes[row], np.stack([ends, [level, level]], axis=-1), level - 0.08 * reach)
        for f, frame in enumerate(frames):
            height = level if ground is None else float(ground.height(*motion.root_position[frame, :2]))
            outlines = pose_outlines(scene, f, forward[frame], _IN_PLACE * reach * f)
            at_level = [(side, shape - [0.0, height - level]) for side, shape in outlines]
            draw_pose(axes[row], at_level, 3.0 + 0.01 * f, layers=_layers(camera))
        axes[row].set(xlim=ends, ylim=(level - 0.08 * reach, level + 2.0 * reach), aspect="equal")
        _dress(axes[row], "time [s]" if row == len(shown) - 1 else "")
        axes[row].set_xticks(_IN_PLACE * reach * np.arange(len(frames)), [f"{t:.1f}" for t in scene.times])
        words = name if len(cameras) == 1 else f"{name}, {camera}"
        axes[row].set_title(words, loc="left", fontsize=LETTERS, color=INK, pad=2.0)
    assert page is not None
    set_title(page, title)
    return page


def _seen(forward: Array, camera: str) -> Array:
    """[T, 2] what is to the right in the picture, given the directions faced [T, 2]."""
    check_name("camera of a strip", camera, CAMERAS)
    return forward if camera == "side" else np.stack([-forward[:, 1], forward[:, 0]], axis=-1)


@dataclass(frozen=True)
class _Row:
    """A row of a strip: its ends on the axis, and the poses in it."""

    left: float
    right: float
    poses: list[int]


def _rows(at: Array, shapes: list[list[tuple[str, Array]]], reach: float, spread: bool) -> list[_Row]:
    """Rows of equal length, each pose whole in one of them."""
    ends = [np.concatenate([shape[:, 0] for _, shape in pose] or [at[f : f + 1]]) for f, pose in enumerate(shapes)]
    low = np.array([e.min() for e in ends])
    high = np.array([e.max() for e in ends])
    margin = 0.08 * reach
    start, end = float(at.min()), float(at.max())
    count = int(np.clip(np.ceil((end - start + reach) / (_ROW_METRES * reach)), 1, _MOST_ROWS))
    if spread:
        each = -(-len(at) // count)
        groups = [list(range(k, min(k + each, len(at)))) for k in range(0, len(at), each)]
        starts = [float(at[group[0]]) for group in groups]
        span = _IN_PLACE * reach * (each - 1)
    else:
        span = (end - start) / count
        starts = [start + k * span for k in range(count)]
        number = np.clip(((at - start) / max(span, 1e-9)).astype(int), 0, count - 1)
        groups = [[int(f) for f in np.flatnonzero(number == k)] for k in range(count)]
    before = max(max((s - low[f] for f in group), default=0.0) for s, group in zip(starts, groups))
    after = max(max((high[f] - s - span for f in group), default=0.0) for s, group in zip(starts, groups))
    wide = max(span + before + after + 2.0 * margin, _LEAST_METRES * reach)
    extra = 0.5 * (wide - (span + before + after + 2.0 * margin))
    lefts = [s - before - margin - extra for s in starts]
    return [_Row(left, left + wide, group) for left, group in zip(lefts, groups)]


def pose_outlines(scene: Scene, f: int, forward: Array, at: float) -> list[tuple[str, Array]]:
    """Side and outline [N, 2] of every solid of a pose, its root at ``at``; ``forward`` is right. Farthest first."""
    right = np.array([forward[1], -forward[0]])
    found = []
    for solid in scene.solids:
        places = scene.places(f, solid)
        flat = places[:, :2] - scene.root[f, :2]
        seen = np.stack([at + flat @ forward, places[:, 2]], axis=-1)
        depth = float((flat @ right).mean())
        found += [(depth, solid.side, outline) for outline in solid.outlines(seen)]
    return [(side, shape) for _, side, shape in sorted(found, key=lambda row: row[0])]


def _frames(motion: Motion, along: Array, reach: float, poses: int | None) -> np.ndarray:
    if poses is not None or len(motion) < 3:
        return _equal(motion, poses or len(motion))
    way = float(np.abs(np.diff(along)).sum())
    count = int(np.clip(round(way / (0.5 * reach)) + 1, 9, 80))
    return pose_frames(motion, motion.seconds / (count - 1))


def _equal(motion: Motion, count: int) -> np.ndarray:
    return np.unique(nearest_frames(motion, np.linspace(motion.times[0], motion.times[-1], count)))


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


def _outline(motion: Motion, along: Array, low: float, high: float, spread: bool) -> Array:
    """[K, 2] the ground's outline along the strip."""
    ground = motion.ground
    if ground is None or ground.is_flat or spread:
        level = 0.0 if ground is None else float(ground.height(motion.root_position[0, 0], motion.root_position[0, 1]))
        return np.array([[low, level], [high, level]])
    if np.ptp(motion.root_position[:, 1]) < 1e-9:
        x = np.unique(np.concatenate([ground.x[(ground.x > low) & (ground.x < high)], [low, high]]))
        return np.stack([x, ground.height(x)], axis=-1)
    order = np.argsort(along)
    x, root = along[order], motion.root_position[order, :2]
    way = (root[-1] - root[0]) / max(float(x[-1] - x[0]), 1e-9)
    before, after = np.linspace(low, x[0], _ENDS, endpoint=False), np.linspace(high, x[-1], _ENDS, endpoint=False)[::-1]
    place = np.concatenate([root[0] + np.outer(before - x[0], way), root, root[-1] + np.outer(after - x[-1], way)])
    return np.stack([np.concatenate([before, x, after]), ground.height(place[:, 0], place[:, 1])], axis=-1)


LAYERS = ((("left",), True), (("",), True), (("",), False), (("right",), True))
"""Which sides' parts are drawn after which, from the side, and whether with lines around them."""
FRONT = ((("",), True), (("",), False), (("left", "right"), True))
"""The same from the front: the trunk is behind, the limbs by how near they are."""


def _layers(camera: str) -> Sequence[tuple[tuple[str, ...], bool]]:
    return LAYERS if camera == "side" else FRONT


def draw_pose(
    ax: "Axes",
    pose: Sequence[tuple[str, Array]],
    level: float,
    *,
    paint: Callable[[str], tuple[str, str]] = lambda side: (SIDE_COLOURS[side], "white"),
    lines: tuple[float, float] = (0.3, 0.5),
    layers: Sequence[tuple[tuple[str, ...], bool]] = LAYERS,
) -> None:
    """Each limb with a line around it; the trunk, neck and head with one line around all.

    Args:
        ax: where.
        pose: side and outline of its parts.
        level: above what it is drawn (``zorder``).
        paint: side -> colours of its parts and of the lines.
        lines: widths, around a limb and the trunk.
        layers: sides in the order in which they are drawn.
    """
    from matplotlib.collections import PolyCollection

    for layer, (sides, lined) in enumerate(layers):
        parts = [(*paint(of), shape) for of, shape in pose if of in sides]
        shapes = PolyCollection(
            [shape for _, _, shape in parts],
            facecolors=[face for face, _, _ in parts],
            edgecolors=[edge for _, edge, _ in parts] if lined else "none",
            linewidths=lines["" in sides] if lined else 0.0,
            zorder=level + 0.002 * layer,
        )
        ax.add_collection(shapes)


def _draw_ground(ax: "Axes", outline: Array, deep: float) -> None:
    ax.fill_between(outline[:, 0], outline[:, 1], deep - 10, color="#E9EDF1", linewidth=0, zorder=1)
    ax.plot(outline[:, 0], outline[:, 1], color="#7A8590", linewidth=0.8, zorder=2)


def _dress(ax: "Axes", label: str) -> None:
    for edge in ("top", "right", "left"):
        ax.spines[edge].set_visible(False)
    ax.spines["bottom"].set_color("#C3CAD1")
    ax.spines["bottom"].set_linewidth(0.6)
    ax.set_yticks([])
    ax.tick_params(colors=SOFT, labelsize=LETTERS - 1, length=2.5, width=0.6)
    if label:
        ax.set_xlabel(label, fontsize=LETTERS, color=SOFT, labelpad=1.0)
