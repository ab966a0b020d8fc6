"""What the leg allows: steps no longer than the leg, the pelvis never further from a foot than nine tenths of it.

Beyond that 3LP's assumption of constant heights no longer describes a person, and a walk that asks for it is refused.
One step that catches a push may be a lunge, up to a quarter longer than the leg; a walker driven beyond that has
fallen.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.methods.pendulum.stride import Stride

LONGEST_STEP = 1.0
"""Of a step, in leg lengths."""
LONGEST_LUNGE = 1.25
"""Of a step that catches a push, in leg lengths."""
LONGEST_OFFSET = 0.9
"""Of the pelvis from a foot, along the ground, in leg lengths."""

Array = NDArray[np.float64]


def step_breaks(c: Stride, sx: Any, px: Any, sy: Any, py: Any) -> Array:
    """The largest of step length and pelvis offsets, each as a part of its bound, ``[N]``: above 1 the step is
    broken."""
    step = np.hypot(sx, sy) / (LONGEST_LUNGE * c.leg)
    offset = np.maximum(np.hypot(px, py), np.hypot(px - sx, py - sy)) / (LONGEST_OFFSET * c.leg)
    return np.asarray(np.maximum(step, offset))


def refuse_infeasible(c: Stride) -> None:
    """Raise an error that names the walker, the quantity and its bound if the nominal gait asks for too much."""
    leg = np.asarray(c.leg)
    length = np.abs(np.asarray(c.end_sx))
    back = np.abs(np.asarray(c.start_px))
    ahead = np.abs(np.asarray(c.end_px))
    behind_swing = np.abs(np.asarray(c.start_px) - np.asarray(c.start_sx))
    names = {
        "step length": (length, LONGEST_STEP * leg),
        "pelvis behind the stance foot at the step's start": (back, LONGEST_OFFSET * leg),
        "pelvis ahead of the stance foot at the step's end": (ahead, LONGEST_OFFSET * leg),
        "pelvis ahead of the swing foot at the step's start": (behind_swing, LONGEST_OFFSET * leg),
    }
    for name, (value, bound) in names.items():
        over = ~(value <= bound)
        if np.any(over):
            i = int(np.argmax(over))
            who = f" (walker {i})" if over.size > 1 else ""
            most = float(bound[i] / c.duration[i]) if name == "step length" else None
            advice = (
                f": walk at no more than {most:.3g} m/s at this frequency" if most else ": walk slower or quicker steps"
            )
            raise FootfallError(
                f"infeasible walk{who}: {name} is {float(value[i]):.3g} m, "
                f"the leg allows {float(bound[i]):.3g} m{advice}"
            )
