"""A picture of the transitions of a character of many clips: from which clip to which, and how many stayed up."""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.pictures.page import TEXT, dress, empty_figure, save_figure
from footfall.study.imitation.many_clips import ManyClips

LONGEST = 24
"""Letters of a clip's name that are shown."""


def save_transitions(made: ManyClips, path: str | Path) -> Path:
    """Draw the transitions and save the picture."""
    return save_figure(plot_transitions(made), path)


def plot_transitions(made: ManyClips) -> Any:
    """A cell for each pair of clips: starts that stayed up in trials of the transitions between them, of how many."""
    names = [clip.name for clip in made.controller.graph.clips]
    shares = np.full((len(names), len(names)), np.nan)
    figure = empty_figure(TEXT, 1.6 + 0.32 * len(names))
    axes = figure.subplots()
    for (a, b), (up, tried) in made.between_clips().items():
        row, column = names.index(a), names.index(b)
        shares[row, column] = up / tried
        axes.text(column, row, f"{up}/{tried}", ha="center", va="center", fontsize=5)
    axes.imshow(shares, cmap="RdYlGn", vmin=0.0, vmax=1.0, alpha=0.7, aspect="auto")
    short = [name if len(name) <= LONGEST else f"…{name[-LONGEST:]}" for name in names]
    axes.set_xticks(range(len(names)), short, rotation=60, ha="right")
    axes.set_yticks(range(len(names)), short)
    axes.set_xlabel("to a step of")
    axes.set_ylabel("from a step of")
    report = made.report
    axes.set_title(
        f"{made.controller.name}: starts up in trials of {report['transitions_tried']} transitions "
        f"({report['transitions_kept']} kept)\nup in {report['minutes_up']} of {report['minutes']} random minutes",
        loc="left",
    )
    dress(axes, grid=False)
    return figure
