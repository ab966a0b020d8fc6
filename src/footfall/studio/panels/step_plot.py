"""The values of a balanced walk against the number of its steps, with their targets (Laszlo, figure 4.3)."""

import html
from collections.abc import Sequence

import numpy as np

from footfall.studio.core.markup import FAINT, INK, LEFT, RIGHT, SOFT, WIDTH, svg
from footfall.studio.core.worlds.balance import StepValues

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
