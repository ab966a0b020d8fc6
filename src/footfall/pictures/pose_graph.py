"""A pose control graph as a picture: its poses, and arrows with what leads from one to another, as in SIMBICON's
figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.motion.motion import Motion
from footfall.pictures.page import INK, LETTERS, SOFT, empty_figure
from footfall.pictures.scene import scene_of
from footfall.pictures.strips import draw_pose, pose_outlines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_IN_A_ROW = 5
_POSE, _LINE, _LANE, _LETTER = 1.9, 0.145, 0.34, 0.061
"""Inches: the height of a pose, of a line of words, of the lane of an arrow that returns; the width of a letter."""
_LEAST_CELL, _EDGE, _APART = 1.95, 0.5, 0.09
"""Inches: the least width of a pose's cell, the page's edge beside the cells, between arrows in one channel."""
_HEAD, _TOP = 0.26, 0.42
_ARROW, _ASIDE = "#5B6570", "#8B1E3F"


@dataclass(frozen=True)
class StateLink:
    """What leads from one pose to another: their numbers, when, and whether it is the exception."""

    start: int
    end: int
    words: str
    aside: bool = False


def rows_of(count: int, links: Sequence[StateLink]) -> list[list[int]]:
    """The poses in rows: each chain of what follows what, from its first pose until it comes back; a long chain is
    broken."""
    after = {link.start: link.end for link in links if not link.aside}
    rows: list[list[int]] = []
    left = dict.fromkeys(range(count))
    while left:
        chain, here = [], next(iter(left))
        while here in left:
            chain.append(here)
            del left[here]
            here = after.get(here, -1)
        parts = -(-len(chain) // _MOST_IN_A_ROW)
        each = -(-len(chain) // parts)
        rows += [chain[k : k + each] for k in range(0, len(chain), each)]
    return rows


def pose_graph(
    poses: Motion,
    links: Sequence[StateLink],
    labels: Sequence[str],
    notes: Sequence[Sequence[str]] = (),
    *,
    title: str | None = None,
) -> "Figure":
    """Poses side by side in the order in which they follow each other, with arrows between them.

    Args:
        poses: a frame for each.
        links: what leads where.
        labels: a name for each pose.
        notes: lines below each pose.
        title: a line above.
    """
    rows = rows_of(len(poses), links)
    notes = notes or [()] * len(poses)
    letters = max((len(line) for lines in notes for line in lines), default=0)
    cell = max(_LEAST_CELL, _LETTER * letters / 0.8)
    wide = cell * max(len(row) for row in rows) + _EDGE + 0.2
    low = [_HEAD + _POSE + 0.1 + _LINE * max(len(notes[k]) for k in row) for row in rows]
    tall = sum(low) + (len(rows) * 1.2 + 0.3) * _LANE + (_TOP if title else 0.1)
    page = empty_figure(wide, tall)
    page.set_layout_engine("none")
    ax = page.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0.0, wide), ylim=(0.0, tall))
    ax.axis("off")
    if title:
        ax.text(0.15, tall - 0.22, title, fontsize=LETTERS + 1, color=INK, va="center")
    places: dict[int, _Cell] = {}
    top = tall - (_TOP if title else 0.1)
    for r, row in enumerate(rows):
        for k, pose in enumerate(row):
            places[pose] = _Cell(r, _EDGE + (k + 0.5) * cell, cell, top - _HEAD - _POSE, top, top - low[r])
        top -= low[r] + 1.2 * _LANE
    _draw_cells(ax, poses, places, labels, notes)
    routed = 0
    for link in links:
        routed += _draw_link(ax, link, places, routed)
    first = places[rows[0][0]]
    ax.annotate(
        "", (first.x - 0.36 * cell, first.ground + 0.6 * _POSE), (0.08, first.ground + 0.6 * _POSE),
        arrowprops={"arrowstyle": "-|>", "color": _ARROW, "linewidth": 1.2},
    )  # fmt: skip
    return page


@dataclass(frozen=True)
class _Cell:
    """Where a pose is drawn: its row, the middle and the width of its cell, the ground under it, the top and the end of
    its words."""

    row: int
    x: float
    wide: float
    ground: float
    top: float
    bottom: float


def _draw_cells(
    ax: "Axes", poses: Motion, places: dict[int, _Cell], labels: Sequence[str], notes: Sequence[Sequence[str]]
) -> None:
    scene = scene_of(poses)
    shapes = [pose_outlines(scene, f, np.array([1.0, 0.0]), 0.0) for f in range(len(poses))]
    ends = np.concatenate([shape for pose in shapes for _, shape in pose])
    reach = max(float(np.abs(ends[:, 0]).max()), 1e-6)
    inch = min(0.96 * _POSE / max(float(ends[:, 1].max()), 1e-6), 0.34 * places[0].wide / reach)
    for f, shown in enumerate(shapes):
        cell = places[f]
        ax.plot(
            [cell.x - 0.36 * cell.wide, cell.x + 0.36 * cell.wide], [cell.ground] * 2, color="#C3CAD1", linewidth=1.0
        )
        draw_pose(ax, [(side, np.array([cell.x, cell.ground]) + inch * shape) for side, shape in shown], 3.0)
        ax.text(cell.x, cell.top - 0.5 * _HEAD, labels[f], ha="center", va="center", fontsize=LETTERS + 1, color=INK)
        for k, line in enumerate(notes[f]):
            y = cell.ground - 0.1 - (k + 0.5) * _LINE
            ax.text(cell.x - 0.36 * cell.wide, y, line, va="center", fontsize=LETTERS - 0.5, color=SOFT)


def _draw_link(ax: "Axes", link: StateLink, places: dict[int, _Cell], routed: int) -> bool:
    """To the right neighbour a straight arrow; from an exception's row to another one down beside the words; to any
    other pose through the lane below the words. ``routed`` is how many were not straight; returns whether this is."""
    a, b, wide = places[link.start], places[link.end], places[link.start].wide
    middle, aside = a.ground + 0.5 * _POSE, _APART * (routed % 4)
    across, upright = "center", "bottom"
    if a.row == b.row and 0.0 < b.x - a.x < 1.2 * wide:
        at, y = a.x + 0.5 * wide, middle + 0.24 * _POSE * link.aside
        way = [(at - 0.3, y), (at + 0.3, y)]
        words = (at, y + 0.05)
    elif link.start == link.end:
        way = [(a.x + 0.2, a.top - _HEAD), (a.x + 0.2, a.top), (a.x - 0.2, a.top), (a.x - 0.2, a.top - _HEAD)]
        words, across, upright = (a.x + 0.26, a.top - 0.1), "left", "center"
    elif link.aside and a.row < b.row:
        x, to, turn, end = a.x - 0.42 * wide, b.x - 0.42 * wide, b.top + 0.1, b.ground + 0.75 * _POSE
        way = [
            (a.x - 0.34 * wide, a.ground + 0.1),
            (x, a.ground + 0.1),
            (x, turn),
            (to, turn),
            (to, end),
            (to + 0.25, end),
        ]
        words, across = (x + 0.04, turn + 0.02), "left"
    else:
        lane, out, to = a.bottom - 0.5 * _LANE, a.x + 0.44 * wide, b.x - 0.44 * wide - aside
        end = b.ground + (0.45 - 0.1 * (routed % 4)) * _POSE
        way = [(a.x + 0.34 * wide, middle), (out, middle), (out, lane), (to, lane), (to, end), (b.x - 0.36 * wide, end)]
        words, across = (out - 0.05, lane + 0.03), "right"
    colour, straight = _ASIDE if link.aside else _ARROW, len(way) == 2
    ax.plot(
        [x for x, _ in way[:-1]],
        [y for _, y in way[:-1]],
        color=colour,
        linewidth=1.2,
        linestyle="--" if link.aside else "-",
        zorder=2,
    )
    ax.annotate(
        "", way[-1], way[-2], zorder=2,
        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip
    text = link.words if straight else link.words.replace(",\n", ", ").replace("\n", ", ")
    ax.text(
        *words, text, ha=across, va=upright, fontsize=LETTERS - 0.5, color=colour, zorder=5, linespacing=1.0,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85},
    )  # fmt: skip
    return not straight and not (link.aside and a.row < b.row)
