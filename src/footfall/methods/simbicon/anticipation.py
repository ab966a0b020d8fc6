"""Torques learned by phase of the stride, for the torso in its planes, the upper body and the legs (SIMBICON, sections
6 and 7.2)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from footfall.errors import FootfallError

__all__ = ["MOST_BINS", "Anticipation"]

MOST_BINS = 2000
"""Parts that a step is divided into."""


@dataclass(frozen=True)
class Anticipation:
    """Feed-forward torques of a walk in space.

    Attributes:
        bins: how many parts a step is divided into.
        rate: α of equation 2; 0 to use the torques as they are.
        limit: the largest feed-forward torque, as radians that the servo's kp turns into newton metres.
        period: seconds a step, as far as known; 0 if not.
        joints: [2 bins] newton metres by joint or torso slot: over left stance, then over right stance.
        shifts: [2 bins] radians by joint of a leg that learns: its displacement trajectory δθ, by which its target is
            moved towards what the joint really does.
    """

    bins: int
    rate: float = 0.0
    limit: float = 0.2
    period: float = 0.0
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    shifts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def check(self, where: str) -> None:
        """Refuse bad numbers; ``where`` begins the message."""
        if not 1 <= self.bins <= MOST_BINS:
            raise FootfallError(f"{where}: bins is {self.bins}; choose from 1 to {MOST_BINS}")
        for name in ("rate", "limit", "period"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise FootfallError(f"{where}: {name} is {value}; it must be at least 0")
        for joint in self.shifts:
            if joint not in self.joints:
                raise FootfallError(f"{where}: {joint} has shifts and no torques; give it both")
        for what, table in (("torques", self.joints), ("shifts", self.shifts)):
            for joint, numbers in table.items():
                if len(numbers) != 2 * self.bins or not all(math.isfinite(x) for x in numbers):
                    raise FootfallError(f"{where}: {joint} has {len(numbers)} {what}; give {2 * self.bins} finite ones")
