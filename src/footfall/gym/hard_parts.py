"""Where episodes of clips begin while a policy is trained: more often before the parts at which it falls.

Clips are cut into parts of about a second. A part's weight is the share of passes through it that ended in a fall,
smoothed over time; an episode begins in a part by that weight of it and of the part after it, or anywhere.
"""

from typing import Any

import numpy as np
import torch
import warp as wp

from footfall.gym.worlds import EnvironmentWorlds

__all__ = ["HardParts"]

PART = 50
"""Frames of a part."""
ANYWHERE = 0.3
"""Share of episodes that begin anywhere."""
KEPT = 0.97
"""Of what was counted before, after each renewal."""


class HardParts:
    """Counts where a policy passes and falls, and chooses beginnings.

    Args:
        worlds: of an environment with clips.
        seed: of what is drawn.
    """

    def __init__(self, worlds: EnvironmentWorlds, seed: int) -> None:
        self.worlds = worlds
        self.everywhere = worlds.task.begins.numpy().copy()
        last = worlds.task.last.numpy()
        self.parts = _parts(last)
        count = int(self.parts.max()) + 1
        device = torch.device("cpu" if worlds.device.is_cpu else f"cuda:{worlds.device.ordinal}")
        self.of_frame = torch.tensor(self.parts, device=device, dtype=torch.long)
        self.passed = torch.ones(count, device=device)
        self.fallen = torch.zeros(count, device=device)
        self.random = np.random.default_rng(seed)
        self.frame, self.ended = (wp.to_torch(worlds.live[name]) for name in ("frame", "ended"))

    def note(self, fell: Any, ended: Any) -> None:
        """Count a decision of all worlds: which fell and which ended in it."""
        frame = torch.where(ended, self.ended, self.frame).long()
        part = self.of_frame[frame]
        self.passed.index_add_(0, part, torch.full_like(fell, 1.0 / PART, dtype=torch.float32))
        self.fallen.index_add_(0, part, fell.float())

    def renew(self) -> None:
        """Choose the beginnings of the next episodes."""
        rate = (self.fallen / (self.passed + self.fallen + 1.0)).cpu().numpy()
        self.passed.mul_(KEPT)
        self.fallen.mul_(KEPT)
        after = np.append(rate[1:], 0.0)
        weight = (rate + after)[self.parts[self.everywhere]] + 1e-3
        even = np.full(len(weight), 1.0 / len(weight))
        share = ANYWHERE * even + (1.0 - ANYWHERE) * weight / weight.sum()
        drawn = self.random.choice(self.everywhere, len(self.everywhere), p=share)
        self.worlds.begin_at(drawn.astype(np.int32))


def _parts(last: Any) -> Any:
    """[frames] the number of each frame's part; no part is in two clips."""
    frames = np.arange(len(last))
    first = np.concatenate([[0], np.flatnonzero(np.diff(last)) + 1])
    begun = first[np.searchsorted(first, frames, side="right") - 1]
    key = last.astype(np.int64) * (len(last) + 1) + (frames - begun) // PART
    return np.unique(key, return_inverse=True)[1].astype(np.int64)
