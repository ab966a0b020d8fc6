"""How steady a walk is: by how much it turns in a stride, and how its speed changes from stride to stride.

A cycle is steady where the body turns by at most 10 degrees in it, from strike to strike, and where its speed, the way
of the pelvis over its time, differs by at most 10 per cent from the median of all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.feet import carried_path, facing_angle
from footfall.motion.motion import Motion
from footfall.motion.skeleton.roles import find_roles
from footfall.study.measures.cycles import Cycle

MOST_TURN = 10.0
"""Degrees a stride."""
MOST_CHANGE = 10.0
"""Per cent from the median speed."""
FEWEST = 2
"""Steady cycles of each foot from which on only these count."""
IN_PLACE = 0.2
"""m/s below which a walk is in place."""


@dataclass(frozen=True, eq=False)
class Steadiness:
    """How steady the cycles of a walk are.

    Attributes:
        turns: [cycles] degrees by which the body turns in each, positive to the left.
        speeds: [cycles] m/s.
    """

    turns: NDArray[np.float64]
    speeds: NDArray[np.float64]

    @property
    def turn(self) -> float:
        """The largest turn in a stride to either side, degrees."""
        return float(np.abs(self.turns).max())

    @property
    def moves(self) -> bool:
        """Whether it is not in place, so that changes of speed mean something."""
        return bool(np.median(self.speeds) >= IN_PLACE)

    @property
    def change(self) -> float:
        """Fastest less slowest cycle, per cent of the median speed; 0 in place."""
        return float(100.0 * np.ptp(self.speeds) / np.median(self.speeds)) if self.moves else 0.0

    @property
    def steady(self) -> NDArray[np.bool_]:
        """[cycles] which are steady."""
        off = 100.0 * np.abs(self.speeds / np.median(self.speeds) - 1.0) if self.moves else np.zeros(len(self.speeds))
        return np.asarray((np.abs(self.turns) <= MOST_TURN) & (off <= MOST_CHANGE))


def measure_steadiness(motion: Motion, cycles: Sequence[Cycle]) -> Steadiness:
    """The turn and the speed of every cycle; on a treadmill, over the belt."""
    ends = np.array([(cycle.start, cycle.end) for cycle in cycles])
    path = motion.positions()[:, find_roles(motion.skeleton)["pelvis"], :2] - carried_path(motion)
    ways = [np.diff(np.interp(ends, motion.times, path[:, k]), axis=1)[:, 0] for k in (0, 1)]
    turns = np.diff(np.interp(ends, motion.times, np.degrees(facing_angle(motion))), axis=1)[:, 0]
    return Steadiness(turns, np.hypot(*ways) / (ends[:, 1] - ends[:, 0]))


def steady_cycles(cycles: Sequence[Cycle], found: Steadiness) -> tuple[list[Cycle], list[str]]:
    """The cycles that means are over, and one line where not all are steady: the steady ones where each foot has at
    least two, else all."""
    if found.steady.all():
        return list(cycles), []
    kept = list(compress(cycles, found.steady))
    few = any(sum(c.side == side for c in kept) < FEWEST for side in ("left", "right"))
    text = f"it turns by up to {found.turn:.0f} degrees in a stride"
    text += f" and its speed changes by {found.change:.0f} %" if found.moves else ""
    if few:
        return list(cycles), [f"{text}: fewer than two cycles of each foot are steady, so means are over all of them"]
    return kept, [f"{text}: means are over its {len(kept)} steady cycles of {len(cycles)}"]
