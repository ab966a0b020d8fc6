"""Words beside a drawing, each joined by a line to the place that it names, none over another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.motion.quaternion import Array
from footfall.pictures.page import INK, LETTERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE = "#9AA4AE"


@dataclass(frozen=True, eq=False)
class Label:
    """Words, the place [2] that they name, and colours of dots before them."""

    text: str
    at: Array
    dots: Sequence[str] = ()


def spread(wanted: Array, gap: float, low: float, high: float) -> Array:
    """[N] places as near to the wanted ones [N] as may be, ``gap`` apart, in their order, between two ends where there
    is room (least squares, by pooling neighbours that are too near)."""
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
        ax: where. labels: what.
        edge: where the words begin, along x. way: +1 for words to the right of it, -1 to the left.
        gap: between lines of words, in units of y. ends: of the column.
    """
    heights = spread(np.array([label.at[1] for label in labels]), gap, *ends)
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
