"""Small drawings in SVG: the states over time, a phase portrait, a rose, a basin."""

import html
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["basin_map", "phase_portrait", "rose", "timeline"]

Array = NDArray[np.float64]

INK, FAINT, LEFT, RIGHT, GOOD, BAD, SOFT = (
    f"var(--ff-{name})" for name in ("ink", "faint", "left", "right", "good", "fill", "soft")
)
"""Colours of the page, light or dark (``studio.css``)."""
TEXT = "font-family='system-ui,sans-serif' font-size='10'"


def _svg(width: int, height: int, parts: Sequence[str], name: str) -> str:
    return (
        f"<div style='padding:2px 10px'><svg data-testid='{name}' viewBox='0 0 {width} {height}' width='100%' "
        f"{TEXT} fill='{INK}'>{''.join(parts)}</svg></div>"
    )


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
    return _svg(width, height + 2, parts, "timeline")


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
    return _svg(width, height, parts, "phase-portrait")


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
    return _svg(width, height, parts, "rose")


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
    return _svg(width, height, parts, "basin")
