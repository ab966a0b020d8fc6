"""What panels show as HTML: tables, drawings in SVG and plots of studies, in the page's colours, light or dark."""

import html
import io
import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.studio.core.drive import StepValues

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

INK, FAINT, LEFT, RIGHT, GOOD, BAD, SOFT = (
    f"var(--ff-{name})" for name in ("ink", "faint", "left", "right", "good", "fill", "soft")
)
"""Colours of the page (``studio.css``)."""
WIDTH = 340
"""Of a drawing, in its own units: about the pixels of a panel."""
EDGE, GAP = 36, 24
PLOT_COLOURS = {
    "#000000": INK, "#22272e": INK, "#46505c": INK, "#5b6570": SOFT, "#9aa5b1": SOFT, "#9aa4ae": SOFT,
    "#e5e9ed": FAINT, "#0072b2": LEFT, "#d55e00": RIGHT, "#009e73": GOOD, "#f3ddcb": BAD,
}  # fmt: skip
"""Colours of the plots that footfall prints, and what they are on the page."""
LEFT_OUT = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>", re.DOTALL)


def svg(width: float, height: float, parts: Iterable[str], name: str) -> str:
    """A drawing as wide as the panel, which tests find by its name."""
    return (
        f"<div style='padding:2px 10px'><svg data-testid='{name}' viewBox='0 0 {width:g} {height:g}' width='100%' "
        f"font-family='system-ui,sans-serif' font-size='10' fill='{INK}'>{''.join(parts)}</svg></div>"
    )


def table(rows: Iterable[Sequence[str]], name: str, head: Sequence[str] = (), colours: Sequence[str] = ()) -> str:
    """A table of plain text, its last column soft where there are more than two; ``colours`` are those of its head."""
    lines = [tuple(head), *rows] if head else [*rows]
    cells = ""
    for k, line in enumerate(lines):
        soft = [SOFT if (head and k == 0) or 1 < j == len(line) - 1 else "" for j in range(len(line))]
        inks = [own or one for own, one in zip(colours, soft, strict=True)] if colours and k == 0 else soft
        styles = (f" style='color:{ink}'" if ink else "" for ink in inks)
        row = (f"<td{style}>{html.escape(text)}</td>" for style, text in zip(styles, line, strict=True))
        cells += f"<tr>{''.join(row)}</tr>"
    return f"<table data-testid='{name}' style='font-size:12px;width:100%;padding:2px 10px'>{cells}</table>"


@dataclass(frozen=True, eq=False)
class Line:
    """A curve: its values [N] over the width, and how it is drawn."""

    values: Array
    colour: str
    width: float = 1.8
    opacity: float = 1.0
    dashed: bool = False


def curves(rows: Iterable[tuple[str, Sequence[Line], tuple[Array, Array] | None]], below: str, name: str) -> str:
    """Rows of curves in degrees, one above the other.

    Args:
        rows: title, lines, and the lower and upper edge [N] of a band behind them. below: what the axis is.
        name: by which tests find it.
    """
    parts: list[str] = []
    top, tall = 16.0, 68.0
    for title, lines, band in rows:
        ends = [*(line.values for line in lines), *(band or ())]
        low, high = min(float(e.min()) for e in ends), max(float(e.max()) for e in ends)

        def way(values: Array, low: float = low, high: float = high, top: float = top) -> str:
            xs = EDGE + (WIDTH - EDGE - 10) * np.linspace(0.0, 1.0, len(values))
            ys = top + tall * (1.0 - (values - low) / max(high - low, 1.0))
            return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))

        if band is not None:
            there, back = way(band[0]), " ".join(reversed(way(band[1]).split()))
            parts.append(f"<polygon points='{there} {back}' fill='{FAINT}' opacity='0.5'/>")
        parts.append(f"<rect x='{EDGE}' y='{top}' width='{WIDTH - EDGE - 10}' height='{tall}' fill='none' "
                     f"stroke='{FAINT}'/>")  # fmt: skip
        for line in lines:
            dash = " stroke-dasharray='5 3'" if line.dashed else ""
            parts.append(f"<polyline points='{way(line.values)}' fill='none' stroke='{line.colour}'{dash} "
                         f"stroke-width='{line.width:g}' opacity='{line.opacity:g}'/>")  # fmt: skip
        parts.append(f"<text x='{EDGE + 2}' y='{top - 4}' font-weight='600'>{html.escape(title)}</text>")
        parts.append(f"<text x='{EDGE - 4}' y='{top + 8}' text-anchor='end'>{high:.0f}°</text>")
        parts.append(f"<text x='{EDGE - 4}' y='{top + tall}' text-anchor='end'>{low:.0f}°</text>")
        top += tall + GAP
    height = top
    parts.append(f"<text x='{WIDTH / 2 + 13}' y='{height - 2}' text-anchor='middle'>{html.escape(below)}</text>")
    return svg(WIDTH, height, parts, name)


def matplotlib_svg(figure: "Figure", name: str) -> str:
    """A plot of matplotlib as a drawing of the page, without its title: its own lines, the page's ink."""
    import matplotlib

    for axes in figure.axes:
        for place in ("left", "center", "right"):
            axes.set_title("", loc=place)
    written = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(written, format="svg", transparent=True)
    _, _, inner = written.getvalue().partition("<svg ")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', inner)
    assert box is not None
    inner = LEFT_OUT.sub("", inner[inner.index(">") + 1 : inner.rindex("</svg>")]).replace("xlink:href", "href")
    for colour, own in PLOT_COLOURS.items():
        inner = re.sub(colour, own, inner, flags=re.IGNORECASE)
    return svg(float(box[1]), float(box[2]), [inner], name)


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


SHOWN = 40
HEIGHT, LEFT_EDGE = 118, 44


def step_plot(steps: Sequence[StepValues], names: tuple[str, str]) -> str:
    """Q at the end of the last steps, forward above lateral; dashed what was aimed at."""
    steps = steps[-SHOWN:]
    parts: list[str] = []
    for part, (name, colour) in enumerate(zip(names, (LEFT, RIGHT), strict=True)):
        parts += _row(steps, part, name, colour, 14 + part * HEIGHT)
    if steps:
        y = 2 * HEIGHT + 12
        parts.append(f"<text x='{WIDTH / 2 + 16}' y='{y}' text-anchor='middle'>step</text>")
        parts.append(f"<text x='{LEFT_EDGE}' y='{y}'>{steps[0].number}</text>")
        parts.append(f"<text x='{WIDTH - 12}' y='{y}' text-anchor='end'>{max(steps[-1].number, SHOWN)}</text>")
    return svg(WIDTH, 2 * HEIGHT + 16, parts, "steps")


def _row(steps: Sequence[StepValues], part: int, name: str, colour: str, top: float) -> list[str]:
    """One variable."""
    height, width = HEIGHT - 30, WIDTH - 12 - LEFT_EDGE
    parts = [
        f"<text x='{LEFT_EDGE}' y='{top - 3}' font-weight='600'>Q {html.escape(name)}</text>",
        f"<rect x='{LEFT_EDGE}' y='{top}' width='{width}' height='{height}' fill='none' stroke='{FAINT}'/>",
    ]
    if not steps:
        return parts
    values, targets = (np.array([getattr(s, kind)[part] for s in steps]) for kind in ("value", "target"))
    low, high = float(min(values.min(), targets.min())), float(max(values.max(), targets.max()))
    middle, half = 0.5 * (low + high), max(0.6 * (high - low), 0.03)
    first, last = steps[0].number, max(steps[-1].number, steps[0].number + SHOWN - 1)

    def at(number: int, value: float) -> tuple[float, float]:
        x = LEFT_EDGE + width * (number - first + 0.5) / (last - first + 1)
        return x, top + height * 0.5 * (1 - (value - middle) / half)

    aimed = " ".join("{:.1f},{:.1f}".format(*at(s.number, t)) for s, t in zip(steps, targets, strict=True))
    parts.append(f"<polyline points='{aimed}' fill='none' stroke='{INK}' stroke-width='1.2' stroke-dasharray='4 3'/>")
    way = " ".join("{:.1f},{:.1f}".format(*at(s.number, v)) for s, v in zip(steps, values, strict=True))
    parts.append(f"<polyline points='{way}' fill='none' stroke='{colour}' stroke-width='1' stroke-opacity='0.45'/>")
    for s, v in zip(steps, values, strict=True):
        x, y = at(s.number, v)
        parts.append(
            f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.6' fill='{colour}'><title>{s.number}: {v:.3f}</title></circle>"
        )
    for value in (middle - half, middle, middle + half):
        y, word = top + height * 0.5 * (1 - (value - middle) / half), f"{round(value, 2) + 0.0:.2f}"
        parts.append(f"<text x='{LEFT_EDGE - 4}' y='{y + 3:.1f}' text-anchor='end' fill='{SOFT}'>{word}</text>")
    return parts
