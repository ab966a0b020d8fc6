"""What panels show as HTML: tables, drawings in SVG and plots of studies, in the page's colours, light or dark."""

import html
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

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


def plot(figure: "Figure", name: str) -> str:
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
