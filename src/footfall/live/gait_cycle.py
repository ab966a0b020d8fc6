"""What a live page needs to draw the gait cycle: where the joints and soles of the legs are, and people's bands.

The page computes the angles of ``motion.gait.body_angles`` from these places, and a test holds the two together.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.feet import soles
from footfall.motion.gait.joint_angles import anatomical_offset
from footfall.motion.motion import Motion
from footfall.motion.quaternion import rotate
from footfall.motion.skeleton.body_shape import leg_length
from footfall.motion.skeleton.roles import find_roles
from footfall.study.gait_lab.norms import SCHWARTZ_SPEEDS, Norms

SHOWN = ("hip_flexion", "knee_flexion", "ankle_dorsiflexion", "pelvis_obliquity")
"""Angles that the page draws."""
EACH = 2
"""Per cent of the cycle between two numbers of a band."""


def leg_places(motion: Motion, anchors: NDArray[np.float64]) -> dict[str, Any] | None:
    """Bodies and places in their frames of hips, knees, ankles, heels and toes by side; the pelvis and its upright axes
    in its frame, in columns; the leg's length. None for a figure without two legs of that kind.

    Args:
        motion: of the figure. anchors: [bodies, 3] joints in the frames of their bodies.
    """
    roles, feet = find_roles(motion.skeleton), soles(motion.skeleton)
    needed = [f"{side}_{joint}" for side in ("left", "right") for joint in ("hip", "knee", "ankle")]
    if any(name not in roles for name in needed) or set(feet) != {"left", "right"}:
        return None

    def place(joint: int, offset: Any = (0.0, 0.0, 0.0)) -> list[Any]:
        return [int(joint), [round(float(x), 6) for x in anchors[joint] + np.asarray(offset)]]

    offset = anatomical_offset(motion, roles["pelvis"])
    axes = [rotate(offset, axis) for axis in np.eye(3)]
    found: dict[str, Any] = {
        "pelvis": int(roles["pelvis"]),
        "upright": [[round(float(x), 9) for x in axis] for axis in axes],
        "length": round(leg_length(motion.skeleton), 4),
    }
    for side, sole in feet.items():
        ends = {
            name: [place(sole.joints[k], sole.offsets[k]) for k in rows]
            for name, rows in (("heel", sole.heel), ("toe", sole.toe))
        }
        found[side] = {joint: place(roles[f"{side}_{joint}"]) for joint in ("hip", "knee", "ankle")} | ends
    return found


def people_bands(folder: str | Path) -> dict[str, Any]:
    """People's bands of the angles that are drawn: dimensionless speeds of the groups, and for each angle and group the
    mean and the standard deviation at every second per cent of the cycle, as a walk without markers is compared with
    them."""
    groups = []
    for speed in SCHWARTZ_SPEEDS.values():
        bands = Norms(folder, speed * float(np.sqrt(9.81)), 1.0).beside()
        groups.append({name: bands[name] for name in SHOWN if name in bands})

    def short(values: NDArray[np.float64]) -> list[float]:
        return [round(float(v), 1) for v in values[::EACH]]

    return {
        "source": "Schwartz, Rozumalski and Trost 2008",
        "speeds": list(SCHWARTZ_SPEEDS.values()),
        "angles": {
            name: [[short(group[name].mean), short(group[name].deviation)] for group in groups]
            for name in SHOWN
            if all(name in group for group in groups)
        },
    }
