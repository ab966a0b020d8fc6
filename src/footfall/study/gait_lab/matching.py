"""How like people's a curve is: the match of SCONE, and the Gait Profile Score.

Match (SCONE Studio's gait analysis): people's band at each per cent of the cycle is the mean ± one standard deviation,
[lo, hi]. With x the mean curve of all cycles and e = max(lo - x, x - hi, 0) by how much it leaves the band,

    match = 100 max(0, 1 - mean of e / max(hi - lo, 0.01))

so a curve inside the band has 100 %, and one that is a band's width (two deviations) outside all the time has 0 %.

Gait Variable Score: the root mean square over the cycle of the difference of a curve from people's mean, in degrees.
Gait Profile Score: the root mean square of the variables' scores (Baker et al., "The Gait Profile Score and Movement
Analysis Profile", Gait & Posture 30, 2009): of one side's variables, and overall with the pelvis counted once, by the
left side. Baker's nine variables include hip rotation and foot progression; those for which a folder has no people's
curves are left out, and the score says how many it is of.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from footfall.study.gait_lab.norms import Band

Array = NDArray[np.float64]

PROFILE = (
    "pelvis_tilt",
    "pelvis_obliquity",
    "pelvis_rotation",
    "hip_flexion",
    "hip_adduction",
    "hip_rotation",
    "knee_flexion",
    "ankle_dorsiflexion",
    "foot_progression",
)
"""Baker's variables; the first three are the pelvis's."""
_PELVIS = PROFILE[:3]


def match(curve: Array, band: Band) -> float:
    """Per cent, of a mean curve [101] in the band's unit."""
    low, high = band.mean - band.deviation, band.mean + band.deviation
    outside = np.maximum(np.maximum(low - curve, curve - high), 0.0)
    return float(100.0 * np.clip(1.0 - (outside / np.maximum(high - low, 0.01)).mean(), 0.0, 1.0))


def variable_score(curve: Array, band: Band) -> float:
    """Degrees, of a mean curve [101]."""
    return float(np.sqrt(((curve - band.mean) ** 2).mean()))


def profile_score(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """ "left", "right" and "overall" scores in degrees, from the variables' scores: name -> side -> degrees."""
    found = {}
    for side in ("left", "right"):
        own = [sides[side] for name, sides in scores.items() if name in PROFILE and side in sides]
        if own:
            found[side] = float(np.sqrt(np.mean(np.square(own))))
    every = [
        value
        for name, sides in scores.items()
        for side, value in sides.items()
        if name in PROFILE and (name not in _PELVIS or side == ("left" if "left" in sides else "right"))
    ]
    if every:
        found["overall"] = float(np.sqrt(np.mean(np.square(every))))
    return found
