"""Drawings of studies: the push rose, the basin of attraction."""

import html
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from footfall.studio.core.markup import BAD, FAINT, GOOD, SOFT, svg

Array = NDArray[np.float64]


def rose(angles: Array, limits: Array, labels: Sequence[tuple[float, str]], unit: str = "N") -> str:
    """How hard it may be pushed in each direction.

    Args:
        angles: [K] degrees, anticlockwise from the right. limits: [K].
        labels: (angle, word) pairs around the rim.
    """
    width, height, radius = 340, 330, 120.0
    cx, cy = width / 2, height / 2
    most = max(float(limits.max()), 1.0)
    ring = next(s for s in (50, 100, 200, 250, 500, 1000, 2000) if most <= 4.5 * s or s == 2000)
    outer = ring * int(np.ceil(most / ring))
    parts = []
    for value in range(ring, outer + 1, ring):
        r = radius * value / outer
        parts.append(f"<circle cx='{cx}' cy='{cy}' r='{r:.1f}' fill='none' stroke='{FAINT}'/>")
        parts.append(
            f"<text x='{cx + 0.72 * r + 3:.1f}' y='{cy - 0.72 * r - 2:.1f}' fill='{SOFT}'>{value} {unit}</text>"
        )
    turn = np.radians(angles)
    xs, ys = cx + radius * limits / outer * np.cos(turn), cy - radius * limits / outer * np.sin(turn)
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys))
    parts.append(f"<polygon points='{way}' fill='{GOOD}' fill-opacity='0.25' stroke='{GOOD}' stroke-width='2'/>")
    for x, y, limit, a in zip(xs, ys, limits, angles):
        parts.append(
            f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.5' fill='{GOOD}'><title>{a:.0f}°: {limit:.0f} {unit}</title>"
            "</circle>"
        )
    for angle, word in labels:
        a = np.radians(angle)
        x, y = cx + (radius + 22) * np.cos(a), cy - (radius + 16) * np.sin(a)
        parts.append(
            f"<text x='{x:.1f}' y='{y + 3:.1f}' text-anchor='middle' font-weight='600'>{html.escape(word)}</text>"
        )
    return svg(width, height, parts, "rose")


def basin_map(x: Array, y: Array, survived: NDArray[np.bool_], xlabel: str, ylabel: str) -> str:
    """Which changed starts still walk: x [X], y [Y], survived [X, Y]."""
    width, height = 340, 300
    left, top, w, h = 48, 8, width - 60, height - 52
    dx, dy = w / len(x), h / len(y)
    parts = []
    for i in range(len(x)):
        for j in range(len(y)):
            fill = GOOD if survived[i, j] else BAD
            parts.append(
                f"<rect x='{left + i * dx:.1f}' y='{top + h - (j + 1) * dy:.1f}' width='{dx + 0.3:.1f}' "
                f"height='{dy + 0.3:.1f}' fill='{fill}'/>"
            )
    sx, sy = left + w * (0 - x[0]) / (x[-1] - x[0]), top + h - h * (0 - y[0]) / (y[-1] - y[0])
    parts.append(f"<circle cx='{sx:.1f}' cy='{sy:.1f}' r='4' fill='none' stroke='white' stroke-width='2'/>")
    parts += [
        f"<text x='{left}' y='{height - 28}' text-anchor='middle'>{x[0]:g}</text>",
        f"<text x='{left + w}' y='{height - 28}' text-anchor='middle'>{x[-1]:g}</text>",
        f"<text x='{left + w / 2}' y='{height - 10}' text-anchor='middle'>{html.escape(xlabel)}</text>",
        f"<text x='{left - 4}' y='{top + h}' text-anchor='end'>{y[0]:g}</text>",
        f"<text x='{left - 4}' y='{top + 8}' text-anchor='end'>{y[-1]:g}</text>",
        f"<text transform='translate(12 {top + h / 2}) rotate(-90)' text-anchor='middle'>{html.escape(ylabel)}</text>",
    ]
    return svg(width, height, parts, "basin")
