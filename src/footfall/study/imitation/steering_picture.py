"""A picture of random steering: the ways of a character seen from above, minute by minute."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from footfall.pictures.page import TEXT, dress, empty_figure, save_figure
from footfall.study.imitation.steered_policy import PolicyMinute

COLUMNS = 5
UP, DOWN = "#0072B2", "#D55E00"


def save_minutes(minutes: Sequence[PolicyMinute], path: str | Path) -> Path:
    """Draw the minutes and save the picture."""
    return save_figure(plot_minutes(minutes), path)


def plot_minutes(minutes: Sequence[PolicyMinute]) -> Any:
    """A panel for each minute: its way, with a dot at the start and a cross where it fell."""
    rows = -(-len(minutes) // COLUMNS)
    figure = empty_figure(TEXT, 0.4 + 1.35 * rows)
    up = sum(not minute.fell for minute in minutes)
    figure.suptitle(f"up in {up} of {len(minutes)} random minutes", x=0.01, ha="left", fontsize=9)
    for k, minute in enumerate(minutes):
        axes = figure.add_subplot(rows, COLUMNS, k + 1)
        axes.plot(*minute.path.T, color=DOWN if minute.fell else UP, linewidth=0.8)
        axes.plot(*minute.path[0], "o", color="black", markersize=2)
        if minute.fell:
            axes.plot(*minute.path[-1], "x", color=DOWN, markersize=5)
        axes.set_title(f"{minute.distance:.0f} m" + (f", fell at {minute.seconds:.0f} s" if minute.fell else ""))
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xticks([])
        axes.set_yticks([])
        dress(axes, grid=False)
    return figure
