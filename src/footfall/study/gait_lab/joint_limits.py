"""Joint angles that no person reaches: a sign that a file's axes are not what they seem."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from footfall.study.measures.people import JOINT_LIMITS, PANELS

FOOT = "the axis of a foot in the file (its toe or end site), or the file's rest pose"
OTHERS = "the file's rest pose, or which joints it takes for the leg's"


def limit_notes(curves: Mapping[str, Mapping[str, NDArray[np.float64]]], simulated: bool = False) -> list[str]:
    """One line on the joint angles beyond :data:`JOINT_LIMITS`; none where there are none.

    Args:
        curves: name -> side -> [cycles, 101] degrees.
        simulated: whether they are a simulated figure's, for which no file is to blame.
    """
    beyond = []
    foot = False
    for name, (low, high) in JOINT_LIMITS.items():
        for side, rows in curves.get(name, {}).items():
            over, under = float(rows.max()) - high, low - float(rows.min())
            if max(over, under) <= 0.0:
                continue
            value = float(rows.max()) if over >= under else float(rows.min())
            beyond.append(f"{side} {PANELS[name].title} {value:.0f}° (people: {low:.0f} to {high:.0f}°)")
            foot |= name.startswith("ankle")
    if not beyond:
        return []
    cause = "the figure's joints have no stops there" if simulated else f"usually {FOOT if foot else OTHERS}"
    return [f"warning: joint angles outside what a person can do: {', '.join(beyond)}; {cause}"]
