"""Drawings of what was simulated: the states over time, a phase portrait."""

import html
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.studio.core.markup import FAINT, LEFT, RIGHT, SOFT, svg

Array = NDArray[np.float64]


def timeline(
    times: Array,
    codes: Sequence[tuple[str, int, bool]],
    contact: NDArray[np.bool_],
    figure: Any,
    window: float,
    colours: Sequence[str],
) -> str:
    """States and footfalls over the last ``window`` seconds.

    Args:
        times: [S]. codes: [S] (controller, number, right stance). contact: [S, P] by the figure's ground points.
    """
    width, height = 340, 66
    end = float(times[-1])

    def x(t: float) -> float:
        return 40 + (width - 44) * (1 - (end - t) / window)

    parts = []
    for first, last in _runs([(n, k) for n, k, _ in codes]):
        name, number, _ = codes[first]
        a, b = x(float(times[first])), x(float(times[min(last, len(times) - 1)]))
        parts.append(
            f"<rect x='{a:.1f}' y='4' width='{max(b - a, 0.5):.1f}' height='18' "
            f"fill='{colours[number % len(colours)]}'>"
            f"<title>{html.escape(name)} {number}</title></rect>"
        )
        if b - a > 12:
            parts.append(f"<text x='{(a + b) / 2:.1f}' y='17' text-anchor='middle' fill='#2b333c'>{number}</text>")
    points = [p for p in figure.points if p.ground]
    for row, (side, colour) in enumerate((("left", LEFT), ("right", RIGHT))):
        columns = [i for i, p in enumerate(points) if p.foot == side]
        if not columns or contact.shape[1] != len(points):
            continue
        down = [bool(row.any()) for row in contact[:, columns]]
        y = 28 + 15 * row
        parts.append(f"<text x='36' y='{y + 8}' text-anchor='end'>{side}</text>")
        for first, last in _runs(down):
            if down[first]:
                a, b = x(float(times[first])), x(float(times[min(last, len(times) - 1)]))
                parts.append(f"<rect x='{a:.1f}' y='{y}' width='{max(b - a, 0.5):.1f}' height='10' fill='{colour}'/>")
    parts.append("<text x='36' y='17' text-anchor='end'>state</text>")
    for s in range(int(np.ceil(end - window)), int(end) + 1):
        if s >= 0:
            parts.append(f"<text x='{x(s):.1f}' y='65' text-anchor='middle' fill='{SOFT}'>{s} s</text>")
    return svg(width, height + 2, parts, "timeline")


def _runs(values: Sequence[Any]) -> list[tuple[int, int]]:
    """(first, one past the last) of runs of equal values."""
    edges = [0, *(i for i in range(1, len(values)) if values[i] != values[i - 1]), len(values)]
    return list(itertools.pairwise(edges))


def phase_portrait(angle: Array, rate: Array, name: str) -> str:
    """An angle (degrees) against its rate (degrees a second), fading into the past."""
    width, height = 340, 220
    low, high = float(angle.min()), float(angle.max())
    most = max(float(np.abs(rate).max()), 1.0)
    span = max(high - low, 1.0)
    xs = 44 + (width - 56) * (angle - low) / span
    ys = 14 + (height - 46) * 0.5 * (1 - rate / most)
    parts = [
        f"<rect x='44' y='14' width='{width - 56}' height='{height - 46}' fill='none' stroke='{FAINT}'/>",
        f"<path d='M 44 {14 + (height - 46) / 2} H {width - 12}' stroke='{FAINT}'/>",
    ]
    pieces = 8
    cuts = np.linspace(0, len(xs) - 1, pieces + 1).astype(int)
    for k, (a, b) in enumerate(itertools.pairwise(cuts)):
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs[a : b + 1], ys[a : b + 1]))
        parts.append(
            f"<polyline points='{way}' fill='none' stroke='{LEFT}' stroke-width='1.6' "
            f"stroke-opacity='{0.15 + 0.85 * (k + 1) / pieces:.2f}'/>"
        )
    parts.append(f"<circle cx='{xs[-1]:.1f}' cy='{ys[-1]:.1f}' r='4' fill='{RIGHT}'/>")
    parts += [
        f"<text x='44' y='{height - 18}'>{low:.0f}°</text>",
        f"<text x='{width - 12}' y='{height - 18}' text-anchor='end'>{high:.0f}°</text>",
        f"<text x='{width / 2 + 16}' y='{height - 4}' text-anchor='middle'>{html.escape(name)} (degrees)</text>",
        f"<text x='40' y='22' text-anchor='end'>{most:.0f}</text>",
        f"<text x='40' y='{height - 34}' text-anchor='end'>{-most:.0f}</text>",
        f"<text transform='translate(12 {height / 2 - 8}) rotate(-90)' text-anchor='middle'>degrees a second</text>",
    ]
    return svg(width, height, parts, "phase-portrait")
