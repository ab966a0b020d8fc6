"""Torques learned by phase, so that what feedback would have to correct is anticipated (SIMBICON, sections 6 and 7.2).

The phase is measured over a step, with the same torques in left and right stance, or over a stride, with torques of
their own for each: what rolls and turns does the opposite in the other step.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from footfall.errors import FootfallError

MOST_BINS = 2000
"""Parts that a step is divided into."""


@dataclass(frozen=True)
class FeedForward:
    """Feed-forward torques, learned or being learned.

    Attributes:
        bins: how many parts a step is divided into.
        over: what the phase is measured over, "step" or "stride".
        rate: α of equation 2; 0 to use the torques as they are.
        limit: the largest feed-forward torque, newton metres.
        limit_angle: the same as radians, which each servo's kp turns into newton metres. The smaller one counts.
        period: seconds a step, as far as known; 0 if not.
        joints: newton metres by joint or torso slot: [bins] over a step; over a stride [2 bins], left stance, then
            right stance.
        shifts: as many radians, by joint of a leg that learns: its displacement trajectory δθ, by which its target is
            moved towards what the joint really does.
    """

    bins: int
    over: Literal["step", "stride"] = "step"
    rate: float = 0.0
    limit: float = math.inf
    limit_angle: float = math.inf
    period: float = 0.0
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    shifts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def phases(self) -> int:
        """How many numbers each joint has: bins of a step, or of a stride."""
        return self.bins * (2 if self.over == "stride" else 1)

    def check(self, where: str) -> None:
        """Refuse bad numbers; ``where`` begins the message."""
        if not 1 <= self.bins <= MOST_BINS:
            raise FootfallError(f"{where}: bins is {self.bins}; choose from 1 to {MOST_BINS}")
        if self.over not in ("step", "stride"):
            raise FootfallError(f"{where}: over is '{self.over}'; choose 'step' or 'stride'")
        for name in ("rate", "period", "limit", "limit_angle"):
            value = getattr(self, name)
            if not value >= 0 or (math.isinf(value) and not name.startswith("limit")):
                raise FootfallError(f"{where}: {name} is {value}; it must be at least 0")
        if not self.joints:
            raise FootfallError(f"{where}: no joint has torques; give those of the torso at least")
        for joint in self.shifts:
            if joint not in self.joints:
                raise FootfallError(f"{where}: {joint} has shifts and no torques; give it both")
        for what, table in (("torques", self.joints), ("shifts", self.shifts)):
            for joint, numbers in table.items():
                if len(numbers) != self.phases or not all(math.isfinite(x) for x in numbers):
                    raise FootfallError(f"{where}: {joint} has {len(numbers)} {what}; give {self.phases} finite ones")


_TORSO_LIMIT, _STRIDE_LIMIT = 60.0, 0.2
"""Limits of the older forms of the table: newton metres, radians."""


def feedforward_section(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A controller's file with its learned torques in a table ``[feedforward]``, from any form that they may have.

    Older files have a table ``[feedforward]`` with a list ``torque`` of the torso over a step, or a table
    ``[anticipation]`` over a stride, whose limit is an angle.
    """
    result = dict(data)
    old = result.pop("anticipation", None)
    if old is not None:
        if "feedforward" in data:
            raise FootfallError(f"{where}: it has both [feedforward] and [anticipation]; give one of them")
        if not isinstance(old, dict):
            raise FootfallError(f"{where}: anticipation is {old!r}; it must be a table")
        rest = {key: value for key, value in old.items() if key != "limit"}
        result["feedforward"] = {"over": "stride", "limit_angle": old.get("limit", _STRIDE_LIMIT), **rest}
    short = result.get("feedforward")
    if isinstance(short, dict) and "torque" in short:
        torque = short["torque"]
        if not isinstance(torque, list) or not torque:
            raise FootfallError(f"{where}, [feedforward]: torque is {torque!r}; it must be a list of numbers")
        rest = {key: value for key, value in short.items() if key != "torque"}
        given = sorted({"bins", "over", "joints", "shifts"} & set(rest))
        if given:
            raise FootfallError(f"{where}, [feedforward]: it has both 'torque' and '{given[0]}'; give one of them")
        result["feedforward"] = {"bins": len(torque), "limit": _TORSO_LIMIT, **rest, "joints": {"torso": torque}}
    return result
