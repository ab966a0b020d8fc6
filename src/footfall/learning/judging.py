"""How long policies survive in an environment: one episode in every world, the same worlds for all of them; and the
learning curve of a policy as a picture."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.learning.layers import Layers, arrays_of
from footfall.learning.options import SAME_STEP, Options
from footfall.learning.ppo import PolicyWorlds
from footfall.learning.training import Trained
from footfall.learning.worlds import EnvironmentWorlds
from footfall.methods.network.multilayer import Network
from footfall.pictures.page import LETTERS, TEXT, dress, empty_figure, save_figure, set_title

UNSEEN_SEED, UNSEEN_TERRAINS = 1_000_000, 500_000
"""Seeds of worlds and of terrains that training does not use: its own are far below."""
WINDOW = 10
"""Iterations that the curves are averaged over."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """The outcome of one episode in each of N worlds.

    Attributes:
        survived: [N] whether it did not fall.
        seconds: [N] until it fell, or of the episode.
    """

    survived: NDArray[np.bool_]
    seconds: NDArray[np.float64]

    def __str__(self) -> str:
        return f"{int(self.survived.sum())} of {len(self.survived)} survive, {self.seconds.mean():.1f} s on average"

    def as_dict(self) -> dict[str, Any]:
        """The sums, for JSON."""
        return {
            "survived": int(self.survived.sum()),
            "worlds": len(self.survived),
            "mean_seconds": round(float(self.seconds.mean()), 3),
        }


def unseen(options: Options) -> Options:
    """Options with terrains that training does not use."""
    return replace(options, terrain_seed=options.terrain_seed + UNSEEN_TERRAINS, render_mode=None)


def judge_policy(options: Options, network: Network | None, *, worlds: int = 256, decisions: int = 1000) -> Judgement:
    """Let a policy act in worlds that training does not use.

    Args:
        options: of the environment.
        network: the policy; None for actions of nought: the controller as it is.
        worlds: how many.
        decisions: how long an episode is.
    """
    made = EnvironmentWorlds(options, worlds, most=decisions, mode=SAME_STEP)
    arrays = arrays_of(made.device)
    try:
        with arrays.working():
            acting = PolicyWorlds(made, arrays)
            acting.reset(UNSEEN_SEED)
            policy, still = network and Layers(network, arrays), arrays.zeros(worlds, acting.sizes[1])
            alive = arrays.zeros(worlds) == 0.0
            survived, lasted = ~alive, arrays.zeros(worlds)
            for _ in range(decisions):
                _, fell, late = acting.act(policy(acting.observed()) if policy else still)
                lasted += arrays.single(alive)
                survived |= alive & late & ~fell
                alive &= ~(fell | late)
            return Judgement(arrays.numpy(survived), arrays.numpy(lasted).astype(float) * made.period)
    finally:
        made.close()


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
