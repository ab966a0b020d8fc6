"""Walk cycles: targets that move with the phase, in place of poses that stay (SIMBICON, section 5)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from footfall.errors import FootfallError

MOST_HARMONICS = 50


@dataclass(frozen=True)
class Cycle:
    """Targets that move through a walk cycle, in place of poses that stay (SIMBICON, section 5).

        target(φ) = angle + Σ_k a_k cos 2πkφ + b_k sin 2πkφ

    The phase φ goes from 0 to 1/2 during left stance and from 1/2 to 1 during right stance. It is reset to 0 or 1/2
    when stance changes, and waits at the end of a half that lasts longer than expected. Feedback acts on what d and v
    differ from their reference trajectory, so that an undisturbed walk is the cycle itself.

    Attributes:
        left, right: seconds that left and right stance are expected to last.
        left_d, left_d_side, left_v, left_v_side: reference d and v (beyond the desired speed) at the start and the
            end of left stance, metres and m/s. right_d, right_d_side, right_v, right_v_side: the same for right stance.
        joints: [2 K] a_1, b_1, a_2, b_2 ... by joint or torso slot, radians; of hips and torso against the world.
    """

    left: float
    right: float
    left_d: tuple[float, float] = (0.0, 0.0)
    left_d_side: tuple[float, float] = (0.0, 0.0)
    left_v: tuple[float, float] = (0.0, 0.0)
    left_v_side: tuple[float, float] = (0.0, 0.0)
    right_d: tuple[float, float] = (0.0, 0.0)
    right_d_side: tuple[float, float] = (0.0, 0.0)
    right_v: tuple[float, float] = (0.0, 0.0)
    right_v_side: tuple[float, float] = (0.0, 0.0)
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def harmonics(self) -> int:
        """K, the largest of all joints."""
        return max((len(terms) // 2 for terms in self.joints.values()), default=0)

    @property
    def reference_trajectory(self) -> tuple[float, ...]:
        """[16] reference d and v as rows have them: the left's d, d_side, v, v_side, each start and end, then the
        right's."""
        return tuple(
            x for s in ("left", "right") for q in ("d", "d_side", "v", "v_side") for x in getattr(self, f"{s}_{q}")
        )

    def check(self, where: str) -> None:
        """Refuse bad numbers; ``where`` begins the message."""
        for side in ("left", "right"):
            seconds = getattr(self, side)
            if not (math.isfinite(seconds) and seconds > 0):
                raise FootfallError(f"{where}: {side} is {seconds}; it must be above 0 seconds")
        if not all(math.isfinite(x) for x in self.reference_trajectory):
            raise FootfallError(f"{where}: the reference d and v must be finite")
        for joint, terms in self.joints.items():
            if len(terms) % 2 or not all(math.isfinite(x) for x in terms):
                raise FootfallError(f"{where}: {joint} needs finite numbers in pairs: a1, b1, a2, b2 ...")
            if len(terms) > 2 * MOST_HARMONICS:
                raise FootfallError(f"{where}: {joint} has {len(terms)} terms; give at most {2 * MOST_HARMONICS}")
