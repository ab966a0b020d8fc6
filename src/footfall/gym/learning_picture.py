"""The learning curve of a policy as a picture."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from footfall.gym.judging import Judgement
from footfall.gym.training import Trained
from footfall.pictures.page import LETTERS, TEXT, dress, empty_figure, save_figure, set_title

WINDOW = 10
"""Iterations that the curves are averaged over."""


def save_learning_curve(name: str, trained: Trained, judgements: Mapping[str, Judgement], path: Path) -> None:
    """Draw reward and falls over decisions, and how the policy was judged."""
    rows = trained.history
    decisions = np.array([row.decisions for row in rows]) / 1e6
    per_episode = [row.decisions / (k + 1) for k, row in enumerate(rows)]
    falls = [1000.0 * row.episodes * (1.0 - row.survived) / size for row, size in zip(rows, per_episode)]
    page = empty_figure(TEXT, 2.4)
    axes = page.subplots(1, 3 if judgements else 2)
    for axis, label, values in (
        (axes[0], "reward a decision", [row.reward for row in rows]),
        (axes[1], "falls in 1000 decisions", falls),
    ):
        axis.plot(decisions, values, color="0.8", linewidth=1.0)
        axis.plot(decisions, _smooth(values), color="C0")
        axis.set_xlabel("million decisions")
        axis.set_title(label)
    if judgements:
        shares = [100.0 * j.survived.mean() for j in judgements.values()]
        axes[2].bar(list(judgements), shares, color=["0.7", "C0"][: len(shares)])
        for k, judgement in enumerate(judgements.values()):
            text = f"{int(judgement.survived.sum())} of {len(judgement.survived)}"
            axes[2].text(k, shares[k], text, ha="center", va="bottom", fontsize=LETTERS - 1)
        axes[2].set_ylim(0, 112)
        axes[2].set_title("% that survive in new worlds")
    dress(*axes)
    set_title(page, f"{name}: {trained.seconds:.0f} s of training")
    save_figure(page, path)


def _smooth(values: list[float]) -> list[float]:
    return [float(np.mean(values[max(0, k - WINDOW + 1) : k + 1])) for k in range(len(values))]
