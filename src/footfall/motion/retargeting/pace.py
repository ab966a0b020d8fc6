"""A motion at the pace of a body of another size."""

from dataclasses import replace

import numpy as np

from footfall.motion.motion import Motion
from footfall.motion.retargeting.retarget import RetargetReport

_LIKE = (0.85, 1.18)
"""Scales of a body at which a motion keeps its pace."""


def at_own_pace(motion: Motion, report: RetargetReport) -> Motion:
    """A retargeted motion, faster on a small body and slower on a large one.

    Under the same gravity, motions of two sizes are alike where times grow with the root of the length: a robot with
    half a person's legs takes 1.4 times as many steps. Bodies about as large as the source keep its time.
    """
    if _LIKE[0] < report.scale < _LIKE[1]:
        return motion
    start = motion.times[0]
    return replace(motion, times=start + np.sqrt(report.scale) * (motion.times - start))
