"""Hard parts of clips, counted in torch, on the device that the worlds are on."""

from typing import Any

import numpy as np
import torch
import warp as wp
from numpy.typing import NDArray

from footfall.gym.hard_parts import PART, HardParts
from footfall.gym.worlds import EnvironmentWorlds


class TorchHardParts(HardParts):
    """Hard parts whose counts stay on the worlds' device; arguments as :class:`HardParts` takes them."""

    def __init__(self, worlds: EnvironmentWorlds, seed: int) -> None:
        super().__init__(worlds, seed)
        device = torch.device("cpu" if worlds.device.is_cpu else f"cuda:{worlds.device.ordinal}")
        self.of_frame = torch.tensor(self.parts, device=device, dtype=torch.long)
        self.passed, self.fallen = (
            torch.tensor(counts, device=device, dtype=torch.float32) for counts in (self.passed, self.fallen)
        )
        self.frame, self.ended = (wp.to_torch(worlds.live[name]) for name in ("frame", "ended"))

    def note(self, fell: Any, ended: Any) -> None:
        """Count a decision of all worlds: which fell and which ended in it, [N] each."""
        frame = torch.where(ended, self.ended, self.frame).long()
        part = self.of_frame[frame]
        self.passed.index_add_(0, part, torch.full_like(fell, 1.0 / PART, dtype=torch.float32))
        self.fallen.index_add_(0, part, fell.float())

    def counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[parts] passes and falls."""
        return self.passed.cpu().numpy().astype(float), self.fallen.cpu().numpy().astype(float)
