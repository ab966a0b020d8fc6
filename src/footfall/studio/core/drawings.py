"""What panels show as HTML: tables, drawings in SVG and plots of studies, in the page's colours, light or dark."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.escaping import markup
from footfall.pictures.web_page import plot_svg
from footfall.studio.core.drive import StepValues

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

INK, FAINT, LEFT, RIGHT, GOOD, BAD, SOFT = (
    f"var(--{name})" for name in ("ink", "line", "left", "right", "good", "fill", "soft")
)
"""Colours of the page."""
WIDTH = 340
"""Of a drawing, in its own units: about the pixels of a panel."""
EDGE, GAP = 36, 24


def svg(width: float, height: float, parts: Iterable[str], name: str, words: str) -> str:
    """A drawing as wide as the panel, which tests find by its name; ``words`` say what it shows."""
    return (
        f"<div style='padding:2px 10px'><svg data-testid='{name}' viewBox='0 0 {width:g} {height:g}' width='100%' "
        f"role='img' aria-label='{markup(words)}' "
        f"font-family='system-ui,sans-serif' font-size='10' fill='{INK}'>{''.join(parts)}</svg></div>"
    )


def tag(name: str, text: str = "", **attributes: Any) -> str:
    """An element of a drawing: numbers to a tenth, underscores as hyphens, text escaped; ``title`` is a tool tip."""
    title = attributes.pop("title", "")
    inside = markup(text) + (f"<title>{markup(title)}</title>" if title else "")
    told = ((key.replace("_", "-"), value) for key, value in attributes.items())
    numbers = (int, float, np.floating, np.integer)
    written = (
        f"{key}='{round(float(v), 1):g}'" if isinstance(v, numbers) else f"{key}='{markup(v)}'" for key, v in told
    )
    return f"<{name} {' '.join(written)}>{inside}</{name}>"


def _points(xs: Iterable[float], ys: Iterable[float]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))


def table(rows: Iterable[Sequence[str]], name: str, head: Sequence[str] = (), colours: Sequence[str] = ()) -> str:
    """A table of plain text, its last column soft where there are more than two; ``colours`` are those of its head."""
    lines = [tuple(head), *rows] if head else [*rows]
    cells = ""
    for k, line in enumerate(lines):
        soft = [SOFT if (head and k == 0) or 1 < j == len(line) - 1 else "" for j in range(len(line))]
        inks = [own or one for own, one in zip(colours, soft, strict=True)] if colours and k == 0 else soft
        styles = (f" style='color:{ink}'" if ink else "" for ink in inks)
        row = (f"<td{style}>{markup(text)}</td>" for style, text in zip(styles, line, strict=True))
        cells += f"<tr>{''.join(row)}</tr>"
    return f"<table data-testid='{name}' style='font-size:12px;width:100%;padding:2px 10px'>{cells}</table>"


@dataclass(frozen=True, eq=False)
class Line:
    """A curve: its values [N] over the width, and how it is drawn; ``dots`` says something of each value."""

    values: Array
    colour: str
    width: float = 1.8
    opacity: float = 1.0
    dashed: bool = False
    dots: Sequence[str] = ()


def curves(
    rows: Iterable[tuple[str, Sequence[Line], tuple[Array, Array] | None]],
    below: str,
    name: str,
    number: str = "{:.0f}°",
    least: float = 1.0,
) -> str:
    """Rows of curves, one above the other.

    Args:
        rows: title, lines, and the lower and upper edge [N] of a band behind them.
        below: what the axis is.
        name: by which tests find it.
        number: how their highest and lowest values are written.
        least: how far these are apart at least.
    """
    parts: list[str] = []
    top, tall, wide, titles = 16.0, 68.0, WIDTH - EDGE - 10, list[str]()
    for title, lines, band in rows:
        titles.append(title)
        ends = np.concatenate([*(line.values for line in lines), *(band or ())])
        low, high = (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 0.0)

        def ys(values: Array, low: float = low, high: float = high, top: float = top) -> Array:
            return np.asarray(top + tall * (1.0 - (values - low) / max(high - low, least)))

        def xs(values: Array) -> Array:
            return EDGE + wide * np.linspace(0.0, 1.0, len(values))

        if band is not None:
            there, back = xs(band[0]), xs(band[1])[::-1]
            edge = _points([*there, *back], [*ys(band[0]), *ys(band[1])[::-1]])
            parts.append(tag("polygon", points=edge, fill=FAINT, opacity="0.5"))
        parts.append(tag("rect", x=EDGE, y=top, width=wide, height=tall, fill="none", stroke=FAINT))
        for line in lines:
            style: dict[str, Any] = {
                "stroke": line.colour,
                "stroke_width": line.width,
                "opacity": line.opacity,
                "fill": "none",
            }
            dashes: dict[str, Any] = {"stroke_dasharray": "5 3"} if line.dashed else {}
            places = xs(line.values), ys(line.values)
            parts.append(tag("polyline", points=_points(*places), **style, **dashes))
            for x, y, word in zip(*places, line.dots):
                parts.append(tag("circle", cx=x, cy=y, r=2.6, fill=line.colour, title=word))
        parts.append(tag("text", title, x=EDGE + 2, y=top - 4, font_weight=600))
        for value, y in ((high, top + 8), (low, top + tall)):
            parts.append(tag("text", number.format(value), x=EDGE - 4, y=y, text_anchor="end"))
        top += tall + GAP
    parts.append(tag("text", below, x=WIDTH / 2 + 13, y=top - 2, text_anchor="middle"))
    return svg(WIDTH, top, parts, name, f"{'; '.join(titles)}, over {below}")


def matplotlib_svg(figure: "Figure", name: str) -> str:
    """A plot of matplotlib as a drawing of the page, without its title."""
    for axes in figure.axes:
        for place in ("left", "center", "right"):
            axes.set_title("", loc=place)
    plotted = "; ".join(
        f"{a.get_ylabel()} over {a.get_xlabel()}" for a in figure.axes if a.get_xlabel() and a.get_ylabel()
    )
    words = f"{name}: {plotted}" if plotted else name
    return f"<div style='padding:2px 10px'>{plot_svg(figure, words, f'data-testid={name!r}')}</div>"


def timeline(
    times: Array,
    codes: Sequence[tuple[str, int, bool]],
    contact: NDArray[np.bool_],
    figure: Any,
    window: float,
    colours: Sequence[str],
    label: Callable[[str, int], str] = lambda _, number: str(number),
) -> str:
    """States and footfalls over the last ``window`` seconds.

    Args:
        times: [S].
        codes: [S] (controller, number, right stance).
        contact: [S, P] by the figure's ground points.
        label: what a controller's state of a number is called.
    """
    end = float(times[-1])

    def x(t: float) -> float:
        return 40 + (WIDTH - 44) * (1 - (end - t) / window)

    def spans(values: Sequence[Any]) -> Iterator[tuple[int, float, float]]:
        """Runs of equal values: the first sample, where it begins and how wide it is."""
        edges = [0, *(i for i in range(1, len(values)) if values[i] != values[i - 1]), len(values)]
        for first, last in itertools.pairwise(edges):
            begin = x(float(times[first]))
            yield first, begin, max(x(float(times[min(last, len(times) - 1)])) - begin, 0.5)

    parts = [tag("text", "state", x=36, y=17, text_anchor="end")]
    for first, begin, wide in spans([(n, k) for n, k, _ in codes]):
        name, number, _ = codes[first]
        fill = colours[number % len(colours)]
        parts.append(tag("rect", x=begin, y=4, width=wide, height=18, fill=fill, title=f"{name} {label(name, number)}"))
        if wide > 6 * len(word := label(name, number)) + 6:
            parts.append(tag("text", word, x=begin + wide / 2, y=17, text_anchor="middle", fill="#2b333c"))
    points = [p for p in figure.points if p.ground]
    for row, (side, colour) in enumerate((("left", LEFT), ("right", RIGHT))):
        columns = [i for i, p in enumerate(points) if p.foot == side]
        if not columns or contact.shape[1] != len(points):
            continue
        down: list[bool] = [bool(one.any()) for one in contact[:, columns]]
        y = 28 + 15 * row
        parts.append(tag("text", side, x=36, y=y + 8, text_anchor="end"))
        parts += [
            tag("rect", x=begin, y=y, width=wide, height=10, fill=colour)
            for first, begin, wide in spans(down)
            if down[first]
        ]
    for s in range(max(int(np.ceil(end - window)), 0), int(end) + 1):
        parts.append(tag("text", f"{s} s", x=x(s), y=65, text_anchor="middle", fill=SOFT))
    return svg(WIDTH, 68, parts, "timeline", f"states and footfalls of the last {window:g} s")


SHOWN = 40
"""Steps."""


def step_plot(steps: Sequence[StepValues], names: tuple[str, str]) -> str:
    """Q at the end of the last steps of a balanced walk, forward above lateral; dashed what was aimed at (Laszlo,
    figure 4.3)."""
    steps = steps[-SHOWN:]
    rows: list[tuple[str, Sequence[Line], None]] = []
    for part, (name, colour) in enumerate(zip(names, (LEFT, RIGHT), strict=True)):
        values, aims = (np.array([getattr(step, kind)[part] for step in steps]) for kind in ("value", "target"))
        words = [f"{step.number}: {step.value[part]:.3f}" for step in steps]
        rows.append(
            (f"Q {name}", [Line(aims, INK, 1.2, dashed=True), Line(values, colour, 1.0, 0.45, dots=words)], None)
        )
    below = f"steps {steps[0].number} to {steps[-1].number}" if steps else "no step yet"
    return curves(rows, below, "steps", "{:.2f}", least=0.06)
