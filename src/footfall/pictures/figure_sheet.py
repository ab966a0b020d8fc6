"""A sheet about a figure: the body as it stands, from the side, the front and obliquely, with its joints' axes, contact
points and masses, each named beside it, and its measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.figures.figure import Figure as Body
from footfall.figures.standing import Standing, StandingJoint, standing_figure
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array
from footfall.pictures.page import INK, LETTERS, PLANE_COLOURS, POINT_COLOURS, SIDE_COLOURS, SOFT, empty_figure, tint
from footfall.pictures.scene import Scene, scene_of
from footfall.pictures.strips import FRONT, LAYERS, draw_pose, pose_outlines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINE = "#9AA4AE"


@dataclass(frozen=True, eq=False)
class Label:
    """Words, the place [2] that they name, and colours of dots before them."""

    text: str
    at: Array
    dots: Sequence[str] = ()


def spread_labels(wanted: Array, gap: float, low: float, high: float) -> Array:
    """[N] positions as near to the wanted ones [N] as may be, ``gap`` apart, in their order, between two ends where
    there is room (least squares, by pooling neighbours that are too near)."""
    order = np.argsort(wanted, kind="stable")
    groups: list[tuple[float, int]] = []
    for at in wanted[order]:
        mean, size = float(at), 1
        while groups and mean - 0.5 * (size - 1) * gap < groups[-1][0] + 0.5 * (groups[-1][1] + 1) * gap:
            before, count = groups.pop()
            mean, size = (mean * size + before * count) / (size + count), size + count
        groups.append((mean, size))
    places = np.concatenate([m + gap * (np.arange(n) - 0.5 * (n - 1)) for m, n in groups] or [np.empty(0)])
    count = len(places)
    if count:
        places = np.maximum(places, low + gap * np.arange(count))
        places = np.minimum(places, max(high, low + gap * (count - 1)) - gap * np.arange(count)[::-1])
    out = np.empty(count)
    out[order] = places
    return out


def draw_labels(
    ax: "Axes", labels: Sequence[Label], edge: float, way: int, gap: float, ends: tuple[float, float]
) -> None:
    """Write labels in a column.

    Args:
        ax: where.
        labels: what.
        edge: where the words begin, along x.
        way: +1 for words to the right of it, -1 to the left.
        gap: between lines of words, in units of y.
        ends: of the column.
    """
    heights = spread_labels(np.array([label.at[1] for label in labels]), gap, *ends)
    for label, y in zip(labels, heights):
        knee = edge - 0.45 * way * gap
        ax.plot([label.at[0], knee, edge], [label.at[1], y, y], color=_LINE, linewidth=0.6, zorder=6)
        x = edge + 0.3 * way * gap
        for colour in label.dots:
            ax.plot([x], [y], "o", color=colour, markersize=4.2, zorder=7)
            x += 0.42 * way * gap
        ax.text(
            x, y, label.text, va="center_baseline", ha="left" if way > 0 else "right", fontsize=LETTERS, color=INK,
            zorder=7,
        )  # fmt: skip


_WIDE, _TALL = 10.67, 6.67
"""Inches; 1600 x 1000 pixels have 150 to an inch."""
_LINES = 30
"""Lines of labels that a view has room for."""
_ROOM = 0.21
"""Share of a view's width for words on either side."""
_LEAST_MASS = 0.02
"""Share of the whole mass from which on a part's mass is written."""


@dataclass(frozen=True)
class _View:
    """A direction to look in: what is to the right in the picture."""

    name: str
    across: tuple[float, float, float]

    def flat(self, points: Array) -> Array:
        """[..., 2] points [..., 3] in the picture."""
        return np.stack([points @ np.array(self.across), points[..., 2]], axis=-1)


_SIDE, _FRONT = _View("side", (1.0, 0.0, 0.0)), _View("front", (0.0, 1.0, 0.0))


def figure_sheet(figure: Body, *, words: Sequence[str] = ()) -> "Figure":
    """The sheet of a figure, legible at 1600 x 1000 pixels.

    Args:
        figure: which one, in its default pose.
        words: lines written below its measures.
    """
    stance = standing_figure(figure)
    scene = scene_of(Motion.from_qpos(figure, np.zeros(1), figure.default_qpos[None]))
    page = empty_figure(_WIDE, _TALL)
    page.set_layout_engine("none")
    page.text(0.02, 0.965, figure.name, fontsize=LETTERS + 6, color=INK, va="center")
    views = [_SIDE] if scene.planar else [_SIDE, _FRONT]
    width = 0.68 / len(views)
    across = [np.array(view.across) for view in views]
    shapes = [pose_outlines(scene, 0, way[:2], float(scene.root[0] @ way)) for way in across]
    ratio = (width - 0.01) * _WIDE / (0.875 * _TALL)
    tall = max(_needed(own, ratio) for own in shapes)
    for k, (view, own) in enumerate(zip(views, shapes)):
        _draw_view(page.add_axes((0.04 + k * width, 0.055, width - 0.01, 0.875)), view, own, stance, tall, ratio)
    page.add_axes((0.73, 0.47, 0.26, 0.51)).imshow(_painted(scene))
    page.axes[-1].axis("off")
    _write_words(page.add_axes((0.735, 0.02, 0.26, 0.44)), scene, stance, words)
    return page


def _ends(shapes: Sequence[tuple[str, Array]]) -> tuple[float, float, float]:
    """Left, right and top."""
    covered = np.concatenate([shape for _, shape in shapes])
    (left, _), (right, high) = covered.min(axis=0), covered.max(axis=0)
    return float(left), float(right), float(high)


def _needed(shapes: Sequence[tuple[str, Array]], ratio: float) -> float:
    """Metres that a view shows from its floor to its top: for the body, and for words on both sides of it."""
    left, right, high = _ends(shapes)
    return max(1.1 * high, (right - left) / (ratio * (1.0 - 2.3 * _ROOM)))


def _draw_view(
    ax: "Axes", view: _View, shapes: Sequence[tuple[str, Array]], stance: Standing, tall: float, ratio: float
) -> None:
    left, right, high = _ends(shapes)
    wide, room = ratio * tall, _ROOM * ratio * tall
    middle = 0.5 * (left + right) - (0.05 * wide if view is _SIDE else 0.0)
    floor = -0.04 * tall
    ax.set(xlim=(middle - 0.5 * wide, middle + 0.5 * wide), ylim=(floor, floor + tall), aspect="equal")
    ax.axhspan(floor - tall, 0.0, color="#E9EDF1", linewidth=0, zorder=0)
    ax.axhline(0.0, color="#7A8590", linewidth=0.8, zorder=1)
    _draw_body(ax, view, shapes)
    if view is _SIDE:
        _draw_masses(ax, view, stance)
    _draw_points(ax, view, stance)
    _draw_axes(ax, view, stance, 0.03 * tall)
    gap = tall / _LINES
    ends = 0.02 * tall, floor + 0.97 * tall
    columns = _joint_labels(view, stance)
    if view is _SIDE:
        draw_labels(ax, columns[None], right + 0.25 * room, 1, gap, ends)
        draw_labels(ax, _mass_labels(view, stance), left - 0.25 * room, -1, gap, ends)
    else:
        draw_labels(ax, columns["left"], right + 0.25 * room, 1, gap, ends)
        draw_labels(ax, columns["right"] + columns[None], left - 0.25 * room, -1, gap, ends)
    ax.text(0.5, 0.995, view.name, transform=ax.transAxes, ha="center", va="top", fontsize=LETTERS, color=SOFT)
    for edge in ("top", "right", "bottom") if view is _SIDE else ("top", "right", "bottom", "left"):
        ax.spines[edge].set_visible(False)
    ax.spines["left"].set_color("#C3CAD1")
    step = _step(high)
    if view is _SIDE:
        ax.spines["left"].set_bounds(0.0, min(step * np.ceil(high / step), floor + tall))
        ax.set_yticks(np.arange(0.0, min(high + step, floor + tall), step))
    else:
        ax.set_yticks([])
    ticks = step * np.arange(np.floor(left / step), np.ceil(right / step) + 1)
    ax.set_xticks(ticks, [f"{x:g}" + " m" * (k == len(ticks) - 1) for k, x in enumerate(np.round(ticks, 6) + 0.0)])
    ax.tick_params(colors=SOFT, labelsize=LETTERS - 1, length=2.5, width=0.6)


def _step(height: float) -> float:
    """Metres between the marks of the scale: five to twelve marks."""
    rough = height / 10.0
    power = 10.0 ** np.floor(np.log10(rough))
    return float(next(power * k for k in (1.0, 2.0, 5.0, 10.0) if power * k >= rough))


def _draw_body(ax: "Axes", view: _View, shapes: Sequence[tuple[str, Array]]) -> None:
    """The far side, the trunk, the near side; from the front the trunk is behind."""
    draw_pose(
        ax,
        shapes,
        2.0,
        paint=lambda side: (tint(SIDE_COLOURS[side], 0.22), tint(SIDE_COLOURS[side], 0.65)),
        lines=(0.6, 1.2),
        layers=LAYERS if view is _SIDE else FRONT,
    )


def _draw_masses(ax: "Axes", view: _View, stance: Standing) -> None:
    masses = np.array([body.mass for body in stance.figure.bodies])
    shown = masses > 0.002 * stance.mass
    at = view.flat(stance.coms[shown])
    ax.scatter(
        at[:, 0], at[:, 1], s=900.0 * masses[shown] / stance.mass, facecolor="#FFFFFF90", edgecolor=INK, linewidth=0.7,
        zorder=3,
    )  # fmt: skip
    x, z = view.flat(stance.com)
    ax.plot([x], [z], marker="P", color=INK, markersize=6, markeredgecolor="white", markeredgewidth=0.6, zorder=8)


def _mass_labels(view: _View, stance: Standing) -> list[Label]:
    """The parts that weigh most, both sides in one."""
    from footfall.figures.side_names import counterparts, without_left

    bodies = stance.figure.bodies
    names = counterparts(body.name for body in bodies)
    index = {body.name: body.index for body in bodies}
    labels = []
    for body in bodies:
        other, side = names[body.name]
        if body.mass < _LEAST_MASS * stance.mass or side == "right":
            continue
        at = view.flat(stance.coms[body.index])
        alike = side is not None and abs(bodies[index[other]].mass - body.mass) <= 1e-3 * body.mass
        own = (without_left(body.name) if alike else body.name).replace("_", " ").removesuffix(" link")
        labels.append(Label(f"{own}: {body.mass:.3g} kg", at))
    return labels


def _draw_points(ax: "Axes", view: _View, stance: Standing) -> None:
    for kind, marker, size in (("fall", "X", 6.0), ("sole", "o", 4.6)):
        own = [
            at
            for point, at in zip(stance.figure.points, stance.points)
            if point.ground and (point.foot is not None) == (kind == "sole")
        ]
        if own:
            at = view.flat(np.array(own))
            ax.plot(
                at[:, 0], at[:, 1], marker, color=POINT_COLOURS[kind], markersize=size, markeredgecolor="white",
                markeredgewidth=0.6, zorder=9, clip_on=False,
            )  # fmt: skip


def _colour(joint: StandingJoint) -> str:
    return PLANE_COLOURS.get(joint.joint.plane or "", INK)


def _draw_axes(ax: "Axes", view: _View, stance: Standing, half: float) -> None:
    """Axes as lines; one that points at the eye as a dot in a ring, a ball joint as a ring."""
    for joint in stance.joints:
        x, z = view.flat(joint.anchor)
        along = view.flat(joint.axis)
        colour = _colour(joint)
        if np.linalg.norm(along) > 0.35:
            (x0, z0), (x1, z1) = (x, z) - half * along, (x, z) + half * along
            ax.plot([x0, x1], [z0, z1], color="white", linewidth=3.4, solid_capstyle="round", zorder=4)
            ax.plot([x0, x1], [z0, z1], color=colour, linewidth=2.0, solid_capstyle="round", zorder=5)
        else:
            ax.plot([x], [z], "o", markersize=7.0, markerfacecolor="white", markeredgecolor=colour, zorder=5.2)
            if joint.axis.any():
                ax.plot([x], [z], "o", markersize=2.6, color=colour, zorder=5.3)


def _joint_labels(view: _View, stance: Standing) -> dict[str | None, list[Label]]:
    """Labels of the positions of joints by side; from the side both legs are one."""
    groups: dict[tuple[str | None, str], list[StandingJoint]] = {}
    for joint in stance.joints:
        side = None if view is _SIDE else joint.side
        groups.setdefault((side, joint.part), []).append(joint)
    labels: dict[str | None, list[Label]] = {None: [], "left": [], "right": []}
    for (of, place), joints in groups.items():
        at = view.flat(np.mean([joint.anchor for joint in joints], axis=0))
        labels[of].append(Label(place.replace("_", " "), at, list(dict.fromkeys(map(_colour, joints)))))
    return labels


def _painted(scene: Scene) -> np.ndarray:
    from footfall.pictures.painter import Painter
    from footfall.pictures.scene import Camera

    size, shown = (1180, 1446), (832, 1020)
    left, top = (size[0] - shown[0]) // 2, (size[1] - shown[1]) // 2
    image = Painter(scene, Camera(scene, size, "three-quarter"), words=False).paint(0)
    return image[top : top + shown[1], left : left + shown[0]].copy()


def _write_words(ax: "Axes", scene: Scene, stance: Standing, words: Sequence[str]) -> None:
    ax.axis("off")
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    y = _draw_legend(ax, stance)
    for line in (*_measures(scene, stance), "", *words):
        ax.text(0.0, y, line, fontsize=LETTERS, color=INK, va="top")
        y -= 0.058 if line else 0.03


def _draw_legend(ax: "Axes", stance: Standing) -> float:
    """What colours and marks mean, as far as they are there; returns where it ends."""
    planes = {joint.joint.plane for joint in stance.joints}
    style: dict[str, Any] = {"markersize": 5.5, "markeredgecolor": "white", "markeredgewidth": 0.5}
    rows: list[tuple[str, dict[str, Any]]] = [
        (f"{plane} axis", {"marker": "s", "color": colour, **style})
        for plane, colour in PLANE_COLOURS.items()
        if plane in planes
    ]
    if any(joint.joint.kind == "ball" for joint in stance.joints):
        rows.append(("ball joint", {"marker": "o", "markerfacecolor": "white", "markeredgecolor": INK}))
    feet = {point.foot is not None for point in stance.figure.points if point.ground}
    if True in feet:
        rows.append(("sole's contact point", {"marker": "o", "color": POINT_COLOURS["sole"], **style}))
    if False in feet:
        rows.append(("touching here is a fall", {"marker": "X", "color": POINT_COLOURS["fall"], **style}))
    rows.append(("mass of a part", {"marker": "o", "markerfacecolor": "white", "markeredgecolor": INK}))
    rows.append(("centre of mass", {"marker": "P", "color": INK, **style}))
    rows += [(side, {"marker": "s", "color": SIDE_COLOURS[side], **style}) for side in ("left", "right")]
    y = 0.97
    for k, (text, mark) in enumerate(rows):
        x = 0.02 + 0.5 * (k % 2)
        ax.plot([x], [y - 0.02], linestyle="none", **mark)
        ax.text(x + 0.045, y - 0.02, text, fontsize=LETTERS - 0.5, color=SOFT, va="center_baseline")
        y -= 0.06 * (k % 2)
    return y - 0.06 * (len(rows) % 2) - 0.05


def _measures(scene: Scene, stance: Standing) -> list[str]:
    figure = stance.figure
    driven = sum(joint.joint.actuated for joint in stance.joints)
    lines = [
        f"{stance.mass:.4g} kg, {scene.tall:.3g} m tall",
        f"{len(figure.bodies)} bodies, {len(stance.joints)} joints, {driven} driven",
        f"{figure.root} root, nq {figure.nq}, nv {figure.nv}; torso is '{figure.torso}'",
    ]
    if np.isfinite(stance.hip_height):
        lines.insert(1, f"hips {stance.hip_height:.3g} m up, hip to ankle {stance.leg_length:.3g} m")
    for side, (length, width) in list(stance.soles.items())[:1]:
        count = sum(point.foot == side and point.ground for point in figure.points)
        size = f"{length:.3g} m long" if scene.planar else f"{length:.3g} x {width:.3g} m"
        lines.append(f"soles {size}, {count} points each")
    return lines
